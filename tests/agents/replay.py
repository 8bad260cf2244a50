#!/usr/bin/env python3
"""Plays real commits as sessions of a coding agent, and judges each answer of `yatsu-hook agent event`.

Usage: tests/agents/replay.py PROGRAM REPOSITORY [COMMITS] [--seed N] [--only I] [-v]

REPOSITORY is a repository or a bundle with scenarios. A scratch clone gets the parent of a commit, and then the commit's edits
file by file, each with the event that Claude Code would send. judge.py decides by content what each answer must say;
`ls --format json` only cross-checks the judge's freshness. `--only I` plays session I alone, `-v` prints every event.
The table counts per kind of session. `demands` are scenarios; `excused` ones were fresh at the start and are stale at the stop
without a demand, for example after a pull. Exit 1 if the program and the judge differ anywhere.
"""
import argparse, collections, json, os, random, re, shlex, shutil, subprocess, sys, tempfile, time

sys.dont_write_bytecode = True  # no __pycache__ in the work tree
from judge import Git, Judge, governed, stale, states


def shown(key):
    """A name as an answer prints it: the node below its root, and the scenario."""
    return re.sub(r'^\.spec/', '', key[0]) + '/' + key[1]


def same(printed, name):
    """Is this the name, or the beginning of a long one?"""
    return printed == name or len(name) > 80 and len(printed) in (80, 81) and printed[-1] == '…' and name.startswith(printed[:-1])


class Fault(Exception):
    pass


