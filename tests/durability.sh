#!/usr/bin/env bash
# The sweeps of durability.md that need strace, other file systems or time. Small by default, whole with --full.
#
#   tests/durability.sh [--full] [G1|G3|G5|G6|G16|G22]...
#
# Prints one line per guarantee: what was done, how often, and how many times it went wrong. Exit 1 if ever.
# The process under test is the `store::driver` of the integration binary: what `eval` does once all is validated.
set -u
cd "$(dirname "$0")/.."

full=0
wanted=""
for word in "$@"; do
  case $word in
    --full) full=1 ;;
    G*) wanted="$wanted $word" ;;
    *) echo "usage: tests/durability.sh [--full] [G1|G3|G5|G6|G16|G22]..." >&2; exit 2 ;;
  esac
done
asked() { [ -z "$wanted" ] || case " $wanted " in *" $1 "*) true ;; *) false ;; esac; }

binary=$(cargo test --test it --no-run --message-format=json 2>/dev/null |
  grep -o '"executable":"[^"]*/it-[^"]*"' | tail -n 1 | cut -d'"' -f4)
[ -x "$binary" ] || { echo "the integration binary does not build" >&2; exit 3; }
top=$(mktemp -d)
trap 'umount "$top/small" 2>/dev/null; rm -rf "$top"' EXIT
failures=0

driver() { # base action... ; the environment decides, the arguments only select the driver
  YATSU_BASE=$1 YATSU_DRIVER=$2 "${@:3}" "$binary" --exact store::driver::run --ignored --nocapture --test-threads=1 -q
}
fresh() { # a base in the state $start: nothing there, one reading, or the evidence of the next one there already
  rm -rf "$1"; mkdir -p "$1/git" "$1/work/node"
  [ "$start" = nothing ] && return
  driver "$1" "file first" >/dev/null 2>&1
  [ "$start" = evidence ] || return 0
  cp "$(ledger "$1")" "$top/before"
  driver "$1" "file second" >/dev/null 2>&1
  cp "$top/before" "$(ledger "$1")"
}
start=reading
bad() { failures=$((failures + 1)); wrong=$((wrong + 1)); echo "  WRONG: $*" >&2; }
report() { echo "$1: $2, $wrong wrong"; }

ledger() { echo "$1/work/node/yatsu.evals.ndjson"; }

# Whatever happened: every name tells the truth, every line is whole, every line's evidence is there.
verify() {
  local blobs="$1/git/spexcode/yatsu-blobs" name hash
  for name in "$blobs"/*; do
    [ -f "$name" ] || continue
    hash=$(sha256sum < "$name" | cut -c1-64)
    [ "$hash" = "${name##*/}" ] || bad "$2: $name has content $hash"
  done
  [ -f "$(ledger "$1")" ] || return 0
  grep -vq '^{.*}$' "$(ledger "$1")" && bad "$2: a line is not whole"
  [ -z "$(tail -c 1 "$(ledger "$1")")" ] || bad "$2: the last line is torn"
  for hash in $(grep -o '"blob":"[0-9a-f]*"' "$(ledger "$1")" | cut -d'"' -f4); do
    [ -f "$blobs/$hash" ] || bad "$2: evidence $hash of a line is missing"
  done
  [ "$(sort "$(ledger "$1")" | uniq -d | wc -l)" = 0 ] || bad "$2: a line twice"
}
holds() { grep -q "\"scenario\":\"$2\"" "$(ledger "$1")" 2>/dev/null; }

# The same request again converges: one line, the evidence there.
converges() {
  driver "$1" "file second" >/dev/null 2>"$top/err" || bad "$2: the rerun failed: $(cat "$top/err")"
  holds "$1" second || bad "$2: the rerun filed nothing"
  verify "$1" "$2, after the rerun"
}

# How often the undisturbed run makes each system call, in the thread that makes it most.
calls() { # name
  fresh "$top/count"
  driver "$top/count" "file second" strace -f -qq -e trace="$1" -o "$top/trace" >/dev/null 2>&1
  cut -d' ' -f1 "$top/trace" 2>/dev/null | sort | uniq -c | sort -n | tail -n 1 | awk '{print $1 + 0}'
}

