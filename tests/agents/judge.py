"""The judge of replay.py: what must a session of an agent be answered?

It follows docs/freshness.md, docs/formats.md and the rules of the agents' doors, by content alone: slowly, over whole trees, with
all state in memory. It shares no code with the program. For example, a scenario that was fresh at the session's start and is
stale at its stop is demanded, if a governed file has other bytes than at the start and than on the upstream branch.
"""
import collections, hashlib, json, os, posixpath, re, subprocess

SPACE = re.compile('[\t\n\v\f\r \u00a0\u1680\u2000-\u200a\u2028\u2029\u202f\u205f\u3000\ufeff]+')
PREFIX = {'100644': '', '100755': 'x:', '120000': 'l:', '160000': 'm:'}
DATES = {'GIT_AUTHOR_DATE': '2030-01-01T00:00:00Z', 'GIT_COMMITTER_DATE': '2030-01-01T00:00:00Z'}


# --- git, and the files as the documents describe them ---

class Git:
    """The scratch clone. Objects of work tree snapshots go to a directory beside it, so the program never sees them."""

    def __init__(self, room, source):
        self.room, self.top = room, os.path.join(room, 'clone')
        self.env = {'PATH': os.environ['PATH'], 'HOME': room, 'GIT_CONFIG_GLOBAL': '/dev/null', 'GIT_CONFIG_NOSYSTEM': '1',
                    'GIT_AUTHOR_NAME': 'a', 'GIT_AUTHOR_EMAIL': 'a@a', 'GIT_COMMITTER_NAME': 'a', 'GIT_COMMITTER_EMAIL': 'a@a', **DATES}
        subprocess.run(['git', 'clone', '-q', source, self.top], check=True, env=self.env, stderr=subprocess.DEVNULL)
        self.apart = {**self.env, 'GIT_OBJECT_DIRECTORY': os.path.join(room, 'objects'), 'GIT_INDEX_FILE': os.path.join(room, 'index'),
                      'GIT_ALTERNATE_OBJECT_DIRECTORIES': os.path.join(self.top, '.git/objects')}
        os.makedirs(self.apart['GIT_OBJECT_DIRECTORY'])
        self('config', 'user.name', 'a'), self('config', 'user.email', 'a@a')
        self.cat = subprocess.Popen(['git', '--no-replace-objects', 'cat-file', '--batch'], cwd=self.top, env=self.apart,
                                    stdin=subprocess.PIPE, stdout=subprocess.PIPE)
        self.listed, self.below = {}, {}  # views by tree, files by tree

    def __call__(self, *args, env=None, fails=False):
        done = subprocess.run(['git', *args], cwd=self.top, env=env or self.env, capture_output=True, text=True, errors='surrogateescape')
        if done.returncode and not fails:
            raise SystemExit(f'git {" ".join(args)}: {done.stderr}')
        return '' if done.returncode else done.stdout.rstrip('\n')

    def read(self, name):
        """(type, bytes) of an object, or (None, b'') where it is missing."""
        self.cat.stdin.write(name.encode() + b'\n')
        self.cat.stdin.flush()
        head = self.cat.stdout.readline().split()
        if len(head) != 3:
            return None, b''
        data = self.cat.stdout.read(int(head[2]))
        self.cat.stdout.read(1)
        return head[1].decode(), data

    def tree(self, name):
        """The View of a commit or a tree."""
        kind, data = self.read(name)
        tree = data.split(b'\n', 1)[0].split()[1].decode() if kind == 'commit' else name
        if tree not in self.listed:
            self.listed[tree] = View(self, self.rows(tree))
        return self.listed[tree]

    def rows(self, tree):
        """{path: content} of all files below a tree. For example {'src/a.sh': 'x:<id>'}."""
        if tree not in self.below:
            data, found = self.read(tree)[1], {}
            while data:
                head, rest = data.split(b'\0', 1)
                mode, name = head.split(b' ', 1)
                name, oid, data = os.fsdecode(name), rest[:20].hex(), rest[20:]
                found.update({f'{name}/{path}': what for path, what in self.rows(oid).items()} if mode == b'40000'
                             else {name: PREFIX[mode.decode()] + oid})
            self.below[tree] = found
        return self.below[tree]

    def worktree(self):
        """The View of the work tree, as git would commit it. The fresh index has no stat data, so git hashes every file."""
        self('read-tree', 'HEAD', env=self.apart)
        self('add', '-A', env=self.apart)
        return self.tree(self('write-tree', env=self.apart))


