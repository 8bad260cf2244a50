#!/bin/sh
# Builds hk with cargo, sets it up by its recipe (docs/hooks.md), and makes it block a commit and a push that hold
# a malformed yatsu.md and let good ones pass. The build takes many minutes, so this is not part of every run.
#
# usage: tests/hk.sh PROGRAM          HK_ROOT keeps the built hk (HK_ROOT/bin/hk) for the next run
set -eu
[ $# -eq 1 ] || { sed -n '5s/^# //p' "$0" >&2; exit 2; }
program=$(cd "$(dirname "$1")" && pwd)/$(basename "$1")
work=$(mktemp -d)
trap 'cd /; rm -rf "$work"' EXIT
trap 'exit 1' INT TERM HUP
root=${HK_ROOT:-$work/hk}
[ -x "$root/bin/hk" ] || cargo install hk --locked --root "$root"

mkdir "$work/bin" "$work/home"
cp "$program" "$work/bin/yatsu-hook"
isolated() {
    env -i PATH="$work/bin:$root/bin:$PATH" HOME="$work/home" LC_ALL=C.UTF-8 GIT_CONFIG_GLOBAL=/dev/null \
        GIT_CONFIG_NOSYSTEM=1 GIT_AUTHOR_NAME=A GIT_AUTHOR_EMAIL=a@example.invalid GIT_COMMITTER_NAME=A \
        GIT_COMMITTER_EMAIL=a@example.invalid "$@"
}
g() { isolated git "$@"; }
: >"$work/said"
fail() { cat "$work/said" >&2; echo "hk.sh: $1" >&2; exit 1; }
refused() { ! "$@" >"$work/said" 2>&1 && grep -q 'error\[yatsu-schema\]' "$work/said"; }
accepted() { "$@" >"$work/said" 2>&1; }
node() {
    mkdir -p .spec/board
    printf '%b' "$1" >.spec/board/yatsu.md
    g add .spec
}
good() { node "---\nscenarios:\n  - name: renders\n    description: open it\n    expected: $1\n    tags: [cli]\n---\n"; }
bad() { node '---\nscenarios: MALFORMED\n---\n'; }

g init -q --bare "$work/up.git"
g init -q -b main "$work/repo"
cd "$work/repo"
g remote add up "$work/up.git"
version=$(isolated hk --version | sed 's/^[^0-9]*//; s/[ -].*//')
# The recipe's package lies on a forge; the same schema, with the version still to be filled in, comes with hk's sources.
schema=$(find "${CARGO_HOME:-$HOME/.cargo}/registry/src" -path "*/hk-$version/pkl/Config.pkl" | head -n 1)
[ -n "$schema" ] || fail "the sources of hk $version, with its Config.pkl, are not in cargo's registry"
sed "s/^min_hk_version: String = .*/min_hk_version: String = \"$version\"/" "$schema" >../Config.pkl
cat >hk.pkl <<'END'
amends "../Config.pkl"

hooks {
    ["pre-commit"] {
        steps { ["yatsu-hook"] { check = "yatsu-hook pre-commit" } }
    }
    ["pre-push"] {
        steps {
            ["yatsu-hook"] {
                check = "yatsu-hook pre-push {{hook_args}}"
                stdin = "{{hook_stdin}}"
            }
        }
    }
}
END
g add hk.pkl
g commit -q -m start
accepted isolated hk install || fail 'hk install failed'

bad
refused g commit -m bad || fail 'a bad commit was not blocked'
good one
accepted g commit -m good || fail 'a good commit was blocked'
bad
g commit -q --no-verify -m bad
refused g push up main || fail 'a bad push was not blocked'
g reset -q --hard HEAD~1
accepted g push up main || fail 'a good push was blocked'
echo "hk $version: blocks the bad commit and the bad push, passes the good ones"
