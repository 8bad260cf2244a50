"""Reads a coverage file apart from the program: which tracked files ran, which were only loaded, which stood idle.

Written from the formats' own pages and docs/coverage.md, so that real.py can hold the program's answer against another's.
"""
import ast
import fnmatch
import json
import os
import re
import xml.etree.ElementTree as tree


class Seen:
    """One measured file: the functions that the tool counts (None without counters), and the lines that ran."""

    def __init__(self):
        self.functions, self.ran, self.lines, self.inside, self.statements = None, 0, set(), None, False

    def count(self, hits):
        self.functions = (self.functions or 0) + 1
        self.ran += hits > 0


def lcov(text):
    files, seen, entries = {}, None, {}
    for line in text.splitlines():
        key, _, rest = line.partition(':')
        if key == 'SF':
            seen = files.setdefault(rest, Seen())
        elif key == 'FNDA':
            seen.count(int(rest.split(',')[0]))
        elif key == 'FNA':
            seen.count(int(rest.split(',')[1]))
        elif key == 'DA':
            number, hits = rest.split(',')[:2]
            seen.statements = True
            if int(hits) > 0:
                seen.lines.add(int(number))
    return files


def coverage_py(text, keep=None):
    """`keep` chooses the contexts whose lines count; None is the whole run."""
    files = {}
    for name, value in json.loads(text)['files'].items():
        seen = files[name] = Seen()
        seen.lines = set(value['executed_lines'])
        seen.statements = bool(seen.lines or value['missing_lines'])
        if keep:
            seen.lines &= {int(line) for line, names in value['contexts'].items() if any(map(keep, names))}
        if 'functions' in value:
            inside = [seen.lines.intersection(f['executed_lines']) for key, f in value['functions'].items() if key]
            for lines in inside:
                seen.count(len(lines))
            seen.inside = {line for lines in inside for line in lines}
    return files


def cobertura(text):
    files, root = {}, tree.fromstring(text)
    sources = [s.text.rstrip('/') for s in root.iter('source') if s.text]
    for cls in root.iter('class'):
        name = cls.get('filename')
        choices = [name] if name.startswith('/') else [f'{source}/{name}' for source in sources] + [name]
        seen = files.setdefault(next((c for c in choices if os.path.exists(c)), choices[0]), Seen())
        for method in cls.iter('method'):
            seen.count(any(int(line.get('hits')) for line in method.iter('line')))
        for line in cls.iter('line'):
            seen.statements = True
            if int(line.get('hits')):
                seen.lines.add(int(line.get('number')))
    return files


def istanbul(text):
    files = {}
    for value in json.loads(text).values():
        seen = files.setdefault(value['path'], Seen())
        for hits in value['f'].values():
            seen.count(hits)
        for key, at in value['statementMap'].items():
            seen.statements = True
            if value['s'][key]:
                seen.lines.add(at['start']['line'])
    return files


def go(text):
    files = {}
    for line in text.splitlines()[1:]:
        name, first, count = re.match(r'(.*):(\d+)\.\d+,\d+\.\d+ \d+ (\d+)$', line).groups()
        seen = files.setdefault(name, Seen())
        seen.statements = True
        if int(count):
            seen.lines.add(int(first))
            seen.inside = seen.lines
    return files


def read(path, keep=None):
    with open(path, encoding='utf-8') as file:
        text = file.read()
    if text.startswith('mode:'):
        return go(text)
    if text.lstrip().startswith('<'):
        return cobertura(text)
    if text.startswith('{'):
        return coverage_py(text, keep) if '"meta"' in text[:100] else istanbul(text)
    return lcov(text)


def bodies(source):
    """The lines below the first line of each function of a Python file, and whether it has a function at all."""
    inside, any_function = set(), False
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef)):
            any_function = True
            inside.update(range(node.body[0].lineno if node.body[0].lineno > node.lineno else node.lineno + 1, node.end_lineno + 1))
    return inside, any_function


def is_test(path, declared):
    *above, name = path.split('/')
    return (path in declared or any(part in ('test', 'tests', '__tests__', 'spec') for part in above)
            or name == 'conftest.py' or any(fnmatch.fnmatchcase(name, p) for p in ('test_*', '*_test.*', '*.test.*', '*.spec.*')))


class Run:
    """What a run went through, by the tracked path of each file; the others are counted."""

    def __init__(self, paths, root, module, tracked, tests, source, keep=None):
        self.ran, self.loaded, self.idle, self.untracked, self.tests = {}, set(), set(), set(), set()
        for path in paths:
            for name, seen in read(path, keep).items():
                name = name.replace('\\', '/')
                for prefix in (root + '/', module + '/'):
                    name = name.removeprefix(prefix)
                if name not in tracked:
                    self.untracked.add(name)
                elif is_test(name, tests):
                    self.tests.add(name)
                else:
                    self.judge(name, seen, source)
        self.loaded -= set(self.ran)
        self.idle -= set(self.ran) | self.loaded

    def judge(self, name, seen, source):
        inside, functions = seen.inside, bool(seen.functions)
        ran = seen.ran > 0
        if not functions and name.endswith('.py'):
            below, functions = bodies(source(name))
            inside = seen.lines & below
            ran = bool(inside)
        if not functions:
            inside, ran = seen.lines, bool(seen.lines)
        if ran:
            self.ran.setdefault(name, set()).update(seen.lines if inside is None else inside)
        elif seen.lines:
            self.loaded.add(name)
        elif seen.statements:
            self.idle.add(name)
