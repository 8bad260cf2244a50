#!/usr/bin/env bash
# The sweeps of DURABILITY.md with the real program: kills, failing and lying system calls, full disks, crowds, layouts.
# Small by default (two to three minutes), whole with --full.
#
#   tests/durability.sh BINARY [--full] [--driver IT] [G1|G3|G5|G6|G7|G12|G15|G16|G18|G21|G22|runlog|segments|figures]...
#
# IT is the integration binary (target/release/deps/it-...), which drives the store alone for G6; without it, cargo builds
# the one of `cargo test`, which is not optimised: its times say nothing.
#
# Prints one line per guarantee: what was done, how often, how many times it went wrong. Exit 1 if ever, and where the
# store's own driver could not be had. What this machine cannot try (no strace, no right to mount) is named on standard
# error and once more at the end.
set -u
here=$(cd "$(dirname "$0")/.." && pwd)

usage() { echo "usage: tests/durability.sh BINARY [--full] [--driver IT] [G1|G3|G5|G6|G7|G12|G15|G16|G18|G21|G22|runlog|segments|figures]..." >&2; exit 2; }
[ $# -ge 1 ] && [ -x "$1" ] || usage
yatsu=$(cd "$(dirname "$1")" && pwd)/$(basename "$1"); shift
full=0
wanted=""
driver=""
while [ $# -gt 0 ]; do
  case $1 in
    --full) full=1 ;;
    --driver) [ -x "${2:-}" ] || usage; driver=$2; shift ;;
    G*|runlog|segments|figures) wanted="$wanted $1" ;;
    *) usage ;;
  esac
  shift
done
asked() { [ -z "$wanted" ] || case " $wanted " in *" $1 "*) true ;; *) false ;; esac; }

top=$(mktemp -d)
trap 'umount "$top/small" 2>/dev/null; rm -rf "$top"' EXIT
failures=0
wrong=0
exec 3>&2 # complaints are heard also where the noise of killed jobs is not
bad() { failures=$((failures + 1)); wrong=$((wrong + 1)); echo "  WRONG: $*" >&3; }
untried=""
skip() { untried="$untried${untried:+; }$*"; echo "$*: not tried" >&2; }
report() { echo "$1: $2, $wrong wrong, $((SECONDS - since)) s"; }
begin() { wrong=0; since=$SECONDS; }

# Nothing of this machine's configuration takes part.
mkdir -p "$top/home"
user_home=$HOME
export HOME=$top/home GIT_CONFIG_GLOBAL=/dev/null GIT_CONFIG_NOSYSTEM=1 GIT_TERMINAL_PROMPT=0 LC_ALL=C.UTF-8 TZ=UTC
export GIT_AUTHOR_NAME=A GIT_AUTHOR_EMAIL=a@example.invalid GIT_COMMITTER_NAME=A GIT_COMMITTER_EMAIL=a@example.invalid

# --- the repository under test: a node with two scenarios, committed ---
node=.spec/node
ledger() { echo "$1/$node/yatsu.evals.ndjson"; }
blobs() { echo "$(git -C "$1" rev-parse --path-format=absolute --git-common-dir)/spexcode/yatsu-blobs"; }
populate() { # a repository that exists
  mkdir -p "$1/$node" "$1/src"
  echo 'fn a() {}' > "$1/src/a.rs"
  printf -- '---\ntitle: n\ncode:\n  - src/a.rs\n---\n' > "$1/$node/spec.md"
  {
    printf -- '---\nscenarios:\n'
    for name in first second; do
      printf '  - name: %s\n    description: measure %s\n    expected: %s works\n    tags: [cli]\n' $name $name $name
    done
    printf -- '---\n'
  } > "$1/$node/yatsu.md"
  git -C "$1" add -A && git -C "$1" commit -qm begin
}
echo "what the second one printed" > "$top/second.txt"
echo "what the first one printed" > "$top/first.txt"
file() { # repository scenario [runner...]
  local at=$1 name=$2; shift 2
  "$@" "$yatsu" -C "$at" eval node --scenario "$name" --pass --result "$top/$name.txt" --note "of $name"
}
git init -q -b main --template= "$top/nothing" && populate "$top/nothing"
cp -a "$top/nothing" "$top/reading" && file "$top/reading" first >/dev/null || exit 3
cp -a "$top/reading" "$top/evidence" && file "$top/evidence" second >/dev/null || exit 3
cp "$(ledger "$top/reading")" "$(ledger "$top/evidence")"
start=reading
fresh() { rm -rf "$1"; cp -a "$top/$start" "$1"; }

