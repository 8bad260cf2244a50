"""Selectors: what it costs to compare units instead of files."""

import shutil
import subprocess

import repos
from jobs import FORGET, row, settle

BLOBS = 100
FUNCTIONS = 700
GUARD = 200  # ms that a hook may parse


def source(number, changed=""):
    """About 60 KB of TypeScript with many functions, the last of them as `changed` says."""
    parts = [f"/** The {n}th of {number}. */\nexport function f{n}(a: number): number {{\n  return a * {n} + {number};\n}}\n"
             for n in range(FUNCTIONS)]
    return "\n".join(parts) + f"\nexport function last(): string {{\n  return '{changed}';\n}}\n"


def path(number):
    return f"src/f{number:03d}.ts"


def files(symbol, changed=""):
    scenario = "---\nscenarios:\n  - name: s{0}\n    description: d\n    expected: e\n    tags: [cli]\n    code: {1}{2}\n---\n"
    for number in range(BLOBS):
        yield f".spec/k{number:03d}/yatsu.md", scenario.format(number, path(number), symbol)
        yield path(number), source(number, changed)


def build(repo, symbol):
    """A hundred scenarios, each of a file of its own, all measured before the last function of every file changed."""
    stream = repos.Import(repo)
    stream.commit(list(files(symbol)))
    stream.commit(list(files(symbol, "other")))
    ids = stream.end()
    out = [f"commit refs/heads/main\ncommitter A <a@example.invalid> {repos.START + 10**8} +0000\ndata 1\nr\nfrom {ids[-1]}\n"]
    for number in range(BLOBS):
        line = repos.reading(number, ids[0], number)
        out.append(f"M 100644 inline .spec/k{number:03d}/yatsu.evals.ndjson\ndata {len(line)}\n{line}\n")
    repos.git(repo, "fast-import", "--quiet", "--force", text="".join(out).encode())
    repos.git(repo, "repack", "-adq")
    repos.git(repo, "reset", "-q", "--hard", "main")
    settle(repo)
    return repo


def governed(repo, count):
    """So many governed files staged, each with another last function."""
    repos.stage(repo, {path(number): source(number, "staged") for number in range(count)})


def selectors(bench, quick):
    """A cold and a warm scan where 100 blobs changed, and hooks, all beside the same repository without selectors."""
    scoped, whole = build(bench.work / "scoped", "#f7"), build(bench.work / "whole", "")
    megabytes = 2 * sum(len(source(number)) for number in range(BLOBS)) / 1e6
    scan, hook = [bench.program, "scan"], [bench.program, "pre-commit"]
    rounds = 3 if quick else 10
    cold = bench.alternate(scoped, {"ours": scan}, rounds, before={"ours": FORGET})["ours"]
    label = f"cold scan, {BLOBS} changed blobs, {megabytes:.0f} MB parsed"
    rows = [row(f"{label}, processor time", 400, 170, cold["cpu_ms"] / megabytes, "ms/MB", ours=cold)]
    warm = bench.alternate(scoped, {"ours": scan}, rounds)["ours"]
    bare = bench.alternate(whole, {"ours": scan}, rounds)["ours"]
    rows.append(row("scan with selectors over the same without them, memo", 1.5, 1.1, warm["ms"] / bare["ms"], ours=warm))
    for staged, target, best in ((1, 60, 30), (BLOBS, GUARD + 50, GUARD)):
        spent = {}
        for name, repo in (("scoped", scoped), ("whole", whole)):
            governed(repo, staged)
            subprocess.run(hook, cwd=repo, env=repos.ENV, capture_output=True)
            before = {"ours": ["sh", "-c", "rm -f .git/yatsu/*units*"]}
            spent[name] = bench.alternate(repo, {"ours": hook}, rounds, before=before)["ours"]
            repos.unstage(repo)
        more = spent["scoped"]["ms"] - spent["whole"]["ms"]
        rows.append(row(f"hook, governed files with selectors staged: {staged}, over the same without", target, best, more, "ms",
                        ours=spent["scoped"]))
    for repo in (scoped, whole):
        repos.stage(repo, repos.plain())
        subprocess.run(hook, cwd=repo, env=repos.ENV)
    silent = [bench.alternate(repo, {"ours": hook}, 20)["ours"] for repo in (scoped, whole)]
    rows.append(row("silent hook with selectors over the same without", 1.1, 1.02, silent[0]["ms"] / silent[1]["ms"], ours=silent[0]))
    for repo in (scoped, whole):
        shutil.rmtree(repo)
    return rows
