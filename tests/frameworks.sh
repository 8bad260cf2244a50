#!/bin/sh
# Installs each hook framework from its registry, sets it up by its recipe (docs/hooks.md), and makes it block a
# commit and a push that hold a malformed yatsu.md and let good ones pass. Each finding is printed once, also after the line
# for the merge driver that the doctor names and after `yatsu-hook install`. What a framework runs by hand or in CI, all files
# and a range of commits, must find a malformed file that was committed past the hooks. Prints a table; exits 1 when a row is
# not right or a tool could not be installed.
#
# usage: tests/frameworks.sh [--times N] PROGRAM [TOOL]...
#   --times N  adds two medians of N commits, in milliseconds: what the whole hook adds to a commit without hooks, and what
#              yatsu-hook adds to the same hook with `true` in its place
#   PROGRAM    the yatsu-hook to be called
#   TOOL       pre-commit, prek, lefthook, husky, lint-staged, hook-files, git-config-hooks; all of them by default, but
#              the last only with git 2.54 or later in PATH. Debian's sid has one; its package works unpacked.
#              pre-commit-rust lets pre-commit build the program from the last commit of these sources (minutes) and runs
#              only when it is named
# Needs git, GNU date, python3 with venv, node and npm. FRAMEWORKS_DIR keeps the installed tools for the next run.
set -eu

usage() { sed -n '8,16s/^# \{0,1\}//p' "$0" >&2; exit 2; }
fail() { echo "frameworks.sh: $1" >&2; exit 1; }

# Whether the git in PATH, 2.54 or later, runs hooks that its configuration names.
has_config_hooks() { git version | awk '{ split($3, v, "."); exit !(v[1] > 2 || (v[1] == 2 && v[2] >= 54)) }'; }

