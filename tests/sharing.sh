#!/usr/bin/env bash
# Sharing evidence between real clones over real servers with their default settings: git daemon, git http-backend behind a
# small CGI server, file://. Kills, a crowd of writers, full disks, liars, bombs, strangers who mirror and clone.
# Small by default, whole with --full.
#
#   tests/sharing.sh BINARY [--full] [daemon|http|plain|mirror|kill|crowd|full-disk|liar|bomb|figures]...
#
# Prints one line for each: what was done, how often, how many times it went wrong. Exit 1 if ever. Every server listens on the
# loopback address alone, and is ended by its process id. What this machine cannot try is named on standard error.
set -u
usage() { echo "usage: tests/sharing.sh BINARY [--full] [daemon|http|plain|mirror|kill|crowd|full-disk|liar|bomb|figures]..." >&2; exit 2; }
[ $# -ge 1 ] && [ -x "$1" ] || usage
yatsu=$(cd "$(dirname "$1")" && pwd)/$(basename "$1"); shift
full=0 wanted=""
while [ $# -gt 0 ]; do
  case $1 in
    --full) full=1 ;;
    daemon|http|plain|mirror|kill|crowd|full-disk|liar|bomb|figures) wanted="$wanted $1" ;;
    *) usage ;;
  esac
  shift
done
asked() { [ -z "$wanted" ] || case " $wanted " in *" $1 "*) true ;; *) false ;; esac; }

top=$(mktemp -d)
servers=""
ended() { for pid in $servers; do kill "$pid" 2>/dev/null; done; umount "$top/small" 2>/dev/null; rm -rf "$top"; }
trap ended EXIT
failures=0 wrong=0
exec 3>&2
bad() { failures=$((failures + 1)); wrong=$((wrong + 1)); echo "  WRONG: $*" >&3; }
skip() { echo "$*: not tried" >&2; }
begin() { wrong=0; since=$SECONDS; }
report() { echo "$1: $2, $wrong wrong, $((SECONDS - since)) s"; }

# Nothing of this machine's configuration takes part.
mkdir -p "$top/home"
export HOME=$top/home GIT_CONFIG_GLOBAL=/dev/null GIT_CONFIG_NOSYSTEM=1 GIT_TERMINAL_PROMPT=0 LC_ALL=C.UTF-8 TZ=UTC
export GIT_AUTHOR_NAME=A GIT_AUTHOR_EMAIL=a@example.invalid GIT_COMMITTER_NAME=A GIT_COMMITTER_EMAIL=a@example.invalid
export YATSU_PROGRESS=off

# --- repositories: a server, a clone with readings that are published, other clones ---
node=.spec/node
cache() { echo "$1/.git/spexcode/yatsu-blobs"; }
pieces() { ls "$(cache "$1")" 2>/dev/null | grep -c . ; }
y() { "$yatsu" -C "$@"; }
server() { # name of a new, empty one
  git init -q --bare -b main --template= "$top/$1.git"
}
clone() { git clone -q "$1" "$2" 2>/dev/null || git init -q -b main --template= "$2"; }
begin_node() { # a clone
  mkdir -p "$1/$node" "$1/src"
  echo 'fn a() {}' > "$1/src/a.rs"
  printf -- '---\ntitle: n\ncode:\n  - src/a.rs\n---\n' > "$1/$node/spec.md"
  {
    printf -- '---\nscenarios:\n'
    for name in $(seq -f 's%02g' 1 12); do
      printf '  - name: %s\n    description: measure %s\n    expected: %s works\n    tags: [cli]\n' "$name" "$name" "$name"
    done
    printf -- '---\n'
  } > "$1/$node/yatsu.md"
  git -C "$1" add -A && git -C "$1" commit -qm begin
}
measure() { # clone, scenario, file
  y "$1" eval node --scenario "$2" --pass --result "$3" --note "of $2" >/dev/null 2>"$top/err" || bad "eval $2: $(cat "$top/err")"
}
publish() { git -C "$1" add -A && git -C "$1" commit -qm "$2" && git -C "$1" push -q origin HEAD:main 2>/dev/null || bad "publish $2"; }
noise() { head -c "$2" /dev/urandom | od -An -tx1 | tr -d ' \n' | head -c "$2" > "$1"; }

