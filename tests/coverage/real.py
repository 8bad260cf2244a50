#!/usr/bin/env python3
"""Holds what the program says of coverage against real repositories and another reader of the same files (measured.py).

usage: real.py [--edits N] [--seeds N] [--only COLUMN] PROGRAM CASE.json...

A case is {"name", "repository", "commit", "root", "language", "ignore": [glob], "everywhere": [glob],
"reports"?: {"junit", "coverage"}, "scenarios": [{"name", "test", "function"?, "coverage": [file], "hand"?: [glob]}]}.
`root` is the directory in which the files were measured, `ignore` the repository's coverageIgnore, `hand` what a person would
list for the scenario, beside `everywhere`, `reports` one run of several tests with their names in the coverage, `function` the
test of a Go file that was run alone. Paths stand relative to the case.

Each kind of declaration is written for all scenarios at once, every reading is filed with its coverage, and of `scan` is asked:
  named    what the test's own imports name: written without care, for comparison
  closed   what these files import in turn
  hand     what a person listed, before they saw any coverage
  again    the same, with the files that `hand` lacks in every fifth scenario now listed in all: one look at the finding
  tests    `named` again, filed from `reports`: each scenario gets what its own tests ran
  seeds    `closed`, or `again`, without one file that ran: found, or not
  stale    what `coverage suggest` proposes; then lines that ran are edited, and the reading has to go stale
  left     a file that ran is marked as generated, one is taken out of git: neither is proposed
`--only model` asks the other reader alone. Prints a table; exits 1 when an answer differs from the other reader's, a seed is
not found, a file is proposed that is untracked, generated or a test, or an edit leaves a reading fresh.
"""
import argparse
import collections
import fnmatch
import json
import os
import random
import re
import shutil
import subprocess
import sys
import tempfile

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import declare
import measured

NODE = '.spec/real'
# a longer list is an error by itself, and what it may name is not said
MAX_PATHS = 64


class Fault(Exception):
    pass


