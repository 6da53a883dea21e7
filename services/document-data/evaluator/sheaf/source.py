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


def replace_columns(text):
    """Return the formula with `rec.A` in place of `$A`."""
    columns = _Columns(text)
    columns.code(False)
    return "".join(columns.out)


class _Checks(ast.NodeTransformer):
    """Refuses assignments to columns and makes lazy arguments functions."""

    def visit_Attribute(self, node):
        if isinstance(node.ctx, (ast.Store, ast.Del)) and isinstance(node.value, ast.Name) and node.value.id == "rec":
            raise SyntaxError(f"a formula cannot assign to ${node.attr} (line {node.lineno})")
        return self.generic_visit(node)

    def visit_Yield(self, node):
        raise SyntaxError(f"'yield' outside function (line {node.lineno})")

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
    """
    try:
        statements = formula_statements(text)
        return None if statements is None else compile_statements(statements, parameters, namespace)
    except SyntaxError as error:
        message = error.msg or str(error)
        raise type(error)(message if error.lineno is None else f"{message} (line {error.lineno})") from None
    except (ValueError, RecursionError, MemoryError) as error:
        raise SyntaxError(f"the formula cannot be compiled: {error}") from None


def formula_statements(text):
    """Return the statements of a formula, which end by returning its value; None without any. May raise what parsing raises."""
    body = text.replace("\r\n", "\n").replace("\r", "\n").rstrip()
    if body.lstrip("\n")[:1] in (" ", "\t"):
        body = textwrap.dedent(body).lstrip(" \t")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        tree = ast.parse(replace_columns(body), "<formula>")
    if not tree.body:
        return None
    tree = _Checks().visit(tree)
    last = tree.body[-1]
    if isinstance(last, ast.Expr):
        tree.body[-1] = ast.copy_location(ast.Return(value=last.value), last)
    elif not _has_return(tree.body):
        raise SyntaxError("the last statement must be an expression or return")
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
