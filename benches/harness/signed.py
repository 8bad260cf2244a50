"""Signatures: what a scan with a memo costs where every reading is signed and a policy asks for it."""

import json
import shutil
import subprocess
import time

import repos
from jobs import row

READINGS = 1_000
AT_ONCE = 200  # at most 256 signatures are verified at once
TRUST = {"signers": "trust/allowed_signers", "roles": {"person": ["*@example.org"]}, "readings": {"*": {"grade": "signed"}}}


def vouch(bench, repo):
    """The keys and the policy on the main branch, then a signature for each ledger."""
    key = bench.work / "ann"
    subprocess.run(["ssh-keygen", "-q", "-t", "ed25519", "-N", "", "-C", "ann", "-f", key], check=True)
    (repo / "trust").mkdir()
    (repo / "trust/allowed_signers").write_text("ann@example.org " + key.with_suffix(".pub").read_text())
    (repo / "spexcode.json").write_text(json.dumps({"yatsu": {"trust": TRUST}}))
    repos.git(repo, "add", "-A")
    repos.git(repo, "commit", "-qm", "who may sign")
    nodes = sorted(str(file.parent.relative_to(repo)) for file in repo.glob(".spec/**/yatsu.md"))
    for first in range(0, len(nodes), AT_ONCE):
        subprocess.run([bench.program, "-q", "sign", *nodes[first:first + AT_ONCE], "--key", key], cwd=repo, env=repos.ENV,
                       check=True, stdout=subprocess.DEVNULL)
    repos.git(repo, "commit", "-qam", "signed")
    return len(nodes)


def signed(bench, quick):
    """The same readings, unsigned without a policy and signed with one; nothing is found in either."""
    shape = {"files": 1_000, "commits": 20, "scenarios": READINGS, "anchors": 10, "readings": READINGS}
    plain, vouched = (repos.build(bench.work / name, **shape) for name in ("unsigned", "signed"))
    count = vouch(bench, vouched)
    time.sleep(4)  # a memo keeps no file that is younger than three seconds
    for repo in (plain, vouched):
        # an index as old as its files makes every scan start git, which would cost one side alone
        repos.git(repo, "update-index", "--really-refresh", "--force-write-index")
    scans = {name: [bench.program, "-C", repo, "scan"] for name, repo in (("reference", plain), ("ours", vouched))}
    for scan in scans.values():
        subprocess.run(scan, env=repos.ENV, stdout=subprocess.DEVNULL, check=True)
    said = bench.alternate(bench.work, scans, 10 if quick else 40)
    for repo in (plain, vouched):
        shutil.rmtree(repo)
    job = f"scan of {READINGS} readings with {count} signatures and a policy, over the same with neither, memo"
    return [row(job, 1.2, 1.05, said["ours"]["ms"] / said["reference"]["ms"], **said)]