# Whatever happened: what a server names it has, under the right name, and leads to; what a cache holds has its name.
verify_server() { # directory, what
  local hash id size reached
  # the names first: what a killed one left behind may still be pushing, and pushes what it names before
  git -C "$1" for-each-ref --format='%(objectname)' 'refs/yatsu/names/' | git -C "$1" log --stdin --format=%B > "$top/named" 2>/dev/null
  reached=$(git -C "$1" for-each-ref --format='%(objectname)' 'refs/yatsu/evidence/' | git -C "$1" rev-list --objects --stdin 2>/dev/null)
  while read -r hash id size; do
    [ -n "$size" ] && [ "$hash" != drop ] || continue
    case $reached in *"$id"*) ;; *) bad "$2: $hash is named, and nothing leads to it"; continue ;; esac
    [ "$(git -C "$1" cat-file blob "$id" | sha256sum | cut -d' ' -f1)" = "$hash" ] || bad "$2: $hash is named as other bytes"
  done < "$top/named"
}
verify_cache() { # clone, what
  local hash name
  [ -d "$(cache "$1")" ] || return 0
  while read -r hash name; do
    case $name in .yatsu-tmp-*) continue ;; esac
    [ "$hash" = "$name" ] || bad "$2: $name has content $hash"
  done < <(cd "$(cache "$1")" && ls -A | xargs -r sha256sum | tr -d '*')
}

# A server with a clone `<name>-a` that has published readings with so many pieces of so many bytes, shared but not pushed.
story() { # name, pieces, bytes
  local number
  server "$1"
  clone "file://$top/$1.git" "$top/$1-a"
  git -C "$top/$1-a" remote add origin "file://$top/$1.git" 2>/dev/null
  begin_node "$top/$1-a"
  for number in $(seq -f 's%02g' 1 "$2"); do
    noise "$top/piece" "$3"
    measure "$top/$1-a" "$number" "$top/piece"
  done
  [ "$2" = 0 ] || publish "$top/$1-a" readings
  git -C "$top/$1-a" push -q origin HEAD:main
  git -C "$top/$1-a" fetch -q origin
}
other() { # name, letter: another clone
  git clone -q "file://$top/$1.git" "$top/$1-$2" || bad "clone"
}
shares() { # clone [url]: by this url
  [ -z "${2:-}" ] || git -C "$1" remote set-url origin "$2"
  y "$1" share on origin >"$top/out" 2>"$top/err" || bad "share on: $(cat "$top/err")"
}
goes() { # clone, verb...
  local at=$1; shift
  y "$at" share "$@" >"$top/out" 2>"$top/err" || bad "share $*: exit $?: $(cat "$top/out" "$top/err")"
}

free_port() { python3 -c 'import socket; s = socket.socket(); s.bind(("127.0.0.1", 0)); print(s.getsockname()[1])'; }
answers() { # port: waits until somebody listens there
  local until=$((SECONDS + 20))
  until (exec 4<>"/dev/tcp/127.0.0.1/$1") 2>/dev/null; do
    [ $SECONDS -lt $until ] || { bad "nobody listens at $1"; return 1; }
  done
}

# Two clones, one server: what the first pushed the second gets, and a repetition changes nothing.
two_clones() { # name, url of the server
  shares "$top/$1-a" "$2"
  goes "$top/$1-a" push
  other "$1" b
  shares "$top/$1-b" "$2"
  goes "$top/$1-b" get --all
  [ "$(pieces "$top/$1-b")" = "$(pieces "$top/$1-a")" ] || bad "$(pieces "$top/$1-b") pieces of $(pieces "$top/$1-a") came"
  verify_cache "$top/$1-b" "$1"
  verify_server "$top/$1.git" "$1"
  goes "$top/$1-a" push
  goes "$top/$1-b" check
  [ -z "$(git -C "$top/$1-b" for-each-ref refs/yatsu refs/there refs/own)" ] || bad "refs in the user's repository"
}

