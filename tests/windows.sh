#!/usr/bin/env bash
# The Windows program and Git for Windows under wine, beside the Linux program on the same repositories.
# usage: tests/windows.sh MACHINE WINDOWS_PROGRAM LINUX_PROGRAM [--full] [CASE...]
#   MACHINE: the directory of wine, git.exe and a compiler; ../shared/wine/setup.sh makes it if it is missing. CASE: x3, for example
# wine cannot judge mandatory locks, rights, links, consoles, speed and power cuts: these cases need Windows itself.
set -uo pipefail
[ $# -ge 3 ] || { sed -n '2,5s/^# \{0,1\}//p' "$0" >&2; exit 2; }
top=$(cd "$(dirname "$0")/.." && pwd)
for file in "$2" "$3"; do [ -f "$file" ] || { echo "$file is no program" >&2; exit 2; }; done
[ -x "$1/wine-run" ] || "$top/../shared/wine/setup.sh" "$1" || { echo "$1 has no wine, and it could not be made" >&2; exit 2; }
machine=$(cd "$1" && pwd) exe=$(realpath "$2") linux=$(realpath "$3")
shift 3
crowd=10 kills=12
[ "${1-}" = --full ] && { crowd=200 kills=200; shift; }
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
export YATSU_HOOK_EXE=$exe GIT_CONFIG_NOSYSTEM=1 GIT_CONFIG_GLOBAL=$scratch/gitconfig
printf '[user]\n\tname = n\n\temail = n@example.invalid\n[init]\n\tdefaultBranch = main\n[core]\n\tautocrlf = false\n' >"$GIT_CONFIG_GLOBAL"
unset GIT_DIR GIT_INDEX_FILE GIT_WORK_TREE
failed=0 checked=0 lost=0

# sh of Git for Windows prints a warning under wine that Windows does not print
plain() { sed '/^Cygwin WARNING/,/^$/d' "$1" | sed '/LF will be replaced by CRLF/d; /FAST_CWD\|This typically occurs\|an older Cygwin\|available Cygwin\|please see https/d; /^ *$/d'; }
win() { "$machine/wine-run" "$@"; }
wgit() { "$machine/wine-git" "$@"; }
no() { printf '%s: %s\n' "$case" "$*" >&2; failed=$((failed + 1)); return 0; }
# run CODE COMMAND...: runs the command; its output is in $out and $err
# wine loses the exit code of a process now and then: it arrives as 0 (see `lost_codes`). So a refusal of our program alone, which
# changes nothing, is asked for once more, and counted. What git refuses by a hook is not: the commit would be made.
run() {
    local wanted=$1 code=0
    shift
    "$@" >"$scratch/out" 2>"$scratch/err.all" || code=$?
    if [ "$code" = 0 ] && [ "$wanted" != 0 ] && [ "$1" = win ]; then
        lost=$((lost + 1))
        "$@" >"$scratch/out" 2>"$scratch/err.all" || code=$?
    fi
    plain "$scratch/err.all" >"$scratch/err"
    out=$(cat "$scratch/out") err=$(cat "$scratch/err") checked=$((checked + 1))
    [ "$code" = "$wanted" ] || no "exit $code, not $wanted: $*: $out $err"
}
has() { checked=$((checked + 1)); case "$out$err" in *"$1"*) ;; *) no "says nothing of \`$1\`: $out $err" ;; esac; }
same() { checked=$((checked + 1)); [ "$2" = "$3" ] || no "$1 differs: $2 / $3"; }
# both ARGS...: the two programs give the same answer and the same exit code
both() {
    local one two rc=0 rc2=0
    one=$(win "$@" 2>"$scratch/one.err") || rc=$?
    two=$("$linux" "$@" 2>"$scratch/two.err") || rc2=$?
    checked=$((checked + 1))
    [ "$rc" = "$rc2" ] || no "exit $rc on Windows, $rc2 on Linux: $*: $(plain "$scratch/one.err")"
    [ "$one" = "$two" ] || { no "another answer: $*"; diff <(echo "$one") <(echo "$two") | head -5 >&2; }
}
good() { printf -- '---\nscenarios:\n  - name: a\n    description: Run it.\n    expected: It says so.\n    tags: [cli]\n    code: [src/a.rs]\n---\n'; }
bad() { printf -- '---\nscenarios:\n  - name: half\n---\n'; }
# repository DIRECTORY: one with a node and its code, committed, with the hooks
repository() {
    mkdir -p "$1/src" "$1/.spec/demo" && cd "$1" || exit 1
    wgit init -q .
    printf 'fn a() {}\nfn b() {}\n' >src/a.rs
    printf -- '---\ntitle: demo\nstatus: active\ncode:\n  - src/a.rs\n---\n' >.spec/demo/spec.md
    good >.spec/demo/yatsu.md
    wgit add -A && run 0 wgit commit -qm first
}

