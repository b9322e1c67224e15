"""The console page in a browser: what it shows of hostile texts, how people and
keyboards use it, at the width of a phone too.

usage: ui_page.py PROGRAM FOLDER
"""

import os
import pathlib
import sys

sys.path.insert(0, os.path.dirname(__file__))
import ui_client
from browser import Browser
from ui_client import Ui, agt, start

folder = pathlib.Path(sys.argv[2])
ui_client.set_up(sys.argv[1], folder, f"sqlite:{folder}/log.db")
HOSTILE = '<script>document.title="stolen"</script><img src=x onerror="document.title=\'stolen\'"><b>bold</b> & "quoted"'

start("gate", HOSTILE[:30], text="a name that is hostile")
start("gate", "g", text=HOSTILE)
start("failing", "f", text=HOSTILE)
start("wide", "w", keys=[HOSTILE, "b"], n=300000)
start("inbox", "i")
start("gate", "turned", text="pay \u202e0001\u202c euros\u200b")

CONTRAST = """(() => {
  const light = (c) => { const v = c.map((x) => (x /= 255) <= .03928 ? x / 12.92 : ((x + .055) / 1.055) ** 2.4);
    return .2126 * v[0] + .7152 * v[1] + .0722 * v[2]; };
  const numbers = (text) => text.match(/[\\d.]+/g).map(Number);
  const ground = (e) => { for (; e; e = e.parentElement) { const c = numbers(getComputedStyle(e).backgroundColor);
    if (c.length < 4 || c[3] > 0) return c; } return [255, 255, 255]; };
  const poor = [];
  for (const e of document.querySelectorAll("body *")) {
    if (![...e.childNodes].some((n) => n.nodeType === 3 && n.data.trim()) || !e.offsetParent || e.disabled || e.closest(".hidden, thead, option, select, noscript, .skip")) continue;
    const a = light(numbers(getComputedStyle(e).color)), b = light(ground(e));
    const ratio = (Math.max(a, b) + .05) / (Math.min(a, b) + .05);
    if (ratio < 4.5) poor.push(`${e.tagName} ${e.className} ${ratio.toFixed(2)}`);
  }
  return poor.join(", "); })()"""
UNNAMED = """[...document.querySelectorAll("button, input, textarea, select, a")].filter((e) => e.offsetParent &&
  !(e.textContent.trim() || e.getAttribute("aria-label") || (e.labels && e.labels.length))).length"""
WIDE = "document.documentElement.scrollWidth - document.documentElement.clientWidth"

