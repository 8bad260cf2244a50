#!/usr/bin/env bash
# What action.yml does, as a program, so that it can be run elsewhere: `install` has yatsu-hook in a directory of the job's own
# and in PATH, `check` judges the change that started the job. All that is typed by people comes in variables.
set -euo pipefail

say() { printf '%s\n' "$*"; }
stop() { say "::error title=yatsu-hook::$1"; exit "${2:-3}"; }
put() { printf '%s=%s\n' "$1" "$2" >>"$GITHUB_OUTPUT"; }

target() {
    case "$(uname -s)/$(uname -m)" in
        Linux/x86_64) echo x86_64-unknown-linux-gnu ;;
        Linux/aarch64 | Linux/arm64) echo aarch64-unknown-linux-gnu ;;
        Darwin/x86_64) echo x86_64-apple-darwin ;;
        Darwin/arm64) echo aarch64-apple-darwin ;;
        *) stop "no program is released for $(uname -s) on $(uname -m); leave version out, and it is built" ;;
    esac
}

# The archive of a release with its sum beside it: what was altered on the way is not run.
fetch() {
    local name url
    [[ $INPUT_VERSION =~ ^[0-9]+\.[0-9]+\.[0-9]+$ ]] || stop "version: a number such as 0.1.0 is expected" 2
    name="yatsu-hook-$(target).tar.gz"
    url="${GITHUB_SERVER_URL:-https://github.com}/$GITHUB_ACTION_REPOSITORY/releases/download/v$INPUT_VERSION/$name"
    cd "$RUNNER_TEMP"
    curl --fail --silent --show-error --location --proto '=https' --remote-name "$url" --remote-name "$url.sha256" ||
        stop "version $INPUT_VERSION could not be fetched"
    if command -v sha256sum >/dev/null; then sha256sum --check "$name.sha256"; else shasum -a 256 --check "$name.sha256"; fi ||
        stop "$name is not what its sum says"
    mkdir -p "$1"
    tar -xzf "$name" -C "$1" --strip-components 1
}

install_program() {
    local home="$RUNNER_TEMP/yatsu-hook"
    if [ -n "${INPUT_VERSION:-}" ]; then
        fetch "$home/bin"
    else
        command -v cargo >/dev/null || stop 'there is no cargo to build it with: install Rust first, or name a version'
        cargo install --quiet --locked --path "$GITHUB_ACTION_PATH" --root "$home"
    fi
    printf '%s\n' "$home/bin" >>"$GITHUB_PATH"
    "$home/bin/yatsu-hook" --version
}

# The range that is judged, in `from` and `to`; both empty for the whole state. A branch that is new has no earlier state.
range() {
    from=${INPUT_FROM:-${BASE_OF_PULL_REQUEST:-${BASE_OF_MERGE_GROUP:-${BEFORE_PUSH:-}}}}
    to=${INPUT_TO:-${HEAD_OF_PULL_REQUEST:-${HEAD_OF_MERGE_GROUP:-${AFTER_PUSH:-HEAD}}}}
    case "$from$to" in -*) stop 'from and to are revisions' 2 ;; esac
    if [[ $from =~ ^0*$ ]]; then from='' to=''; fi
    # what a force push replaced is on no branch, so no checkout brings it; the server still hands it out for a while
    if [[ $from =~ ^[0-9a-f]{40,64}$ ]] && ! git cat-file -e "$from^{commit}" 2>/dev/null; then
        GIT_TERMINAL_PROMPT=0 git fetch --quiet --no-tags origin "$from" 2>/dev/null || true
    fi
}

check_change() {
    local from to how=() report code=0
    range
    if [ -n "$from" ]; then
        how=(--from "$from" --to "$to" --inherited "${INPUT_INHERITED:-count}")
    else
        how=(--all)
    fi
    [ "${INPUT_STRICT:-false}" != true ] || how+=(--strict)
    yatsu-hook check "${how[@]}" --format github || code=$?
    put exit-code "$code"
    report=$(yatsu-hook check "${how[@]}" --format json 2>/dev/null) || true
    put verdict "$(field "$report" '.verdict // "unchecked"' unchecked)"
    put introduced "$(field "$report" '[.findings[] | select(.origin == "introduced")] | length' 0)"
    put score "$(yatsu-hook check --rev "${to:-HEAD}" 2>/dev/null | tail -n 1 | grep -E '^[0-9]+ scenarios?: ' || true)"
    if [ "${INPUT_SUMMARY:-true}" = true ]; then
        yatsu-hook check "${how[@]}" --format markdown >>"$GITHUB_STEP_SUMMARY" 2>/dev/null || true
    fi
    page
    [ "$code" -ne 3 ] || say 'yatsu-hook: exit code 3, nothing was proved: what could not be checked does not pass'
    exit "$code"
}

# One value of a report; the second where there is no report, or nobody who reads JSON.
field() {
    printf '%s' "$1" | jq -er "$2" 2>/dev/null || printf '%s\n' "$3"
}

page() {
    local with=(--without-evidence)
    [ -n "${INPUT_PAGE:-}" ] || return 0
    [ "${INPUT_EVIDENCE:-false}" != true ] || with=()
    yatsu-hook report --html "./${INPUT_PAGE#./}" ${with[@]+"${with[@]}"} || stop 'the page could not be written'
    put page "$INPUT_PAGE"
}

case "${1:-}" in
    install) install_program ;;
    check) check_change ;;
    *) say 'usage: action.sh install|check' >&2; exit 2 ;;
esac
