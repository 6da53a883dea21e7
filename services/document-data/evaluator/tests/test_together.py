"""Tests of formulas that are computed for many rows at once: they must agree with those computed cell by cell."""

import unittest

from parent import Parent
from sheaf import clock
from sheaf.stored import Coded

TAG = "\u0001"
ANY = [1, 2.5, "x", None, TAG + '["E","ValueError","m"]', TAG + "true", TAG + '["L",1]', 0, 7.0]
NUMBERS = [3, 2.5, None, "abc", 0, -1, 4.0, TAG + '["E","ZeroDivisionError","m"]', 1e300]
TEXTS = ["x", "", None, "12.5", "b" * 300]
COUNT = 150

TOGETHER = (
    "$n * 2", "$n / $m", "$t", "$a", "str($a) + $t", "1", "$n if $n else $a", "x = $n\ny = x + 1\nreturn y * x", "IF($n, $m / $n, 0)", "IFERROR($m / $n, -1)",
    "[$n, $t]", "{'k': $n}", "sum(i for i in range(3)) + $m", "next(iter([]))", "raise ValueError('no')\nreturn 1", "float('inf') * $n", "10 ** 20 * $m",
    "$t.upper()", "datetime.date(2020, 1, 1)", "re.sub('x', $t, 'axb')", "$t * 1000", "f'{$n}:{$t}'", "raise SystemExit(1)\nreturn 1", "(lambda v: v * 2)($m)", "True", "float($m)",
    "ROUND($m / 3, 2)", "try:\n  return 1 / $n\nexcept ZeroDivisionError:\n  return 'none'",
)
ALONE = ("rec.n", "rec", "$id", "table.all", "len(T.all)", "PEEK($n)", "eval('$n')", "$r", "$missing", "import os\nreturn os", "$n.__class__", "globals()", "_0 = 1\nreturn _0 + $n",
         "len(T.lookupRecords(n=$n))", "def f(): return 1\nreturn f()")
TYPES = ("Any", "Numeric", "Int", "Text", "Bool", "Date", "ChoiceList")


def cells(forms):
    """Return cells of many rows with the stored forms in turn."""
    return {row: forms[row % len(forms)] for row in range(1, COUNT + 1)}


def table(formula, kind="Any"):
    """Return a parent whose table has columns of several types and a formula."""
    return Parent(T={"n": ("Numeric", None, cells(NUMBERS)), "m": ("Int", None, cells([1, 2, None, "abc", 0, 5])), "t": ("Text", None, cells(TEXTS)),
                     "a": ("Any", None, cells(ANY)), "r": ("Ref:T", None, cells([0, 1])), "f": (kind, formula, {})})


def plain(cells):
    """Return cells in a form that can be compared."""
    return {row: repr(value.code if isinstance(value, Coded) else value) for row, value in cells.items()}


def function_of(parent):
    """Return whether the formula can be computed for many rows at once."""
    return parent.engine.columns[parent.refs["T", "f"]].own_row_function()


class Together(unittest.TestCase):
    def test_results_are_those_of_cells_computed_one_by_one(self):
        for kind in TYPES:
            for formula in TOGETHER:
                with self.subTest(kind=kind, formula=formula):
                    parent = table(formula, kind)
                    together = dict(parent.compute(("T", "f")))
                    self.assertIsNotNone(function_of(parent))
                    single = table(formula, kind)
                    single.engine.columns[single.refs["T", "f"]].own_cells = (None,)
                    self.assertEqual(together, single.compute(("T", "f")))
                    held, alone = (each.engine.columns[each.refs["T", "f"]] for each in (parent, single))
                    self.assertEqual(plain(held.cells), plain(alone.cells))
                    self.assertEqual(held.errors.keys(), alone.errors.keys())
                    self.assertEqual(parent.done["timings"][0]["cells"], COUNT)
                    self.assertEqual(parent.done["timings"][0]["errors"], single.done["timings"][0]["errors"])

    def test_formulas_that_use_more_than_cells_of_their_row_are_computed_one_by_one(self):
        for formula in ALONE[1:]:
            with self.subTest(formula=formula):
                self.assertIsNone(function_of(table(formula)))
        self.assertIsNotNone(function_of(table(ALONE[0])))

    def test_a_table_with_the_name_of_a_function_is_no_function(self):
        parent = Parent(T={"f": ("Any", "len(SUM.all)", {row: None for row in range(1, 50)})}, SUM={"x": ("Int", None, {1: 1})})
        self.assertIsNone(function_of(parent))

    def test_all_columns_that_are_read_are_relations(self):
        parent = table("IF($n, $m, $t)")
        parent.compute(("T", "f"))
        self.assertEqual({read["column"] for read in parent.relations("T", "f")}, {"n", "m", "t"})

    def test_columns_that_are_computed_themselves_come_first(self):
        numbers = {row: row for row in range(1, COUNT + 1)}
        parent = Parent(T={"c": ("Any", "$b + 1", dict(numbers)), "b": ("Any", "$n * 2", dict(numbers)), "n": ("Int", None, numbers)})
        results = parent.compute(("T", "c"), ("T", "b"))
        self.assertEqual([results["T", "c", row] for row in numbers], [row * 2 + 1 for row in numbers])

    def test_cells_that_need_themselves_are_circles(self):
        numbers = {row: row for row in range(1, COUNT + 1)}
        parent = Parent(T={"a": ("Any", "$b + 1", dict(numbers)), "b": ("Any", "$a if $n % 2 else 0", dict(numbers)), "n": ("Int", None, numbers)})
        results = parent.compute(("T", "a"), ("T", "b"))
        self.assertEqual([results["T", "a", row] for row in (2, 4)], [1, 1])
        self.assertIn("CircularRefError", results["T", "a", 3])

    def test_the_current_time_makes_the_column_volatile(self):
        if not hasattr(clock, "now"):
            self.skipTest("without the function library")
        parent = table("str(NOW())[:4] + $t")
        parent.compute(("T", "f"))
        self.assertEqual(parent.done["volatile"], [parent.refs["T", "f"]])

    def test_long_results_are_sent_before_all_are_computed(self):
        parent = table("'x' * 50000 + $t")
        largest = []
        send = parent._write
        parent.engine.link._write_frames = lambda *frames: (largest.append(sum(map(len, frames))), send(*frames))
        parent.compute(("T", "f"))
        self.assertLess(max(largest), 12 << 20)


if __name__ == "__main__":
    unittest.main()
