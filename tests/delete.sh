#!/usr/bin/env bash
# Removes each feature below src/features from a copy: its directory, its `mod` line and its row. The rest has to compile, so
# that the core names no feature. Warnings are shown: code of the core that one feature alone uses belongs to that feature.
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
    table=$copy/tree/src/features/mod.rs
    rm -r "$copy/tree/src/features/$feature"
    sed -i "/mod $feature;/d; s/&$feature::ROW\\(, \\)\\?//" "$table"
    ! grep -q "$feature::" "$table" || { echo "$feature stands in the table more than once" >&2; exit 1; }
    echo "== without $feature"
    (cd "$copy/tree" && CARGO_TARGET_DIR=${CARGO_TARGET_DIR:-$top/target} cargo check --locked --quiet) || failed+=("$feature")
done
[ ${#failed[@]} = 0 ] || { echo "does not compile without: ${failed[*]}" >&2; exit 1; }
echo "each of ${#features[@]} features can be removed"