kill_sweep() {
  local runs=0 wrong=0 killed=0 name count n step
  for start in nothing reading evidence; do
  for name in openat mkdirat fstat newfstatat read write fsync fdatasync renameat renameat2 unlinkat flock pwrite64 pread64 utimensat close; do
    count=$(calls "$name")
    step=1; [ $full = 1 ] || step=$((count / 6 + 1))
    for ((n = 1; n <= ${count:-0}; n += step)); do
      fresh "$top/kill"
      driver "$top/kill" "file second" strace -f -qq -o /dev/null -e trace="$name" -e inject="$name:signal=KILL:when=$n" >/dev/null 2>&1
      [ $? = 137 ] && killed=$((killed + 1))
      verify "$top/kill" "KILL at $name $n"
      converges "$top/kill" "KILL at $name $n"
      runs=$((runs + 1))
    done
  done
  done
  start=reading
  report "G1, G9 kill at every system call and run again" "$runs runs, $killed killed"

  local random=30; [ $full = 1 ] && random=1000
  wrong=0
  fresh "$top/random"
  for ((n = 1; n <= random; n++)); do
    driver "$top/random" "file r$n" >/dev/null 2>&1 &
    local child=$!
    sleep "0.0$((RANDOM % 30 + 10))"
    kill -KILL $child 2>/dev/null
    wait $child 2>/dev/null
  done
  verify "$top/random" "random KILL"
  report "G1 kill at random times" "$random kills, $(wc -l < "$(ledger "$top/random")") lines filed"
}

# fsync(file) < rename < fsync(directory) < write of the line < fdatasync, by the order in one trace.
order() {
  local wrong=0 got want
  fresh "$top/order"
  driver "$top/order" "file second" strace -f -y -qq \
    -e trace=fsync,fdatasync,rename,renameat,renameat2,write -o "$top/trace" >/dev/null 2>&1
  got=$(sed -nE \
    -e 's/.* fsync\([0-9]+<[^>]*yatsu-tmp[^>]*>\).*/fsync-file/p' \
    -e 's/.* rename[a-z0-9]*\(.*yatsu-tmp.*/rename/p' \
    -e 's/.* fsync\([0-9]+<[^>]*yatsu-blobs>\).*/fsync-directory/p' \
    -e 's/.* write\([0-9]+<[^>]*ndjson>.*/write-line/p' \
    -e 's/.* fdatasync\([0-9]+<[^>]*ndjson>\).*/fdatasync-line/p' "$top/trace" | tr '\n' ' ')
  want="fsync-file rename fsync-directory write-line fdatasync-line "
  [ "$got" = "$want" ] || bad "G3: the order is: $got"
  report "G3 order of fsync, rename, fsync, write, fdatasync" "1 trace ($got)"
}

fault_sweep() {
  local runs=0 wrong=0 loud=0 name error count n step
  local errors="EIO ENOSPC EACCES EINTR"
  [ $full = 1 ] && errors="EIO ENOSPC EDQUOT EROFS EACCES EMFILE EINTR"
  for start in nothing reading evidence; do
  for name in openat mkdirat write fsync fdatasync renameat renameat2 unlinkat flock ftruncate utimensat; do
    count=$(calls "$name")
    for error in $errors; do
      step=1; [ $full = 1 ] || step=$((count / 4 + 1))
      for ((n = 1; n <= ${count:-0}; n += step)); do
        fresh "$top/fault"
        if driver "$top/fault" "file second" strace -f -qq -o /dev/null -e trace="$name" \
          -e inject="$name:error=$error:when=$n" >/dev/null 2>"$top/err"; then
          holds "$top/fault" second || bad "$error at $name $n: exit 0, nothing filed"
        else
          loud=$((loud + 1))
          [ -s "$top/err" ] || bad "$error at $name $n: failed without a word"
        fi
        verify "$top/fault" "$error at $name $n"
        converges "$top/fault" "$error at $name $n"
        runs=$((runs + 1))
      done
    done
  done
  done
  start=reading
  report "G5 every write-side system call fails" "$runs faults, $loud failed loudly"

  # A write that says it wrote and did not; a write that is cut short.
  wrong=0; runs=0
  local line
  fresh "$top/lie"; driver "$top/lie" "file second" >/dev/null 2>&1
  line=$(tail -n 1 "$(ledger "$top/lie")" | wc -c)
  for n in $(seq 1 "$(calls write)"); do
    for lie in retval=1 retval=6 "retval=$line"; do
      fresh "$top/lie"
      if driver "$top/lie" "file second" strace -f -qq -o /dev/null -e trace=write -e inject="write:$lie:when=$n" >/dev/null 2>&1; then
        holds "$top/lie" second || bad "write lies ($lie) at $n: exit 0, nothing filed"
      fi
      verify "$top/lie" "write lies ($lie) at $n"
      runs=$((runs + 1))
    done
  done
  report "G5 a write that lies about the line" "$runs lies"
}

