// The console's page. Texts of runs are hostile: they come into the document as
// text nodes only (see `make`), never as markup.
"use strict";

const token = document.querySelector('meta[name="agt-token"]').content;
const program = document.body.dataset.program;
const at = (id) => document.getElementById(id);

/// Controls and marks that turn a text's direction could make it read as
/// another one: they are shown as what they are.
const hidden =
    /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u061c\u200b-\u200f\u202a-\u202e\u2060-\u2069\ufeff]/g;
const visible = (text) => text.replace(
    hidden, (mark) => `\\u{${mark.codePointAt(0).toString(16).toUpperCase()}}`);

/// An element; `parts` are elements or texts, attributes with the value null
/// are left out.
function make(tag, attributes, ...parts) {
  const element = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes || {}))
    if (value !== null) element.setAttribute(name, value);
  for (const part of parts)
    if (part !== null)
      element.append(typeof part === "string" ? visible(part) : part);
  return element;
}

// ---- the API -----------------------------------------------------------------

async function ask(path, options) {
  let reply;
  try {
    reply = await fetch(path, { cache: "no-store", ...options });
  } catch {
    throw new Error("the program does not answer any more");
  }
  const text = await reply.text();
  if (!reply.ok) {
    let why = text;
    try { why = JSON.parse(text).error; } catch { /* no JSON */ }
    throw new Error(why || `answered with ${reply.status}`);
  }
  return text;
}
const get = async (path) => JSON.parse(await ask(path));

/// `body` is JSON as a text: numbers stay as they were typed.
const post = (run, action, body) => ask(`/api/runs/${encodeURIComponent(run)}/${action}`, {
  method: "POST", body, headers: { "Content-Type": "application/json", "X-Agt-Token": token } });

// ---- words ---------------------------------------------------------------------

const say = (text) => { at("said").textContent = text; };
function trouble(text) {
  at("problem").hidden = !text;
  text = visible(text);
  if (at("problem").textContent !== text) at("problem").textContent = text;
}

const dayAndTime = new Intl.DateTimeFormat(undefined, { dateStyle: "medium", timeStyle: "medium" });
const when = (text) => make("time", { datetime: text, title: text }, dayAndTime.format(new Date(text)));

function span(ms) {
  if (ms < 1000) return `${Math.round(ms)} ms`;
  if (ms < 60e3) return `${(ms / 1000).toFixed(ms < 10e3 ? 2 : 1)} s`;
  if (ms < 3600e3) return `${Math.floor(ms / 60e3)} min ${Math.round((ms % 60e3) / 1000)} s`;
  if (ms < 86400e3) return `${Math.floor(ms / 3600e3)} h ${Math.round((ms % 3600e3) / 60e3)} min`;
  return `${(ms / 86400e3).toFixed(1)} days`;
}
const count = (n) => n.toLocaleString();
const tokens = (of) => of.tokens_in === undefined && of.tokens_out === undefined
  ? "" : `${count(of.tokens_in || 0)} / ${count(of.tokens_out || 0)}`;
const money = (usd) => usd === undefined ? "" : `$${usd.toFixed(usd < 1 ? 4 : 2)}`;
const stateText = (state) => state.replace("_", " ");
const stateMark = (state) => make("span", { class: `state ${state}` }, stateText(state));

/// JSON text with line ends and indentation; its numbers and texts untouched.
function indented(json) {
  let out = "", depth = 0;
  for (let i = 0; i < json.length; ++i) {
    const letter = json[i];
    if (letter === '"') {
      let end = i + 1;
      while (end < json.length && json[end] !== '"') end += json[end] === "\\" ? 2 : 1;
      out += json.slice(i, end + 1);
      i = end;
    } else if ("{[".includes(letter)) {
      const closing = letter === "{" ? "}" : "]";
      if (json[i + 1] === closing) { out += letter + closing; ++i; continue; }
      out += letter + "\n" + "  ".repeat(++depth);
    } else if ("}]".includes(letter)) {
      depth = Math.max(0, depth - 1);
      out += "\n" + "  ".repeat(depth) + letter;
    } else if (letter === ",") {
      out += ",\n" + "  ".repeat(depth);
    } else if (letter === ":") {
      out += ": ";
    } else {
      out += letter;
    }
  }
  return out;
}

