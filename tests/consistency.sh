#!/usr/bin/env bash
# The invariants of CONSISTENCY.md, executed with the real program: claimants at once in several work trees, kills at
# every system call, every way out of every end, replays, keys, budgets.
# Small by default (a minute or two), whole with --full.
#
#   tests/consistency.sh BINARY [--full] [SC-1|...|SC-11]...
#
# Prints one line per invariant: what was done, how often, how many times it went wrong, and PASS, FAIL or NOT MADE. Only
# PASS is exit 0: what this machine cannot make (no strace, no python3, no flock) is named and fails.
#
# Nothing sleeps. A claim is old because its lines in the journal are dated back; where the clock itself is the question,
# the shortest claim there is (1 s) is asked for again and again until it can be taken.
set -u

usage() { echo "usage: tests/consistency.sh BINARY [--full] [SC-1|...|SC-11]..." >&2; exit 2; }
[ $# -ge 1 ] && [ -x "$1" ] || usage
yatsu=$(cd "$(dirname "$1")" && pwd)/$(basename "$1"); shift
full=0
wanted=""
for word in "$@"; do
  case $word in
    --full) full=1 ;;
    SC-[1-9]|SC-1[01]) wanted="$wanted $word" ;;
    *) usage ;;
  esac
done
asked() { [ -z "$wanted" ] || case " $wanted " in *" $1 "*) true ;; *) false ;; esac; }
size() { if [ $full = 1 ]; then echo "$2"; else echo "$1"; fi; } # small whole

top=$(mktemp -d)
trap 'rm -rf "$top"' EXIT
failures=0
wrong=0
exec 3>&2 # complaints are heard also where the noise of killed jobs is not
bad() { wrong=$((wrong + 1)); echo "  WRONG: $*" >&3; }
begin() { wrong=0; since=$SECONDS; }
report() { # invariant, what was done
  local verdict=PASS
  [ $wrong = 0 ] || { verdict=FAIL; failures=$((failures + 1)); }
  echo "$1: $2, $wrong wrong, $((SECONDS - since)) s: $verdict"
}
needs() { # invariant, tools
  local name=$1 tool; shift
  for tool in "$@"; do
    command -v "$tool" >/dev/null || { failures=$((failures + 1)); echo "$name: there is no $tool here: NOT MADE"; return 1; }
  done
}

# Nothing of this machine's configuration takes part.
mkdir -p "$top/home"
export HOME=$top/home GIT_CONFIG_GLOBAL=/dev/null GIT_CONFIG_NOSYSTEM=1 GIT_TERMINAL_PROMPT=0 LC_ALL=C.UTF-8 TZ=UTC YATSU_PROGRESS=off
export GIT_AUTHOR_NAME=A GIT_AUTHOR_EMAIL=a@example.invalid GIT_COMMITTER_NAME=A GIT_COMMITTER_EMAIL=a@example.invalid
unset YATSU_CLAIM

# --- the repository under test: a node with scenarios, committed ---
node=.spec/node
populate() { # directory, scenarios
  local name dir=$1; shift
  git init -q -b main --template= "$dir" && git -C "$dir" config user.name Ann
  mkdir -p "$dir/$node" "$dir/src"
  echo 'fn a() {}' > "$dir/src/a.rs"
  {
    printf -- '---\nscenarios:\n'
    for name in "$@"; do
      printf '  - name: %s\n    description: measure %s\n    expected: %s works\n    tags: [cli]\n    code: src/a.rs\n' "$name" "$name" "$name"
    done
    printf -- '---\n'
  } > "$dir/$node/yatsu.md"
  echo "${settings:-"{}"}" > "$dir/spexcode.json"
  git -C "$dir" add -A && git -C "$dir" commit -qm begin
}
fresh() { rm -rf "$2"; cp -a "$top/$1" "$2"; } # from a prepared state
journal() { echo "$1/.git/yatsu/claims.ndjson"; }
ledger() { echo "$1/$node/yatsu.evals.ndjson"; }
lines() { if [ -f "$1" ]; then wc -l < "$1"; else echo 0; fi; }
run() { local at=$1; shift; "$yatsu" -C "$at" "$@" >"$top/out" 2>"$top/err"; } # leaves what was said there
take() { run "$1" claim take node --scenario "$2" --as "$3" --format json; }
token() { sed -nE 's/.*"token":"([0-9a-f]{32})".*/\1/p' "$top/out"; }
event() { sed -nE 's/.*"event":"([a-z]+)".*"attempt":([0-9]+).*/\1 \2/p' "$top/out"; }
last() { tail -n 1 "$(journal "$1")" | sed -nE 's/.*"event":"([a-z]+)".*"attempt":([0-9]+).*/\1 \2/p'; }
lapse() { python3 "$top/lapse.py" "$(journal "$1")"; } # as if a day and an hour had passed
state() { cat "$(journal "$1")" "$(ledger "$1")" 2>/dev/null | sha256sum; }
refused() { # word, exit code, what: of the command that was just run
  [ "$2" = 1 ] && grep -q "$1" "$top/err" || bad "$3: exit $2, not the refusal '$1': $(cat "$top/err")"
}

