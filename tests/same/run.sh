#!/usr/bin/env bash
# Compares two programs over recorded command lines, byte for byte. Of tests/same/texts it compares output and exit code. Of
# tests/same/lines it also compares what is left in the repository; every line starts from the same repository at the same
# path. A line that begins with `!` files something, so that times and the hashes that follow from them differ: they are masked.
#
# usage: tests/same/run.sh OLD NEW
set -euo pipefail

here=$(cd "$(dirname "$0")" && pwd)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cp "$1" "$work/old"
cp "$2" "$work/new"

export HOME=$work/home GIT_CONFIG_GLOBAL=/dev/null GIT_CONFIG_NOSYSTEM=1 LC_ALL=C.UTF-8 TZ=UTC TERM=dumb COLUMNS=100
export GIT_AUTHOR_NAME=Ann GIT_AUTHOR_EMAIL=ann@example.org GIT_COMMITTER_NAME=Ann GIT_COMMITTER_EMAIL=ann@example.org
export GIT_AUTHOR_DATE='2026-01-01T00:00:00Z' GIT_COMMITTER_DATE='2026-01-01T00:00:00Z' PATH=$work/bin:$PATH
mkdir "$work/home" "$work/bin"

# Both programs run at one path, because some texts name it.
use() { ln -f "$work/$1" "$work/bin/yatsu-hook"; }

use old
mkdir "$work/repo"
(cd "$work/repo" && bash -euo pipefail "$here/repository") >/dev/null
mv "$work/repo" "$work/base"

# What a line prints, and its exit code.
printed() {
    (cd "$1" && timeout 60 bash -c "$2" >"$work/out" 2>"$work/err" </dev/null; echo "exit $?" >"$work/code") || true
    cat "$work/out"
    echo "== stderr"
    cat "$work/err" "$work/code"
}

# The same, and the files, refs and index afterwards; the git directory's own bookkeeping left out.
ran() {
    rm -rf "$work/repo"
    cp -a "$work/base" "$work/repo"
    {
        printed "$work/repo" "$2"
        cd "$work/repo"
        git for-each-ref
        git ls-files --stage
        find . -path ./.git -prune -o -type f -print0 | sort -z | xargs -0 sha256sum
        git status --porcelain --ignored
        find . -path ./.git -prune -o \( -name '*.ndjson' -o -name '*.jsonl' -o -name '*.md' \) -type f -print0 | sort -z | xargs -0 cat
    } >"$1" 2>&1
}

masked() {
    sed -E -e 's/20[0-9]{2}-[0-9]{2}-[0-9]{2}T[0-9:]{8}(\.[0-9]+)?Z/TIME/g' -e 's/\b[0-9a-f]{32,64}\b/HASH/g' \
        -e 's/\b[0-9a-f]{7,12}\b/SHORT/g' "$1"
}

differ=0 lines=0
compared() {
    lines=$((lines + 1))
    diff "$work/one" "$work/other" >"$work/diff" && return
    differ=$((differ + 1))
    printf '== %s\n' "$1"
    head -20 "$work/diff"
}

while IFS= read -r line; do
    case $line in '' | '#'*) continue ;; esac
    use old && printed "$work/home" "$line" >"$work/one"
    use new && printed "$work/home" "$line" >"$work/other"
    compared "$line"
done <"$here/texts"

while IFS= read -r line; do
    case $line in '' | '#'*) continue ;; esac
    use old && ran "$work/one" "${line#!}"
    use new && ran "$work/other" "${line#!}"
    if [ "${line#!}" != "$line" ]; then
        for side in one other; do masked "$work/$side" >"$work/$side.masked" && mv "$work/$side.masked" "$work/$side"; done
    fi
    compared "$line"
done <"$here/lines"
[ "$differ" = 0 ] || { echo "$differ of $lines command lines differ" >&2; exit 1; }
echo "all $lines command lines are the same"
