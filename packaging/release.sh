#!/bin/sh
# Makes the archive of a built program and the file with its sha256, as a release carries them and `cargo binstall` looks for
# them ([package.metadata.binstall] in Cargo.toml).
# usage: release.sh PROGRAM TARGET OUTPUT      TARGET: as rustc names it, x86_64-unknown-linux-gnu say
set -eu

here=$(cd "$(dirname "$0")" && pwd)
[ $# -eq 3 ] || { sed -n 's/^# usage/usage/p' "$0" >&2; exit 2; }
program=$1 name=yatsu-hook-$2 output=$3

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
mkdir -p "$work/$name" "$output"
cp "$program" "$work/$name/yatsu-hook"
chmod 755 "$work/$name/yatsu-hook"
cp "$here/../README.md" "$here/../LICENSE-MIT" "$here/../LICENSE-APACHE" "$work/$name/"
tar -C "$work" -czf "$output/$name.tar.gz" "$name"
cd "$output"
if command -v sha256sum >/dev/null; then sha256sum "$name.tar.gz"; else shasum -a 256 "$name.tar.gz"; fi >"$name.tar.gz.sha256"
