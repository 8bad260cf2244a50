"""Sharing through git refs: what whole verbs cost over file:// with a server of default settings, beside git with the same bytes."""

import hashlib
import json
import random
import shutil
import subprocess
from pathlib import Path

import repos
from jobs import row

NODE = ".spec/node"
SIZE = 100_000  # bytes of a piece: half of them random, as hex digits, which is what git compresses least of all text
FEW, MANY = 100, 1_000


def piece(number):
    return random.Random(number).randbytes(SIZE // 2).hex().encode()


class Shared:
    """A server, and a clone `a` that has it as origin and sharing turned on."""

    def __init__(self, bench, name):
        self.program, self.top = bench.program, bench.work / name
        self.server, self.a = self.top / "server.git", self.top / "a"
        self.top.mkdir()
        self.hashes, self.minute = [], 0
        self.git(self.top, "init", "-q", "--bare", "-b", "main", "--template=", self.server)
        self.git(self.top, "init", "-q", "-b", "main", "--template=", self.a)
        self.git(self.a, "config", "user.name", "A")
        self.git(self.a, "remote", "add", "origin", f"file://{self.server}")
        self.write(self.a / "src/a.rs", b"fn a() {}\n")
        scenarios = "".join(f"  - name: s{n}\n    description: measure it\n    expected: it works\n    tags: [cli]\n    code: src/a.rs\n"
                            for n in range(10))
        self.write(self.a / NODE / "yatsu.md", f"---\nscenarios:\n{scenarios}---\n".encode())
        self.publish("begin")
        self.first = self.git(self.a, "rev-parse", "HEAD")
        self.yatsu(self.a, "share", "on")

    def git(self, where, *args):
        return repos.git(where, *map(str, args))

    def yatsu(self, where, *args):
        done = subprocess.run([self.program, *args], cwd=where, env=repos.ENV, capture_output=True, text=True)
        if done.returncode:
            raise RuntimeError(f"yatsu-hook {' '.join(args)}: {done.stdout}{done.stderr}")
        return done.stdout

    def write(self, path, content):
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content)

    def publish(self, what):
        self.git(self.a, "add", "-A")
        self.git(self.a, "commit", "-q", "-m", what)
        self.git(self.a, "push", "-q", "origin", "HEAD:main")
        self.git(self.a, "fetch", "-q", "origin")

    def measured(self, count):
        """So many readings more, published; their pieces lie in the cache of `a` alone."""
        with open(self.a / NODE / "yatsu.evals.ndjson", "a") as ledger:
            for _ in range(count):
                content = piece(self.minute)
                self.hashes.append(hashlib.sha256(content).hexdigest())
                self.write(cache(self.a) / self.hashes[-1], content)
                line = {"scenario": f"s{self.minute % 10}", "codeSha": self.first, "blob": self.hashes[-1],
                        "blobKind": "transcript", "evaluator": "manual@1", "verdict": {"status": "pass"},
                        "ts": repos.stamp(self.minute)}
                ledger.write(json.dumps(line, separators=(",", ":")) + "\n")
                self.minute += 1
        self.publish("measured")

    def clone(self, name):
        where = self.top / name
        self.git(self.top, "clone", "-q", f"file://{self.server}", where)
        self.git(where, "config", "user.name", "A")
        self.yatsu(where, "share", "on")
        return where


def cache(clone):
    return clone / ".git/spexcode/yatsu-blobs"


def kept(*places):
    """Keeps these directories as they are, and returns the command that brings them back."""
    steps = []
    for place in places:
        copy = place.with_name(f"{place.name}.kept")
        shutil.rmtree(copy, ignore_errors=True)
        if place.exists():
            shutil.copytree(place, copy, symlinks=True)
            steps.append(f"rm -rf '{place}'; cp -a '{copy}' '{place}'")
        else:
            steps.append(f"rm -rf '{place}'")
    return ["sh", "-c", "; ".join(steps)]


def went(job, said):
    """A run that failed is no figure."""
    failed = [name for name, of in said.items() if of["exit"]]
    if failed:
        raise RuntimeError(f"{job}: {', '.join(failed)} failed")
    return said


def seconds(job, target, said):
    return row(job, target, None, went(job, said)["ours"]["ms"] / 1000, "s", **said)


def over(job, target, said):
    return row(job, target, None, went(job, said)["ours"]["ms"] / said["reference"]["ms"], "x", **said)


def plain_size(world):
    """How many bytes of objects a plain clone of the server has."""
    where = world.top / "counted"
    shutil.rmtree(where, ignore_errors=True)
    world.git(world.top, "clone", "-q", "--no-checkout", f"file://{world.server}", where)
    return sum(map(int, world.git(where, "cat-file", "--batch-check=%(objectsize)", "--batch-all-objects").split()))


def beside(world):
    """A commit with the last piece alone, for git to push by itself."""
    file = cache(world.a) / world.hashes[-1]
    blob = world.git(world.a, "hash-object", "-w", file)
    tree = repos.git(world.a, "mktree", text=f"100644 blob {blob}\tpiece\n".encode())
    return world.git(world.a, "commit-tree", tree, "-m", "x")