over_daemon() {
  command -v git >/dev/null && [ -x "$(git --exec-path)/git-daemon" ] || { skip "git daemon (it is not installed)"; return; }
  begin
  story daemon 4 50000
  local port; port=$(free_port)
  git daemon --base-path="$top" --export-all --enable=receive-pack --reuseaddr --listen=127.0.0.1 --port="$port" "$top" 2>"$top/daemon.err" &
  servers="$servers $!"
  answers "$port" && two_clones daemon "git://127.0.0.1:$port/daemon.git"
  kill "$!" 2>/dev/null
  report daemon "$(pieces "$top/daemon-b") pieces over git://"
}

cat > "$top/cgi.py" <<'CGI'
"""git http-backend as a web server would run it: whoever knows the password may read and push. Prints its port."""
import base64, http.server, os, subprocess, sys

ROOT, PASSWORD = sys.argv[1:3]
WANTED = "Basic " + base64.b64encode(f"somebody:{PASSWORD}".encode()).decode()

class Handler(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def log_message(self, *_):
        pass

    def body(self):
        if self.headers.get("Transfer-Encoding", "").lower() != "chunked":
            return self.rfile.read(int(self.headers.get("Content-Length") or 0))
        parts = []
        while size := int(self.rfile.readline().split(b";")[0], 16):
            parts.append(self.rfile.read(size))
            self.rfile.readline()
        self.rfile.readline()
        return b"".join(parts)

    def answer(self):
        body = self.body()
        if self.headers.get("Authorization") != WANTED:
            return self.send(401, [("WWW-Authenticate", 'Basic realm="test"')], b"")
        path, _, query = self.path.partition("?")
        env = {"PATH": os.environ["PATH"], "HOME": os.environ["HOME"], "GIT_PROJECT_ROOT": ROOT, "GIT_HTTP_EXPORT_ALL": "1",
               "GIT_CONFIG_GLOBAL": "/dev/null", "GIT_CONFIG_NOSYSTEM": "1",
               "PATH_INFO": path, "QUERY_STRING": query, "REQUEST_METHOD": self.command, "REMOTE_USER": "somebody",
               "REMOTE_ADDR": "127.0.0.1", "CONTENT_TYPE": self.headers.get("Content-Type", ""), "CONTENT_LENGTH": str(len(body)),
               "HTTP_CONTENT_ENCODING": self.headers.get("Content-Encoding", ""), "GIT_PROTOCOL": self.headers.get("Git-Protocol", "")}
        said = subprocess.run(["git", "http-backend"], input=body, env=env, capture_output=True).stdout
        head, _, rest = said.partition(b"\r\n\r\n")
        headers = [tuple(line.decode().split(": ", 1)) for line in head.split(b"\r\n") if b": " in line]
        status = next((int(value.split()[0]) for name, value in headers if name == "Status"), 200)
        self.send(status, [pair for pair in headers if pair[0] != "Status"], rest)

    def send(self, status, headers, body):
        self.send_response(status)
        for name, value in headers:
            self.send_header(name, value)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    do_GET = do_POST = answer

server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
print(server.server_address[1], flush=True)
server.serve_forever()
CGI

over_http() {
  [ -x "$(git --exec-path)/git-http-backend" ] && [ -x "$(git --exec-path)/git-remote-http" ] && command -v python3 >/dev/null ||
    { skip "git http-backend (it, or python3, is not installed)"; return; }
  begin
  story http 4 50000
  local secret=s3cretpassw0rd port token clone
  python3 "$top/cgi.py" "$top" "$secret" > "$top/port" 2>"$top/cgi.err" &
  servers="$servers $!"
  local pid=$! until=$((SECONDS + 20))
  until [ -s "$top/port" ] || [ $SECONDS -ge $until ]; do :; done
  port=$(cat "$top/port")
  # as a CI configures it: a header in the local configuration, of which another repository sees nothing
  token=$(printf 'somebody:%s' "$secret" | base64)
  for clone in a b; do
    [ "$clone" = a ] || other http b
    git -C "$top/http-$clone" config "http.http://127.0.0.1:$port/.extraHeader" "Authorization: Basic $token"
  done
  rm -rf "$top/http-b.kept"; mv "$top/http-b" "$top/http-b.kept"
  shares "$top/http-a" "http://127.0.0.1:$port/http.git"
  goes "$top/http-a" push
  mv "$top/http-b.kept" "$top/http-b"
  shares "$top/http-b" "http://127.0.0.1:$port/http.git"
  goes "$top/http-b" get --all
  [ "$(pieces "$top/http-b")" = "$(pieces "$top/http-a")" ] || bad "$(pieces "$top/http-b") pieces came"
  verify_cache "$top/http-b" http
  verify_server "$top/http.git" http
  # a wrong password in the URL: refused, and shown to nobody
  other http c
  git -C "$top/http-c" remote set-url origin "http://somebody:wr0ngpassw0rd@127.0.0.1:$port/http.git?key=t0ken"
  y "$top/http-c" share on origin >"$top/out" 2>&1 && bad "a wrong password is accepted"
  grep -qE 'wr0ngpassw0rd|t0ken' "$top/out" && bad "a password is shown: $(cat "$top/out")"
  grep -rqE "$secret|wr0ngpassw0rd|$token" "$top"/http-*/.git/yatsu && bad "a password is kept beside the repository"
  kill "$pid" 2>/dev/null
  report http "$(pieces "$top/http-b") pieces through git http-backend with a header of the local configuration"
}

plain_clone() {
  begin
  story plain 4 50000
  size() { rm -rf "$top/counted"; git clone -q "$1" "$top/counted" && git -C "$top/counted" cat-file --batch-check='%(objectname) %(objectsize)' --batch-all-objects | awk '{sum += $2} END {print sum}'; }
  local before after
  before=$(size "file://$top/plain.git")
  shares "$top/plain-a"
  goes "$top/plain-a" push
  after=$(size "file://$top/plain.git")
  [ "$before" = "$after" ] || bad "a plain clone grew from $before to $after bytes"
  [ -z "$(git -C "$top/counted" for-each-ref refs/remotes/origin/yatsu refs/yatsu)" ] || bad "a plain clone has refs of ours"
  report plain "a plain clone grows by $((after - before)) bytes"
}

mirrored() {
  begin
  story mirror 3 20000
  shares "$top/mirror-a"
  goes "$top/mirror-a" push
  other mirror stranger
  git -C "$top/mirror-stranger" push -q --mirror origin 2>/dev/null
  [ -z "$(git -C "$top/mirror.git" for-each-ref refs/yatsu)" ] || bad "the mirror left our refs"
  git -C "$top/mirror-a" push -q origin HEAD:main; git -C "$top/mirror-a" fetch -q --prune origin
  y "$top/mirror-a" share check >"$top/out" 2>&1; [ $? = 1 ] || bad "check says: $(cat "$top/out")"
  goes "$top/mirror-a" check --heal
  goes "$top/mirror-a" check
  verify_server "$top/mirror.git" mirror
  report mirror "push --mirror of a stranger, healed"
}

# Kills at so many moments, spread over the time that an undisturbed run takes; every second time with everything it started.
killed_at() { # moment in milliseconds, clone, verb...
  local at=$1 clone=$2 pid; shift 2
  setsid "$yatsu" -C "$clone" share "$@" >/dev/null 2>&1 &
  pid=$!
  python3 -c "import time; time.sleep($at / 1000)"
  if [ $((at % 2)) = 0 ]; then kill -9 -- "-$pid" 2>/dev/null; else kill -9 "$pid" 2>/dev/null; fi
  wait "$pid" 2>/dev/null
}
took() { # clone, verb...: milliseconds
  local from; from=$(date +%s%N); goes "$@"; echo $((($(date +%s%N) - from) / 1000000))
}
kills() {
  begin
  local points=10 point time
  [ $full = 1 ] && points=100
  story kill 12 30000
  shares "$top/kill-a"
  cp -a "$top/kill-a" "$top/kill-fresh"; cp -a "$top/kill.git" "$top/kill-empty.git"
  time=$(took "$top/kill-a" push)
  cp -a "$top/kill.git" "$top/kill-pushed.git"
  for ((point = 1; point <= points; point++)); do
    rm -rf "$top/kill-a" "$top/kill.git"; cp -a "$top/kill-fresh" "$top/kill-a"; cp -a "$top/kill-empty.git" "$top/kill.git"
    killed_at $((time * point / points)) "$top/kill-a" push
    verify_server "$top/kill.git" "push killed at point $point"
    goes "$top/kill-a" push
    verify_server "$top/kill.git" "push killed at point $point, again"
    goes "$top/kill-a" check
  done
  rm -rf "$top/kill.git"; cp -a "$top/kill-pushed.git" "$top/kill.git"
  other kill b; shares "$top/kill-b"
  cp -a "$top/kill-b" "$top/kill-b-fresh"
  time=$(took "$top/kill-b" get --all)
  for ((point = 1; point <= points; point++)); do
    rm -rf "$top/kill-b"; cp -a "$top/kill-b-fresh" "$top/kill-b"
    killed_at $((time * point / points)) "$top/kill-b" get --all
    verify_cache "$top/kill-b" "get killed at point $point"
    goes "$top/kill-b" get --all
    verify_cache "$top/kill-b" "get killed at point $point, again"
    [ "$(pieces "$top/kill-b")" = 12 ] || bad "get killed at point $point: $(pieces "$top/kill-b") pieces after the repetition"
  done
  report kill "$points kills of push and $points of get"
}

crowd() {
  begin
  local writers=10 number pids="" refused=0
  [ $full = 1 ] && writers=50
  story crowd 0 0
  for number in $(seq 1 "$writers"); do
    other crowd "$number"
    echo "measured by $number" > "$top/piece"
    measure "$top/crowd-$number" s01 "$top/piece"
    git -C "$top/crowd-$number" checkout -q -b "b$number" && git -C "$top/crowd-$number" add -A && git -C "$top/crowd-$number" commit -qm reading
    shares "$top/crowd-$number"
  done
  for number in $(seq 1 "$writers"); do
    y "$top/crowd-$number" share push --all >"$top/crowd.$number" 2>&1 &
    pids="$pids $!"
  done
  for number in $pids; do wait "$number" || refused=$((refused + 1)); done
  [ $refused = 0 ] || { bad "$refused were refused"; grep -h . "$top"/crowd.[0-9]* | sort | uniq -c | sort -rn | head -5 >&3; }
  [ "$(git -C "$top/crowd.git" for-each-ref 'refs/yatsu/names/' | grep -c .)" = "$writers" ] || bad "not every writer has its refs"
  verify_server "$top/crowd.git" crowd
  report crowd "$writers writers at once, $refused refused"
}

full_disk() {
  mkdir -p "$top/small"
  mount -t tmpfs -o size=4m tmpfs "$top/small" 2>/dev/null || { skip "a full disk (no right to mount)"; return; }
  begin
  local step
  story disk 6 400000
  shares "$top/disk-a"
  goes "$top/disk-a" push
  git clone -q "file://$top/disk.git" "$top/small/b" && shares "$top/small/b"
  for step in 1 2 3; do
    rm -f "$top/small/fill"
    head -c $((3900000 - step * 900000)) /dev/zero > "$top/small/fill" 2>/dev/null
    y "$top/small/b" share get --all >"$top/out" 2>&1
    case $? in 0|3) ;; *) bad "full disk $step: exit $?: $(cat "$top/out")" ;; esac
    verify_cache "$top/small/b" "full disk $step"
    find "$top/small/b/.git" -name '.yatsu-tmp-*' | grep -q . && bad "full disk $step: something is left over"
  done
  rm -f "$top/small/fill"
  mount -o remount,size=40m "$top/small"
  goes "$top/small/b" get --all
  [ "$(pieces "$top/small/b")" = 6 ] || bad "$(pieces "$top/small/b") pieces after there was room again"
  umount "$top/small"
  report full-disk "3 fills of a small disk, then room"
}

