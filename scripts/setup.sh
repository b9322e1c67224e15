# Set-up shared by quickstart.sh and test.sh; sourced, not run.
#
# install_packages KIND...  Debian's packages of scripts/packages.txt, and
#                           mesa-vulkan-drivers from bookworm-backports
# fetch_swiftshader         a second Vulkan driver, unlike the first, for tests:
#                           out of Debian's chromium, which may not be installed
# build_agt TARGET...       configures and builds in build/
#
# Both do nothing, quickly, where there is nothing to do.

root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
build=${AGT_BUILD_DIR:-$root/build}
backports_pin=/etc/apt/preferences.d/agt-backports
backports_source=/etc/apt/sources.list.d/agt-backports.sources

say() { printf '\033[1m== %s\033[0m\n' "$*"; }
die() { printf 'error: %s\n' "$*" >&2; exit 1; }

as_root() {
  if [ "$(id -u)" -eq 0 ]; then "$@"
  elif command -v sudo >/dev/null; then sudo -E "$@"
  else die "packages are missing and this user is not root and has no sudo: run '$*' as root"
  fi
}

apt() { as_root env DEBIAN_FRONTEND=noninteractive apt-get -q -y --no-install-recommends -o Dpkg::Use-Pty=0 "$@"; }

installed() { [ "$(dpkg-query -W -f '${db:Status-Status}' "$1" 2>/dev/null)" = installed ]; }

# The machine's own entry for bookworm, as a deb822 stanza for its backports.
derive_backports() {
  local file line
  for file in /etc/apt/sources.list.d/*.sources; do
    [ -e "$file" ] && [ "$file" != "$backports_source" ] || continue
    line=$(awk 'BEGIN { RS = ""; FS = "\n" }
      { suites = ""; for (i = 1; i <= NF; i++) if ($i ~ /^Suites:/) suites = $i
        if ((suites " ") !~ /[ \t]bookworm[ \t]/) next
        for (i = 1; i <= NF; i++) {
          if ($i ~ /^#/) continue
          if ($i ~ /^Suites:/) print "Suites: bookworm-backports"
          else if ($i ~ /^Components:/) print "Components: main"
          else print $i }
        exit }' "$file")
    [ -n "$line" ] && { printf '%s\n' "$line"; return; }
  done
  for file in /etc/apt/sources.list /etc/apt/sources.list.d/*.list; do
    [ -e "$file" ] || continue
    line=$(sed -nE 's/^deb[[:space:]]+(\[[^]]*\][[:space:]]+)?([^[:space:]]+)[[:space:]]+bookworm[[:space:]].*/\2/p' "$file" | head -n 1)
    [ -n "$line" ] && { printf 'Types: deb\nURIs: %s\nSuites: bookworm-backports\nComponents: main\nSigned-By: /usr/share/keyrings/debian-archive-keyring.gpg\n' "$line"; return; }
  done
  return 1
}

# Mesa of bookworm itself is too old; nothing but it and its own libdrm moves.
install_mesa() {
  local version
  version=$(dpkg-query -W -f '${Version}' mesa-vulkan-drivers 2>/dev/null || true)
  if [ -n "$version" ] && dpkg --compare-versions "$version" ge 24; then return; fi
  say "installing mesa-vulkan-drivers from bookworm-backports"
  local stanza
  stanza=$(derive_backports) || die "no apt entry for bookworm was found to derive backports from"
  printf '%s\n' "$stanza" | as_root tee "$backports_source" >/dev/null
  as_root tee "$backports_pin" >/dev/null <<'PIN'
Package: *
Pin: release n=bookworm-backports
Pin-Priority: -1

Package: mesa-vulkan-drivers libdrm*
Pin: release n=bookworm-backports
Pin-Priority: 600
PIN
  apt update
  apt install mesa-vulkan-drivers
}

install_packages() {
  local missing=() kind name
  while read -r kind name; do
    case " $* " in *" $kind "*) installed "$name" || missing+=("$name") ;; esac
  done < <(grep -v '^#' "$root/scripts/packages.txt")
  if [ ${#missing[@]} -gt 0 ]; then
    say "installing ${#missing[@]} packages: ${missing[*]}"
    apt update
    # Tests start PostgreSQL servers of their own: the package's is not made.
    local clusters=/etc/postgresql-common/createcluster.d/agt.conf
    case " ${missing[*]} " in *" postgresql "*)
      as_root mkdir -p "${clusters%/*}"
      echo "create_main_cluster = false" | as_root tee "$clusters" >/dev/null ;;
    esac
    apt install "${missing[@]}"
    if [ -e "$clusters" ]; then as_root rm "$clusters"; fi
  fi
  install_mesa
}

fetch_swiftshader() {
  local folder=$build/swiftshader scratch
  [ -e "$folder/icd.json" ] && return
  say "fetching the SwiftShader driver from the package chromium-common"
  scratch=$(mktemp -d)
  (cd "$scratch" && apt-get -q download chromium-common && dpkg -x chromium-common_*.deb .) \
    || die "the package chromium-common could not be had"
  mkdir -p "$folder"
  cp "$scratch/usr/lib/chromium/libvk_swiftshader.so" "$folder/" || die "chromium-common holds no SwiftShader"
  printf '{"file_format_version": "1.0.0", "ICD": {"library_path": "%s", "api_version": "1.3.0"}}\n' \
    "$folder/libvk_swiftshader.so" >"$folder/icd.json"
  rm -rf "$scratch"
}

build_agt() {
  local cpus jobs memory
  cpus=$(nproc)
  memory=$(awk '/MemAvailable/ { print int($2 / 1048576 / 4) }' /proc/meminfo)
  jobs=$(( memory < 1 ? 1 : (memory < cpus ? memory : cpus) ))
  if [ ! -e "$build/build.ninja" ]; then
    say "configuring $build"
    cmake -S "$root" -B "$build" -G Ninja \
      -DCMAKE_C_COMPILER=clang-22 -DCMAKE_CXX_COMPILER=clang++-22 >"$build.configure.log" 2>&1 \
      || { cat "$build.configure.log"; die "cmake failed"; }
    mv "$build.configure.log" "$build/configure.log"
  fi
  say "building with $jobs jobs (a clean build takes some minutes)"
  ninja -C "$build" -j "$jobs" "$@"
}
