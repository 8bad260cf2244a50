"""Lets the coding agents that agents.sh installed work in a scratch repository, with our hooks and a stand-in for the model.

usage: drive.py [--record DIR] PROGRAM TOOLS HARNESS...

Prints a table and exits 1 when a cell is not right. What reached the model is read from the requests that the harness sent to
it, what our program was asked and answered from a wrapper in front of it.
"""
import hashlib
import json
import os
import pathlib
import shlex
import shutil
import subprocess
import sys
import tempfile

from standin import StandIn

HERE = pathlib.Path(__file__).resolve().parent
PATIENCE = 120
CELLS = "start", "edit", "asked once", "filed", "resumed", "missing", "old", "twice", "plugin", "untrusted", "alone"
SPEC = "---\ntitle: Board\ncode:\n  - src/a.rs\n---\n"
YATSU = """---
scenarios:
  - name: shows
    description: open the board
    expected: it shows a number
    tags: [cli]
    test:
      path: check.sh
      command: sh check.sh
---
"""
WRAPPER = """#!/bin/sh
case "${1:-} ${2:-}" in 'agent event') ;; *) exec PROGRAM "$@" ;; esac
n=100
until mkdir RECORD/$n 2>/dev/null; do n=$((n + 1)); done
tee RECORD/$n/in | PROGRAM "$@" | tee RECORD/$n/out
"""
OLD = "#!/bin/sh\necho \"error: unrecognized subcommand 'agent'\" >&2\nexit 2\n"


class Scratch:
    """A repository with one fresh scenario, a home and a PATH of its own."""

    def __init__(self, program, tools, trusted=True):
        self.top = pathlib.Path(tempfile.mkdtemp(prefix="agents-")).resolve()
        self.repo, self.home, self.bin, self.record = (self.top / name for name in ("repo", "home", "bin", "record"))
        for folder in (self.repo / "src", self.repo / ".spec/board", self.home, self.bin, self.record):
            folder.mkdir(parents=True)
        self.tools, self.trusted, self.file = tools, trusted, self.repo / "src/a.rs"
        path = [folder for folder in os.environ["PATH"].split(":") if folder and not shutil.which("yatsu-hook", path=folder)]
        self.env = {
            "PATH": ":".join([str(self.bin), *path]), "HOME": str(self.home), "TMPDIR": str(self.top), "LC_ALL": "C.UTF-8",
            "TERM": "dumb", "GIT_CONFIG_GLOBAL": os.devnull, "GIT_CONFIG_NOSYSTEM": "1", "DO_NOT_TRACK": "1"}
        self.put_program(WRAPPER.replace("PROGRAM", shlex.quote(program)).replace("RECORD", shlex.quote(str(self.record))))
        self.file.write_text("fn a() -> u8 {\n    1\n}\n")
        (self.repo / "check.sh").write_text("grep -q '^fn a' src/a.rs\n")
        (self.repo / ".spec/board/spec.md").write_text(SPEC)
        (self.repo / ".spec/board/yatsu.md").write_text(YATSU)
        self.run("git", "init", "-q", "-b", "main", ".")
        self.run("git", "config", "user.name", "A")
        self.run("git", "config", "user.email", "a@example.invalid")
        self.commit()
        self.run("yatsu-hook", "eval", ".spec/board", "--scenario=shows", "--pass")
        self.commit()

    def run(self, *words):
        done = subprocess.run(words, cwd=self.repo, env=self.env, capture_output=True, text=True)
        if done.returncode:
            raise SystemExit(f"drive.py: {' '.join(words)} exits {done.returncode}\n{done.stdout}{done.stderr}")
        return done.stdout

    def commit(self):
        self.run("git", "add", ".")
        self.run("git", "commit", "-q", "--no-verify", "-m", "go on")

    def put_program(self, text):
        program = self.bin / "yatsu-hook"
        program.write_text(text)
        program.chmod(0o755)

    def events(self):
        """What our program was asked, and answered, in their order."""
        return [
            (json.loads((one / "in").read_text("utf-8-sig") or '{"hook_event_name": "empty"}'), (one / "out").read_text())
            for one in sorted(self.record.iterdir())]


# --- the harnesses ----------------------------------------------------------------------------------------------------

def write_json(path, value):
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(json.dumps(value, indent=2) + "\n")


