#!/usr/bin/env python3
"""Ledgers that merge anywhere: teams of clones file readings, and plain git merges them.

usage: segments.py PROGRAM [--full] [--seed S] [--team]
       segments.py --replay REPOSITORY

No merge driver, no attribute: as on a forge. Two games:

team      ten agents on ten branches of one server file a hundred readings; the server squashes, rebases or merges them, and
          folds in between. Nothing may conflict in a ledger.
histories random work of four clones: readings, retractions, redactions, moved and retired nodes, folds, squashes, picks,
          reverts, rebases. A conflict in a ledger must be one that docs/formats.md names.

Both are judged by the bytes of the ledgers alone, with no code of the program: no line is lost that nobody took out, no
redacted line counts, and `ls` gives the score that the same lines give in one file. Small by default; --full plays 1,000
histories. A failure prints its seed and keeps its directory.

--replay merges again what a real history merged, each ledger one file as it was, and then with the lines of each commit in a
segment of its own. It needs git 2.38 and no program.
"""
import argparse, collections, hashlib, json, os, pathlib, random, shutil, subprocess, sys, tempfile

ENV = dict(PATH=os.environ["PATH"], HOME="/nonexistent", GIT_CONFIG_GLOBAL="/dev/null", GIT_CONFIG_NOSYSTEM="1", LC_ALL="C",
           GIT_AUTHOR_NAME="A", GIT_AUTHOR_EMAIL="a@x", GIT_COMMITTER_NAME="A", GIT_COMMITTER_EMAIL="a@x",
           GIT_EDITOR="true", GIT_MERGE_AUTOEDIT="no", YATSU_PROGRESS="off")
SCENARIO = """---
scenarios:
  - name: works
    description: measure {0}
    expected: {0} works
    tags: [cli]
    code: src/{0}.rs
---
"""


class Wrong(Exception):
    pass


class Clone:
    """A work tree, and what its owner does there."""

    def __init__(self, root, program):
        self.root, self.program = pathlib.Path(root), program

    def git(self, *words, ok=True):
        done = subprocess.run(["git", *words], cwd=self.root, env=ENV, capture_output=True)
        if ok and done.returncode:
            raise Wrong(f"git {' '.join(words)}: {done.stderr.decode()}{done.stdout.decode()}")
        return done.stdout.decode() if ok else done.returncode

    def yatsu(self, *words, codes=(0,)):
        done = subprocess.run([self.program, *words], cwd=self.root, env=ENV, capture_output=True)
        if done.returncode not in codes:
            raise Wrong(f"yatsu-hook {' '.join(words)}: {done.returncode}: {done.stderr.decode()}{done.stdout.decode()}")
        return done.stdout.decode()

    def commit(self, message):
        self.git("add", "-A")
        self.git("commit", "-q", "--allow-empty", "-m", message)

    def homes(self):
        """The directories of nodes in the work tree."""
        return sorted(str(path.parent.relative_to(self.root)) for path in self.root.glob(".spec/*/yatsu.md"))

    def lines(self):
        """Each line of a ledger with its home, by the files alone: home -> {line}."""
        found = {}
        for path in sorted(self.root.glob(".spec/*/yatsu*.evals.ndjson")):
            if path.name.startswith("yatsu."):
                lines = path.read_bytes().split(b"\n")
                found.setdefault(path.parent.name, set()).update(line for line in lines if line.strip())
        return found

    def conflicts(self):
        return self.git("diff", "--name-only", "--diff-filter=U").split()


def is_ledger(path):
    return path.endswith(".evals.ndjson")


def redacted(lines):
    """The hashes of redacted lines."""
    return {json.loads(line).get("redacts") for line in lines} - {None}


def digest(line):
    return hashlib.sha256(line).hexdigest()


def counting(lines):
    """The lines that may count: without redacted ones, of which a copy may stand again."""
    gone = redacted(lines)
    return {line for line in lines if digest(line) not in gone}


