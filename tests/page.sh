#!/bin/sh
# The page of `yatsu-hook report --html` in a browser: what it tells, filters, fragment, keyboard, print, without its script, under
# a sandbox; hostile names, notes and evidence; axe-core in light, dark, wide and narrow; the time that a filter takes with
# 10,000 scenarios. Prints a row a question; exits 1 when one is not answered as it should be, or when the browser is not to be
# had. With --shots the pictures of the documentation are made anew. A filter may take YATSU_FILTER_MS, 100 unless said otherwise.
#
# usage: tests/page.sh PROGRAM [--shots DIR]
# Needs git, node, npm (playwright-core, axe-core) and Chromium: /usr/bin/chromium, or YATSU_CHROMIUM.
set -eu

case $# in
1) shots= ;;
3) [ "$2" = --shots ] && mkdir -p "$3" && shots=$(cd "$3" && pwd) ;;
*) sed -n '8,9s/^# \{0,1\}//p' "$0" >&2; exit 2 ;;
esac
fail() { echo "page.sh: $1" >&2; exit 1; }
here=$(cd "$(dirname "$0")" && pwd)
program=$(cd "$(dirname "$1")" && pwd)/$(basename "$1")
[ -x "$program" ] || { echo "page.sh: $program is not executable" >&2; exit 2; }
chromium=${YATSU_CHROMIUM:-/usr/bin/chromium}
[ -x "$chromium" ] || fail "there is no $chromium: apt-get install chromium, or set YATSU_CHROMIUM"

work=$(mktemp -d)
trap 'cd /; rm -rf "$work"' EXIT
trap 'exit 1' INT TERM HUP
mkdir "$work/home" "$work/node"
(cd "$work/node" && npm install --silent --no-audit --no-fund playwright-core@1 axe-core@4 >"$work/npm" 2>&1) ||
    fail "playwright-core and axe-core could not be had from npm: $(tail -1 "$work/npm")"
cp "$here"/page/*.mjs "$work/node"

# Nothing of this machine's git configuration, home or environment takes part.
isolated() {
    env -i PATH="$PATH" HOME="$work/home" LC_ALL=C.UTF-8 TZ=UTC GIT_CONFIG_GLOBAL=/dev/null GIT_CONFIG_NOSYSTEM=1 \
        GIT_AUTHOR_NAME=A GIT_AUTHOR_EMAIL=a@example.invalid GIT_COMMITTER_NAME=A GIT_COMMITTER_EMAIL=a@example.invalid \
        "$@"
}

cd "$work"
isolated node node/make.mjs "$program" "$chromium" "$work" >"$work/made" 2>&1 || { cat "$work/made"; fail "the repositories could not be made"; }
isolated node node/look.mjs "$chromium" "$work" "${YATSU_FILTER_MS:-100}" "$shots"