def one(bench, rounds):
    """One reading shared by `a`, and its piece got by `b`, which has not seen its name yet; each beside git with that piece."""
    world = Shared(bench, "sharing-one")
    world.measured(3)
    before = plain_size(world)
    world.yatsu(world.a, "share", "push")
    growth = plain_size(world) - before
    b = world.clone("b")
    world.measured(1)
    commit = beside(world)
    back = kept(world.server, world.a / ".git/yatsu")
    commands = {"reference": ["git", "push", "-q", "origin", f"{commit}:refs/plain/x"], "ours": [bench.program, "share", "push"]}
    said = bench.alternate(world.a, commands, rounds, before={"reference": back, "ours": back})
    rows = [seconds("one reading shared: share push", 0.3, said), over("same, over git push of one ref with that piece", None, said)]
    world.git(world.a, "push", "-q", "-f", "origin", f"{commit}:refs/plain/x")
    commands = {"reference": ["git", "fetch", "-q", "origin", "refs/plain/x:refs/plain/x"],
                "ours": [bench.program, "share", "get", world.hashes[-1]]}
    fresh = ["sh", "-c", kept(b / ".git/objects")[-1] + "; git update-ref -d refs/plain/x"]
    back = kept(b / ".git/yatsu", b / ".git/spexcode")
    said = bench.alternate(b, commands, rounds, before={"reference": fresh, "ours": back})
    rows += [seconds("one piece got whose name was not seen before: share get", 0.1, said),
             over("same, over git fetch of one ref with that piece", None, said),
             row("growth of a plain clone by what was shared", 0, None, growth, "bytes")]
    shutil.rmtree(world.top)
    return rows


def several(bench, rounds):
    """Many pieces in one fetch."""
    world = Shared(bench, "sharing-few")
    world.measured(FEW)
    world.yatsu(world.a, "share", "push")
    b = world.clone("b")
    back = kept(b / ".git/yatsu", b / ".git/spexcode")
    said = bench.alternate(b, {"ours": [bench.program, "share", "get", "--all"]}, rounds, before={"ours": back})
    shutil.rmtree(world.top)
    return [seconds(f"{FEW} pieces of 100 kB got in one fetch", None, said)]


def many(bench, quick):
    """A thousand readings shared at once, got and checked, over git that adds, commits, pushes and clones the same bytes."""
    count, rounds = (FEW, 2) if quick else (MANY, 3)
    world = Shared(bench, "sharing-many")
    world.measured(count)
    plain, server = world.top / "plain", world.top / "plain.git"
    world.git(world.top, "init", "-q", "--bare", "-b", "main", "--template=", server)
    world.git(world.top, "init", "-q", "-b", "main", "--template=", plain)
    world.git(plain, "remote", "add", "origin", f"file://{server}")
    for hash in world.hashes:
        shutil.copy(cache(world.a) / hash, plain / hash)
    adds = ["sh", "-c", f"cd '{plain}' && git add -A && git commit -q -m many && git push -q origin HEAD:main"]
    commands = {"reference": adds, "ours": [bench.program, "share", "push"]}
    before = {"reference": kept(server, plain / ".git"), "ours": kept(world.server, world.a / ".git/yatsu")}
    said = bench.alternate(world.a, commands, rounds, before=before)
    rows = [over(f"{count} pieces of 100 kB pushed, over git add, commit and push of the same bytes", 1.5, said)]
    checks = {"reference": [bench.program, "scan"], "ours": [bench.program, "share", "check"]}
    said = bench.alternate(world.a, checks, 10)
    rows += [seconds(f"share check of {count} readings", None, said), over("same, over a scan of them", None, said)]
    b, again = world.clone("b"), world.top / "again"
    commands = {"reference": ["git", "clone", "-q", f"file://{server}", again], "ours": [bench.program, "share", "get", "--all"]}
    before = {"reference": ["rm", "-rf", again], "ours": kept(b / ".git/yatsu", b / ".git/spexcode")}
    said = bench.alternate(b, commands, rounds, before=before)
    rows += [seconds(f"{count} pieces of 100 kB got", None, said), over("same, over git clone of the same bytes", None, said)]
    shutil.rmtree(world.top)
    return rows


def claim(bench, rounds):
    """Taking a claim that other machines see, beside git moving one ref by compare-and-swap."""
    world = Shared(bench, "sharing-claim")
    world.measured(1)
    world.git(world.a, "config", "yatsu.claims.shared", "origin")
    commit = beside(world)
    name = "refs/yatsu/claims/" + "0" * 40
    swap = ["git", "push", "-q", f"--force-with-lease={name}:", "origin", f"{commit}:{name}"]
    take = [bench.program, "claim", "take", "node", "--scenario", "s0", "--as", "A"]
    back = kept(world.server, world.a / ".git/yatsu")
    said = bench.alternate(world.a, {"reference": swap, "ours": take}, rounds, before={"reference": back, "ours": back})
    shutil.rmtree(world.top)
    return [seconds("claim take that other machines see", None, said),
            over("same, over git push --force-with-lease of one ref", None, said)]


def sharing(bench, quick):
    """What sharing costs: one piece, a hundred, a claim."""
    rounds = 5 if quick else 20
    return one(bench, rounds) + several(bench, min(rounds, 10)) + claim(bench, rounds)
