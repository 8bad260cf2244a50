#!/bin/sh
# What the everyday commits of a real repository print: the last COMMITS steps of its HEAD, each checked against the step before.
# (A hook says the same, but lists twenty warnings at most.) Counts the warnings by rule; fails where those beside drift, missing
# and failing readings are 0.3 a commit or more. Usage: tests/replay.sh BINARY REPO [COMMITS]
set -eu
binary=$(realpath "$1") repo=$2 commits=${3:-200}
said=$(mktemp)
trap 'rm -f "$said"' EXIT
steps=0
for commit in $(git -C "$repo" rev-list --first-parent --min-parents=1 --max-count="$commits" HEAD); do
    old=$(git -C "$repo" rev-parse "$commit^")
    "$binary" -C "$repo" check --from "$old" --to "$commit" --inherited hide >>"$said" 2>/dev/null || test $? -eq 1
    steps=$((steps + 1))
done
# what a commit ended is no complaint
warnings() { grep -v '(fixed)$' "$said" | grep -o 'warning\[[a-z-]*\]' || true; }
warnings | sort | uniq -c | sort -rn
beside=$(warnings | grep -cvE 'yatsu-(drift|missing|failing)' || true)
echo "$steps commits, $beside warnings beside drift, missing and failing"
test "$steps" -gt 0 && test $((10 * beside)) -lt $((3 * steps))
