# Declarations of Python files as the module `ast` sees them.
# python3 read.py FILE...  A line a piece: file, name, first byte, byte behind the last.
import ast
import sys


def bound(target):
    if isinstance(target, ast.Name):
        return [target.id]
    if isinstance(target, (ast.Tuple, ast.List)):
        return [name for one in target.elts for name in bound(one)]
    return bound(target.value) if isinstance(target, ast.Starred) else []


def prefixes(node):
    """`a` and `a.b` for `a.b`, `a.b[0]` and `a.b.c()`: what is changed by what is done to the expression."""
    if isinstance(node, ast.Name):
        return [node.id], True
    if isinstance(node, ast.Attribute):
        names, goes_on = prefixes(node.value)
        return (names + [names[-1] + "." + node.attr], True) if names and goes_on else (names, False)
    if isinstance(node, ast.Call):
        of = node.func.value if isinstance(node.func, ast.Attribute) else node.func
        return prefixes(of)[0], False
    if isinstance(node, (ast.Subscript, ast.Await)):
        names, goes_on = prefixes(node.value)
        return names, goes_on and isinstance(node, ast.Await)
    return [], False


def changed(target):
    if isinstance(target, (ast.Tuple, ast.List)):
        return [name for one in target.elts for name in changed(one)]
    if isinstance(target, ast.Starred):
        return changed(target.value)
    return prefixes(target)[0] if isinstance(target, (ast.Attribute, ast.Subscript)) else []


def walruses(node):
    """What `:=` binds in the expressions directly in a statement; a lambda has names of its own."""
    if isinstance(node, ast.NamedExpr):
        yield node
    if not isinstance(node, (ast.Lambda, ast.stmt, ast.excepthandler)) and type(node).__name__ != "match_case":
        for child in ast.iter_child_nodes(node):
            yield from walruses(child)


class Reader:
    def __init__(self, file):
        self.file, self.known, self.extending, self.globals = file, set(), [], set()
        self.source = open(file, "rb").read()
        self.starts = [0]
        for line in self.source.split(b"\n"):
            self.starts.append(self.starts[-1] + len(line) + 1)

    def read(self):
        try:
            tree = ast.parse(self.source)
        except (SyntaxError, ValueError):
            print(self.file, "!", sep="\t")
            return
        self.block(tree.body, [], False)
        for path, name, around, piece in self.extending:
            while around and path and ".".join([*path, name]) not in self.known:
                path = path[:-1]
            if ".".join([*path, name]) in self.known:
                print(self.file, ".".join([*path, name]), *piece, sep="\t")

    def note(self, path, name, node):
        self.known.add(".".join([*path, name]))
        print(self.file, ".".join([*path, name]), *self.piece(node), sep="\t")

    def extend(self, path, names, node, around, in_code):
        for name in names:
            if name in self.globals:
                self.extending.append(([], name, False, self.piece(node)))
            elif not in_code and not self.globals.intersection(names):
                self.extending.append((path, name, around, self.piece(node)))

    def piece(self, node):
        start = self.starts[node.lineno - 1] + node.col_offset
        for decorator in getattr(node, "decorator_list", [])[:1]:
            start = self.source.rindex(b"@", 0, self.starts[decorator.lineno - 1] + decorator.col_offset)
        end = self.starts[node.end_lineno - 1] + node.end_col_offset
        if isinstance(getattr(node, "body", None), list):
            end = self.behind_comments(node, end)
        return start, end

    def behind_comments(self, node, end):
        """A comment at the end of a body, on its last line or indented as it is, belongs to it: `ast` knows no comments."""
        last = (getattr(node, "orelse", None) or node.body)[-1]
        is_one_line = last.end_lineno == node.lineno
        for number in range(node.end_lineno - 1, node.end_lineno if is_one_line else len(self.starts) - 1):
            line = self.source[self.starts[number]:self.starts[number + 1]]
            rest = line if number >= node.end_lineno else self.source[end:self.starts[number + 1]]
            text = rest.strip()
            if number >= node.end_lineno and text and len(line) - len(line.lstrip()) <= node.col_offset:
                break
            if text.startswith(b"#"):
                end = self.starts[number] + len(line.rstrip(b"\r\n"))
            elif text:
                break
        return end

    def block(self, statements, path, in_code):
        for one in statements:
            self.statement(one, path, in_code)

    def value(self, path, names, node, in_code):
        """A variable: of the file where a `global` around says so."""
        for name in dict.fromkeys(names):
            if name in self.globals:
                self.extend([], [name], node, False, in_code)
            elif not in_code:
                self.note(path, name, node)

    def statement(self, one, path, in_code):
        if isinstance(one, (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)):
            self.note(path, one.name, one)
            outside, self.globals = self.globals, set()
            self.block(one.body, [*path, one.name], not isinstance(one, ast.ClassDef))
            self.globals = outside
            return
        is_whole = isinstance(one, (ast.Expr, ast.Assign, ast.AnnAssign, ast.AugAssign))
        for node in (node for child in ast.iter_child_nodes(one) for node in walruses(child)):
            self.value(path, [node.target.id], one if is_whole else node, in_code)
        targets = getattr(one, "targets", None) or [getattr(one, "target", None)]
        targets = [target for target in targets if target is not None]
        if isinstance(one, (ast.Assign, ast.AnnAssign, ast.AugAssign, ast.For, ast.AsyncFor)):
            self.value(path, [name for target in targets for name in bound(target)], one, in_code)
        if isinstance(one, (ast.With, ast.AsyncWith)):
            opened = [item.optional_vars for item in one.items if item.optional_vars]
            self.value(path, [name for target in opened for name in bound(target)], one, in_code)
        if type(one).__name__ == "TypeAlias" and not in_code:
            self.note(path, one.name.id, one)
        if isinstance(one, ast.Global) and path:
            self.globals.update(one.names)
        self.changes(one, path, targets, in_code)
        for part in ("body", "orelse", "finalbody"):
            self.block(getattr(one, part, None) or [], path, in_code)
        for handler in getattr(one, "handlers", []):
            if handler.name:
                self.extend(path, [handler.name], handler, False, in_code)
            self.block(handler.body, path, in_code)
        for case in getattr(one, "cases", []):
            self.block(case.body, path, in_code)

    def changes(self, one, path, targets, in_code):
        """What extends the units of a name."""
        if isinstance(one, (ast.Assign, ast.AnnAssign, ast.AugAssign, ast.For, ast.AsyncFor)):
            self.extend(path, [name for target in targets for name in changed(target)], one, True, in_code)
        if isinstance(one, ast.Delete):
            self.extend(path, [name for target in targets for name in [*bound(target), *changed(target)]], one, True, in_code)
        if isinstance(one, (ast.Import, ast.ImportFrom)):
            self.extend(path, [name.asname or name.name.split(".")[0] for name in one.names], one, False, in_code)
        call = one.value if isinstance(one, ast.Expr) else None
        if isinstance(call, ast.Await) or isinstance(call, ast.Call) and not isinstance(call.func, ast.Name):
            self.extend(path, prefixes(call)[0], one, True, in_code)


for file in sys.argv[1:]:
    Reader(file).read()
