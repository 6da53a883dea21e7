"""Prints the functions of the library as JSON: name, signature and the first line of its documentation."""

import inspect
import json
import pathlib
import sys

sys.path.insert(0, str(pathlib.Path(__file__).parent.parent))
from sheaf import functions  # noqa: E402


def _describe(name):
    function = getattr(functions, name)
    return {"name": name, "signature": f"{name}{inspect.signature(function)}", "doc": inspect.getdoc(function).split("\n")[0]}


print(json.dumps([_describe(name) for name in functions.__all__]))
