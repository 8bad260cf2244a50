#!/bin/sh
# GitPython, from PyPI, leaves an index whose cached trees (the TREE extension) are not those of its entries: then git
# itself sees nothing staged, and neither does pre-commit; what GitPython commits from the entries has what nobody looked
# at. Shows that pre-push and pre-receive refuse the push of it. Prints a table; exits 1 when a row is not right or
# GitPython could not be installed.
#
# usage: tests/gitpython.sh PROGRAM
# Needs git, sha256sum and python3 with venv.
set -eu

[ $# -eq 1 ] || { sed -n '7,8s/^# \{0,1\}//p' "$0" >&2; exit 2; }
fail() { echo "gitpython.sh: $1" >&2; exit 1; }
program=$(cd "$(dirname "$1")" && pwd)/$(basename "$1")
[ -x "$program" ] || { echo "gitpython.sh: $program is not executable" >&2; exit 2; }

work=$(mktemp -d)
trap 'cd /; rm -rf "$work"' EXIT
trap 'exit 1' INT TERM HUP
mkdir "$work/home"
python3 -m venv "$work/python"
"$work/python/bin/pip" install -q GitPython || fail 'GitPython could not be installed from PyPI'

# Nothing of this machine's git configuration, home or environment takes part.
isolated() {
    env -i PATH="$PATH" HOME="$work/home" LC_ALL=C.UTF-8 GIT_CONFIG_GLOBAL=/dev/null GIT_CONFIG_NOSYSTEM=1 \
        GIT_AUTHOR_NAME=A GIT_AUTHOR_EMAIL=a@example.invalid GIT_COMMITTER_NAME=A GIT_COMMITTER_EMAIL=a@example.invalid \
        "$@"
}
g() { isolated git -C "$work/repo" "$@"; }

# Stages the file $1 and commits it, keeping the extensions that the index had. GitPython runs the pre-commit hook.
commit_by_library() {
    isolated "$work/python/bin/python" - "$work/repo" "$1" "$2" <<'PYTHON'
import subprocess, sys
import git

root, path, how = sys.argv[1:]
index = git.Repo(root).index
if how == "written apart":
    index.add([path], write=False)
    index.write(ignore_extension_data=False)
else:
    index.add([path], write_extension_data=True)
seen = subprocess.run(["git", "-C", root, "diff", "--cached", "--name-only"], capture_output=True, text=True, check=True)
print("seen" if path in seen.stdout else "not seen")
index.commit("by the library")
PYTHON
}

hook() {
    printf '#!/bin/sh\nexec "%s" %s\n' "$program" "$2" >"$1"
    chmod +x "$1"
}

new_repository() {
    rm -rf "$work/repo" "$work/up.git"
    isolated git init -q -b main "$work/repo"
    isolated git init -q --bare -b main "$work/up.git"
    mkdir -p "$work/repo/.spec/board" "$work/repo/src"
    echo start >"$work/repo/src/a"
    printf -- '---\nscenarios:\n  - name: renders\n    description: open it\n    expected: it shows\n    tags: [cli]\n    code: src/a\n---\n' \
        >"$work/repo/.spec/board/yatsu.md"
    g add -A
    g commit -q -m start
    printf '{"scenario":"renders","codeSha":"%s","blob":null,"evaluator":"manual@1","verdict":{"status":"fail"},"ts":"2026-01-01T00:00:00.000Z"}\n' \
        "$(g rev-parse HEAD)" >"$work/repo/.spec/board/yatsu.evals.ndjson"
    echo other >"$work/repo/src/b"
    g add -A
    g commit -q -m measured
    g remote add up "$work/up.git"
    g push -q up main
    hook "$work/repo/.git/hooks/pre-commit" pre-commit
}

evidence() { echo 'a transcript of some thirty-two bytes and more'; }

# Makes the change $1, each in a file that is there already (a new one is noticed by the number of entries), in the work tree and says which file it is.
change() {
    case $1 in
    malformed) echo 'scenarios: MALFORMED' >"$work/repo/.spec/board/yatsu.md"; echo .spec/board/yatsu.md ;;
    forged)
        sed 's/fail/pass/' "$work/repo/.spec/board/yatsu.evals.ndjson" >"$work/forged"
        mv "$work/forged" "$work/repo/.spec/board/yatsu.evals.ndjson"
        echo .spec/board/yatsu.evals.ndjson
        ;;
    evidence)
        evidence >"$work/repo/src/b"
        for cache in "$work/repo/.git" "$work/up.git"; do
            mkdir -p "$cache/spexcode/yatsu-blobs"
            evidence >"$cache/spexcode/yatsu-blobs/$(evidence | sha256sum | cut -d' ' -f1)"
        done
        echo src/b
        ;;
    good) echo more >"$work/repo/src/b"; echo src/b ;;
    esac
}

push() { if g push -q up main >"$work/said" 2>&1; then echo passes; elif grep -q "error\[$1\]" "$work/said"; then echo refuses; else echo OTHER; fi; }

bad=0
row() { printf '%-10s %-16s %-14s %-10s %-12s\n' "$@"; }
row change index 'git diff' pre-push pre-receive
for case in malformed:yatsu-schema forged:ledger-history evidence:stray-blob good:none; do
    for how in 'written at once' 'written apart'; do
        kind=${case%%:*}
        wanted=refuses
        [ "$kind" = good ] && wanted=passes
        new_repository
        seen=$(commit_by_library "$(change "$kind")" "$how") || fail "the commit of $kind, $how, was not made"
        # shellcheck disable=SC2016
        hook "$work/repo/.git/hooks/pre-push" 'pre-push "$@"'
        client=$(push "${case#*:}")
        rm "$work/repo/.git/hooks/pre-push"
        [ "$client" = refuses ] || isolated git -C "$work/up.git" update-ref refs/heads/main "$(g rev-parse HEAD~1)"
        hook "$work/up.git/hooks/pre-receive" pre-receive
        server=$(push "${case#*:}")
        row "$kind" "$how" "$seen" "$client" "$server"
        if [ "$client$server" != "$wanted$wanted" ]; then
            bad=1
            sed 's/^/    | /' "$work/said"
        fi
        # where git sees what is staged there is nothing to show any more
        if [ "$seen" = seen ]; then bad=1; fi
    done
done
exit "$bad"
