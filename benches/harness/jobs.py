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
# what a scan is measured against: git looks at the work tree, and one process reads our own files once
REF = ["sh", "-c", "git status --porcelain >/dev/null && git ls-files -z -- '*yatsu.md' '*spec.md' '*eval.md' '*evals.ndjson' | xargs -0 cat >/dev/null"]


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


def others(repo, count):
    """So many commits of somebody else, each of one file."""
    lines = []
    for number in range(count):
        parent = "from refs/heads/main^0\n" if number == 0 else ""
        lines.append(f"commit refs/heads/main\ncommitter A <a@example.invalid> {repos.START + 10**8 + number} +0000\n"
                     f"data 1\no\n{parent}M 100644 inline others/d{number % 50}/f{number}\ndata 2\nx\n\n")
    repos.git(repo, "fast-import", "--quiet", "--force", text="".join(lines).encode())


def as_left(bench, repo, files):
    """The second run after a first one without a memo, and the runs after 500 commits of others, over the fresh figure."""
    hook, rows = [bench.program, "pre-commit"], []
    fresh = bench.alternate(repo, {"fresh": hook}, 20)["fresh"]["ms"]
    forget(repo)
    subprocess.run(hook, cwd=repo, env=repos.ENV)
    said = bench.alternate(repo, {"ours": hook}, 20)["ours"]
    rows.append(row(f"second run, {files} files, over the fresh figure", 1.1, 1.0, said["ms"] / fresh, ours=said))
    kept = Path(repo, ".git/yatsu-kept")
    shutil.copytree(Path(repo, ".git/yatsu"), kept)
    others(repo, 500)
    repos.unstage(repo)
    repos.stage(repo, repos.plain())
    again = ["sh", "-c", "rm -rf .git/yatsu; cp -r .git/yatsu-kept .git/yatsu"]
    said = bench.alternate(repo, {"ours": hook}, 20, before={"ours": again})["ours"]
    rows.append(row(f"first run after 500 commits, {files} files, over the fresh figure", 3.0, 1.8, said["ms"] / fresh, ours=said))
    said = bench.alternate(repo, {"ours": hook}, 20)["ours"]
    rows.append(row(f"second run after 500 commits, {files} files, over the fresh figure", 1.1, 1.0, said["ms"] / fresh, ours=said))
    shutil.rmtree(kept)
    return rows


def index_kinds(bench, files):
    """What other kinds of index cost with a memo, over the plain one."""
    kinds = [("an untracked cache", 1.5, ["update-index", "--force-untracked-cache"]),
             ("a sparse index", 3, ["sparse-checkout", "set", "--cone", "--sparse-index", "src/p000"]),
             ("a split index", 10, ["update-index", "--split-index"])]
    hook, rows, plain = [bench.program, "pre-commit"], [], None
    for name, target, command in [("a plain index", None, None), *kinds]:
        repo = repos.build(bench.work / "kind", files, 20, 30, 5, 100)
        subprocess.run([bench.program, "scan", "--rev", "HEAD"], cwd=repo, env=repos.ENV, stdout=subprocess.DEVNULL)
        if command:
            repos.git(repo, *command)
        repos.stage(repo, repos.plain())
        if name == "an untracked cache":
            repos.git(repo, "status", "--short")
        said = bench.alternate(repo, {"ours": hook}, 20)["ours"]
        plain = plain or said["ms"]
        if command:
            rows.append(row(f"pre-commit with {name}, {files} files, over a plain index", target, None, said["ms"] / plain, ours=said))
        shutil.rmtree(repo)
    return rows


