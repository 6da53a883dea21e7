"""What the parent is told of a formula that is checked: errors of syntax, names that nothing has, lines of errors."""

import builtins

from sheaf.source import parse_formula
from sheaf.unknown_names import UnknownNames


def check_formula(engine, column):
    """Return the message about the formula of a column. `column` counts characters from 1; 0 stands for no place."""
    column.compile()
    syntax, unknown = [], []
    if column.failure is not None:
        line, place = column.failure_place or (0, 0)
        syntax.append({"line": line, "column": place, "message": column.failure.message.removesuffix(f" (line {line})")})
    else:
        tree, source = parse_formula(column.formula)
        for found in UnknownNames(engine, column.table, tree).found:
            offset = source.characters(found["line"], found.pop("offset"))
            unknown.append({**found, "column": source.place(found["line"], offset)})
    names = sorted((name for name in engine.namespace() if not name.startswith("_")), key=_is_builtin) if unknown else []
    return {"type": "checked", "syntax": syntax, "unknown": unknown, "names": names}


def _is_builtin(name):
    # Of two names that resemble an unknown one as much, the first is suggested: SUM and not sum.
    return hasattr(builtins, name)


def line_of(error):
    """Return the line of a formula in which an exception was raised; 0 if that is not known."""
    line, trace = 0, error.__traceback__
    while trace is not None:
        if trace.tb_frame.f_code.co_filename == "<formula>":
            line = trace.tb_lineno or 0
        trace = trace.tb_next
    return line