# Somebody who may push claims that our piece is another blob; alone, and beside a true one.
liars() {
  begin
  story liar 3 20000
  shares "$top/liar-a"
  local blob tree commit hash
  blob=$(echo poison | git -C "$top/liar.git" hash-object -w --stdin)
  tree=$(git -C "$top/liar.git" write-tree)
  for hash in $(ls "$(cache "$top/liar-a")"); do echo "$hash $blob 7"; done > "$top/lines"
  commit=$(git -C "$top/liar.git" commit-tree "$tree" -F "$top/lines")
  git -C "$top/liar.git" update-ref refs/yatsu/names/0000000000000000/2026-01 "$commit"
  other liar b; shares "$top/liar-b"
  y "$top/liar-b" share get --all >"$top/out" 2>&1; [ $? = 1 ] || bad "a lie is taken: $(cat "$top/out")"
  [ "$(pieces "$top/liar-b")" = 0 ] || bad "a lie is in the cache"
  goes "$top/liar-a" push
  goes "$top/liar-b" get --all
  [ "$(pieces "$top/liar-b")" = 3 ] || bad "$(pieces "$top/liar-b") pieces came beside a liar"
  verify_cache "$top/liar-b" liar
  report liar "3 lies alone, 3 beside what is true"
}

# A blob of a few kilobytes on the way that is 200 MB, and one that wants half a gigabyte of memory to be read.
bombs() {
  [ -x /usr/bin/time ] || { skip "bombs (no time program)"; return; }
  begin
  story bomb 1 20000
  shares "$top/bomb-a"
  # the server runs here as well, and is not what is measured
  git -C "$top/bomb.git" config core.bigFileThreshold 1m
  local hash blob tree commit most="" name
  hash=$(ls "$(cache "$top/bomb-a")")
  for name in zeros copies; do
    if [ $name = zeros ]; then
      blob=$(head -c 200000000 /dev/zero | git -C "$top/bomb.git" -c core.bigFileThreshold=1m hash-object -w --stdin)
    else
      [ $full = 1 ] || continue
      blob=$(python3 - "$top/bomb.git" <<'BOMB'
import hashlib, struct, subprocess, sys, zlib
def number(n, first=7):
    out = []
    while True:
        out.append(n & 0x7f)
        n >>= 7
        if not n:
            return bytes([b | 0x80 for b in out[:-1]] + out[-1:])
def head(kind, size):
    rest = size >> 4
    first = kind << 4 | size & 15
    return bytes([first | 0x80]) + number(rest) if rest else bytes([first])
base, times = b"x" * 0xffffff, 30
name = hashlib.sha1(b"blob %d\0" % len(base) + base).digest()
delta = number(len(base)) + number(len(base) * times) + bytes([0xf0, 0xff, 0xff, 0xff]) * times
pack = b"PACK" + struct.pack(">II", 2, 2) + head(3, len(base)) + zlib.compress(base) + head(7, len(delta)) + name + zlib.compress(delta)
subprocess.run(["git", "-C", sys.argv[1], "index-pack", "--stdin"], input=pack + hashlib.sha1(pack).digest(), check=True, capture_output=True)
whole = hashlib.sha1(b"blob %d\0" % (len(base) * times))
for _ in range(times):
    whole.update(base)
print(whole.hexdigest())
BOMB
)
    fi
    tree=$(git -C "$top/bomb.git" write-tree)
    commit=$(echo "$hash $blob 20000" | git -C "$top/bomb.git" commit-tree "$tree")
    git -C "$top/bomb.git" update-ref refs/yatsu/names/0000000000000000/2026-01 "$commit"
    rm -rf "$top/bomb-b"; other bomb b; shares "$top/bomb-b"
    /usr/bin/time -o "$top/time" -f %M "$yatsu" -C "$top/bomb-b" share get --all >"$top/out" 2>&1
    [ $? = 1 ] || bad "a bomb is taken: $(cat "$top/out")"
    [ "$(pieces "$top/bomb-b")" = 0 ] || bad "a bomb is in the cache"
    find "$top/bomb-b/.git/yatsu" -size +1000k | grep -q . && bad "a bomb is on the disk"
    most="$most$name $(($(tail -1 "$top/time") / 1024)) MB "
    [ "$(tail -1 "$top/time")" -lt 400000 ] || bad "$name took $(tail -1 "$top/time") kB of memory"
  done
  report bomb "most memory of any process: ${most% }"
}

