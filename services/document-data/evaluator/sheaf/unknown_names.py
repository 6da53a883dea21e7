"""Names in a formula that nothing has: found in its text, without running it."""

import ast

from sheaf.records import Record, RecordSet

_LOOKUPS = ("lookupRecords", "lookupOne")
_ORDERS = ("order_by", "sort_by")
MOST = 20
"""Unknown names that are reported."""


class UnknownNames(ast.NodeVisitor):
    """Collects unknown names of a formula of a table. What cannot be known from the text is taken as right."""

    def __init__(self, engine, table, tree):
        self.engine = engine
        self.found = []
        self.bound = _bound_names(tree)
        self.kinds = {"rec": None if "rec" in self.bound else table, "table": None if "table" in self.bound else _Face(table)}
        for node in ast.walk(tree):
            if isinstance(node, (ast.comprehension, ast.For)) and isinstance(node.target, ast.Name):
                self._learn(node.target.id, self.kind(node.iter))
            elif isinstance(node, ast.Assign) and len(node.targets) == 1 and isinstance(node.targets[0], ast.Name):
                self._learn(node.targets[0].id, self.kind(node.value))
        self.visit(tree)

    def _learn(self, name, kind):
        # A name that is bound more than once may hold anything.
        self.kinds[name] = kind if self.bound[name] == 1 else None

    def kind(self, node):
        """Return the table whose record or records an expression gives, its face for a table, or None."""
        if isinstance(node, ast.Name):
            if node.id in self.kinds:
                return self.kinds[node.id]
            table = None if node.id in self.bound else self.engine.tables.get(node.id)
            return table and _Face(table)
        if isinstance(node, ast.Subscript):
            kind = self.kind(node.value)
            return None if isinstance(kind, _Face) else kind
        if isinstance(node, ast.Call):
            kind = self.kind(node.func.value) if isinstance(node.func, ast.Attribute) and node.func.attr in _LOOKUPS else None
            return kind.table if isinstance(kind, _Face) else None
        if isinstance(node, ast.Attribute):
            kind = self.kind(node.value)
            if isinstance(kind, _Face):
                return kind.table if node.attr == "all" else None
            column = kind and kind.columns.get(node.attr)
            return self.engine.tables.get(column.target_id) if column else None
        return None

    def visit_Name(self, node):
        if node.id not in self.bound and node.id not in self.kinds and node.id not in self.engine.namespace():
            self._add("name", node.id, node.lineno, node.col_offset)

    def visit_Attribute(self, node):
        self.visit(node.value)
        kind = self.kind(node.value)
        at = node.end_col_offset - len(node.attr.encode())
        if isinstance(kind, _Face):
            if node.attr not in ("all", *_LOOKUPS):
                self._add("method", node.attr, node.end_lineno, at)
        elif kind is not None and not self._has(kind, node.attr):
            self._add("column", node.attr, node.end_lineno, at, kind)

    def visit_Call(self, node):
        self.generic_visit(node)
        kind = self.kind(node)
        if kind is None:
            return
        for keyword in node.keywords:
            if keyword.arg in _ORDERS:
                self._check_order(kind, keyword.value)
            elif keyword.arg is not None and keyword.arg != "id" and keyword.arg not in kind.columns:
                self._add("column", keyword.arg, keyword.lineno, keyword.col_offset, kind)

    def _check_order(self, table, node):
        for part in node.elts if isinstance(node, ast.Tuple) else [node]:
            if isinstance(part, ast.Constant) and isinstance(part.value, str):
                name = part.value.removeprefix("-")
                if name != "id" and name not in table.columns:
                    self._add("column", name, part.lineno, part.col_offset + 1 + len(part.value) - len(name), table)

    @staticmethod
    def _has(table, name):
        return name in table.columns or hasattr(Record, name) or hasattr(RecordSet, name)

    def _add(self, kind, name, line, offset, table=None):
        if len(self.found) < MOST:
            self.found.append({"kind": kind, "name": name, "table": table.table_id if table else "", "line": line, "offset": offset})


class _Face:
    """Stands for a table by its name."""

    def __init__(self, table):
        self.table = table


def _bound_names(tree):
    """Return the names that a formula binds, wherever it does, and how often."""
    names = []
    for node in ast.walk(tree):
        if isinstance(node, ast.Name):
            if not isinstance(node.ctx, ast.Load):
                names.append(node.id)
        elif isinstance(node, ast.arg):
            names.append(node.arg)
        elif isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef, ast.ExceptHandler, ast.MatchAs, ast.MatchStar)):
            names.append(node.name)
        elif isinstance(node, ast.MatchMapping):
            names.append(node.rest)
        elif isinstance(node, ast.alias):
            names.append((node.asname or node.name).partition(".")[0])
    return {name: names.count(name) for name in names}
