#!/bin/sh
# A real push of many commits into a bare repository with pre-receive, against the same push without the hook: wall
# time of `git push`, and wall time and peak memory of the hook alone. Everything lies in a temporary directory.
#
#   benches/push-5000.sh [BINARY]      default: target/release/yatsu-hook
#
# COMMITS=5000 NODES=100 FILES=2000 RUNS=3 change the size. Needs git and python3 (resource usage of children).
set -eu

cd "$(dirname "$0")/.."
binary=$(realpath "${1:-target/release/yatsu-hook}")
commits=${COMMITS:-5000} nodes=${NODES:-100} files=${FILES:-2000} runs=${RUNS:-3}

base=$(mktemp -d)
trap 'rm -rf "$base"' EXIT
export HOME="$base" GIT_CONFIG_NOSYSTEM=1 GIT_CONFIG_GLOBAL=/dev/null LC_ALL=C

# A first commit with all nodes and files, then commits that each edit two files; every tenth files a reading.
cat >"$base/history.py" <<'PY'
import sys
commits, nodes, files = map(int, sys.argv[1:4])
first = sys.argv[4] if len(sys.argv) > 4 else None
out = sys.stdout.buffer
def put(path, text):
    data = text.encode()
    out.write(b"M 100644 inline %s\ndata %d\n%s\n" % (path.encode(), len(data), data))
def begin(number):
    out.write(b"commit refs/heads/main\nmark :%d\ncommitter A <a@example.invalid> %d +0000\ndata 4\nwork\n"
              % (number + 1, 1767225600 + number * 60))
    if number == 1:
        out.write(b"from %s\n" % first.encode())
def source(file, version):
    return "".join("fn f%d_%d() { %d }\n" % (file, line, version) for line in range(40))
def nodes_and_files():
    begin(0)
    for file in range(files):
        put("src/d%d/f%d.rs" % (file % 40, file), source(file, 0))
    for node in range(nodes):
        put_node(node)
def put_node(node):
    governed = "".join("      - src/d%d/f%d.rs\n" % (f % 40, f) for f in range(node, files, nodes)[:5])
    put(".spec/n%d/yatsu.md" % node, "---\nscenarios:\n  - name: works\n    description: measure it\n"
        "    expected: it works\n    tags: [cli]\n    code:\n%s---\n" % governed)
if not first:
    nodes_and_files()
    sys.exit()
ledgers = [""] * nodes
for number in range(1, commits + 1):
    begin(number)
    for file in (number * 7 % files, number * 13 % files):
        put("src/d%d/f%d.rs" % (file % 40, file), source(file, number))
    if number % 10 == 0:
        node = number // 10 % nodes
        stamp = "2026-01-%02dT%02d:%02d:00.000Z" % (1 + number // 1440, number // 60 % 24, number % 60)
        ledgers[node] += ('{"scenario":"works","codeSha":"%s","blob":"%064x","evaluator":"manual@1",'
                          '"verdict":{"status":"pass"},"ts":"%s"}\n' % (first, number + 1, stamp))
        put(".spec/n%d/yatsu.evals.ndjson" % node, ledgers[node])
PY
# Runs a command; appends its wall seconds and the peak memory of its largest descendant in MiB to a file.
cat >"$base/measure.py" <<'PY'
import resource, subprocess, sys, time
begin = time.monotonic()
code = subprocess.call(sys.argv[2:])
took = time.monotonic() - begin
peak = resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss / 1024
with open(sys.argv[1], "a") as log:
    log.write("%.2f s, peak %.0f MiB\n" % (took, peak))
sys.exit(code)
PY
git init -q -b main "$base/repo"
python3 "$base/history.py" "$commits" "$nodes" "$files" | git -C "$base/repo" fast-import --quiet
first=$(git -C "$base/repo" rev-parse main)
python3 "$base/history.py" "$commits" "$nodes" "$files" "$first" | git -C "$base/repo" fast-import --quiet

push() { # NAME
    rm -rf "$base/bare.git"
    git init -q --bare -b main "$base/bare.git"
    git -C "$base/repo" push -q "$base/bare.git" "$first:refs/heads/main"
    if [ "$1" = hook ]; then
        printf '#!/bin/sh\nexec python3 "%s/measure.py" "%s/inside" "%s" pre-receive\n' "$base" "$base" "$binary" \
            >"$base/bare.git/hooks/pre-receive"
        chmod +x "$base/bare.git/hooks/pre-receive"
    fi
    python3 "$base/measure.py" "$base/$1" git -C "$base/repo" push -q "$base/bare.git" main 2>"$base/said" ||
        { cat "$base/said" >&2; exit 1; }
}

for _ in $(seq "$runs"); do
    push plain
    push hook
done
echo "$commits commits, $nodes nodes, $files files; $(git --version); $("$binary" --version)"
for name in plain hook inside; do
    sort -n "$base/$name" | head -n 1 | sed "s/^/$name: best of $runs: /"
done