# Whatever happened: every name tells the truth, every line is whole, every line's evidence is there.
verify() { # repository what
  local dir name hash text
  dir=$1/.git/spexcode/yatsu-blobs; [ -d "$dir" ] || dir=$(blobs "$1")
  if [ -d "$dir" ]; then
    while read -r hash name; do
      [ "$hash" = "$name" ] || bad "$2: $name has content $hash"
    done < <(cd "$dir" && ls | xargs -r sha256sum | tr -d '*')
  fi
  [ -f "$(ledger "$1")" ] || return 0
  text=$(cat "$(ledger "$1")"; echo x)
  [ "$text" = x ] || case ${text%x} in *$'\n') ;; *) bad "$2: the last line is torn" ;; esac
  grep -vq '^{.*}$' "$(ledger "$1")" && bad "$2: a line is not whole"
  while IFS='"' read -r _ _ _ hash _; do
    [ -z "$hash" ] || [ -f "$dir/$hash" ] || bad "$2: evidence $hash of a line is missing"
  done < <(grep -o '"blob":"[0-9a-f]*"' "$(ledger "$1")")
}
holds() { [ "$(grep -c "\"scenario\":\"$2\"" "$(ledger "$1")" 2>/dev/null)" = 1 ]; }
# The same request again converges: one line, its evidence there, nothing left over by the next collection.
converges() {
  file "$1" second >/dev/null 2>"$top/err" || bad "$2: the rerun failed: $(cat "$top/err")"
  holds "$1" second || bad "$2: after the rerun there is not exactly one line"
  verify "$1" "$2, after the rerun"
}

traced() { command -v strace >/dev/null || { skip "$1 (no strace)"; return 1; }; }
# One undisturbed run. Only the thread that does the work is traced, not the programs it starts.
trace() { fresh "$top/count"; file "$top/count" second strace -qq -o "$top/trace" >/dev/null 2>&1; }
names() { sed -nE 's/^([a-z0-9_]+)\(.*/\1/p' "$top/trace" | sort -u | grep -vE '^(execve|exit_group|restart_syscall)$'; }
count() { grep -c "^$1(" "$top/trace"; }
inject() { # name what repository
  fresh "$3"
  file "$3" second timeout 60 strace -qq -o /dev/null -e trace="$1" -e inject="$1:$2" >"$top/out" 2>"$top/err"
}

kills() {
  traced G1 || return
  begin
  local runs=0 killed=0 name n step most
  for start in nothing reading evidence; do
    trace
    for name in $(names); do
      most=$(count "$name"); step=1
      [ $full = 1 ] || step=$((most / 2 + 1))
      for ((n = 1; n <= most; n += step)); do
        inject "$name" "signal=KILL:when=$n" "$top/kill"
        [ $? = 137 ] && killed=$((killed + 1))
        verify "$top/kill" "KILL at $name $n"
        converges "$top/kill" "KILL at $name $n"
        runs=$((runs + 1))
      done
    done
  done
  start=reading
  report "G1, G9 SIGKILL at every system call by name, then again" "$runs runs, $killed killed"

  begin
  local random=30 child; [ $full = 1 ] && random=1000
  fresh "$top/random"
  for ((n = 1; n <= random; n++)); do
    "$yatsu" -C "$top/random" eval node --scenario first --fail --note "kill $n" --result - <<< "random $n" >/dev/null 2>&1 &
    child=$!
    sleep "0.0$((RANDOM % 5))$((RANDOM % 10))"
    kill -KILL $child 2>/dev/null
    wait $child 2>/dev/null
  done 2>/dev/null
  verify "$top/random" "random KILL"
  converges "$top/random" "random KILL"
  report "G1 SIGKILL at random times" "$random kills, $(wc -l < "$(ledger "$top/random")") lines stand"
}

# fsync(file) < rename < fsync(directory) < write of the line < fdatasync, by the order in one trace.
order() {
  traced G3 || return
  begin
  local got want="fsync-file rename fsync-directory write-line fdatasync-line "
  fresh "$top/order"
  file "$top/order" second strace -y -qq -e trace=fsync,fdatasync,rename,renameat,renameat2,write -o "$top/trace" >/dev/null 2>&1
  got=$(sed -nE \
    -e 's/^fsync\([0-9]+<[^>]*yatsu-tmp[^>]*>\).*/fsync-file/p' \
    -e 's/^rename[a-z0-9]*\(.*yatsu-tmp.*/rename/p' \
    -e 's/^fsync\([0-9]+<[^>]*yatsu-blobs>\).*/fsync-directory/p' \
    -e 's/^write\([0-9]+<[^>]*ndjson>.*/write-line/p' \
    -e 's/^fdatasync\([0-9]+<[^>]*ndjson>\).*/fdatasync-line/p' "$top/trace" | tr '\n' ' ')
  [ "$got" = "$want" ] || bad "G3: the order is: $got"
  report "G3 order of fsync, rename, fsync, write, fdatasync" "1 trace (${got% })"
}

# The numbers of the calls of this name that take part in writing: the first lock is where writing begins.
writing() { # name
  awk -v name="$1(" 'index($0, name) == 1 { n++; if (seen || /"yatsu"/) print n } /"yatsu"/ { seen = 1 }' "$top/trace"
}
faults() {
  traced G5 || return
  begin
  local runs=0 loud=0 name error n numbers code
  local errors="EIO ENOSPC EINTR"
  [ $full = 1 ] && errors="EIO ENOSPC EDQUOT EROFS EACCES EMFILE EINTR"
  for start in nothing reading evidence; do
    trace
    for name in openat mkdirat write pwrite64 fsync fdatasync rename renameat renameat2 unlinkat flock ftruncate utimensat fchmod; do
      numbers=$(writing "$name")
      [ $full = 1 ] || numbers=$(echo "$numbers" | awk 'NR % 3 == 1')
      for error in $errors; do
        for n in $numbers; do
          inject "$name" "error=$error:when=$n" "$top/fault"; code=$?
          if [ $code = 0 ]; then
            holds "$top/fault" second || bad "$error at $name $n: exit 0, nothing filed"
          else
            loud=$((loud + 1))
            [ "$(tail -n 1 "$top/err")" = "FAILED: nothing filed" ] || bad "$error at $name $n: exit $code: $(cat "$top/err")"
            holds "$top/fault" second && bad "$error at $name $n: exit $code, and yet the line stands"
            [ -z "$(find "$top/fault" -name '.yatsu-tmp*' -print -quit)" ] || [ "$name" = unlinkat ] ||
              bad "$error at $name $n: a temporary file is left"
          fi
          verify "$top/fault" "$error at $name $n"
          converges "$top/fault" "$error at $name $n"
          runs=$((runs + 1))
        done
      done
    done
  done
  start=reading
  report "G5 every write-side system call fails" "$runs faults ($errors), $loud failed loudly"

  # A write that says it wrote and did not, or wrote less.
  begin
  local line lie
  runs=0
  trace; line=$(tail -n 1 "$(ledger "$top/count")" | wc -c)
  for n in $(writing write); do
    for lie in retval=0 retval=1 "retval=$line"; do
      if inject write "$lie:when=$n" "$top/lie"; then
        holds "$top/lie" second || bad "write lies ($lie) at $n: exit 0, nothing filed"
      fi
      verify "$top/lie" "write lies ($lie) at $n"
      runs=$((runs + 1))
    done
  done
  report "G5 a write that lies" "$runs lies"
}

# The integration binary drives the store alone: lines of sizes that `eval` itself never writes, locks held at will.
find_driver() {
  [ -z "$driver" ] || { echo "$driver"; return; }
  # cargo finds its toolchain through the home directory of whoever calls
  (cd "$here" && HOME=$user_home cargo test --test it --no-run --message-format=json 2>"$top/err") |
    grep -o '"executable":"[^"]*/it-[^"]*"' | tail -n 1 | cut -d'"' -f4
}
crowd() {
  local who=8 count=10 binary
  local test=store::processes::g6_concurrent_writers_lose_tear_and_double_nothing
  [ $full = 1 ] && { who=50; count=200; }
  binary=$(find_driver)
  begin
  if [ -x "$binary" ]; then
    YATSU_WRITERS=$who YATSU_LINES=$count "$binary" --exact $test >"$top/out" 2>&1 && grep -q '^test result: ok. 1 passed' "$top/out" ||
      bad "G6: $(tail -n 5 "$top/out")"
  else
    bad "G6: the store's own driver could not be built: $(tail -n 3 "$top/err")"
  fi
  report "G6 concurrent writers of the store" "$who processes x $count lines x (100 B, 5 kB, 60 kB)"

  # The program itself, from two work trees of one repository, each with a ledger of its own.
  begin
  count=2; [ $full = 1 ] && count=20
  local p n at done=0
  fresh "$top/crowd"
  git -C "$top/crowd" worktree add -q --detach "$top/crowd/../other" 2>/dev/null
  for ((p = 1; p <= who; p++)); do
    at=$top/crowd; [ $((p % 2)) = 0 ] && at=$top/other
    (
      for ((n = 1; n <= count; n++)); do
        # Fifty at once may wait longer than a person would: exit 3 then says so, and the same command is given again.
        until echo "$p $n" | "$yatsu" -C "$at" eval node --scenario first --fail --note "$p-$n" --result - >/dev/null 2>"$top/err.$p"; do
          grep -q 'is held by' "$top/err.$p" || { cp "$top/err.$p" "$top/crowd.failed"; break; }
        done
      done
    ) &
  done
  wait
  [ -f "$top/crowd.failed" ] && bad "G6: $(cat "$top/crowd.failed")"
  verify "$top/crowd" "crowd"; verify "$top/other" "crowd"
  for ((p = 1; p <= who; p++)); do
    at=$top/crowd; [ $((p % 2)) = 0 ] && at=$top/other
    for ((n = 1; n <= count; n++)); do
      [ "$(grep -c "\"note\":\"$p-$n\"" "$(ledger "$at")")" = 1 ] || bad "G6: $p-$n is not there exactly once"
      done=$((done + 1))
    done
  done
  git -C "$top/crowd" worktree remove --force "$top/other"
  report "G6 concurrent evals from two work trees" "$who processes x $count readings, $done looked for"
}

# Feeds a part of its evidence to the process that reads the pipe. A pipe holds 64 KiB: when all of this is written, the
# process has read most of it, so that it holds the lock and has stored what it read first.
feed_a_part() {
  head -c 4194304 /dev/zero >&9
}

# A killed holder frees the lock; a stopped one is named after the patience.
holders() {
  begin
  local pid
  fresh "$top/hold"
  mkfifo "$top/pipe"
  "$yatsu" -C "$top/hold" evidence put - < "$top/pipe" >/dev/null 2>&1 & pid=$!
  exec 9> "$top/pipe"; feed_a_part
  kill -KILL $pid; wait $pid 2>/dev/null; exec 9>&-
  "$yatsu" -C "$top/hold" clean --dry-run >/dev/null 2>"$top/err" || bad "G7: $(cat "$top/err")"
  "$yatsu" -C "$top/hold" evidence put - < "$top/pipe" >/dev/null 2>&1 & pid=$!
  exec 9> "$top/pipe"; feed_a_part
  kill -STOP $pid
  if "$yatsu" -C "$top/hold" clean --dry-run >/dev/null 2>"$top/err"; then bad "G8: a stopped holder was passed by"; fi
  grep -q "held by process $pid; waited 10 s" "$top/err" || bad "G8: $(cat "$top/err")"
  kill -CONT $pid; exec 9>&-; wait $pid || bad "G8: the holder did not finish"
  rm "$top/pipe"
  report "G7, G8 a killed holder, a stopped holder" "2 holders"
} 2>/dev/null

race() {
  begin
  local number=30 n runs=0 cleaner
  [ $full = 1 ] && number=500
  fresh "$top/race"
  # Evidence of the race is old at once: --grace 0, and every collection marks anew.
  (while [ ! -e "$top/race.done" ]; do
    "$yatsu" -C "$top/race" clean --grace 0 >/dev/null 2>>"$top/race.err" && echo >> "$top/race.runs"
  done) & cleaner=$!
  for ((n = 1; n <= number; n++)); do
    echo "race $n" | "$yatsu" -C "$top/race" eval node --scenario first --fail --note "$n" --result - >/dev/null 2>"$top/err" ||
      bad "G12: $(cat "$top/err")"
    git -C "$top/race" add -A && git -C "$top/race" commit -qm "$n" || bad "G12: commit $n failed"
  done
  touch "$top/race.done"; wait $cleaner
  runs=$(wc -l < "$top/race.runs" 2>/dev/null || echo 0)
  [ "$runs" -gt 0 ] || bad "G12: the collector never ran: $(tail -n 3 "$top/race.err")"
  verify "$top/race" "race"
  [ "$(wc -l < "$(ledger "$top/race")")" = $((number + 1)) ] || bad "G12: lines were lost"
  report "G12 eval and commit against a looping clean" "$number filed, $runs collections"
}

flips() {
  begin
  local number=60 n dir found
  [ $full = 1 ] && number=1000
  start=nothing; fresh "$top/flip"; start=reading
  mkdir "$top/pieces"
  for ((n = 1; n <= number; n++)); do
    head -c $((n % 97 + 1)) /dev/urandom > "$top/pieces/$n"; echo "piece $n" >> "$top/pieces/$n"
    "$yatsu" -C "$top/flip" evidence put "$top/pieces/$n" >/dev/null || bad "G15: put $n failed"
  done
  dir=$(blobs "$top/flip")
  perl -e 'for (@ARGV) { chmod 0644, $_; open my $f, "+<", $_ or die; binmode $f; my $at = int rand -s $f; seek $f, $at, 0;
    read $f, my $c, 1; seek $f, $at, 0; print $f chr(ord($c) ^ (1 << int rand 8)); close $f }' "$dir"/* || bad "G15: no bit was flipped"
  found=$("$yatsu" -C "$top/flip" evidence check | grep -c ': corrupt: expected [0-9a-f]\{64\}, actual [0-9a-f]\{64\}')
  [ "$found" = "$number" ] || bad "G15: $found of $number found"
  for ((n = 1; n <= number; n++)); do "$yatsu" -C "$top/flip" evidence put "$top/pieces/$n" >/dev/null; done
  "$yatsu" -C "$top/flip" evidence check >/dev/null || bad "G15: put does not heal"
  report "G15 one bit flipped in each piece of evidence" "$number flipped, $found found, all healed by put"
}

