"""Synthetic repositories, built with git fast-import from fixed names and dates: the same ids on every machine."""

import hashlib
import json
import os
import subprocess
from pathlib import Path

START = 1_767_225_600
PER_DIR = 20
ENV = {
    "PATH": os.environ["PATH"],
    "HOME": "/nonexistent",
    "LC_ALL": "C.UTF-8",
    "TZ": "UTC",
    "GIT_CONFIG_GLOBAL": "/dev/null",
    "GIT_CONFIG_NOSYSTEM": "1",
    "GIT_AUTHOR_NAME": "A",
    "GIT_AUTHOR_EMAIL": "a@example.invalid",
    "GIT_COMMITTER_NAME": "A",
    "GIT_COMMITTER_EMAIL": "a@example.invalid",
    "GIT_AUTHOR_DATE": f"{START} +0000",
    "GIT_COMMITTER_DATE": f"{START} +0000",
}


def git(repo, *args, text=None):
    """Runs git in `repo` and returns its standard output without the last newline."""
    done = subprocess.run(
        ["git", *args], cwd=repo, env=ENV, input=text, capture_output=True, check=True
    )
    return done.stdout.decode(errors="replace").rstrip("\n")


def file_name(number):
    return f"src/p{number // (PER_DIR * 50):03d}/m{number // PER_DIR % 50:02d}/f{number % PER_DIR:02d}.rs"


GOAL = """goal_contract:
  version: 1
  goal_text: reach it
  acceptance_criteria:
    - {id: AC1, kind: metric_threshold, metric: accuracy, op: ">=", target: 0.9}
    - {id: AC2, kind: marker_required, marker: METRIC:baseline}
    - {id: AC3, kind: artifact_exists, artifactPattern: "src/**/f07.rs"}
    - {id: AC4, kind: finding_count, minCount: 3}"""


def scenario_file(first, count, files, goal=False):
    text = ["---", *([GOAL] if goal else []), "scenarios:"]
    for number in range(first, first + count):
        text += [
            f"  - name: s{number}",
            f"    description: measure number {number}",
            f"    expected: it works, number {number}",
            "    tags: [cli]",
            f"    code: {file_name(number * 7 % files)}",
        ]
    return "\n".join(text) + "\n---\n"


def stamp(minute):
    day, rest = divmod(minute, 1440)
    month, day = divmod(day, 28)
    return f"2026-{month % 12 + 1:02d}-{day + 1:02d}T{rest // 60:02d}:{rest % 60:02d}:00.000Z"


def reading(scenario, commit, minute, evidence=False):
    line = {"scenario": f"s{scenario}", "codeSha": commit, "blob": None, "evaluator": "manual@1"}
    if evidence:
        name = hashlib.sha256(f"{scenario} {minute}".encode()).hexdigest()
        line |= {"blob": name, "blobKind": "transcript"}
    line |= {"verdict": {"status": "pass"}, "ts": stamp(minute)}
    return json.dumps(line, separators=(",", ":")) + "\n"


def transcript(scenario, minute):
    """What a measurement prints for a goal, and what a reading of it says."""
    text = f"measured s{scenario} at {minute}\n[METRIC:baseline] 0.5\n[METRIC:accuracy] 0.95\n"
    text += "words that nobody asks for\n" * 50 + "[STAT:ci] 1\n[STAT:effect_size] 1\n[FINDING] it works\n"
    findings = {"total": 1, "verified": 1, "shared": 0, "withoutCi": 0, "withoutEffect": 0}
    return text, {"metrics": {"accuracy": 0.95, "baseline": 0.5}, "findings": findings,
                  "markers": ["FINDING", "METRIC:accuracy", "METRIC:baseline", "STAT:ci", "STAT:effect_size"]}


