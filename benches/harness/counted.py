"""Instructions of one run, counted by callgrind: the same on every machine."""

import re
import shutil
import subprocess
import sys

import repos


def install():
    """Whether valgrind is here, or could be installed."""
    if not shutil.which("valgrind"):
        subprocess.run(["apt-get", "install", "-y", "-q", "valgrind"], capture_output=True)
    return shutil.which("valgrind")


def count(repo, program, *args, told=None):
    """The instructions of one run that is told `told`; what the program has git do is not counted."""
    tool = ["valgrind", "--tool=callgrind", "--callgrind-out-file=/dev/null"]
    done = subprocess.run([*tool, program, *args], cwd=repo, env=repos.ENV, input=told, capture_output=True, text=True)
    found = re.search(r"Collected : (\d+)", done.stderr)
    if not found:
        sys.exit(f"valgrind did not count {args}:\n{done.stderr}")
    return int(found[1])
