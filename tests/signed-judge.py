#!/usr/bin/env python3
"""A slow judge of signed readings: random histories, judged again with `ssh-keygen` and git alone.

usage: signed-judge.py PROGRAM [--count N] [--seed S]

Each world has keys, certificates, judges with several lines for a key, revocations, a mailmap and a policy. Several authors
edit, squash, rebase, merge, move nodes and scenarios, copy them, measure, sign, withdraw and forge. After some steps the
grades, the signers and the trust in `ls --json`, `trust-unmet` of `check --all`, and `trust-unmet`, `signature-unknown` and
`signature-broken` of `check --from --to` are compared with the judge below, which shares no code with the program.
Prints the seed and the repository of the first difference and exits 1.
"""
import argparse, base64, collections, fnmatch, hashlib, json, os, random, shutil, subprocess, sys, tempfile

CODE = {"works": "src/a.rs", "more": "src/b.rs"}
DIRS = [".spec/n", ".spec/m", ".spec/sub/n", ".spec/o"]
ADDRESSES = ["ann@x", "ann@home", "bob@x", "cid@x", "dee@x", "eve@y"]
OTHERS = ["old@ann", "nobody@z", "zed@z", "committer@x"]
KEYS = ["ann", "ann2", "bob", "cid", "dee", "eve"]
# the key of each certificate, its names and how long it is valid
CERTIFICATES = {"ann": (["ann@x"], []), "bob": (["bob@x", "bob@home"], []), "cid": (["cid@y"], []),
                "dee": (["dee@x"], ["-V", "20180101:20200101"])}
OPTIONS = ["", "", "", 'valid-before="20200101" ', 'valid-after="20200101" ', 'namespaces="git" ',
           'namespaces="yatsu-hook" ', 'namespaces="git,yatsu-*" ']
AUTHORITY = ["*@x", "*@x,!dee@x", "ann@x,bob@x", "*"]
NEEDS = [{"grade": "signed"}, {"grade": "independent"}, {"grade": "independent", "keys": 2},
         {"grade": "signed", "keys": 2}, {"grade": "independent", "roles": ["person"]}]
ROLES = {"person": ["*@x", "*@home"], "agent": ["dee@*"], "ci": ["eve@*"]}
ENV = dict(PATH=os.environ["PATH"], HOME="/nonexistent", GIT_CONFIG_GLOBAL="/dev/null", GIT_CONFIG_NOSYSTEM="1",
           GIT_COMMITTER_NAME="Com", GIT_COMMITTER_EMAIL="committer@x", LC_ALL="C", TZ="UTC", GIT_EDITOR="true")


def sha256(data):
    return hashlib.sha256(data).hexdigest()


def ledger_of(place):
    return place + "/yatsu.evals.ndjson"


def scenarios_of(text):
    """name -> (description, tags), in order"""
    found, name = {}, None
    for line in text.splitlines():
        key, _, value = line.strip().partition(": ")
        if key == "- name":
            name = value
            found[name] = [None, None]
        elif key == "description":
            found[name][0] = value
        elif key == "tags":
            found[name][1] = tuple(value.strip("[]").split(", "))
    return {name: tuple(parts) for name, parts in found.items()}


def text_of(scenarios):
    rows = (f"  - name: {name}\n    description: {description}\n    expected: e\n    tags: [{', '.join(tags)}]\n"
            f"    code: {CODE[name]}\n" for name, (description, tags) in scenarios.items())
    return "---\nscenarios:\n" + "".join(rows) + "---\n"


def text_hash(description):
    return sha256(f"{description}\ne".encode())


