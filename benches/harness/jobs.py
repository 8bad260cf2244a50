"""What is measured: each function builds its repositories, runs its pairs and returns rows of the table."""

import hashlib
import json
import os
import shutil
import subprocess
import time
from pathlib import Path

import repos
from measure import exponent

STAGED = ["git", "diff", "--cached", "--raw", "-z"]
LOG = ["git", "log", "--raw", "--format=%H"]


def row(job, target, moonshot, measured, unit="x", **more):
    return {"job": job, "target": target, "moonshot": moonshot, "measured": measured, "unit": unit, **more}


def skipped(job, target, moonshot, why, unit="x"):
    return row(job, target, moonshot, None, unit, skipped=why)


def pair(bench, cwd, reference, ours, rounds, before=None):
    """The ratio of two commands, with what was measured; `before` is run before ours."""
    before = {"ours": before} if before else {}
    said = bench.alternate(cwd, {"reference": reference, "ours": ours}, rounds, before=before)
    said["cpu_ratio"] = said["ours"]["cpu_ms"] / said["reference"]["cpu_ms"]
    return said["ours"]["ms"] / said["reference"]["ms"], said


FORGET = ["rm", "-rf", ".git/yatsu"]


def forget(repo):
    subprocess.run(FORGET, cwd=repo, check=True)


def settle(repo):
    """As a repository is after somebody looked at it: no file as young as the index."""
    time.sleep(1)
    repos.git(repo, "status", "--short")


def pre_commit(bench, sizes):
    """Nothing of ours staged, by the number of files; a partial commit of the largest."""
    targets = {1_000: (0.70, 0.45), 100_000: (0.15, 0.05), 500_000: (0.05, 0.015)}
    rows, points = [], []
    for files in sizes:
        repo = repos.build(bench.work / f"files-{files}", files, 20, 30, 5, 100, checkout=False)
        repos.stage(repo, repos.plain())
        subprocess.run([bench.program, "scan", "--rev", "HEAD"], cwd=repo, env=repos.ENV, stdout=subprocess.DEVNULL)
        ratio, said = pair(bench, repo, STAGED, [bench.program, "pre-commit"], 40)
        target, moonshot = targets.get(files, (None, None))
        rows.append(row(f"pre-commit, nothing of ours, {files} files", target, moonshot, ratio, **said))
        points.append((files, said["ours"]["ms"]))
        memory = said["ours"]["mb"]
        forget(repo)
        ratio, said = pair(bench, repo, STAGED, [bench.program, "pre-commit"], 20)
        rows.append(row(f"same without a memo, {files} files", None, None, ratio, **said))
    repos.unstage(repo)
    subprocess.run([bench.program, "scan", "--rev", "HEAD"], cwd=repo, env=repos.ENV, stdout=subprocess.DEVNULL)
    repos.stage(repo, repos.plain(), whole=False)
    ratio, said = pair(bench, repo, STAGED, [bench.program, "pre-commit"], 20)
    rows.append(row(f"partial commit, {files} files", 0.35, 0.15, ratio, **said))
    rows.append(row(f"peak memory of pre-commit, {files} files", 20, 8, memory, "MB"))
    rows.append(row("growth of pre-commit with files", None, None, exponent(points), "exponent"))
    shutil.rmtree(repo)
    return rows


def corpus(bench, bundle):
    jobs = [("pre-commit, one yatsu.md and its ledger, corpus", 2.5, 1.5), ("scan of the corpus, no memo", 0.28, 0.20),
            ("scan of the corpus, memo", 0.15, 0.07)]
    if not bundle:
        return [skipped(*job, "no corpus: --corpus FILE.bundle") for job in jobs]
    repo = bench.work / "corpus"
    subprocess.run(["git", "clone", "-q", bundle, repo], env=repos.ENV, check=True)
    settle(repo)
    rows = []
    for job, before in ((jobs[1], FORGET), (jobs[2], None)):
        ratio, said = pair(bench, repo, LOG, [bench.program, "scan"], 20, before)
        rows.append(row(*job, ratio, **said))
    measure_again(repo)
    repos.git(repo, "add", "-A")
    repos.git(repo, "write-tree")
    ratio, said = pair(bench, repo, [bench.empty], [bench.program, "pre-commit"], 40)
    return [row(*jobs[0], ratio, **said), *rows]