Scenario = collections.namedtuple('Scenario', 'node file name text hash entries')


class View:
    """All files of a tree, and the scenarios and readings that they declare."""

    def __init__(self, git, files):
        self.git, self.files = git, files
        self._scenarios, self._config, self._expanded = None, None, {}

    def text(self, path):
        return self.git.read(self.files[path].split(':')[-1])[1].decode('utf-8', 'replace').removeprefix('\ufeff')

    def config(self):
        if self._config is None:
            self._config = json.loads(self.text('spexcode.json')).get('yatsu', {}) if 'spexcode.json' in self.files else {}
        return self._config

    def scenarios(self):
        """{(node, name): Scenario}. A node is a directory below a root with a spec.md or a scenario file."""
        if self._scenarios is None:
            self._scenarios, roots = {}, [root.strip('/') for root in self.config().get('roots', ['.spec'])]
            for path in sorted(self.files):
                node, leaf = posixpath.split(path)
                below = any(root == '.' or (node + '/').startswith(root + '/') for root in roots)
                if leaf == 'yatsu.md' or leaf == 'eval.md' and below:
                    spec = posixpath.join(node, 'spec.md')
                    whole = node_code(self.text(spec)) if below and spec in self.files else []
                    for entry in scenario_entries(self.text(path)):
                        text = [SPACE.sub(' ', entry.get(key, '')).strip(' ') for key in ('description', 'expected')]
                        self._scenarios[node, entry['name']] = Scenario(
                            node, path, entry['name'], tuple(text), hashlib.sha256('\n'.join(text).encode()).hexdigest(),
                            as_list(entry.get('code')) or whole)
        return self._scenarios

    def readings(self, node, name):
        """The effective readings of a scenario, the newest first."""
        lines, withdrawn, found = [], set(), []
        for leaf in ('evals.ndjson', 'yatsu.evals.ndjson'):
            path = posixpath.join(node, leaf)
            lines += self.text(path).split('\n') if path in self.files else []
        for number, line in enumerate(dict.fromkeys(lines)):
            try:
                row = json.loads(line)
            except ValueError:
                continue
            if not isinstance(row, dict) or row.get('scenario') != name:
                continue
            if isinstance(row.get('retracts'), str):
                withdrawn.add(row['retracts'])
            elif isinstance(row.get('codeSha'), str) or isinstance(row.get('evaluator'), str):
                found.append((row.get('ts', ''), number, row))
        return [row for ts, _, row in sorted(found, key=lambda item: item[:2], reverse=True) if ts not in withdrawn]

    def expand(self, entry):
        """{path: content} of one entry of a `code` list. The target of a symbolic link counts as well."""
        if entry not in self._expanded:
            found = {path: what for path, what in self.files.items() if path == entry or entry not in self.files and covers(entry, path)}
            for path, content in list(found.items()):
                if content.startswith('l:'):
                    target = self.git.read(content[2:])[1].decode('utf-8', 'replace')
                    target = posixpath.normpath(posixpath.join(posixpath.dirname(path), target))
                    found.update({at: what for at, what in self.files.items() if at == target or at.startswith(target + '/')})
            self._expanded[entry] = found
        return self._expanded[entry]


def covers(entry, path):
    """Does the entry name this path, a folder above it, or a pattern that it matches?"""
    if path == entry or path.startswith(entry + '/'):
        return True
    if not set('*?[{') & set(entry):
        return False
    pattern = re.escape(entry).replace(r'\*\*/', '(?:.*/)?').replace(r'\*\*', '.*').replace(r'\*', '[^/]*').replace(r'\?', '[^/]')
    return re.fullmatch(pattern, path) is not None


def frontmatter(text):
    lines = text.replace('\r\n', '\n').split('\n')
    if lines[0].rstrip() != '---':
        return []
    ends = [at for at, line in enumerate(lines) if at and line.rstrip() == '---']
    return lines[1:ends[0]] if ends else []


def plain(value):
    """A scalar without its quotes, or without its comment."""
    value = value.strip()
    if len(value) > 1 and value[0] == value[-1] and value[0] in '"\'':
        return value[1:-1].replace("''", "'") if value[0] == "'" else json.loads(value)
    return re.split(r'\s#', value)[0].strip()


def as_list(value):
    if isinstance(value, str):
        value = value.strip()[1:-1].split(',') if value.strip().startswith('[') else plain(value).split(',')
    paths = [plain(item).removeprefix('?') for item in value or []]
    return [posixpath.normpath(path) for path in paths if path]


