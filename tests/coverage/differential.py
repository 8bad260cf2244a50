"""Judges states of a repository with and without the key `coverage` in their readings, and compares the answers.

usage: differential.py PROGRAM REPOSITORY-OR-BUNDLE [COUNT]

Takes COUNT commits of the main line (20 by default), spread over the history. Each state is committed twice into scratch
clones: as it is, and with a coverage in every reading that has none. Both are judged by `scan`, `check --all`, `ls` and the hook
before a commit. Exit codes and answers must be the same but for the finding `under-declared`. Prints a line; exits 1 for a
difference. Needs git and python3.
"""

import json
import os
import re
import subprocess
import sys
import tempfile
from pathlib import Path

ENV = {
    **{key: os.environ[key] for key in ("PATH", "HOME") if key in os.environ},
    **{f"GIT_{who}_{what}": value for who in ("AUTHOR", "COMMITTER") for what, value in
       (("NAME", "A"), ("EMAIL", "a@example.invalid"), ("DATE", "2026-01-01T00:00:00Z"))},
    "GIT_CONFIG_GLOBAL": "/dev/null", "GIT_CONFIG_NOSYSTEM": "1", "LC_ALL": "C.UTF-8",
}


def run(place, *args):
    done = subprocess.run(args, cwd=place, env=ENV, capture_output=True, text=True)
    return done.returncode, done.stdout


def git(place, *args):
    code, out = run(place, "git", *args)
    if code:
        sys.exit(f"git {' '.join(args)}: exit {code}")
    return out.strip()


def covered(line, files):
    """The line of a reading with a coverage of some tracked files."""
    try:
        event = json.loads(line)
    except ValueError:
        return line
    if not isinstance(event, dict) or "verdict" not in event or "coverage" in event or not line.rstrip().endswith("}"):
        return line
    ran = sorted(files)[:3]
    value = json.dumps({"format": "lcov", "ran": ran, "more": 2, "loaded": 1}, ensure_ascii=False)
    return line.rstrip()[:-1] + f',"coverage":{value}}}'


def answers(program, place):
    """What the program says of a state, without the finding and without object ids of commits; and how often it says it."""
    found, advice = [], 0
    for args in (["scan"], ["check", "--all"], ["ls"]):
        code, out = run(place, program, *args, "--format", "json")
        document = json.loads(out) if out else None
        if isinstance(document, dict) and isinstance(document.get("findings"), list):
            advice += sum(one.get("rule") == "under-declared" for one in document["findings"])
            document["findings"] = [one for one in document["findings"] if one.get("rule") != "under-declared"]
            # the finding itself counts as advice
            for count in ("infos", "nodesFlagged"):
                document.get("summary", {}).pop(count, None)
        # the commits differ
        found.append((args, code, re.sub(r"\b[0-9a-f]{40}\b", "ID", json.dumps(document))))
    (Path(place) / "differential.txt").write_text("x\n")
    git(place, "add", "differential.txt")
    found.append((["pre-commit"], *run(place, program, "pre-commit")))
    git(place, "reset", "-q", "--hard")
    return found, advice


def main():
    if len(sys.argv) not in (3, 4):
        sys.exit(__doc__.split("\n\n")[1])
    program, source = str(Path(sys.argv[1]).resolve()), str(Path(sys.argv[2]).resolve())
    count = int(sys.argv[3]) if len(sys.argv) == 4 else 20
    with tempfile.TemporaryDirectory() as scratch:
        top = Path(scratch)
        git(top, "clone", "-q", source, "plain")
        git(top, "clone", "-q", source, "covered")
        commits = git(top / "plain", "rev-list", "--first-parent", "HEAD").split()
        chosen = commits[:: max(1, len(commits) // count)][:count]
        readings = different = advice = 0
        for commit in chosen:
            for name in ("plain", "covered"):
                git(top / name, "checkout", "-q", "-f", commit)
            files = git(top / "plain", "ls-files").split("\n")
            for path in (top / "covered").rglob("*.evals.ndjson"):
                lines = path.read_text().split("\n")
                new = [covered(line, files) for line in lines]
                readings += sum(one != other for one, other in zip(lines, new))
                path.write_text("\n".join(new))
            git(top / "covered", "commit", "-q", "--no-verify", "--allow-empty", "-am", "covered")
            git(top / "plain", "commit", "-q", "--no-verify", "--allow-empty", "-am", "plain")
            (plain, _), (other_answers, said) = answers(program, top / "plain"), answers(program, top / "covered")
            advice += said
            for one, other in zip(plain, other_answers):
                if one != other:
                    different += 1
                    print(f"{commit[:12]} {' '.join(one[0])}: exit {one[1]} and {other[1]}\n{one[2][:400]}\n{other[2][:400]}")
        print(f"{len(chosen)} states, {readings} readings with a coverage, {advice} findings under-declared, {different} differences")
        sys.exit(1 if different or not advice else 0)


main()