cat > "$top/lapse.py" <<'PY'
import datetime, re, sys
def back(found):
    then = datetime.datetime.strptime(found[2], "%Y-%m-%dT%H:%M:%S.%fZ") - datetime.timedelta(hours=25)
    return found[1] + then.isoformat(timespec="milliseconds") + "Z"
text = open(sys.argv[1], encoding="utf-8").read()
open(sys.argv[1], "w", encoding="utf-8").write(re.sub(r'("(?:ts|until)":")([^"]*)', back, text))
PY

# A replay that shares nothing with the program: who holds what after each line, in the plainest way. Prints a line for each
# claim that is held, as `claim ls` has it.
cat > "$top/replay.py" <<'PY'
import json, sys
held, ended, after = {}, set(), {}
lines = open(sys.argv[1], encoding="utf-8").read().split("\n")
assert lines.pop() == "", "the last line is torn"
for number, line in enumerate(lines, 1):
    e = json.loads(line)
    series, token, step, attempt = (e["node"], e["scenario"]), e["token"], e["event"], e["attempt"]
    where = f"line {number}, {step}"
    assert token not in ended, f"{where}: a token came back after its end"
    if step in ("taken", "reclaimed"):
        assert all(token != claim["token"] for claim in held.values()), f"{where}: a token was given twice"
        if step == "taken":
            assert series not in held, f"{where}: two claims hold one scenario"
            assert attempt == after.get(series, 1), f"{where}: attempt {attempt}"
        else:
            lost = held[series]
            assert attempt == lost["attempt"] + 1, f"{where}: attempt {attempt} after {lost['attempt']}"
            assert e["ts"] > lost["until"], f"{where}: it was live until {lost['until']}"
            ended.add(lost["token"])
        held[series] = e
    else:
        assert held.get(series, {}).get("token") == token, f"{where}: it holds nothing"
        assert attempt == held[series]["attempt"], f"{where}: attempt {attempt}"
        if step == "renewed":
            held[series] = e
        else:
            after[series] = 1 if step == "filed" else attempt
            ended.add(token)
            del held[series]
for (node, scenario), e in sorted(held.items()):
    print(node, scenario, e["owner"], e["attempt"], e["until"])
PY
# The journal is a history that can have happened, and the program reads it as it was written, wherever one stands.
replays() { # what, repository...
  local what=$1 at; shift
  [ -f "$(journal "$1")" ] || return 0
  python3 "$top/replay.py" "$(journal "$1")" >"$top/expected" 2>"$top/err" || { bad "$what: $(tail -n 1 "$top/err")"; return; }
  for at in "$@"; do
    "$yatsu" -C "$at" claim ls --format json 2>"$top/err" | python3 -c '
import json, sys
for c in json.load(sys.stdin)["claims"]: print(c["node"], c["scenario"], c["owner"], c["attempt"], c["until"])' >"$top/told"
    cmp -s "$top/expected" "$top/told" || bad "$what: $at tells another state: $(cat "$top/told" "$top/err")"
  done
}

# --- SC-1, SC-2: one owner at a time ---

