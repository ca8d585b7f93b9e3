#!/usr/bin/env bash
# Every check, on a machine with nothing but Python 3.11 or newer and git:  bash tests/run.sh
# One stage; what follows goes to its tool:  bash tests/run.sh lint|types|unit|pages|browser|bench [-k name ...]
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
exec </dev/null
venv=.venv
python=$venv/bin/python
child=
why_no_prometheus="No working prometheus was found."

die() { printf '\n%s\n' "$*" >&2; exit 1; }
heading() { printf '\n── %s ──\n' "$*"; }
quietly() { "$@" >/dev/null 2>&1; }

# In the background, so that a signal to this script reaches the tool and nothing is left running.
run() {
  local code=0
  "$@" &
  child=$!
  wait "$child" || code=$?
  child=
  return $code
}
stop() { [ -z "$child" ] || { quietly kill "$child"; quietly wait "$child"; } || true; exit 130; }
trap stop INT TERM HUP

recent() { quietly "$1" -c 'import sys; sys.exit(sys.version_info < (3, 11))'; }

find_python() {
  local name
  for name in python3.13 python3.12 python3.11 python3 python; do
    if recent "$name"; then printf '%s\n' "$name"; return; fi
  done
  die "Python 3.11 or newer is needed; python3 here is: $(python3 --version 2>&1 || true)"
}

environment() {
  local base wanted stamp=$venv/requirements.stamp
  if ! { [ -x "$python" ] && recent "$python"; }; then
    base=$(find_python)
    heading "virtual environment in $venv ($("$base" --version))"
    run "$base" -m venv --clear "$venv" ||
      die "$base cannot make a virtual environment: install its venv module (Debian and Ubuntu: apt-get install python3-venv)."
  fi
  wanted=$(cat requirements.txt tests/requirements.txt | cksum)
  [ "$(cat "$stamp" 2>/dev/null)" = "$wanted" ] && return
  heading "packages"
  run "$python" -m pip install --quiet --disable-pip-version-check --no-input \
    -r requirements.txt -r tests/requirements.txt || die "The packages could not be installed; see pip's message above."
  printf '%s\n' "$wanted" >"$stamp"
}

playwright_chromium() {
  "$python" -c 'from playwright.sync_api import sync_playwright as start
with start() as playwright: print(playwright.chromium.executable_path)' 2>/dev/null
}

working() { local file; file=$(type -P "$1") && quietly "$file" --version && printf '%s\n' "$file"; }

find_chromium() {
  local name
  for name in "${SPECMODEL_CHROMIUM:-}" chromium chromium-browser google-chrome google-chrome-stable; do
    working "$name" && return
  done
  working "$(playwright_chromium)"
}

need_chromium() {
  local found
  found=$(find_chromium) || install_chromium
  found=${found:-$(find_chromium)} || die "No working Chromium: install one and name it in SPECMODEL_CHROMIUM."
  export SPECMODEL_CHROMIUM=$found
}

install_chromium() {
  heading "Chromium"
  if [ "$(id -u)" = 0 ] && quietly command -v apt-get; then
    export DEBIAN_FRONTEND=noninteractive
    run apt-get -qq update && run apt-get -qq install -y chromium fonts-noto-cjk || true
    quietly find_chromium && return
  fi
  run "$python" -m playwright install --with-deps chromium || run "$python" -m playwright install chromium || true
}

find_prometheus() {
  local name
  for name in "${SPECMODEL_PROMETHEUS:-}" prometheus "$PWD/$venv/prometheus/usr/bin/prometheus"; do
    working "$name" && return
  done
  return 1
}

# Without it the live tests are skipped: not every machine has a Debian package of it.
need_prometheus() {
  local found
  found=$(find_prometheus) || install_prometheus || true
  if found=${found:-$(find_prometheus)}; then
    export SPECMODEL_PROMETHEUS=$found
  else
    heading "NO PROMETHEUS: the tests in tests/logs/prometheus that need one are SKIPPED"
    printf '%s\n' "$why_no_prometheus" \
      "Install it (Debian and Ubuntu: apt-get install prometheus), or name a binary in SPECMODEL_PROMETHEUS." >&2
  fi
}

# Only unpacked, not installed: the package would start a service that everyone in the network can reach.
install_prometheus() {
  heading "Prometheus"
  why_no_prometheus="There is no prometheus on the path, and no apt-get as root to fetch it with."
  { [ "$(id -u)" = 0 ] && quietly command -v apt-get && quietly command -v dpkg-deb; } || return 0
  why_no_prometheus="apt-get could not fetch the package prometheus; see its message above."
  local folder=$venv/prometheus
  mkdir -p "$folder"
  run apt-get -qq update || true
  run bash -c 'cd "$1" && apt-get -qq -o APT::Sandbox::User=root download prometheus && dpkg-deb -x prometheus_*.deb . && rm prometheus_*.deb' \
    bash "$folder" || return 0
  why_no_prometheus="The prometheus of the Debian package does not run on this machine."
}

tests() { run "$python" -m pytest -c tests/pytest.ini --rootdir . "$@"; }

stage() {
  local name=$1
  shift
  case $name in
    lint)
      heading "ruff check"
      run "$python" -m ruff check "$@" . || die "FAILED: ruff check (many are mended by: $python -m ruff check --fix .)"
      heading "ruff format"
      run "$python" -m ruff format --check --diff . || die "FAILED: ruff format (mended by: $python -m ruff format .)"
      ;;
    types)
      heading "mypy"
      run "$python" -m mypy --config-file .mypy.ini "$@" || die "FAILED: mypy"
      ;;
    unit)
      need_prometheus
      heading "doctests and unit tests"
      tests -p no:benchmark -n 2 specmodel tests --ignore=tests/dashboard --ignore=tests/browser --ignore=tests/benchmarks "$@" ||
        die "FAILED: doctests and unit tests"
      ;;
    pages)
      heading "page tests"
      tests -p no:benchmark -n 2 tests/dashboard "$@" || die "FAILED: page tests"
      ;;
    browser)
      need_chromium
      need_prometheus
      heading "browser tests ($SPECMODEL_CHROMIUM)"
      tests -p no:benchmark -n 2 --screenshot=only-on-failure tests/browser "$@" ||
        die "FAILED: browser tests (screenshots: .pytest_cache/browser)"
      ;;
    bench)
      need_chromium
      heading "benchmarks"
      tests -s tests/benchmarks "$@" || die "FAILED: benchmarks"
      ;;
    *) die "unknown stage $name; there are: lint types unit pages browser bench" ;;
  esac
}

SECONDS=0
environment
if [ $# -gt 0 ]; then
  stage "$@"
else
  for name in lint types unit pages browser; do stage "$name"; done
fi
printf '\nAll passed in %d min %d s.\n' $((SECONDS / 60)) $((SECONDS % 60))
