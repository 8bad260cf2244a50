#!/bin/bash
# Ten things that happen to every repository, and what becomes of a claim "this was measured" in each: ours with and
# without the stamp, git-attest (crates.io) with the whole tree and with declared inputs, DVC (PyPI).
#
# usage: YATSU=target/debug/yatsu-hook [GIT_ATTEST=git-attest] [DVC=dvc] tests/battery.sh
#
# Every cell is a fresh repository with an origin: the claim is made about src/a.rs, the thing happens, the tool is asked.
# `holds`: the claim still counts. `lost`: it does not. A `!` marks an answer that differs from the truth, which is
# whether the bytes and the mode that were measured are the ones that are there. A tool that is not installed is left
# out. Exit 1 when our stamped claims give a wrong answer.
set -euo pipefail

yatsu=$(realpath "${YATSU:-target/debug/yatsu-hook}")
attest=$(command -v "${GIT_ATTEST:-git-attest}" || true)
dvc=$(command -v "${DVC:-dvc}" || true)

steps=(empty-commit unrelated-edit edit edit-and-revert pure-rename executable-bit squash-and-delete fresh-clone
    depth-1-clone commit-what-was-measured)
tools=(ours-stamped ours-unstamped)
[ -z "$attest" ] || tools+=(attest-tree attest-inputs)
[ -z "$dvc" ] || tools+=(dvc)

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
export HOME=$work/home GIT_CONFIG_GLOBAL=/dev/null GIT_CONFIG_NOSYSTEM=1 LC_ALL=C.UTF-8 DVC_NO_ANALYTICS=1
export GIT_AUTHOR_NAME=A GIT_AUTHOR_EMAIL=a@example.invalid GIT_COMMITTER_NAME=A GIT_COMMITTER_EMAIL=a@example.invalid
mkdir -p "$HOME"
ssh-keygen -q -t ed25519 -N '' -C '' -f "$work/key" </dev/null

commit() {
    git add -A
    git commit -q --no-verify --allow-empty -m "$1"
}

# A repository that declares, in the tool's own way, what the claim is about: src/a.rs.
declare_in() {
    mkdir -p src
    echo 'fn a() {}' >src/a.rs
    echo 'fn b() {}' >src/b.rs
    case $1 in
    ours-*)
        mkdir -p .spec/board
        printf -- '---\nscenarios:\n  - name: works\n    description: measure it\n    expected: it behaves\n    tags: [cli]\n    code: src/a.rs\n---\n' \
            >.spec/board/yatsu.md
        [ "$1" = ours-stamped ] || echo '{"yatsu": {"stampContent": false}}' >spexcode.json
        ;;
    attest-*)
        mkdir -p .github
        echo "a@example.invalid namespaces=\"amont-attest\" $(cat "$work/key.pub")" >.github/allowed_signers
        [ "$1" = attest-tree ] || echo 'measured src/a.rs' >.github/attest-inputs
        ;;
    dvc)
        "$dvc" init -q
        printf 'stages:\n  measured:\n    cmd: "true"\n    deps:\n      - src/a.rs\n' >dvc.yaml
        ;;
    esac
}

# Claims that src/a.rs was measured as it lies there.
claim() {
    case $1 in
    ours-*) "$yatsu" eval board --scenario works --pass >/dev/null 2>&1 ;;
    attest-*) "$attest" sign --gates measured --allow-dirty --quiet <"$work/key" ;;
    dvc) "$dvc" repro -q ;;
    esac
}

# Commits what the claim left behind and nothing else.
commit_claim() {
    git add -- .spec dvc.lock 2>/dev/null || git add -- .spec 2>/dev/null || git add -- dvc.lock 2>/dev/null || true
    git diff --cached --quiet || git commit -q --no-verify -m claim
}

before() {
    case $1 in
    squash-and-delete)
        git switch -qc side
        echo 'fn a() { 1 }' >src/a.rs
        commit edit
        ;;
    commit-what-was-measured) echo 'fn a() { 1 }' >src/a.rs ;;
    esac
}

after() {
    case $1 in
    empty-commit) git commit -q --no-verify --allow-empty -m empty ;;
    unrelated-edit)
        echo 'fn b() { 1 }' >src/b.rs
        commit edit
        ;;
    edit)
        echo 'fn a() { 1 }' >src/a.rs
        commit edit
        ;;
    edit-and-revert)
        echo 'fn a() { 1 }' >src/a.rs
        commit edit
        git revert --no-edit HEAD >/dev/null
        ;;
    pure-rename)
        git mv src/a.rs src/moved.rs
        for file in .spec/board/yatsu.md .github/attest-inputs dvc.yaml; do
            [ ! -f "$file" ] || sed -i 's,src/a\.rs,src/moved.rs,' "$file"
        done
        commit rename
        ;;
    executable-bit)
        chmod +x src/a.rs
        commit mode
        ;;
    squash-and-delete)
        git switch -q main
        echo 'fn b() { 1 }' >src/b.rs
        commit 'meanwhile on main'
        git merge -q --squash side >/dev/null 2>&1
        commit squashed
        git branch -qD side
        git reflog expire --expire=now --all
        git gc -q --prune=now
        ;;
    fresh-clone | depth-1-clone)
        git push -q origin main
        depth=$([ "$1" = fresh-clone ] || echo --depth=1)
        # shellcheck disable=SC2086
        git clone -q $depth "file://$PWD/../origin.git" ../clone
        cd ../clone
        ;;
    commit-what-was-measured) commit 'exactly what was measured' ;;
    esac
}

ask() {
    case $1 in
    ours-*)
        "$yatsu" scan --format json >"$work/answer" || [ $? -eq 1 ] || { echo error && return; }
        if grep -qE '"yatsu-(drift|missing)"|not judged' "$work/answer"; then echo lost; else echo holds; fi
        ;;
    attest-*) if [ "$("$attest" covered 2>/dev/null)" = measured ]; then echo holds; else echo lost; fi ;;
    dvc) if "$dvc" status -q; then echo holds; else echo lost; fi ;;
    esac
}

truth() {
    case $1 in
    edit | executable-bit) echo lost ;;
    *) echo holds ;;
    esac
}

# The answer of tool $1 after step $2.
cell() (
    dir=$work/$1-$2
    mkdir -p "$dir"
    cd "$dir"
    git init -q --bare -b main origin.git
    git clone -q origin.git repo 2>/dev/null
    cd repo
    git switch -qc main 2>/dev/null || true
    declare_in "$1"
    commit first
    git push -q origin main
    before "$2"
    claim "$1"
    [ "$2" = commit-what-was-measured ] || commit_claim
    after "$2" >&2
    ask "$1"
)

printf '%-26s %-7s' step truth
printf ' %-15s' "${tools[@]}"
echo
wrong=0
for step in "${steps[@]}"; do
    truth=$(truth "$step")
    printf '%-26s %-7s' "$step" "$truth"
    for tool in "${tools[@]}"; do
        answer=$(cell "$tool" "$step")
        mark=$([ "$answer" = "$truth" ] || echo ' !')
        [ -z "$mark" ] || [ "$tool" != ours-stamped ] || wrong=1
        printf ' %-15s' "$answer$mark"
    done
    echo
done
exit $wrong
