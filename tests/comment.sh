#!/bin/sh
# The comment of `yatsu-hook report --pr`, read by another Markdown parser and followed in a browser: fifty scenarios, some with
# hostile names, one failing with a picture. The comment must be short, its markup only this program's, each name as it was
# declared, and one click away from the picture. Prints a row a question; exits 1 when one is not answered as it should be.
#
# usage: tests/comment.sh PROGRAM
# Needs git, node, npm (micromark with its GFM extension, playwright-core) and Chromium: /usr/bin/chromium, or YATSU_CHROMIUM.
set -eu

[ $# -eq 1 ] || { sed -n '6,7s/^# \{0,1\}//p' "$0" >&2; exit 2; }
. "$(dirname "$0")/browser.sh"
browser "$1" playwright-core@1 micromark@4 micromark-extension-gfm@3
cp "$here/comment/look.mjs" "$work/node"
cd "$work"
isolated node node/look.mjs "$program" "$chromium" "$work"
