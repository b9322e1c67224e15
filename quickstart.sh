#!/usr/bin/env bash
# ./quickstart.sh  installs what is needed, builds agtc, compiles
# examples/attention.agt, runs it on input it makes and shows what came out.
set -euo pipefail
source "$(dirname "$0")/scripts/setup.sh"
case ${1:-} in
  '') ;;
  -h | --help) sed -n '2,3s/^# \{0,1\}//p' "$0"; exit 0 ;;
  *) printf "error: unknown argument '%s'; see --help\n" "$1" >&2; exit 2 ;;
esac

install_packages build
build_agt agtc agt_runtime

out=$root/out
mkdir -p "$out"
say "compiling examples/attention.agt"
"$build/bin/agtc" "$root/examples/attention.agt" -o "$out/attention"
say "what the program holds"
"$out/attention"
say "running it"
python3 "$root/examples/make_input.py" "$out" q=4,2048,128 k=4,2048,128 v=4,2048,128
"$out/attention" run attend --in q="$out/q.npy" --in k="$out/k.npy" --in v="$out/v.npy" \
  --out o="$out/o.npy" --repeat 3 --stats
python3 "$root/examples/show_output.py" "$out/o.npy"
say "done: the program is out/attention; README.md says where to go on"