class Session:
    def __init__(self, game, name):
        self.game, self.git, self.name, self.judge = game, game.git, name, Judge(game.git)
        self.calls = 0
        self.timed = False  # does every command carry its duration?

    def event(self, name, **fields):
        """Sends one event. Returns the kind of the answer and its text."""
        top, self.calls = self.git.top, self.calls + 1
        if name == 'PostToolUse':
            fields['tool_use_id'] = f'toolu_{self.calls:024}'
        payload = {'session_id': self.name, 'transcript_path': '/home/dev/.claude/projects/p/s.jsonl', 'cwd': top,
                   'permission_mode': 'default', 'hook_event_name': name, **fields}
        done = subprocess.run([self.game.program, 'agent', 'event'], cwd=top, env=self.git.env, input=json.dumps(payload).encode(),
                              capture_output=True)
        text, self.game.clock = done.stdout.decode(), time.time()
        if self.game.verbose:
            print(f'    {self.name} {name} {json.dumps(fields)[:150]}\n      -> {text}')
        if done.returncode or done.stderr:
            raise Fault(f'{name}: exit {done.returncode}, stderr {done.stderr.decode()!r}')
        if not text:
            return 'silent', ''
        answer = json.loads(text)
        inner = answer.get('hookSpecificOutput')
        if inner == {'hookEventName': name, 'additionalContext': inner and inner.get('additionalContext')} and len(answer) == 1:
            kind, said = 'note', inner['additionalContext']
        elif answer.keys() == {'decision', 'reason'} and answer['decision'] == 'block':
            kind, said = 'ask', answer['reason']
        elif answer.keys() == {'systemMessage'}:
            kind, said = 'say', answer['systemMessage']
        else:
            raise Fault(f'{name}: an answer of another shape: {text}')
        if len(said.encode()) > 2000 or said.count('\n') > 11:
            raise Fault(f'{name}: {len(said.encode())} bytes, {said.count(chr(10)) + 1} lines')
        return kind, said

    def start(self, source='startup'):
        self.judge.start()
        if source != 'startup':
            time.sleep(11)  # a repeat of an event within seconds is taken for a second settings file with the same hook
        kind, said = self.event('SessionStart', source=source, model='claude')
        fresh = states(self.git.worktree())
        if fresh and kind != 'note':
            raise Fault(f'start: {kind}, with {len(fresh)} scenarios')
        bad = [name for name in re.findall('^`(.*)` is stale$', said, re.M)
               if not any(axes and same(name, shown(key)) for key, axes in fresh.items())]
        count = re.search(r': (\d+) fresh', said)
        if fresh and (bad or count and int(count[1]) != sum(axes == [] for axes in fresh.values())):
            raise Fault(f'start: {said!r}, the judge counts {sum(axes == [] for axes in fresh.values())} fresh; not stale: {bad}')
        self.game.cross_check(self.git.worktree())

    def edit(self, path):
        wanted, tool = self.judge.edit(path), self.game.dice.choice(['Edit', 'Write', 'MultiEdit'])
        given = path if self.game.dice.random() < 0.2 else os.path.join(self.git.top, path)
        kind, said = self.event('PostToolUse', tool_name=tool, tool_input={'file_path': given}, tool_response={'filePath': given})
        names = re.findall(r' is governed by `(.*?)`', said)
        self.game.count['notes'] += kind == 'note'
        self.judge.named |= self.check('edit of ' + path, wanted, kind, said, names)

    def command(self, command, paths=()):
        wanted = self.judge.command(paths)
        took = {'duration_ms': int(1000 * (time.time() - self.game.clock)) + 1} if self.timed or self.game.dice.random() < 0.8 else {}
        kind, said = self.event('PostToolUse', tool_name='Bash', tool_input={'command': command}, tool_response={
            'stdout': '', 'stderr': '', 'interrupted': False, 'isImage': False, 'noOutputExpected': False}, **took)
        self.check('command', wanted, kind, said, [])

    def stop(self, active=False):
        asked, count = self.judge.asked, self.game.count
        wanted, view, moved, excused = self.judge.stop(active)
        kind, said = self.event('Stop', stop_hook_active=active)
        named = re.findall(r'yatsu-hook eval (.*?) --scenario=(.*?) (?:--observed|\(--pass)', said)
        named = [(shlex.split(node)[0], shlex.split(name)[0]) for node, name in named]
        if active and asked and kind == 'silent' != wanted.kind:
            wanted = self.judge.wait(wanted)
        count['stops'] += 1
        count['asked'] += kind == 'ask'
        count['second'] += kind == 'ask' and asked
        count['said later'] += kind == 'say'
        count['excused'] += len(excused)
        _, missed, false = self.match(wanted, said, named)
        count['demands'] += len(wanted.scenarios)
        count['correct'] += len(wanted.scenarios) - missed
        count['missed'] += missed
        count['false'] += false
        self.check('stop', wanted, kind, said, named)
        head = self.git.tree('HEAD')
        for path, name, rest in re.findall(r'^`(.*?)` moved: `(.*?)` was fresh(.*)$', said, re.M):
            keys = [key for key in wanted.scenarios if same(name, shown(key))]
            dirty = [any(view.files.get(at) != head.files.get(at) for at in governed(view, view.scenarios()[key])) for key in keys]
            if not any(same(path, at) for key in keys for at in moved[key]):
                raise Fault(f'stop: {path} did not move for {name}: {[moved[key] for key in keys]}')
            if ('git commit' in rest) not in dirty:
                raise Fault(f'stop: {name}: "git commit first" is wrong: {rest!r}, dirty {dirty}')
        self.game.cross_check(view)

    def match(self, wanted, said, names):
        """(the wanted scenarios that are named, the number of missed ones, the number of false ones). `and N more` counts N."""
        more, left, extra = sum(map(int, re.findall(r'^and (\d+) more: ', said, re.M))), sorted(wanted.scenarios), 0
        for name in names:
            key = next((key for key in left if key == name or isinstance(name, str) and same(name, shown(key))), None)
            left.remove(key) if key else None
            extra += key is None
        return wanted.scenarios - set(left), max(0, len(left) - more), extra + max(0, more - len(left))

    def check(self, where, wanted, kind, said, names):
        """The right kind; at most five names, each of them wanted, and the others counted. Returns the named scenarios."""
        listed, missed, false = self.match(wanted, said, names)
        if kind != wanted.kind or missed or false or wanted.scenarios and not 0 < len(names) <= 5:
            raise Fault(f'{where}: wanted {wanted.kind} {sorted(wanted.scenarios)[:8]}, came {kind} {said!r}')
        return listed