# Starts a command of every claimant while nobody can get the lock, and lets all go at once.
at_once() { # claimants, command of a number
  local number lock=$base/.git/yatsu/ledger.lock inode
  mkdir -p "${lock%/*}"; touch "$lock"; inode=$(stat -c %i "$lock")
  exec 8<"$lock"; flock 8
  for ((number = 0; number < $1; number++)); do
    ( exec 8<&-; $2 "$number" >"$top/said.$number" 2>"$top/err.$number"; echo $? >"$top/code.$number" ) &
  done
  for ((waiting = 0; waiting < 3000; waiting++)); do
    [ "$(grep -c -- "-> FLOCK .*:$inode " /proc/locks)" -ge "$1" ] && break
  done
  flock -u 8; exec 8<&-
  wait
}
contender() { # number
  "$yatsu" -C "${trees[$(($1 % ${#trees[@]}))]}" claim take node --scenario first --as "agent-$1" --format json
}
# Rounds of one scenario that all want; the winner gives it up by release, by force, by a reading, by lapsing, in turn.
contest() { # claimants rounds
  local claimants=$1 rounds=$2 round number winner before
  for ((round = 0; round < rounds; round++)); do
    before=$(lines "$(journal "$base")")
    at_once "$claimants" contender

    winner=""
    for ((number = 0; number < claimants; number++)); do
      case $(cat "$top/code.$number") in
        0) [ -z "$winner" ] || bad "round $round: agent-$winner and agent-$number hold one scenario"; winner=$number ;;
        1) grep -q "first is held by agent-[0-9]* until 20" "$top/err.$number" || bad "round $round: $(cat "$top/err.$number")" ;;
        *) bad "round $round: agent-$number: $(cat "$top/err.$number")" ;;
      esac
    done
    [ -n "$winner" ] || { bad "round $round: nobody got it"; return; }
    [ "$(lines "$(journal "$base")")" = $((before + 1)) ] || bad "round $round: the journal grew by more than one line"
    cp "$top/said.$winner" "$top/out"
    end_of_round $((round % 4)) "${trees[$((winner % ${#trees[@]}))]}" "$(token)"
  done
  replays "after $rounds rounds" "${trees[@]}"

}
end_of_round() { # how, tree, token
  case $1 in
    0) run "$2" claim release "$3" ;;
    1) run "$2" claim release --force node --scenario first --reason "end of a round" ;;
    2) run "$2" eval node --scenario first --fail --note "$3" --claim "$3" ;;
    3) lapse "$base" ;;
  esac || bad "the end of a round: $(cat "$top/err")"
}
single() {
  needs SC-1 flock python3 || return
  begin
  settings='{"yatsu":{"claims":{"grace":"0s","maxAttempts":1000}}}' populate "$top/single" first
  base=$top/single; trees=("$base")
  local rounds; rounds=$(size 12 100)
  contest 5 "$rounds"
  report "SC-1 one owner at a time" "5 claimants at once, $rounds rounds"
}
trees() {
  needs SC-2 flock python3 || return
  begin
  settings='{"yatsu":{"claims":{"grace":"0s","maxAttempts":1000}}}' populate "$top/trees" first $(seq -f 'other-%g' 10 19)
  base=$top/trees; trees=("$base")
  local number rounds; rounds=$(size 4 100)
  for number in 1 2 3 4; do
    git -C "$base" worktree add -q --detach "$top/tree-$number" && trees+=("$top/tree-$number")
  done
  contest 50 "$rounds"
  # ten that want whatever needs measuring: ten different scenarios, whatever order they come in
  run "$base" eval node --scenario first --pass
  taker() { "$yatsu" -C "${trees[$(($1 % 5))]}" claim next --as "agent-$1" --format json node; }
  for number in 1 2 3 4; do cp "$(ledger "$base")" "$(ledger "$top/tree-$number")"; done
  at_once 10 taker
  number=$(cat "$top"/said.? | sed -nE 's/.*"scenario":"([^"]*)".*/\1/p' | sort -u | wc -l)
  [ "$number" = 10 ] || bad "ten times claim next gave $number scenarios: $(cat "$top"/err.?)"
  replays "after claim next" "${trees[@]}"
  report "SC-2 one owner at a time, whatever the work tree" "50 claimants at once in 5 work trees, $rounds rounds; 10 at once that take whatever is next"
}

# --- SC-3: what has ended stays ended ---
terminal() {
  needs SC-3 python3 || return
  begin
  local end held before code tried=0 word
  settings='{"yatsu":{"claims":{"grace":"0s"}}}' populate "$top/terminal" first second
  for end in filed released forced reclaimed; do
    fresh terminal "$top/end"
    take "$top/end" first Ann; held=$(token)
    case $end in
      filed) run "$top/end" eval node --scenario first --pass --claim "$held" --key k ;;
      released) run "$top/end" claim release "$held" ;;
      forced) run "$top/end" claim release --force node --scenario first --reason gone ;;
      reclaimed) lapse "$top/end"; take "$top/end" first Bob ;;
    esac || bad "$end: $(cat "$top/err")"
    [ "$(last "$top/end" | cut -d' ' -f1)" = $end ] || bad "$end: the journal ends in $(last "$top/end")"
    word="has ended: $end"; [ $end = reclaimed ] && word="is lost"
    before=$(state "$top/end")
    while read -r -a command; do
      run "$top/end" "${command[@]/TOKEN/$held}"; code=$?
      refused "$word" $code "$end, then ${command[*]}"
      [ "$before" = "$(state "$top/end")" ] || bad "$end, then ${command[*]}: something was written"
      tried=$((tried + 1))
    done <<'COMMANDS'
claim renew TOKEN
claim renew TOKEN --ttl 24h
claim release TOKEN
claim release TOKEN --reason again
eval node --scenario first --fail --claim TOKEN
eval node --scenario first --fail --claim TOKEN --keep
eval node --scenario first --fail --claim TOKEN --key other
COMMANDS
    run "$top/end" eval node --scenario second --pass --claim "$held"; code=$?
    refused "this token's claim is on" $code "$end, then another scenario"
    if [ $end = filed ]; then
      run "$top/end" eval node --scenario first --pass --claim "$held" --key k && grep -q '^already filed' "$top/out" ||
        bad "filed, then the same again: $(cat "$top/err")"
    fi
    if [ $end != reclaimed ]; then
      run "$top/end" claim release --force node --scenario first --reason again; code=$?
      refused "is not claimed" $code "$end, then force"
    fi
    [ "$before" = "$(state "$top/end")" ] || bad "$end: something was written"
    replays "$end" "$top/end"
    tried=$((tried + 2))
  done
  report "SC-3 every end of a claim is final" "4 ends, $tried commands"
}

# --- SC-4: durable before anything follows from it ---

