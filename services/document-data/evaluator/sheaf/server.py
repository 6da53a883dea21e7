"""The exchange with the parent: frames in, frames out."""

import io
import json
import sys

from sheaf.engine import Engine
from sheaf.results import dumps
from sheaf.row_lists import form_of, ids_of

CHUNK_CELLS = 20_000
CHUNK_BYTES = 4 << 20
SMALL_BYTES = 4096


class _Nowhere(io.TextIOBase):
    """A stream for what formulas print: the real one may carry the protocol."""

    def writable(self):
        return True

    def readable(self):
        return True

    def write(self, text):
        return len(text)

    def read(self, size=-1):
        return ""

    def readline(self, size=-1):
        return ""


class Link:
    """Messages of the protocol over frames."""

    def __init__(self, read_frame, write_frames):
        self._read_frame = read_frame
        self._write_frames = write_frames
        self._waiting = []

    def receive(self):
        """Return the next message, or None at the end."""
        frame = self._read_frame()
        # Of bytes, `json.loads` would first look for their encoding.
        return json.loads(str(frame, "utf-8")) if frame else None

    def send(self, message):
        """Send a message, and the results that wait."""
        frames, self._waiting = [*self._waiting, dumps(message).encode()], []
        self._write_frames(*frames)

    def ask(self, request):
        """Send a read and yield the rows and values of its answers."""
        self.send(request)
        while True:
            answer = self.receive()
            if answer is None:
                raise EOFError("the parent ended in the middle of an exchange")
            yield ids_of(answer["rows"]), answer.get("values")
            if answer.get("last", True):
                return

    def send_results(self, ref, rows, values):
        """Send results in chunks that stay below the limits of a frame."""
        if len(rows) > CHUNK_CELLS:
            for begin in range(0, len(rows), CHUNK_CELLS):
                self.send_results(ref, rows[begin:begin + CHUNK_CELLS], values[begin:begin + CHUNK_CELLS])
            return
        frame = dumps({"type": "result", "column": ref, "rows": form_of(rows), "values": values}).encode()
        if len(frame) > CHUNK_BYTES and len(rows) > 1:
            middle = len(rows) // 2
            self.send_results(ref, rows[:middle], values[:middle])
            self.send_results(ref, rows[middle:], values[middle:])
            return
        self._waiting.append(frame)
        # A write takes as long as computing some cells, so small results wait for the message that follows them.
        if len(frame) > SMALL_BYTES:
            frames, self._waiting = self._waiting, []
            self._write_frames(*frames)


def run(read_frame, write_frames):
    """Serve one document until the parent ends the input with an empty frame."""
    sys.stdout = sys.stderr = sys.stdin = sys.__stdout__ = sys.__stderr__ = sys.__stdin__ = _Nowhere()
    link = Link(read_frame, write_frames)
    engine = Engine(link)
    while True:
        message = link.receive()
        if message is None:
            return
        if message["type"] == "schema":
            engine.define(message)
        elif message["type"] == "compute":
            engine.compute(message)
