#!/usr/bin/env python3
"""A slow judge of approvals: random histories, judged again with nothing but git's plumbing.

usage: approvals-judge.py PROGRAM [--count N] [--seed S]

Each history branches, approves, rebases, squashes, merges, picks, reverts, changes modes, links, names and submodules.
Main and the branch edit the same files, several people decide, and rejections stand beside approvals. After each step
`check --from A --to B` of the program is compared with the judge below, which shares no code with it; `patch show` must agree
about rejections, and the command that the answer offers must be taken. Prints the seed and the repository of the first difference and exits 1.
"""
import argparse, hashlib, json, os, random, shutil, subprocess, sys, tempfile

HOME = ".spec/yatsu.evals.ndjson"
NODE = ".spec/n/yatsu.evals.ndjson"
PEOPLE = {"Ann": "ann@x", "Bob": "bob@x", "Cid": "cid@x", "Dee": "dee@x"}
ENV = dict(PATH=os.environ["PATH"], HOME="/nonexistent", GIT_CONFIG_GLOBAL="/dev/null", GIT_CONFIG_NOSYSTEM="1",
           GIT_COMMITTER_NAME="Ann", GIT_COMMITTER_EMAIL="ann@x", LC_ALL="C", GIT_EDITOR="true")


class Repo:
    def __init__(self, root):
        self.root, self.tick = root, 1_700_000_000

    def git(self, *words, data=None, who="Ann", ok=True, address=None):
        self.tick += 1
        env = dict(ENV, GIT_AUTHOR_NAME=who, GIT_AUTHOR_EMAIL=address or PEOPLE[who],
                   GIT_AUTHOR_DATE=f"{self.tick} +0000", GIT_COMMITTER_DATE=f"{self.tick} +0000")
        done = subprocess.run(["git", *words], cwd=self.root, env=env, input=data, capture_output=True)
        if ok and done.returncode:
            raise RuntimeError(f"git {words}: {done.stderr.decode()}")
        return done.stdout if ok else done.returncode

    def line(self, *words, **more):
        return self.git(*words, **more).decode().strip()


# ---------------------------------------------------------------- the judge