class World:
    def __init__(self, program, root, seed):
        self.program, self.root, self.chance, self.tick = program, root, random.Random(seed), 1_700_000_000
        self.keys, self.steps = os.path.join(root, ".keys"), []

    def run(self, words, who="Com <committer@x>", data=None, codes=(0,)):
        self.tick += 1
        name, address = who[:-1].split(" <")
        env = dict(ENV, GIT_AUTHOR_NAME=name, GIT_AUTHOR_EMAIL=address,
                   GIT_AUTHOR_DATE=f"{self.tick} +0000", GIT_COMMITTER_DATE=f"{self.tick} +0000")
        done = subprocess.run(words, cwd=self.root, env=env, input=data, capture_output=True)
        if codes is not None and done.returncode not in codes:
            raise RuntimeError(f"{words}: {done.returncode} {done.stdout.decode()} {done.stderr.decode()}")
        return done

    def git(self, *words, **more):
        return self.run(["git", *words], **more).stdout.decode(errors="replace").strip()

    def yatsu(self, *words, codes=(0,)):
        return self.run([self.program, *words], codes=codes).stdout.decode()

    def at(self, path):
        return os.path.join(self.root, path)

    def read(self, path):
        if not os.path.exists(self.at(path)):
            return ""
        with open(self.at(path)) as file:
            return file.read()

    def write(self, path, text):
        os.makedirs(os.path.dirname(self.at(path)), exist_ok=True)
        with open(self.at(path), "w") as out:
            out.write(text)

    def commit(self, message, who="Com <committer@x>"):
        self.git("add", "-A")
        self.git("commit", "-qm", message, "--allow-empty", who=who)

    # ---------------------------------------------------------------- the history

    def author(self):
        address = self.chance.choice(ADDRESSES + ["old@ann", "nobody@z"])
        spelled = self.chance.choice([address, address.upper(), address])
        return f"{address.split('@')[0].title()} <{spelled}>"

    def trailer(self):
        who = self.author()
        return "\n\n" + self.chance.choice([f"Co-authored-by: {who}", f"CO-authored-by:{who}  ",
                                            f"Co-authored-by: Zed <zed@z>, {who}", f"Co-authored-by :\n {who}",
                                            f"Reviewed-by: {who}"])

    def start(self):
        self.git("init", "-qb", "main")
        shutil.copytree(KEYDIR, self.keys)
        self.write(".git/info/exclude", ".keys\n")
        self.write(".gitattributes", "*.ndjson merge=union\n")
        for path in CODE.values():
            self.write(path, "0\n")
        names = ["works", "more"] if self.chance.random() < 0.6 else ["works"]
        self.declare(".spec/n", {name: (f"{name} 0", ("cli",)) for name in names})
        self.trust()
        self.commit("start")

    def declare(self, place, scenarios):
        path = place + "/yatsu.md"
        if scenarios:
            self.write(path, text_of(scenarios))
        elif os.path.exists(self.at(path)):
            os.remove(self.at(path))

    def declared(self):
        """place -> its scenarios, in the work tree"""
        return {place: scenarios_of(self.read(place + "/yatsu.md")) for place in DIRS
                if os.path.exists(self.at(place + "/yatsu.md"))}

    def scenario(self):
        """Some place and a scenario that it declares."""
        return self.chance.choice([(place, name) for place, names in self.declared().items() for name in names])

    def public(self, key):
        return " ".join(self.read(f".keys/{key}.pub").split()[:2])

    def trust(self):
        pick, lines = self.chance, []
        for key in KEYS:
            for _ in range(pick.choice([0, 1, 1, 1, 2, 3])):
                own = key.rstrip("2")
                names = pick.choice([f"{own}@x", f"{own}@x", f"{own}@x,{own}@home", f"{own.title()}@X", f"{own}@y", own,
                                     "*@x", f"!eve@y,{own}@y"])
                lines.append(f"{names} {pick.choice(OPTIONS)}{self.public(key)}{pick.choice(['', ' note'])}")
        for _ in range(pick.choice([0, 1, 1, 2])):
            options = ",".join(["cert-authority", *pick.choice(OPTIONS).split()])
            lines.append(f"{pick.choice(AUTHORITY)} {options} {self.public('root')}")
        pick.shuffle(lines)
        self.write("trust/signers", pick.choice(["", "\ufeff", "# keys\r\n"]) + "\n".join(lines) + "\n")
        revoked = [self.public(key) for key in [*KEYS, "root"] if pick.random() < 0.07]
        if pick.random() < 0.04:
            revoked.append("ssh-ed25519 nonsense")
        self.write("trust/revoked", "\n".join(revoked) + "\n")
        aliases = ["Ann <ann@x> <old@ann>", "<dee@x> <cid@x>", "Bob <bob@x> Old <old@ann>", "Cid <cid@x>", "# <ann@x> <bob@x>",
                   "<ANN@x> <ann@home>", "<ann@home> <ann@x>"]
        self.write(".mailmap", "".join(line + "\n" for line in aliases if pick.random() < 0.3))
        readings = {"*": pick.choice(NEEDS)}
        if pick.random() < 0.3:
            readings["desktop"] = pick.choice(NEEDS)
        trust = {"signers": "trust/signers", "revoked": "trust/revoked", "roles": ROLES, "readings": readings}
        if pick.random() < 0.15:
            trust["project"] = "urn:ours"
        self.write("spexcode.json", json.dumps({"yatsu": {"trust": trust}}))

    def step(self):
        steps = {"edit": 6, "measure": 7, "sign": 3, "trust": 1, "branch": 3, "other": 1, "reword": 1, "move_node": 1,
                 "move_scenario": 2, "copy": 1, "withdraw": 2, "forge": 2, "backdate": 1}
        self.do(self.chance.choices(list(steps), list(steps.values()))[0])

    def do(self, what):
        self.steps.append(what)
        getattr(self, what)()

    def edit(self):
        self.write(self.chance.choice(["src/a.rs", "src/a.rs", "src/b.rs"]), f"{self.chance.randrange(4)}\n")
        self.commit("edit" + self.chance.choice(["", "", self.trailer()]), self.author())

    def other(self):
        self.write("src/c.rs", f"{self.tick}\n")
        self.commit("other", self.author())

    def reword(self):
        place, name = self.scenario()
        scenarios = self.declared()[place]
        tags = self.chance.choice([("cli",), ("cli",), ("desktop",), ("cli", "desktop")])
        scenarios[name] = (f"{name} {self.chance.randrange(2)}", tags)
        self.declare(place, scenarios)
        self.commit("reword", self.author())

    def measure(self):
        place, name = self.scenario()
        self.yatsu("eval", place, "--scenario", name, self.chance.choice(["--pass", "--pass", "--pass", "--fail"]))
        self.sign_with(place, self.chance.choice([0, 1, 1, 2, 3]))
        self.commit("measured", self.author())

    def sign(self):
        place, _ = self.scenario()
        if self.read(ledger_of(place)):
            self.sign_with(place, 1)
            self.commit("signed", self.author())

    def pen(self):
        """A key, or a certificate of it."""
        key = self.chance.choice(KEYS)
        is_certificate = key in CERTIFICATES and self.chance.random() < 0.4
        return os.path.join(self.keys, key + ("-cert.pub" if is_certificate else ""))

    def sign_with(self, place, count):
        for _ in range(count):
            self.yatsu("sign", place, "--key", self.pen(), codes=(0, 1))

    def withdraw(self):
        """Takes a reading away, rather a fail, with or without a signature."""
        place, name = self.scenario()
        readings = [one for _, one in events(self.read(ledger_of(place)).encode()) if one.get("scenario") == name
                    and "verdict" in one]
        fails = [one for one in readings if one["verdict"]["status"] == "fail"]
        if readings:
            one = self.chance.choice(fails or readings)
            if fails and self.chance.random() < 0.5:
                # a later pass that nobody contradicts any more
                self.yatsu("eval", place, "--scenario", name, "--pass")
                self.sign_with(place, 1)
            pen = ["--sign", "--signing-key", self.pen()] if self.chance.random() < 0.4 else []
            verb = self.chance.choice([["retract"], ["redact", "--reason", "gone"]])
            self.yatsu(*verb, place, "--scenario", name, "--ts", one["ts"], *pen, codes=(0, 1, 2, 3))
            self.commit("withdrawn", self.author())

    def move_node(self):
        here = self.declared()
        free = [place for place in DIRS if place not in here and not self.read(ledger_of(place))]
        if free:
            old, new = self.chance.choice(list(here)), self.chance.choice(free)
            os.makedirs(os.path.dirname(self.at(new)), exist_ok=True)
            for path in ("yatsu.md", "yatsu.evals.ndjson"):
                if os.path.exists(self.at(f"{old}/{path}")):
                    self.write(f"{new}/{path}", self.read(f"{old}/{path}"))
                    os.remove(self.at(f"{old}/{path}"))
            if self.chance.random() < 0.2:
                self.write("src/a.rs", f"{self.chance.randrange(4)}\n")
            self.commit("node moved", self.author())

    def move_scenario(self):
        """A scenario goes to another directory with its lines, and with some copies of what signs them."""
        here = self.declared()
        old, name = self.scenario()
        places = [place for place in DIRS if place != old and name not in here.get(place, {})]
        new = self.chance.choice(places)
        target = dict(here.get(new, {}))
        target[name] = here[old].pop(name)
        self.declare(old, here[old])
        self.declare(new, target)
        all_lines = self.read(ledger_of(old)).splitlines(keepends=True)
        gone = [line for line in all_lines if json.loads(line).get("scenario") == name]
        hashes = {sha256(line.strip().encode()) for line in gone}
        signs = [line for line in all_lines if hashes & set(json.loads(line).get("lines", []))]
        share = self.chance.choice([1, 1, 1, 0.5, 0])
        copies = [line for line in signs if self.chance.random() < share]
        if gone:
            stays = "".join(line for line in all_lines if line not in gone)
            if stays and (here[old] or self.chance.random() < 0.7):
                self.write(ledger_of(old), stays)
            else:
                os.remove(self.at(ledger_of(old)))
            self.write(ledger_of(new), self.read(ledger_of(new)) + "".join(gone + copies))
        self.commit("scenario moved", self.author())

    def copy(self):
        """A second node with the same scenarios, and with the lines or with one signature of the first."""
        here = self.declared()
        free = [place for place in DIRS if place not in here and not self.read(ledger_of(place))]
        if free and len(here) < 3:
            old, new = self.chance.choice(list(here)), self.chance.choice(free)
            self.declare(new, here[old])
            lines = self.read(ledger_of(old)).splitlines(keepends=True)
            if lines:
                self.write(ledger_of(new), "".join(self.chance.choice([lines, lines[-1:], lines[:1]])))
            self.commit("copied", self.author())

    def signature(self, key, lines, home, ts, project, space):
        """A signature line, made by hand."""
        body = {"kind": "signature", **({"project": project} if project else {}), "home": home, "lines": sorted(lines), "ts": ts}
        text = json.dumps(body, separators=(",", ":"))
        done = subprocess.run(["ssh-keygen", "-q", "-Y", "sign", "-n", space, "-f", os.path.join(self.keys, key)],
                              input=(text + "\n").encode(), env=ENV, capture_output=True, check=True)
        sig = "".join(row for row in done.stdout.decode().splitlines() if not row.startswith("-"))
        return f'{text[:-1]},"sig":"{sig}"}}'

    def forge(self):
        """A signature that may not hold, because of one wrong part."""
        place, _ = self.scenario()
        lines = self.read(ledger_of(place)).splitlines()
        if not lines:
            return
        pick = self.chance
        line = pick.choice(lines)
        one = json.loads(line)
        parts = dict(key=pick.choice(KEYS), lines=[sha256(line.encode())], home=place, ts=later(one["ts"]),
                     project=self.policy().get("project"), space="yatsu-hook")
        what = pick.choice(["none", "key", "lines", "home", "ts", "project", "space", "flip", "edit", "two"])
        wrong = {"key": "zed", "lines": ["0" * 64], "home": pick.choice([d for d in DIRS if d != place]),
                 "ts": "2024-01-01T00:00:00.000Z", "project": pick.choice([None, "urn:theirs"]), "space": "git"}
        if what in wrong:
            parts[what] = wrong[what]
        if what == "two":
            parts["lines"] = list({sha256(other.encode()) for other in pick.choices(lines, k=2)})
        made = self.signature(**parts)
        if what == "flip":
            at = pick.randrange(made.index('"sig":"') + 27, len(made) - 2)
            made = made[:at] + ("A" if made[at] != "A" else "B") + made[at + 1:]
        if what == "edit":
            made = made.replace('"ts":"20', '"ts":"19', 1)
        self.write(ledger_of(place), "".join(row + "\n" for row in [*lines, made]))
        self.steps[-1] += " " + what
        self.commit("forged", self.author())

    def backdate(self):
        """A reading of 2019, and a signature of it by a key that may be valid no more."""
        place, name = self.scenario()
        lines = self.read(ledger_of(place)).splitlines()
        mine = [line for line in lines if json.loads(line).get("scenario") == name and "verdict" in json.loads(line)]
        if not mine:
            return
        self.tick += 1
        ts = f"2019-06-{1 + self.tick % 28:02}T00:{self.tick // 60 % 60:02}:{self.tick % 60:02}.000Z"
        line = mine[-1].replace(f'"ts":"{json.loads(mine[-1])["ts"]}"', f'"ts":"{ts}"')
        made = self.signature(self.chance.choice(KEYS), [sha256(line.encode())], place, later(ts),
                              self.policy().get("project"), "yatsu-hook")
        self.write(ledger_of(place), "".join(row + "\n" for row in [*lines, line, made]))
        self.commit("backdated", self.author())

    def policy(self):
        return json.loads(self.git("show", "main:spexcode.json"))["yatsu"]["trust"]

    def branch(self):
        pick = self.chance
        self.git("checkout", "-qb", "topic")
        for _ in range(pick.randrange(1, 4)):
            self.do(pick.choice(["edit", "edit", "measure", "measure", "sign", "move_scenario", "move_node", "withdraw", "forge"]))
        self.git("checkout", "-q", "main")
        if pick.random() < 0.6:
            self.write("src/d.rs", f"{self.tick}\n")
            if pick.random() < 0.4:
                self.trust()
            self.commit("beside", self.author())
        self.compare_range("main", "topic")
        how = pick.choice(["merge", "squash", "rebase", "ff"])
        if how == "merge":
            self.git("merge", "-q", "--no-ff", "-m", "merge", "topic", who=self.author())
        elif how == "squash":
            self.git("merge", "-q", "--squash", "topic")
            self.commit("squash" + pick.choice(["", self.trailer()]), self.author())
        elif how == "rebase":
            self.git("checkout", "-q", "topic")
            self.git("rebase", "-q", "main")
            self.git("checkout", "-q", "main")
            self.git("merge", "-q", "--ff-only", "topic")
        else:
            self.git("merge", "-q", "-m", "merge", "topic", who=self.author())
        self.git("branch", "-qD", "topic")

    # ---------------------------------------------------------------- the comparison

    def compare_state(self):
        """What `ls` and `check --all` say of the tip of main."""
        judge = Judge(self, "main", "main")
        report = json.loads(self.yatsu("check", "--all", "--format", "json", codes=(0, 1)))
        listed = json.loads(self.yatsu("ls", "--format", "json"))["scenarios"]
        SEEN["states"] += 1
        for row in listed:
            one = (row["path"], row["scenario"])
            known = judge.effective(*one)
            for reading in row["readings"]:
                if reading["ts"] not in known:
                    continue
                expected = judge.row(*one, known[reading["ts"]])
                signers = [{key: by[key] for key in ("principal", "role", "ts", "independent")} for by in reading.get("signers") or []]
                SEEN[reading["grade"]] += 1
                if (reading["grade"], signers) != expected:
                    raise Difference(f"{one} {reading['ts']}: {reading['grade']} {signers}\n  expected {expected}")
            met, expected = row["trust"]["met"], judge.trust(*one)
            SEEN["met" if met else "not met"] += 1
            if met != expected:
                raise Difference(f"{one}: {row['trust']}, expected {expected}")
        unmet = {one for one in judge.scenarios if not judge.trust(*one)}
        self.compare_unmet(report, unmet, "check --all")

    def compare_unmet(self, report, unmet, where):
        found = {(os.path.dirname(one["path"]), one["scenario"]) for one in report["findings"] if one["rule"] == "trust-unmet"}
        # its own stale, missing or failing reading says it already
        hiding = {(os.path.dirname(one["path"]), one["scenario"]) for one in report["findings"]
                  if one["rule"] in ("yatsu-drift", "yatsu-missing", "yatsu-failing")}
        SEEN[f"unmet in {where.split()[1]}"] += len(found)
        if found - unmet or unmet - found - hiding:
            raise Difference(f"{where}: trust-unmet of {sorted(found)}, expected {sorted(unmet)}, hidden {sorted(hiding)}")

    def compare_range(self, start, tip):
        start, tip = (self.git("rev-parse", name) for name in (start, tip))
        if start == tip:
            return
        judge = Judge(self, start, tip, self.git("merge-base", start, tip))
        where = f"check --from {start} --to {tip}"
        report = json.loads(self.yatsu(*where.split(), "--format", "json", codes=(0, 1)))
        SEEN["ranges"] += 1
        wrong = {(one["rule"], one["path"], one["line"]) for one in report["findings"] if one["rule"].startswith("signature-")}
        expected = judge.wrong_signatures()
        for rule, *_ in wrong:
            SEEN[rule] += 1
        if wrong != expected:
            raise Difference(f"{where}: {sorted(wrong)}\n  expected {sorted(expected)}")
        self.compare_unmet(report, {one for one in judge.scenarios if judge.is_touched(*one) and not judge.trust(*one)}, where)