class Game:
    def __init__(self, git, program, verbose):
        self.git, self.program, self.verbose = git, program, verbose
        self.count, self.dice, self.clock = None, None, time.time()

    def cross_check(self, view):
        """Is the program's own list of fresh scenarios the judge's? Another door of the same program: it only reports."""
        done = subprocess.run([self.program, 'ls', '--format', 'json'], cwd=self.git.top, env=self.git.env, capture_output=True, text=True)
        theirs = {(row['path'], row['scenario']): row['axes'] or [] for row in json.loads(done.stdout)['scenarios']
                  if row['state'] != 'unmeasured'} if done.stdout else {}
        mine = {key: axes for key, axes in states(view).items() if axes is not None}
        self.count['freshness checks'] += len(mine)
        differ = sorted(key for key in mine.keys() | theirs.keys() if mine.get(key) != theirs.get(key))
        if differ:
            raise Fault(f'freshness: {differ[0]}: the judge says {mine.get(differ[0])}, ls says {theirs.get(differ[0])}')

    def at(self, commit, branch='work', upstream=None):
        """Checks out a commit on a clean branch, with or without an upstream branch."""
        self.git('checkout', '-qf', '-B', branch, '--no-track', commit)
        self.git('clean', '-fdxq')
        self.git('config', '--remove-section', f'branch.{branch}', fails=True)
        if upstream:
            self.git('update-ref', 'refs/remotes/origin/up', upstream)
            self.git('config', f'branch.{branch}.remote', 'origin')
            self.git('config', f'branch.{branch}.merge', 'refs/heads/up')

    def put(self, path, commit):
        """Writes the file as a commit has it, without an event. Returns False where the commit has none, so the file goes."""
        at = os.path.join(self.git.top, path)
        if self.git('ls-tree', commit, '--', path):
            os.path.isdir(at) and not os.path.islink(at) and shutil.rmtree(at)
            self.git('restore', '--worktree', '--source', commit, '--', path)
            return True
        os.path.lexists(at) and os.remove(at)
        return False

    def changes(self, old, new):
        """The paths that differ, in a random order; deletions first, because a file can become a folder."""
        rows = self.git('diff-tree', '-r', '-z', '--no-renames', '--name-status', old, new).split('\0')[:-1]
        pairs = list(zip(rows[1::2], rows[::2]))
        self.dice.shuffle(pairs)
        return [path for path, _ in sorted(pairs, key=lambda pair: pair[1] != 'D')]

    def write(self, session, paths, commit):
        """Each path as an edit (a deletion as a command), or all of them by one command."""
        edits = [] if self.dice.random() < 0.25 else paths[:25]
        for path in edits:
            if self.put(path, commit):
                session.edit(path)
            else:
                session.command('rm ' + shlex.quote(path), [path])
        rest = paths[len(edits):]
        old = self.dice.random() < 0.3
        for path in rest:
            if self.put(path, commit) and old and not os.path.islink(os.path.join(self.git.top, path)):
                os.utime(os.path.join(self.git.top, path), (10**9, 10**9))  # as `cp -p` or `mv` would leave it
        if rest:
            session.command('make fix', rest)

    def commit(self, session):
        self.git('add', '-A')
        self.git('commit', '-q', '--allow-empty', '-m', 'work')
        session.command('git add -A && git commit -m work')

    def play(self, kind, name, parent, commit, child):
        """One session (or two) of this kind."""
        paths, dice = self.changes(parent, commit), self.dice
        half = dice.randint(0, len(paths))
        shutil.rmtree(os.path.join(self.git.top, '.git/yatsu'), ignore_errors=True) if kind == 'no event' or dice.random() < 0.2 else None
        self.at(parent, upstream=commit if kind in ('pulled', 'pulled, then edited', 'written as upstream') else None)
        me = Session(self, name)
        if kind == 'dirty start':
            for path in paths[:half]:
                self.put(path, commit)
            del paths[:half]
        if kind == 'other branch':
            self.at(parent + '^' if self.git('rev-parse', '-q', '--verify', parent + '^', fails=True) else parent, 'before')
        if kind not in ('late edit', 'late command'):
            me.start()
        if kind == 'other branch':
            self.git('checkout', '-q', 'work')
            me.command('git switch work', self.changes('before', 'work'))
        if kind in ('pulled', 'pulled, then edited'):
            self.git('merge', '-q', '--ff-only', commit)
            me.command('git pull', paths)
            paths, commit = (self.changes(commit, child), child) if child and kind == 'pulled, then edited' else ([], commit)
        if kind == 'two sessions':
            other = Session(self, name + '-other')
            other.timed = me.timed = True
            other.start()
            self.write(other, paths[:half], commit)
            del paths[:half]
            time.sleep(3)  # a command may have touched what changed up to two seconds before it began
            self.clock = time.time()
        if kind == 'compacted':
            self.write(me, paths[:half], commit)
            me.start('compact')
            dice.random() < 0.5 and self.write(me, paths[:half], commit)
        if kind == 'stop between':
            self.write(me, paths[:half], commit)
            me.stop(dice.random() < 0.3)
            del paths[:half]
        if kind in ('no event', 'late command'):
            for path in paths:
                self.put(path, commit)
        else:
            self.write(me, paths, commit)
        sometimes = kind in ('edited', 'other branch', 'stop between', 'dirty start') and dice.random() < 0.3
        if sometimes or kind in ('committed', 'late command'):
            self.commit(me)
        if kind == 'taken back' and paths:
            self.write(me, dice.sample(paths, dice.choice([1, len(paths)])), parent)
        if kind == 'stashed':
            self.git('stash', '-q', '--include-untracked', fails=True)
            me.command('git stash -u', paths)
        if kind == 'two sessions':
            other.stop()
        me.stop()
        if kind == 'written as upstream' and paths:
            path = dice.choice(paths)
            if self.put(path, commit) and not os.path.islink(os.path.join(self.git.top, path)):
                with open(os.path.join(self.git.top, path), 'ab') as file:
                    file.write(b'\n')
                me.edit(path)
                me.stop()
        if kind == 'two sessions':
            other.stop(dice.random() < 0.5)
        me.stop(dice.random() < 0.5)