times=0
if [ "${1:-}" = --times ] && [ $# -gt 1 ]; then times=$2; shift 2; fi
case $times in *[!0-9]* | '') usage ;; esac
[ $# -ge 1 ] || usage
here=$(cd "$(dirname "$0")" && pwd)
sources=$(cd "$here/.." && pwd)
program=$(cd "$(dirname "$1")" && pwd)/$(basename "$1")
[ -x "$program" ] || { echo "frameworks.sh: $program is not executable" >&2; exit 2; }
shift
if [ $# -eq 0 ]; then
    set -- pre-commit prek lefthook husky lint-staged hook-files
    if has_config_hooks; then set -- "$@" git-config-hooks; fi
fi

work=$(mktemp -d)
trap 'cd /; rm -rf "$work"' EXIT
trap 'exit 1' INT TERM HUP
tools=${FRAMEWORKS_DIR:-$work/tools}
mkdir -p "$tools" "$work/bin" "$work/home"
cp "$program" "$work/bin/yatsu-hook"
bad=0

# --- the tools, from their registries ---------------------------------------------------------------------------------

python_tools() {
    [ -x "$tools/python/bin/prek" ] && return
    python3 -m venv "$tools/python"
    "$tools/python/bin/pip" install -q pre-commit prek || fail 'pre-commit and prek could not be installed from PyPI'
}

node_tools() {
    [ -d "$tools/node/node_modules/lint-staged" ] && return
    mkdir -p "$tools/node"
    printf '{"private": true}\n' >"$tools/node/package.json"
    (cd "$tools/node" && npm install --silent --ignore-scripts --no-audit --no-fund lefthook husky lint-staged) ||
        fail 'lefthook, husky and lint-staged could not be installed from npm'
}

node_version() {
    node -p 'JSON.parse(require("fs").readFileSync(process.argv[1])).version' "$tools/node/node_modules/$1/package.json"
}

# --- what is done in every repository ---------------------------------------------------------------------------------

# Nothing of this machine's git configuration, home or environment takes part.
isolated() {
    env -i PATH="$work/bin:$tools/python/bin:$tools/node/node_modules/.bin:$PATH" HOME="$work/home" LC_ALL=C.UTF-8 \
        PRE_COMMIT_HOME="$tools/pre-commit" PREK_HOME="$tools/prek" GIT_CONFIG_GLOBAL=/dev/null GIT_CONFIG_NOSYSTEM=1 \
        CARGO_HOME="${CARGO_HOME:-$HOME/.cargo}" RUSTUP_HOME="${RUSTUP_HOME:-$HOME/.rustup}" \
        GIT_AUTHOR_NAME=A GIT_AUTHOR_EMAIL=a@example.invalid GIT_COMMITTER_NAME=A GIT_COMMITTER_EMAIL=a@example.invalid \
        "$@"
}

g() { isolated git "$@"; }

scenarios() {
    mkdir -p .spec/board
    printf -- '---\ntitle: Board\n---\n' >.spec/board/spec.md
    if [ "$1" = good ]; then
        printf -- '---\nscenarios:\n  - name: renders\n    description: open it\n    expected: it shows %s\n    tags: [cli]\n---\n' \
            "$2" >.spec/board/yatsu.md
    else
        printf -- '---\nscenarios: MALFORMED %s\n---\n' "$2" >.spec/board/yatsu.md
    fi
    g add .spec
}

new_repository() {
    cd "$work"
    rm -rf "$work/repo" "$work/up.git"
    g init -q -b main "$work/repo"
    g init -q --bare "$work/up.git"
    cd "$work/repo"
    g remote add up "$work/up.git"
    echo start >file
    g add file
    g commit -q -m start
    g push -q up main
}

# Each answers yes or no, and what was said lies in $work/said. A refusal counts only when it is ours, and is printed once.
refused() { ! "$@" >"$work/said" 2>&1 && [ "$(grep -c 'error\[yatsu-schema\]' "$work/said")" = 1 ]; }
accepted() { "$@" >"$work/said" 2>&1; }
answer() { if "$@"; then echo yes; else echo NO; cat "$work/said" >>"$work/why"; fi; }

commit_blocks() { scenarios bad 1; refused g commit -m bad; }
# A commit that passes shows whether a second hook runs: of two that refuse, the first one ends the commit.
commit_passes() { scenarios good 1; accepted g commit -m good && [ "$(grep -c 'warning\[yatsu-missing\]' "$work/said")" -le 1 ]; }
push_blocks() {
    scenarios bad 2
    g commit -q --no-verify -m bad
    before=$(g -C "$work/up.git" rev-parse main)
    refused g push up main && [ "$(g -C "$work/up.git" rev-parse main)" = "$before" ]
}
push_passes() {
    g reset -q --hard HEAD~1
    scenarios good 3
    g commit -q --no-verify -m better
    accepted g push up main && accepted g push up main:refs/heads/new && [ "$(g -C "$work/up.git" rev-parse new)" = "$(g rev-parse HEAD)" ]
}

# A malformed file is committed past the hooks, then something harmless; $1 is the framework. What it runs over all files must
# find it, at every stage, before and after the remote has it all, and so must the range that brought it, and only that.
all_files_block() {
    hand_bad
    for stage in pre-commit pre-merge-commit pre-push manual; do
        refused isolated "$1" run --all-files --hook-stage $stage || return 1
    done
    refused isolated "$1" run yatsu-hook-system --all-files
}
ranges_block() {
    hand_bad
    for stage in pre-commit pre-push manual; do
        refused isolated "$1" run --hook-stage $stage --from-ref HEAD~2 --to-ref HEAD~1 || return 1
        refused isolated "$1" run --hook-stage $stage --from-ref HEAD~2 --to-ref HEAD || return 1
        accepted isolated "$1" run --hook-stage $stage --from-ref HEAD~1 --to-ref HEAD || return 1
    done
}
hand_bad() {
    g reset -q --hard "$begun"
    scenarios bad "$(date +%N)"
    g commit -q --no-verify -m bad
    date +%N >>file
    g add file
    g commit -q --no-verify -m harmless
    g push -q --no-verify up HEAD:refs/heads/by-hand -f
    g update-ref refs/remotes/origin/main HEAD
}

# Back to where the tool was set up.
new_commits_away() {
    g reset -q --hard "$begun"
    g update-ref -d refs/remotes/origin/main
}

row() { printf '%-18s %-10s %-14s %-14s %-12s %-12s %-10s %-7s %-7s %-9s %s\n' "$@"; }

# --- what it costs ----------------------------------------------------------------------------------------------------

# usage: timed NAME ARGUMENT...; one commit that changes a scenario, its time in microseconds added to the file NAME.
# The arguments go to git before the verb.
timed() {
    file=$work/times.$1
    shift
    scenarios good "$(date +%N)"
    begin=$(date +%s%N)
    g "$@" commit -q -m timed >"$work/said" 2>&1 || { cat "$work/said" >&2; fail 'a good commit was refused while timing'; }
    echo $((($(date +%s%N) - begin) / 1000)) >>"$file"
}

median() {
    sort -n "$work/times.$1" | awk '{ all[NR] = $1 } END { print (all[int((NR + 1) / 2)] + all[int(NR / 2) + 1]) / 2 }'
}

minus() { awk "BEGIN { printf \"%.1f\", ($(median "$1") - $(median "$2")) / 1000 }"; }

# Sets whole and ours. The three kinds of commit take turns, so that a machine that becomes slower slows them alike.
measure() {
    rm -f "$work"/times.*
    mkdir -p "$work/nothing"
    true=/bin/true
    [ -x "$true" ] || true=/usr/bin/true
    cp "$true" "$work/nothing/yatsu-hook"
    round=0
    while [ $round -lt "$times" ]; do
        timed bare -c core.hooksPath=/dev/null -c hook.yatsu-hook-pre-commit.enabled=false
        timed with
        mv "$work/bin" "$work/aside"; mv "$work/nothing" "$work/bin"
        timed without
        mv "$work/bin" "$work/nothing"; mv "$work/aside" "$work/bin"
        round=$((round + 1))
    done
    whole=$(minus with bare)
    ours=$(minus with without)
}

# What the doctor says about the merge driver is typed, as is `install`: neither may add a second hook. A clone has a remote, so
# without the key its lines would go into segments, which need no driver.
driver_added() {
    mkdir -p .spec/m
    printf '{"scenario":"s","verdict":{"status":"pass"},"codeSha":"%s","evaluator":"manual@1","ts":"2026-01-01T00:00:00.000Z"}\n' \
        "$(g rev-parse HEAD)" >.spec/m/yatsu.evals.ndjson
    printf '{"yatsu": {"segments": "never"}}\n' >spexcode.json
    g add .spec spexcode.json && g commit -q --no-verify -m ledger || return 1
    isolated yatsu-hook doctor >"$work/said" 2>&1 || return 1
    repair=$(sed -n 's/^ *repair: \(yatsu-hook install .*--merge-driver\)$/\1/p' "$work/said" | head -n 1)
    if [ -n "$repair" ]; then
        # shellcheck disable=SC2086
        isolated $repair >"$work/said" 2>&1 || return 1
    else
        grep -q "by the ledger's merge driver" "$work/said" || return 1
    fi
    isolated yatsu-hook install >"$work/said" 2>&1 || return 1
    isolated yatsu-hook doctor >"$work/said" 2>&1 && ! grep -q 'printed twice' "$work/said"
}

# usage: try TOOL VERSION pushes|commits-only [PROGRAM]; PROGRAM is the framework's, where it runs hooks by hand
try() {
    : >"$work/why"
    driver=-
    if [ "$3" = pushes ]; then driver=$(answer driver_added); fi
    af=- rg=-
    if [ -n "${4:-}" ]; then
        begun=$(g rev-parse HEAD)
        af=$(answer all_files_block "$4") rg=$(answer ranges_block "$4")
        new_commits_away
    fi
    cb=$(answer commit_blocks) cp=$(answer commit_passes)
    pb=- pp=- whole=- ours=-
    if [ "$times" -gt 0 ] && [ "$cb$cp" = yesyes ]; then measure; fi
    if [ "$3" = pushes ]; then
        pb=$(answer push_blocks) pp=$(answer push_passes)
    fi
    row "$1" "$2" "$cb" "$cp" "$pb" "$pp" "$af" "$rg" "$driver" "$whole" "$ours"
    case "$cb$cp$pb$pp$af$rg$driver" in *NO*) bad=1; sed 's/^/    | /' "$work/why" ;; esac
}

# --- the recipes ------------------------------------------------------------------------------------------------------

# usage: recipe NAME; the first block of code below the heading of docs/hooks.md that begins with NAME
recipe() {
    sed -n "/^## $1/,/^## /p" "$sources/docs/hooks.md" | sed -n '/^```./,/^```$/p' | sed '1d;/^```$/,$d' | grep . ||
        fail "docs/hooks.md has no recipe for $1"
}

# usage: pre_commit_config ID; the repository of the hooks is this one, at its last commit
pre_commit_config() {
    recipe pre-commit | sed "s|URL-OF-THIS-REPOSITORY|$sources|; s|v0.1.0|$(git -C "$sources" rev-parse HEAD)|; s|id: yatsu-hook |id: $1 |" \
        >.pre-commit-config.yaml
    g add .pre-commit-config.yaml
    g commit -q --no-verify -m config
}

run_tool() {
    case $1 in
    pre-commit | pre-commit-rust)
        python_tools; new_repository
        if [ "$1" = pre-commit ]; then pre_commit_config yatsu-hook-system; else pre_commit_config yatsu-hook; fi
        isolated pre-commit install >/dev/null
        try "$1" "$(isolated pre-commit --version | cut -d' ' -f2)" pushes pre-commit
        ;;
    prek)
        python_tools; new_repository; pre_commit_config yatsu-hook-system
        isolated prek install >/dev/null 2>&1
        try prek "$(isolated prek --version | cut -d' ' -f2)" pushes prek
        ;;
    lefthook)
        node_tools; new_repository
        recipe lefthook >lefthook.yml
        isolated lefthook install >/dev/null 2>&1
        try lefthook "$(node_version lefthook)" pushes
        ;;
    husky)
        node_tools; new_repository
        isolated husky >/dev/null
        recipe husky | sh
        try husky "$(node_version husky)" pushes
        ;;
    lint-staged)
        node_tools; new_repository
        recipe lint-staged >.lintstagedrc.json
        g add .lintstagedrc.json
        g commit -q -m config
        printf '#!/bin/sh\nlint-staged\n' >.git/hooks/pre-commit
        chmod +x .git/hooks/pre-commit
        try lint-staged "$(node_version lint-staged)" commits-only
        ;;
    git-config-hooks)
        version=$(git version | cut -d' ' -f3)
        new_repository
        has_config_hooks || fail "git-config-hooks needs git 2.54, this is $version"
        isolated yatsu-hook install >"$work/said" || { cat "$work/said" >&2; fail 'yatsu-hook install failed'; }
        try git-config-hooks "$version" pushes
        ;;
    hook-files)
        new_repository
        for hook in pre-commit pre-merge-commit pre-push; do
            cp "$sources/hooks/$hook" .git/hooks/
        done
        try hook-files "$(git version | cut -d' ' -f3)" pushes
        ;;
    *) echo "frameworks.sh: unknown tool $1" >&2; exit 2 ;;
    esac
}

row tool version 'blocks commit' 'passes commit' 'blocks push' 'passes push' 'all files' ranges driver 'hook ms' 'ours ms'
for tool; do
    run_tool "$tool"
done
exit "$bad"