def measure_again(repo):
    """Another reading of the first scenario that has one, with the evidence of nobody, and a comment in its file."""
    ledger = next(Path(repo).glob(".spec/**/yatsu.evals.ndjson"))
    scenarios = ledger.with_name("yatsu.md")
    last = json.loads(ledger.read_text().splitlines()[-1])
    line = {"scenario": last["scenario"], "codeSha": repos.git(repo, "rev-parse", "HEAD"), "blob": None,
            "evaluator": "manual@1", "verdict": {"status": "pass"}, "ts": "2026-11-01T00:00:00.000Z"}
    ledger.write_text(ledger.read_text() + json.dumps(line, separators=(",", ":")) + "\n")
    scenarios.write_text(scenarios.read_text() + "\nMore words.\n")


def scan(bench, quick):
    """The large repository, and the growth of a scan with history, scenarios, anchors and ledger lines."""
    scale = 10 if quick else 1
    shape = {"files": 100_000 // scale, "commits": 20_000 // scale, "scenarios": 10_000 // scale,
             "anchors": 2_000 // scale, "readings": 50_000 // scale}
    repo = repos.build(bench.work / "large", **shape)
    rows = []
    settle(repo)
    for name, target, moonshot, before in (("no memo", 0.30, 0.18, FORGET), ("memo", 0.08, 0.04, None)):
        ratio, said = pair(bench, repo, LOG, [bench.program, "scan"], 10, before)
        rows.append(row(f"scan, large, {name}", target, moonshot, ratio, **said))
    rows.append(row("scan, large, memory", 200, 80, said["ours"]["mb"], "MB"))
    shutil.rmtree(repo)
    small = {"files": 1_000, "commits": 1_000, "scenarios": 100, "anchors": 50, "readings": 500}
    for axis, sizes, targets in (
        ("commits", [1_000, 20_000 // scale, 100_000 // scale], (0.3, 0.15)),
        ("scenarios", [100, 1_000, 10_000 // scale], (None, None)),
        ("anchors", [10, 100, 1_000], (None, None)),
        ("readings", [500, 5_000, 50_000 // scale], (None, None)),
    ):
        cold, warm = [], []
        for size in sizes:
            shape = small | {axis: size}
            shape["anchors"] = min(shape["anchors"], shape["commits"])
            shape["readings"] = max(shape["readings"], shape["anchors"])
            repo = repos.build(bench.work / f"{axis}-{size}", **shape)
            settle(repo)
            scan = [bench.program, "scan"]
            said = bench.alternate(repo, {"cold": scan, "warm": scan}, 10, before={"cold": FORGET})
            cold.append((size, said["cold"]["ms"]))
            warm.append((size, said["warm"]["ms"]))
            shutil.rmtree(repo)
        for name, target, points in (("no memo", targets[0], cold), ("memo", targets[1], warm)):
            rows.append(row(f"growth of scan with {axis}, {name}", target, None, exponent(points), "exponent", points=points))
    return rows


def store(bench, quick):
    """`clean` and `evidence put`."""
    rows = [clean(bench, quick)]
    size = (64 if quick else 1024) << 20
    repo = bench.work / "evidence"
    repos.Import(repo).end()
    big = Path(repo, "big.bin")
    with big.open("wb") as file:
        block = os.urandom(1 << 20)
        for _ in range(size >> 20):
            file.write(block)
    reference = ["sh", "-c", "openssl dgst -sha256 big.bin && cp big.bin copy && sync copy && rm copy"]
    ours = ["sh", "-c", f"{bench.program} evidence put big.bin && rm -rf .git/spexcode"]
    job = (f"evidence put, {size >> 20} MB", 1.2, 1.0)
    ratio, said = pair(bench, repo, reference, ours, 5)
    shutil.rmtree(repo)
    if said["ours"]["exit"]:
        return [*rows, skipped(*job, "`evidence put` is not part of this build")]
    return [*rows, row(*job, ratio, **said)]


def clean(bench, quick):
    commits, branches, blobs = (500, 10, 1_000) if quick else (5_000, 100, 10_000)
    job = (f"clean --dry-run, {commits} ledger commits, {branches} branches, {blobs} blobs", 1.0, 0.3)
    repo = bench.work / "clean"
    stream = repos.Import(repo)
    nodes = [f".spec/n{number:02d}" for number in range(50)]
    stream.commit([(f"{node}/yatsu.md", repos.scenario_file(0, 3, 10)) for node in nodes])
    ledgers = dict.fromkeys(nodes, "")
    for number in range(commits):
        node = nodes[number % len(nodes)]
        ledgers[node] += repos.reading(number % 3, "0" * 40, number, evidence=True)
        stream.commit([(f"{node}/yatsu.evals.ndjson", ledgers[node])])
    ids = stream.end()
    for number in range(branches):
        repos.git(repo, "update-ref", f"refs/heads/b{number}", ids[-1 - number * commits // branches])
    repos.git(repo, "reset", "-q", "--hard", "main")
    cache = Path(repo, ".git/spexcode/yatsu-blobs")
    cache.mkdir(parents=True)
    for number in range(blobs):
        content = f"{number % 3} {number}".encode()
        (cache / hashlib.sha256(content).hexdigest()).write_bytes(content)
    said = bench.alternate(repo, {"ours": [bench.program, "clean", "--dry-run"]}, 10)
    shutil.rmtree(repo)
    if said["ours"]["exit"]:
        return skipped(*job, "`clean` is not part of this build", "s")
    return row(*job, said["ours"]["ms"] / 1000, "s", **said)


def claims(bench, quick):
    """Taking a claim beside writing one ref; finding the next one among many, beside a scan of them."""
    repo = repos.build(bench.work / "claims", 1_000, 50, 30, 5, 20)
    settle(repo)
    repos.git(repo, "config", "user.name", "A")
    rows = []
    take = ["claim", "take", ".spec/n000/k00000", "--scenario", "s0", "--as", "A"]
    job = ("claim take, over git update-ref of one ref", 1.5, None)
    rows.append(claimed(bench, repo, job, ["git", "update-ref", "refs/heads/bench", "HEAD"], take, 60))
    shutil.rmtree(repo)
    scale = 10 if quick else 1
    repo = repos.build(bench.work / "next", 10_000 // scale, 100, 10_000 // scale, 50, 9_900 // scale)
    settle(repo)
    repos.git(repo, "config", "user.name", "A")
    job = (f"claim next over {10_000 // scale} scenarios, over a scan with a memo", 1.0, None)
    rows.append(claimed(bench, repo, job, [bench.program, "scan"], ["claim", "next", "--as", "A"], 15))
    shutil.rmtree(repo)
    return rows


def claimed(bench, repo, job, reference, ours, rounds):
    """A verb of claims that finds a journal in which nothing is held: one is taken and given up before."""
    told = subprocess.run([bench.program, "claim", "next", "--format", "json"], cwd=repo, env=repos.ENV, check=True,
                          capture_output=True, text=True).stdout
    token = json.loads(told)["claims"][0]["token"]
    subprocess.run([bench.program, "claim", "release", token], cwd=repo, env=repos.ENV, check=True, stdout=subprocess.DEVNULL)
    shutil.copy(Path(repo, ".git/yatsu/claims.ndjson"), Path(repo, ".git/claims.before"))
    before = {"ours": ["cp", ".git/claims.before", ".git/yatsu/claims.ndjson"]}
    if reference[0] == "git":
        before["reference"] = ["rm", "-f", ".git/refs/heads/bench"]
    said = bench.alternate(repo, {"reference": reference, "ours": [bench.program, *ours]}, rounds, before=before)
    if said["ours"]["exit"]:
        return skipped(*job, "the claim was refused")
    said["cpu_ratio"] = said["ours"]["cpu_ms"] / said["reference"]["cpu_ms"]
    return row(*job, said["ours"]["ms"] / said["reference"]["ms"], **said)


def hooks(bench, peers):
    """What a hook with nothing to say adds to `git commit`: ours, an empty one, and what people use today."""
    repo = repos.build(bench.work / "hooks", 1_000, 50, 30, 5, 100)
    subprocess.run([bench.program, "scan"], cwd=repo, env=repos.ENV, stdout=subprocess.DEVNULL)
    lines = {"no hook": None, "an empty sh hook": "#!/bin/sh\n", "yatsu-hook": f"#!/bin/sh\nexec {bench.program} pre-commit\n"}
    notes = []
    for name, (line, why) in peer_hooks(repo, peers).items():
        if why:
            notes.append(skipped(f"added to git commit by {name}", None, None, why, "ms"))
        else:
            lines[name] = line
    commands = {}
    for number, (name, text) in enumerate(lines.items()):
        directory = Path(repo, ".git", f"hooks-{number}")
        directory.mkdir()
        if text:
            hook = directory / "pre-commit"
            hook.write_text(text)
            hook.chmod(0o755)
        change = f"echo $$ >>docs.txt; git add docs.txt; exec git -c core.hooksPath={directory} commit -q -m x"
        commands[name] = ["sh", "-c", change]
    home = bench.work / "home"
    home.mkdir(exist_ok=True)
    said = bench.alternate(repo, commands, 61, {"HOME": str(home)})
    floor = said["an empty sh hook"]["ms"]
    rows = [row("cost of a silent hook over an empty sh hook", 1.5, 0.3, said["yatsu-hook"]["ms"] - floor, "ms")]
    for name, of in said.items():
        if name != "an empty sh hook":
            rows.append(row(f"added to git commit by {name}, over an empty sh hook", None, None, of["ms"] - floor, "ms",
                            exit=of["exit"]))
    shutil.rmtree(repo)
    return rows + notes


def peer_hooks(repo, peers):
    """name -> (hook text, why it is left out)."""
    if not peers:
        return {name: (None, "its registry cannot be reached") for name in ("pre-commit", "prek", "lefthook")}
    local = "repos:\n- repo: local\n  hooks:\n  - {id: check-yaml, name: yaml, entry: %s, language: system, types: [yaml]}\n"
    Path(repo, ".pre-commit-config.yaml").write_text(local % (peers / "check-yaml"))
    Path(repo, "lefthook.yml").write_text("pre-commit:\n  jobs:\n    - run: 'true'\n")
    repos.git(repo, "add", ".pre-commit-config.yaml", "lefthook.yml")
    repos.git(repo, "commit", "-q", "-m", "frameworks")
    shim = "#!/bin/sh\nexec {} >/dev/null 2>&1\n".format
    run = {"pre-commit": "pre-commit run", "prek": "prek run", "lefthook": "lefthook run pre-commit"}
    found = {}
    for name, command in run.items():
        there = (peers / name).exists()
        found[name] = (shim(f"{peers}/{command}"), None) if there else (None, "not installed")
    return found


def run_log(bench, quick):
    """A run log judged line by line, against a reader that only reads the same lines as JSON."""
    events = 10_000 if quick else 100_000
    job = (f"runlog check of {events} events", 2.0, 1.0)
    if not shutil.which("jq"):
        return [skipped(*job, "no jq")]
    repo = bench.work / "run-log"
    log = repo / "quality/run_state.jsonl"
    log.parent.mkdir(parents=True)
    subprocess.run(["git", "init", "-q", "-b", "main", repo], env=repos.ENV, check=True)
    at = "2026-05-15T14:32:01Z"
    kinds = ["run_start", "phase_start", "gate_check", "artifact_written", "finding_logged"]
    lines = [{"event": "_index", "ts": at, "schema_version": "1.5.6", "event_types": kinds, "benchmark": "b",
              "lever_state": "l", "started_at": at},
             {"event": "run_start", "ts": at, "runner": "claude", "playbook_version": "1.5.6", "target_path": "."},
             {"event": "phase_start", "ts": at, "phase": 1}]
    for number in range(events - len(lines)):
        lines.append([
            {"event": "gate_check", "ts": at, "gate_name": f"gate {number}", "verdict": "pass", "reason": "as it should"},
            {"event": "artifact_written", "ts": at, "relative_path": f"quality/{number}.md", "byte_size": number},
            {"event": "finding_logged", "ts": at, "phase": 1, "finding_id": f"BUG-{number}", "category": "code-bug"},
        ][number % 3])
    log.write_text("".join(json.dumps(line, separators=(",", ":")) + "\n" for line in lines))
    reference = ["sh", "-c", "jq -c . quality/run_state.jsonl > /dev/null"]
    ratio, said = pair(bench, repo, reference, [bench.program, "runlog", "check", "quality/run_state.jsonl"], 10)
    shutil.rmtree(repo)
    return [row(*job, ratio, **said)]
