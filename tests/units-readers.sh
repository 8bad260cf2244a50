#!/usr/bin/env bash
# Compares `yatsu-hook units` with an independent reader of each language: names, lines and bytes of every declaration.
#
#   tests/units-readers.sh LANGUAGE DIR [MOST]
#
# LANGUAGE is typescript, tsx, javascript, python, go, rust, java or ruby; DIR holds sources, of which the first MOST
# (400) are read. Every disagreement is a line on stdout; docs/selectors.md explains those that stay. Needs the tools of
# the language: node with `typescript` in NODE_PATH, python3, go, cargo, a JDK of 17 or later, ruby of 2.6 to 3.3.
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
language=${1:?LANGUAGE} from=${2:?DIR} most=${3:-400}
program=${YATSU_HOOK:-$here/../target/debug/yatsu-hook}
case $language in
typescript) endings=(ts mts cts) ;; tsx) endings=(tsx) ;; javascript) endings=(js jsx mjs cjs) ;;
python) endings=(py pyi) ;; go) endings=(go) ;; rust) endings=(rs) ;; java) endings=(java) ;; ruby) endings=(rb) ;;
*) echo "no reader for $language" >&2; exit 2 ;;
esac
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
git init -q "$work/repository"
cd "$work/repository"
# flat, in the order of their paths: `some/dir/a.go` is `some__dir__a.go`
for ending in "${endings[@]}"; do (cd "$from" && find . -type f -name "*.$ending" -size -1024k); done | sort | sed -n "1,${most}p" |
  while read -r file; do
    file=${file#./}
    cp "$from/$file" "${file//\//__}"
  done
case $language in
typescript | tsx | javascript) reader=(node "$here/units/read.js") ;;
python) reader=(python3 "$here/units/read.py") ;;
go) go build -o "$work/read-go" "$here/units/read.go"; reader=("$work/read-go") ;;
rust)
  cargo build -q --manifest-path "$here/units/rust/Cargo.toml" --target-dir "${CARGO_TARGET_DIR:-$work/target}"
  reader=("${CARGO_TARGET_DIR:-$work/target}/debug/read-units")
  ;;
java) reader=(java "$here/units/Read.java") ;;
ruby) reader=(ruby -W0 "$here/units/read.rb") ;;
esac
# every file is named, also one that declares nothing
{ ls; find . -type f -not -path './.git/*' -printf '%P\0' | sort -z | xargs -0 "${reader[@]}"; } >"$work/said"
python3 "$here/units/compare.py" "$program" <"$work/said"