class Case:
    def __init__(self, program, path, work):
        with open(path, encoding='utf-8') as file:
            self.__dict__.update(json.load(file))
        self.program, self.base, self.faults = program, os.path.dirname(os.path.abspath(path)), []
        self.tree = os.path.join(work, self.name)
        git = ['git', '-c', 'advice.detachedHead=false', '-c', 'init.defaultBranch=main']
        subprocess.run([*git, 'clone', '-q', os.path.join(self.base, self.repository), self.tree], check=True)
        subprocess.run([*git, '-C', self.tree, 'checkout', '-q', self.commit], check=True)
        self.tracked = set(self.git('ls-files').splitlines())
        for key, value in (('user.name', 'A'), ('user.email', 'a@example.invalid')):
            self.git('config', key, value)
        tests = {s['test'] for s in self.scenarios}
        module = re.search(r'^module (\S+)', self.read('go.mod'), re.M).group(1) if 'go.mod' in self.tracked else '\0'
        analysis = declare.ANALYSES.get(self.language)
        analysis = analysis and analysis(self.tracked, self.read)
        reports = self.__dict__.get('reports')
        self.reports = reports and {key: os.path.join(self.base, file) for key, file in reports.items()}
        reports = self.reports
        for s in self.scenarios:
            s['coverage'] = [os.path.join(self.base, file) for file in s['coverage']]
            for file in s['coverage']:
                os.utime(file)
            s['run'] = measured.Run(s['coverage'], self.root, module, self.tracked, tests, self.read)
            if reports:
                stem = re.compile(rf'\b{re.escape(os.path.basename(s["test"]).split(".")[0])}\b')
                s['own'] = measured.Run([reports['coverage']], self.root, module, self.tracked, tests, self.read, stem.search)
            if analysis:
                start = analysis.edges(s['test'], s['function']) if 'function' in s else analysis.edges(s['test'])
                s['named'] = self.plain(start)
                s['closed'] = self.plain(declare.closed(analysis, start, s['test']))
            if 'hand' in s:
                globs = s['hand'] + self.everywhere
                s['hand'] = {p for p in self.tracked for g in globs if matches(p, g)}
        self.tests = tests
        self.look_again()

    def plain(self, paths):
        return {p for p in paths if not measured.is_test(p, ())}

    def read(self, path):
        with open(os.path.join(self.tree, path), encoding='utf-8') as file:
            return file.read()

    def git(self, *words):
        return subprocess.run(['git', '-C', self.tree, *words], check=True, capture_output=True, text=True).stdout

    def call(self, *words, exits=(0,)):
        done = subprocess.run([self.program, *words], cwd=self.tree, capture_output=True, text=True)
        if done.returncode not in exits:
            raise Fault(f'{self.name}: {" ".join(words)}: exit {done.returncode}\n{done.stdout}{done.stderr}')
        return done.stdout

    def fault(self, text):
        self.faults.append(f'{self.name}: {text}')

    # --- declarations and readings ------------------------------------------------------------------------------------

    def declared(self, lists, with_coverage=True):
        """Declares, files a reading for each scenario, and returns what `scan` says of the coverage."""
        self.declare(lists)
        for s in self.scenarios:
            if s['name'] in lists:
                self.call('eval', f'{NODE}/{s["name"]}', '--pass', *(flags(s) if with_coverage else ()))
        self.save('measure')
        return self.undeclared()

    def declare(self, lists):
        """Writes one scenario for each list."""
        shutil.rmtree(os.path.join(self.tree, NODE), ignore_errors=True)
        os.makedirs(os.path.join(self.tree, NODE))
        self.write(f'{NODE}/spec.md', '---\ntitle: Real\n---\n')
        entries = [{'name': s['name'], 'description': 'run its test', 'expected': 'it passes', 'tags': ['cli'], 'test': s['test'],
                    'code': sorted(lists[s['name']])} for s in self.scenarios if s['name'] in lists]
        self.write(f'{NODE}/yatsu.md', f'---\nscenarios: {json.dumps(entries)}\n---\n')
        self.write('spexcode.json', json.dumps({'yatsu': {'coverageIgnore': self.ignore}}))
        self.save('declare')

    def write(self, path, text):
        with open(os.path.join(self.tree, path), 'w', encoding='utf-8') as file:
            file.write(text)

    def save(self, message):
        self.git('add', '-A')
        self.git('commit', '-q', '--allow-empty', '-m', message)

    def undeclared(self):
        found = json.loads(self.call('scan', '--format', 'json', exits=(0, 1)))['findings']
        return {f['scenario']: set(f['undeclared']) for f in found if f['rule'] == 'under-declared'}

    def wrong(self, paths):
        return {p for p in paths if p not in self.tracked or measured.is_test(p, self.tests)}

    def ignored(self, path):
        return any(matches(path, glob) for glob in self.ignore)

    def look_again(self):
        """What `hand` lacks in one scenario in five is a file that all of them share, and a person would list it for all."""
        scenarios = [s for s in self.scenarios if s.get('hand')]
        lacking = collections.Counter(p for s in scenarios for p in s['run'].ran if p not in s['hand'] and not self.ignored(p))
        shared = {p for p, times in lacking.items() if times * 5 >= len(scenarios)}
        for s in scenarios:
            s['again'] = s['hand'] | shared
        self.shared = sorted(shared)

    # --- the checks ---------------------------------------------------------------------------------------------------

    def noise(self, kind):
        lists = {s['name']: s[kind] for s in self.scenarios if s.get(kind)}
        if not lists:
            return '-'
        said = self.declared(lists)
        for s in self.scenarios:
            if s['name'] not in lists:
                continue
            answer = said.get(s['name'], set())
            awaited = {p for p in s['run'].ran if p not in lists[s['name']] and not self.ignored(p)}
            if len(lists[s['name']]) > MAX_PATHS:
                awaited = set()
            if answer != awaited:
                self.fault(f'{kind} {s["name"]}: not said {sorted(awaited - answer)}, said in vain {sorted(answer - awaited)}')
            if self.wrong(answer):
                self.fault(f'{kind} {s["name"]}: never to be proposed: {sorted(self.wrong(answer))}')
        return f'{len(said)}/{len(lists)}'

    def by_test(self):
        if not self.reports:
            return '-'
        lists = {s['name']: s['named'] or s['hand'] for s in self.scenarios if s['own'].ran}
        self.declare(lists)
        self.call('eval', NODE, '--from-junit', self.reports['junit'], '--coverage', self.reports['coverage'], '--older-report')
        self.save('measure')
        said = self.undeclared()
        for s in self.scenarios:
            awaited = {p for p in s['own'].ran if p not in lists.get(s['name'], s['own'].ran) and not self.ignored(p)}
            if said.get(s['name'], set()) != awaited:
                self.fault(f'tests {s["name"]}: awaited {sorted(awaited)}, said {sorted(said.get(s["name"], ()))}')
        return f'{len(said)}/{len(lists)}'

    def seeds(self, rounds, chance):
        found = sown = 0
        for _ in range(rounds):
            lists, taken = {}, {}
            for s in self.scenarios:
                complete = s.get('closed') or s['again']
                could = sorted(p for p in s['run'].ran if p in complete and not self.ignored(p))
                if could and len(complete) > 1:
                    taken[s['name']] = chance.choice(could)
                    lists[s['name']] = complete - {taken[s['name']]}
            said = self.declared(lists)
            for name, path in taken.items():
                sown += 1
                found += path in said.get(name, ())
                if path not in said.get(name, ()):
                    self.fault(f'seed {path} of {name} is not found')
        return f'{found}/{sown}'

    def left(self, chance):
        """One file that ran is marked as generated, one is taken out of git: neither is proposed, and the others still are."""
        generated, untracked = chance.sample(sorted({p for s in self.scenarios for p in s['run'].ran if not self.ignored(p)}), 2)
        self.write('.gitattributes', f'{generated} linguist-generated\n')
        self.git('rm', '-q', '--cached', untracked)
        self.write('.git/info/exclude', f'/{untracked}\n')
        right = asked = 0
        lists = {s['name']: {s['test']} for s in self.scenarios if s['run'].ran}
        self.declared(lists, with_coverage=False)
        for s in self.scenarios:
            if s['name'] in lists and {generated, untracked} & set(s['run'].ran):
                awaited = {p for p in s['run'].ran if not self.ignored(p)} - {generated, untracked}
                added = {p for p in self.suggested(s)['added'] if not self.ignored(p)}
                asked, right = asked + 1, right + (added == awaited)
                if added != awaited:
                    self.fault(f'left {s["name"]}: lacks {sorted(awaited - added)}, has in vain {sorted(added - awaited)}')
        self.git('add', '-f', untracked)
        self.git('rm', '-q', '--cached', '.gitattributes')
        os.remove(os.path.join(self.tree, '.gitattributes'))
        self.save('back')
        return f'{right}/{asked}'

    def suggested(self, s):
        return json.loads(self.call('coverage', 'suggest', f'{NODE}/{s["name"]}', *flags(s), '--format', 'json'))

    def suggest(self, edits, chance):
        first = {s['name']: {min(s['run'].ran)} for s in self.scenarios if s['run'].ran}
        self.declared(first, with_coverage=False)
        lists, in_spite = {}, set()
        for s in self.scenarios:
            if s['name'] not in first:
                continue
            answer = self.suggested(s)
            lists[s['name']] = set(answer['code'])
            code = set(answer['code'])
            in_spite.update(p for p in code - first[s['name']] if self.ignored(p))
            awaited = {p for p in s['run'].ran if not self.ignored(p)} | first[s['name']]
            if code - in_spite != awaited - in_spite:
                self.fault(f'suggest {s["name"]}: lacks {sorted(awaited - code)}, has in vain {sorted(code - awaited - in_spite)}')
            if self.wrong(answer['code']):
                self.fault(f'suggest {s["name"]}: never to be proposed: {sorted(self.wrong(answer["code"]))}')
        if in_spite:
            self.fault(f'suggest proposes in spite of coverageIgnore: {sorted(in_spite)}')
        self.declared(lists, with_coverage=False)
        stale = asked = 0
        for _ in range(edits):
            of = chance.choice([s for s in self.scenarios if s['name'] in lists])
            path = chance.choice(sorted(p for p in of['run'].ran if not self.ignored(p)))
            line = chance.choice(sorted(of['run'].ran[path]))
            self.edit(path, line, chance)
            score = json.loads(self.call('ls', '--format', 'json'))['scenarios']
            states = {row['scenario']: row['state'] for row in score}
            for s in self.scenarios:
                if s['name'] in lists and line in s['run'].ran.get(path, ()):
                    asked += 1
                    stale += states[s['name']] == 'stale'
                    if states[s['name']] != 'stale':
                        self.fault(f'{s["name"]} is {states[s["name"]]} after an edit of {path}:{line}, which it ran')
            self.git('checkout', '-q', '--', path)
        return f'{stale}/{asked}'

    def edit(self, path, line, chance):
        lines = self.read(path).splitlines(keepends=True)
        at = line - 1
        kind = chance.randrange(4)
        if kind == 0:
            del lines[at]
        elif kind == 1:
            lines.insert(at, lines[at])
        elif kind == 2:
            lines[at] = lines[at].rstrip('\n') + ' \n'
        else:
            column = chance.randrange(len(lines[at].rstrip('\n')) + 1)
            lines[at] = lines[at][:column] + 'x' + lines[at][column:]
        self.write(path, ''.join(lines))