/// A JSON text as people read it: a string as what it says.
function readable(json) {
  if (json.startsWith('"') && json !== '""')
    try {
      return JSON.parse(json);
    } catch { /* as it is */
    }
  return indented(json);
}

/// A value of the API: JSON as a text, or a handle to ask for.
function showValue(run, value) {
  if (typeof value === "string") return make("pre", { tabindex: "0" }, readable(value));
  const path = `/api/runs/${encodeURIComponent(run)}/values/${value.handle}`;
  const button = make("button", { type: "button" }, `Show ${count(value.bytes)} bytes`);
  const box = make("div", {}, button, " ", make("a", { href: path, target: "_blank", rel: "noopener" }, "open as a file"));
  button.onclick = async () => {
    button.disabled = true;
    try {
      const text = await ask(path);
      const most = 500000;
      button.replaceWith(make("pre", { tabindex: "0" }, text.length > most
        ? text.slice(0, most) + `\n... ${count(text.length - most)} more characters` : readable(text.trim())));
    } catch (error) {
      button.disabled = false;
      trouble(error.message);
    }
  };
  return box;
}

function needJson(field) {
  try {
    JSON.parse(field.value);
    field.setCustomValidity("");
    return true;
  } catch {
    field.setCustomValidity('Expected JSON, such as "a text", 17 or {"a": 1}');
    field.reportValidity();
    field.oninput = () => field.setCustomValidity("");
    return false;
  }
}

/// Carries out an action: its buttons are off meanwhile.
async function act(box, run, action, body, done) {
  const buttons = [...box.querySelectorAll("button")];
  for (const button of buttons) button.disabled = true;
  try {
    await post(run, action, body);
    trouble("");
    say(done);
  } catch (error) {
    trouble(error.message);
  }
  for (const button of buttons) button.disabled = false;
  refresh();
}

// ---- where we are --------------------------------------------------------------

/// One page at a time: { load, stop }.
let page = null;
let loading = false, again = false;

/// Loads what the page shows; calls that come meanwhile make one more.
async function refresh() {
  if (loading) { again = true; return; }
  loading = true;
  do {
    again = false;
    const shown = page, begin = performance.now();
    try {
      await shown.load();
      if (shown === page) trouble("");
    } catch (error) {
      if (shown === page) trouble(error.message);
    }
    await new Promise(
        (resolve) => setTimeout(
            resolve, Math.max(150, 2 * (performance.now() - begin))));
  } while (again);
  loading = false;
}

/// Server-sent events, taken up again however they end.
function listen(path, handlers) {
  let source = null, timer = 0, over = false;
  const open = () => {
    source = new EventSource(path());
    source.onopen = () => { at("live").textContent = "live"; refresh(); };
    source.onerror = () => {
      at("live").textContent = "not connected, trying again";
      if (source.readyState === EventSource.CLOSED && !over) timer = setTimeout(open, 2000);
    };
    source.addEventListener("lost", (event) => trouble(JSON.parse(event.data).error));
    for (const [name, handle] of Object.entries(handlers))
      source.addEventListener(name, handle);
  };
  open();
  return () => { over = true; clearTimeout(timer); source.close(); };
}

