#!/bin/sh
# Makes the crate to publish: the committed sources, with the address of this repository. `cargo binstall` fetches the archives of
# a release by it ([package.metadata.binstall] in Cargo.toml); the sources state none, because a fork has another one.
# With --publish it makes the crate again, compares it with the one in OUTPUT, and publishes it only if they are equal.
# usage: crate.sh [--publish] REPOSITORY OUTPUT      REPOSITORY: an address such as https://github.com/OWNER/yatsu-hook
set -eu

here=$(cd "$(dirname "$0")" && pwd)
publish=''
[ "${1-}" != --publish ] || { publish=yes; shift; }
[ $# -eq 2 ] || { sed -n 's/^# usage/usage/p' "$0" >&2; exit 2; }
"$here/address.sh" "$1"
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
mkdir -p "$2" "$work/sources"
output=$(cd "$2" && pwd)
git -C "$here/.." archive HEAD | tar -x -C "$work/sources"
cd "$work/sources"
awk -v line="repository = \"${1%/}\"" '{ print } /^\[package\]$/ && !done { print line; done = 1 }' Cargo.toml >with
mv with Cargo.toml
cargo package --quiet --no-verify --target-dir "$work/target"
if [ -z "$publish" ]; then
    cp "$work"/target/package/*.crate "$output/"
    exit
fi
for crate in "$work"/target/package/*.crate; do
    cmp "$crate" "$output/${crate##*/}" || { printf '%s is not what these sources give\n' "${crate##*/}" >&2; exit 1; }
done
cargo publish --no-verify --target-dir "$work/target"
