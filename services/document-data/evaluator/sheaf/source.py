"""From the text of a formula to a Python function of (rec, table)."""

import ast
import re
import textwrap
import warnings

_LAZY = {"IF": (1, 2), "IFERROR": (0, 1), "ISERR": (0,), "ISERROR": (0,), "PEEK": (0,)}
"""Arguments that are computed only when the function asks for them."""

_LITERAL = re.compile(r"(?:(?<![A-Za-z0-9_])(?P<prefix>[rubftRUBFT]|[bftBFT][rR]|[rR][bftBFT]))?(?P<quote>'''|\"\"\"|'|\")")
_NAME = re.compile(r"\$(?=[A-Za-z_])")


class _Columns:
    """Replaces `$A` by `rec.A` in code, leaving comments and the text of strings alone."""

    def __init__(self, text):
        self.text = text
        self.out = []
        self.at = 0
        self.replaced = []

    def code(self, in_braces):
        """Copy code up to the end, or up to the brace or colon that ends a replacement field."""
        text, depth = self.text, 0
        while self.at < len(text):
            char = text[self.at]
            literal = _LITERAL.match(text, self.at)
            if literal:
                self._literal(literal)
                continue
            if char == "#":
                end = text.find("\n", self.at)
                self._copy(len(text) if end < 0 else end)
                continue
            if in_braces and depth == 0 and (char in "}:" or char == "!" and text[self.at + 1:self.at + 2] != "="):
                return
            depth += (char in "([{") - (char in ")]}")
            if char == "$" and _NAME.match(text, self.at) and not (self.at and re.match(r"\w", text[self.at - 1])):
                self.replaced.append(self.at)
                self.out.append("rec.")
                self.at += 1
                continue
            self._copy(self.at + 1)

    def _copy(self, end):
        self.out.append(self.text[self.at:end])
        self.at = end

    def _literal(self, match):
        prefix, quote = (match["prefix"] or "").lower(), match["quote"]
        self._copy(match.end())
        self._body(quote, "f" in prefix or "t" in prefix, "r" in prefix)

    def _body(self, quote, has_fields, raw):
        text = self.text
        while self.at < len(text):
            if text.startswith(quote, self.at):
                self._copy(self.at + len(quote))
                return
            char = text[self.at]
            if char == "\\":
                # A backslash keeps the quote after it also in a raw string.
                self._copy(self.at + (1 if raw and has_fields and text[self.at + 1:self.at + 2] in "{}" else 2))
            elif char == "\n" and len(quote) == 1:
                return
            elif has_fields and char in "{}":
                if text.startswith(char * 2, self.at):
                    self._copy(self.at + 2)
                elif char == "{":
                    self._field(quote)
                else:
                    self._copy(self.at + 1)
            else:
                self._copy(self.at + 1)

    def _field(self, quote):
        """Copy a replacement field of an f-string, which may have fields in its format."""
        self._copy(self.at + 1)
        self.code(True)
        text = self.text
        while self.at < len(text) and text[self.at] != "}" and not text.startswith(quote, self.at):
            if text[self.at] == "{":
                self._field(quote)
            else:
                self._copy(self.at + 1)
        if text.startswith("}", self.at):
            self._copy(self.at + 1)


class Source:
    """The text of a formula as Python compiles it, and where its parts are in the formula as it was written."""

    def __init__(self, text):
        body = text.replace("\r\n", "\n").replace("\r", "\n").rstrip()
        written = body.split("\n")
        if body.lstrip("\n")[:1] in (" ", "\t"):
            body = textwrap.dedent(body).lstrip(" \t")
        columns = _Columns(body)
        columns.code(False)
        self.code = "".join(columns.out)
        self._indents = [len(before) - len(after) for before, after in zip(written, body.split("\n"), strict=False)]
        self._replaced = columns.replaced
        self._starts = [0]
        for line in body.split("\n"):
            self._starts.append(self._starts[-1] + len(line) + 1)

    def place(self, line, offset):
        """Return the column, from 1, in the written formula for characters before a place in the compiled one."""
        if not 1 <= line <= len(self._indents):
            return 1
        start, end = self._starts[line - 1], self._starts[line]
        for at in self._replaced:
            if start <= at < end and offset > at - start:
                # `rec.` stands for `$`.
                offset = max(at - start, offset - 3)
        return offset + self._indents[line - 1] + 1