def pre_commit(bench, sizes):
    """Nothing of ours staged, by the number of files; a partial commit of the largest."""
    targets = {1_000: (0.70, 1.2), 100_000: (0.12, None), 500_000: (0.03, None)}
    cold = {1_000: (1.3, 0.9), 100_000: (0.35, 0.2), 500_000: (0.20, 0.1)}
    rows, points = [], []
    for files in sizes:
        repo = repos.build(bench.work / f"files-{files}", files, 20, 30, 5, 100, checkout=False)
        repos.stage(repo, repos.plain())
        subprocess.run([bench.program, "scan", "--rev", "HEAD"], cwd=repo, env=repos.ENV, stdout=subprocess.DEVNULL)
        ratio, said = pair(bench, repo, STAGED, [bench.program, "pre-commit"], 40)
        target, moonshot = targets.get(files, (None, None))
        rows.append(row(f"pre-commit, nothing of ours, {files} files", target, None, ratio, **said))
        if moonshot:
            over = bench.alternate(repo, {"empty": [bench.empty], "ours": [bench.program, "pre-commit"]}, 40)
            rows.append(row(f"same over an empty static process, {files} files", None, moonshot, over["ours"]["ms"] / over["empty"]["ms"]))
        points.append((files, said["ours"]["ms"]))
        memory = said["ours"]["mb"]
        before = {"ours": FORGET}
        said = bench.alternate(repo, {"reference": STAGED, "ours": [bench.program, "pre-commit"]}, 20, before=before)
        ratio, first = said["ours"]["ms"] / said["reference"]["ms"], said["ours"]["mb"]
        rows.append(row(f"first run, no memo, {files} files", *cold.get(files, (None, None)), ratio, **said))
    rows += as_left(bench, repo, files)
    repos.unstage(repo)
    subprocess.run([bench.program, "scan", "--rev", "HEAD"], cwd=repo, env=repos.ENV, stdout=subprocess.DEVNULL)
    repos.stage(repo, repos.plain(), whole=False)
    ratio, said = pair(bench, repo, STAGED, [bench.program, "pre-commit"], 20)
    rows.append(row(f"partial commit, {files} files", 0.25, 0.15, ratio, **said))
    rows.append(row(f"peak memory of pre-commit with a memo, {files} files", 8, 6, memory, "MB"))
    rows.append(row(f"peak memory of pre-commit without one, {files} files", 32, 16, first, "MB"))
    rows += index_kinds(bench, sizes[1])
    rows.append(row("growth of pre-commit with files", None, None, exponent(points), "exponent", points=points))
    shutil.rmtree(repo)
    rows += growth_of_hooks(bench)
    return rows


SMALL = {"files": 1_000, "commits": 1_000, "scenarios": 100, "anchors": 50, "readings": 500}


def shaped(axis, size):
    shape = SMALL | {axis: size}
    shape["anchors"] = min(shape["anchors"], shape["commits"])
    shape["readings"] = max(shape["readings"], shape["anchors"])
    return shape


def growth_of_hooks(bench):
    """A hook with a memo, at 1x, 10x and 100x of what a repository has, and of what is staged."""
    rows, hook = [], [bench.program, "pre-commit"]
    for axis, sizes in (("scenarios", [100, 1_000, 10_000]), ("readings", [500, 5_000, 50_000]),
                        ("commits", [1_000, 10_000, 100_000]), ("anchors", [10, 100, 1_000]), ("staged", [10, 100, 1_000]),
                        ("refs", [10, 100, 1_000])):
        points = []
        for size in sizes:
            repo = repos.build(bench.work / f"hook-{axis}-{size}", **(shaped(axis, size) if axis in SMALL else SMALL), checkout=False)
            if axis == "refs":
                make_refs(repo, size)
            repos.stage(repo, repos.plain(size if axis == "staged" else 5))
            subprocess.run(hook, cwd=repo, env=repos.ENV)
            points.append((size, bench.alternate(repo, {"ours": hook}, 20)["ours"]["ms"]))
            shutil.rmtree(repo)
        target = 0.1 if axis in ("scenarios", "readings", "commits") else None
        rows.append(row(f"growth of pre-commit with {axis}, memo", target, None, exponent(points), "exponent", points=points))
    return rows


def make_refs(repo, count):
    head = repos.git(repo, "rev-parse", "HEAD")
    lines = "".join(f"create refs/heads/r/{number} {head}\n" for number in range(count))
    repos.git(repo, "update-ref", "--stdin", text=lines.encode())


def governed(repo):
    """Stages other content of what a scenario that has a reading governs: one warning."""
    repos.stage(repo, {repos.file_name(7): "fn changed() {}\n"})


