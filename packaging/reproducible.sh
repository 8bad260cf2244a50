#!/bin/sh
# Shows that the bytes of a release follow from its commit: makes the archive of HEAD in one directory, with crates of its own, and
# has verify-release.sh make it again in another. Also looks for a path of this machine in the program.
# usage: reproducible.sh [PROFILE]      PROFILE: dist without it; needs what packaging/tools.sh installs
set -eu
unset CDPATH CARGO_TARGET_DIR

root=$(cd "$(dirname "$0")/.." && pwd)
[ $# -le 1 ] || { sed -n 's/^# usage/usage/p' "$0" >&2; exit 2; }
profile=${1:-dist}
target=$(rustc -vV | sed -n 's/^host: //p')
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
trap 'exit 1' INT TERM HUP
sources="$work/the directory of another builder" crates="$work/crates of another builder" cargo_home=${CARGO_HOME:-$HOME/.cargo}

git clone -q --no-local "$root" "$sources"
git -C "$sources" checkout -q --detach "$(git -C "$root" rev-parse HEAD)"
mkdir -p "$crates/registry"
for part in config.toml registry/index registry/cache; do
    [ ! -e "$cargo_home/$part" ] || cp -r "$cargo_home/$part" "$crates/$part"
done
program=$(cd "$sources" && CARGO_HOME=$crates packaging/build.sh "$target" "$profile")
(cd "$sources" && CARGO_HOME=$crates packaging/archive.py "$program" "$work/out")
for path in "$work" "$cargo_home" "$(rustc --print sysroot)"; do
    if grep -aFq "$path" "$program"; then echo "the program names $path"; exit 1; fi
done
for archive in "$work"/out/yatsu-hook-*; do "$root/packaging/verify-release.sh" "$archive"; done