with Ui() as ui, Browser() as page:
    url = f"http://127.0.0.1:{ui.port}/"
    page.size(1280, 900)
    page.open(url)
    page.until("document.querySelectorAll('#runs tr').length === 6")
    print("list:", page.run("[...document.querySelectorAll('#runs tr')].map((r) => r.cells[1].textContent + ' ' + r.cells[2].textContent).join(', ')"))
    print("no markup from runs:", page.run("document.querySelectorAll('#runs script, #runs img, #runs b').length"), page.run("document.title"))
    print("landmarks:", page.run("['header', 'main', 'nav', 'h1'].map((t) => document.querySelectorAll(t).length > 0).join()"),
          page.run("document.querySelectorAll('th:not([scope])').length"), page.run("document.querySelectorAll('[aria-live]').length"))
    page.run("document.getElementById('state').value = 'done'; document.getElementById('state').dispatchEvent(new Event('change'))")
    page.until("document.querySelectorAll('#runs tr').length === 1")
    print("filtered:", page.run("document.querySelector('#runs a').textContent"), page.run("location.hash"))

    # A run that is hostile, and whose name is.
    page.open(url + "#/runs/" + "f")
    page.until("document.querySelector('#facts pre')")
    print("failed:", page.run("document.getElementById('facts').innerText.includes('<script>')"),
          page.run("document.querySelectorAll('main script, main img, main b').length"), page.run("document.title"))
    page.open(url)
    page.until("document.querySelectorAll('#runs tr').length === 6")
    page.run("[...document.querySelectorAll('#runs a')].find((a) => a.textContent.startsWith('<')).click()")
    page.until("document.querySelectorAll('#steps tr').length > 0")
    print("hostile name:", page.run("document.getElementById('run-title').textContent") == HOSTILE[:30])

    # Approve with the keyboard alone; the page follows without being loaded again.
    page.open(url + "#/runs/g")
    page.until("document.querySelector('.answer-card blockquote')")
    print("asked:", page.run("document.querySelector('.answer-card blockquote').textContent") == HOSTILE)
    page.run("window.same = true; document.querySelector('.answer-card input').focus(); undefined")
    for letter in "Ana":
        page.key(letter, ord(letter.upper()), letter)
    page.key("Tab", 9)
    print("focus:", page.run("document.activeElement.textContent"))
    page.key("Enter", 13, "\r")
    page.until("!document.querySelector('.answer-card')")
    print("said:", page.run("document.getElementById('said').textContent"))
    agt("resume", "g")
    page.until("document.querySelector('#facts .state').textContent === 'done'")
    print("followed:", page.run("window.same"), page.run("document.getElementById('said').textContent"), '"by":"Ana"' in agt("export", "g").stdout.replace("\\", ""))

    page.open(url + "#/runs/turned")
    page.until("document.querySelector('.answer-card blockquote')")
    print("marks:", page.run("document.querySelector('.answer-card blockquote').textContent"))

    # A signal; what is no JSON does not leave the page.
    page.open(url + "#/runs/i")
    page.until("document.querySelector('.answer-card textarea')")
    page.run("document.querySelector('.answer-card textarea').value = '{'; document.querySelector('.answer-card button').click()")
    print("refused:", page.run("document.querySelector('.answer-card textarea').validationMessage"))
    page.run("document.querySelector('.answer-card textarea').focus(); document.querySelector('.answer-card textarea').select()")
    page.call("Input.insertText", text="9007199254740993")
    page.run("document.querySelector('.answer-card button').click()")
    page.until("document.getElementById('said').textContent")
    print("signalled:", agt("resume", "i").stdout.strip())

    # Branches, folding, a large value on demand.
    page.open(url + "#/runs/w")
    page.until("document.querySelectorAll('#steps tr.lane').length > 0")
    print("branches:", page.run("[...document.querySelectorAll('#steps tr.lane .kind')].map((k) => k.textContent).join()"))
    page.run("document.querySelector('#steps .fold').click()")
    print("folded:", page.run("[...document.querySelectorAll('#steps tr.lane')].filter((r) => r.offsetParent).length"))
    page.run("document.querySelector('#steps .fold').click(); [...document.querySelectorAll('#steps tr.lane button.name')].find((b) => b.offsetParent).click()")
    page.run("document.querySelector('#steps tr.more:not([hidden]) button').click()")
    page.until("[...document.querySelectorAll('#steps pre')].some((p) => p.textContent.length >= 300000)")
    print("on demand: yes")

    for run in ("", "#/runs/w", "#/runs/" + "f"):
        page.open(url + run)
        page.until("document.querySelectorAll('#runs tr, #steps tr').length > 0")
        for width in (1280, 390, 320):
            for dark in (False, True):
                page.size(width, 900, dark)
                poor, unnamed, wide = page.run(CONTRAST), page.run(UNNAMED), page.run(WIDE)
                assert (poor, unnamed, wide) == ("", 0, 0), (run, width, dark, poor, unnamed, wide)
    print("contrast, names, widths: good")
    page.open(url)
    page.until("document.querySelectorAll('#runs tr').length > 0")
    assert ui.end()[0] == 0
    page.until("document.getElementById('problem').textContent")
    print("gone:", page.run("document.getElementById('problem').textContent"), page.run("document.getElementById('live').textContent"))
    print("errors:", page.errors)