function route() {
  if (page) page.stop();
  say("");
  trouble("");
  const [where, query] = location.hash.replace(/^#/, "").split("?");
  const parts = where.split("/").filter(Boolean).map((part) => {
    try { return decodeURIComponent(part); } catch { return part; }
  });
  const isRun = parts[0] === "runs" && parts.length === 2;
  at("list").hidden = isRun;
  at("detail").hidden = !isRun;
  page = isRun ? runPage(parts[1]) : listPage(new URLSearchParams(query || ""));
  document.title = isRun ? `${parts[1]} - ${program}` : `${program}: runs`;
  const title = at(isRun ? "run-title" : "list-title");
  if (document.activeElement !== document.body || isRun) title.focus({ preventScroll: true });
  refresh();
}

// ---- the list ------------------------------------------------------------------

const runLink = (id) => `#/runs/${encodeURIComponent(id)}`;

function waitText(wait) {
  const until = wait.until ? `, until ${dayAndTime.format(new Date(wait.until))}` : "";
  if (wait.kind === "approval") return `approval: ${wait.text}${until}`;
  if (wait.kind === "receive") return `the signal ${wait.text}${until}`;
  if (wait.kind === "parked") return `a decision on ${wait.path}: ${wait.text}`;
  return `a time${until}`;
}

function runRow(run) {
  const waits = (run.waits || []).map((wait) => make("div", { class: "clip" }, waitText(wait)));
  if (run.error) waits.push(make("div", { class: "clip" }, run.error));
  return make("tr", {},
    make("th", { scope: "row" }, make("a", { href: runLink(run.id) }, run.id)),
    make("td", {}, run.agent), make("td", {}, stateMark(run.status)),
    make("td", {}, when(run.created)),
    make("td", { class: "number", "data-name": "steps" }, count(run.steps)),
    make("td", { class: "number", "data-name": "tokens" }, tokens(run)),
    make("td", { class: "wide" }, ...waits));
}

function listPage(query) {
  const parameters = new URLSearchParams();
  for (const name of ["state", "agent", "before"])
    if (query.get(name)) parameters.set(name, query.get(name));
  at("state").value = query.get("state") || "";
  at("newest").disabled = !query.get("before");
  let last = "", agents = false;
  const go = (changes) => {
    const next = new URLSearchParams(parameters);
    for (const [name, value] of Object.entries(changes))
      if (value) next.set(name, value); else next.delete(name);
    location.hash = `/?${next}`;
  };
  at("state").onchange = (event) => go({ state: event.target.value, before: "" });
  at("agent").onchange = (event) => go({ agent: event.target.value, before: "" });
  at("newest").onclick = () => go({ before: "" });

  async function load() {
    if (!agents) {
      const about = await get("/api/program");
      at("db").textContent = about.db;
      const wanted = query.get("agent") || "";
      const names = [...new Set([...about.agents, ...(wanted ? [wanted] : [])])];
      at("agent").replaceChildren(make("option", { value: "" }, "all"),
        ...names.map((name) => make("option", { value: name }, name)));
      at("agent").value = wanted;
      agents = true;
    }
    const text = await ask(`/api/runs?${parameters}`);
    if (text === last) return;
    last = text;
    const { runs, next } = JSON.parse(text);
    const focused = document.activeElement?.closest?.("#runs a")?.getAttribute("href");
    at("runs").replaceChildren(...runs.map(runRow));
    if (focused) at("runs").querySelector(`a[href="${CSS.escape(focused)}"]`)?.focus();
    at("none").hidden = runs.length > 0;
    at("older").disabled = !next;
    at("older").onclick = () => go({ before: next });
  }
  const stop = listen(() => "/api/runs", { change: refresh });
  const timer = setInterval(refresh, 10000); // a process that died writes nothing
  return { load, stop: () => { stop(); clearInterval(timer); } };
}

// ---- a run ---------------------------------------------------------------------

/// "a[b]/c#1" as "a", "a[b]", "a[b]/c#1", each with its own part of the name.
function nodesOf(path) {
  const nodes = [];
  for (const match of path.matchAll(/\/?[^/[\]]+|\[[^\]]*\]/g)) {
    const end = match.index + match[0].length;
    let name = match[0].replace(/^\//, "");
    const isBranch = name.startsWith("[");
    if (isBranch) try { name = decodeURIComponent(name.slice(1, -1)); } catch { /* as it is */ }
    nodes.push({ path: path.slice(0, end), name, isBranch });
  }
  return nodes;
}

const waitKinds = ["approval", "receive", "sleep"];

/// Where a time is drawn, 0 to 1. Stretches in which nothing but waiting went on
/// are drawn shorter.
function makeAxis(from, to, steps) {
  const busy = [];
  for (const step of steps) {
    if (waitKinds.includes(step.kind)) continue;
    for (const attempt of step.attempts || [])
      if (attempt.begin) busy.push([Date.parse(attempt.begin), attempt.end ? Date.parse(attempt.end) : to]);
  }
  busy.sort((a, b) => a[0] - b[0]);
  const idle = [];
  let end = from, worked = 0;
  for (const [begin, over] of [...busy, [to, to]]) {
    if (begin > end) idle.push([end, begin]);
    worked += Math.max(0, over - Math.max(begin, end));
    end = Math.max(end, over);
  }
  const short = Math.max(worked * 0.12, 1);
  const cuts = worked ? idle.filter(([a, b]) => b - a > 2 * short).sort((x, y) => (y[1] - y[0]) - (x[1] - x[0])).slice(0, 8).sort((x, y) => x[0] - y[0]) : [];
  const lengthTo = (time) => cuts.reduce((sum, [a, b]) => {
    const inside = Math.max(0, Math.min(time, b) - a);
    return sum - inside + short * inside / (b - a);
  }, time - from);
  const whole = Math.max(lengthTo(to), 1);
  const place = (time) => Math.min(1, Math.max(0, lengthTo(time) / whole));
  return { place, cuts, from, to };
}

function bar(axis, begin, end, classes, title) {
  const left = axis.place(begin), right = axis.place(end);
  const element = make("div", { class: `bar ${classes}`, title: title || null });
  element.style.left = `${Math.min(left, 0.995) * 100}%`;
  element.style.width = `${Math.max(0, right - left) * 100}%`;
  return element;
}

function drawTrack(axis, node, open) {
  const track = make("div", { class: "track", "aria-hidden": "true" });
  for (const [a, b] of axis.cuts) {
    const cut = make("div", { class: "cut" });
    cut.style.left = `${axis.place(a) * 100}%`;
    cut.style.width = `${(axis.place(b) - axis.place(a)) * 100}%`;
    track.append(cut);
  }
  const step = node.step;
  if (node.children.length && node.begin <= node.end) track.append(bar(axis, node.begin, node.end, "span"));
  if (!step) return track;
  (step.attempts || []).forEach((attempt, i) => {
    const begin = Date.parse(attempt.begin || attempt.end);
    const isOpen = !attempt.end && open;
    const end = attempt.end ? Date.parse(attempt.end) : isOpen ? axis.to : begin;
    const classes = [waitKinds.includes(step.kind) || step.kind === "fork" && isOpen ? "wait" : "", attempt.outcome || "",
      isOpen ? "open" : "", step.begin_estimated && i === 0 ? "guess" : ""];
    track.append(bar(axis, begin, end, classes.join(" "), `attempt ${attempt.attempt || i + 1}: ${span(end - begin)}`));
  });
  return track;
}

function runPage(id) {
  const path = `/api/runs/${encodeURIComponent(id)}`;
  const steps = new Map(); // by path, as the API has them
  const rows = new Map();  // by path
  const closed = new Set();
  get("/api/program").then((about) => { at("db").textContent = about.db; }, () => {});
  let seq = 0, run = null, status = "", cards = "", axis = null, facts = "",
      shownAt = 0;
  at("run-title").textContent = visible(id);
  for (const name of ["facts", "waits", "steps", "axis"]) at(name).replaceChildren();
  at("more").open = false;
  at("no-steps").hidden = at("axis-note").hidden = true;
  at("signal").onsubmit = (event) => {
    event.preventDefault();
    const value = at("signal-value");
    if (needJson(value))
      act(at("signal"), id, "signal", `{"name":${JSON.stringify(at("signal-name").value)},"value":${value.value}}`, "The signal was sent.");
  };
  at("cancel").onclick = () => {
    if (confirm(`Cancel the run ${id}? What it has begun is settled, nothing more is begun.`))
      act(at("more"), id, "cancel", "{}", "The run was cancelled.");
  };

  async function load() {
    const answer = await get(`${path}?after=${seq}`);
    run = answer.run;
    seq = answer.seq;
    for (const step of answer.steps) steps.set(step.path, step);
    if (status && status !== run.status) say(`The run is now ${run.status}.`);
    status = run.status;
    drawFacts();
    drawCards();
    shownAt =
        Date.parse(answer.now); // by the program's clock, not the browser's
    drawSteps(shownAt);
    at("more").hidden = ["done", "failed", "cancelled"].includes(run.status);
  }

  function drawFacts() {
    const now = JSON.stringify(run);
    if (now === facts) return;
    facts = now;
    const fact = (name, content, wide) => content ? make("div", { class: wide ? "wide" : null }, make("dt", {}, name), make("dd", {}, content)) : null;
    const all = [fact("State", stateMark(run.status)),
      fact("Agent", run.agent), fact("Started", when(run.created)), fact("Last change", when(run.changed)),
      fact("Steps", count(run.steps)), fact("Tokens in / out", tokens(run)), fact("Cost", money(run.usd)),
      fact("Owner", run.owner), fact("Goes on", run.wake ? when(run.wake) : null),
      fact("Arguments", run.args ? showValue(id, run.args) : null, true),
      fact("Result", run.result ? showValue(id, run.result) : null, true),
      fact("Error", run.error ? make("pre", { tabindex: "0" }, run.error) : null, true)];
    at("facts").replaceChildren(...all.filter(Boolean));
  }

  // ---- what a person can answer
  function drawCards() {
    const ended = ["done", "failed", "cancelled"].includes(run.status);
    const open = ended ? [] : [...steps.values()].filter((step) => step.state === "parked" ||
      step.state === "waiting" && step.kind !== "sleep");
    const now = JSON.stringify(open.map((step) => [step.path, step.seq]));
    if (now === cards) return; // what is being typed stays
    cards = now;
    at("waits").replaceChildren(...open.map((step) =>
      step.state === "parked" ? parkedCard(step) : step.kind === "approval" ? approvalCard(step) : receiveCard(step)));
  }

  const card = (title, ...parts) => make("section", { class: "answer-card", "aria-label": title }, make("h3", {}, title), ...parts);
  const until = (step) => step.until ? make("p", { class: "quiet" }, "Until ", when(step.until), ".") : null;

  function nameField() {
    const field = make("input", { autocomplete: "name" });
    field.value = sessionStorage.getItem("name") || "";
    field.onchange = () => sessionStorage.setItem("name", field.value);
    return field;
  }

  function approvalCard(step) {
    const name = nameField();
    const yes = make("button", { type: "button", class: "main" }, "Approve");
    const no = make("button", { type: "button" }, "Decline");
    const box = card(`${step.path} asks for an approval${step.role ? ` by ${step.role}` : ""}`,
      make("blockquote", {}, step.question === undefined ? "" : step.question), until(step),
      make("form", {}, make("label", {}, "Your name", name), yes, no));
    const answer = (how) => act(box, id, "approve", JSON.stringify({ step: step.path, answer: how, shown: step.shown, by: name.value || undefined }),
      how ? `${step.path} was approved.` : `${step.path} was declined.`);
    yes.onclick = () => answer(true);
    no.onclick = () => answer(false);
    box.querySelector("form").onsubmit = (event) => event.preventDefault();
    return box;
  }

  function parkedCard(step) {
    const value = make("textarea", { rows: "2", placeholder: "null" });
    const name = nameField();
    const button = (text, how) => {
      const made = make("button", { type: "button" }, text);
      made.onclick = () => {
        if (how === "skip" && !needJson(value)) return;
        const by = name.value ? `,"by":${JSON.stringify(name.value)}` : "";
        act(box, id, "resolve", `{"step":${JSON.stringify(step.path)},"how":"${how}"${how === "skip" ? `,"value":${value.value}` : ""}${by}}`,
          `${step.path} was resolved.`);
      };
      return made;
    };
    const box = card(`${step.path} is parked`, make("blockquote", {}, step.error || ""),
      make("form", {}, make("label", {}, "Your name", name), button("Try again", "retry"), button("Let it fail", "fail")),
      make("form", {}, make("label", {}, "Its result, as JSON", value), button("Take this as its result", "skip")));
    for (const form of box.querySelectorAll("form")) form.onsubmit = (event) => event.preventDefault();
    return box;
  }

  function receiveCard(step) {
    const value = make("textarea", { rows: "2", required: "" });
    const form = make("form", {}, make("label", {}, "Value, as JSON", value), make("button", { class: "main" }, "Send"));
    const box = card(`${step.path} waits for the signal ${step.signal}`, until(step), form);
    form.onsubmit = (event) => {
      event.preventDefault();
      if (needJson(value))
        act(box, id, "signal", `{"name":${JSON.stringify(step.signal)},"value":${value.value}}`, "The signal was sent.");
    };
    return box;
  }

  // ---- the timeline
  function treeOf() {
    const nodes = new Map(), roots = [];
    for (const step of steps.values()) {
      let parent = null;
      nodesOf(step.path).forEach((part, depth) => {
        let node = nodes.get(part.path);
        if (!node) {
          node = { ...part, depth, children: [], parent, begin: Infinity, end: -Infinity };
          nodes.set(part.path, node);
          (parent ? parent.children : roots).push(node);
          node.lane = part.isBranch ? (parent.branches = (parent.branches || 0) + 1) - 1 : parent ? parent.lane : -1;
        }
        parent = node;
      });
      parent.step = step;
    }
    return { nodes, roots };
  }

  function drawSteps(now) {
    const { nodes, roots } = treeOf();
    const ended = ["done", "failed", "cancelled"].includes(run.status);
    const from = Date.parse(run.created);
    let to = ended ? from : now;
    for (const step of steps.values())
      for (const attempt of step.attempts || [])
        to = Math.max(to, Date.parse(attempt.end || attempt.begin || run.created));
    axis = makeAxis(from, Math.max(to, from + 1), [...steps.values()]);
    for (const node of [...nodes.values()].reverse()) {
      const { step } = node;
      if (step && step.begin) {
        node.begin = Math.min(node.begin, Date.parse(step.begin));
        node.end = Math.max(node.end, step.end ? Date.parse(step.end) : axis.to);
      }
      if (node.parent) {
        node.parent.begin = Math.min(node.parent.begin, node.begin);
        node.parent.end = Math.max(node.parent.end, node.end);
      }
    }
    let last = null;
    const place = (node, hidden) => {
      const row = rowOf(node);
      fillRow(row, node, !ended);
      for (const element of [row.main, row.more]) {
        if (last ? last.nextSibling !== element : at("steps").firstChild !== element)
          last ? last.after(element) : at("steps").prepend(element);
        last = element;
      }
      row.main.hidden = hidden;
      row.more.hidden = hidden || !row.open;
      for (const child of node.children) place(child, hidden || closed.has(node.path));
    };
    for (const node of roots) place(node, false);
    at("axis").replaceChildren(make("span", {}, "0"), make("span", {}, span(axis.to - axis.from)));
    at("axis-note").hidden = !axis.cuts.length;
    at("no-steps").hidden = steps.size > 0;
  }

  function rowOf(node) {
    let row = rows.get(node.path);
    if (row) return row;
    const key = `more-${rows.size}`;
    row = { open: false, seen: "", drawn: 0 };
    row.fold = make("button", { type: "button", class: "fold", "aria-expanded": "true", "aria-label": `Steps of ${node.name}` });
    row.name = make("button", { type: "button", class: "name", "aria-expanded": "false", "aria-controls": key }, node.name);
    row.title = make("span", { class: "name" }, node.name);
    row.kind = make("span", { class: "kind" });
    row.cells = ["state", "number", "number", "number", "number", "when"].map((name) => make("td", { class: name === "state" ? null : name }));
    ["", "attempts", "tokens", "cost", "time"].forEach((name, i) => { if (name) row.cells[i].dataset.name = name; });
    row.main = make("tr", {}, make("th", { scope: "row" }, row.fold, row.title, row.name, row.kind), ...row.cells);
    row.box = make("td", { colspan: "7" });
    row.more = make("tr", { class: "more", id: key, hidden: "" }, row.box);
    rows.set(node.path, row);
    return row;
  }

  function fillRow(row, node, open) {
    const { step } = node;
    const isGroup = node.children.length > 0;
    row.main.className = `${isGroup ? "group" : ""} ${node.lane >= 0 ? "lane" : ""}`;
    for (const element of [row.main, row.more]) {
      element.style.setProperty("--depth", node.depth);
      if (node.lane >= 0) element.style.setProperty("--lane", `var(--lane-${node.lane % 6})`);
    }
    const folded = closed.has(node.path);
    row.fold.hidden = !isGroup;
    row.fold.setAttribute("aria-expanded", String(!folded));
    row.fold.onclick = () => {
      folded ? closed.delete(node.path) : closed.add(node.path);
      drawSteps(shownAt);
    };
    row.name.hidden = !step;
    row.title.hidden = Boolean(step);
    row.name.setAttribute("aria-expanded", String(row.open));
    row.name.title = row.title.title = node.path;
    row.name.onclick = () => {
      row.open = !row.open;
      drawSteps(shownAt);
    };
    row.kind.textContent = node.isBranch ? "branch" : step && step.kind !== "step" ? step.kind : "";
    row.cells[5].replaceChildren(drawTrack(axis, node, open));
    const length = node.end - node.begin;
    row.cells[4].textContent = length >= 0 && Number.isFinite(length) ? (step && step.begin_estimated ? "≤ " : "") + span(length) : "";
    if (!step) return;
    const seen = `${step.seq}`;
    if (seen !== row.seen) {
      row.seen = seen;
      row.cells[0].replaceChildren(stateMark(step.state));
      row.cells[1].textContent = (step.attempts || []).length > 1 ? count(step.attempts.length) : "";
      row.cells[2].textContent = tokens(step);
      row.cells[3].textContent = money(step.usd);
      row.drawn = 0;
    }
    if (row.open && row.drawn !== step.seq) {
      row.drawn = step.seq;
      row.box.replaceChildren(...detailsOf(step));
    }
  }

  function detailsOf(step) {
    const parts = [];
    const part = (title, ...content) => parts.push(make("h3", {}, title), ...content);
    part("Path", make("div", {}, step.path));
    if (step.args !== undefined) part("Arguments", showValue(id, step.args));
    if (step.result !== undefined) part("Result", showValue(id, step.result));
    if (step.error) part("Error", make("pre", { tabindex: "0" }, step.error));
    if (step.model) part("Model", make("div", {}, `${step.model}${step.finish ? `, ended with ${step.finish}` : ""}`));
    if (step.by) part("Answered by", make("div", {}, step.by));
    if ((step.attempts || []).length)
      part("Attempts", make("ul", {}, ...step.attempts.map((attempt, i) => make("li", {},
        `${attempt.attempt || i + 1}: ${attempt.outcome ? stateText(attempt.outcome) : "not over"}`,
        attempt.begin ? ", from " : "", attempt.begin ? when(attempt.begin) : "",
        attempt.begin && attempt.end ? `, ${span(Date.parse(attempt.end) - Date.parse(attempt.begin))}` : "",
        attempt.error ? `: ${attempt.error}` : ""))));
    return parts;
  }

  const stop = listen(() => `${path}/events?after=${seq}`, {
    event: refresh,
    end: () => { refresh(); stop(); at("live").textContent = ""; },
    gone: (event) => { trouble(JSON.parse(event.data).error); stop(); },
  });
  // Bars of what is under way grow, and a process that died writes nothing.
  let ticks = 0;
  const timer = setInterval(() => {
    const often = run && run.status === "running",
          seldom = run && !["done", "failed", "cancelled"].includes(run.status);
    if (often || seldom && ++ticks % 5 === 0)
      refresh();
  }, 2000);
  return { load, stop: () => { stop(); clearInterval(timer); } };
}

addEventListener("hashchange", route);
route();