# Readings until the next line begins on one page of the ledger and ends on the next.
fill() {
  while [ "$(stat -c %s "$(ledger "$1")")" -lt 3650 ]; do
    "$yatsu" -C "$1" eval node --scenario first --fail --note "$RANDOM$RANDOM" >/dev/null 2>"$top/err"
  done
}
# A file system of a few pages filled in steps, a read-only mount, a file-size limit.
disks() {
  begin
  local runs=0 loud=0 free before base="$top/small/b" step=16
  [ $full = 1 ] && step=4
  mkdir -p "$top/small"
  cp -a "$top/reading" "$top/filled"; fill "$top/filled"; start=filled
  cp "$top/second.txt" "$top/kept"; seq 1 5000 > "$top/second.txt" # six pages of evidence
  if mount -t tmpfs -o size=1m none "$top/small" 2>/dev/null; then
    for ((free = 0; free <= 64; free += step)); do
      rm -rf "$base" "$top/small/fill"; fresh "$base"
      before=$(sha256sum < "$(ledger "$base")")
      head -c 2M /dev/zero > "$top/small/fill" 2>/dev/null
      truncate -s "-$((free * 1024))" "$top/small/fill"
      if ! file "$base" second >/dev/null 2>"$top/err"; then
        loud=$((loud + 1))
        [ "$(tail -n 1 "$top/err")" = "FAILED: nothing filed" ] || bad "G16: $free KiB free: $(cat "$top/err")"
        [ "$before" = "$(sha256sum < "$(ledger "$base")")" ] || bad "G16: $free KiB free: the ledger changed"
        [ -z "$(find "$base" -name '.yatsu-tmp*')" ] || bad "G16: $free KiB free: a temporary file is left"
        "$yatsu" -C "$base" pre-commit >/dev/null 2>"$top/err" || bad "G16: $free KiB free: pre-commit: $(cat "$top/err")"
      fi
      rm "$top/small/fill"
      verify "$base" "$free KiB free"; converges "$base" "$free KiB free"
      runs=$((runs + 1))
    done
    rm -rf "$base"; fresh "$base"
    mount -o remount,ro "$top/small"
    file "$base" second >/dev/null 2>"$top/err" && bad "G16: read-only: exit 0"
    grep -qi "read-only" "$top/err" || bad "G16: read-only: $(cat "$top/err")"
    "$yatsu" -C "$base" pre-commit >/dev/null 2>"$top/err" || bad "G16: read-only: pre-commit: $(cat "$top/err")"
    mount -o remount,rw "$top/small"; converges "$base" "after read-only"
    umount "$top/small"; runs=$((runs + 1))
  else
    skip "G16 full disk and read-only (no right to mount)"
  fi
  mv "$top/kept" "$top/second.txt"
  fresh "$top/limit"; start=reading
  before=$(sha256sum < "$(ledger "$top/limit")")
  (ulimit -f 4; file "$top/limit" second >/dev/null 2>"$top/err") && bad "G16: ulimit -f: exit 0"
  [ "$before" = "$(sha256sum < "$(ledger "$top/limit")")" ] || bad "G16: ulimit -f: the ledger changed"
  converges "$top/limit" "ulimit -f"
  report "G16 full disk, read-only, file-size limit" "$((runs + 1)) states, disk full in $loud of them"
}

