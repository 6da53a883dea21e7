"""Tests of the engine without the function library: order of computation, relations, reads, errors."""

import json
import sys
import unittest

from parent import Parent
from sheaf import server

TAG = "\u0001"


def numbers(count, value=lambda row: row):
    """Return cells of the rows 1 to count."""
    return {row: value(row) for row in range(1, count + 1)}


def failure(name, message):
    """Return the stored form of an error."""
    return f'{TAG}["E","{name}","{message}"]'


class OrderOfComputation(unittest.TestCase):
    def chain(self, formula, count=2000):
        return Parent(T={"n": ("Int", None, numbers(count)), "to": ("Ref:T", None, numbers(count, lambda row: row % count + 1)),
                         "f": ("Any", formula, {}), "g": ("Any", "$f", {})})

    def test_long_chains_in_both_directions(self):
        for formula, first in (("($to.f if $n < 2000 else 0) + 1", 2000), ("T.lookupOne(n=$n - 1).f + 1 if $n > 1 else 1", 1),
                               ("T.lookupOne(n=$n + 1).g + 1 if $n < 2000 else 1", 2000)):
            results = self.chain(formula).compute(("T", "f"), ("T", "g"))
            self.assertEqual(results["T", "f", 1], first)
            self.assertEqual(len(results), 4000)

    def test_a_bare_except_makes_no_wrong_result(self):
        parent = self.chain("try:\n  x = $to.f + 1 if $n < 2000 else 1\nexcept:\n  x = -1\nreturn x")
        self.assertEqual(parent.compute(("T", "f"))["T", "f", 1], 2000)

    def test_a_ring_is_an_error_in_every_cell(self):
        results = self.chain("$to.f + 1", 599).compute(("T", "f"))
        self.assertEqual(set(results.values()), {failure("CircularRefError", "the cell needs its own value")})

    def test_columns_are_announced_and_computed_before_their_readers(self):
        parent = Parent(T={"n": ("Int", None, numbers(50)), "f": ("Any", "$g + 1", {}), "g": ("Any", "$n * 2", {})})
        self.assertEqual(parent.compute(("T", "f"), ("T", "g"))["T", "f", 50], 101)
        self.assertEqual(parent.computing, ["f", "g", "f"])

    def test_the_column_that_the_parent_announces_is_not_announced_again(self):
        parent = Parent(T={"n": ("Int", None, numbers(50)), "f": ("Any", "$g + 1", {}), "g": ("Any", "$n * 2", {})})
        self.assertEqual(parent.compute(("T", "f"), ("T", "g"), announced=parent.refs["T", "f"])["T", "f", 50], 101)
        self.assertEqual(parent.computing, ["g", "f"])

    def test_a_stopped_column_that_the_parent_announces_is_not_charged(self):
        parent = Parent(T={"n": ("Int", None, numbers(50)), "f": ("Any", "$n + 1", {}), "g": ("Any", "$n * 2", {})})
        ref = parent.refs["T", "f"]
        parent.compute(("T", "f"), ("T", "g"), announced=ref, stopped=[{"ref": ref, "reason": "time"}])
        self.assertEqual(parent.computing, ["g"])


class Errors(unittest.TestCase):
    def result(self, formula, **columns):
        parent = Parent(T={"n": ("Int", None, {1: 0}), **{name: ("Any", text, {}) for name, text in columns.items()}, "f": ("Any", formula, {})})
        return parent.compute(*(("T", name) for name in columns), ("T", "f"))["T", "f", 1]

    def test_a_reader_shows_the_class_of_the_first_error(self):
        self.assertEqual(self.result("$g + 1", g="1 / $n"), failure("ZeroDivisionError", "division by zero"))
        self.assertEqual(self.result("try:\n  return $g\nexcept Exception:\n  return 'caught'", g="1 / $n"), "caught")

    def test_exceptions_that_end_programs_are_errors_of_the_cell(self):
        self.assertEqual(self.result("import sys\nreturn sys.exit(3)"), failure("SystemExit", "3"))
        self.assertEqual(self.result("if True:\n  raise KeyboardInterrupt\nreturn 1"), failure("KeyboardInterrupt", ""))
        self.assertIn("RecursionError", self.result("def f():\n  return f()\nf()"))

    def test_syntax(self):
        for formula in ("x = 5", "$n = 5", "1 +", "yield 1", "if $n:\n  5"):
            self.assertIn("SyntaxError", self.result(formula), formula)
        self.assertIsNone(self.result("# nothing"))
        self.assertEqual(self.result('f"{$n + 1:>{$n + 3}} $n {{$n}}"  # $x'), "  1 $n {$n}")

    def test_columns_in_and_beside_strings(self):
        for formula, result in (("1 if $n else'$n'", "$n"), ("f'{$n}' if True else\"$n\"", "0"), ("'$n' '\\'$n'", "$n'$n"), ("rf'{$n}\\d{{$n}}'", "0\\d{$n}")):
            self.assertEqual(self.result(formula), result, formula)

    def test_a_cell_read_from_deep_recursion_is_computed_alone(self):
        deep = "def f(n):\n  return {} if n == 0 else f(n - 1)\nreturn f({})"
        self.assertEqual(self.result(deep.format("$g + 1", 900), g=deep.format("$n", 500)), 1)

    def test_names_of_one_formula_are_not_those_of_another(self):
        self.assertEqual(self.result("len('ab')", g="global len\nlen = 5\nreturn len"), 2)

    def test_a_stopped_column(self):
        parent = Parent(T={"g": ("Any", "1", {1: 1}), "f": ("Any", "$g", {})})
        parent.compute(("T", "f"), stopped=[{"ref": parent.refs["T", "g"], "reason": "time"}])
        self.assertEqual(parent.results, {("T", "f", 1): failure("FormulaStopped", "time")})