median() { sort -n | awk '{at[NR] = $1} END {print at[int((NR + 1) / 2)]}'; }
timed() { local from; from=$(date +%s%N); "$@" >"$top/out" 2>"$top/err" || bad "$*: $(cat "$top/out" "$top/err")"; awk "BEGIN {print ($(date +%s%N) - $from) / 1e9}"; }
figures() {
  begin
  local rounds=3 count=100 number one="" shared="" ours plain hash
  [ $full = 1 ] && { rounds=9; count=1000; }
  story figures 1 100000
  shares "$top/figures-a"
  for ((number = 0; number < rounds; number++)); do
    noise "$top/piece" 100000; measure "$top/figures-a" s02 "$top/piece"; publish "$top/figures-a" more; git -C "$top/figures-a" fetch -q
    shared="$shared$(timed "$yatsu" -C "$top/figures-a" share push)"$'\n'
    rm -rf "$top/figures-b"; other figures b; shares "$top/figures-b"
    hash=$(sha256sum "$top/piece" | cut -c1-64)
    one="$one$(timed "$yatsu" -C "$top/figures-b" share get "$hash")"$'\n'
  done
  echo "  one reading shared: $(printf %s "$shared" | median) s; one piece got: $(printf %s "$one" | median) s (medians of $rounds)"
  # many at once, against git with the same bytes: add, commit, push
  server plainly; clone "file://$top/plainly.git" "$top/plainly-a"
  git -C "$top/plainly-a" remote add origin "file://$top/plainly.git" 2>/dev/null
  for ((number = 0; number < count; number++)); do
    noise "$top/plainly-a/$number" 100000
    measure "$top/figures-a" "$(printf 's%02d' $((number % 12 + 1)))" "$top/plainly-a/$number"
  done
  publish "$top/figures-a" many; git -C "$top/figures-a" fetch -q
  ours=$(timed "$yatsu" -C "$top/figures-a" share push)
  plain=$(timed sh -c "cd '$top/plainly-a' && git add -A && git commit -qm many && git push -q origin HEAD:main")
  rm -rf "$top/figures-b"; other figures b; shares "$top/figures-b"
  echo "  $count pieces of 100 kB: pushed in $ours s, git with the same bytes $plain s; got in $(timed "$yatsu" -C "$top/figures-b" share get --all) s"
  report figures "over file://"
}

asked daemon && over_daemon
asked http && over_http
asked plain && plain_clone
asked mirror && mirrored
asked kill && kills
asked crowd && crowd
asked full-disk && full_disk
asked liar && liars
asked bomb && bombs
asked figures && figures
[ $failures = 0 ] || { echo "$failures wrong"; exit 1; }
