"""What the parent is told of a formula that is checked: errors of syntax, the names that formulas see, lines of errors."""

import builtins


def check_formula(engine, column):
    """Return the message about the formula of a column. `column` counts characters from 1; 0 stands for no place."""
    column.compile()
    syntax = []
    if column.failure is not None:
        line, place = column.failure_place or (0, 0)
        syntax.append({"line": line, "column": place, "message": column.failure.message.removesuffix(f" (line {line})")})
    names = sorted((name for name in engine.namespace() if not name.startswith("_")), key=_is_builtin)
    return {"type": "checked", "syntax": syntax, "names": names}


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