KINDS = ['edited', 'committed', 'taken back', 'stashed', 'pulled', 'pulled, then edited', 'written as upstream', 'other branch',
         'late edit', 'late command', 'dirty start', 'compacted', 'stop between', 'two sessions', 'no event']
COLUMNS = ['sessions', 'stops', 'asked', 'said later', 'demands', 'correct', 'false', 'missed', 'second', 'excused', 'notes',
           'freshness checks', 'differences']


def pick(git, rows, number, dice):
    """Random commits with scenarios in the parent. Three of four change a governed file of a fresh scenario, if there are enough."""
    picked, others = [], []
    dice.shuffle(rows)
    for row in rows:
        view = git.tree(row[1])
        changed = set(git('diff-tree', '-r', '-z', '--no-renames', '--name-only', row[1], row[0]).split('\0'))
        keys = [key for key, scenario in view.scenarios().items() if not governed(view, scenario).isdisjoint(changed)]
        if any(stale(view, view.scenarios()[key]) == [] for key in keys):
            picked.append(row)
        elif view.scenarios():
            others.append(row)
        if 4 * len(picked) >= 3 * number:
            break
    picked += others[:number - len(picked)]
    dice.shuffle(picked)
    return picked


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument('program')
    parser.add_argument('repository')
    parser.add_argument('commits', nargs='?', type=int, default=200)
    parser.add_argument('--seed', type=int, default=1)
    parser.add_argument('--only', type=int)
    parser.add_argument('-v', '--verbose', action='store_true')
    args = parser.parse_args()
    with tempfile.TemporaryDirectory() as room:
        git = Git(room, os.path.abspath(args.repository))
        rows = [row.split() for row in git('rev-list', '--parents', 'HEAD').split('\n')]
        child = {row[1]: row[0] for row in rows if len(row) > 1}
        picked = pick(git, [row for row in rows if len(row) > 1], args.commits, random.Random(args.seed))
        game, table = Game(git, os.path.abspath(args.program), args.verbose), collections.defaultdict(collections.Counter)
        for number, (commit, parent, *_) in enumerate(picked):
            kind = KINDS[number % len(KINDS)]
            if args.only in (None, number):
                game.dice, game.count = random.Random(f'{args.seed} {number}'), table[kind]
                game.count['sessions'] += 1
                try:
                    game.play(kind, f'session-{args.seed}-{number}', parent, commit, child.get(commit))
                except Fault as fault:
                    game.count['differences'] += 1
                    print(f'session {number} ({kind}, {commit[:10]}): {fault}', flush=True)
        git.cat.kill()
    print('kind'.ljust(20), *(name.rjust(max(7, len(name))) for name in COLUMNS))
    for kind in [*KINDS, 'all']:
        counts = sum(table.values(), collections.Counter()) if kind == 'all' else table[kind]
        print(kind.ljust(20), *(str(counts[name]).rjust(max(7, len(name))) for name in COLUMNS))
    sys.exit(any(counts['differences'] for counts in table.values()))


if __name__ == '__main__':
    main()