def judge(clone, filed, scratch):
    """Compares the clone with what was ever filed: (home of the scenario's text, line). Whether a redacted line was back."""
    held = set().union(*clone.lines().values(), set())
    hashes = redacted(held)
    for line in filed:
        if line not in held and digest(line) not in hashes:
            raise Wrong(f"lost: {line.decode()}")
    for home, lines in clone.lines().items():
        if f".spec/{home}" not in clone.homes():
            continue
        shown = json.loads(clone.yatsu("show", f".spec/{home}", "--format", "json"))["scenarios"]
        times = {reading["ts"] for scenario in shown for reading in scenario["readings"]}
        known = {json.loads(line).get("ts") for line in counting(lines)} - {None}
        if not times <= known - {json.loads(line)["ts"] for line in counting(lines) if b'"redacts"' in line}:
            raise Wrong(f"a redacted line of {home} counts")
    # the silent case: no merge says that a redacted line is back, but the program does, and takes it out
    is_back = any(digest(line) in redacted(lines) for lines in clone.lines().values() for line in lines)
    if is_back:
        if "was redacted stands here again" not in clone.yatsu("check", "--all", codes=(1,)):
            raise Wrong("a redacted line is back, and nothing says so")
        clone.yatsu("repair")
        if any(digest(line) in redacted(lines) for lines in clone.lines().values() for line in lines):
            raise Wrong("repair leaves a redacted line")
    # the score of the same lines in one file
    one = pathlib.Path(scratch) / "one"
    shutil.rmtree(one, ignore_errors=True)
    shutil.copytree(clone.root, one, symlinks=True)
    for home, lines in clone.lines().items():
        for path in (one / ".spec" / home).glob("yatsu*.evals.ndjson"):
            path.unlink()
        order = sorted(counting(lines), key=lambda line: (json.loads(line).get("ts", ""), line))
        (one / ".spec" / home / "yatsu.evals.ndjson").write_bytes(b"".join(line + b"\n" for line in order))
    both = [Clone(root, clone.program).yatsu("ls", "--format", "json") for root in (clone.root, one)]
    scores = [[{key: row[key] for key in row if key not in ("ledger", "line")} for row in json.loads(text)["scenarios"]]
              for text in both]
    if scores[0] != scores[1]:
        raise Wrong(f"another score than of one file:\n{both[0]}\n{both[1]}")
    return is_back


def begin(top, program, nodes):
    """A server, and a clone that pushed the first commit."""
    server = pathlib.Path(top) / "server.git"
    subprocess.run(["git", "init", "-q", "--bare", "-b", "main", server], env=ENV, check=True)
    root = pathlib.Path(top) / "first"
    subprocess.run(["git", "init", "-q", "-b", "main", root], env=ENV, check=True)
    first = Clone(root, program)
    for node in nodes:
        (root / "src").mkdir(exist_ok=True)
        (root / "src" / f"{node}.rs").write_text("fn f() {}\n")
        (root / ".spec" / node).mkdir(parents=True)
        (root / ".spec" / node / "yatsu.md").write_text(SCENARIO.format(node))
    first.commit("begin")
    first.git("remote", "add", "origin", str(server))
    first.git("push", "-q", "-u", "origin", "main")
    return server, first


def cloned(top, name, server, program):
    root = pathlib.Path(top) / name
    subprocess.run(["git", "clone", "-q", server, root], env=ENV, check=True)
    clone = Clone(root, program)
    clone.git("config", "maintenance.auto", "false")
    return clone


