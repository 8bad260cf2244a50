"""Alternate runs of whole processes: medians, ratios, peak memory, growth exponents."""

import math
import os
import statistics
import subprocess
import tempfile
from pathlib import Path

from repos import ENV

HERE = Path(__file__).parent
STATIC = ["-C", "target-feature=+crt-static"]


def rustc(source, out):
    host = next(
        line.split()[1]
        for line in subprocess.check_output(["rustc", "-vV"], text=True).splitlines()
        if line.startswith("host:")
    )
    flags = ["-O", "--edition", "2024", "-C", "panic=abort", "-C", "strip=symbols", *STATIC, "--target", host]
    subprocess.run(["rustc", *flags, "-o", out, HERE / source], check=True)


class Bench:
    """The tools of one run of the harness."""

    def __init__(self, program, work):
        self.program, self.work = program, work
        self.timed, self.empty = work / "timed", work / "empty"
        rustc("timed.rs", self.timed)
        rustc("empty.rs", self.empty)

    def alternate(self, cwd, commands, rounds, env=None, before={}):
        """Runs the commands (name -> argv) in turn and returns name -> {ms, cpu_ms, mb, exit}: medians, peaks. What is
        run before a command (name -> argv) is not measured."""
        with tempfile.NamedTemporaryFile("w", suffix=".tsv") as file:
            for name, argv in commands.items():
                if name in before:
                    file.write("\t".join(["-", *map(str, before[name])]) + "\n")
                file.write("\t".join(map(str, argv)) + "\n")
            file.flush()
            out = subprocess.run(
                [self.timed, str(rounds), file.name], cwd=cwd, env=ENV | (env or {}),
                check=True, capture_output=True, text=True,
            ).stdout
        runs = [[] for _ in commands]
        for line in out.splitlines():
            number, *run = map(int, line.split())
            runs[number].append(run)
        return {
            name: {
                "ms": statistics.median(nanos for nanos, *_ in of) / 1e6,
                "cpu_ms": statistics.median(cpu for _, cpu, _, _ in of) / 1e6,
                "mb": max(peak for *_, peak, _ in of) / 1024,
                "exit": max(code for *_, code in of),
            }
            for name, of in zip(commands, runs)
        }


def exponent(points):
    """The slope of log(time) over log(size), by least squares."""
    logs = [(math.log(size), math.log(ms)) for size, ms in points if size > 0 and ms > 0]
    if len(logs) < 2:
        return None
    x, y = (sum(axis) / len(logs) for axis in zip(*logs))
    return sum((a - x) * (b - y) for a, b in logs) / sum((a - x) ** 2 for a, b in logs)


def load_average():
    return os.getloadavg()[0]