# One verb under a kill. `$repo` is a copy of the state that it starts from, `$held` the token of the claim in it.
verb() { # name, runner...
  local name=$1; shift
  local words
  case $name in
    take) words="claim take node --scenario first --as Ann --format json" ;;
    next) words="claim next --as Ann --format json" ;;
    renew) words="claim renew $held --ttl 24h" ;;
    release) words="claim release $held" ;;
    force) words="claim release --force node --scenario first --reason gone" ;;
    eval) words="eval node --scenario first --pass --result $top/result --claim $held" ;;
    keyed) words="eval node --scenario first --pass --result $top/result --claim $held --key k" ;;
  esac
  "$@" "$yatsu" -C "$repo" $words
}
# What the kills come at: the calls of a name, by their numbers. Whole: all of them. Small: those that write or lock, from
# the first one on that our directory is named in.
names() {
  if [ $full = 1 ]; then sed -nE 's/^([a-z0-9_]+)\(.*/\1/p' "$top/trace" | sort -u | grep -vE '^(execve|exit_group|restart_syscall)$'
  else echo openat mkdirat flock write pwrite64 fsync fdatasync rename renameat unlinkat; fi
}
numbers() { # name
  awk -v name="$1(" -v all=$full 'index($0, name) == 1 { n++; if (all || seen || /"yatsu"/) print n } /"yatsu"/ { seen = 1 }' "$top/trace"
}
# What a kill left: every name, mode and byte of the repository. Answers each line, a directory, with two hashes: of
# everything as it is; and with tokens, times and process ids left out, which differ from run to run and decide nothing. What
# a killed holder wrote into a lock file is no state: the kernel holds the lock.
cat > "$top/marks.py" <<'PY'
import hashlib, os, re, sys
LOCKS = ("ledger.lock", "gc.lock")
def plain(data):
    data = re.sub(rb'"token":"[0-9a-f]{32}"', b'"token":""', data)
    return re.sub(rb"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z", b"TIME", data)
def look(top):
    exact, alike = hashlib.sha256(), hashlib.sha256()
    for directory, below, files in os.walk(top):
        below.sort()
        for name in sorted(below + files):
            path = os.path.join(directory, name)
            mode = os.lstat(path).st_mode
            data = b"" if name in LOCKS or not os.path.isfile(path) else open(path, "rb").read()
            called = re.sub(r"(\.yatsu-tmp-)\d+", r"\1", os.path.relpath(path, top))
            for found, what in ((exact, data), (alike, plain(data))):
                found.update(f"{called} {mode:o} {len(what)}\n".encode() + what)
    return exact.hexdigest() + " " + alike.hexdigest()
for line in sys.stdin:
    print(look(line.rstrip("\n")), flush=True)
