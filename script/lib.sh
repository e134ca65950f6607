# Sourced by the other scripts: finds the toolchain, and installs what is missing.

set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

say() {
  if [ -t 1 ] && [ -z "${NO_COLOR:-}" ]; then printf '\033[1m%s\033[0m\n' "$*"; else printf '%s\n' "$*"; fi
}

fail() {
  echo "error: $*" >&2
  exit 1
}

# A Swift toolchain is the one thing that is not installed here.
need_swift() {
  if ! command -v swift >/dev/null; then
    fail "there is no Swift toolchain: install Swift 6.2 or newer from https://www.swift.org/install and run this again"
  fi
  local version
  version=$(swift --version 2>/dev/null | sed -n 's/.*Swift version \([0-9]*\.[0-9]*\).*/\1/p' | head -n 1)
  local major=${version%%.*} minor=${version##*.}
  if [ -z "$version" ] || [ "$major" -lt 6 ] || { [ "$major" -eq 6 ] && [ "$minor" -lt 2 ]; }; then
    fail "Swift ${version:-of an unknown version} is too old: install 6.2 or newer from https://www.swift.org/install"
  fi
}

as_root() {
  if [ "$(id -u)" -eq 0 ]; then "$@"; else sudo "$@"; fi
}

# need_packages DEBIAN-NAME[=BREW-NAME]…: installs those that are missing; BREW-NAME "-" is none.
need_packages() {
  local missing=() package debian brew
  for package in "$@"; do
    debian=${package%%=*}
    brew=${package#*=}
    if [ "$(uname)" = Darwin ]; then
      if [ "$brew" != - ] && ! brew list "$brew" >/dev/null 2>&1; then missing+=("$brew"); fi
    elif ! dpkg-query -W -f '${Status}' "$debian" 2>/dev/null | grep -q 'ok installed'; then
      missing+=("$debian")
    fi
  done
  if [ ${#missing[@]} -eq 0 ]; then return; fi
  say "Installing ${missing[*]}"
  if [ "$(uname)" = Darwin ]; then
    command -v brew >/dev/null || fail "Homebrew is missing: https://brew.sh"
    brew install "${missing[@]}"
  elif command -v apt-get >/dev/null; then
    if [ "$(id -u)" -ne 0 ] && ! command -v sudo >/dev/null; then
      fail "that needs root, and there is no sudo; run this as root, and then the script again:
  apt-get update && apt-get install -y ${missing[*]}"
    fi
    as_root env DEBIAN_FRONTEND=noninteractive apt-get update -qq
    as_root env DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends "${missing[@]}" >/dev/null
  else
    fail "install these with your package manager, and run this again: ${missing[*]}"
  fi
}

need_libraries() {
  need_packages liblmdb-dev=lmdb libsodium-dev=libsodium libgnutls28-dev=gnutls libzstd-dev=zstd \
    libqrencode-dev=qrencode pkg-config=pkg-config
}

# run_tests FILTER [OPTION OF SWIFT BUILD]…: builds and runs the tests, a few for each core at a time. All at once, as is
# the rule, each of a thousand would wait for all others between any two of its steps.
run_tests() {
  local filter=$1
  shift
  swift build --build-tests -Xswiftc -warnings-as-errors "$@"
  if [ "$(uname)" = Linux ]; then
    "$(swift build --show-bin-path "$@")/OfflineTreePackageTests.xctest" --testing-library swift-testing \
      --filter "$filter" --experimental-maximum-parallelization-width $((4 * $(nproc)))
  else
    swift test --skip-build --filter "$filter" "$@"
  fi
}