class Judge:
    def __init__(self, repo):
        self.repo, self.memo = repo, {}

    def once(self, key, make):
        if key not in self.memo:
            self.memo[key] = make()
        return self.memo[key]

    def tree(self, commit):
        """path -> (mode, id)"""
        def make():
            found = {}
            for row in self.repo.git("ls-tree", "-r", "-z", commit).split(b"\0")[:-1]:
                head, path = row.split(b"\t", 1)
                mode, _, oid = head.decode().split()
                found[path.decode()] = (mode, oid)
            return found
        return self.once(("tree", commit), make)

    def text(self, oid):
        return self.once(("blob", oid), lambda: self.repo.git("cat-file", "blob", oid))

    @staticmethod
    def stamp(entry):
        if entry is None:
            return "-"
        mode, oid = entry
        return {"100644": "", "100755": "x:", "120000": "l:", "160000": "m:"}[mode] + oid

    def events(self, commit, path):
        entry = self.tree(commit).get(path)
        if not entry or entry[0] not in ("100644", "100755"):
            return []
        found = []
        for raw in self.text(entry[1]).split(b"\n"):
            try:
                event = json.loads(raw)
            except ValueError:
                continue
            if isinstance(event, dict) and isinstance(event.get("decision", event.get("kind")), str):
                found.append((raw, event))
        return found

    @staticmethod
    def is_ledger(path):
        name = path.rsplit("/", 1)[-1]
        return name == "yatsu.evals.ndjson" or name == "evals.ndjson" and path.startswith(".spec/")

    def is_record(self, base, path, old, new):
        if not self.is_ledger(path) or not new or new[0] not in ("100644", "100755"):
            return False
        if old and old[0] != new[0]:
            return False
        return os.path.dirname(path) == ".spec" or bool(self.events(base, path))

    def changed(self, old, new):
        """path -> [old entry, new entry], by git itself"""
        def make():
            empty = "4b825dc642cb6eb9a060e54bf8d69288fbee4904"
            fields = self.repo.git("diff-tree", "-r", "-z", "--raw", "--no-renames", "--no-abbrev", old or empty, new).split(b"\0")[:-1]
            found = {}
            for head, path in zip(fields[::2], fields[1::2]):
                a, b, one, two, _ = head.decode()[1:].split()
                found[path.decode()] = [None if a == "000000" else (a, one), None if b == "000000" else (b, two)]
            return found
        return self.once(("diff", old, new), make)

    def content(self, base, tip):
        return {path: [self.stamp(a), self.stamp(b)] for path, (a, b) in self.changed(base, tip).items()
                if not self.is_record(base, path, a, b)}

    def names(self, start, name, address):
        """Everything that names a person, by the mailmap of the start."""
        names = {name.strip().lower(), address.strip().lower()}
        entry = self.tree(start).get(".mailmap")
        if entry and address:
            file = os.path.join(self.repo.root, ".git", "judge-mailmap")
            with open(file, "wb") as out:
                out.write(self.text(entry[1]))
            shown = self.once(("mailmap", entry[1], name, address), lambda: subprocess.run(
                ["git", "-c", f"mailmap.file={file}", "check-mailmap", f"{name} <{address}>"], cwd=EMPTY, env=ENV,
                capture_output=True, check=True).stdout.decode())
            names.add(shown.split("<")[1].split(">")[0].lower())
        return {name for name in names if name}

    def named(self, start, text):
        if "<" in text:
            name, rest = text.split("<", 1)
            return self.names(start, name, rest.split(">")[0])
        return self.names(start, text, text)

    def authors(self, start, bases, known, tip):
        found = set()
        hidden = [f"^{commit}" for commit in known]
        for row in self.repo.git("rev-list", "--parents", tip, *hidden).decode().split("\n")[:-1]:
            commit, *parents = row.split()
            own = None
            for parent in parents or [None]:
                paths = {path for path, (a, b) in self.changed(parent, commit).items()
                         if not all(self.is_record(base, path, a, b) for base in bases)}
                own = paths if own is None else own & paths
            if not own:
                continue
            name, address, body = self.repo.git("show", "-s", "--format=%an%x00%ae%x00%B", commit).decode().split("\0")
            found |= self.names(start, name, address)
            for line in body.split("\n"):
                if line.lower().startswith("co-authored-by:"):
                    found |= self.named(start, line.split(":", 1)[1].strip())
        return found

    def decisions(self, commits):
        found = {}
        for commit in commits:
            for path in self.tree(commit):
                if self.is_ledger(path):
                    for raw, event in self.events(commit, path):
                        if event.get("decision") in ("approve", "reject") and ("content" in event or "contentDigest" in event):
                            found[(path, raw)] = event
        return [(path, raw, event) for (path, raw), event in found.items()]

    def holds(self, commit, content):
        tree = self.tree(commit)
        return all(self.stamp(tree.get(path)) == new for path, (_, new) in content.items())

    def spent(self, state, raw, content):
        lines = {line for path in self.tree(state) if self.is_ledger(path) for line, _ in self.events(state, path)}
        if raw not in lines or not content or self.holds(state, content):
            return False
        history = self.repo.git("rev-list", "--first-parent", state).decode().split()
        return any(self.holds(commit, content) for commit in history)

    @staticmethod
    def digest(content):
        keys = sorted(content, key=lambda key: key.encode("utf-16-be"))
        text = json.dumps({key: content[key] for key in keys}, separators=(",", ":"), ensure_ascii=False)
        return {"files": len(content), "sha256": hashlib.sha256(text.encode()).hexdigest()}

    def misfits(self, event, maps, tip):
        """None if it fits, else {path: why}; empty if it shares no path."""
        approved = event.get("content")
        if approved is None:
            if all(self.digest(one) == event["contentDigest"] for one in maps):
                return None
            back = self.content(event["base"], event["commit"])
            if self.digest(back) != event["contentDigest"]:
                return {}
            found = self.misfits({"content": back}, maps, tip)
            return {path: "not approved" for one in maps for path in one} if found is None else found
        if not any(path in approved for one in maps for path in one):
            return {}
        wrong = {}
        for one in maps:
            for path, (old, new) in one.items():
                if path not in approved:
                    wrong.setdefault(path, set()).add("not approved")
                elif approved[path] != [old, new]:
                    # a version that main made is not the author's doing
                    wrong.setdefault(path, set()).add("changed" if approved[path][0] == old else "base changed")
        tree = self.tree(tip)
        for path, (old, new) in approved.items():
            if path not in wrong and any(path not in one for one in maps) and self.stamp(tree.get(path)) != new:
                wrong[path] = {"gone" if self.stamp(tree.get(path)) == old else "base changed"}
        return {path: next(iter(why)) if len(why) == 1 else why for path, why in wrong.items()} or None

    def part(self, start, bases, known, tip, need, decisions):
        maps = [self.content(base, tip) for base in bases]
        if not any(maps):
            return "covered", [], {}
        authors = None
        holding, unfit, lost = [], False, []
        for path, raw, event in sorted(decisions, key=lambda one: (one[2]["ts"], one[0])):
            wrong = self.misfits(event, maps, tip)
            approves = event["decision"] == "approve"
            if wrong is None:
                approved = event.get("content", maps[0])
                if any(self.spent(state, raw, approved) for state in {*bases, start}):
                    wrong = {path: "spent" for one in maps for path in one}
            if wrong is None:
                if authors is None:
                    authors = self.authors(start, bases, known, tip)
                giver = self.named(start, event["by"])
                named = {name for address in event["authors"] for name in self.named(start, address)}
                if giver & (authors | named):
                    unfit |= approves
                else:
                    holding.append((giver, event))
            elif wrong and approves:
                lost.append((len(wrong), event, wrong))
        people = []
        for giver, event in holding:
            mine = [one for one in people if one[0] & giver]
            people = [one for one in people if not one[0] & giver]
            people.append((giver.union(*(one[0] for one in mine)), event))
        said = lambda word: [event["by"] for _, event in people if event["decision"] == word]
        if said("reject"):
            return "rejected", said("reject"), {}
        if len(said("approve")) >= need:
            return "covered", said("approve"), {}
        if unfit or any(event["decision"] == "approve" for _, event in holding):
            return "short", said("approve"), {}
        if lost:
            fewest = min(size for size, _, _ in lost)
            _, event, wrong = [one for one in lost if one[0] == fewest][-1]
            return "lost", [event["by"]], wrong
        return "never", [], {path: "not approved" for one in maps for path in one}

    def range(self, start, tip):
        config = self.tree(start).get("spexcode.json")
        policy = json.loads(self.text(config[1])).get("yatsu", {}).get("trust", {}).get("approvals", {}) if config else {}
        need = policy.get("need", 1)
        bases = self.repo.line("merge-base", "--all", start, tip).split()
        decisions = self.decisions({tip, start})
        whole = self.part(start, bases, [*bases, start], tip, need, decisions)
        if whole[0] in ("covered", "rejected") or len(bases) > 1:
            return whole
        steps, at = [], tip
        inside = set(self.repo.git("rev-list", tip, f"^{bases[0]}").decode().split())
        while at in inside:
            parent = self.repo.git("rev-parse", f"{at}^1").decode().strip()
            steps.append((parent, at))
            at = parent
        if at != bases[0] or len(steps) < 2:
            return whole
        parts = [self.part(start, [parent], [parent], step, need, decisions) for parent, step in steps]
        if all(part[0] == "covered" for part in parts):
            return "covered", [by for part in parts for by in part[1]], {}
        # what only covered steps change is approved
        open_paths = {path for part, (parent, step) in zip(parts, steps) if part[0] != "covered"
                      for path in self.changed(parent, step)}
        files = {path: why for path, why in whole[2].items() if path in open_paths}
        return (*whole[:2], files) if files else whole


    def is_rejected(self, start, tip):
        """Whether any rejection is about exactly what differs."""
        bases = self.repo.line("merge-base", "--all", start, tip).split()
        maps = [self.content(base, tip) for base in bases]
        return any(event["decision"] == "reject" and self.misfits(event, maps, tip) is None
                   and not any(self.spent(state, raw, event.get("content", maps[0])) for state in {*bases, start})
                   for _, raw, event in self.decisions({tip, start}))


