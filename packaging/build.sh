#!/bin/sh
# Builds the program that a release carries, and prints its path. The bytes depend on the commit, the compilers and the C library
# alone, so anybody can build them again: no path of the builder and no time is in them. `cargo audit bin` reads the
# dependencies in the program. Needs what packaging/tools.sh installs.
# usage: build.sh TARGET [PROFILE]      TARGET: as rustc names it, x86_64-unknown-linux-gnu say; PROFILE: dist without it
set -eu
unset CDPATH

root=$(cd "$(dirname "$0")/.." && pwd)
[ $# -eq 1 ] || [ $# -eq 2 ] || { sed -n 's/^# usage/usage/p' "$0" >&2; exit 2; }
target=$1 profile=${2:-dist}
cd "$root"
output=${CARGO_TARGET_DIR:-$root/target}
command -v cargo-auditable >/dev/null || { echo 'build.sh: cargo-auditable is not installed: run packaging/tools.sh' >&2; exit 1; }

# `rustc` and the C compiler replace these directories in what they write
cargo fetch --locked --quiet --target "$target" >&2
flags='' separator=$(printf '\037')
unset CFLAGS RUSTFLAGS
export CC_SHELL_ESCAPED_FLAGS=1 CFLAGS=''
replace() {
    flags="$flags${flags:+$separator}--remap-path-prefix=$1=$2"
    CFLAGS="$CFLAGS${CFLAGS:+ }'-ffile-prefix-map=$1=$2'"
}
replace "$root" /yatsu-hook
replace "$output" /yatsu-hook/target
for crates in "${CARGO_HOME:-$HOME/.cargo}"/registry/src/*; do replace "$crates" /crates; done
replace "$(rustc --print sysroot)/lib/rustlib/src/rust" "/rustc/$(rustc -vV | sed -n 's/^commit-hash: //p')"

case $target in
*-linux-gnu) flags="$flags$separator-Ctarget-feature=+crt-static" ;;
*-windows-gnu) flags="$flags$separator-Clink-arg=-Wl,--no-insert-timestamp" ;;
esac
SOURCE_DATE_EPOCH=$(git log -1 --format=%ct)
export CARGO_ENCODED_RUSTFLAGS="$flags" CARGO_INCREMENTAL=0 ZERO_AR_DATE=1 SOURCE_DATE_EPOCH
cargo auditable build --locked --profile "$profile" --bin yatsu-hook --target "$target" --target-dir "$output" >&2
case $target in *-windows-*) end=.exe ;; *) end='' ;; esac
printf '%s\n' "$output/$target/$profile/yatsu-hook$end"