# Segments: the first line of one, and a fold of three, killed and failed at every system call. Whatever happened, every line of
# the home stands in some file of it, none is torn, and the same command again finishes.
home_lines() { cat "$1/$node"/yatsu*.evals.ndjson 2>/dev/null | sort -u; }
fails() { # error name: whether this call may fail so
  case $1:$2 in
    signal=KILL:*|error*:write|error*:unlinkat|error*:fsync|error*:fdatasync|error*:openat|error*:flock) ;;
    *) false ;;
  esac
}
whole() { # repository what
  local file
  for file in "$1/$node"/yatsu*.evals.ndjson; do
    [ ! -s "$file" ] || [ -z "$(tail -c 1 "$file")" ] || bad "$2: $(basename "$file") is torn"
  done
}
segments() {
  traced segments || return
  local name n most step runs killed code error before number
  rm -rf "$top/folded"; cp -a "$top/reading" "$top/folded"
  git -C "$top/folded" remote add origin ../server.git
  for number in 1 2 3; do
    # so long that a fold needs another page of a full disk
    "$yatsu" -C "$top/folded" eval node --scenario first --pass --note "$(printf 'segment %01500d' "$number")" >/dev/null 2>&1
    git -C "$top/folded" add -A && git -C "$top/folded" commit -qm "$number"
  done
  before=$(home_lines "$top/folded")
  [ "$(ls "$top/folded/$node"/yatsu.2*.evals.ndjson | wc -l)" = 3 ] || bad "segments: there are not three"
  start=folded

  begin
  runs=0 killed=0
  fresh "$top/count"
  strace -qq -o "$top/trace" "$yatsu" -C "$top/count" fold >/dev/null 2>&1 || bad "segments: a fold failed"
  for name in $(names); do
    most=$(count "$name"); step=1
    [ $full = 1 ] || step=$((most / 2 + 1))
    for ((n = 1; n <= most; n += step)); do
      for error in signal=KILL error=EIO error=ENOSPC; do
        fails "$error" "$name" || continue
        fresh "$top/kill"
        timeout 60 strace -qq -o /dev/null -e trace="$name" -e inject="$name:$error:when=$n" "$yatsu" -C "$top/kill" fold \
          >"$top/out" 2>"$top/err"
        code=$?
        [ $code = 137 ] && killed=$((killed + 1))
        [ "$(home_lines "$top/kill")" = "$before" ] || bad "fold, $error at $name $n: other lines"
        whole "$top/kill" "fold, $error at $name $n"
        [ $code != 0 ] || [ -z "$(ls "$top/kill/$node"/yatsu.2*.evals.ndjson 2>/dev/null)" ] ||
          bad "fold, $error at $name $n: exit 0, and a segment is left"
        "$yatsu" -C "$top/kill" fold >/dev/null 2>"$top/err" || bad "fold, $error at $name $n: again: $(cat "$top/err")"
        [ "$(home_lines "$top/kill")" = "$before" ] || bad "fold, $error at $name $n: other lines after the next"
        [ -z "$(ls "$top/kill/$node"/yatsu.2*.evals.ndjson 2>/dev/null)" ] || bad "fold, $error at $name $n: the next did not finish"
        runs=$((runs + 1))
      done
    done
  done 2>/dev/null
  report "segments: a fold killed and failed at every system call, then again" "$runs runs, $killed killed"

  begin
  runs=0 killed=0
  trace
  for name in $(names); do
    most=$(count "$name"); step=1
    [ $full = 1 ] || step=$((most / 2 + 1))
    for ((n = 1; n <= most; n += step)); do
      for error in signal=KILL error=EIO error=ENOSPC; do
        fails "$error" "$name" || continue
        inject "$name" "$error:when=$n" "$top/kill"
        [ $? = 137 ] && killed=$((killed + 1))
        whole "$top/kill" "first line of a segment, $error at $name $n"
        [ "$(home_lines "$top/kill" | grep -v '"scenario":"second"')" = "$(echo "$before" | grep -v '"scenario":"second"')" ] ||
          bad "first line of a segment, $error at $name $n: other lines"
        file "$top/kill" second >/dev/null 2>"$top/err" || bad "first line of a segment, $error at $name $n: again: $(cat "$top/err")"
        [ "$(home_lines "$top/kill" | grep -c '"scenario":"second"')" = 1 ] ||
          bad "first line of a segment, $error at $name $n: not exactly one line after the next"
        runs=$((runs + 1))
      done
    done
  done 2>/dev/null
  report "segments: the first line of one, killed and failed at every system call, then again" "$runs runs, $killed killed"

  begin
  runs=0
  local held="$top/small/repo" as_owner=()
  # a superuser passes modes, unless this right is taken away
  [ "$(id -u)" != 0 ] || as_owner=(setpriv --bounding-set -dac_override,-dac_read_search)
  fresh "$top/held"
  chmod a-w "$top/held/$node"
  if ! "${as_owner[@]}" touch "$top/held/$node/probe" 2>/dev/null; then
    "${as_owner[@]}" "$yatsu" -C "$top/held" fold >/dev/null 2>"$top/err" && bad "segments: a fold in a read-only directory: exit 0"
    file "$top/held" second "${as_owner[@]}" >/dev/null 2>&1 && bad "segments: a line in a read-only directory: exit 0"
    [ "$(home_lines "$top/held")" = "$before" ] || bad "segments: a read-only directory: other lines"
    runs=$((runs + 2))
  else
    skip "segments in a read-only directory (no setpriv)"
  fi
  chmod u+w "$top/held/$node"
  mkdir -p "$top/small"
  if mount -t tmpfs -o size=4m none "$top/small" 2>/dev/null; then
    fresh "$held"
    cat /dev/zero >"$top/small/fill" 2>/dev/null
    "$yatsu" -C "$held" fold >/dev/null 2>"$top/err" && bad "segments: a fold on a full disk: exit 0"
    file "$held" second >/dev/null 2>&1 && bad "segments: a line on a full disk: exit 0"
    [ "$(home_lines "$held")" = "$before" ] || bad "segments: a full disk: other lines"
    rm "$top/small/fill"
    "$yatsu" -C "$held" fold >/dev/null 2>"$top/err" || bad "segments: after a full disk: $(cat "$top/err")"
    [ "$(home_lines "$held")" = "$before" ] || bad "segments: after a full disk: other lines"
    umount "$top/small"; runs=$((runs + 2))
  else
    skip "segments on a full disk (no right to mount)"
  fi
  fresh "$top/limit"
  (ulimit -f 0; "$yatsu" -C "$top/limit" fold >/dev/null 2>"$top/err") && bad "segments: a fold under ulimit -f: exit 0"
  [ "$(home_lines "$top/limit")" = "$before" ] || bad "segments: ulimit -f: other lines"
  "$yatsu" -C "$top/limit" fold >/dev/null 2>"$top/err" || bad "segments: after ulimit -f: $(cat "$top/err")"
  [ "$(home_lines "$top/limit")" = "$before" ] || bad "segments: after ulimit -f: other lines"
  report "segments: a read-only directory, a full disk, a file-size limit" "$((runs + 1)) states"
  start=reading
}

