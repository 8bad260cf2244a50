#!/bin/sh
# Object storage as it is spoken by servers that are not ours: an S3 server (moto, from PyPI) and an Azure emulator (azurite,
# from npm), both on the loopback address, started here and stopped by their process ids. Asks yatsu-hook-cloud and the engine
# behind it for every promise of an engine, and for what only a real server shows: a kill in the middle, credentials that are
# wrong, a bucket that is not there, plain http that nobody allowed. Prints a table; exits 1 when a row is not right.
#
# usage: tests/object-storage.sh PROGRAM CLOUD [TOOLS]
# PROGRAM is yatsu-hook, CLOUD is yatsu-hook-cloud (`cargo build --features cloud`). TOOLS keeps what is installed, for a
# second run. Needs cargo, git, python3 with venv, node and npm; 500 MB of disk.
set -eu

[ $# -eq 2 ] || [ $# -eq 3 ] || { sed -n '7,9s/^# \{0,1\}//p' "$0" >&2; exit 2; }
fail() { echo "object-storage.sh: $1" >&2; exit 1; }
absolute() { printf '%s/%s\n' "$(cd "$(dirname "$1")" && pwd)" "$(basename "$1")"; }
program=$(absolute "$1")
cloud=$(absolute "$2")
for file in "$program" "$cloud"; do
    [ -x "$file" ] || { echo "object-storage.sh: $file is not executable" >&2; exit 2; }
done
root=$(cd "$(dirname "$0")/.." && pwd)
# where yatsu-hook looks for it when it does not lie beside it
PATH=$(dirname "$cloud"):$PATH

work=$(mktemp -d)
servers=
stop() {
    for server in $servers; do kill "$server" 2>/dev/null || true; done
    cd /
    rm -rf "$work"
}
trap stop EXIT
trap 'exit 1' INT TERM HUP
tools=${3:-$work/tools}
mkdir -p "$tools" "$work/home" "$work/azure"
tools=$(cd "$tools" && pwd)

[ -x "$tools/python/bin/moto_server" ] || {
    python3 -m venv "$tools/python"
    "$tools/python/bin/pip" install -q 'moto[server]>=5.2,<5.3' || fail 'moto could not be installed from PyPI'
}
[ -x "$tools/node/node_modules/.bin/azurite-blob" ] || {
    mkdir -p "$tools/node"
    npm install --silent --no-fund --no-audit --prefix "$tools/node" azurite@3 || fail 'azurite could not be installed from npm'
}

port() { python3 -c 'import socket; s = socket.socket(); s.bind(("127.0.0.1", 0)); print(s.getsockname()[1])'; }

# Waits until something listens on the port $1 and the process $2 lives.
await() {
    python3 - "$1" "$2" <<'PYTHON' || fail "no server on port $1"
import os, socket, sys, time

port, server = int(sys.argv[1]), int(sys.argv[2])
for _ in range(600):
    os.kill(server, 0)
    try:
        socket.create_connection(("127.0.0.1", port), 1).close()
        sys.exit(0)
    except OSError:
        time.sleep(0.1)
sys.exit(1)
PYTHON
}

s3=$(port)
"$tools/python/bin/moto_server" -H 127.0.0.1 -p "$s3" >"$work/moto.log" 2>&1 &
servers=$!
await "$s3" "$servers"
azure=$(port)
"$tools/node/node_modules/.bin/azurite-blob" --silent --skipApiVersionCheck --disableTelemetry --blobHost 127.0.0.1 \
    --blobPort "$azure" --location "$work/azure" >"$work/azurite.log" 2>&1 &
servers="$servers $!"
await "$azure" "$!"

# The account of the emulator, as its documentation prints it: no secret of anybody.
account=devstoreaccount1
key='Eby8vdM02xNOcqFlqUwJPLlmEtlCDXJ1OUzFT50uSRZ6IFsuFq2UVErCz4I6tq/K1SZFPTOtr/KBHBeksoGMGw=='

# Nothing of this machine's environment takes part.
on_s3() {
    env -i PATH="$PATH" HOME="$work/home" LC_ALL=C.UTF-8 GIT_CONFIG_GLOBAL=/dev/null GIT_CONFIG_NOSYSTEM=1 \
        AWS_ACCESS_KEY_ID=nobody AWS_SECRET_ACCESS_KEY=nothing AWS_REGION=us-east-1 AWS_ALLOW_HTTP=true \
        AWS_ENDPOINT_URL="http://127.0.0.1:$s3" "$@"
}
on_azure() {
    env -i PATH="$PATH" HOME="$work/home" LC_ALL=C.UTF-8 GIT_CONFIG_GLOBAL=/dev/null GIT_CONFIG_NOSYSTEM=1 \
        AZURE_STORAGE_USE_EMULATOR=true AZURITE_BLOB_STORAGE_URL="http://127.0.0.1:$azure" \
        AZURE_STORAGE_ACCOUNT_NAME=$account AZURE_STORAGE_ACCOUNT_KEY="$key" "$@"
}

python3 - "$s3" "$azure" "$account" "$key" <<'PYTHON' || fail 'the buckets could not be made'
import base64, email.utils, hashlib, hmac, http.client, sys

s3, azure, account, key = sys.argv[1:]


def put(port, path, headers):
    server = http.client.HTTPConnection("127.0.0.1", int(port), timeout=60)
    server.request("PUT", path, headers={"Content-Length": "0", **headers})
    answer = server.getresponse()
    if answer.status not in (200, 201):
        sys.exit(f"{answer.status} {answer.read()}")


put(s3, "/evidence", {})
date = email.utils.formatdate(usegmt=True)
signed = "\n".join(
    ["PUT", *[""] * 11, f"x-ms-date:{date}", "x-ms-version:2021-08-06", f"/{account}/{account}/evidence", "restype:container"]
)
signature = base64.b64encode(hmac.new(base64.b64decode(key), signed.encode(), hashlib.sha256).digest()).decode()
headers = {"x-ms-date": date, "x-ms-version": "2021-08-06", "Authorization": f"SharedKey {account}:{signature}"}
put(azure, f"/{account}/evidence?restype=container", headers)
PYTHON

failed=0
row() {
    if [ "$2" = "$3" ]; then right=yes; else right=no; failed=1; fi
    printf '%-60s %-5s\n' "$1" "$right"
    [ "$right" = yes ] || printf '    wanted: %s\n    found:  %s\n' "$3" "$2"
}

# $1: what runs a command in the environment of the store, $2: the store, $3: its bucket.
promises() {
    row "$2: every promise of an engine" "$(
        cd "$root" && "$1" env HOME="$HOME" CARGO_HOME="${CARGO_HOME:-$HOME/.cargo}" RUSTUP_HOME="${RUSTUP_HOME:-$HOME/.rustup}" \
            YATSU_TEST_BUCKET="$3/promises" \
            cargo test --quiet --locked --features cloud --lib -- --ignored --exact remote::bucket::tests::a_real_bucket_conforms \
            >"$work/promises.log" 2>&1 || tail -n 40 "$work/promises.log"
    )" ''
}

