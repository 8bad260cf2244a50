#!/bin/sh
# Clones this repository, wires its hook with BINARY, and tries to commit something malformed: it must be blocked there.
# usage: tests/own-gate.sh BINARY
set -eu
binary=$1
top=$(cd "$(dirname "$0")/.." && pwd)
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
git clone -q "$top" "$scratch/clone"
cd "$scratch/clone"
git config user.name A && git config user.email a@example.invalid
"$binary" install --hooks pre-commit
head=$(git rev-parse HEAD)

printf -- '---\nscenarios:\n  - name: half\n---\n' >.spec/yatsu-hook/gate/yatsu.md
if git commit -qam 'malformed' 2>"$scratch/said"; then
    echo 'own-gate: a malformed scenario file was committed' >&2
    exit 1
fi
grep -q 'error\[yatsu-schema\]' "$scratch/said"
[ "$(git rev-parse HEAD)" = "$head" ]

git checkout -q -- . && echo >>CHANGELOG.md
git commit -qam 'an ordinary commit'
echo 'own-gate: the bad commit was blocked, the good one passed'
