#!/bin/sh
# Files what test reports say, commits the ledgers and pushes the commit, on any CI: after the tests, in the checkout that they ran
# in. The same lines serve action.yml and .ci/gitlab-file.yml.
#
# usage: file.sh [--all] [--exit CODE] [--by NAME] [--skip-ci] [--push-to REMOTE] BRANCH REPORT...
#
# Without --all only what is stale or unmeasured, or whose verdict changes, is filed. A report whose name ends in .json is one in
# the Common Test Report Format, every other one is in JUnit's.
# If somebody else pushed in between, it begins again from the new tip, three times: what was measured may have moved.
# A branch that takes no push is said and is no failure.
# exit code: 0 filed, nothing to file, or not taken by the server; otherwise that of yatsu-hook or git
set -eu

only=--only-stale code='' by='' skip='' remote=origin
while :; do
    case ${1:-} in
        --all) only='' ;;
        --exit) code=$2 && shift ;;
        --by) by=$2 && shift ;;
        --skip-ci) skip=' [skip ci]' ;;
        --push-to) remote=$2 && shift ;;
        *) break ;;
    esac
    shift
done
[ $# -ge 2 ] || { echo 'usage: file.sh [--all] [--exit CODE] [--by NAME] [--skip-ci] [--push-to REMOTE] BRANCH REPORT...' >&2; exit 2; }
branch=$1
shift

# what a person should read; a forge may mark it
note() { printf '%s%s\n' "${NOTE_PREFIX:-note: }" "$1"; }

# a command for each format
file_all() {
    for form in junit ctrf; do
        (
            first=yes
            for report in "$@"; do
                [ -z "$first" ] || set --
                first=''
                case "$form $report" in ctrf\ *.json) ;; junit\ *.json | ctrf\ *) continue ;; esac
                set -- "$@" "$report"
            done
            [ $# -eq 0 ] ||
                yatsu-hook eval ${only:+"$only"} --ran-at "$begun" ${code:+--exit "$code"} ${by:+--by "$by"} "--from-$form" "$@"
        )
    done
}

ledgers=':(top,glob)**/*evals.ndjson'
name=${by:-$(git config user.name || echo CI)}
begun=$(git rev-parse HEAD)
for _ in 1 2 3; do
    base=$(git rev-parse HEAD)
    file_all "$@"
    if [ -z "$(git status --porcelain --untracked-files=all -- "$ledgers")" ]; then
        echo 'nothing is new'
        exit 0
    fi
    git add -A -- "$ledgers"
    # the ledgers alone, whatever else is staged; hooks are for people's commits
    git -c user.name="$name" -c user.email="$(git config user.email || echo ci@localhost)" \
        commit --quiet --no-verify --message "File the readings of CI$skip" -- "$ledgers"
    if said=$(git push --quiet --no-verify "$remote" "HEAD:refs/heads/$branch" 2>&1); then
        echo "filed, and pushed to $branch"
        # the text behind each reading goes where the team shares it
        [ -z "$(git config yatsu.share || true)" ] || yatsu-hook share push || note 'the evidence is not shared'
        exit 0
    fi
    git fetch --quiet --no-tags "$remote" "refs/heads/$branch"
    if git merge-base --is-ancestor FETCH_HEAD "$base"; then
        git reset --quiet --keep "$begun"
        note "$branch takes no push, so the readings are not filed: $(printf %s "$said" | tr '\n' ' ' | cut -c 1-300)"
        exit 0
    fi
    git reset --quiet --keep FETCH_HEAD
    # what moved meanwhile was not measured: it is passed over
    only=--only-stale
done
note "others pushed to $branch three times meanwhile: the next run files"
