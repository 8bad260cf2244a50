#!/usr/bin/env bash
# Removes each feature below src/features from a copy, with the features that use it: their directories, their `mod` lines and
# their rows. The rest has to compile, so that the core names no feature. What only they use of the core is listed: it belongs to
# the feature. Not listed: the doors to git, the disk and other machines, which stay in the core, and what a feature that uses
# this one needs alone.
#
# usage: tests/delete.sh [FEATURE]…
set -euo pipefail

top=$(cd "$(dirname "$0")/.." && pwd)
copy=$(mktemp -d)
trap 'rm -rf "$copy"' EXIT
features=("$@")
if [ ${#features[@]} = 0 ]; then
    # the last row first: what is needed by its feature alone is known before the features below it
    mapfile -t features < <(grep -o '&[a-z_]*::ROW' "$top/src/features/mod.rs" | tr -d '&' | sed 's/::ROW//' | tac)
fi
failed=()
: >"$copy/said"
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
    (cd "$copy/tree" && CARGO_TARGET_DIR=${CARGO_TARGET_DIR:-$top/target} cargo check --locked --quiet --message-format short) \
        >"$copy/all" 2>&1 || { failed+=("$feature"); cat "$copy/all"; }
    sed -nE '/^src\/(features|repo|store|sys|remote)\//d; s/^([^:]*:[0-9]+):[0-9]+: warning: (.*(never|multiple).*)$/\1: \2/p' \
        "$copy/all" | { grep -vxFf "$copy/said" || true; } >"$copy/new"
    tee -a "$copy/said" <"$copy/new"
done
[ ${#failed[@]} = 0 ] || { echo "does not compile without: ${failed[*]}" >&2; exit 1; }
echo "each of ${#features[@]} features can be removed"