def matches(path, glob):
    return path == glob or path.startswith(glob.rstrip('/') + '/') or fnmatch.fnmatchcase(path, glob.replace('**', '*'))


def flags(scenario):
    return [word for file in scenario['coverage'] for word in ('--coverage', file)]


KINDS = {
    'named': lambda case, given, chance: case.noise('named'),
    'closed': lambda case, given, chance: case.noise('closed'),
    'hand': lambda case, given, chance: case.noise('hand'),
    'again': lambda case, given, chance: case.noise('again'),
    'tests': lambda case, given, chance: case.by_test(),
    'seeds': lambda case, given, chance: case.seeds(given.seeds, chance),
    'stale': lambda case, given, chance: case.suggest(given.edits, chance),
    'left': lambda case, given, chance: case.left(chance),
}


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument('--edits', type=int, default=40)
    parser.add_argument('--seeds', type=int, default=3)
    parser.add_argument('--only', choices=['model', *KINDS])
    parser.add_argument('program')
    parser.add_argument('cases', nargs='+')
    given = parser.parse_args()
    faults = []
    print(row('case', 'scenarios', *KINDS))
    with tempfile.TemporaryDirectory() as work:
        for path in given.cases:
            case = Case(os.path.abspath(given.program), path, work)
            if given.only == 'model':
                print_model(case)
            else:
                cells = [cell(case, given, kind) for kind in KINDS]
                print(row(case.name, len(case.scenarios), *cells), flush=True)
            faults += case.faults
    for fault in faults:
        print(fault)
    return 1 if faults else 0


def row(name, scenarios, *cells):
    return f'{name:<10}{scenarios:>10}' + ''.join(f'{cell:>9}' for cell in cells)


def cell(case, given, kind):
    if given.only not in (None, kind):
        return '-'
    try:
        return KINDS[kind](case, given, random.Random(29))
    except Fault as fault:
        case.faults.append(str(fault))
        return 'FAULT'


def print_model(case):
    """What is to be awaited, without a call of the program: who would be spoken of, and why."""
    for kind in ('named', 'closed', 'hand', 'again'):
        scenarios = [s for s in case.scenarios if s.get(kind)]
        spoken = {s['name']: sorted(p for p in s['run'].ran if p not in s[kind] and not case.ignored(p)) for s in scenarios}
        spoken = {name: paths for name, paths in spoken.items() if paths}
        print(case.name, kind, f'{len(spoken)}/{len(scenarios)}', *(case.shared if kind == 'again' else ()))
        for name, paths in spoken.items() if kind != 'named' else ():
            print('   ', name, *paths)


if __name__ == '__main__':
    sys.exit(main())