def _refusal(message, node):
    """Return the SyntaxError for a node, which says where it is."""
    return SyntaxError(message, ("<formula>", node.lineno, node.col_offset + 1, None))


class _Checks(ast.NodeTransformer):
    """Refuses assignments to columns and makes lazy arguments functions."""

    def visit_Attribute(self, node):
        if isinstance(node.ctx, (ast.Store, ast.Del)) and isinstance(node.value, ast.Name) and node.value.id == "rec":
            raise _refusal(f"a formula cannot assign to ${node.attr}", node)
        return self.generic_visit(node)

    def visit_Yield(self, node):
        raise _refusal("'yield' outside function", node)

    visit_YieldFrom = visit_Yield

    def visit_FunctionDef(self, node):
        # A function of the formula may be a generator.
        return _Inner().generic_visit(node)

    visit_AsyncFunctionDef = visit_Lambda = visit_FunctionDef

    def visit_Call(self, node):
        self.generic_visit(node)
        if isinstance(node.func, ast.Name) and node.func.id in _LAZY and not any(isinstance(arg, ast.Starred) for arg in node.args):
            for place in _LAZY[node.func.id]:
                if place < len(node.args):
                    node.args[place] = _delayed(node.args[place])
        return node


class _Inner(_Checks):
    """The checks inside a function of the formula."""

    def visit_Yield(self, node):
        return self.generic_visit(node)

    visit_YieldFrom = visit_Yield


def _delayed(node):
    # Assignments, `await` and `yield` mean something else inside a lambda.
    if isinstance(node, ast.Constant) or any(isinstance(part, (ast.NamedExpr, ast.Await, ast.Yield, ast.YieldFrom)) for part in ast.walk(node)):
        return node
    empty = ast.arguments(posonlyargs=[], args=[], vararg=None, kwonlyargs=[], kw_defaults=[], kwarg=None, defaults=[])
    return ast.copy_location(ast.Lambda(args=empty, body=node), node)


def _has_return(statements):
    """Tell whether the statements, without those of inner functions, have a `return`."""
    todo = list(statements)
    while todo:
        node = todo.pop()
        if isinstance(node, ast.Return):
            return True
        if not isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef, ast.Lambda)):
            todo.extend(ast.iter_child_nodes(node))
    return False


def compile_formula(text, namespace, parameters=("rec", "table")):
    """Return the function of a formula with these parameters, or None if it has no statement; raise SyntaxError.

    The function's own globals are empty and see the namespace as built-in names, so that no formula changes the names of another.
    The error has the `place` in the formula, (line, column), or None.
    """
    source = Source(text)
    try:
        statements = _statements(source.code)
        return None if statements is None else compile_statements(statements, parameters, namespace)
    except SyntaxError as error:
        message = error.msg or str(error)
        found = type(error)(message if error.lineno is None else f"{message} (line {error.lineno})")
        found.place = None if error.lineno is None else (error.lineno, source.place(error.lineno, (error.offset or 1) - 1))
        raise found from None
    except (ValueError, RecursionError, MemoryError) as error:
        found = SyntaxError(f"the formula cannot be compiled: {error}")
        found.place = None
        raise found from None


def formula_statements(text):
    """Return the statements of a formula, which end by returning its value; None without any. May raise what parsing raises."""
    return _statements(Source(text).code)


def _statements(code):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        tree = ast.parse(code, "<formula>")
    if not tree.body:
        return None
    tree = _Checks().visit(tree)
    last = tree.body[-1]
    if isinstance(last, ast.Expr):
        tree.body[-1] = ast.copy_location(ast.Return(value=last.value), last)
    elif not _has_return(tree.body):
        raise _refusal("the last statement must be an expression or return", last)
    return tree.body


def compile_statements(statements, parameters, namespace):
    """Return a function with these parameters and statements."""
    module = ast.parse(f"def formula({', '.join(parameters)}): pass", "<formula>")
    module.body[0].body = statements
    names = {"__builtins__": namespace, "__name__": "formula"}
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        exec(compile(ast.fix_missing_locations(module), "<formula>", "exec"), names)  # the sandbox is the process
    return names.pop("formula")