class Claude:
    package, entry = "@anthropic-ai/claude-code", "cli-wrapper.cjs"

    @staticmethod
    def words(scratch, model, again):
        scratch.env |= {
            "ANTHROPIC_BASE_URL": model.url, "ANTHROPIC_API_KEY": "none", "CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC": "1",
            "DISABLE_TELEMETRY": "1", "DISABLE_ERROR_REPORTING": "1", "DISABLE_AUTOUPDATER": "1"}
        resume = ["--continue"] if again else []
        return ["--model", "claude-sonnet-4-5", "--allowedTools", "Read Edit Bash", *resume, "-p", "go"]


class Codex:
    package, entry = "@openai/codex", "bin/codex.js"
    model = "gpt-5.5"

    @classmethod
    def words(cls, scratch, model, again):
        home = scratch.home / ".codex"
        home.mkdir(exist_ok=True)
        (home / "config.toml").write_text(f"""model = "{cls.model}"
model_provider = "standin"
check_for_update_on_startup = false
approval_policy = "never"
sandbox_mode = "danger-full-access"
web_search = "disabled"
[model_providers.standin]
name = "stand-in"
base_url = "{model.url}/v1"
wire_api = "responses"
[analytics]
enabled = false
[features]
apps = false
plugins = false
[projects."{scratch.repo}"]
trust_level = "trusted"
""" + (cls.trust(scratch) if scratch.trusted else ""))
        return ["exec", *(["resume", "--last"] if again else []), "go"]

    @staticmethod
    def trust(scratch):
        """What Codex writes when a person trusts our hooks: the hash of each."""
        lines = []
        for file in (top / ".codex/hooks.json" for top in (scratch.repo, scratch.home)):
            for event, groups in json.loads(file.read_text())["hooks"].items() if file.exists() else ():
                name = "".join("_" + letter.lower() if letter.isupper() else letter for letter in event).lstrip("_")
                for index, group in enumerate(groups):
                    # the command of another system is no part of it
                    hooks = [{"async": False} | {key: hook[key] for key in hook if key != "commandWindows"} for hook in group["hooks"]]
                    identity = group | {"event_name": name, "hooks": hooks}
                    plain = json.dumps(identity, sort_keys=True, separators=(",", ":"))
                    lines += [f'[hooks.state."{file}:{name}:{index}:0"]',
                              f'trusted_hash = "sha256:{hashlib.sha256(plain.encode()).hexdigest()}"']
        return "\n".join(lines) + "\n"


class Gemini:
    package, entry = "@google/gemini-cli", "bundle/gemini.js"

    @staticmethod
    def words(scratch, model, again):
        write_json(scratch.home / ".gemini/settings.json", {
            "security": {"auth": {"selectedType": "gemini-api-key"}}, "privacy": {"usageStatisticsEnabled": False},
            "telemetry": {"enabled": False}, "general": {"enableAutoUpdate": False, "enableAutoUpdateNotification": False}})
        scratch.env |= {"GEMINI_API_KEY": "none", "GOOGLE_GEMINI_BASE_URL": model.url}
        if scratch.trusted:
            write_json(scratch.home / ".gemini/trustedFolders.json", {str(scratch.repo): "TRUST_FOLDER"})
        trust = [] if scratch.trusted else ["--skip-trust"]
        return ["--model", "gemini-2.5-flash", "--yolo", *trust, *(["--resume", "latest"] if again else []), "-p", "go"]


class Copilot:
    package, entry = "@github/copilot", "npm-loader.js"
    model, provider = "claude-sonnet-4.5", {"COPILOT_PROVIDER_TYPE": "anthropic"}

    @classmethod
    def words(cls, scratch, model, again):
        scratch.env |= cls.provider | {
            "COPILOT_OFFLINE": "true", "COPILOT_PROVIDER_BASE_URL": model.url, "COPILOT_PROVIDER_API_KEY": "none",
            "COPILOT_MODEL": cls.model, "COPILOT_AUTO_UPDATE": "false"}
        if scratch.trusted:
            write_json(scratch.home / ".copilot/config.json", {"trustedFolders": [str(scratch.repo)]})
        return ["--allow-all-tools", "--disable-client-telemetry", *(["--continue"] if again else []), "-p", "go"]


class Cursor:
    """Of Cursor the registry has no agent, but an SDK with the engine that runs its hooks: cursor.cjs calls that."""
    package = "@cursor/sdk"


