#!/usr/bin/env bash
# Installing from a clone with pip, as pre-commit's `language: python` does, leaves the clone as it was.
# usage: tests/clean-tree.sh        needs git, python3 with venv, and a registry for setuptools
set -euo pipefail

root=$(cd "$(dirname "$0")/.." && pwd)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
trap 'exit 1' INT TERM HUP

git clone -q "$root" "$work/clone"
# what is judged is what would be committed
(cd "$root" && git ls-files -z -- setup.py .gitignore Cargo.toml | xargs -0 tar -c) | tar -x -C "$work/clone"
cd "$work/clone"
before=$(git status --porcelain --ignored)
mkdir "$work/tmp"
export TMPDIR="$work/tmp"
python3 -m venv "$work/venv"
"$work/venv/bin/pip" install -q setuptools wheel
# the placeholder alone: the wheel that it asks for need not be published
for how in '' --no-build-isolation; do
    "$work/venv/bin/pip" install -q --no-deps --force-reinstall $how .
    after=$(git status --porcelain --ignored)
    [ "$before" = "$after" ] || { printf 'FAILED: pip install %s left in the clone:\n%s\n' "$how" "$after" >&2; exit 1; }
done
[ -z "$(ls -A "$work/tmp")" ] || { printf 'FAILED: left behind:\n%s\n' "$(ls -A "$work/tmp")" >&2; exit 1; }
echo 'pip install leaves the clone as it was'