signals() {
  begin
  local number=20 n signal pid code
  [ $full = 1 ] && number=300
  fresh "$top/signal"
  head -c 30M /dev/zero > "$top/big"
  for ((n = 1; n <= number; n++)); do
    case $((n % 3)) in 0) signal=INT ;; 1) signal=TERM ;; *) signal=HUP ;; esac
    echo "$n" >> "$top/big"
    # A background job of a script ignores INT, and so would the program: perl gives it back.
    perl -e '$SIG{INT} = "DEFAULT"; exec @ARGV' "$yatsu" -C "$top/signal" eval node --scenario first --fail --note "$n" \
      --result "$top/big" >/dev/null 2>&1 & pid=$!
    sleep "0.$((RANDOM % 3))$((RANDOM % 10))"
    kill -$signal $pid 2>/dev/null
    wait $pid; code=$?
    case $code in 0|129|130|143) ;; *) bad "G18: $signal: exit $code" ;; esac
    [ -z "$(find "$top/signal" -name '.yatsu-tmp*')" ] || { bad "G18: $signal left a temporary file"; find "$top/signal" -name '.yatsu-tmp*' -delete; }
    [ $code = 0 ] || ended=$((${ended:-0} + 1))
  done 2>/dev/null
  file "$top/signal" second >/dev/null 2>"$top/err" || bad "G18: the lock is held: $(cat "$top/err")"
  verify "$top/signal" "signals"
  rm "$top/big"
  report "G18 INT, TERM, HUP at random times" "$number signals, ${ended:-0} in time to end it"
}

