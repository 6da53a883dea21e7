"""Formulas that read only cells of their own row, computed for many rows at once: without records, and without a step of the engine for each cell."""

import ast
import itertools
import math

from sheaf import clock
from sheaf.failures import Failure
from sheaf.source import compile_statements, formula_statements
from sheaf.stored import Coded, decode_plain

FEWEST_ROWS = 32
"""Rows for which compiling another function is worth its time."""

FIRST_ROWS = 64
MOST_ROWS = 4096
"""Rows whose results are held at once; fewer when the results are long."""

LONG_RESULTS = 1 << 18
"""Characters of results above which fewer rows are computed at once."""

LONG_TEXT = 100_000
"""Characters of a result above which its size is checked, which the engine does cell by cell."""

_BUILTINS = frozenset((
    "abs all any ascii bin bool bytes chr complex dict divmod enumerate filter float format frozenset hash hex int isinstance iter len list map max min next oct ord pow "
    "range repr reversed round set slice sorted str sum tuple zip Exception ArithmeticError AttributeError IndexError KeyError LookupError OverflowError "
    "StopIteration SystemExit TypeError ValueError ZeroDivisionError").split())
_MODULES = frozenset(("datetime", "math", "re"))
_REFUSED = (ast.Import, ast.ImportFrom, ast.Global, ast.Nonlocal, ast.ClassDef, ast.FunctionDef, ast.AsyncFunctionDef, ast.Await, ast.Yield, ast.YieldFrom,
            ast.Delete)


class _OwnCells(ast.NodeTransformer):
    """Replaces the cells of the row by parameters."""

    def __init__(self):
        self.names = {}

    def visit_Attribute(self, node):
        if isinstance(node.value, ast.Name) and node.value.id == "rec":
            parameter = self.names.setdefault(node.attr, f"_{len(self.names)}")
            return ast.copy_location(ast.Name(id=parameter, ctx=ast.Load()), node)
        return self.generic_visit(node)


def own_row_function(column):
    """Return a function of the cells that a formula reads in its own row, and their columns; None if it may use anything else."""
    try:
        statements = formula_statements(column.formula)
        if statements is None or not _uses_own_cells(statements, column):
            return None
        cells = _OwnCells()
        statements = [cells.visit(statement) for statement in statements]
        function = compile_statements(statements, cells.names.values(), column.engine.namespace())
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return None
    return function, [column.table.columns[name] for name in cells.names]


def _uses_own_cells(statements, column):
    """Tell whether statements use nothing but cells of the row that are plain values, functions of values, and names of their own."""
    nodes = [node for statement in statements for node in ast.walk(statement)]
    assigned = {node.id for node in nodes if isinstance(node, ast.Name) and not isinstance(node.ctx, ast.Load)}
    assigned.update(node.arg for node in nodes if isinstance(node, ast.arg))
    known = (_BUILTINS | _MODULES | column.engine.names.plain_functions() | assigned) - set(column.engine.tables)
    records = {id(node.value) for node in nodes if isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name) and node.value.id == "rec"}
    for node in nodes:
        if isinstance(node, _REFUSED) or isinstance(node, ast.ExceptHandler) and node.name:
            return False
        if isinstance(node, ast.Attribute) and id(node.value) in records:
            read = column.table.columns.get(node.attr)
            if read is None or read.target_id is not None:
                return False
        elif isinstance(node, ast.Attribute) and node.attr.startswith("_"):
            return False
        elif isinstance(node, ast.Name) and id(node) not in records and node.id not in known:
            return False
    return not any(name[:1] == "_" and name[1:].isdigit() or name in ("rec", "table") for name in assigned)


