#!/bin/sh
# Builds the wheel and the npm packages from these sources, installs them from local files and runs the program.
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

case $host in *-linux-gnu) export RUSTFLAGS='-C target-feature=+crt-static' ;; esac

step 'wheel'
python3 -m venv "$work/tools"
"$work/tools/bin/pip" install -q 'maturin>=1.9,<2'
(cd "$root/packaging/pypi" && "$work/tools/bin/maturin" build --release --target "$host" --target-dir "$target" \
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

step 'npm'
os=$(node -p process.platform)
cpu=$(node -p process.arch)
"$root/packaging/npm/build.sh" "$target/$host/release/yatsu-hook" "$os" "$cpu" "$work/npm"
(cd "$work/npm" && npm pack --silent "./yatsu-hook-$os-$cpu" ./yatsu-hook)
mkdir "$work/prefix"
printf '{"private": true}\n' >"$work/prefix/package.json"
# --ignore-scripts proves that nothing has to run at installation; the packages of other platforms are not there.
(cd "$work/prefix" && npm install --silent --ignore-scripts --no-audit --no-fund --offline \
    "$work/npm/yatsu-hook-$os-$cpu-$version.tgz" "$work/npm/yatsu-hook-$version.tgz")
answers "$work/prefix/node_modules/.bin/yatsu-hook"
"$work/prefix/node_modules/.bin/yatsu-hook" --no-such-flag >/dev/null 2>&1 && fail 'the launcher swallows the exit code'

printf '\nall packages work\n'