class Difference(Exception):
    pass


def later(ts):
    return ts[:-4] + "999Z"


def events(content):
    """(bytes, members) of each line"""
    return [(raw, json.loads(raw)) for raw in content.split(b"\n") if raw]


# ---------------------------------------------------------------- the judge

class Judge:
    """Judges a commit by the keys and the policy of another one. `fork` is where both parted: what came since is added."""

    def __init__(self, world, base, tip, fork=None):
        self.world, self.base = world, world.git("rev-parse", base)
        self.tip, self.fork = world.git("rev-parse", tip), fork
        self.trees = {}
        self.policy = json.loads(self.blob(self.base, "spexcode.json"))["yatsu"]["trust"]
        self.revoked, self.judges = self.blob(self.base, "trust/revoked"), []
        for line in self.blob(self.base, "trust/signers").decode("utf-8-sig").splitlines():
            if line and not line.startswith("#"):
                words = line.split()
                at = next(at for at, word in enumerate(words) if word.startswith("ssh-"))
                is_authority = any("cert-authority" in word for word in words[1:at])
                self.judges.append((words[0].split(","), " ".join(words[:at + 2]), words[at + 1], is_authority))
        self.scenarios = self.declared(self.tip)
        self.universe = sorted({*ADDRESSES, *OTHERS})
        self.independence, self.makers = {}, {}
        for key in [*KEYS, "zed"]:
            plain = world.public(key).split()[1]
            self.makers[plain] = (plain, None)
            if key in CERTIFICATES:
                self.makers[world.public(f"{key}-cert").split()[1]] = (plain, CERTIFICATES[key][0])

    # ------------------------------------------------------------ what git holds

    def tree(self, commit):
        """path -> id"""
        if commit not in self.trees:
            rows = self.world.git("ls-tree", "-r", commit).splitlines()
            self.trees[commit] = {row.split("\t")[1]: row.split()[2] for row in rows}
        return self.trees[commit]

    def blob(self, commit, path):
        oid = self.tree(commit).get(path)
        if oid is None:
            return b""
        if oid not in BLOBS:
            BLOBS[oid] = self.world.run(["git", "cat-file", "blob", oid]).stdout
        return BLOBS[oid]

    def declared(self, commit):
        """(place, scenario) -> (description, tags)"""
        return {(place, name): parts for place in DIRS
                for name, parts in scenarios_of(self.blob(commit, place + "/yatsu.md").decode()).items()}

    def parents(self, commit):
        return self.world.git("rev-parse", f"{commit}^@").split()

    def lines(self, commit, place):
        return events(self.blob(commit, ledger_of(place)))

    # ------------------------------------------------------------ which readings count

    def effective(self, place, name):
        """ts -> line of the readings that nobody withdrew"""
        mine = [(raw, one) for raw, one in self.lines(self.tip, place) if one.get("scenario") == name]
        gone = {one["retracts"] for _, one in mine if "retracts" in one}
        return {one["ts"]: (raw, one) for raw, one in mine if "verdict" in one and one["ts"] not in gone}

    def is_fresh(self, place, name, one):
        description, _ = self.scenarios[place, name]
        return one["governed"] == {CODE[name]: self.tree(self.tip)[CODE[name]]} and one["scenarioHash"] == text_hash(description)

    def counting(self, place, name):
        """The newest reading of the content that is there."""
        fresh = [line for line in self.effective(place, name).values() if self.is_fresh(place, name, line[1])]
        return max(fresh, key=lambda line: line[1]["ts"], default=None)

    # ------------------------------------------------------------ signatures

    def keygen(self, raw, one, mode, *more):
        """Whether `ssh-keygen -Y` says yes to a signature."""
        message = raw[:raw.rindex(b',"sig":"')] + b"}\n"
        with tempfile.TemporaryDirectory() as room:
            text = one["sig"]
            rows = [text[i:i + 70] for i in range(0, len(text), 70)]
            files = {"sig": "\n".join(["-----BEGIN SSH SIGNATURE-----", *rows, "-----END SSH SIGNATURE-----", ""]).encode()}
            words = ["ssh-keygen", "-Y", mode, "-n", "yatsu-hook", "-s", os.path.join(room, "sig")]
            for option, value in more:
                if isinstance(value, bytes):
                    files[option] = value
                    value = os.path.join(room, option)
                words += [f"-{option}" if len(option) == 1 else f"-O{option}={value}"] + ([value] if len(option) == 1 else [])
            for file, content in files.items():
                with open(os.path.join(room, file), "wb") as out:
                    out.write(content)
            return subprocess.run(words, input=message, env=ENV, capture_output=True).returncode == 0

    def names(self, raw, one, when):
        """The names under which the base knows the maker of a signature, by a key that is valid at this time."""
        blob = base64.b64decode(one["sig"])
        size = int.from_bytes(blob[10:14], "big")
        key = base64.b64encode(blob[14:14 + size]).decode()
        plain, own = self.makers.get(key, (None, None))
        found = set()
        for principals, line, of, is_authority in self.judges if plain else []:
            if is_authority and own or of == plain and not own:
                for name in own if is_authority else [name for name in principals if name[0] != "!"]:
                    asked = (raw, line, name, when, self.revoked)
                    if asked not in VERIFIED:
                        more = [("verify-time", when), ("I", name), ("f", line.encode() + b"\n")]
                        more += [("r", self.revoked)] if self.revoked.strip() else []
                        VERIFIED[asked] = self.keygen(raw, one, "verify", *more)
                    if VERIFIED[asked]:
                        found.add(name)
        return (tuple(sorted(found)), plain) if found else None

    def maker(self, raw, one):
        """(names, key) of a signature that the base's keys know, at its own time; None for any other."""
        try:
            base64.b64decode(one["sig"], validate=True)
            return self.names(raw, one, "".join(c for c in one["ts"] if c.isdigit())[:14])
        except ValueError:
            return None

    def is_added(self, raw):
        """Whether no ledger had the line before."""
        return self.fork is not None and all(raw != line for place in DIRS for line, _ in self.lines(self.fork, place))

    def is_valid_now(self, raw, one):
        return self.names(raw, one, NOW) is not None

    def fits(self, place, one, line):
        """Whether a signature in the ledger of a place was made for this line of it."""
        if one.get("project") != self.policy.get("project") or line["ts"] > one["ts"]:
            return False
        if one["home"] == place:
            return True
        # it moved: its scenario is declared at the old place no more, and it carries its content
        is_stamped = "verdict" not in line or "governed" in line and "scenarioHash" in line
        return "scenario" in line and is_stamped and (one["home"], line["scenario"]) not in self.scenarios

    def held(self, place, line, mine=None):
        """(ts, names, key) of the signatures that hold for a line, oldest first; `mine` is its hash if it was redacted."""
        found, mine = [], mine or sha256(line[0])
        for raw, one in self.lines(self.tip, place):
            if one.get("kind") == "signature" and mine in one["lines"] and self.fits(place, one, line[1]):
                known = self.maker(raw, one)
                if known and (not self.is_added(raw) or self.is_valid_now(raw, one)):
                    found.append((one["ts"], *known))
        return sorted(set(found))

    def wrong_signatures(self):
        """(rule, path, line) of the signatures that the change adds and that do not hold"""
        wrong = set()
        for place in DIRS:
            lines = self.lines(self.tip, place)
            before = {raw for raw, _ in self.lines(self.fork, place)}
            left = {raw for other in DIRS for raw, _ in self.lines(self.fork, other)
                    if not any(raw == line for line, _ in self.lines(self.tip, other))}
            for number, (raw, one) in enumerate(lines, 1):
                if one.get("kind") == "signature" and raw not in before | left:
                    rule = self.wrong(place, raw, one, lines)
                    if rule:
                        wrong.add((rule, ledger_of(place), number))
        return wrong

    def wrong(self, place, raw, one, lines):
        if not self.keygen(raw, one, "check-novalidate"):
            return "signature-broken"
        signed = [line for bytes_, line in lines if sha256(bytes_) in one["lines"]]
        holds = self.maker(raw, one) and (not self.is_added(raw) or self.is_valid_now(raw, one))
        fits = signed and all(line.get("kind") != "signature" and self.fits(place, one, line) for line in signed)
        return None if holds and fits else "signature-unknown"

    # ------------------------------------------------------------ persons and authors

    def person(self, names, key, others):
        """All names of the person, by a closure over the lines of the judges and these signatures."""
        literal = lambda names: {name.lower() for name in names if not set("*?") & set(name) and name[0] != "!"}
        groups = [(literal(principals), None if is_authority else of) for principals, _, of, is_authority in self.judges]
        groups += [(literal(names), key) for _, names, key in others]
        mine, keys = literal(names), {key}
        while True:
            before = (len(mine), len(keys))
            for group, of in groups:
                if of in keys or group & mine:
                    mine |= group
                    keys |= {of} - {None}
            if before == (len(mine), len(keys)):
                return frozenset(mine | {name.lower() for name in names})

    def proper(self, name, address):
        asked = (self.blob(self.base, ".mailmap"), name, address)
        if asked not in MAILED:
            with tempfile.NamedTemporaryFile() as file:
                file.write(asked[0])
                file.flush()
                shown = subprocess.run(["git", "-c", f"mailmap.file={file.name}", "check-mailmap", f"{name} <{address}>"],
                                       cwd=EMPTY, env=ENV, capture_output=True, check=True).stdout.decode()
            MAILED[asked] = shown.strip().rsplit("<", 1)[1][:-1].lower()
        return MAILED[asked]

    def addresses(self, name, address):
        """Everything that the mailmap says about an author."""
        mine = self.proper(name, address)
        same = {other for other in self.universe for one in ("Nobody", "Old") if self.proper(one, other) == mine}
        return {address.lower(), mine} | same

    def authors(self, commit):
        name, address, body = self.world.git("show", "-s", "--format=%an%x00%ae%x00%B", commit).split("\0")
        found = self.addresses(name, address)
        trailers = subprocess.run(["git", "interpret-trailers", "--parse", "--unfold"], input=body.encode(), env=ENV,
                                  cwd=self.world.root, capture_output=True, check=True).stdout.decode()
        for line in trailers.splitlines():
            key, _, value = line.partition(":")
            if key.strip().lower() == "co-authored-by":
                for part in value.split(","):
                    name, _, rest = part.partition("<")
                    found |= self.addresses(name.strip(), rest.split(">")[0])
        return found

    # ------------------------------------------------------------ the window

    def places(self, place, name):
        """Where the scenario was declared: a commit that brings it to a place moved it if its text is gone elsewhere."""
        known = [(place, name)]
        for one in known:
            for commit in self.world.git("rev-list", self.tip).split():
                now, before = self.declared(commit), [self.declared(parent) for parent in self.parents(commit)]
                if one in now and all(one not in then for then in before):
                    for then in before:
                        known += [other for other, (text, _) in then.items()
                                  if text == now[one][0] and other not in now and other not in known]
        return known

    def moment(self, commit, known):
        """What the scenario governs at a commit, and its text."""
        now = self.declared(commit)
        text = next((now[one][0] for one in known if one in now), None)
        return self.tree(commit).get(CODE[known[0][1]]), text

    def log(self, known, *words):
        """The commits that changed the scenario or what it governs, newest first."""
        paths = {CODE[name] for _, name in known} | {place + "/yatsu.md" for place, _ in known}
        listed = self.world.git("log", "--format=%H", *words, "--", *sorted(paths)).split()
        return [commit for commit in listed
                if all(self.moment(parent, known) != self.moment(commit, known) for parent in self.parents(commit))]

    def holds(self, commit, known, one):
        blob, text = self.moment(commit, known)
        return one["governed"] == {CODE[known[0][1]]: blob} and text is not None and one["scenarioHash"] == text_hash(text)

    def independent(self, place, name, line, held, others):
        """Which of the signers wrote nothing of what was measured; None if git cannot tell."""
        if not held:
            return None
        asked = (place, name, line[0], tuple(others))
        if asked not in self.independence:
            self.independence[asked] = self.find_independent(place, name, line[1], held, others)
        return self.independence[asked]

    def find_independent(self, place, name, reading, held, others):
        ended, known = None, self.places(place, name)
        stamp = lambda one: (one["governed"], one["scenarioHash"])
        for ts, earlier in sorted(self.effective(place, name).items(), reverse=True):
            if ts < reading["ts"] and earlier[1]["verdict"]["status"] == "pass" and stamp(earlier[1]) != stamp(reading):
                signed = self.held(place, earlier)
                if any(self.independent(place, name, earlier, signed, signed) or []):
                    ended = earlier[1]
                    break
        start = next((commit for commit in self.log(known, self.tip) if self.holds(commit, known, reading)), None)
        if start is None:
            return None
        listed = self.log(known, start)
        end = [commit for commit in listed if ended and self.holds(commit, known, ended)][:1]
        if not end:
            is_new = lambda commit: self.moment(commit, known)[1] is not None and all(
                self.moment(parent, known)[1] is None for parent in self.parents(commit))
            end = next((self.parents(commit) for commit in reversed(listed) if is_new(commit)), [])
        authors = set()
        for commit in self.log(known, start, *(f"^{commit}" for commit in end)):
            authors |= self.authors(commit)
        free = []
        for _, names, key in held:
            person = self.person(names, key, others)
            wrote = any(fnmatch.fnmatchcase(author, name) for author in authors for name in person)
            free.append(not wrote and all("@" in name for name in names))
        return free

    # ------------------------------------------------------------ the answers

    def role(self, names):
        for role in ("agent", "ci", "person"):
            if any(fnmatch.fnmatchcase(name.lower(), pattern) for pattern in ROLES[role] for name in names):
                return role
        return None

    def row(self, place, name, line):
        held = self.held(place, line)
        free = self.independent(place, name, line, held, held)
        signers = [{"principal": ",".join(names), "role": self.role(names), "ts": when,
                    "independent": None if free is None else free[at]} for at, (when, names, _) in enumerate(held)]
        return ("claimed" if not held else "independent" if any(free or []) else "signed"), signers

    def before(self, place, name):
        """The scenarios before the change that this one is or replaces."""
        then = self.declared(self.fork)
        if (place, name) in then:
            return [(place, name)]
        end = place.rsplit("/", 1)[1]
        if not any(other == place for other, _ in then):
            same = [one for one in then if one[1] == name and one[0].rsplit("/", 1)[1] == end
                    and then[one][0] == self.scenarios[place, name][0]]
            if same:
                return same[:1]
        return [one for one in then if one not in self.scenarios and one[1] == name]

    def needs(self, place, name):
        readings = self.policy["readings"]
        all_tags = [self.scenarios[place, name][1]]
        if self.fork:
            then = self.declared(self.fork)
            all_tags += [then[one][1] for one in self.before(place, name)]
        needs = []
        for tags in all_tags:
            needs += [readings[tag] for tag in tags if tag in readings] or [readings["*"]]
        return needs

    def trust(self, place, name):
        """Whether the policy is met."""
        latest = self.counting(place, name)
        if latest is None or latest[1]["verdict"]["status"] != "pass":
            return False
        stamp = lambda one: (one["governed"], one["scenarioHash"])
        if self.is_silenced(place, name, latest[1]):
            return False
        passes = [line for line in self.effective(place, name).values()
                  if line[1]["verdict"]["status"] == "pass" and stamp(line[1]) == stamp(latest[1])]
        held = [(line, self.held(place, line)) for line in passes]
        others = sorted({one for _, signed in held for one in signed})
        for need in self.needs(place, name):
            persons = set()
            for line, signed in held:
                free = [True] * len(signed)
                if need["grade"] == "independent":
                    free = self.independent(place, name, line, signed, others)
                for (_, names, key), is_free in zip(signed, free or []):
                    if is_free and ("roles" not in need or self.role(names) in need["roles"]):
                        persons.add(self.person(names, key, others))
            if len(persons) < need.get("keys", 1):
                return False
        return True

    def is_silenced(self, place, name, latest):
        """Whether an unsigned line took a newer signed fail of this content away, or a newer signed line that it could be."""
        lines = [(raw, one) for raw, one in self.lines(self.tip, place) if one.get("scenario") == name]
        for raw, one in lines:
            if "redacts" in one and one["ts"] > latest["ts"]:
                if self.held(place, (raw, one), one["redacts"]) and not self.held(place, (raw, one)):
                    return True
            is_fail = "verdict" in one and one["verdict"]["status"] == "fail" and one["ts"] > latest["ts"]
            if is_fail and (one["governed"], one["scenarioHash"]) == (latest["governed"], latest["scenarioHash"]):
                by = sorted((other["ts"], at) for at, (_, other) in enumerate(lines) if other.get("retracts") == one["ts"])
                if by and self.held(place, (raw, one)) and not self.held(place, lines[by[0][1]]):
                    return True
        return False

    def is_touched(self, place, name):
        """Whether the change touches a scenario: its content, text, tags or lines."""
        before, then = self.before(place, name), self.declared(self.fork)
        end = place.rsplit("/", 1)[1]
        same = [one for one in before if one[1] == name and one[0].rsplit("/", 1)[1] == end]
        if not same or any(then[one] != self.scenarios[place, name] for one in same):
            return True
        if self.tree(self.fork).get(CODE[name]) != self.tree(self.tip).get(CODE[name]):
            return True
        had = {raw for raw, _ in self.lines(self.fork, place)}
        left = {raw for other in DIRS for raw, _ in self.lines(self.fork, other)
                if not any(raw == line for line, _ in self.lines(self.tip, other))}
        mine = {sha256(raw) for raw, one in self.lines(self.tip, place) if one.get("scenario") == name}
        return any(one.get("scenario") == name and raw not in had | left or raw not in had and mine & set(one.get("lines", []))
                   for raw, one in self.lines(self.tip, place))