# The same request in every layout: the same receipt but for commit and time, the evidence in the common directory.
layouts() {
  begin
  local name at said want="" runs=0
  git init -q -b main --template= "$top/main" && populate "$top/main"
  git -C "$top/main" worktree add -q --detach "$top/linked"
  git init -q -b main --template= --separate-git-dir "$top/apart.git" "$top/apart" && populate "$top/apart"
  git init -q -b main --template= "$top/super" && git -C "$top/super" commit -q --allow-empty -m x
  git -C "$top/super" -c protocol.file.allow=always submodule --quiet add "$top/main" sub
  git init -q -b main --template= --object-format=sha256 "$top/sha256" && populate "$top/sha256"
  git clone -q --depth 1 "file://$top/main" "$top/shallow"
  for name in main linked apart super/sub sha256 shallow main/src; do
    at=$top/$name
    # One reading per repository; from a directory below the top it is there already.
    said=$("$yatsu" -C "$at" eval node --scenario second --pass --result "$top/second.txt" 2>"$top/err" |
      sed -E 's/^already filed/filed/; s/; nothing was written//; s/@ [0-9a-f]{12} .*/@/')
    [ -n "$want" ] || want=$said
    [ "$said" = "$want" ] || bad "G21: $name: $said $(cat "$top/err")"
    [ "$(ls "$(blobs "$at")" | wc -l)" = 1 ] || bad "G21: $name: the evidence is not in the common directory"
    # a clone has a remote, and its line goes into a segment
    local file="yatsu\\.evals\\.ndjson"
    case $name in super/sub | shallow) file="yatsu\\.[0-9]{8}-[0-9]{6}-[0-9a-f]{6}\\.evals\\.ndjson" ;; esac
    [[ $(git -C "$(git -C "$at" rev-parse --show-toplevel)" status --porcelain -uall) =~ ^"?? $node/"$file$ ]] ||
      bad "G21: $name: more than the ledger changed"
    runs=$((runs + 1))
  done
  git clone -q --bare "$top/main" "$top/bare.git"
  "$yatsu" -C "$top/bare.git" eval node --scenario second --pass >/dev/null 2>"$top/err"
  [ $? = 1 ] && grep -q "bare repository" "$top/err" || bad "G21: bare: $(cat "$top/err")"
  report "G21 layouts (main, linked, separate, submodule, sha256, shallow, subdirectory; bare refuses)" "$((runs + 1)) layouts"
}

