#!/usr/bin/env bash
# Every check, on a machine with nothing but Python 3.11 or newer and git:  bash tests/run.sh
# One stage; what follows goes to its tool, and paths replace its own:
#   bash tests/run.sh lint|types|unit|pages|browser|bench|deep [-k name | tests/some/test_file.py ...]
# deep: the laws with many more examples, and the tests that are marked so, in the browser too (half an hour); before a
# change of the arithmetic is done.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
exec </dev/null
unset PYTHONDONTWRITEBYTECODE  # else each worker and each server compiles all of it anew
venv=.venv
python=$venv/bin/python
child= others= begun=0
notes=$(mktemp -d)
export SPECMODEL_SLOWEST=$notes/slowest
# Two workers share the machine already: threads of BLAS that wait for each other only burn it.
export OPENBLAS_NUM_THREADS=1 OMP_NUM_THREADS=1
why_no_prometheus="No working prometheus was found."

die() { printf '\n%s\n' "$*" >&2; exit 1; }
heading() { printf '\n── %s ──\n' "$*"; }
quietly() { "$@" >/dev/null 2>&1; }

# In the background, so that a signal to this script is heard at once.
run() {
  local code=0
  "$@" &
  child=$!
  wait "$child" || code=$?
  child=
  return $code
}

# guarded STAGE COMMAND...: nothing of it outlives this script, and its seconds are noted for the stage.
guarded() {
  local name=$1
  shift
  run "$python" -IS tests/guard.py --seconds "$notes/seconds" "$name" "$@"
}

# The same beside what follows; `collect` waits for them all and shows what they print.
beside() {
  local name=$1 told=$2
  shift 2
  "$python" -IS tests/guard.py --seconds "$notes/seconds" "$name" "$@" >"$notes/$begun.output" 2>&1 &
  others="$others $!"
  printf '%s\n' "$told" >"$notes/$begun.told"
  begun=$((begun + 1))
}
collect() {
  local number=0 other told failed=
  for other in $others; do
    told=$(cat "$notes/$number.told")
    heading "${told%%: *}"
    wait "$other" || failed="$failed$told"$'\n'
    cat "$notes/$number.output"
    number=$((number + 1))
  done
  others= begun=0
  [ -z "$failed" ] || die "FAILED: $failed"
}

stop() { exit 130; }
leave() {
  local code=$? pids="$child $others"
  trap '' INT TERM HUP
  [ "$pids" = " " ] || quietly kill $pids || true
  wait
  [ ! -s "$notes/seconds" ] || summary
  rm -rf "$notes"
  if [ $code = 0 ]; then
    printf '\nAll passed in %d min %d s.\n' $((SECONDS / 60)) $((SECONDS % 60))
  else
    printf '\nNOT PASSED: what failed stands above.\n' >&2
  fi
  exit $code
}
trap stop INT TERM HUP
trap leave EXIT

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
  for name in "${SPECMODEL_CHROMIUM:-}" chromium-headless-shell chromium chromium-browser google-chrome google-chrome-stable; do
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
    run apt-get -qq update && run apt-get -qq install -y chromium-headless-shell fonts-noto-cjk ||
      run apt-get -qq install -y chromium fonts-noto-cjk || true
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

# tests STAGE PATHS ARGUMENTS...: a path among the arguments stands for all the paths.
tests() {
  local name=$1 paths=$2 given
  shift 2
  for given; do
    if [[ $given == */* && -e ${given%%::*} ]]; then paths=; fi
  done
  # shellcheck disable=SC2086
  guarded "$name" "$python" -m pytest -c tests/pytest.ini --rootdir . $paths "$@"
}
without() { printf 'specmodel tests'; printf -- ' --ignore=tests/%s' "$@"; }

stage() {
  local name=$1
  shift
  case $name in
    lint)
      beside lint "ruff check: many are mended by $python -m ruff check --fix ." "$python" -m ruff check "$@" .
      beside lint "ruff format: mended by $python -m ruff format ." "$python" -m ruff format --check --diff .
      ;;
    types)
      beside types "mypy: its errors stand above" "$python" -m mypy --config-file .mypy.ini "$@"
      ;;
    unit)
      need_prometheus
      heading "doctests and unit tests"
      tests unit "$(without dashboard browser benchmarks)" -p no:benchmark -n 2 "$@" ||
        die "FAILED: doctests and unit tests"
      ;;
    pages)
      heading "page tests"
      tests pages tests/dashboard -p no:benchmark -n 2 "$@" || die "FAILED: page tests"
      ;;
    unit+pages)
      need_prometheus
      heading "doctests, unit tests and page tests"
      tests unit+pages "$(without browser benchmarks)" -p no:benchmark -n 2 "$@" ||
        die "FAILED: doctests, unit tests and page tests"
      ;;
    browser)
      need_chromium
      need_prometheus
      heading "browser tests ($SPECMODEL_CHROMIUM)"
      tests browser tests/browser -p no:benchmark -n 2 --screenshot=only-on-failure "$@" ||
        die "FAILED: browser tests (screenshots: .pytest_cache/browser)"
      ;;
    deep)
      need_prometheus
      heading "laws with many more examples, and the tests marked deep"
      SPECMODEL_EXAMPLES=${SPECMODEL_EXAMPLES:-3} tests deep "$(without browser benchmarks)" -p no:benchmark -n 2 \
        -m "deep or sized or hypothesis" "$@" || die "FAILED: deep tests"
      [ $# -gt 0 ] || stage browser -m deep
      ;;
    bench)
      need_chromium
      heading "benchmarks"
      tests bench tests/benchmarks -s "$@" || die "FAILED: benchmarks"
      ;;
    *) die "unknown stage $name; there are: lint types unit pages browser bench deep" ;;
  esac
}

# What the run took: the slowest tests of all its sessions, and each stage's seconds with the servers and browsers of it.
summary() {
  if [ -s "$notes/slowest" ]; then
    heading "the ten slowest tests"
    sort -rn "$notes/slowest" | sed -n 1,10p
  fi
  heading "CPU seconds"
  awk '{ user[$1] += $2; kernel[$1] += $3; clock[$1] += $4; if (!($1 in at)) { at[$1] = ++count; name[count] = $1 } }
    function line(of, u, k, c) { printf "%-12s %4.0f = %4.0f user + %3.0f system, in %4.0f s\n", of, u + k, u, k, c }
    END { for (i = 1; i <= count; i++) { n = name[i]; line(n, user[n], kernel[n], clock[n]); u += user[n]; k += kernel[n] }
      line("all", u, k, seconds) }' seconds="$SECONDS" "$notes/seconds"
}

SECONDS=0
environment
if [ $# -gt 0 ]; then
  stage "$@"
  collect
else
  stage lint
  stage types
  stage unit+pages
  collect
  stage browser
fi
