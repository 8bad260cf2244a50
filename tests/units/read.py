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


class Reader:
    def __init__(self, file):
        self.file = file
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

    def note(self, path, name, node):
        start = self.starts[node.lineno - 1] + node.col_offset
        for decorator in getattr(node, "decorator_list", [])[:1]:
            start = self.source.rindex(b"@", 0, self.starts[decorator.lineno - 1] + decorator.col_offset)
        end = self.starts[node.end_lineno - 1] + node.end_col_offset
        if isinstance(getattr(node, "body", None), list):
            end = self.behind_comments(node, end)
        print(self.file, ".".join([*path, name]), start, end, sep="\t")

    def behind_comments(self, node, end):
        """A comment at the end of a body, on its last line or indented as it is, belongs to it: `ast` knows no comments."""
        is_one_line = node.body[-1].end_lineno == node.lineno
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

    def statement(self, one, path, in_code):
        if isinstance(one, (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)):
            self.note(path, one.name, one)
            self.block(one.body, [*path, one.name], not isinstance(one, ast.ClassDef))
        elif isinstance(one, (ast.Assign, ast.AnnAssign)):
            targets = one.targets if isinstance(one, ast.Assign) else [one.target]
            names = [] if in_code else dict.fromkeys(name for target in targets for name in bound(target))
            for name in names:
                self.note(path, name, one)
        elif type(one).__name__ == "TypeAlias" and not in_code:
            self.note(path, one.name.id, one)
        else:
            for part in ("body", "orelse", "finalbody"):
                self.block(getattr(one, part, None) or [], path, in_code)
            for handler in [*getattr(one, "handlers", []), *getattr(one, "cases", [])]:
                self.block(handler.body, path, in_code)


for file in sys.argv[1:]:
    Reader(file).read()