class CodexNewer(Codex):
    """Its model has one tool, which runs JavaScript that calls the others."""
    model = "gpt-6.1-sol"


class CopilotPatches(Copilot):
    """Its model edits with patches, as Codex does."""
    model, provider = "gpt-5.4", {"COPILOT_PROVIDER_TYPE": "openai", "COPILOT_PROVIDER_WIRE_API": "responses"}


HARNESSES = {
    "claude": [Claude], "codex": [Codex, CodexNewer], "cursor": [Cursor], "gemini": [Gemini],
    "copilot": [Copilot, CopilotPatches]}


# --- one session of an agent ------------------------------------------------------------------------------------------

class Session:
    def __init__(self, harness, scratch, turns, again=False, flags=()):
        with StandIn(turns) as model:
            main = scratch.tools / "node_modules" / harness.package / harness.entry
            words = ["node", str(main), *flags, *harness.words(scratch, model, again)]
            proxy = {name: model.url for name in ("HTTP_PROXY", "HTTPS_PROXY", "http_proxy", "https_proxy")}
            away = {name: "127.0.0.1,localhost" for name in ("NO_PROXY", "no_proxy")}
            try:
                done = subprocess.run(
                    words, cwd=scratch.repo, env=scratch.env | proxy | away, stdin=subprocess.DEVNULL, capture_output=True,
                    text=True, timeout=PATIENCE)
                self.code, self.said = done.returncode, done.stdout + done.stderr
            except subprocess.TimeoutExpired as late:
                self.code, self.said = "no end", str(late.stdout) + str(late.stderr)
            self.asked, self.elsewhere = model.asked, model.elsewhere

    def ended(self, requests):
        """Whether the harness came to its end by itself, after that many requests."""
        return self.code == 0 and len(self.asked) == requests

    def heard(self, text):
        """The numbers of the requests in which the text reached the model."""
        return [number for number, body in enumerate(self.asked) if text in "\n".join(strings(body))]


def strings(value):
    if isinstance(value, str):
        yield value
    elif isinstance(value, (dict, list)):
        for one in value.values() if isinstance(value, dict) else value:
            yield from strings(one)


# --- what is asked of each harness ------------------------------------------------------------------------------------

def told(answer):
    """An answer as (kind, text)."""
    if not answer.strip():
        return None, ""
    value = json.loads(answer)
    if value.get("decision"):
        return "ask", value["reason"]
    if "systemMessage" in value:
        return "say", value["systemMessage"]
    return "context", value.get("additionalContext") or value["hookSpecificOutput"]["additionalContext"]


def edited(payload):
    return "a.rs" in json.dumps(payload.get("tool_input", "")) and payload["tool_name"] in ("Edit", "replace", "apply_patch")


def change(scratch, old, new):
    return {"edit": {"path": str(scratch.file), "old": f"    {old}", "new": f"    {new}"}}