writers() {
  local wrong=0 who=8 count=10
  [ $full = 1 ] && { who=50; count=200; }
  YATSU_WRITERS=$who YATSU_LINES=$count "$binary" --exact store::processes::g6_concurrent_writers_lose_tear_and_double_nothing \
    >"$top/out" 2>&1 || bad "G6: $(tail -n 5 "$top/out")"
  report "G6 concurrent writers" "$who processes x $count lines x (100 B, 5 kB, 60 kB)"
}

# A file system of a few pages, filled in steps; a file-size limit; a read-only mount.
full_disk() {
  local wrong=0 runs=0 loud=0 free before base="$top/small/b"
  mkdir -p "$top/small"
  if mount -t tmpfs -o size=256k none "$top/small" 2>/dev/null; then
    for free in $(seq 0 4 64); do
      rm -rf "$base" "$top/small/fill"; fresh "$base"
      before=$(sha256sum < "$(ledger "$base")")
      head -c 1M /dev/zero > "$top/small/fill" 2>/dev/null
      truncate -s "-$((free * 1024))" "$top/small/fill"
      if ! driver "$base" "file second" >/dev/null 2>"$top/err"; then
        loud=$((loud + 1))
        [ -s "$top/err" ] || bad "G16: $free KiB free: failed without a word"
        [ "$before" = "$(sha256sum < "$(ledger "$base")")" ] || bad "G16: $free KiB free: the ledger changed"
        [ -z "$(find "$base" -name '.yatsu-tmp*')" ] || bad "G16: $free KiB free: a temporary file is left"
      fi
      rm "$top/small/fill"
      verify "$base" "$free KiB free"; converges "$base" "$free KiB free"
      runs=$((runs + 1))
    done
    rm -rf "$base"; fresh "$base"
    mount -o remount,ro "$top/small"
    driver "$base" "file second" >/dev/null 2>"$top/err" && bad "G16: read-only: exit 0"
    grep -q "read-only" "$top/err" || bad "G16: read-only: $(cat "$top/err")"
    mount -o remount,rw "$top/small"; converges "$base" "after read-only"
    umount "$top/small"
  else
    echo "G16: no right to mount: full disk and read-only were not tried" >&2
  fi
  fresh "$top/limit"
  head -c 3000 /dev/zero | tr '\0' 'x' | sed 's/^/{"fill":"/; s/$/"}\n/' >> "$(ledger "$top/limit")"
  before=$(sha256sum < "$(ledger "$top/limit")")
  (ulimit -f 3; driver "$top/limit" "file second" >/dev/null 2>"$top/err") && bad "G16: ulimit -f: exit 0"
  [ "$before" = "$(sha256sum < "$(ledger "$top/limit")")" ] || bad "G16: ulimit -f: the ledger changed"
  verify "$top/limit" "ulimit -f"; converges "$top/limit" "ulimit -f"
  report "G16 full disk, read-only, file-size limit" "$((runs + 2)) states, disk full in $loud of them"
}

# Evidence of any size in constant memory, under its right name.
memory() {
  local wrong=0 mib=256 want got peak
  [ $full = 1 ] && mib=2047
  start=nothing fresh "$top/memory"
  truncate -s "${mib}M" "$top/memory/big"
  want=$(sha256sum < "$top/memory/big" | cut -c1-64)
  got=$(driver "$top/memory" "put $top/memory/big" 2>&1 | grep '^put ')
  peak=$(echo "$got" | awk '{print $4}')
  case $got in "put $want "*) ;; *) bad "G22: $got, not $want" ;; esac
  [ "${peak:-999999}" -lt 32768 ] || bad "G22: $peak KiB"
  report "G22 evidence is streamed" "$mib MiB stored in ${peak:-?} KiB of memory"
}

asked G1 && kill_sweep
asked G3 && order
asked G5 && fault_sweep
asked G6 && writers
asked G16 && full_disk
asked G22 && memory
[ $failures = 0 ]
