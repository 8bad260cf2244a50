#!/usr/bin/env bash
# Removes each feature below src/features from a copy, with the features that use it: their directories, their `mod` lines and
# their rows. The rest has to compile, so that the core names no feature. Warnings are shown: code of the core that one feature
# alone uses belongs to that feature.
#
# usage: tests/delete.sh [FEATURE]…
set -euo pipefail

top=$(cd "$(dirname "$0")/.." && pwd)
copy=$(mktemp -d)
trap 'rm -rf "$copy"' EXIT
features=("$@")
if [ ${#features[@]} = 0 ]; then
    for row in "$top"/src/features/*/; do features+=("$(basename "$row")"); done
fi
failed=()
for feature in "${features[@]}"; do
    rm -rf "$copy/tree"
    mkdir "$copy/tree"
    git -C "$top" ls-files -z | (cd "$top" && xargs -0 cp --parents -t "$copy/tree")
    gone=() next=("$feature")
    while [ ${#next[@]} != 0 ]; do
        gone+=("${next[@]}")
        for one in "${next[@]}"; do rm -r "$copy/tree/src/features/$one"; done
        mapfile -t next < <(cd "$copy/tree/src/features" && for one in "${next[@]}"; do
            grep -rl "crate::features::$one::" -- */ || true
        done | cut -d/ -f1 | sort -u)
    done
    table=$copy/tree/src/features/mod.rs
    for one in "${gone[@]}"; do
        sed -i "/mod $one;/d; s/&$one::ROW,\\? \\?//" "$table"
        ! grep -q "$one::" "$table" || { echo "$one stands in the table more than once" >&2; exit 1; }
    done
    echo "== without ${gone[*]}"
    (cd "$copy/tree" && CARGO_TARGET_DIR=${CARGO_TARGET_DIR:-$top/target} cargo check --locked --quiet) || failed+=("$feature")
done
[ ${#failed[@]} = 0 ] || { echo "does not compile without: ${failed[*]}" >&2; exit 1; }
echo "each of ${#features[@]} features can be removed"