class Trial:
    """What one harness is put through. Each cell of its row is yes or NO, and `why` holds what went wrong."""

    def __init__(self, program, tools, name, harness):
        self.program, self.tools, self.name, self.harness = program, tools, name, harness
        self.elsewhere, self.why, self.payloads = set(), [], []

    def scratch(self, *installs, **more):
        scratch = Scratch(self.program, self.tools, **more)
        for words in installs or ([],):
            scratch.run("yatsu-hook", "agent", "install", "--for", self.name, *words)
        # An install for the user names the program by its path, past the wrapper.
        for file in scratch.home.rglob("*.json"):
            file.write_text(file.read_text().replace(self.program, str(scratch.bin / "yatsu-hook")))
        scratch.commit()
        return scratch

    def work(self, scratch, turns, **more):
        session = Session(self.harness, scratch, turns, **more)
        self.elsewhere |= set(session.elsewhere)
        return session

    def cell(self, what, right, session, scratch):
        if not right:
            events = "\n".join(
                " ".join(filter(None, (payload["hook_event_name"], payload.get("tool_name"), "->", answer or "nothing")))
                for payload, answer in scratch.events())
            self.why.append(f"{what}: exit {session.code}, {len(session.asked)} requests\n{events}\n{session.said[-800:]}")
        return "yes" if right else "NO"

    def row(self):
        return [*self.whole(), self.missing("missing", None), self.missing("old", OLD), self.twice(), self.plugin(),
                self.untrusted(), self.alone()]

    def whole(self):
        """A session that edits, stops, is asked, files a reading; then the same session resumed, which edits and stops."""
        scratch = self.scratch()
        program, how = scratch.bin / "yatsu-hook", "--observed" if self.name == "claude" else "--pass"
        turns = [
            {"read": str(scratch.file)}, change(scratch, 1, 2), {"say": "Done."}, {"run": "sh check.sh"},
            {"run": "git commit -q --no-verify -am change"},
            {"run": f"{program} eval .spec/board --scenario=shows {how}"}, {"say": "Filed."},
            {"read": str(scratch.file)}, change(scratch, 2, 3), {"say": "Done."}]
        first = self.work(scratch, turns)
        events = scratch.events()
        state = scratch.run("yatsu-hook", "ls")
        second = self.work(scratch, turns, again=True)
        later = scratch.events()[len(events):]
        self.payloads = [(scratch, payload) for payload, _ in scratch.events()]

        start = told(events[0][1]) if events else (None, "")
        note = next((told(answer) for payload, answer in events if edited(payload)), (None, ""))
        asks = [text for kind, text in (told(answer) for _, answer in events) if kind == "ask"]
        again = [text for kind, text in (told(answer) for _, answer in later) if kind == "ask"]
        return [
            self.cell("start", start[0] == "context" and first.heard(start[1])[:1] == [0], first, scratch),
            self.cell("edit", "shows" in note[1] and note[0] == "context" and first.heard(note[1])[:1] == [2], first, scratch),
            self.cell("asked once", len(asks) == 1 and first.heard(asks[0])[:1] == [3] and first.ended(7), first, scratch),
            self.cell("filed", "1 fresh" in state, first, scratch),
            self.cell("resumed", not again and second.ended(3) and "    3" in scratch.file.read_text(), second, scratch)]

    def missing(self, what, program):
        """The program is not there, or is one from before this verb, which exits 2: the session goes on as without hooks."""
        scratch = self.scratch()
        (scratch.bin / "yatsu-hook").unlink()
        if program:
            scratch.put_program(program)
        session = self.work(scratch, [{"read": str(scratch.file)}, change(scratch, 1, 2), {"run": "echo fine"}])
        return self.cell(what, session.ended(4) and "    2" in scratch.file.read_text(), session, scratch)

    def twice(self):
        """Installed for the project and for the user: each thing is said once all the same."""
        scratch = self.scratch(["--project"], ["--user"])
        session = self.work(scratch, [{"read": str(scratch.file)}, change(scratch, 1, 2)])
        texts = [told(answer)[1] for _, answer in scratch.events() if answer.strip()]
        return self.cell("twice", len(texts) == len(set(texts)) > 2 and session.ended(4), session, scratch)

    def plugin(self):
        """No hooks in any settings, but our plugin's directory named on the harness's command line, where it takes one."""
        if self.name not in ("claude", "copilot"):
            return "-"
        scratch = Scratch(self.program, self.tools)
        folder = str(scratch.top / "plugin")
        scratch.run("yatsu-hook", "agent", "install", "--plugin", folder)
        turns = [{"read": str(scratch.file)}, change(scratch, 1, 2)]
        session = self.work(scratch, turns, flags=["--plugin-dir", folder])
        kinds = [told(answer)[0] for _, answer in scratch.events() if answer.strip()]
        return self.cell("plugin", kinds[:3] == ["context", "context", "ask"] and session.ended(4), session, scratch)

    def untrusted(self):
        """What docs/agents.md says of a harness that wants the project's hooks trusted first: without trust none runs."""
        if self.name == "claude":
            return "-"
        scratch = self.scratch(trusted=False)
        session = self.work(scratch, [{"read": str(scratch.file)}])
        return self.cell("untrusted", not scratch.events() and session.ended(2), session, scratch)

    def alone(self):
        if self.elsewhere:
            self.why.append(f"asked for other addresses: {', '.join(sorted(self.elsewhere))}")
        return "NO" if self.elsewhere else "yes"