# The largest resident size of a command in KiB, as the kernel counts it. The one who starts the command is small: what a
# process inherits counts as its own.
peak() {
  [ -x "$top/peak" ] || cc -O -x c -o "$top/peak" - <<'C' || { bad "G22: no C compiler"; return; }
#include <stdio.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>
int main(int argc, char **argv) {
    int status = 0;
    struct rusage used;
    FILE *out;
    pid_t child = vfork();
    if (child == 0) {
        execvp(argv[2], argv + 2);
        _exit(127);
    }
    if (argc < 3 || child < 0 || wait4(child, &status, 0, &used) != child || !(out = fopen(argv[1], "w")))
        return 126;
    fprintf(out, "%ld\n", used.ru_maxrss);
    return fclose(out) || !WIFEXITED(status) ? 125 : WEXITSTATUS(status);
}
C
  "$top/peak" "$top/peak.kib" "$@" >"$top/out" 2>"$top/err"; code=$?
  peak=$(cat "$top/peak.kib")
}
memory() {
  begin
  local mib=256 want
  [ $full = 1 ] && mib=2047
  start=nothing; fresh "$top/memory"; start=reading
  truncate -s "${mib}M" "$top/large"
  want=$(sha256sum < "$top/large" | cut -c1-64)
  peak "$yatsu" -C "$top/memory" evidence put "$top/large"
  [ "$(cat "$top/out")" = "$want" ] || bad "G22: $(cat "$top/out" "$top/err"), not $want"
  [ "$peak" -gt 0 ] && [ "$peak" -lt 32768 ] || bad "G22: $peak KiB"
  report "G22 evidence is streamed" "$mib MiB stored in $peak KiB of memory"
  begin
  truncate -s 4G "$top/large"
  peak "$yatsu" -C "$top/memory" evidence put "$top/large"
  [ $code = 2 ] && grep -q "larger than 2 GiB" "$top/err" || bad "G22: 4 GiB: exit $code: $(cat "$top/err")"
  if [ $full = 1 ]; then
    peak sh -c 'exec "$0" -C "$1" evidence put - < "$2"' "$yatsu" "$top/memory" "$top/large"
    [ $code = 2 ] && grep -q "larger than 2 GiB" "$top/err" || bad "G22: stream of 4 GiB: exit $code: $(cat "$top/err")"
    [ "$peak" -lt 32768 ] || bad "G22: stream: $peak KiB"
  fi
  [ -z "$(find "$top/memory" -name '.yatsu-tmp*')" ] || bad "G22: a temporary file is left"
  rm -f "$top/large"; rm -rf "$top/memory"
  report "G22 4 GiB are refused, as a file and (--full) as a stream" "$peak KiB of memory at most"
}