PY
# What holds after the kill, then after the same command again.
survives() { # verb, where
  local told=0 code
  [ -s "$top/killed" ] && told=1
  "$yatsu" -C "$repo" claim log >/dev/null 2>"$top/err" || bad "$2: the journal cannot be read: $(cat "$top/err")"
  head -c "$prefix" "$(journal "$repo")" 2>/dev/null | cmp -s - "$top/before" || bad "$2: what was acknowledged before is gone"
  local grown=$(($(lines "$(journal "$repo")") - was))
  [ $grown = 0 ] || [ $grown = 1 ] || bad "$2: $grown more events"
  [ $told = 0 ] || [ $grown = 1 ] || bad "$2: acknowledged, and not in the journal"
  verb "$1" >"$top/out" 2>"$top/err"; code=$?
  case $1-$code in
    take-0|next-0|renew-0|release-0|force-0|eval-0|keyed-0) ;;
    # it stands, and nobody heard of its token: the refusal says how it is ended, and then the same command completes
    take-1)
      [ $grown = 1 ] && sh -c "PATH=$top/bin:\$PATH; cd '$repo' && $(sed -nE 's/.*`(yatsu-hook [^`]*claim release --force [^`]*)`.*/\1/p' "$top/err")" >/dev/null 2>&1 &&
        verb take >/dev/null 2>"$top/err" || bad "$2: take can't be completed: $(cat "$top/err")" ;;
    next-1) [ $grown = 1 ] && grep -q "nothing needs measuring" "$top/err" || bad "$2: $(cat "$top/err")" ;;
    release-1) [ $grown = 1 ] && grep -q "has ended: released" "$top/err" || bad "$2: $(cat "$top/err")" ;;
    force-1) [ $grown = 1 ] && grep -q "is not claimed" "$top/err" || bad "$2: $(cat "$top/err")" ;;
    *) bad "$2: the same command again: exit $code: $(cat "$top/err")" ;;
  esac
  case $1 in
    take|next|renew) [ "$("$yatsu" -C "$repo" claim ls 2>/dev/null | wc -l)" = 1 ] || bad "$2: not exactly one claim is held" ;;
    *) [ "$("$yatsu" -C "$repo" claim ls 2>/dev/null | wc -l)" = 0 ] || bad "$2: the claim has not ended" ;;
  esac
  case $1 in
    eval|keyed)
      [ "$(lines "$(ledger "$repo")")" = 1 ] || bad "$2: not exactly one reading"
      [ "$(last "$repo")" = "filed 1" ] || bad "$2: the journal ends in $(last "$repo")"
      "$yatsu" -C "$repo" evidence check >/dev/null 2>"$top/err" || bad "$2: $(cat "$top/err")" ;;
  esac
  replays "$2" "$repo"
}
# The hashes of what is in $repo now, in $exact and $alike.
look() { echo "$repo" >&"$asks"; read -r exact alike <&"$hears"; }
# One kill at each call. What it left is looked at, and the command given again, once for each state that any kill left: the
# same bytes go on in the same way, however they came to be.
sweep() { # verb
  local name n begin="" spoke
  local -A proven=()
  repo=$top/count; fresh "$start" "$repo"
  verb "$1" strace -qq -o "$top/trace" >/dev/null 2>"$top/err" || bad "$1: $(cat "$top/err")"
  repo=$top/kill; exact=""
  cp "$(journal "$top/$start")" "$top/before" 2>/dev/null || : > "$top/before"
  prefix=$(wc -c < "$top/before"); was=$(lines "$top/before")
  for name in $(names); do
    for n in $(numbers "$name"); do
      [ -n "$begin" ] && [ "$exact" = "$begin" ] || { fresh "$start" "$repo"; look; begin=$exact; }
      verb "$1" timeout 60 strace -qq -o /dev/null -e trace="$name" -e inject="$name:signal=KILL:when=$n" >"$top/killed" 2>/dev/null
      [ $? = 137 ] && killed=$((killed + 1))
      runs=$((runs + 1))
      look; spoke=0; [ -s "$top/killed" ] && spoke=1
      [ -z "${proven[$alike$spoke]:-}" ] || continue
      proven[$alike$spoke]=1; states=$((states + 1))
      survives "$1" "$1, KILL at $name $n"
      exact=""
    done
  done
}
# The event's line is durable before a word of it is printed; under a claim the ledger's line is durable before the event.
order() { # verb, what is wanted
  local got
  repo=$top/count; fresh "$start" "$repo"
  verb "$1" strace -y -qq -e trace=write,fdatasync -o "$top/trace" >/dev/null 2>&1
  got=$(sed -nE \
    -e 's/^write\([0-9]+<[^>]*evals\.ndjson>.*/line/p' -e 's/^fdatasync\([0-9]+<[^>]*evals\.ndjson>\).*/line-durable/p' \
    -e 's/^write\([0-9]+<[^>]*claims\.ndjson>.*/event/p' -e 's/^fdatasync\([0-9]+<[^>]*claims\.ndjson>\).*/event-durable/p' \
    -e 's/^write\(1<.*/told/p' "$top/trace" | tr '\n' ' ')
  [ "$got" = "$2 " ] || bad "$1: the order is: $got"
}
durable() {
  needs SC-4 strace timeout python3 || return
  begin
  local start=free held="" killed=0 runs=0 states=0 one exact="" alike="" asks hears
  coproc marks { exec python3 "$top/marks.py"; }
  hears=${marks[0]} asks=${marks[1]}
  mkdir -p "$top/bin"; ln -sf "$yatsu" "$top/bin/yatsu-hook"
  echo "what it printed" > "$top/result"
  populate "$top/free" first
  for one in take next; do order $one "event event-durable told"; sweep $one; done
  cp -a "$top/free" "$top/held"; take "$top/held" first Ann; held=$(token)
  start=held
  for one in renew release force; do order $one "event event-durable told"; sweep $one; done
  for one in eval keyed; do order $one "line line-durable event event-durable told"; sweep $one; done
  # who waits for every job later must not wait for this one
  eval "exec $asks>&-"; wait "$marks_PID" 2>/dev/null
  report "SC-4 durable before anything follows, whole after a replay" "take, next, renew, release, force and eval under a claim, SIGKILL at every system call by name: $runs runs, $killed killed; they left $states states, in each of which the same command was given again"
}

