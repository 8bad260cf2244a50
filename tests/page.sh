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
. "$(dirname "$0")/browser.sh"
browser "$1" playwright-core@1 axe-core@4
cp "$here"/page/*.mjs "$work/node"
cd "$work"
isolated node node/make.mjs "$program" "$chromium" "$work" >"$work/made" 2>&1 || { cat "$work/made"; fail "the repositories could not be made"; }
isolated node node/look.mjs "$chromium" "$work" "${YATSU_FILTER_MS:-100}" "$shots"