# Kills a push with signal 9 once it has started the other program, and waits until that one is gone too.
cat >"$work/kill.py" <<'PYTHON'
import os, subprocess, sys, time

push = subprocess.Popen([sys.argv[1], "share", "push"], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)


def named_cloud(child):
    # not the one that is asked for its version first
    with open(f"/proc/{child}/comm") as name, open(f"/proc/{child}/cmdline") as words:
        return name.read().startswith("yatsu-hook-clou") and "push" in words.read().split("\0")


def children():
    found = []
    for task in os.listdir(f"/proc/{push.pid}/task"):
        try:
            with open(f"/proc/{push.pid}/task/{task}/children") as names:
                found += [int(name) for name in names.read().split()]
        except FileNotFoundError:
            pass
    return found


cloud = None
while cloud is None and push.poll() is None:
    try:
        cloud = next((child for child in children() if named_cloud(child)), None)
    except OSError:  # a process that ended while it was looked at
        pass
push.kill()
push.wait()
for _ in range(600):
    if cloud is None or not os.path.exists(f"/proc/{cloud}"):
        print("gone" if cloud else "it ended before it could be killed")
        break
    time.sleep(0.1)
PYTHON
# The verbs of sharing, from one clone through the bucket to another: $1 and $2 as above, $3: the place.
verbs() {
    place=$work/$2
    mkdir "$place"
    git_as() { "$environment" git -C "$place/$@"; }
    environment=$1
    "$1" git init -q --bare -b main "$place/origin.git"
    "$1" git clone -q "$place/origin.git" "$place/here" 2>/dev/null
    git_as here config user.name A
    git_as here config user.email a@example.invalid
    mkdir -p "$place/here/.spec/board"
    cat >"$place/here/.spec/board/yatsu.md" <<'SCENARIOS'
---
scenarios:
  - name: draws
    description: draw it
    expected: it is drawn
    tags: [cli]
    code: board.txt
---
SCENARIOS
    echo board >"$place/here/board.txt"
    git_as here add -A
    git_as here commit -q -m start
    # one piece that goes whole, one that goes in parts
    head -c 12000000 /dev/urandom | base64 >"$place/large"
    for result in small large; do
        [ "$result" = large ] || echo 'it is drawn' >"$place/small"
        (cd "$place/here" && "$1" "$program" eval board --scenario draws --pass --by A --result "$place/$result" >/dev/null 2>&1)
    done
    git_as here add -A
    git_as here commit -q -m measured
    git_as here push -q origin main
    "$1" git clone -q "$place/origin.git" "$place/there"
    share() { where=$1; shift; (cd "$place/$where" && "$environment" "$program" share "$@" 2>&1 && echo 'exit 0' || echo "exit $?"); }
    cached() { ls "$place/$1/.git/spexcode/yatsu-blobs" 2>/dev/null | wc -l | tr -d ' '; }
    last() { sed -n '$p'; }

    row "$2: share on tries the bucket, and one with credentials is refused" \
        "$(share here on "$3" | last; share there on "$3" | last; share here on "s3://key:word@evidence" | last)" \
        "$(printf 'exit 0\nexit 0\nexit 2')"
    row "$2: a bucket that is not there is told" "$(share here on "${3%/verbs}x" | grep -o 'there is no such bucket\|^exit.*')" \
        "$(printf 'there is no such bucket\nexit 3')"
    row "$2: share check names what is missing there" "$(share here check | last)" 'exit 1'
    row "$2: a push that is killed takes the other program with it" "$(cd "$place/here" && "$1" python3 "$work/kill.py" "$program")" gone
    row "$2: what a killed push leaves of a large piece has no name" "$(share here check --deep | grep -c 'other content')" 0
    row "$2: share push sends both pieces, and none of them again" \
        "$(share here push | last; share here push | grep -o '^pushed [0-9]*')" "$(printf 'exit 0\npushed 0')"
    row "$2: share check, also by reading everything" "$(share here check | last; share there check --deep | last)" \
        "$(printf 'exit 0\nexit 0')"
    row "$2: share get brings them to another clone" "$(share there get --all | last; cached there)" "$(printf 'exit 0\n2')"
    row "$2: evidence check finds every byte right there" "$(cd "$place/there" && "$1" "$program" evidence check >/dev/null; echo $?)" 0
    hash=$(sha256sum "$place/small" | cut -c 1-64)
    row "$2: share drop takes a piece away" \
        "$(share here drop "$hash" --reason 'it shows a token' | last; share here check | grep -o '^1 missing')" \
        "$(printf 'exit 0\n1 missing')"
    row "$2: what is gone is healed from a clone that has it" "$(share there check --heal | last; share here check | last)" \
        "$(printf 'exit 0\nexit 0')"
    row "$2: share prune leaves what is young" "$(share there prune --before 2020-01 | last; share here check | last)" \
        "$(printf 'exit 0\nexit 0')"
}

promises on_s3 S3 s3://evidence
promises on_azure Azure az://evidence
verbs on_s3 S3 s3://evidence/verbs
verbs on_azure Azure az://evidence/verbs

# $1: what runs a command in the environment of the store, $2: the store. Asks from the clone that `verbs` made.
asked() { (cd "$work/$2/here" && "$1" "$program" share check 2>&1 || echo "exit $?"); }
without_http() { on_s3 env -u AWS_ALLOW_HTTP "$@"; }
of_nobody() { on_azure env AZURE_STORAGE_ACCOUNT_KEY=bm90aGluZw== "$@"; }
row 'S3: plain http that nobody allowed is not spoken' "$(asked without_http S3 | grep -o 'plain http is spoken only\|^exit.*')" \
    "$(printf 'plain http is spoken only\nexit 3')"
row 'Azure: a wrong key is told' "$(asked of_nobody Azure | grep -o 'does not let us\|^exit.*')" "$(printf 'does not let us\nexit 3')"
exit $failed
