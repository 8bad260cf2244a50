"""The doors of coding agents: a silent event over a silent pre-commit, a stop over a scan with its memos."""

import json
import shutil
import subprocess

import repos
from jobs import pair, row, settle


def event(repo, work, name, kind, **fields):
    """A file with one event of a session of Claude Code."""
    file = work / f"{name}.json"
    file.write_text(json.dumps({"session_id": "bench", "cwd": str(repo), "hook_event_name": kind, **fields}))
    return file


def tool(repo, work, name, tool_name, tool_input, **fields):
    return event(repo, work, name, "PostToolUse", tool_name=tool_name, tool_input=tool_input, **fields)


def agents(bench, quick):
    files, rounds = (1_000, 40) if quick else (10_000, 100)
    repo = repos.build(bench.work / "agents", files=files, commits=30, scenarios=60, anchors=10, readings=200)
    fed = lambda file: ["sh", "-c", f"exec {bench.program} agent event < {file}"]
    subprocess.run([bench.program, "scan"], cwd=repo, env=repos.ENV, stdout=subprocess.DEVNULL)
    settle(repo)
    subprocess.run(fed(event(repo, bench.work, "start", "SessionStart")), cwd=repo, env=repos.ENV, check=True)
    hook = ["sh", "-c", f"exec {bench.program} pre-commit"]
    ended = {"stdout": "", "stderr": "", "interrupted": False}
    silent = {
        "an edit of an ungoverned file": tool(repo, bench.work, "edit", "Edit", {"file_path": str(repo / "none.txt")}),
        "an undeclared command": tool(repo, bench.work, "ran", "Bash", {"command": "ls"}, tool_response=ended, duration_ms=5),
    }
    stop = fed(event(repo, bench.work, "stop", "Stop"))
    rows = []
    name = "a stop after nothing was touched"
    measured, said = pair(bench, repo, hook, stop, rounds)
    rows.append(row(f"agent event: {name}, {files} files, over a silent pre-commit", 1.2, 1.0, measured, **said))
    for name, file in silent.items():
        measured, said = pair(bench, repo, hook, fed(file), rounds)
        rows.append(row(f"agent event: {name}, {files} files, over a silent pre-commit", 1.2, 1.0, measured, **said))
    measured, said = pair(bench, repo, ["sh", "-c", f"exec {bench.program} scan >/dev/null"], stop, rounds)
    rows.append(row(f"agent event: a stop after commands, {files} files, over a scan with its memos", 1.0, 0.8, measured, **said))
    shutil.rmtree(repo)
    return rows