def node_code(text):
    """The `code` list of a spec.md, line by line."""
    key, found = None, []
    for line in frontmatter(text):
        item = re.match(r'\s*-\s+(.*)', line)
        if item and key == 'code':
            found.append(item[1])
        elif not item and (pair := re.match(r'([\w-]+)\s*:(.*)', line)):
            key = pair[1]
            if key == 'code' and pair[2].strip():
                found += as_list(pair[2])
    return as_list(found)


def scenario_entries(text):
    """The entries of a yatsu.md: the part of YAML that real files use, with all white space folded."""
    entries, fields, indent = [], None, 0
    for line in frontmatter(text):
        if item := re.match(r'( *- +)(\w+):(.*)', line) if fields is None or not line.startswith(' ' * indent) else None:
            fields, indent = {item[2]: [item[3]]}, len(item[1])
            entries.append(fields)
            last = item[2]
        elif fields is not None and (pair := re.match(' ' * indent + r'(\w+):(.*)', line)):
            last = pair[1]
            fields[last] = [pair[2]]
        elif fields is not None:
            fields[last].append(line)
    return [entry for entry in map(one_entry, entries) if entry.get('name')]


def one_entry(fields):
    entry = {}
    for key, (first, *rest) in fields.items():
        first, items = first.strip(), [re.match(r'\s*- +(.*)', line) for line in rest if line.strip()]
        if first.startswith(('|', '>')):
            entry[key] = '\n'.join(rest)
        elif not first and items and all(items):
            entry[key] = [item[1] for item in items]
        else:
            joined = ' '.join([first, *(line.strip() for line in rest)])
            entry[key] = joined if first.startswith('[') else plain(joined)
    return entry


# --- freshness, by content alone ---

def axes(view, scenario, reading):
    """The stale axes of one reading in a view, and whether its stamp alone decided."""
    git, stamp = view.git, reading.get('governed')
    anchor = git.tree(reading['codeSha']) if git.read(reading['codeSha'])[0] == 'commit' else None
    hashed, lost = reading.get('scenarioHash'), False
    if hashed:
        text = hashed != scenario.hash
    elif anchor:
        leaf = posixpath.basename(scenario.node)
        there = anchor.scenarios().get((scenario.node, scenario.name))
        others = [old for (node, name), old in anchor.scenarios().items() if name == scenario.name]
        near = [old for old in others if posixpath.basename(old.node) == leaf]
        text = not any(old.text == scenario.text for old in ([there] if there else near or others))
    else:
        text, lost = False, True
    if stamp is None and (anchor is None or reading.get('dirty')):
        code, lost = False, True
    else:
        code, unknown = code_moved(view, scenario, stamp, None if reading.get('dirty') else anchor, anchor)
        lost = lost or unknown and bool(reading.get('dirty'))
    return [axis for axis, stale in (('anchor', lost), ('code', code), ('scenario', text)) if stale], stamp is not None and bool(hashed)


def code_moved(view, scenario, stamp, fallback, anchor):
    """Did a governed path move? Also: was a path neither stamped nor committed?"""
    measured = stamp if stamp is not None else anchor.files
    gone = {path: what for path, what in measured.items() if path not in view.files and what != '-'}
    named = anchor.scenarios().get((scenario.node, scenario.name)) if stamp is None else None
    moved = unknown = False
    for entry in scenario.entries:
        now = view.expand(entry)
        if stamp is None:
            before = anchor.expand(entry)
        else:
            covered = {path: what for path, what in stamp.items() if path in now or covers(entry, path)}
            before = {path: what for path, what in covered.items() if what != '-'}
            asked = fallback.expand(entry) if fallback else {}
            before.update({path: what for path, what in asked.items() if not covered or path in now and path not in covered})
            unknown = unknown or fallback is None and any(path not in stamp for path in now or ([entry] if covered else []))
        if now != before and not (renamed(entry, now, before, gone) and not (named and entry in named.entries)):
            moved = True
    return moved, unknown


def renamed(entry, now, before, gone):
    """Is the entry new, and are its files the lost files of one other place, under the same relative names?"""
    if before or not now:
        return False
    path = min(now)
    for old in sorted(old for old, what in gone.items() if what == now[path]):
        root = old if path == entry else old.removesuffix(path[len(entry):])
        lost = {entry + at[len(root):]: what for at, what in gone.items() if at == root or at.startswith(root + '/')}
        if lost == now:
            for at in list(gone):
                if at == root or at.startswith(root + '/'):
                    del gone[at]
            return True
    return False


