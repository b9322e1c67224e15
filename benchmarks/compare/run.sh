#!/usr/bin/env bash
# agt over ggml, ONNX Runtime, OpenBLAS and oneDNN, in one run: fetches them,
# builds what is needed, and hands its arguments to compare.py.
#
#   benchmarks/compare/run.sh [--rounds N] [--only NAME,...] [--results FOLDER]
#
# Peers are measured against, never built into agt: npm's packages go to
# build/peers, Debian's are those of kind `compare` in scripts/packages.txt.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/../.."
source scripts/setup.sh

install_packages build compare
command -v npm >/dev/null || { say "installing npm"; apt update; apt install npm; }
peers=$build/peers
if ! cmp -s benchmarks/compare/package.json "$peers/package.json"; then
  say "fetching ggml and ONNX Runtime from the npm registry"
  rm -rf "$peers" "$peers.part"
  mkdir -p "$peers.part"
  cp benchmarks/compare/package.json "$peers.part/"
  # Optional packages and scripts of packages are for GPUs and other machines.
  npm install --prefix "$peers.part" --omit=optional --ignore-scripts --no-audit --no-fund --no-package-lock
  mv "$peers.part" "$peers"
fi
build_agt agtc agt_runtime machine_rates
exec /usr/bin/python3 benchmarks/compare/compare.py "$build" "$peers/node_modules" "$@"