def team(top, program, dice, agents=10, readings=100):
    """Agents with a branch each, all about three nodes, landed in any order."""
    nodes = ["one", "two", "three"]
    server, main = begin(top, program, nodes)
    filed, folds = set(), 0
    clones = [cloned(top, f"agent{number}", server, program) for number in range(agents)]
    rounds = max(1, readings // (agents * 2))
    for turn in range(rounds):
        for number, clone in enumerate(clones):
            clone.git("fetch", "-q")
            clone.git("checkout", "-q", "-B", f"work{number}-{turn}", "origin/main")
            for step in range(2):
                node, before = dice.choice(nodes), clone.lines()
                clone.yatsu("eval", node, dice.choice(["--pass", "--fail"]), "--note", f"{number} {turn} {step}")
                filed |= clone.lines()[node] - before.get(node, set())
                clone.commit("measured")
            clone.git("push", "-q", "origin", "HEAD")
        order = list(range(agents))
        dice.shuffle(order)
        for at, number in enumerate(order):
            main.git("fetch", "-q")
            branch, way = f"origin/work{number}-{turn}", dice.choice(["merge", "squash", "rebase"])
            if way == "merge":
                failed = main.git("merge", "-q", "--no-ff", "-m", "land", branch, ok=False)
            elif way == "squash":
                failed = main.git("merge", "-q", "--squash", branch, ok=False) or main.git("commit", "-q", "-m", "land", ok=False)
            else:
                failed = main.git("cherry-pick", f"origin/main..{branch}", ok=False)
            if failed:
                raise Wrong(f"{way} of {branch} failed: {main.conflicts()}")
            main.git("push", "-q", "origin", "main")
            if at == agents // 2:
                main.yatsu("fold")
                main.commit("fold")
                main.git("push", "-q", "origin", "main")
                folds += 1
        judge(main, filed, top)
    main.yatsu("check", "--all")
    return f"{agents} agents, {len(filed)} readings, {folds} folds, 0 conflicts"


class History:
    """Random work of four clones on one server."""

    def __init__(self, top, program, dice):
        self.top, self.dice, self.program = top, dice, program
        self.server, first = begin(top, program, ["one", "two"])
        self.clones = [first] + [cloned(top, f"clone{number}", self.server, program) for number in range(1, 4)]
        self.filed, self.merges, self.known = set(), 0, collections.Counter()
        # of two histories one is calm: work as teams do it, with folds by one clone alone. There nothing may conflict
        self.is_calm = dice.random() < 0.5

    def file(self, clone):
        homes = clone.homes()
        if not homes:
            return
        home, before = self.dice.choice(homes), clone.lines()
        clone.yatsu("eval", home, self.dice.choice(["--pass", "--fail"]), "--note", str(len(self.filed)))
        name = pathlib.Path(home).name
        self.filed |= clone.lines()[name] - before.get(name, set())
        clone.commit("measured")

    def redact(self, clone):
        homes = [home for home in clone.homes() if clone.lines().get(pathlib.Path(home).name)]
        if not homes:
            return
        home = self.dice.choice(homes)
        readings = [line for line in clone.lines()[pathlib.Path(home).name] if b'"codeSha"' in line]
        if readings:
            ts = json.loads(self.dice.choice(sorted(readings)))["ts"]
            clone.yatsu("redact", home, "--scenario", "works", "--ts", ts, "--reason", "r", "--by", "me")
            clone.commit("redacted")

    def move(self, clone):
        homes = clone.homes()
        if homes:
            home = self.dice.choice(homes)
            clone.git("mv", home, f".spec/m{self.dice.randrange(10 ** 6)}")
            clone.commit("moved")

    def fold(self, clone):
        if self.is_calm:
            clone = self.clones[0]
            self.exchange(clone)
        clone.yatsu("fold", "--here", codes=(0, 1))
        clone.commit("folded")
        if self.is_calm:
            clone.git("push", "-q", "origin", "HEAD:main")

    def revert(self, clone):
        """Of a commit that files nothing, or of a fold: reverting a reading is a loss by definition."""
        subject = clone.git("log", "-1", "--format=%s").strip()
        if subject == "folded":
            # a fold that changed nothing has no revert
            clone.git("revert", "--no-edit", "HEAD", ok=False)

    def retract(self, clone):
        if not clone.homes():
            return
        home, before = self.dice.choice(clone.homes()), clone.lines()
        clone.yatsu("retract", home, "--scenario", "works", "--last", codes=(0, 1))
        name = pathlib.Path(home).name
        self.filed |= clone.lines().get(name, set()) - before.get(name, set())
        clone.commit("measured")

    def squash(self, clone):
        """Takes what another clone has as one commit. Its own commits may come later, after a fold or a redaction here."""
        self.fetch_other(clone)
        if clone.git("merge", "-q", "--squash", "FETCH_HEAD", ok=False):
            self.settle(clone)
        clone.commit("squashed")

    def pick(self, clone):
        """Takes the last commit of another clone, if it files something."""
        self.fetch_other(clone)
        if clone.git("log", "-1", "--format=%s", "FETCH_HEAD").strip() != "measured":
            return
        if clone.git("cherry-pick", "--keep-redundant-commits", "FETCH_HEAD", ok=False):
            self.settle(clone)
            clone.git("commit", "-q", "--allow-empty", "--no-edit", ok=False)
            clone.git("cherry-pick", "--quit")

    def fetch_other(self, clone):
        clone.git("fetch", "-q", self.dice.choice(self.clones).root, "HEAD")

    def amend(self, clone):
        (clone.root / "src" / "x.rs").write_text(str(self.dice.random()))
        clone.git("add", "-A")
        if clone.git("log", "-1", "--format=%s").strip() == "measured" and clone.git("status", "-sb").count("ahead"):
            clone.git("commit", "-q", "--amend", "-m", "measured")
        else:
            clone.commit("code")

    def exchange(self, clone):
        """Takes what others pushed, by merge or rebase, and pushes."""
        clone.git("fetch", "-q")
        if self.dice.random() < 0.3 and clone.git("rev-list", "--merges", "origin/main..HEAD").strip() == "":
            failed = clone.git("rebase", "-q", "origin/main", ok=False)
        else:
            failed = clone.git("merge", "-q", "--no-edit", "origin/main", ok=False)
        self.merges += 1
        while failed:
            self.settle(clone)
            if (clone.root / ".git" / "rebase-merge").exists():
                failed = clone.git("rebase", "--continue", ok=False)
            else:
                failed = clone.git("commit", "-q", "--no-edit", ok=False)
        clone.git("push", "-q", "origin", "HEAD:main")

    def settle(self, clone):
        """Resolves as docs/formats.md says, and counts a conflict that it names. Any other is wrong."""
        paths = clone.conflicts()
        ledgers = [path for path in paths if is_ledger(path)]
        for path in ledgers:
            self.known[self.reason(clone, path)] += 1
        mine, theirs = [], []
        for path in ledgers:
            for stage, lines in (("2", mine), ("3", theirs)):
                done = subprocess.run(["git", "show", f":{stage}:{path}"], cwd=clone.root, env=ENV, capture_output=True)
                lines.extend([] if done.returncode else done.stdout.splitlines())
            both = list(dict.fromkeys(line for line in mine + theirs if line.strip()))
            gone = redacted(both)
            kept = [line for line in both if digest(line) not in gone]
            (clone.root / path).parent.mkdir(parents=True, exist_ok=True)
            (clone.root / path).write_bytes(b"".join(line + b"\n" for line in kept))
            mine, theirs = [], []
        for path in paths:
            if path not in ledgers:
                clone.git("checkout", "-q", "--ours", "--", path, ok=False)
        clone.git("add", "-A")

    def reason(self, clone, path):
        """Which of the conflicts that docs/formats.md names this is, by the three versions and by the commits."""
        if self.is_calm:
            raise Wrong(f"a conflict in {path}, where nothing moved and one clone folds")
        versions = [subprocess.run(["git", "show", f":{stage}:{path}"], cwd=clone.root, env=ENV, capture_output=True)
                    for stage in "123"]
        base, ours, theirs = [one.stdout if one.returncode == 0 else None for one in versions]
        home, name = path.rsplit("/", 1)
        git_dir = clone.root / ".git"
        heads = ["REBASE_HEAD"] if (git_dir / "rebase-merge").exists() else ["MERGE_HEAD", "CHERRY_PICK_HEAD"]
        # of a squash git keeps no name
        other = next((head for head in heads if (git_dir / head).exists()), "FETCH_HEAD")
        has_home = [clone.git("cat-file", "-e", f"{rev}:{home}/yatsu.md", ok=False) == 0 for rev in ("HEAD", other)]
        # since both sides parted, and what git took for the base
        parted = clone.git("merge-base", "HEAD", other).strip()
        subjects = clone.git("log", "--format=%s", "HEAD", other, "--not", f"{parted}^@", "--", ".spec")
        if not all(has_home) or "moved" in subjects and (ours is None or theirs is None):
            return "moved"
        if any(b'"redacts"' in (text or b"") for text in (base, ours, theirs)):
            return "redacted"
        if "Revert" in subjects:
            return "reverted"
        # git may take a segment that one fold removed for the origin of a new one, which the other fold then removes
        if f"{home}/yatsu.evals.ndjson" in clone.conflicts() and "folded" in subjects:
            return "two folds"
        if "redacted" in subjects and (ours is None or theirs is None):
            return "redacted"
        raise Wrong(f"a conflict that docs/formats.md does not name: {path}, by {other}")

    def play(self, steps):
        acts = [(self.file, 10), (self.exchange, 6), (self.fold, 1), (self.amend, 2), (self.retract, 1), (self.squash, 0.7),
                (self.pick, 0.7)]
        if not self.is_calm:
            acts += [(self.move, 0.5), (self.redact, 0.5), (self.revert, 0.5)]
        for _ in range(steps):
            act = self.dice.choices([act for act, _ in acts], [weight for _, weight in acts])[0]
            act(self.dice.choice(self.clones))
        for clone in self.clones + self.clones:
            self.exchange(clone)
        for clone in self.clones:
            clone.git("pull", "-q", "--ff-only", ok=False)
        self.is_back = judge(self.clones[-1], self.filed, self.top)


class Replay:
    """The merges of a real history in which both sides changed a ledger."""

    def __init__(self, top, repository):
        self.root = pathlib.Path(top) / "replayed.git"
        subprocess.run(["git", "-c", "init.defaultBranch=main", "clone", "-q", "--bare", repository, self.root], env=ENV,
                       check=True)
        self.blobs, self.origins, self.written = {}, {}, {}
        for commit in self.git("rev-list", "--all", "--topo-order", "--reverse").split():
            for _, blob in self.ledgers(commit):
                for line in self.lines(blob):
                    self.origins.setdefault(line, commit)

    def git(self, *words, given=None, codes=(0,)):
        done = subprocess.run(["git", *words], cwd=self.root, env=ENV, capture_output=True, input=given)
        if done.returncode not in codes:
            raise Wrong(f"git {' '.join(words)}: {done.stderr.decode()}")
        return done.stdout.decode()

    def ledgers(self, commit):
        rows = [row.split("\t") for row in self.git("ls-tree", "-rz", commit).split("\0") if row]
        return [(path, about.split()[2]) for about, path in rows if path.rsplit("/", 1)[-1] == "yatsu.evals.ndjson"]

    def lines(self, blob):
        if blob not in self.blobs:
            lines = self.git("cat-file", "blob", blob).split("\n")
            self.blobs[blob] = [line for line in lines if line]
        return self.blobs[blob]

    def segmented(self, commit, *parents):
        """The commit as it would be if each commit had written its lines into a segment."""
        rows = self.git("ls-tree", "-rz", commit)
        paths = [path for path, _ in self.ledgers(commit)]
        wanted = "".join(f"0 {'0' * 40}\t{path}\0" for path in paths)
        for path, blob in self.ledgers(commit):
            files = collections.defaultdict(list)
            for line in self.lines(blob):
                files[self.origins[line]].append(line + "\n")
            for origin, lines in files.items():
                text = "".join(lines)
                if text not in self.written:
                    self.written[text] = self.git("hash-object", "-w", "--stdin", given=text.encode()).strip()
                name = path.replace("yatsu.evals", f"yatsu.{origin}.evals")
                wanted += f"100644 {self.written[text]}\t{name}\0"
        self.git("read-tree", "--empty")
        self.git("update-index", "-z", "--index-info", given=(rows + wanted).encode())
        parents = [word for parent in parents for word in ("-p", parent)]
        return self.git("commit-tree", self.git("write-tree").strip(), *parents, "-m", "as segments").strip()

    def conflicts(self, one, other):
        said = self.git("merge-tree", "--write-tree", "--name-only", "--no-messages", one, other, codes=(0, 1))
        return [path for path in said.split("\n")[1:] if is_ledger(path)]

    def play(self):
        merges = as_file = as_segments = 0
        for commit in self.git("rev-list", "--all", "--merges").split():
            one, other = self.git("rev-parse", f"{commit}^1", f"{commit}^2").split()
            base = self.git("merge-base", one, other).strip()
            before = set(self.ledgers(base))
            if any(not set(self.ledgers(side)) - before for side in (one, other)):
                continue
            merges += 1
            as_file += bool(self.conflicts(one, other))
            root = self.segmented(base)
            found = self.conflicts(self.segmented(one, root), self.segmented(other, root))
            as_segments += bool(found)
            for path in found:
                home = path.rsplit("/", 1)[0]
                if all(self.git("ls-tree", side, f"{home}/yatsu.md") for side in (base, one, other)):
                    raise Wrong(f"{commit}: a conflict in {path}, where nothing moved")
        if not merges:
            raise Wrong("no merge of this history changed a ledger on both sides")
        return (f"{merges} merges with readings on both sides: {as_file} conflict with a file a node, "
                f"{as_segments} with segments, where a node moved")


def main():
    said = argparse.ArgumentParser()
    if sys.argv[1:2] == ["--replay"]:
        with tempfile.TemporaryDirectory() as top:
            print(Replay(top, os.path.abspath(sys.argv[2])).play())
        return
    said.add_argument("program")
    said.add_argument("--full", action="store_true")
    said.add_argument("--seed", type=int)
    said.add_argument("--team", action="store_true")
    said = said.parse_args()
    program = os.path.abspath(said.program)
    place = "/dev/shm" if os.access("/dev/shm", os.W_OK) else None
    seeds = [said.seed] if said.seed is not None else range(1000 if said.full else 8)
    merges = lines = back = 0
    known = collections.Counter()
    games = [("team", seed) for seed in (range(10) if said.full else range(1))] if said.seed is None else []
    games += [("team", said.seed)] if said.team and said.seed is not None else []
    games += [] if said.team else [("history", seed) for seed in seeds]
    for game, seed in games:
        top = tempfile.mkdtemp(dir=place)
        try:
            if game == "team":
                print("team:", team(top, program, random.Random(seed)), flush=True)
            else:
                history = History(top, program, random.Random(seed))
                history.play(40)
                merges, known, lines = merges + history.merges, known + history.known, lines + len(history.filed)
                back += history.is_back
        except Wrong as wrong:
            print(f"WRONG: {game}, seed {seed}, in {top}: {wrong}", file=sys.stderr)
            sys.exit(1)
        shutil.rmtree(top)
    if merges:
        named = ", ".join(f"{count} {what}" for what, count in sorted(known.items())) or "none"
        print(f"histories: {len(seeds)}, {merges} merges and rebases; conflicts in a ledger: {named}; 0 of {lines} lines lost; "
              f"in {back} a redacted line was back, and was taken out")


main()
