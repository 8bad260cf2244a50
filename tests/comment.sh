#!/bin/sh
# The comment of `yatsu-hook report --pr`, read by other Markdown parsers and followed in a browser: fifty scenarios, some with
# hostile names, one failing with a picture. The comment must be short, its markup only this program's, each name as it was
# declared, and one click away from the picture. Then random histories with hostile texts, read by two parsers. Prints a row a
# question; exits 1 when one is not answered as it should be.
#
# usage: tests/comment.sh PROGRAM [SEED HISTORIES]
# Needs git, cmark-gfm, node, npm (micromark with its GFM extension, playwright-core) and Chromium: /usr/bin/chromium, or
# YATSU_CHROMIUM.
set -eu

case $# in 1 | 3) ;; *) sed -n '7,9s/^# \{0,1\}//p' "$0" >&2; exit 2 ;; esac
. "$(dirname "$0")/browser.sh"
command -v cmark-gfm >/dev/null || fail 'there is no cmark-gfm: apt-get install cmark-gfm'
browser "$1" playwright-core@1 micromark@4 micromark-extension-gfm@3
cp "$here"/comment/*.mjs "$work/node"
cd "$work"
isolated node node/look.mjs "$program" "$chromium" "$work"
isolated node node/random.mjs "$program" "$work" "${2:-1}" "${3:-20}"
