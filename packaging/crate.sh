#!/bin/sh
# Makes the crate to publish: the committed sources, with the address of this repository. `cargo binstall` fetches the archives of
# a release by it ([package.metadata.binstall] in Cargo.toml); the sources state none, because a fork has another one.
# usage: crate.sh REPOSITORY OUTPUT      REPOSITORY: an address such as https://github.com/OWNER/yatsu-hook
set -eu

root=$(cd "$(dirname "$0")/.." && pwd)
[ $# -eq 2 ] || { sed -n 's/^# usage/usage/p' "$0" >&2; exit 2; }
case $1 in https://*/*) ;; *) printf 'no address of a repository: %s\n' "$1" >&2; exit 2 ;; esac
case $1 in *[!A-Za-z0-9:/._~-]*) printf 'no address of a repository: %s\n' "$1" >&2; exit 2 ;; esac

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
mkdir -p "$2" "$work/sources"
git -C "$root" archive HEAD | tar -x -C "$work/sources"
cd "$work/sources"
awk -v line="repository = \"${1%/}\"" '{ print } /^\[package\]$/ && !done { print line; done = 1 }' Cargo.toml >with
mv with Cargo.toml
cargo package --quiet --no-verify --target-dir "$work/target"
cd - >/dev/null
cp "$work"/target/package/*.crate "$2/"
