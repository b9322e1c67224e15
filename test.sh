#!/usr/bin/env bash
# ./test.sh [--slow]  installs what is needed, builds, runs every test.
#
# The last line is `N passed, N failed`; what failed is printed whole. --slow
# adds the long property and fuzz runs.
set -euo pipefail
source "$(dirname "$0")/scripts/setup.sh"

export AGT_SLOW=0
for argument; do
  case $argument in
    --slow) AGT_SLOW=1 ;;
    -h | --help) sed -n '2,5s/^# \{0,1\}//p' "$0"; exit 0 ;;
    *) printf "error: unknown argument '%s'; see --help\n" "$argument" >&2; exit 2 ;;
  esac
done

install_packages build test
build_agt all
fetch_swiftshader
exec python3 "$root/scripts/run_tests.py" --build "$build" --source "$root"
