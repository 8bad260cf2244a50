#!/bin/sh
# Builds the wheel, the npm packages and the archive of a release from these sources, installs each from local files into a
# clean environment, runs the program, and has the wheel and the npm package block a malformed commit as a hook.
# usage: packaging/test.sh        needs cargo, cc, git, python3 with venv, node and npm; tools come from their registries
set -eu

root=$(cd "$(dirname "$0")/.." && pwd)
target=${CARGO_TARGET_DIR:-$root/target}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
trap 'exit 1' INT TERM HUP
host=$(rustc -vV | sed -n 's/^host: //p')
version=$(sed -n 's/^version = "\(.*\)"/\1/p' "$root/Cargo.toml" | head -n 1)

step() { printf '\n== %s\n' "$1"; }
fail() { printf 'FAILED: %s\n' "$1" >&2; exit 1; }
# Nothing else in PATH may answer, and the answer must be this version.
answers() {
    said=$("$1" --version) || fail "$1 --version exits $?"
    case $said in *"$version"*) printf '%s -> %s\n' "$1" "$said" ;; *) fail "$1 --version says '$said', not $version" ;; esac
}

commit() { git -C "$1" -c user.name=dev -c user.email=dev@localhost commit -q -m "$2"; }
# A repository with one commit, whose hooks are its own.
project() {
    git init -q "$work/$1"
    git -C "$work/$1" -c user.name=dev -c user.email=dev@localhost commit -q --allow-empty -m first
}
# A malformed scenario file is refused with its line, and a good one passes.
blocks() {
    mkdir -p "$1/.spec/node"
    printf '%s\n' --- 'scenarios: [{name: a' --- >"$1/.spec/node/yatsu.md"
    git -C "$1" add -A
    commit "$1" malformed >"$work/said" 2>&1 && { cat "$work/said" >&2; fail "a malformed file was committed in $1"; }
    grep -q 'yatsu\.md:[0-9]*:[0-9]*: error\[yatsu-schema\]' "$work/said" || { cat "$work/said" >&2; fail 'the line was not named'; }
    printf '%s\n' --- 'scenarios: [{name: a, description: Look., expected: Fine., tags: [cli], code: [README.md]}]' --- \
        >"$1/.spec/node/yatsu.md"
    printf 'read me\n' >"$1/README.md"
    git -C "$1" add -A
    commit "$1" good >"$work/said" 2>&1 || { cat "$work/said" >&2; fail "a good file was refused in $1"; }
    printf '%s: blocked, then passed\n' "${1##*/}"
}

case $host in *-linux-gnu) export RUSTFLAGS='-C target-feature=+crt-static' ;; esac

step 'wheel'
python3 -m venv "$work/tools"
"$work/tools/bin/pip" install -q 'maturin>=1.9,<2'
(cd "$root/packaging/pypi" && "$work/tools/bin/maturin" build --profile dist --target "$host" --target-dir "$target" \
    --out "$work/wheels")
ls "$work/wheels"
python3 -m venv "$work/wheel"
"$work/wheel/bin/pip" install -q --no-index --find-links "$work/wheels" yatsu-hook
answers "$work/wheel/bin/yatsu-hook"

step 'python placeholder: pip install of the sources brings the wheel, with no compiler in PATH'
mkdir "$work/sources"
git -C "$root" archive HEAD | tar -x -C "$work/sources"
python3 -m venv "$work/placeholder"
"$work/placeholder/bin/pip" install -q setuptools wheel
env PATH="$work/placeholder/bin" "$work/placeholder/bin/pip" install -q --no-index --no-build-isolation \
    --find-links "$work/wheels" "$work/sources"
answers "$work/placeholder/bin/yatsu-hook"

step 'id: yatsu-hook-python, from an index that is a directory: pre-commit brings the wheel and it blocks'
"$work/tools/bin/pip" install -q pre-commit
"$work/tools/bin/pip" download -q -d "$work/wheels" setuptools wheel
git init -q "$work/hooks"
git -C "$root" archive HEAD setup.py Cargo.toml README.md .pre-commit-hooks.yaml | tar -x -C "$work/hooks"
git -C "$work/hooks" add -A && commit "$work/hooks" hooks
project python
cat >"$work/python/.pre-commit-config.yaml" <<END
repos:
  - repo: $work/hooks
    rev: $(git -C "$work/hooks" rev-parse HEAD)
    hooks: [{ id: yatsu-hook-python }]
END
export PRE_COMMIT_HOME="$work/pre-commit" PIP_NO_INDEX=1 PIP_FIND_LINKS="$work/wheels"
(cd "$work/python" && "$work/tools/bin/pre-commit" install >/dev/null)
blocks "$work/python"
unset PRE_COMMIT_HOME PIP_NO_INDEX PIP_FIND_LINKS

step 'npm'
os=$(node -p process.platform)
cpu=$(node -p process.arch)
"$root/packaging/npm/build.sh" "$target/$host/dist/yatsu-hook" "$os" "$cpu" "$work/npm"
(cd "$work/npm" && npm pack --silent "./yatsu-hook-$os-$cpu" ./yatsu-hook)
mkdir "$work/prefix"
printf '{"private": true}\n' >"$work/prefix/package.json"
# --ignore-scripts proves that nothing has to run at installation; the packages of other platforms are not there.
(cd "$work/prefix" && npm install --silent --ignore-scripts --no-audit --no-fund --offline \
    "$work/npm/yatsu-hook-$os-$cpu-$version.tgz" "$work/npm/yatsu-hook-$version.tgz")
answers "$work/prefix/node_modules/.bin/yatsu-hook"
"$work/prefix/node_modules/.bin/yatsu-hook" --no-such-flag >/dev/null 2>&1 && fail 'the launcher swallows the exit code'

project node
(cd "$work/node" && "$work/prefix/node_modules/.bin/yatsu-hook" install --hooks pre-commit >/dev/null)
blocks "$work/node"

step 'the archive of a release, by the names that cargo binstall asks for'
"$root/packaging/release.sh" "$target/$host/dist/yatsu-hook" "$host" "$work/release"
key() { sed -n "/^\[package.metadata.binstall\]/,/^\$/s/^$1 = \"\(.*\)\"/\1/p" "$root/Cargo.toml" | sed "s/{ target }/$host/g; s/{ bin }/yatsu-hook/; s/{ binary-ext }//"; }
asset=$(key pkg-url) && asset=${asset##*/}
[ -f "$work/release/$asset" ] || fail "no $asset was made"
(cd "$work/release" && sha256sum -c --quiet "$asset.sha256") || fail "$asset.sha256 does not hold"
mkdir "$work/unpacked" && tar -C "$work/unpacked" -xzf "$work/release/$asset"
answers "$work/unpacked/$(key bin-dir)"

step 'the crate of a release, which says where the archives are, and the notes of a version'
"$root/packaging/crate.sh" https://localhost/owner/yatsu-hook "$work/crates"
tar -xzf "$work/crates/yatsu-hook-$version.crate" -C "$work/crates"
grep -q '^repository = "https://localhost/owner/yatsu-hook"$' "$work/crates/yatsu-hook-$version/Cargo.toml" ||
    fail 'the crate has no repository'
"$root/packaging/crate.sh" 'https://localhost/$(id)/x' "$work/crates" 2>/dev/null && fail 'an address that is none was taken'
"$root/packaging/notes.sh" Unreleased | grep -q . || fail 'the changelog has no notes'
"$root/packaging/notes.sh" 99.0.0 2>/dev/null && fail 'notes of a version that nobody wrote about'

printf '\nall packages work\n'
