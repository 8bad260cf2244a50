#!/usr/bin/env bash
# On Windows itself, by the sh of Git for Windows: a commit and a push through the hooks, many writers, a foreign lock.
# usage: .ci/windows.sh PROGRAM
set -euo pipefail
program=$(cd "$(dirname "$1")" && pwd)/$(basename "$1")
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
cd "$scratch"
git init -q --bare server.git && git init -q -b main r && cd r
git config user.name n && git config user.email n@example.invalid
git remote add origin ../server.git
"$program" -C ../server.git install --hooks pre-receive
"$program" install
mkdir -p .spec/demo src && echo 'fn a() {}' >src/a.rs
printf -- '---\ntitle: demo\nstatus: active\ncode:\n  - src/a.rs\n---\n' >.spec/demo/spec.md
printf -- '---\nscenarios:\n  - name: half\n---\n' >.spec/demo/yatsu.md
git add -A
if git commit -qm bad; then echo 'a bad commit passed' >&2; exit 1; fi
printf -- '---\nscenarios:\n  - name: a\n    description: Run it.\n    expected: It says so.\n    tags: [cli]\n    code: [src/a.rs]\n---\n' >.spec/demo/yatsu.md
git add -A && git commit -qm good && git push -q origin main

for one in 1 2 3 4; do
    (for number in $(seq 25); do "$program" eval demo/a --pass --note "w$one-$number-" >/dev/null 2>&1 || echo "refused: w$one-$number-"; done) &
done
wait
ledger=.spec/demo/yatsu.evals.ndjson
[ "$(grep -o 'w[1-4]-[0-9]*-' $ledger | sort -u | wc -l)" = 100 ] && [ "$(wc -l <$ledger)" = 100 ]

# another program locks the whole lock file: nothing is filed, and the next command works
powershell -NoProfile -Command "\$f = [IO.File]::Open('.git/yatsu/ledger.lock', 'Open', 'ReadWrite', 'ReadWrite'); \$f.Lock(0, [long]::MaxValue); New-Item held | Out-Null; Start-Sleep 25" &
while [ ! -e held ]; do sleep 0.2; done
code=0
"$program" eval demo/a --fail 2>said || code=$?
[ "$code" = 3 ] && grep -q 'is held by' said
wait
"$program" eval demo/a --pass --note after
[ "$(wc -l <$ledger)" = 101 ]
rm held said
git add -A && git commit -qm readings && git push -q origin main
echo 'windows: commits, pushes, 100 readings of four writers and a foreign lock are as they must be'