# An append to a run log that is killed anywhere: what stood there stands, and after a repair the same append goes through.
run_logs() {
  traced runlog || return
  begin
  local runs=0 killed=0 name n step most before log=quality/run_state.jsonl
  local append="runlog add gate_check gate_name=g verdict=pass"
  start=nothing; fresh "$top/run"; start=run
  "$yatsu" -C "$top/run" runlog start $log benchmark=b lever_state=l runner=claude playbook_version=1 target_path=. \
    >/dev/null || bad "runlog: no run was started"
  before=$(wc -c < "$top/run/$log")
  fresh "$top/count"
  strace -qq -o "$top/trace" "$yatsu" -C "$top/count" $append >/dev/null 2>&1
  for name in $(names); do
    most=$(count "$name"); step=1
    [ $full = 1 ] || step=$((most / 2 + 1))
    for ((n = 1; n <= most; n += step)); do
      fresh "$top/kill"
      timeout 60 strace -qq -o /dev/null -e trace="$name" -e inject="$name:signal=KILL:when=$n" \
        "$yatsu" -C "$top/kill" $append >/dev/null 2>&1
      [ $? = 137 ] && killed=$((killed + 1))
      cmp -s -n "$before" "$top/run/$log" "$top/kill/$log" || bad "runlog: KILL at $name $n: what stood there changed"
      "$yatsu" -C "$top/kill" repair >/dev/null || bad "runlog: KILL at $name $n: the repair failed"
      "$yatsu" -C "$top/kill" $append >/dev/null || bad "runlog: KILL at $name $n: the same append failed"
      "$yatsu" -C "$top/kill" runlog progress --check || bad "runlog: KILL at $name $n: the page is behind"
      case $(wc -l < "$top/kill/$log") in 4|5) ;; *) bad "runlog: KILL at $name $n: lines are lost or doubled" ;; esac
      runs=$((runs + 1))
    done
  done 2>/dev/null
  start=reading
  report "run log, SIGKILL at every system call by name, then again" "$runs runs, $killed killed"
}

seconds() { local before=$EPOCHREALTIME; "$@" >/dev/null 2>&1; echo "$before $EPOCHREALTIME" | awk '{ printf "%.2f", $2 - $1 }'; }
figures() {
  local size=1000000000 commits=5000 pieces=10000
  [ $full = 1 ] || { size=100000000; commits=500; pieces=1000; }
  start=nothing; fresh "$top/figure"; start=reading
  head -c $size /dev/urandom > "$top/gigabyte"
  local hash copy put
  cat "$top/gigabyte" > /dev/null
  hash=$(seconds openssl dgst -sha256 "$top/gigabyte")
  copy=$(seconds sh -c 'cp "$0" "$0.copy" && sync "$0.copy"' "$top/gigabyte")
  rm "$top/gigabyte.copy"
  put=$(seconds "$yatsu" -C "$top/figure" evidence put "$top/gigabyte")
  echo "figure: evidence put of $size bytes: $put s; openssl dgst -sha256 $hash s, copy and sync $copy s"
  rm -rf "$top/gigabyte" "$top/figure"

  git init -q -b main --template= "$top/history"
  perl -e 'my ($commits) = @ARGV; my @ledger;
    for my $c (0 .. $commits - 1) {
      my $n = $c % 50; my $hash = sprintf "%064x", $c;
      $ledger[$n] .= sprintf qq({"scenario":"s","codeSha":"%s","blob":"%s","evaluator":"manual\@1","verdict":{"status":"pass"},"ts":"2026-01-01T%02d:%02d:%02d.000Z"}\n), "a" x 40, $hash, $c / 3600, $c / 60 % 60, $c % 60;
      my $side = $c >= $commits - 100; my $branch = $side ? "b$c" : "main";
      my $from = $side ? "from refs/heads/main\n" : "";
      printf "commit refs/heads/%s\ncommitter A <a\@example.invalid> %d +0000\ndata 1\nx%sM 100644 inline .spec/n%d/yatsu.evals.ndjson\ndata %d\n%s\n", $branch, $c + 1, $from, $n, length $ledger[$n], $ledger[$n];
    }' $commits | git -C "$top/history" fast-import --quiet
  git -C "$top/history" reset -q --hard
  mkdir -p "$top/history/.git/spexcode/yatsu-blobs"
  (cd "$top/history/.git/spexcode/yatsu-blobs" && perl -e 'for (0 .. $ARGV[0] - 1) { open my $f, ">", sprintf "%064x", $_; print $f "x" }' $pieces && find . -type f -exec touch -d '365 days ago' {} +)
  local clean; clean=$(seconds "$yatsu" -C "$top/history" clean --dry-run)
  echo "figure: clean --dry-run, $commits ledger commits, 100 branches, $pieces pieces: $clean s; $("$yatsu" -C "$top/history" clean --dry-run 2>&1 | tail -n 1)"
}

asked G1 && kills
asked G3 && order
asked G5 && faults
asked G6 && crowd
asked G7 && holders
asked G12 && race
asked G15 && flips
asked G16 && disks
asked G18 && signals
asked G21 && layouts
asked G22 && memory
asked runlog && run_logs
asked segments && segments
asked figures && figures
[ -z "$untried" ] || echo "not tried: $untried"
[ $failures = 0 ]