def compute_together(engine, column, rows):
    """Compute cells of a column, as far as their inputs are plain values at hand. Return the rows that are left, in their order."""
    is_alone = len(rows) < FEWEST_ROWS or column.firing.is_used()
    found = None if is_alone else column.own_row_function()
    if found is None:
        return rows
    function, inputs = found
    clock.volatile_used = False
    ready = _ready(rows, inputs)
    engine.column, engine.row, engine.reads, engine.peeking = column, 0, column.reads, False
    for read in inputs:
        column.reads.own.note(read)
    cells = [list(map(read.cells.__getitem__, ready)) for read in inputs]
    done, size, at = set(), FIRST_ROWS, 0
    while at < len(ready):
        part, arguments = ready[at:at + size], [values[at:at + size] for values in cells]
        at += len(part)
        computed, length = _compute_part(engine, column, part, _results(function, part, arguments))
        done.update(computed)
        size = max(1, size // 2) if length > LONG_RESULTS else min(MOST_ROWS, size * 2)
    return [row for row in rows if row not in done] if len(done) < len(rows) else []


def _ready(rows, inputs):
    """Return the rows whose inputs are plain values."""
    for read in inputs:
        if read.stopped is not None:
            return []
        cells = read.cells
        absent = [row for row in rows if row not in cells]
        unread = [row for row in absent if row not in read.errors and row not in read.missing and not read.is_open(row)]
        if unread:
            read.load(unread)
        if absent:
            rows = [row for row in rows if row in cells]
        if read.base == "Any" and any(value.__class__ is Coded for value in map(cells.get, rows)):
            rows = [row for row in rows if cells[row].__class__ is not Coded]
    return rows


def _results(function, rows, arguments):
    """Return the results of a function by row, without the rows for which it raises anything."""
    calls = map(function, *arguments) if arguments else itertools.starmap(function, itertools.repeat((), len(rows)))
    results, failed = [], []
    while len(results) < len(rows):
        try:
            results.extend(calls)
        except BaseException:  # a formula may raise anything, also SystemExit
            pass
        # Results before an exception are kept; StopIteration ends `extend` without one.
        if len(results) < len(rows):
            failed.append(len(results))
            results.append(None)
    if not failed:
        return rows, results
    failed = set(failed)
    return [row for place, row in enumerate(rows) if place not in failed], [value for place, value in enumerate(results) if place not in failed]


def _compute_part(engine, column, part, found):
    """Keep results; return the rows that were computed, and the characters of their texts."""
    rows, results = found
    is_volatile, clock.volatile_used = clock.volatile_used, False
    try:
        stored = _stored_forms(column, results)
    except BaseException:  # what methods of the results raise belongs to single cells
        return (), 0
    length = 0
    if str in set(map(type, stored)):
        texts = [text for text in stored if text.__class__ is str]
        length = sum(map(len, texts))
        if max(map(len, texts)) > LONG_TEXT:
            return (), length
    values = _values(column, stored)
    if values is None:
        return (), length
    tally = engine.touched[column]
    tally.is_volatile = tally.is_volatile or is_volatile
    column.cells.update(zip(rows, values, strict=True))
    if column.errors:
        for row in rows:
            column.errors.pop(row, None)
    column.version += 1
    tally.rows.extend(rows)
    sent = rows
    if not column.todo.issuperset(rows):
        column.passing.extend(row for row in rows if row not in column.todo)
        sent, stored = [row for row in rows if row in column.todo], [form for row, form in zip(rows, stored, strict=True) if row in column.todo]
    column.todo.difference_update(sent)
    if tally.add_many(sent, stored, length):
        engine.flush(column)
    return rows, length


def _stored_forms(column, values):
    """Return the stored forms of results: what `column.encode` returns for each."""
    kinds = set(map(type, values))
    if column.base in ("Any", "Numeric") and values:
        limit = (1 << 31) - 1 if column.base == "Any" else 10 ** 15 - 1
        if kinds == {int} and -limit <= min(values) and max(values) <= limit:
            return values
        if kinds == {float} and all(map(math.isfinite, values)):
            return [int(value) if value.is_integer() and -1e15 < value < 1e15 else value for value in values]
    return list(map(column.encode, values))


def _values(column, stored):
    """Return the values of stored forms: what `column.decode` returns for each; None if one is an error."""
    plain = decode_plain(column.base, stored)
    if plain is not None:
        return plain
    values = list(map(column.decode, stored))
    return None if any(value.__class__ is Failure for value in values) else values