class Import:
    """A stream for fast-import with one linear branch."""

    def __init__(self, repo):
        repo.mkdir(parents=True)
        git(repo, "init", "-q", "-b", "main")
        self.repo = repo
        self.marks = Path(repo, ".git", "marks")
        self.commits = 0
        self.process = subprocess.Popen(
            ["git", "fast-import", "--quiet", f"--export-marks={self.marks}"],
            cwd=repo, env=ENV, stdin=subprocess.PIPE,
        )

    def commit(self, files):
        self.commits += 1
        out = [
            f"commit refs/heads/main\nmark :{self.commits}\n"
            f"committer A <a@example.invalid> {START + 60 * self.commits} +0000\ndata 1\nx\n"
        ]
        for path, text in files:
            out.append(f"M 100644 inline {path}\ndata {len(text.encode())}\n{text}\n")
        self.process.stdin.write("".join(out).encode())


    def end(self):
        self.process.stdin.close()
        assert self.process.wait() == 0
        marks = dict(line.split() for line in self.marks.read_text().splitlines())
        return [marks[f":{number}"] for number in range(1, self.commits + 1)]


def build(repo, files, commits, scenarios, anchors, readings, checkout=True, measures=False, goals=False):
    """A repository of so many files, commits, scenarios (three to a node), and readings spread over so many anchors; with
    `measures` readings say numbers, and the last one of each scenario has a transcript that is here; with `goals` every
    node has a contract about them."""
    stream = Import(repo)
    nodes = range(0, scenarios, 3)
    node_files = [
        (f".spec/n{first // 60:03d}/k{first // 3:05d}/yatsu.md", scenario_file(first, min(3, scenarios - first), files, goals))
        for first in nodes
    ]
    step = 50_000
    for first in range(0, files, step):
        part = [(file_name(n), f"fn f{n}() {{}}\n") for n in range(first, min(first + step, files))]
        stream.commit(part + (node_files if first == 0 else []))
    for number in range(commits - stream.commits):
        at = number * 13 % files
        stream.commit([(file_name(at), f"fn f{at}() {{ {number} }}\n")])
    ids = stream.end()
    if readings:
        add_readings(repo, ids, scenarios, anchors, readings, measures)
    git(repo, "repack", "-adq")
    if checkout:
        git(repo, "reset", "-q", "--hard", "main")
    else:
        git(repo, "read-tree", "main")
    return repo


def add_readings(repo, ids, scenarios, anchors, readings, measures=False):
    """One last commit with all ledgers: the same content as if each line had had its own."""
    every = max(1, len(ids) // max(1, anchors))
    measured = ids[::-every][:anchors][::-1]
    ledgers = {}
    cache = Path(repo, ".git/spexcode/yatsu-blobs")
    if measures:
        cache.mkdir(parents=True)
    for number in range(readings):
        scenario = number % scenarios
        commit = measured[number * len(measured) // readings]
        line = reading(scenario, commit, number, evidence=number % 10 == 0)
        if measures:
            text, says = transcript(scenario, number)
            shown = json.loads(line) | says
            if number >= readings - scenarios:
                name = hashlib.sha256(text.encode()).hexdigest()
                (cache / name).write_text(text)
                shown |= {"blob": name, "blobKind": "transcript"}
            line = json.dumps(shown, separators=(",", ":")) + "\n"
        node = scenario // 3
        path = f".spec/n{node * 3 // 60:03d}/k{node:05d}/yatsu.evals.ndjson"
        ledgers.setdefault(path, []).append(line)
    out = [f"commit refs/heads/main\ncommitter A <a@example.invalid> {START + 10**8} +0000\ndata 1\nr\nfrom {ids[-1]}\n"]
    for path, lines in ledgers.items():
        text = "".join(lines)
        out.append(f"M 100644 inline {path}\ndata {len(text)}\n{text}\n")
    git(repo, "fast-import", "--quiet", "--force", text="".join(out).encode())


def stage(repo, changes, whole=True):
    """Stages `path -> text` without touching the work tree; `whole`: as `git commit` leaves the index, else as a partial
    commit does, its root record invalid."""
    lines = []
    for path, text in changes.items():
        name = git(repo, "hash-object", "-w", "--stdin", text=text.encode())
        lines.append(f"100644 {name}\t{path}\n")
    git(repo, "update-index", "--add", "--index-info", text="".join(lines).encode())
    if whole:
        git(repo, "write-tree")


def unstage(repo):
    git(repo, "read-tree", "HEAD")


def plain(count=5):
    """Files that are none of ours."""
    return {f"docs/d{number}.txt": f"text {number}, long enough to be worth a look\n" for number in range(count)}