SEEN, BLOBS, VERIFIED, MAILED = collections.Counter(), {}, {}, {}
NOW = "20990101000000"


def make_keys():
    quiet = lambda *words: subprocess.run(["ssh-keygen", "-q", *words], check=True)
    at = lambda name: os.path.join(KEYDIR, name)
    for key in [*KEYS, "root", "zed"]:
        quiet("-t", "ed25519", "-N", "", "-C", key, "-f", at(key))
    for key, (names, more) in CERTIFICATES.items():
        quiet("-s", at("root"), "-I", key, "-n", ",".join(names), *more, at(key + ".pub"))


def main():
    global KEYDIR, EMPTY
    ask = argparse.ArgumentParser()
    ask.add_argument("program")
    ask.add_argument("--count", type=int, default=20)
    ask.add_argument("--seed", type=int, default=0)
    asked = ask.parse_args()
    KEYDIR, EMPTY = tempfile.mkdtemp(), tempfile.mkdtemp()
    subprocess.run(["git", "init", "-q", EMPTY], env=ENV, check=True)
    make_keys()
    for seed in range(asked.seed, asked.seed + asked.count):
        root = tempfile.mkdtemp(prefix="signed-")
        world = World(os.path.abspath(asked.program), root, seed)
        BLOBS.clear(), VERIFIED.clear()
        try:
            world.start()
            for _ in range(world.chance.randrange(4, 11)):
                before = world.git("rev-parse", "main")
                world.step()
                if world.chance.random() < 0.4:
                    world.compare_range(before, "main")
                if world.chance.random() < 0.3:
                    world.compare_state()
            world.compare_state()
            far = world.chance.choice(world.git("rev-list", "--first-parent", "main").split())
            world.compare_range(far, "main")
        except Difference as difference:
            print(f"seed {seed}, in {root}: {' / '.join(world.steps)}", difference, sep="\n")
            return 1
        shutil.rmtree(root)
    for scratch in (KEYDIR, EMPTY):
        shutil.rmtree(scratch)
    told = ", ".join(f"{count} {name}" for name, count in sorted(SEEN.items()))
    print(f"{asked.count} worlds, 0 differences: {told}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
