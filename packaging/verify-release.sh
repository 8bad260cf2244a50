#!/bin/sh
# Builds the commit of a released archive again and compares every file of it. What the program depends on beside the commit, the
# compilers and the C library, stands in BUILD.txt of the archive; where it differs from this machine, that is said.
# usage: verify-release.sh ARCHIVE      run in a clone that has the commit; needs what packaging/tools.sh installs
# Exits 0 if the files are the same, 1 if not, 3 if this machine cannot tell.
set -eu
unset CDPATH

root=$(cd "$(dirname "$0")/.." && pwd)
[ $# -eq 1 ] || { sed -n 's/^# usage/usage/p' "$0" >&2; exit 2; }
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
trap 'exit 3' INT TERM HUP
unpack() { case $1 in *.zip) python3 -m zipfile -e "$1" "$2" ;; *) mkdir -p "$2" && tar -xzf "$1" -C "$2" ;; esac; }
unpack "$1" "$work/released"
for notes in "$work"/released/yatsu-hook-*/BUILD.txt; do break; done
[ -f "$notes" ] || { echo "$1 is no archive of a release: it has no BUILD.txt" >&2; exit 2; }
note() { sed -n "s/^$1: //p" "$notes"; }
commit=$(note commit) target=$(note target) profile=$(note profile)
case $commit in *[!0-9a-f]* | '') echo 'BUILD.txt names no commit' >&2; exit 2 ;; esac
git -C "$root" cat-file -e "$commit^{commit}" 2>/dev/null || { echo "the commit $commit is not in this clone: git fetch origin" >&2; exit 3; }
if [ "$(cd "$root" && rustc --version)" != "$(note rustc)" ]; then
    RUSTUP_TOOLCHAIN=$(note rustc | cut -d ' ' -f 2)
    export RUSTUP_TOOLCHAIN
    rustc --version >/dev/null 2>&1 || { echo "rustc $RUSTUP_TOOLCHAIN is not installed: rustup toolchain install $RUSTUP_TOOLCHAIN" >&2; exit 3; }
fi

git clone -q --no-local "$root" "$work/sources"
cd "$work/sources"
git checkout -q --detach "$commit"
unset CARGO_TARGET_DIR
{ program=$(packaging/build.sh "$target" "$profile") && packaging/archive.py "$program" "$work/out" >/dev/null; } ||
    { echo "this machine cannot build the commit $commit: see above" >&2; exit 3; }
for again in "$work"/out/yatsu-hook-*; do unpack "$again" "$work/built"; done
if diff -r "$work/released" "$work/built" >"$work/differences"; then
    echo "every file of $(basename "$1") follows from the commit $commit"
    exit 0
fi
cat "$work/differences"
if ! diff "$notes" "$work/built/yatsu-hook-$target/BUILD.txt" >/dev/null; then
    echo 'BUILD.txt says that other compilers or another C library were used: try again with those' >&2
    exit 3
fi
echo "$(basename "$1") does not follow from the commit $commit" >&2
exit 1
