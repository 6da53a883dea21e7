"""Runs the evaluator in Pyodide: what is imported before the memory snapshot, and the exchange of frames after it."""

import base64
import gc
import importlib
import io
import json
import os
import pkgutil
import random
import sys
import time
import types
import zoneinfo

MAX_FRAME_BYTES = 64 * 1024 * 1024
READ_BYTES = 1024 * 1024
# Formulas that read each other's cells take several calls per cell. Calls through C code are limited by `main.js`.
RECURSION_LIMIT = 5000
# Modules of the host and of foreign functions. Neither the evaluator nor a formula needs them.
BLOCKED = ("js", "pyodide", "pyodide_js", "ctypes", "micropip", "pyodide_core")

_zones = {}


def prepare():
    """Imports everything that an evaluator needs. Called before the memory snapshot is made."""
    with open("/tmp/zones.json", encoding="utf-8") as file:
        _zones.update((name, base64.b64decode(text)) for name, text in json.load(file).items())
    # The in-memory file system is not part of the snapshot, so zones are kept as objects of Python.
    zoneinfo._common.load_tzdata = _open_zone
    zoneinfo.available_timezones = lambda: set(_zones)
    zoneinfo.reset_tzpath(())
    # It would end the process, because it looks for the shell of a host.
    for module in (os, sys.modules["posix"]):
        del module.system
    sheaf = importlib.import_module("sheaf")
    for module in pkgutil.walk_packages(sheaf.__path__, "sheaf."):
        importlib.import_module(module.name)
    gc.collect()
    _empty_copies("_pyodide_core")
    gc.freeze()


def _empty_copies(name):
    """Empties what Python keeps of a module in C to create it again."""
    for found in gc.get_objects():
        if type(found) is dict and found.get("__name__") == name and found is not vars(sys.modules[name]):
            found.clear()


def _open_zone(key):
    try:
        return io.BytesIO(_zones[key])
    except (KeyError, TypeError):
        raise zoneinfo.ZoneInfoNotFoundError(f"No time zone found with key {key}") from None


class _Blocker:
    """Finder of modules that refuses those of the host."""

    @staticmethod
    def find_spec(name, path=None, target=None):
        if _is_blocked(name):
            raise ModuleNotFoundError(f"No module named {name!r}", name=name)
        return None


def _is_blocked(name):
    return name.partition(".")[0].lstrip("_") in BLOCKED


def _close_host():
    finders = [finder for finder in sys.meta_path if "pyodide" not in _module_of(finder)]
    sys.meta_path[:] = [_Blocker, *finders]
    os.environ.clear()
    sys.modules["posix"].environ.clear()
    main = vars(sys.modules["__main__"])
    for name in [name for name in main if not name.startswith("__")]:
        del main[name]
    # What Pyodide has replaced.
    time.sleep = _sleep
    sys.modules["asyncio.events"]._event_loop_policy = None
    for name in [name for name in sys.modules if _is_blocked(name)]:
        module = sys.modules.pop(name)
        # Classes and functions of these modules can still be found, but they reach nothing.
        if type(module) is types.ModuleType:
            vars(module).clear()
    gc.collect()
    gc.freeze()


def _module_of(finder):
    return getattr(finder, "__module__", None) or type(finder).__module__


def _sleep(seconds):
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        pass


class _Exchange:
    """Reads and writes frames: a length of four bytes, big-endian, and that many bytes."""

    def __init__(self, descriptor):
        self._descriptor = descriptor
        self._buffer = memoryview(bytearray(READ_BYTES))
        self._start = 0
        self._end = 0

    def read_frame(self):
        length = int.from_bytes(self._read(4), "big")
        if length > MAX_FRAME_BYTES:
            os._exit(1)
        return self._read(length)

    def write_frames(self, *frames):
        if max(map(len, frames)) > MAX_FRAME_BYTES:
            raise ValueError("the frame is too large")
        self._write(b"".join([part for frame in frames for part in (len(frame).to_bytes(4, "big"), frame)]))

    def _read(self, length):
        """Returns the next bytes of the input."""
        frame = bytearray(length)
        view = memoryview(frame)
        filled = 0
        while filled < length:
            if self._start == self._end:
                self._start = 0
                self._end = os.readv(self._descriptor, [self._buffer])
            count = min(length - filled, self._end - self._start)
            view[filled : filled + count] = self._buffer[self._start : self._start + count]
            self._start += count
            filled += count
        return bytes(frame)

    def _write(self, data):
        view = memoryview(data)
        while view:
            view = view[os.write(self._descriptor, view) :]


def serve(descriptor):
    """Exchanges frames over a file descriptor until the process is ended."""
    _close_host()
    # The snapshot holds one state of the generator for all processes.
    random.seed(os.urandom(32))
    sys.setrecursionlimit(RECURSION_LIMIT)
    exchange = _Exchange(descriptor)
    from sheaf import server

    server.run(exchange.read_frame, exchange.write_frames)