# --- SC-5, SC-6: a repeated write is one write ---
repeated() {
  needs SC-5 flock || return
  begin
  local before n said count; count=$(size 5 50)
  populate "$top/keys" first second
  base=$top/keys; trees=("$base")
  same() { "$yatsu" -C "$base" eval node --scenario first --pass --note fine --key run-1:first; }
  at_once 10 same
  said=$(cat "$top"/said.? | cut -d' ' -f1,2 | sort | uniq -c | tr -s ' ' | tr '\n' ';')
  [ "$said" = " 9 already filed; 1 filed node/first;" ] || bad "ten at once: $said $(cat "$top"/err.?)"
  before=$(state "$base")
  for ((n = 0; n < count; n++)); do
    run "$base" eval node --scenario first --pass --note fine --key run-1:first && grep -q '^already filed' "$top/out" || bad "again: $(cat "$top/err")"
    run "$base" eval node --scenario first --fail --note fine --key run-1:first; refused "is used up" $? "another payload"
  done
  [ "$before" = "$(state "$base")" ] || bad "a repeated write changed the file"
  run "$base" retract node --scenario first || bad "$(cat "$top/err")"
  before=$(state "$base")
  run "$base" eval node --scenario first --pass --note fine --key run-1:first && grep -q '^already filed' "$top/out" || bad "withdrawn: $(cat "$top/err")"
  run "$base" eval node --scenario first --fail --key run-1:first; refused "is used up" $? "withdrawn, another payload"
  [ "$before" = "$(state "$base")" ] || bad "a key that is used up was used again"
  run "$base" eval node --scenario second --fail --key run-1:first || bad "the key at another scenario: $(cat "$top/err")"
  report "SC-5 a repeated write is one write" "10 at once, $((2 * count)) again, 3 after a retraction"
}
attempts() {
  needs SC-6 python3 || return
  begin
  local attempt held most; most=$(size 5 20)
  settings='{"yatsu":{"claims":{"grace":"0s","maxAttempts":100}}}' populate "$top/attempts" first
  for ((attempt = 1; attempt <= most; attempt++)); do
    take "$top/attempts" first "agent-$attempt"; held=$(token)
    case $((attempt % 2)) in
      0) run "$top/attempts" eval node --scenario first --pass --claim "$held" --keep --key k ;;
      1) run "$top/attempts" eval node --scenario first --fail --claim "$held" --keep --key k ;;
    esac || bad "attempt $attempt: $(cat "$top/err")"
    run "$top/attempts" eval node --scenario first --pass --note other --claim "$held" --keep --key k
    refused "is used up" $? "attempt $attempt, another payload"
    lapse "$top/attempts"
  done
  [ "$(sed -nE 's/.*"attempt":([0-9]+).*/\1/p' "$(ledger "$top/attempts")" | sort -un | wc -l)" = "$most" ] || bad "a reading is missing"
  git -C "$top/attempts" add -A && run "$top/attempts" check || bad "the check: $(cat "$top/err")"
  report "SC-6 a key of one attempt is another one at the next" "$most attempts under one key"
}

# --- SC-7, SC-8: a breach stands ---
spend() { # repository, scenario, prompt tokens, completion tokens, more
  local at=$1 name=$2 tokens=$3,$4; shift 4
  run "$at" eval node --scenario "$name" --pass --tokens "$tokens" --token-source bill "$@"
}
effective() { # repository, scenario: the verdict that counts of its latest reading
  "$yatsu" -C "$1" show node --format json 2>"$top/err" >"$top/out"
  python3 -c '
import json, sys
latest = [s for s in json.load(sys.stdin)["scenarios"] if s["scenario"] == sys.argv[1]][0]["readings"][0]
print(latest.get("effective", latest)["verdict"])' "$2" <"$top/out" 2>>"$top/err"
}
counts() { # repository, scenario, verdict, what
  local said; said=$(effective "$1" "$2")
  [ "$said" = "$3" ] || bad "$4: $2 counts as $said: $(cat "$top/err")"
}
told() { # JSON that `show` just printed, what
  grep -qF "$1" "$top/out" || bad "$2: no $1 in $(cat "$top/out")"
}
breach() {
  needs SC-7 python3 || return
  begin
  local held before how at=$top/breach
  settings='{"yatsu":{"budgets":{"maxTaskTotalTokens":100}}}' populate "$at" first second
  take "$at" first Ann; held=$(token)
  spend "$at" first 60 40 --claim "$held" || bad "$(cat "$top/err")"
  counts "$at" first pass "what equals the limit"
  take "$at" first Ann || bad "$(cat "$top/err")"; held=$(token)
  spend "$at" first 60 41 --claim "$held" --key k && grep -q budget_exceeded "$top/err" || bad "over the limit: $(cat "$top/err")"
  tail -n 1 "$(ledger "$at")" | grep -q '"status":"pass"' || bad "the recorded verdict is gone"
  [ "$(last "$at")" = "filed 1" ] || bad "the claim has not ended: $(last "$at")"
  counts "$at" first fail "over the limit"
  told '"reason":"budget_exceeded"' breach
  told '{"scope":"task","metric":"total_tokens","observed":101,"limit":100}' breach
  told '"usage":{"completionTokens":41,"promptTokens":60,"totalTokens":101,"source":"bill"}' breach
  before=$(state "$at")
  spend "$at" first 60 41 --claim "$held" --key k && grep -q '^already filed' "$top/out" || bad "the same again: $(cat "$top/err")"
  take "$at" first Bob; refused "over its budget" $? "a retry"
  run "$at" claim take node --scenario first --as Bob --force; refused "over its budget" $? "a retry with force"
  [ "$before" = "$(state "$at")" ] || bad "a breach was retried"
  run "$at" eval node --scenario first --pass --note later || bad "$(cat "$top/err")"
  counts "$at" first fail "a later reading that cost nothing"
  for how in waived raised; do
    rm -rf "$top/over"; cp -a "$at" "$top/over"
    case $how in
      waived) run "$top/over" claim waive-budget node --scenario first --reason "the large model was meant" ;;
      raised) echo '{"yatsu":{"budgets":{"maxTaskTotalTokens":101}}}' > "$top/over/spexcode.json" ;;
    esac || bad "$how: $(cat "$top/err")"
    counts "$top/over" first pass $how
    take "$top/over" first Bob || bad "$how: $(cat "$top/err")"
  done
  report "SC-7 a breach fails the reading and is not retried" "1 at the limit, 1 over it, 3 retries, 2 ways to end it"
}
runs() {
  needs SC-8 python3 || return
  begin
  local at=$top/run name
  settings='{"yatsu":{"budgets":{"maxRunTotalTokens":8}}}' populate "$at" first second third
  for name in first second; do spend "$at" $name 2 3 --run r || bad "$(cat "$top/err")"; done
  grep -q "run total_tokens 10, limit 8" "$top/err" || bad "no warning: $(cat "$top/err")"
  counts "$at" first pass "the first of the run"
  counts "$at" second fail "the second of the run"
  told '{"scope":"run","metric":"total_tokens","observed":10,"limit":8}' "the run"
  told '"total_tokens":10' "the totals of the run"
  run "$at" claim take node --scenario third --run r; refused "limit 8" $? "the run goes on"
  run "$at" retract node --scenario second || bad "$(cat "$top/err")"
  run "$at" claim take node --scenario third --run r; refused "limit 8" $? "the run goes on after a retraction"
  run "$at" claim take node --scenario third --run other || bad "another run: $(cat "$top/err")"
  report "SC-8 a run's budget holds across its readings" "2 readings of 5, limit 8; 2 claims for the run refused, 1 for another taken"
}

