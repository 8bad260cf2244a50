# Compares what an independent reader says of files with `yatsu-hook units`.
# compare.py PROGRAM < lines of the reader, in a git work tree with those files
import collections
import hashlib
import json
import subprocess
import sys

program = sys.argv[1]
files, unread = collections.OrderedDict(), []
for line in sys.stdin.read().splitlines():
    file, *rest = line.split("\t")
    if rest == ["!"]:
        unread.append(file)
    elif rest == []:
        files.setdefault(file, {})
    else:
        files.setdefault(file, {}).setdefault(rest[0], set()).add((int(rest[1]), int(rest[2])))


def git_id(content):
    return hashlib.sha1(b"blob %d\0" % len(content) + content).hexdigest()


def said_by_reader(file):
    source = open(file, "rb").read()
    line = lambda at: source.count(b"\n", 0, at) + 1
    units = {}
    for name, pieces in files[file].items():
        pieces = sorted(pieces)
        lines = (min(line(a) for a, _ in pieces), max(line(max(b - 1, a)) for a, b in pieces))
        units[name] = (lines, git_id(b"\n".join(source[a:b] for a, b in pieces)))
    return units


counts = collections.Counter()
for file in files:
    if file in unread:
        continue
    done = subprocess.run([program, "units", "--format", "json", "--", file], capture_output=True, text=True)
    said = json.loads(done.stdout)
    if said["unread"]:
        counts["files that only the reader reads"] += 1
        print(f"{file}: {said['unread']}")
        continue
    counts["files"] += 1
    ours = {unit["name"]: (tuple(unit["lines"]), unit["id"]) for unit in said["units"] if not unit.get("broken")}
    broken = {unit["name"] for unit in said["units"] if unit.get("broken")}
    theirs = said_by_reader(file)
    counts["units"] += len(theirs)
    counts["units with a syntax error that only we see"] += len(broken)
    # what lies in a declaration with an error is not known
    hidden = {name for name in theirs if any(name == one or name.startswith(one + ".") for one in broken)}
    for name in sorted(set(ours) | set(theirs) - hidden):
        if name not in theirs:
            what = "only yatsu-hook has it"
        elif name not in ours:
            what = "only the reader has it"
        elif ours[name][0] != theirs[name][0]:
            what = "lines"
        elif ours[name][1] != theirs[name][1]:
            what = "bytes"
        else:
            continue
        counts[what] += 1
        print(f"{file}: {name}: {what}: ours {ours.get(name)}, theirs {theirs.get(name)}")
counts["files that the reader does not read"] += len(unread)
for what, count in counts.items():
    print(f"{count:7} {what}", file=sys.stderr)
sys.exit(any(counts[what] for what in ("only yatsu-hook has it", "only the reader has it", "lines")))