# ---------------------------------------------------------------- the histories

class History:
    def __init__(self, program, seed):
        self.program, self.dice = program, random.Random(seed)
        self.repo = Repo(tempfile.mkdtemp(prefix="approvals-"))
        self.seconds, self.asked, self.compared, self.log = 0, 0, {}, []

    def path(self, name):
        return os.path.join(self.repo.root, name)

    def write(self, name, text):
        file = self.path(name)
        if os.path.isdir(file) and not os.path.islink(file):
            shutil.rmtree(file)
        parent = os.path.dirname(file)
        while not os.path.isdir(parent):
            if os.path.lexists(parent):
                os.unlink(parent)
            else:
                try:
                    os.makedirs(parent)
                except (FileExistsError, NotADirectoryError):
                    os.unlink(os.path.dirname(parent))
        if os.path.islink(file):
            os.unlink(file)
        with open(file, "w") as out:
            out.write(text)

    def commit(self, who="Ann", message="m", address=None):
        self.repo.git("add", "-A", "--", ":!sub")
        self.repo.git("commit", "-q", "--allow-empty", "-m", message, who=who, address=address)

    def begin(self):
        git, roll = self.repo.git, self.dice.random
        git("init", "-q", "-b", "main")
        git("config", "user.name", "Ann")
        git("config", "user.email", "ann@x")
        for name in "abcd":
            self.write(name, "top\n" + f"{name}\n" * 7 + "bottom\n")
        self.write("d1/e", "e\n")
        self.write(".spec/n/yatsu.md", "---\nscenarios:\n  - name: works\n    description: run\n    expected: fine\n    tags: [cli]\n    code: a\n---\n")
        if roll() < 0.5:
            self.write(NODE, '{"kind":"human-ok"}\n')
        if roll() < 0.3:
            self.write(HOME, '{"kind":"human-ok"}\n')
        if roll() < 0.3:
            self.write(".mailmap", "Robert <robert@x> <bob@x>\n")
        need = self.dice.choice([None, None, 1, 2])
        if need:
            self.write("spexcode.json", json.dumps({"yatsu": {"trust": {"approvals": {"need": need}}}}))
        self.commit()

    def edit(self, line=0):
        """One change of content or records in the work tree; of many-lined files this line."""
        name = self.dice.choice(["a", "b", "c", "d", "d1/e", "new", "n2/x\u00e9", "d1"])
        kind = self.dice.choice(["line"] * 5 + ["write"] * 4 + ["delete", "mode", "link", "rename", "submodule", "ledger", "record"])
        file = self.path(name)
        if kind == "line":
            name = self.dice.choice("bcd")
            if os.path.isfile(self.path(name)) and not os.path.islink(self.path(name)):
                with open(self.path(name)) as text:
                    lines = text.read().split("\n")[:-1] or [""]
                lines[line] = self.dice.choice(["one", "two", "three"])
                self.write(name, "\n".join(lines) + "\n")
        elif kind == "write" or not os.path.lexists(file) and kind in ("delete", "mode", "rename"):
            self.write(name, self.dice.choice(["1\n", "2\n", "3\n", f"{name}\n"]))
        elif kind == "delete":
            shutil.rmtree(file) if os.path.isdir(file) and not os.path.islink(file) else os.unlink(file)
        elif kind == "mode" and os.path.isfile(file) and not os.path.islink(file):
            os.chmod(file, os.stat(file).st_mode ^ 0o111)
        elif kind == "link":
            if os.path.isdir(file) and not os.path.islink(file):
                shutil.rmtree(file)
            elif os.path.lexists(file):
                os.unlink(file)
            self.write(name, "")
            os.unlink(file)
            os.symlink(self.dice.choice(["a", "b"]), file)
        elif kind == "rename" and not os.path.isdir(file):
            os.rename(file, file + "_")
        elif kind == "submodule":
            oid = self.dice.choice(["1", "2"]) * 40
            self.repo.git("update-index", "--add", "--cacheinfo", f"160000,{oid},sub")
        elif kind == "ledger":
            self.append(self.dice.choice(["lib/yatsu.evals.ndjson", NODE, ".spec/evals.ndjson"]), '{"kind":"human-ok"}')
        elif kind == "record":
            self.append(HOME, '{"kind":"human-ok","n":%d}' % self.dice.randrange(1000))

    def append(self, name, line):
        old = ""
        if os.path.isfile(self.path(name)):
            with open(self.path(name)) as file:
                old = file.read()
        self.write(name, old + line + "\n")

    def edits(self, who, line=0):
        for _ in range(self.dice.choice([1, 1, 2, 3])):
            self.edit(line)
        trailer = self.dice.random() < 0.15
        message = "m\n\nCo-Authored-By: Dee <DEE@x>\n" if trailer else "m"
        self.commit(who, message, "robert@x" if who == "Bob" and self.dice.random() < 0.5 else None)

    def decide(self, branch):
        """A decision by hand, or by the program, about the present branch."""
        judge, repo = Judge(self.repo), self.repo
        base = repo.line("merge-base", "main", branch).split()[0]
        by = self.dice.choice(["Bob", "Bob", "Cid", "Cid", "Dee", "Bob <robert@x>", "bob@x", "Ann"])
        kind = "reject" if self.dice.random() < 0.25 else "approve"
        content = judge.content(base, branch)
        tip = repo.line("rev-parse", branch)
        if self.dice.random() < 0.5:
            open_to_all = self.is_open(self.shown(branch))
            done = self.say("patch", kind, branch, "--reason", "r", "--by", by)
            if open_to_all and done.returncode:
                raise Difference(f"{kind} by {by} is refused: {done.stderr.decode()}")
            if done.returncode == 0 and done.stdout.startswith(b"recorded"):
                written = done.stdout.decode().strip().rsplit("git add ", 1)[1].split()
                for file in written:
                    with open(self.path(file)) as ledger:
                        line = json.loads(ledger.read().strip().split("\n")[-1])
                    told = line.get("contentDigest") or line["content"]
                    if told not in (content, judge.digest(content)) or line["base"] != base or line["commit"] != tip:
                        raise Difference(f"approve wrote {line}, not {content} since {base}")
                self.commit("Bob", "decided")
                return
            repo.git("checkout", "-q", "-f", "HEAD")
            repo.git("clean", "-q", "-fd")
        if content and self.dice.random() < 0.12:
            del content[self.dice.choice(sorted(content))]
        self.seconds += 1
        event = {"decision": kind, "patch": branch, "commit": tip, "base": base}
        if self.dice.random() < 0.2:
            event["contentDigest"] = judge.digest(content)
        else:
            event["content"] = content
        event.update(authors=["ann@x"] if self.dice.random() < 0.3 else [], reason="r", by=by,
                     ts=f"2026-01-01T00:{self.seconds // 60:02}:{self.seconds % 60:02}.000Z")
        self.append(HOME, json.dumps(event, separators=(",", ":"), ensure_ascii=False))
        self.commit("Bob", "decided")

    def say(self, *words):
        return subprocess.run([self.program, *words], cwd=self.repo.root, env=ENV, capture_output=True)

    def shown(self, branch):
        """The patch as `patch show` tells it; nothing for a branch that is none."""
        done = self.say("patch", "show", branch, "--format", "json")
        return json.loads(done.stdout)["patches"][0] if done.returncode == 0 else None

    @staticmethod
    def is_open(patch):
        """Whether anyone may decide."""
        return bool(patch) and (patch["state"] == "Approved" or patch["state"] == "Proposed" and not patch["touches"])

    def doors(self):
        """Both doors agree about rejections of the branch, and what the answer offers is taken."""
        start, tip = self.repo.line("rev-parse", "main"), self.repo.line("rev-parse", "topic")
        patch = self.shown("topic")
        if not patch or patch["state"] == "Promoted" or " " in self.repo.line("merge-base", "--all", start, tip).replace("\n", " "):
            return
        judge = Judge(self.repo)
        status, by, _ = judge.range(start, tip)
        rejected = patch["state"] == "Rejected"
        if rejected and not judge.is_rejected(start, tip) or status == "rejected" and not rejected:
            raise Difference(f"patch show says {patch['state']}, {patch['reason']}; the judge {status} {by}")
        helper = by[-1] if status == "rejected" else "Eve" if self.is_open(patch) and status != "covered" else None
        if helper:
            done = self.say("patch", "approve", "topic", "--reason", "r", "--by", helper)
            if done.returncode or not done.stdout.startswith(b"recorded"):
                raise Difference(f"the help for {status} by {helper} is refused: {done.stdout} {done.stderr.decode()}")
            self.repo.git("reset", "-q", "--hard")
            self.repo.git("clean", "-q", "-fdx")
            DEEDS["help taken"] = DEEDS.get("help taken", 0) + 1

    def compare(self, start, tip):
        repo = self.repo
        start, tip = repo.line("rev-parse", start), repo.line("rev-parse", tip)
        if start == tip or (start, tip) in self.compared:
            return
        self.compared[start, tip] = True
        status, by, files = Judge(repo).range(start, tip)
        done = subprocess.run([self.program, "check", "--from", start, "--to", tip, "--require-approval", "--format", "json"],
                              cwd=repo.root, env=ENV, capture_output=True)
        said = json.loads(done.stdout).get("approval")
        if said is None:
            raise Difference(f"no answer: {done.stdout[:800]} {done.stderr[:400]}")
        told = {}
        for file in said["files"]:
            told.setdefault(file["path"], set()).add(file["why"])
        wanted = {path: why if isinstance(why, set) else {why} for path, why in files.items()}
        blocks = done.returncode != 0
        same = said["status"] == status and set(said["by"]) == set(by) and told == wanted
        if not same or (status != "covered" and not blocks):
            raise Difference(f"{start}..{tip}: the program says {said} (exit {done.returncode}), the judge {status} {by} {files}")
        self.asked += 1
        STATUS[status] = STATUS.get(status, 0) + 1

    def do(self, deed):
        repo, git = self.repo, self.repo.git
        tips = lambda: repo.line("rev-parse", "main", "topic")
        before, then = repo.line("rev-parse", "main"), tips()
        git("checkout", "-q", "-f", "topic")
        if deed == "edit":
            self.edits(self.dice.choice(["Ann", "Ann", "Cid", "Bob"]))
        elif deed == "decide":
            self.decide("topic")
        elif deed == "main":
            git("checkout", "-q", "-f", "main")
            self.edits("Dee", -1)
        elif deed == "rebase":
            if git("rebase", "-q", "main", ok=False):
                git("rebase", "--abort", ok=False)
        elif deed == "amend":
            git("commit", "-q", "--amend", "--no-edit", "--allow-empty", "--reset-author", who="Ann")
        elif deed == "take main":
            if git("merge", "-q", "--no-edit", "main", ok=False):
                git("merge", "--abort", ok=False)
        elif deed == "evil main":
            if git("merge", "-q", "--no-commit", "--no-ff", "main", ok=False):
                git("merge", "--abort", ok=False)
            else:
                self.edit()
                self.commit("Cid", "evil")
        elif deed == "ours":
            git("merge", "-q", "-s", "ours", "--no-edit", "main", ok=False)
        elif deed in ("merge", "squash", "pick", "revert", "push"):
            git("checkout", "-q", "-f", "main")
            if deed == "merge" and git("merge", "-q", "--no-ff", "--no-edit", "topic", who="Bob", ok=False):
                git("merge", "--abort", ok=False)
            elif deed == "squash":
                if git("merge", "-q", "--squash", "topic", ok=False):
                    git("reset", "-q", "--hard")
                else:
                    git("commit", "-q", "--allow-empty", "-m", "squash")
            elif deed == "pick":
                if git("cherry-pick", "--allow-empty", "main..topic", ok=False):
                    git("cherry-pick", "--abort", ok=False)
            elif deed == "revert":
                flags = ["-m", "1"] if len(repo.line("show", "-s", "--format=%P", "HEAD").split()) > 1 else []
                if repo.line("show", "-s", "--format=%P", "HEAD") and git("revert", "--no-edit", *flags, "HEAD", ok=False):
                    git("revert", "--abort", ok=False)
                elif self.dice.random() < 0.7:
                    # the records of the reverted change stay, as a merge of ledgers would keep them
                    for ledger in (HOME, NODE):
                        git("checkout", "-q", before, "--", ledger, ok=False)
                    self.commit("Ann", "keep the records")
            elif deed == "push":
                git("merge", "-q", "--ff-only", "topic", ok=False)
            self.compare(before, "main")
        elif deed == "anew":
            git("checkout", "-q", "-f", "-B", "topic", "main")
            self.edits("Ann")
        elif deed == "again":
            # the branch comes back after main took it away
            git("checkout", "-q", "-f", "-B", "topic", "main")
            if git("revert", "--no-edit", "HEAD", ok=False):
                git("revert", "--abort", ok=False)
        git("reset", "-q", "--hard")
        git("clean", "-q", "-fdx")
        # one that git refused, or that had nothing to do, does not count
        if tips() != then:
            DEEDS[deed] = DEEDS.get(deed, 0) + 1

    def run(self):
        self.begin()
        self.repo.git("checkout", "-q", "-b", "topic")
        self.edits("Ann")
        deeds = ["edit", "edit", "main", "main", "rebase", "rebase", "amend", "take main", "evil main", "ours", "merge",
                 "squash", "squash", "pick", "revert", "push", "anew", "again"]
        for number in range(14):
            deed = "decide" if number % 2 == 0 and self.dice.random() < 0.8 else self.dice.choice(deeds)
            self.log.append(deed)
            self.do(deed)
            self.compare("main", "topic")
            if self.dice.random() < 0.4:
                self.repo.git("checkout", "-q", "-f", "topic")
                self.doors()
            if self.dice.random() < 0.2:
                self.compare("main~2" if not self.repo.git("rev-parse", "-q", "--verify", "main~2", ok=False) else "main", "topic")


class Difference(Exception):
    pass


STATUS, DEEDS = {}, {}
EMPTY = tempfile.mkdtemp(prefix="approvals-empty-")


def main():
    reader = argparse.ArgumentParser()
    reader.add_argument("program")
    reader.add_argument("--count", type=int, default=5)
    reader.add_argument("--seed", type=int, default=0)
    asked = reader.parse_args()
    subprocess.run(["git", "init", "-q", EMPTY], env=ENV, check=True)
    questions = 0
    for seed in range(asked.seed, asked.seed + asked.count):
        history = History(os.path.abspath(asked.program), seed)
        try:
            history.run()
        except Difference as difference:
            print(f"seed {seed}: {difference}\n{' / '.join(history.log)}\n{history.repo.root}")
            sys.exit(1)
        questions += history.asked
        shutil.rmtree(history.repo.root)
    shutil.rmtree(EMPTY)
    told = lambda counts: ", ".join(f"{count} {name}" for name, count in sorted(counts.items()))
    print(f"{asked.count} histories, {questions} questions, 0 differences: {told(STATUS)}; of {told(DEEDS)}")


main()
