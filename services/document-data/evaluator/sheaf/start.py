"""Starts the evaluator in its process: what formulas must not see is hidden before the first one runs."""

import _strptime  # noqa: F401 - strptime imports it at its first use, which would take time then
import importlib
import io
import pkgutil
import random
import sys
import zoneinfo
import zoneinfo._common

import sheaf
from sheaf import server

for _module in pkgutil.walk_packages(sheaf.__path__, "sheaf."):
    # The memory snapshot is to hold all of them: their sources are not there when a formula runs.
    importlib.import_module(_module.name)

_HIDDEN = ("js", "pyodide", "pyodide_js", "_pyodide", "_pyodide_core", "ctypes", "_ctypes", "micropip", "webbrowser")

# Deeper recursion of a formula would exhaust the stack of the process before Python notices.
RECURSION_LIMIT = 400


class _Hidden:
    """Refuses imports of modules that lead out of Python."""

    def find_spec(self, name, path=None, target=None):
        if name.split(".")[0] in _HIDDEN:
            raise ModuleNotFoundError(f"No module named {name!r}", name=name)
        return None


def main(read_frame, write_frame, zone_file, seed):
    """Serves the parent process until it ends. `zone_file` returns the TZif file of a zone as bytes, or None."""
    read = _reader(read_frame)
    zoneinfo._common.load_tzdata = _zone_loader(zone_file)
    random.seed(bytes(seed))
    for name in list(sys.modules):
        if name.split(".")[0] in _HIDDEN:
            del sys.modules[name]
    sys.meta_path.insert(0, _Hidden())
    sys.setrecursionlimit(RECURSION_LIMIT)
    server.run(read, write_frame)


def _reader(read_frame):
    def read():
        return read_frame().to_bytes()

    return read


def _zone_loader(zone_file):
    def load(key):
        data = zone_file(key)
        if data is None:
            raise zoneinfo.ZoneInfoNotFoundError(f"No time zone found with key {key}")
        return io.BytesIO(data.to_bytes())

    return load