class Reads(unittest.TestCase):
    def test_relations_and_keys(self):
        parent = Parent(K={"n": ("Int", None, numbers(3)), "t": ("Ref:T", None, numbers(3, lambda row: 1))},
                        T={"k": ("Numeric", None, {1: 2, 2: 2.5}), "f": ("Any", "K.lookupRecords(n=$k, order_by='t').t.k", {}), "g": ("Any", "len(K.all)", {})})
        results = parent.compute(("T", "f"), ("T", "g"))
        self.assertEqual(results["T", "f", 1], TAG + '["L",2]')
        lookup = {"table": "K", "keys": ["n"], "contains": [False]}
        self.assertCountEqual(parent.relations("T", "f"), [
            {"from": "row", "path": [], "column": "k"}, {"from": lookup, "path": []}, {"from": lookup, "path": [], "column": "t"},
            {"from": lookup, "path": ["t"], "column": "k"}])
        self.assertEqual(parent.keys("T", "f"), {1: ["[2]"], 2: ["[2]"]})
        self.assertEqual(parent.relations("T", "g"), [{"from": "any", "table": "K"}])

    def test_one_row_asks_for_one_row(self):
        parent = Parent(K={"n": ("Int", None, numbers(5000))},
                        T={"r": ("Ref:K", None, numbers(5000)), "f": ("Any", "$r.n + 1", {})})
        self.assertEqual(parent.compute(("T", "f", [7])), {("T", "f", 7): 8})
        self.assertTrue(all(read.get("rows") == [7] for read in parent.reads), parent.reads)
        update = parent.change("T", "r", 7, 9)
        self.assertEqual(parent.compute(("T", "f", [7]), updates=[update]), {("T", "f", 7): 10})
        self.assertEqual([read["rows"] for read in parent.reads], [[9]])

    def test_lookups_follow_changes(self):
        parent = Parent(K={"n": ("Int", None, numbers(5)), "m": ("Any", "$n % 2", {})}, T={"x": ("Int", None, {1: 1}), "f": ("Any", "K.lookupRecords(m=$x).n", {})})
        self.assertEqual(parent.compute(("K", "m"), ("T", "f"))["T", "f", 1], TAG + '["L",1,3,5]')
        update = parent.change("K", "n", 3, 10)
        self.assertEqual(parent.compute(("K", "m", [3]), ("T", "f"), updates=[update])["T", "f", 1], TAG + '["L",1,5]')

    def test_pending_cells_are_computed_on_the_way_and_not_sent(self):
        parent = Parent(T={"n": ("Int", None, numbers(9)), "g": ("Any", "$n * 2", {1: 2, 2: 4}), "f": ("Any", "$g + 1", {})})
        pending = [{"ref": parent.refs["T", "g"], "after": 2}]
        self.assertEqual(parent.compute(("T", "f", [1, 8]), pending=pending), {("T", "f", 1): 3, ("T", "f", 8): 17})
        update = parent.change("T", "n", 8, 100)
        self.assertEqual(parent.compute(("T", "f", [8]), pending=pending, updates=[update]), {("T", "f", 8): 201})

    def test_peek_has_no_relation_and_sees_what_was(self):
        parent = Parent(T={"n": ("Int", None, {1: 5}), "f": ("Any", "(PEEK($f) or 0) + PEEK($n)", {1: 2})})
        self.assertEqual(parent.compute(("T", "f")), {("T", "f", 1): 7})
        self.assertEqual(parent.relations("T", "f"), [])

    def test_rows_that_do_not_exist_are_not_computed(self):
        parent = Parent(T={"n": ("Int", None, numbers(3)), "f": ("Any", "1", {})})
        self.assertEqual(parent.compute(("T", "f", [2, 77])), {("T", "f", 2): 1})


class Server(unittest.TestCase):
    def test_frames(self):
        frames = [{"type": "schema", "timezone": "UTC", "tables": [{"tableId": "T", "columns": [
                      {"ref": 1, "colId": "n", "type": "Int"}, {"ref": 2, "colId": "f", "type": "Int", "formula": "print($n)\n$n + 1"}]}]},
                  {"type": "compute", "dirty": [{"ref": 2, "from": 1, "to": 9}]},
                  {"type": "cells", "rows": [1], "last": False}, {"type": "cells", "rows": [4], "last": True},
                  {"type": "cells", "rows": [1, 4], "values": [5, 7], "last": True}]
        waiting = [memoryview(json.dumps(frame).encode()) for frame in frames]
        sent = []
        streams = [(name, getattr(sys, name)) for name in ("stdin", "stdout", "stderr", "__stdin__", "__stdout__", "__stderr__")]
        try:
            server.run(lambda: waiting.pop(0) if waiting else b"", lambda *frames: sent.extend(map(json.loads, frames)))
        finally:
            for name, stream in streams:
                setattr(sys, name, stream)
        self.assertEqual([message["type"] for message in sent], ["read", "computing", "read", "result", "done"])
        self.assertEqual(sent[3], {"type": "result", "column": 2, "rows": [1, 4], "values": [6, 8]})


if __name__ == "__main__":
    unittest.main()