class CursorTrial(Trial):
    """The same questions to Cursor's hook engine alone: the agent's part, its edits and stops, is played here."""

    def row(self):
        scratch = self.scratch()
        start = self.step(scratch, "sessionStart")
        scratch.file.write_text(scratch.file.read_text().replace("1", "2"))
        note = self.step(scratch, *EDIT)
        ask = self.step(scratch, *STOP)
        after = self.step(scratch, "stop", {"status": "completed", "loop_count": 1})
        again = self.step(scratch, *STOP)
        self.payloads = [(scratch, payload) for payload, _ in scratch.events()]
        return [
            self.right("start", "fresh" in (start or {}).get("additional_context", ""), start),
            self.right("edit", "shows" in (note or {}).get("additional_context", ""), note),
            self.right("asked once", "eval" in (ask or {}).get("followup_message", "") and not after, [ask, after]),
            "-", self.right("resumed", not again, again),
            self.missing("missing", None), self.missing("old", OLD), self.twice(), "-", "-", "-"]

    def right(self, what, right, got):
        if not right:
            self.why.append(f"{what}: {json.dumps(got)}")
        return "yes" if right else "NO"

    def step(self, scratch, event, payload=None):
        """What Cursor makes of our answer to the event."""
        about = {"conversation_id": "c", "generation_id": "g", "model": "m", "cwd": str(scratch.repo)} | (payload or {})
        about = json.loads(json.dumps(about).replace("REPO", str(scratch.repo)))
        # Cursor calls a login shell, which sets its own PATH.
        (scratch.home / ".profile").write_text(f"PATH={shlex.quote(scratch.env['PATH'])}\n")
        words = ["node", str(HERE / "cursor.cjs"), str(self.tools / "node_modules/@cursor/sdk"), str(scratch.repo)]
        done = subprocess.run(
            [*words, json.dumps([[event, about]])], env=scratch.env | {"SHELL": "/bin/sh"}, cwd=scratch.repo,
            capture_output=True, text=True, timeout=PATIENCE)
        if done.returncode:
            raise SystemExit(f"drive.py: cursor.cjs exits {done.returncode}\n{done.stderr}")
        return json.loads(done.stdout)

    def missing(self, what, program):
        scratch = self.scratch()
        (scratch.bin / "yatsu-hook").unlink()
        if program:
            scratch.put_program(program)
        got = [self.step(scratch, *step) for step in (["sessionStart"], EDIT, STOP)]
        return self.right(what, got == [None, None, None], got)

    def twice(self):
        """With Claude's file beside its own, which Cursor reads too, our program is called once for each event."""
        scratch = self.scratch()
        scratch.run("yatsu-hook", "agent", "install", "--for", "claude")
        for step in (["sessionStart"], EDIT, STOP):
            self.step(scratch, *step)
        names = [payload["hook_event_name"] for payload, _ in scratch.events()]
        return self.right("twice", names == ["sessionStart", "postToolUse", "stop"], names)


EDIT = "postToolUse", {
    "tool_name": "Write", "tool_input": {"file_path": "REPO/src/a.rs", "content": "x"}, "tool_output": "{}", "duration": 3,
    "tool_use_id": "t"}
STOP = "stop", {"status": "completed", "loop_count": 0}


def keep(folder, name, payloads):
    """Writes what our program was asked, with the places of this machine replaced."""
    folder.mkdir(parents=True, exist_ok=True)
    for number, (scratch, payload) in enumerate(payloads):
        text = json.dumps(payload, indent=2, ensure_ascii=False) + "\n"
        for place, other in ((scratch.repo, "/home/dev/project"), (scratch.home, "/home/dev"), (scratch.top, "/home/dev")):
            text = text.replace(str(place), other)
        kind = "-".join(filter(None, (payload["hook_event_name"], payload.get("tool_name"))))
        (folder / f"{name}-{number:02}-{kind}.json").write_text(text)


def main(words):
    record = pathlib.Path(words[1]) if words[0] == "--record" else None
    program, tools, *names = words[2:] if record else words
    print_row("harness", "version", *CELLS)
    bad = False
    for name in names:
        for harness in HARNESSES[name]:
            package = pathlib.Path(tools) / "node_modules" / harness.package / "package.json"
            version = json.loads(package.read_text())["version"]
            trial = (CursorTrial if harness is Cursor else Trial)(program, pathlib.Path(tools), name, harness)
            print_row(harness.__name__.lower(), version, *trial.row())
            print("".join(f"    | {line}\n" for why in trial.why for line in why.splitlines()), end="", flush=True)
            bad |= bool(trial.why)
            if record:
                keep(record, harness.__name__.lower(), trial.payloads)
    return int(bad)


def print_row(name, version, *cells):
    print(f"{name:<15} {version:<9}", *(f"{cell:<10}" for cell in cells), flush=True)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