named() { sed 's/yatsu-hook\.exe/yatsu-hook/g'; }
# help_pages VERB...: the help of the verb, and of each verb below it
help_pages() {
    local text below
    text=$("$linux" "$@" --help)
    pages=$((pages + 1))
    same "$* --help" "$(win "$@" --help | named)" "$text"
    for below in $(sed -n 's/^  \([a-z][a-z-]*\)  .*/\1/p' <<<"$text"); do help_pages "$@" "$below"; done
}
x1() { # what is printed, and exit codes
    same version "$(win --version)" "$("$linux" --version)"
    pages=0
    help_pages
    [ "$pages" -gt 60 ] || no "only $pages help pages"
    for page in more hooks; do same "help $page" "$(win help $page | named)" "$("$linux" help $page)"; done
    win --help | grep -q $'\r' && no 'CR in the output'
    repository "$scratch/x1"
    run 0 win ls
    printf -- 'x' >>src/a.rs; bad >.spec/demo/yatsu.md
    run 1 win scan
    run 2 win --nonsense
    mkdir "$scratch/none" && cd "$scratch/none"
    run 3 win scan
    has 'not inside a git repository'
    run 3 "$machine/wine-exec" cmd /c "Z:${exe//\//\\} scan"
}
x2() { # arguments and paths
    repository "$scratch/x2"
    local note='Grüße "x" * end\'
    run 0 win eval demo/a --pass --note "$note"
    run 0 "$linux" show demo/a
    has "$note"
    for path in 'src\a.rs' "Z:${PWD//\//\\}\\src\\a.rs" "z:$PWD/src/a.rs" './src/a.rs'; do
        run 0 "$machine/wine-exec" "$exe" impact "$path"
        has 'demo/a'
    done
    cd src
    run 0 "$machine/wine-exec" "$exe" -C "z:$scratch/x2" ls
    has 'demo/a'
}
x3() { # commits
    repository "$scratch/x3"
    run 0 win install
    bad >.spec/demo/yatsu.md
    wgit add -A
    for way in '' -a --amend; do run 1 wgit commit -q $way -m bad; has 'yatsu-schema'; done
    run 1 wgit commit -qm bad -- .spec/demo/yatsu.md
    cd src
    run 1 wgit commit -qam bad
    cd ..
    good >.spec/demo/yatsu.md
    echo '// more' >>src/a.rs
    run 0 win eval demo/a --pass
    wgit add -A
    run 0 wgit commit -qm good
    same 'a good commit says' "$out$err" ''
    wgit init -q "$scratch/x3b" && cd "$scratch/x3b"
    run 0 win install
    mkdir -p .spec/demo src && echo x >src/a.rs && bad >.spec/demo/yatsu.md
    wgit add -A
    run 1 wgit commit -qm 'a bad first one'
    good >.spec/demo/yatsu.md
    printf -- '---\ntitle: demo\nstatus: active\ncode:\n  - src/a.rs\n---\n' >.spec/demo/spec.md
    wgit add -A
    run 0 wgit commit -qm first
}
x4() { # pushes, a server, a linked work tree, a merge
    repository "$scratch/x4"
    wgit init -q --bare "$scratch/x4.git"
    run 0 win -C "$scratch/x4.git" install --hooks pre-receive
    wgit remote add origin "Z:$scratch/x4.git"
    run 0 wgit push -q origin HEAD:main
    run 0 win install
    wgit checkout -q -b side
    run 0 win eval demo/a --pass --note side
    wgit add -A && run 0 wgit commit -qm side
    wgit checkout -q main
    run 0 win eval demo/a --fail --note main
    wgit add -A && run 0 wgit commit -qm main
    run 0 wgit push -q origin main side
    run 0 wgit push -q origin :side
    run 0 wgit merge -q side -m merge
    same 'lines after a merge' "$(grep -c . .spec/demo/yatsu.evals.ndjson)" 2
    run 0 wgit push -q origin main
    bad >.spec/demo/yatsu.md
    wgit commit -q --no-verify -am bad
    run 1 wgit push -q origin main
    run 1 wgit push -q --no-verify origin main
    has 'yatsu-schema'
    wgit reset -q --hard HEAD~1
    wgit worktree add -q ../x4-linked -b linked
    cd ../x4-linked && bad >.spec/demo/yatsu.md
    run 1 wgit commit -qam 'bad in a linked work tree'
    run 1 win scan
}
x5() { # names of directories that need quotes
    mkdir -p "$scratch/a b's & 100% ü/bin"
    cp "$exe" "$scratch/a b's & 100% ü/bin/yatsu-hook.exe"
    local YATSU_HOOK_EXE="$scratch/a b's & 100% ü/bin/yatsu-hook.exe"
    export YATSU_HOOK_EXE
    repository "$scratch/a b's & 100% ü/r"
    run 0 win install
    bad >.spec/demo/yatsu.md
    run 1 wgit commit -qam bad
    good >.spec/demo/yatsu.md
    echo '// more' >>src/a.rs
    run 0 wgit commit -qam good
    wgit config core.hooksPath "Z:$PWD/my hooks & more"
    mkdir 'my hooks & more'
    run 0 win install
    bad >.spec/demo/yatsu.md
    run 1 wgit commit -qam 'bad, by core.hooksPath'
    export YATSU_HOOK_EXE=$exe
}
x6() { # install and uninstall
    repository "$scratch/x6"
    printf '#!/bin/sh\necho foreign >>ran\n' >.git/hooks/pre-commit
    cp .git/hooks/pre-commit "$scratch/foreign"
    run 0 win install
    grep '^write\|^keep' <<<"$out$err" | grep -F '\' && no 'a printed path has slashes of two kinds'
    find .git/hooks -type f -exec sha256sum {} + | sort >"$scratch/once"
    cp .git/config "$scratch/config"
    run 0 win install
    find .git/hooks -type f -exec sha256sum {} + | sort | cmp -s - "$scratch/once" || no 'a second install wrote other hooks'
    cmp -s .git/config "$scratch/config" || no 'a second install wrote another configuration'
    echo '// more' >>src/a.rs
    run 0 wgit commit -qam good
    same 'the foreign hook ran' "$(cat ran)" foreign
    run 0 win uninstall
    cmp -s .git/hooks/pre-commit "$scratch/foreign" || no 'the foreign hook did not come back'
    rm .git/hooks/pre-commit
    cp "$exe" "$scratch/gone.exe"
    YATSU_HOOK_EXE=$scratch/gone.exe win install >/dev/null 2>&1
    rm "$scratch/gone.exe"
    echo '// more' >>src/a.rs
    run 3 wgit hook run pre-commit
    has 'could not check'
    run 0 win doctor
    has 'gone.exe is gone'
}
x7() { # a real repository
    wgit clone -q "Z:$top/.git" "$scratch/x7" 2>/dev/null || git clone -q "$top" "$scratch/x7"
    cd "$scratch/x7" || return
    for asked in 'scan --format json' 'check --all --format json' 'ls --format json' 'usage --format json'; do both $asked; done
    wgit checkout -q -B main 2>/dev/null
    wgit read-tree --reset -u HEAD
    both scan --format json
}
x8() { # line ends
    repository "$scratch/x8"
    run 0 win eval demo/a --pass
    printf '*.txt text eol=crlf\n*.bin -text\n' >.gitattributes
    printf 'a\nb\n' >t.txt
    printf 'a\r\nb\r\n' >t.bin
    wgit add -A && run 0 wgit commit -qm second
    run 0 win eval demo/a --pass --note again
    wgit add -A && run 0 wgit commit -qm third
    wgit clone -q -c core.autocrlf=true "Z:$PWD" "$scratch/x8b" 2>/dev/null
    cd "$scratch/x8b" || return
    grep -q $'\r' src/a.rs || no 'git.exe checked out no CR LF'
    run 0 win scan
    has '1 fresh'
    both ls --format json
    run 0 wgit status --porcelain
    same 'a clean clone' "$out" ''
    run 0 win eval demo/a --pass --note crlf
    wgit add -A && run 0 wgit commit -qm fourth
    git cat-file blob HEAD:.spec/demo/yatsu.evals.ndjson | grep -q $'\r' && no 'CR in a committed ledger'
    run 0 win ls
    has fresh
}
x9() { # the mode is the index's
    repository "$scratch/x9"
    wgit update-index --chmod=+x src/a.rs && run 0 wgit commit -qm mode
    run 0 win eval demo/a --pass
    wgit config core.filemode true
    run 0 win ls
    has fresh
}
x10() { # a file that is unchanged by its time and size is not read again
    repository "$scratch/x10"
    wgit config core.trustctime false
    run 0 win eval demo/a --pass
    touch -d '1 hour ago' src/a.rs
    wgit update-index --refresh
    touch -r src/a.rs "$scratch/time"
    printf 'fn x() {}\nfn y() {}\n' >src/a.rs
    touch -r "$scratch/time" src/a.rs
    run 0 win ls
    has fresh
    touch src/a.rs
    run 0 win ls
    has stale
}
x11() { # a path in another case than git's
    repository "$scratch/x11"
    good | sed 's|code: .*|code: [src/A.rs]|' >.spec/demo/yatsu.md
    run 1 win scan
    has '"src/A.rs", which is not tracked by git'
    # there the file does not exist at all, and that is a ghost, too
    run 1 "$linux" scan
    has '"src/A.rs", which does not exist'
    # one directory of Windows cannot hold these two nodes: a commit of Linux can
    mkdir "$scratch/x11b" && cd "$scratch/x11b" || return
    git init -q . && mkdir -p src .spec/demo .spec/Demo
    printf 'fn a() {}\n' >src/a.rs && printf 'fn b() {}\n' >src/A.rs
    good >.spec/demo/yatsu.md && good | sed 's|code: .*|code: [src/A.rs]|' >.spec/Demo/yatsu.md
    for node in demo Demo; do printf -- '---\ntitle: %s\nstatus: active\ncode:\n  - src/a.rs\n---\n' $node >.spec/$node/spec.md; done
    git add -A && git commit -qm 'two of each'
    both scan --rev HEAD --format json
    both check --rev HEAD --format json
}
x12() { # names that Windows opens as another thing
    mkdir -p "$scratch/x12/.spec/demo" && cd "$scratch/x12" || return
    git init -q . && git config core.protectNTFS false
    mkdir -p src
    for name in con nul.txt 'a:b' 'a?' 'a|b' 'git~1'; do echo x >"src/$name"; done
    good | sed 's|code: .*|code: [src/con, src/nul.txt, "src/a:b", "src/git~1"]|' >.spec/demo/yatsu.md
    printf -- '---\ntitle: demo\nstatus: active\ncode:\n  - src/con\n---\n' >.spec/demo/spec.md
    git add -A && git commit -qm odd
    both scan --rev HEAD --format json
    code=0
    timeout 60 "$machine/wine-run" scan >"$scratch/out" 2>&1 || code=$?
    case $code in 0 | 1 | 3) ;; *) no "scan of odd names: exit $code: $(cat "$scratch/out")" ;; esac
    grep -qi panicked "$scratch/out" && no 'a panic'
    out=$(cat "$scratch/out") err=
    has 'no file on this system can have this name'
    git rm -q -r --cached src && rm -r src && mkdir src && echo x >src/a.rs && git add -A
    run 3 win new nul --code src/a.rs
    [ ! -e .spec/nul ] || no 'a node was made by the name of a device'
    echo x >COM1.txt
    for asked in 'eval demo/a --pass --result con' 'eval demo/a --pass --result COM1.txt' 'eval demo/a --pass --image aux.md' \
        'report --html x:y' 'report --html nul' 'report --html page.html.' 'evidence put COM¹' 'impact src/con' '-C nul ls' \
        'evidence put //./COM1' 'share on file:Z:'"$scratch"'/con'; do
        case $asked in share*) run 3 win $asked ;; *) run 2 win $asked && has 'names no file' ;; esac
    done
    [ ! -e nul ] && [ ! -e x:y ] && [ ! -e x ] && [ ! -e page.html ] && [ ! -e "$scratch/con" ] || no 'something was made'
    [ ! -e .spec/demo/yatsu.evals.ndjson ] || no 'something was filed'
}
x13() { # long names, and names that are no text
    repository "$scratch/x13"
    local deep=deep part
    for part in $(seq 12); do deep=$deep/$(printf 'd%.0s' $(seq 30)); done
    mkdir -p "$deep" && echo x >"$deep/f.rs"
    good | sed "s|code: .*|code: [$deep/f.rs]|" >.spec/demo/yatsu.md
    git config core.fileMode false && git add -A && git commit -qm deep
    run 0 win eval demo/a --pass
    both ls --format json
    echo y >"$deep/f.rs"
    both ls --format json
    git checkout -q -- "$deep"
    # one letter by one sign, and by a letter with an accent: two files, as in git
    local one two
    one=$(printf 'caf\303\251.rs') two=$(printf 'cafe\314\201.rs')
    echo one >"src/$one" && echo two >"src/$two"
    good | sed "s|code: .*|code: [src/$one]|" >.spec/demo/yatsu.md
    git add -A && git commit -qm 'two forms of one letter'
    run 0 win eval demo/a --pass --note accent
    both ls --format json
    echo three >"src/$two"
    run 0 win ls
    has fresh
    echo three >"src/$one"
    run 0 win ls
    has stale
    both ls --format json
    git checkout -q -- src && git rm -q --cached "src/$one" && rm "src/$one" && git commit -qm 'one of them'
    both scan --format json
    run 1 win scan
    has 'which does not exist'
    good | sed "s|code: .*|code: [$deep/f.rs]|" >.spec/demo/yatsu.md && git add -A
    printf 'x' >"src/$(printf '\xff')" && git add -A && git commit -qm 'no text'
    both scan --rev HEAD --format json
    code=0
    win scan >"$scratch/out" 2>&1 || code=$?
    grep -qi panicked "$scratch/out" && no "a panic: $(cat "$scratch/out")"
    [ "$code" -le 3 ] || no "exit $code"
}
x14() { # both programs write and read one repository
    repository "$scratch/x14"
    run 0 win eval demo/a --pass --note one
    run 0 "$linux" eval demo/a --fail --note two
    run 0 win retract demo/a --note mistake
    both show demo/a --format json
    both ls --format json
    printf '{"half' >>.spec/demo/yatsu.evals.ndjson
    run 1 win eval demo/a --pass
    run 0 win repair
    run 0 win eval demo/a --pass --note mended
    both show demo/a --format json
    run 0 win claim take demo/a --as agent-1
    both claim ls --format json
    run 1 "$linux" claim take demo/a --as agent-2
    has 'is held by agent-1'
}
crowd_of() { # NUMBER of readings of each of four processes
    local one
    for one in 1 2 3 4; do
        (for number in $(seq "$1"); do win eval demo/a --pass --note "w$one-$number-" >/dev/null 2>"$scratch/crowd.$one" || { echo "w$one-$number"; cat "$scratch/crowd.$one"; }; done) &
    done
    wait
}
x15() { # many writers, and kills
    repository "$scratch/x15"
    local wrong ledger=.spec/demo/yatsu.evals.ndjson pid
    wrong=$(crowd_of "$crowd")
    same 'refused in the crowd' "$wrong" ''
    same 'lines of the crowd' "$(grep -c . $ledger)" $((4 * crowd))
    same 'different notes of the crowd' "$(grep -o 'w[1-4]-[0-9]*-' $ledger | sort -u | wc -l)" $((4 * crowd))
    head -c 300000 /dev/urandom >"$scratch/x15.bin"
    for number in $(seq "$kills"); do
        # not by the function: the shell would run it in a process of its own, and that one would be killed
        "$machine/wine-run" eval demo/a --pass --result "$scratch/x15.bin" --note "k$number-" >"$scratch/killed" 2>&1 &
        pid=$!
        sleep "0.$((number * 37 % 90 + 10))"
        kill -9 $pid 2>/dev/null
        wait $pid 2>/dev/null
        # the line was reported: it must be there
        grep -q '^filed' "$scratch/killed" && { grep -q "k$number-" $ledger || no "kill $number: a reported line is lost"; }
        "$linux" show demo/a >/dev/null 2>"$scratch/err" || no "kill $number: $(cat "$scratch/err")"
    done
    run 0 win eval demo/a --pass --note 'after the kills'
    run 0 win evidence check
    [ -z "$(tail -c1 $ledger)" ] || no 'the ledger has no line feed at its end'
    same 'a line that is no JSON' "$(python3 -c 'import json,sys
for line in open(sys.argv[1], encoding="utf-8"): json.loads(line)' $ledger 2>&1)" ''
    run 0 win clean
    run 0 win clean --dry-run
    # another program holds a file: nothing is filed, and the next command works
    printf '#include <windows.h>\n#include <stdio.h>\n#include <string.h>\nint main(int c, char **v) { int alone = !strcmp(v[2], "alone"); HANDLE f = CreateFileA(v[1], GENERIC_READ | GENERIC_WRITE, alone ? 0 : 7, 0, OPEN_EXISTING, 0, 0); OVERLAPPED o = {0}; if (f == INVALID_HANDLE_VALUE) return 1; if (!alone && !LockFileEx(f, 2, 0, ~0, ~0, &o)) return 1; puts("held"); fflush(stdout); Sleep(60000); return 0; }\n' >"$scratch/lock.c"
    "$machine/mingw/bin/x86_64-w64-mingw32-gcc" "$scratch/lock.c" -o "$scratch/lock.exe" || { no 'no compiler for a foreign lock'; return; }
    against locked .git/yatsu/ledger.lock 'is held by' eval demo/a --pass --note 'against a lock'
    against alone $ledger 'in use by another program' eval demo/a --pass --note 'against an owner of the ledger'
    against alone .git/index 'in use by another program' scan
    local piece
    piece=$(find .git/spexcode -type f -size 293k | head -1)
    against alone "$piece" 'nothing filed' eval demo/a --pass --result "$scratch/x15.bin" --note 'against an owner of evidence'
    run 0 win evidence check
}
# against HOW FILE TEXT ARGS...: while another program holds the file, the command exits 3 and says so, and files nothing
against() {
    local how=$1 file=$2 text=$3 lines pid from=$SECONDS ledger=.spec/demo/yatsu.evals.ndjson
    shift 3
    lines=$(grep -c . $ledger)
    : >"$scratch/held"
    "$machine/wine-exec" "$scratch/lock.exe" "$file" "$how" >"$scratch/held" 2>/dev/null &
    pid=$!
    for number in $(seq 100); do grep -q held "$scratch/held" && break; sleep 0.1; done
    grep -q held "$scratch/held" || no "no program holds $file"
    run 3 win "$@"
    has "$text"
    [ $((SECONDS - from)) -lt 30 ] || no "$* waited $((SECONDS - from)) s"
    kill -9 $pid
    wait $pid 2>/dev/null
    same "lines after $how $file" "$(grep -c . $ledger)" "$lines"
    run 0 win eval demo/a --pass --note "after $how"
}
x16() { # git.exe commits while scans run
    repository "$scratch/x16"
    local pid
    (while [ ! -e "$scratch/x16.end" ]; do win scan >/dev/null 2>&1; done) &
    pid=$!
    for number in $(seq 8); do
        echo "// $number" >>src/a.rs
        run 0 wgit commit -qam "$number"
    done
    touch "$scratch/x16.end"
    wait $pid
}
x17() { # evidence, byte for byte
    repository "$scratch/x17"
    local name
    printf 'a\r\nb\032c\0d' >"$scratch/x17.bin"
    name=$(sha256sum <"$scratch/x17.bin" | cut -d' ' -f1)
    run 0 win eval demo/a --pass --result "$scratch/x17.bin"
    cmp -s "$scratch/x17.bin" "$(find .git -name "$name*" -type f)" || no 'other bytes by a file'
    run 0 win evidence get "$name" --output "$scratch/x17.got"
    cmp -s "$scratch/x17.bin" "$scratch/x17.got" || no 'other bytes came back'
    printf 'e\r\nf\032g\0h' | win eval demo/a --pass --result - >/dev/null 2>&1
    name=$(printf 'e\r\nf\032g\0h' | sha256sum | cut -d' ' -f1)
    local place
    place=$(find .git -name "$name*" -type f)
    [ -n "$place" ] || { no 'other bytes by a pipe'; return; }
    [ ! -w "$place" ] || [ "$(id -u)" = 0 ] || no 'evidence is writable'
    chmod u+w "$place" && printf X | dd of="$place" bs=1 seek=2 conv=notrunc 2>/dev/null && chmod 444 "$place"
    run 1 win evidence check
    printf 'e\r\nf\032g\0h' >"$scratch/x17.again"
    run 0 win evidence put "$scratch/x17.again"
    run 0 win evidence check
}
x18() { # clean and share
    repository "$scratch/x18"
    echo kept >"$scratch/kept" && echo lost >"$scratch/lost"
    run 0 win eval demo/a --pass --result "$scratch/kept"
    wgit add -A && run 0 wgit commit -qm kept
    run 0 win evidence put "$scratch/lost"
    find .git/spexcode -type f -exec touch -d '90 days ago' {} +
    run 0 win clean
    has 'collected 1 piece'
    run 0 win clean --undo
    run 0 win evidence check
    mkdir "$scratch/shelf"
    run 0 win share on "file:Z:$scratch/shelf"
    run 0 win share push
    wgit clone -q "Z:$PWD" "$scratch/x18b" 2>/dev/null
    cd "$scratch/x18b" || return
    run 0 win share on "file:Z:$scratch/shelf"
    run 0 win share get
    run 0 win evidence check
    both ls --format json
}
x19() { # programs in the work tree are never run
    repository "$scratch/x19"
    local name
    for name in git.exe git.bat git.cmd sh.exe ssh-keygen.exe; do
        printf '@echo off\necho ran >Z:%s\\ran.txt\n' "${scratch//\//\\}" >"$name"
    done
    printf '[core]\n\tfsmonitor = "echo ran >%s/ran.txt"\n\tsshCommand = "echo ran >%s/ran.txt"\n' "$scratch" "$scratch" >>.git/config
    run 0 win scan
    win doctor >/dev/null 2>&1
    run 0 win eval demo/a --pass
    YATSU_WINE_PATH=. win usage >/dev/null 2>&1
    [ ! -e "$scratch/ran.txt" ] || no 'a program of the work tree ran'
}
x20() { # other forms of repositories, which git.exe reads for us
    mkdir "$scratch/x20" && cd "$scratch/x20" || return
    wgit init -q --object-format=sha256 .
    repository "$scratch/x20"
    run 0 win eval demo/a --pass
    both ls --format json
    both scan --format json
    repository "$scratch/x20b"
    wgit update-index --split-index
    run 0 win eval demo/a --pass
    both ls --format json
    run 0 win install
    bad >.spec/demo/yatsu.md
    run 1 wgit commit -qam bad
    # a program that git started for us ends with us, also if we are killed: it writes a letter ten times a second
    mkdir "$scratch/x20bin"
    printf '#include <windows.h>\n#include <stdio.h>\nint main(void) { for (int i = 0; i < 600; i++) { FILE *f = fopen("Z:%s/x20.beat", "ab"); fputc(46, f); fclose(f); Sleep(100); } return 1; }\n' "$scratch" >"$scratch/ssh.c"
    "$machine/mingw/bin/x86_64-w64-mingw32-gcc" "$scratch/ssh.c" -o "$scratch/x20bin/ssh.exe" || { no 'no compiler for a child'; return; }
    cp "$GIT_CONFIG_GLOBAL" "$scratch/x20config"
    git config -f "$scratch/x20config" core.sshCommand "Z:$scratch/x20bin/ssh.exe"
    wgit remote add origin ssh://host.invalid/r.git
    GIT_CONFIG_GLOBAL=$scratch/x20config "$machine/wine-run" share on origin >"$scratch/out" 2>&1 &
    local pid=$! child
    for number in $(seq 100); do [ -s "$scratch/x20.beat" ] && break; sleep 0.1; done
    [ -s "$scratch/x20.beat" ] || no "no child started: $(cat "$scratch/out")"
    child=$(pgrep -f 'x20bin.ssh\.exe' | head -1)
    [ "$child" ] || no 'the child is not seen among the processes'
    kill -9 $pid
    wait $pid 2>/dev/null
    # it would write for a minute
    timeout 20 tail --pid="${child:-$$}" -f /dev/null || no 'the child outlives us'
}
x22() { # hooks of agents
    repository "$scratch/x22"
    run 0 win agent install --for claude,codex,cursor,gemini,copilot
    local file shared='.codex/hooks.json .github/hooks/yatsu-hook.json'
    for file in .claude/settings.json .cursor/hooks.json .gemini/settings.json; do
        grep -q 'agent event' $file || no "$file calls nothing"
        grep -q '|| true' $file && no "$file: \`|| true\` is no command of PowerShell"
    done
    # these two have a key for Windows: one file for all systems
    for file in $shared; do mv $file "$scratch/x22.${file##*/}"; done
    run 0 "$linux" agent install --for codex,copilot
    for file in $shared; do same "$file of Linux" "$(cat $file)" "$(cat "$scratch/x22.${file##*/}")"; done
    grep -q '"commandWindows": "yatsu-hook agent event"' .codex/hooks.json || no 'no command of Codex for Windows'
    grep -q '"powershell": "yatsu-hook agent event"' .github/hooks/yatsu-hook.json || no 'no command of Copilot for Windows'
    run 0 win agent install --for claude,codex,cursor,gemini,copilot
    has 'already installed'
    # the files of the user are others under wine
    ours() { python3 -c 'import json, sys; print([f for f in json.load(sys.stdin)["files"] if f["scope"] == "project"])'; }
    same 'agent ls' "$(win agent ls --format json | ours)" "$("$linux" agent ls --format json | ours)"
    run 0 win agent uninstall --for claude,codex,cursor,gemini,copilot
    [ -z "$(find .claude .codex .cursor .gemini .github -type f 2>/dev/null)" ] || no 'uninstall left a file'
    # PowerShell runs a quoted path only after an ampersand
    export CODEX_HOME=Z:$scratch/x22codex
    run 0 win agent install --user --for codex
    same 'the command of a user' "$(grep -c '"command": "& .*yatsu-hook.exe.*agent event --user"' "$scratch/x22codex/hooks.json")" 3
    run 0 win agent uninstall --user --for codex
    unset CODEX_HOME
    # a file of Linux that PowerShell does not take
    run 0 "$linux" agent install --for gemini
    win doctor >"$scratch/out" 2>&1
    grep -q 'gemini does not run `agent event`' "$scratch/out" || no "doctor: $(cat "$scratch/out")"
    run 0 win agent install --for claude
    echo "{\"hook_event_name\":\"SessionStart\",\"session_id\":\"s\",\"cwd\":\"Z:$PWD\",\"source\":\"startup\"}" >"$scratch/event"
    code=0
    win agent event <"$scratch/event" >"$scratch/out" 2>"$scratch/err" || code=$?
    [ "$code" = 0 ] || no "agent event: exit $code: $(cat "$scratch/err")"
}

# Runs a program in C, without a line of ours, whose threads end by themselves while it ends with 3, until its code arrives as
# 0, at most 400 times. strace shows a thread that the wine server tells to end call exit_group(0) for the whole process.
lost_codes() {
    printf '%s\n' '#include <windows.h>' 'static DWORD WINAPI work(void *pipe) { char b; DWORD n; while (ReadFile(pipe, &b, 1, &n, NULL)); return 0; }' \
        'int main(void) { HANDLE in, out[6]; int i; for (i = 0; i < 6; i++) { CreatePipe(&in, &out[i], NULL, 0); CreateThread(NULL, 0, work, in, 0, NULL); }' \
        'Sleep(20); for (i = 0; i < 6; i++) CloseHandle(out[i]); ExitProcess(3); }' >"$scratch/ends.c"
    "$machine/mingw/bin/x86_64-w64-mingw32-gcc" "$scratch/ends.c" -o "$scratch/ends.exe" || return 1
    for number in $(seq 400); do
        "$machine/wine-exec" "$scratch/ends.exe" && { echo "wine lost the exit code of a program in C in call $number"; return 0; }
    done
    return 1
}

all='x1 x2 x3 x4 x5 x6 x7 x8 x9 x10 x11 x12 x13 x14 x15 x16 x17 x18 x19 x20 x22'
for case in ${*:-$all}; do
    from=$SECONDS before=$failed
    cd "$scratch" || exit 1
    "$case"
    printf '%-4s %s wrong, %d s\n' "$case" $((failed - before)) $((SECONDS - from))
done
if [ "$lost" -gt 0 ]; then
    printf '%d exit codes arrived as 0 and were asked for once more\n' "$lost"
    lost_codes || { case=end no "the exit codes are ours: a program in C lost none"; failed=$((failed + lost - 1)); }
fi
printf '%d checks, %d wrong, %d s\n' "$checked" "$failed" "$SECONDS"
[ "$failed" = 0 ]
