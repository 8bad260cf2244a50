#!/bin/sh
# Builds yatsu-hook from these sources, installs it, wires the hooks of the repository you stand in, and shows the score.
set -eu
# with it, `cd` searches other directories and prints what it found
unset CDPATH

usage() {
    cat <<'END'
usage: install.sh [--prefix DIR] [--no-hooks]

Builds yatsu-hook, installs it as DIR/bin/yatsu-hook and runs `yatsu-hook install` in the
repository of the current directory, which shows the score. Asks nothing. Needs cargo, a
C compiler and git.

  --prefix DIR   where to install; default: cargo's directory (CARGO_HOME or ~/.cargo)
  --no-hooks     install the program only
  --help         this text
END
}

say() { printf 'install.sh: %s\n' "$1"; }
die() { printf 'install.sh: %s\n' "$1" >&2; exit "${2:-1}"; }

need() { command -v "$1" >/dev/null 2>&1 || die "$1 is not in PATH. $2"; }

# A rustc that is too old would fail after minutes, by an error about something else.
need_rust() {
    wanted=$(sed -n 's/^rust-version = "\([0-9.]*\)"$/\1/p' "$sources/Cargo.toml")
    found=$(cd "$sources" && rustc -vV | sed -n 's/^release: //p')
    [ -n "$found" ] || die 'rustc -vV does not answer; the reason stands above'
    older=$(printf '%s\n%s\n' "$wanted" "$found" | awk -F. 'NR == 1 { major = $1; minor = $2 }
        NR == 2 && ($1 + 0 < major || ($1 + 0 == major && $2 + 0 < minor)) { print "older" }')
    [ -z "$older" ] || die "rustc $found is older than $wanted, which these sources need: update Rust, then run this again"
}

# Prints the path of the fresh program. Cargo runs in the sources, so that no configuration of the caller's directory
# has a say.
build() {
    host=$(cd "$sources" && rustc -vV | sed -n 's/^host: //p')
    case $host in
    *-linux-gnu)
        if (cd "$sources" && RUSTFLAGS='-C target-feature=+crt-static' \
            cargo build --release --locked --bin yatsu-hook --target "$host" --target-dir "$target") >&2; then
            printf '%s\n' "$target/$host/release/yatsu-hook"
            return
        fi
        say 'a static program cannot be built here, so it will need the C library of this machine' >&2
        ;;
    esac
    (cd "$sources" && cargo build --release --locked --bin yatsu-hook --target-dir "$target") >&2 ||
        die 'the build failed; the reason stands above'
    printf '%s\n' "$target/release/yatsu-hook"
}

# A running program cannot be written over, but its name can be given to another one.
place() {
    mkdir -p "$bin" || die "cannot make $bin; choose another place with --prefix DIR"
    if cp "$1" "$bin/.yatsu-hook.$$" && chmod 755 "$bin/.yatsu-hook.$$" && mv -f "$bin/.yatsu-hook.$$" "$bin/yatsu-hook"; then
        return
    fi
    rm -f "$bin/.yatsu-hook.$$"
    die "cannot write to $bin; choose another place with --prefix DIR"
}

# `install` shows the score when it is done; what is wrong in the repository does not undo the installation.
wire() {
    if ! words=$(LC_ALL=C git rev-parse --git-dir 2>&1); then
        case $words in
        *'not a git repository'*)
            say "$PWD is in no git repository: no hooks were wired. Run yatsu-hook install in one."
            return
            ;;
        esac
        die "the program is installed, but its hooks are not; git says: $(printf '%s' "$words" | tr -s '\n\t' '  ')"
    fi
    "$bin/yatsu-hook" install || die 'the program is installed, but its hooks are not; the reason stands above' $?
}

# Prints the directory of this file. A link in another directory may have led to it.
sources_dir() {
    self=$0
    while [ -L "$self" ]; do
        to=$(readlink "$self")
        case $to in /*) self=$to ;; *) self=$(dirname -- "$self")/$to ;; esac
    done
    cd -- "$(dirname -- "$self")" && pwd
}

hooks=yes
unset prefix
while [ $# -gt 0 ]; do
    case $1 in
    --prefix) [ $# -gt 1 ] || die '--prefix needs a directory' 2; prefix=$2; shift ;;
    --prefix=*) prefix=${1#--prefix=} ;;
    --no-hooks) hooks=no ;;
    --help | -h) usage; exit 0 ;;
    *) usage >&2; die "unknown argument: $1" 2 ;;
    esac
    shift
done
[ -n "${prefix-unset}" ] || die '--prefix needs a directory' 2
if [ -z "${prefix+set}" ]; then
    prefix=${CARGO_HOME:-${HOME:+$HOME/.cargo}}
    [ -n "$prefix" ] || die 'neither HOME nor CARGO_HOME is set: say where to install, with --prefix DIR' 2
fi
case $prefix in /*) ;; *) prefix=$PWD/$prefix ;; esac
bin=$prefix/bin
sources=$(sources_dir)
target=${CARGO_TARGET_DIR:-$sources/target}
case $target in /*) ;; *) target=$PWD/$target ;; esac

need cargo 'Install Rust with rustup or your package manager.'
need rustc 'Install Rust with rustup or your package manager.'
need_rust
need cc 'Install a C compiler (package gcc or clang); the git library is built with it.'
need git 'Install git.'

program=$(build)
place "$program"
say "installed $bin/yatsu-hook"
[ "$(command -v yatsu-hook || true)" = "$bin/yatsu-hook" ] ||
    say "to run it by name, put $bin first in PATH; the hooks do not need that"
[ "$hooks" = no ] || wire
