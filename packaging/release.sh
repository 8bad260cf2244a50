#!/bin/sh
# Makes the archive of a built program and the file with its sha256, as a release carries them and `cargo binstall` looks for
# them ([package.metadata.binstall] in Cargo.toml).
# A program for Windows goes into a zip.
# usage: release.sh PROGRAM TARGET OUTPUT      TARGET: as rustc names it, x86_64-unknown-linux-gnu say
set -eu

here=$(cd "$(dirname "$0")" && pwd)
[ $# -eq 3 ] || { sed -n 's/^# usage/usage/p' "$0" >&2; exit 2; }
program=$1 name=yatsu-hook-$2 output=$3 end=
case $2 in *-windows-*) end=.exe ;; esac

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
mkdir -p "$work/$name" "$output"
cp "$program" "$work/$name/yatsu-hook$end"
chmod 755 "$work/$name/yatsu-hook$end"
cp "$here/../README.md" "$here/../LICENSE-MIT" "$here/../LICENSE-APACHE" "$work/$name/"
archive=$name.tar.gz
case $end in
.exe)
    archive=$name.zip made=$PWD
    case $output in /*) made= ;; esac
    (cd "$work" && python3 -m zipfile -c "${made:+$made/}$output/$archive" "$name")
    ;;
*) tar -C "$work" -czf "$output/$archive" "$name" ;;
esac
cd "$output"
if command -v sha256sum >/dev/null; then sha256sum "$archive"; else shasum -a 256 "$archive"; fi >"$archive.sha256"
