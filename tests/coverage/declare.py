"""Writes declarations by following imports: from a test's file to the files of the repository that it names, and on.

`named` holds what the test itself names, `closed` what these files need in turn. Imports that are for types alone, and calls
that no import shows, are not followed: a person who reads the imports would write the same.
"""
import ast
import posixpath
import re

import measured


class Python:
    def __init__(self, tracked, read):
        self.tracked, self.read = tracked, read
        self.modules = {}
        for path in tracked:
            if path.endswith('.py') and '/tests/' not in f'/{path}':
                name = path.removeprefix('src/').removesuffix('.py').replace('/', '.').removesuffix('.__init__')
                self.modules[name] = path

    def definer(self, module, name, depth=0):
        """The file that defines a name of a module; an `__init__` that only hands it on is passed through."""
        if f'{module}.{name}' in self.modules:
            return self.modules[f'{module}.{name}']
        path = self.modules[module]
        if path.endswith('__init__.py') and depth < 5:
            for node in ast.walk(ast.parse(self.read(path))):
                if isinstance(node, ast.ImportFrom):
                    for alias in node.names:
                        origin = self.absolute(node, path)
                        if (alias.asname or alias.name) == name and origin in self.modules:
                            return self.definer(origin, alias.name, depth + 1)
        return path

    def absolute(self, node, path):
        if not node.level:
            return node.module
        package = path.removeprefix('src/').split('/')[:-node.level]
        return '.'.join(package + ([node.module] if node.module else []))

    def edges(self, path):
        found = self.imports(path)
        if measured.is_test(path, ()):
            folders = path.split('/')[:-1]
            for depth in range(len(folders) + 1):
                shared = '/'.join([*folders[:depth], 'conftest.py'])
                found |= self.imports(shared) if shared in self.tracked else set()
        return found

    def imports(self, path):
        found, names = set(), {}
        body = ast.parse(self.read(path))
        types_only = {id(inner) for node in ast.walk(body) if isinstance(node, ast.If) and 'TYPE_CHECKING' in ast.dump(node.test)
                      for inner in ast.walk(node)}
        for node in ast.walk(body):
            if id(node) in types_only:
                continue
            if isinstance(node, ast.ImportFrom):
                module = self.absolute(node, path)
                for alias in node.names:
                    if module in self.modules:
                        found.add(self.definer(module, alias.name))
                        if f'{module}.{alias.name}' in self.modules:
                            names[alias.asname or alias.name] = f'{module}.{alias.name}'
            elif isinstance(node, ast.Import):
                for alias in node.names:
                    if alias.name in self.modules:
                        names[alias.asname or alias.name.split('.')[0]] = alias.name if alias.asname else alias.name.split('.')[0]
                        if '.' in alias.name:
                            found.add(self.modules[alias.name])
        for node in ast.walk(body):
            if isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name) and names.get(node.value.id) in self.modules:
                found.add(self.definer(names[node.value.id], node.attr))
        return found


class Script:
    """JavaScript and TypeScript: relative imports and requires, without `import type`."""

    def __init__(self, tracked, read):
        self.tracked, self.read = tracked, read

    def edges(self, path):
        text = re.sub(r'import\s+type\b[^;\n]*?from\s*[\'"][^\'"]+[\'"]', '', self.read(path), flags=re.S)
        found = set()
        for target in re.findall(r'(?:from|import|require\()\s*[\'"](\.{1,2}(?:/[^\'"]*)?)[\'"]', text):
            base = posixpath.normpath(posixpath.join(posixpath.dirname(path), target))
            for end in ('', '.ts', '.tsx', '.js', '.mjs', '/index.ts', '/index.tsx', '/index.js'):
                if base + end in self.tracked:
                    found.add(base + end)
                    break
            else:
                if base in ('', '.') and 'index.js' in self.tracked:
                    found.add('index.js')
        return found


class Go:
    """One package is one name space: a file needs those of its package, or of an imported one, that define what it mentions."""

    def __init__(self, tracked, read):
        self.read, self.files, self.defines = read, [p for p in tracked if p.endswith('.go') and not p.startswith('_')], {}
        self.module = re.search(r'^module (\S+)', read('go.mod'), re.M).group(1)
        for path in self.files:
            if not path.endswith('_test.go'):
                text = read(path)
                self.defines[path] = set(re.findall(r'^func (?:\([^)]*\) )?(\w+)', text, re.M)) | set(
                    re.findall(r'^(?:type|var|const) (\w+)', text, re.M))

    def edges(self, path, of=None):
        text = self.read(path)
        if of:
            text = re.search(rf'^func {of}\(.*?^}}', text, re.M | re.S).group(0)
        words, whole = set(re.findall(r'\b\w+\b', text)), self.read(path)
        here = {posixpath.dirname(path)}
        for package in re.findall(rf'"{re.escape(self.module)}(/[^"]*)?"', whole):
            here.add(package.strip('/'))
        return {p for p, names in self.defines.items() if posixpath.dirname(p) in here and names & words}


ANALYSES = {'python': Python, 'script': Script, 'go': Go}


def closed(analysis, start, test):
    found, left = set(start), list(start)
    while left:
        for path in analysis.edges(left.pop()):
            if path not in found and path != test:
                found.add(path)
                left.append(path)
    return found