# --- SC-9, SC-10: taking over, taking twice ---
reclaimed() {
  needs SC-9 python3 || return
  begin
  local attempt held asked=0 most; most=$(size 5 20)
  settings='{"yatsu":{"claims":{"grace":"0s","maxAttempts":100}}}' populate "$top/stale" first
  take "$top/stale" first agent-1; held=$(token)
  for ((attempt = 2; attempt <= most; attempt++)); do
    lapse "$top/stale"
    take "$top/stale" first "agent-$attempt" || bad "$(cat "$top/err")"
    [ "$(event)" = "reclaimed $attempt" ] || bad "attempt $attempt: $(event)"
    cp "$top/out" "$top/mine"
    run "$top/stale" eval node --scenario first --pass --claim "$held"; refused "is lost" $? "attempt $((attempt - 1)) files"
    cp "$top/mine" "$top/out"; held=$(token)
  done
  run "$top/stale" claim release "$held"
  # the clock itself: a claim of a second, asked for again and again; the replay proves that none was taken before its time
  run "$top/stale" claim take node --scenario first --as short --ttl 1s || bad "$(cat "$top/err")"
  until take "$top/stale" first next; do
    refused "first is held by short until" 1 "while it is live"
    asked=$((asked + 1)); [ $asked -lt 5000 ] || { bad "a claim of a second was not taken over"; break; }
  done
  [ "$(event)" = "reclaimed $((most + 1))" ] || bad "after a second: $(event)"
  cp "$top/out" "$top/mine"; replays "taken over" "$top/stale"; cp "$top/mine" "$top/out"
  # nobody took it over: its holder files late, and the series ends
  held=$(token); lapse "$top/stale"
  run "$top/stale" eval node --scenario first --pass --claim "$held" && grep -q "late" "$top/err" || bad "late: $(cat "$top/err")"
  take "$top/stale" first again; [ "$(event)" = "taken 1" ] || bad "after a reading: $(event)"
  report "SC-9 a lapsed claim is taken over as the next attempt" "$((most - 1)) times dated back, once after its second, $asked refusals before that"
}
duplicate() {
  begin
  local who at before tried=0
  populate "$top/twice" first
  git -C "$top/twice" worktree add -q --detach "$top/twice-2"
  take "$top/twice" first Ann || bad "$(cat "$top/err")"
  before=$(state "$top/twice")
  for at in "$top/twice" "$top/twice-2"; do
    for who in Ann Bob; do
      take "$at" first $who; refused "first is held by Ann until 20" $? "$who takes again"
      run "$at" claim take node --scenario first --as $who --force; refused "first is held by Ann until 20" $? "$who takes with force"
      run "$at" claim next --as $who; refused "nothing needs measuring" $? "$who takes what is next"
      run "$at" eval node --scenario first --pass --by $who; refused "first is held by Ann until 20" $? "$who files without the claim"
      tried=$((tried + 4))
    done
  done
  [ "$before" = "$(state "$top/twice")" ] || bad "a refusal wrote something"
  report "SC-10 what is held is not taken twice" "$tried commands in 2 work trees"
}

# --- SC-11: one owner at a time between machines ---