def concerned(bench, quick):
    """A commit that earns a warning, and pushes."""
    rows = []
    scale = 10 if quick else 1
    shapes = {"corpus-sized": {"files": 1_000, "commits": 1_000, "scenarios": 306, "anchors": 528, "readings": 1_807},
              "large": {"files": 100_000 // scale, "commits": 20_000 // scale, "scenarios": 10_000 // scale,
                        "anchors": 2_000 // scale, "readings": 50_000 // scale}}
    targets = {"corpus-sized": ((2, 1.3), (3, 2)), "large": ((4, 2), (3, 2))}
    hook = [bench.program, "pre-commit"]
    for name, shape in shapes.items():
        (loud, best), (push, best_push) = targets[name]
        repo = repos.build(bench.work / name, **shape)
        settle(repo)
        repos.stage(repo, repos.plain())
        subprocess.run(hook, cwd=repo, env=repos.ENV)
        silent = bench.alternate(repo, {"ours": hook}, 20)["ours"]["ms"]
        old, line = repos.git(repo, "rev-parse", "HEAD"), bench.work / f"{name}.push"
        new = repos.git(repo, "commit-tree", repos.git(repo, "write-tree"), "-p", old, "-m", "x")
        line.write_text(f"refs/heads/main {new} refs/heads/main {old}\n")
        pushing = ["sh", "-c", f"{bench.program} pre-push origin x <{line}"]
        said = bench.alternate(repo, {"ours": pushing}, 20)["ours"]
        rows.append(row(f"pre-push of one plain commit over the silent hook, {name}", push, best_push, said["ms"] / silent, ours=said))
        repos.unstage(repo)
        governed(repo)
        said = bench.alternate(repo, {"ours": hook}, 20)["ours"]
        rows.append(row(f"one warning over the silent hook, {name}", loud, best, said["ms"] / silent, ours=said))
        status = ["git", "status", "--porcelain"]
        ratio, said = pair(bench, repo, status, hook, 20, FORGET)
        rows.append(row(f"one warning without a memo over git status, {name}", 2, 1, ratio, **said))
        shutil.rmtree(repo)
    return rows + pushed(bench, quick)


def pushed(bench, quick):
    """Many new commits with nothing of ours, over what git needs to list their objects; its growth."""
    rows, points, memory = [], [], []
    most = 8_200 if quick else 82_000
    for count in (most // 100, most // 10, most):
        repo = repos.build(bench.work / f"push-{count}", 4_000, count + 1, 0, 1, 0, checkout=False)
        old, new = repos.git(repo, "rev-list", "--max-parents=0", "HEAD"), repos.git(repo, "rev-parse", "HEAD")
        line = bench.work / "line.push"
        line.write_text(f"refs/heads/main {new} refs/heads/main {old}\n")
        ours = ["sh", "-c", f"{bench.program} pre-push origin x <{line}"]
        listing = ["sh", "-c", f"git rev-list --objects {new} ^{old} >/dev/null"]
        subprocess.run(["sh", "-c", f"git read-tree HEAD; {bench.program} scan --rev HEAD"], cwd=repo, env=repos.ENV, stdout=subprocess.DEVNULL)
        ratio, said = pair(bench, repo, listing, ours, 3)
        points.append((count, said["ours"]["ms"]))
        memory.append((count, said["ours"]["mb"]))
        shutil.rmtree(repo)
    rows.append(row(f"pre-push of {most} commits with nothing of ours, over git rev-list --objects", 1.0, 0.3, ratio, **said))
    rows.append(row("same, memory", 128, 64, memory[-1][1], "MB", points=memory))
    rows.append(row("growth of pre-push with new commits", None, None, exponent(points), "exponent", points=points))
    return rows


def refs(bench, quick):
    """A new branch of one plain commit, pushed to a remote with many branches, over what git needs to find that it is new."""
    many = 1_000 if quick else 10_000
    rows = []
    for count in (1, many):
        repo = repos.build(bench.work / f"refs-{count}", 1_000, 1_000, 306, 528, 1_807)
        settle(repo)
        commits = repos.git(repo, "rev-list", "--max-count=1000", "HEAD").splitlines()
        lines = "".join(f"create refs/remotes/origin/r/{number} {commits[number % len(commits)]}\n" for number in range(count))
        repos.git(repo, "update-ref", "--stdin", text=lines.encode())
        repos.git(repo, "pack-refs", "--all")
        repos.stage(repo, repos.plain())
        subprocess.run([bench.program, "pre-commit"], cwd=repo, env=repos.ENV)
        new = repos.git(repo, "commit-tree", repos.git(repo, "write-tree"), "-p", "HEAD", "-m", "x")
        line = bench.work / f"refs-{count}.push"
        line.write_text(f"refs/heads/topic {new} refs/heads/topic {'0' * 40}\n")
        ours = ["sh", "-c", f"{bench.program} pre-push origin x <{line}"]
        listing = ["sh", "-c", f"git rev-list {new} --not --remotes=origin >/dev/null"]
        ratio, said = pair(bench, repo, listing, ours, 20)
        name = "ref" if count == 1 else "refs"
        rows.append(row(f"pre-push of a new branch, {count} {name} there, over git rev-list --not --remotes", None, None, ratio, **said))
        shutil.rmtree(repo)
    return rows


def corpus(bench, bundle):
    jobs = [("pre-commit, one yatsu.md and its ledger, corpus", 2.5, 1.5), ("scan of the corpus over REF, no memo", 3.5, 2.5),
            ("scan of the corpus over REF, memo", 1.5, 0.9),
            ("log -n 60 of the corpus, over a cold scan, processor time", 3.0, 2.0)]
    if not bundle:
        return [skipped(*job, "no corpus: --corpus FILE.bundle") for job in jobs]
    repo = bench.work / "corpus"
    subprocess.run(["git", "clone", "-q", bundle, repo], env=repos.ENV, check=True)
    settle(repo)
    rows = []
    for job, before in ((jobs[1], FORGET), (jobs[2], None)):
        ratio, said = pair(bench, repo, REF, [bench.program, "scan"], 20, before)
        rows.append(row(*job, ratio, **said))
    commands = {"reference": [bench.program, "scan"], "ours": [bench.program, "log", "-n", "60"]}
    said = bench.alternate(repo, commands, 20, before={name: FORGET for name in commands})
    rows.append(row(*jobs[3], said["ours"]["cpu_ms"] / said["reference"]["cpu_ms"], **said))
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
    for name, target, moonshot, before in (("no memo", 1.4, 1.0, FORGET), ("memo", 0.6, 0.35, None)):
        ratio, said = pair(bench, repo, REF, [bench.program, "scan"], 10, before)
        rows.append(row(f"scan over REF, large, {name}", target, moonshot, ratio, **said))
    rows.append(row("scan, large, memory", 150, 80, said["ours"]["mb"], "MB"))
    shutil.rmtree(repo)
    for axis, sizes, targets in (
        ("commits", [1_000, 20_000 // scale, 100_000 // scale], (0.3, 0.15)),
        ("scenarios", [100, 1_000, 10_000 // scale], (None, None)),
        ("anchors", [10, 100, 1_000], (None, None)),
        ("readings", [500, 5_000, 50_000 // scale], (None, None)),
    ):
        cold, warm = [], []
        for size in sizes:
            repo = repos.build(bench.work / f"{axis}-{size}", **shaped(axis, size))
            settle(repo)
            scan = [bench.program, "scan"]
            said = bench.alternate(repo, {"cold": scan, "warm": scan}, 10, before={"cold": FORGET})
            cold.append((size, said["cold"]["ms"]))
            warm.append((size, said["warm"]["ms"]))
            shutil.rmtree(repo)
        for name, target, points in (("no memo", targets[0], cold), ("memo", targets[1], warm)):
            rows.append(row(f"growth of scan with {axis}, {name}", target, None, exponent(points), "exponent", points=points))
    return rows


def segments(bench, quick):
    """A cold scan and a silent hook where each reading is a segment, over the same readings in trunk files."""
    shape = {"files": 1_000, "commits": 1_000, "scenarios": 858, "anchors": 500, "readings": 200 if quick else 2_000}
    folded, split = (repos.build(bench.work / name, **shape) for name in ("folded", "split"))
    for ledger in split.glob(".spec/*/*/yatsu.evals.ndjson"):
        for number, line in enumerate(ledger.read_text().splitlines(keepends=True)):
            (ledger.parent / f"yatsu.{number}.evals.ndjson").write_text(line)
        ledger.unlink()
    repos.git(split, "add", "-A")
    repos.git(split, "commit", "-q", "-m", "x")
    rows, what = [], f"{shape['readings']} segments"
    places = {"reference": folded, "ours": split}
    for place in places.values():
        repos.stage(place, repos.plain())
        settle(place)
    for job, target, verb, is_cold in ((f"a cold scan of {what}, over one folded", 1.5, "scan", True),
                                       (f"a silent hook of {what}, over one folded", 1.02, "pre-commit", False)):
        commands = {name: [bench.program, "-C", place, verb] for name, place in places.items()}
        forgotten = {name: ["rm", "-rf", place / ".git/yatsu"] for name, place in places.items()}
        said = bench.alternate(bench.work, commands, 20, before=forgotten if is_cold else {})
        said["cpu_ratio"] = said["ours"]["cpu_ms"] / said["reference"]["cpu_ms"]
        rows.append(row(job, target, None, said["ours"]["ms"] / said["reference"]["ms"], **said))
    return rows


def store(bench, quick):
    """`clean` with its growth, and `evidence put`."""
    rows = [clean(bench, quick)]
    points = [(pieces, clean(bench, True, pieces)) for pieces in (100, 1_000, 10_000)]
    points = [(pieces, made["measured"]) for pieces, made in points if made["measured"]]
    rows.append(row("growth of clean --dry-run with evidence pieces", None, None, exponent(points), "exponent", points=points))
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


def clean(bench, quick, pieces=None):
    commits, branches, blobs = (500, 10, 1_000) if quick else (5_000, 100, 10_000)
    blobs = pieces or blobs
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
    # a claim waits for the disk, so git is told to do so with what it writes: left to itself it syncs no loose ref
    job = ("claim take, over git update-ref of one ref", 1.5, None)
    update = ["git", "-c", "core.fsync=reference", "update-ref", "refs/heads/bench", "HEAD"]
    rows.append(claimed(bench, repo, job, update, take, 60))
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


def goals(bench, quick):
    """Both gates of every node, over a scan of the same; a hook where every node has a contract, over one where none has."""
    scale = 10 if quick else 1
    shape = {"files": 10_000 // scale, "commits": 1_000, "scenarios": 3_000 // scale, "anchors": 50,
             "readings": 50_000 // scale}
    repo = repos.build(bench.work / "goals", **shape, measures=True, goals=True)
    settle(repo)
    rows = []
    job = f"goal check of {1_000 // scale} nodes with {50_000 // scale} readings, over a scan of the same"
    for name, before in (("no memo", FORGET), ("memo", None)):
        before = {"reference": before, "ours": before} if before else {}
        commands = {"reference": [bench.program, "scan"], "ours": [bench.program, "goal", "check"]}
        said = bench.alternate(repo, commands, 10, before=before)
        said["cpu_ratio"] = said["ours"]["cpu_ms"] / said["reference"]["cpu_ms"]
        rows.append(row(f"{job}, {name}", 1.2, None, said["ours"]["ms"] / said["reference"]["ms"], **said))
    plain = repos.build(bench.work / "no-goals", **shape, measures=True)
    hook, times = [bench.program, "pre-commit"], {}
    for kind, at in (("goals", repo), ("none", plain)):
        repos.stage(at, repos.plain())
        subprocess.run(hook, cwd=at, env=repos.ENV)
        times[kind] = bench.alternate(at, {"ours": hook}, 20)["ours"]
        shutil.rmtree(at)
    ratio = times["goals"]["ms"] / times["none"]["ms"]
    rows.append(row("pre-commit with a contract in every node, over none", 1.1, 1.0, ratio, ours=times["goals"]))
    return rows


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


def graph(bench, bundle, quick):
    """The event graph, derived and hashed: of the corpus beside a scan, of many readings in absolute terms, and how it grows."""
    rows = []
    if bundle:
        repo = bench.work / "graph-corpus"
        subprocess.run(["git", "clone", "-q", "-b", "main", bundle, repo], env=repos.ENV, check=True, capture_output=True)
        settle(repo)
        subprocess.run([bench.program, "scan"], cwd=repo, env=repos.ENV, stdout=subprocess.DEVNULL)
        ratio, said = pair(bench, repo, [bench.program, "scan"], [bench.program, "graph", "show"], 30)
        rows.append(row("graph of the corpus's tip, over a scan of it, with a memo", 1.5, 1.0, ratio, **said))
        rows.append(row("the same, absolute", 60, 30, said["ours"]["ms"], "ms"))
        shutil.rmtree(repo)
    else:
        rows.append(skipped("graph of the corpus's tip, over a scan of it, with a memo", 1.5, 1.0, "no corpus: --corpus BUNDLE"))
    points, memory = [], []
    for readings in [500, 5_000] if quick else [500, 5_000, 50_000]:
        repo = repos.build(bench.work / "graph", 2_000, 300, 600, 100, readings)
        settle(repo)
        subprocess.run([bench.program, "scan"], cwd=repo, env=repos.ENV, stdout=subprocess.DEVNULL)
        said = bench.alternate(repo, {"ours": [bench.program, "graph", "show"]}, 5)["ours"]
        points.append((readings, said["ms"]))
        memory.append((readings, said["mb"]))
        shutil.rmtree(repo)
    if not quick:
        rows.append(row("graph of 50,000 readings", 1000, 500, points[-1][1], "ms"))
        rows.append(row("peak memory of it", 300, 150, memory[-1][1], "MB"))
    rows.append(row("growth of a graph with readings", None, None, exponent(points), "exponent", points=points))
    rows.append(row("growth of its memory with readings", None, None, exponent(memory), "exponent", points=memory))
    return rows