def stale(view, scenario):
    """The stale axes of the reading that counts; None where there is no reading."""
    readings = view.readings(scenario.node, scenario.name)
    if not readings:
        return None
    counts, found = readings[0], None
    for reading in readings[:64]:
        bad, stamped = axes(view, scenario, reading)
        if not bad:
            counts, found = reading, bad
            break
        if not stamped:
            break
    found = axes(view, scenario, counts)[0] if found is None else found
    name, _, version = (counts.get('evaluator') or '').partition('@')
    current = {'manual': '1', **view.config().get('evaluators', {})}
    return found + (['evaluator'] if version and name in current and current[name] != version else [])


def states(view):
    if not hasattr(view, 'judged'):
        view.judged = {key: stale(view, scenario) for key, scenario in view.scenarios().items()}
    return view.judged


# --- the judge of a session ---

Answer = collections.namedtuple('Answer', 'kind scenarios')  # kind: silent, note, ask, say; for example Answer('ask', {(node, name)})
SILENT = Answer('silent', frozenset())


class Judge:
    """What one session must be answered, from its events and the content at each of them.

    A change that no event of the session reported is another session's: for example an edit in the user's own editor.
    """

    def __init__(self, git):
        self.git, self.base, self.asked = git, None, False
        self.named, self.said, self.touched = set(), set(), set()

    def first(self, start):
        """The base: of the work tree at a start, of HEAD where another event comes first."""
        if self.base is None:
            head, tree = self.git.tree('HEAD'), self.git.worktree()
            self.base = (self.git('rev-parse', '--abbrev-ref', 'HEAD'), head, tree if start else head)

    def start(self):
        self.first(True)
        self.named.clear()

    def command(self, paths):
        self.first(False)
        self.touched.update(paths)
        return SILENT

    def edit(self, path):
        self.first(False)
        self.touched.add(path)
        view = self.git.worktree()
        found = {key for key, scenario in view.scenarios().items() if path in governed(view, scenario)}
        new = frozenset() if is_own_file(path) else frozenset(found - self.named)
        return Answer('note', new) if new else SILENT

    def moved(self, view, scenario, head, start, upstream):
        """The governed paths that an event of this session touched and that have other bytes than at the base and than upstream;
        the scenario's file where its text moved."""
        key = scenario.node, scenario.name
        old = start.scenarios().get(key)
        if not old or states(start)[key] != [] or states(view)[key] == []:
            return set()
        dirty = governed(start, old)
        paths = governed(view, scenario) | {path for entry in scenario.entries for path in start.expand(entry)}
        found = {path for path in paths & self.touched
                 if view.files.get(path) != (start if path in dirty else head).files.get(path)
                 and not (upstream and view.files.get(path) == upstream.files.get(path))}
        there = upstream and upstream.scenarios().get(key)
        if scenario.file in self.touched and scenario.text != old.text and not (there and there.text == scenario.text):
            found.add(scenario.file)
        return found

    def stop(self, active):
        """(answer, view, {demanded scenario: paths that moved}, scenarios that became stale without a demand)"""
        self.first(False)
        view, (branch, head, start) = self.git.worktree(), self.base
        if branch != self.git('rev-parse', '--abbrev-ref', 'HEAD'):
            head = start = self.git.tree('HEAD')
        upstream = self.git('rev-parse', '-q', '--verify', '@{upstream}', fails=True)
        upstream = upstream and self.git.tree(upstream)
        all_moved = {key: self.moved(view, scenario, head, start, upstream) for key, scenario in view.scenarios().items()}
        all_moved = {key: paths for key, paths in all_moved.items() if paths}
        became = {key for key, axes in states(self.base[2]).items() if axes == [] and states(view).get(key) != []}
        new, excused = frozenset(set(all_moved) - self.said), became - set(all_moved)
        if not new or active and not self.asked:
            return SILENT, view, all_moved, excused
        kind, self.asked, self.said = 'say' if self.asked else 'ask', True, self.said | new
        return Answer(kind, new), view, all_moved, excused

    def wait(self, answer):
        """After another hook's question (the flag is set) the program may say the rest at the next stop."""
        self.said -= answer.scenarios
        return SILENT


def governed(view, scenario):
    return {path for entry in scenario.entries for path in view.expand(entry) or [entry]}


def is_own_file(path):
    return posixpath.basename(path) in ('yatsu.md', 'eval.md', 'spec.md', 'yatsu.evals.ndjson', 'evals.ndjson', 'spexcode.json')
