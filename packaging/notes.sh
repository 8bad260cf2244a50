#!/bin/sh
# Prints what the changelog says of a version: the text of its release.
# usage: notes.sh VERSION      0.2.0 or v0.2.0
set -eu

here=$(cd "$(dirname "$0")" && pwd)
[ $# -eq 1 ] || { sed -n 's/^# usage/usage/p' "$0" >&2; exit 2; }
version=${1#v}
notes=$(awk -v head="## $version" '
    /^## / { on = ($0 == head || index($0, head " ") == 1 || index($0, "## [" substr(head, 4) "]") == 1); next }
    on' "$here/../CHANGELOG.md")
[ -n "$notes" ] || { printf 'CHANGELOG.md has no section "## %s"\n' "$version" >&2; exit 1; }
printf '%s\n' "$notes" | sed '/./,$!d'