# Clones of one bare repository that share their claims there: the array clones.
machines() { # how many, URL
  local number
  clones=()
  for ((number = 0; number < $1; number++)); do
    rm -rf "$top/clone-$number"
    git clone -q "$2" "$top/clone-$number" 2>"$top/err" || { bad "$(cat "$top/err")"; return 1; }
    git -C "$top/clone-$number" config yatsu.claims.shared origin
    git -C "$top/clone-$number" config user.name "machine-$number"
    clones+=("$top/clone-$number")
  done
}
# Rounds of one scenario that every claimant of every clone wants.
contest_between() { # claimants rounds
  local round number winner
  for ((round = 0; round < $2; round++)); do
    for ((number = 0; number < $1; number++)); do
      ( "$yatsu" -C "${clones[$((number % ${#clones[@]}))]}" claim take node --scenario first --as "agent-$number" --format json \
          >"$top/said.$number" 2>"$top/err.$number"; echo $? >"$top/code.$number" ) &
      claimants[number]=$!
    done
    wait "${claimants[@]}"
    winner=""
    for ((number = 0; number < $1; number++)); do
      case $(cat "$top/code.$number") in
        0) [ -z "$winner" ] || bad "round $round: agent-$winner and agent-$number hold one scenario"; winner=$number ;;
        1) grep -q "first is held by agent-[0-9]* until 20" "$top/err.$number" || bad "round $round: $(cat "$top/err.$number")" ;;
        *) bad "round $round: agent-$number: $(cat "$top/err.$number")" ;;
      esac
    done
    [ -n "$winner" ] || { bad "round $round: nobody got it"; return; }
    [ "$(git -C "$top/shared.git" for-each-ref refs/yatsu/claims | wc -l)" = 1 ] || bad "round $round: not one claim on the remote"
    cp "$top/said.$winner" "$top/out"
    base=${clones[$((winner % ${#clones[@]}))]} end_of_round $((round % 3)) "${clones[$((winner % ${#clones[@]}))]}" "$(token)"
  done
}
# A way to receive a push that ends the program at a point: before anything is received, and after it.
cat > "$top/killing" <<'SH'
#!/bin/sh
case $POINT in
  before) kill -9 "$(cat "$VICTIM")"; exit 1 ;;
  after) git receive-pack "$@"; code=$?; kill -9 "$(cat "$VICTIM")"; exit $code ;;
esac
SH
chmod +x "$top/killing"
killed_at() { # point
  local first=${clones[0]} other=${clones[1]} pid
  git -C "$first" config remote.origin.receivepack "POINT=$1 VICTIM=$top/victim $top/killing"
  "$yatsu" -C "$first" claim take node --scenario second --as Ann >/dev/null 2>"$top/err" &
  pid=$!; echo $pid >"$top/victim"; wait $pid
  [ $? = 137 ] || bad "$1: it was not killed: $(cat "$top/err")"
  git -C "$first" config --unset remote.origin.receivepack
  [ "$(last "$first" | cut -d' ' -f1)" = intended ] || bad "$1: the journal says $(last "$first")"
  take "$first" second Bob; refused "second is held by Ann" $? "$1: somebody else of this machine"
  take "$first" second Ann || bad "$1: the same command: $(cat "$top/err")"
  local held; held=$(token)
  take "$other" second Bob; refused "second is held by Ann" $? "$1: another machine"
  run "$first" claim release "$held" || bad "$1: $(cat "$top/err")"
  take "$other" second Bob || bad "$1: after the end: $(cat "$top/err")"
  run "$other" claim release "$(token)"
}
between() {
  needs SC-11 python3 || return
  begin
  local rounds how point daemon port=0 tries=0; rounds=$(size 2 100)
  settings='{"yatsu":{"claims":{"grace":"0s","maxAttempts":1000}}}' populate "$top/seedling" first second
  git clone -q --bare "$top/seedling" "$top/shared.git"
  machines 5 "file://$top/shared.git" || return
  contest_between 50 "$rounds"
  for point in before after; do killed_at $point 2>/dev/null; done
  how="over file://"
  # a free port is found by trying
  while [ $tries -lt 20 ]; do
    tries=$((tries + 1)); port=$((20000 + RANDOM % 20000))
    "$(git --exec-path)/git-daemon" --reuseaddr --listen=127.0.0.1 --port=$port --export-all --enable=receive-pack \
      --base-path="$top" "$top" 2>"$top/daemon.err" &
    daemon=$!
    for ((waiting = 0; waiting < 200; waiting++)); do
      git ls-remote "git://127.0.0.1:$port/shared.git" >/dev/null 2>&1 && break 2
      kill -0 $daemon 2>/dev/null || break
    done
  done
  if kill -0 $daemon 2>/dev/null; then
    git -C "$top/shared.git" for-each-ref --format='delete %(refname)' refs/yatsu | git -C "$top/shared.git" update-ref --stdin
    machines 5 "git://127.0.0.1:$port/shared.git" && contest_between 50 "$rounds"
    kill $daemon; wait $daemon 2>/dev/null
    how="$how and git daemon"
  else
    bad "no git daemon: $(cat "$top/daemon.err")"
  fi
  report "SC-11 one owner at a time between machines" "50 claimants in 5 clones, $rounds rounds $how; killed before and after the push"
}

asked SC-1 && single
asked SC-2 && trees
asked SC-3 && terminal
asked SC-4 && durable
asked SC-5 && repeated
asked SC-6 && attempts
asked SC-7 && breach
asked SC-8 && runs
asked SC-9 && reclaimed
asked SC-10 && duplicate
asked SC-11 && between
[ $failures = 0 ]
