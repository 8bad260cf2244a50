#!/usr/bin/env bash
# What action.yml does, as a program, so that it can be run elsewhere: `install` has yatsu-hook in a directory of the job's own
# and in PATH, `check` judges the change that started the job, `file` files test reports, `comment` says it on the pull request.
# All that is typed by people comes in variables.
set -euo pipefail

say() { printf '%s\n' "$*"; }
stop() { say "::error title=yatsu-hook::$1"; exit "${2:-3}"; }
put() { printf '%s=%s\n' "$1" "$2" >>"$GITHUB_OUTPUT"; }

install_program() {
    local home="$RUNNER_TEMP/yatsu-hook" server=${GITHUB_SERVER_URL:-https://github.com} attested=()
    if [ -n "${INPUT_VERSION:-}" ]; then
        [[ $INPUT_VERSION =~ ^[0-9]+\.[0-9]+\.[0-9]+$ ]] || stop "version: a number such as 0.1.0 is expected" 2
        # other forges keep no attestations; there the sum alone is checked
        [ "$server" != https://github.com ] || attested=(--attested)
        YATSU_HOOK_REPOSITORY="$server/$GITHUB_ACTION_REPOSITORY" sh "$GITHUB_ACTION_PATH/packaging/get.sh" \
            --version "$INPUT_VERSION" --prefix "$home" ${attested[@]+"${attested[@]}"} ||
            stop "version $INPUT_VERSION could not be installed"
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
    bring "$from"
}

# A commit that a force push replaced is on no branch, so no checkout brings it; the server still hands it out for a while.
bring() {
    if [[ $1 =~ ^[0-9a-f]{40,64}$ ]] && ! git cat-file -e "$1^{commit}" 2>/dev/null; then
        GIT_TERMINAL_PROMPT=0 git fetch --quiet --no-tags origin "$1" 2>/dev/null || true
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
    yatsu-hook report --html "./${INPUT_PAGE#./}" --history 60 ${with[@]+"${with[@]}"} || stop 'the page could not be written'
    put page "$INPUT_PAGE"
}

# Files reports on the branch that was pushed, if it is the main one; on another one, or on that of a pull request, only where
# asked for. A squash would carry [skip ci] from there to main. The code of a fork and of pull_request_target is a stranger's.
file_reports() {
    local branch='' how=() reports=()
    [ -n "${INPUT_FILE:-}" ] || return 0
    case "${GITHUB_EVENT_NAME:-}" in
        push | schedule | workflow_dispatch)
            case "${GITHUB_REF:-}" in
                "refs/heads/$DEFAULT_BRANCH") branch=$DEFAULT_BRANCH how+=(--skip-ci) ;;
                refs/heads/*) branch=${GITHUB_REF#refs/heads/} ;;
            esac ;;
        pull_request)
            if [ "${HEAD_REPOSITORY:-}" = "$GITHUB_REPOSITORY" ]; then branch=$GITHUB_HEAD_REF; fi ;;
    esac
    if [ "$branch" != "$DEFAULT_BRANCH" ] && [ "${INPUT_FILE_BRANCHES:-false}" != true ]; then branch=''; fi
    if [ -z "$branch" ]; then
        say 'yatsu-hook: nothing is filed here; readings are filed on the main branch'
        return 0
    fi
    if [ "$GITHUB_EVENT_NAME" = pull_request ] && [ "$(git rev-parse HEAD)" != "$HEAD_OF_PULL_REQUEST" ]; then
        stop 'a merge is checked out, not the branch: actions/checkout with ref: ${{ github.head_ref }}' 2
    fi
    [ "${INPUT_FILE_ALL:-false}" != true ] || how+=(--all)
    [ -z "${INPUT_FILE_EXIT:-}" ] || how+=(--exit "$INPUT_FILE_EXIT")
    # one pattern a line
    IFS=$'\n'
    # shellcheck disable=SC2206 # they are to be expanded
    reports=($INPUT_FILE)
    unset IFS
    NOTE_PREFIX='::notice title=yatsu-hook::' \
        sh "$GITHUB_ACTION_PATH/.ci/file.sh" --by 'github-actions[bot]' ${how[@]+"${how[@]}"} "$branch" "${reports[@]}"
}

readonly MARKER='<!-- yatsu-hook:pr -->'

# The pull request, its head, and the comments of this token's own identity.
readonly PULL_REQUEST='query($owner: String!, $name: String!, $number: Int!, $endCursor: String) {
  repository(owner: $owner, name: $name) {
    pullRequest(number: $number) {
      id
      headRefOid
      comments(first: 100, after: $endCursor) {
        nodes { id body viewerDidAuthor }
        pageInfo { hasNextPage endCursor }
      }
    }
  }
}'
readonly ADD='mutation($id: ID!, $body: String!) { addComment(input: {subjectId: $id, body: $body}) { clientMutationId } }'
readonly EDIT='mutation($id: ID!, $body: String!) { updateIssueComment(input: {id: $id, body: $body}) { clientMutationId } }'

# The comment never decides: what cannot be posted goes to the summary, and the step `check` has the exit code.
comment() {
    local from to how=() body
    case "${GITHUB_EVENT_NAME:-}" in
        pull_request) [ "${INPUT_COMMENT:-false}" = true ] || return 0 ;;
        merge_group) [ -n "${INPUT_CHECKED:-}" ] || return 0 ;;
        *) return 0 ;;
    esac
    range
    how=(--from "$from" --to "$to")
    if [ -n "${INPUT_CHECKED:-}" ]; then
        case "$INPUT_CHECKED" in -*) stop 'checked is a revision' 2 ;; esac
        bring "$INPUT_CHECKED"
        how+=(--checked "$INPUT_CHECKED")
    fi
    [ "${INPUT_STRICT:-false}" != true ] || how+=(--strict)
    [ -z "${INPUT_PAGE_URL:-}" ] || how+=(--page "$INPUT_PAGE_URL")
    body=$RUNNER_TEMP/yatsu-hook-comment.md
    # exit codes 1 and 3 have a comment too; one that a full disk cut off has no range at its end
    yatsu-hook report --pr "${how[@]}" >"$body" || true
    grep -q -e '^## yatsu-hook: unchecked' -e '^<sub>.*</sub>$' "$body" || stop 'the comment could not be made' 2
    if [ "$GITHUB_EVENT_NAME" = merge_group ]; then
        summarise "$body"
    elif ! post "$body" "$(git rev-parse --verify --quiet "$to^{commit}" || say "$to")"; then
        say '::notice title=yatsu-hook::the comment could not be posted, so the summary has it; it needs pull-requests: write'
        summarise "$body"
    fi
}

summarise() { cat "$1" >>"$GITHUB_STEP_SUMMARY"; }

# Edits the first own comment that begins with the marker, or makes one. A run for an older head writes nothing.
post() {
    local asked kind first rest pull='' head='' own=''
    asked=$(gh api graphql --paginate -f query="$PULL_REQUEST" -f owner="${GITHUB_REPOSITORY%%/*}" \
        -f name="${GITHUB_REPOSITORY#*/}" -F number="$NUMBER_OF_PULL_REQUEST" --jq ".data.repository.pullRequest |
            \"pull \(.id) \(.headRefOid)\",
            (.comments.nodes[] | select(.viewerDidAuthor and (.body | startswith(\"$MARKER\"))) | \"own \(.id)\")") || return 1
    while read -r kind first rest; do
        case "$kind" in
            pull) pull=$first head=$rest ;;
            own) own=${own:-$first} ;;
        esac
    done <<<"$asked"
    [ -n "$pull" ] || return 1
    if [ "$head" != "$2" ]; then
        say "a newer commit was pushed, $head: its own run will comment"
        return 0
    fi
    if [ -n "$own" ]; then
        gh api graphql -f query="$EDIT" -f id="$own" -F body="@$1" >/dev/null
    else
        gh api graphql -f query="$ADD" -f id="$pull" -F body="@$1" >/dev/null
    fi
}

case "${1:-}" in
    install) install_program ;;
    check) check_change ;;
    file) file_reports ;;
    comment) comment ;;
    *) say 'usage: action.sh install|check|file|comment' >&2; exit 2 ;;
esac
