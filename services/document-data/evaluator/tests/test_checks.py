"""Tests of what the check of a formula says: errors of syntax, names, lines of errors."""

import json
import unittest

from parent import Parent


def check(formula, rows=(1,), **columns):
    """Return what is said of a formula, and the message at the end."""
    parent = Parent(
        People={"Name": ("Text", None, {1: "Ada"}), "Team": ("Ref:Teams", None, {1: 1}), "Teams": ("RefList:Teams", None, {1: None}), "n": ("Int", None, {1: 0}),
                **{name: ("Any", text, {}) for name, text in columns.items()}, "f": ("Any", formula, {})},
        Teams={"Title": ("Text", None, {1: "Math"})})
    said = []
    write = parent._write

    def note(*frames):
        said.extend(frame for frame in frames if b'"checked"' in frame)
        write(*(frame for frame in frames if b'"checked"' not in frame))

    parent.engine.link._write_frames = note
    parent.compute(*(("People", name) for name in columns), ("People", "f", list(rows)), check=parent.refs["People", "f"])

    return json.loads(said[0]), parent.done


class Syntax(unittest.TestCase):
    def places(self, formula):
        return [(found["line"], found["column"]) for found in check(formula)[0]["syntax"]]

    def test_errors_have_their_place_in_the_formula_as_it_was_written(self):
        self.assertEqual(self.places("$n +* 2"), [(1, 5)])
        self.assertEqual(self.places("x = $n\nreturn ($n + $n"), [(2, 8)])
        self.assertEqual(self.places("   $n +* 2"), [(1, 8)])
        self.assertEqual(self.places("$n = 5"), [(1, 1)])
        self.assertEqual(self.places("1\nx = 5"), [(2, 1)])

    def test_messages_have_no_line(self):
        self.assertEqual(check("$n +* 2")[0]["syntax"][0]["message"], "invalid syntax")


class Names(unittest.TestCase):
    def test_functions_come_before_the_names_of_python_that_resemble_them(self):
        names = check("1")[0]["names"]
        self.assertLess(names.index("SUM"), names.index("sum"))
        self.assertIn("People", names)


class Cells(unittest.TestCase):
    def test_results_of_a_check_are_forgotten(self):
        parent = Parent(T={"n": ("Int", None, {1: 1}), "f": ("Int", "$n + 1", {1: 2}), "g": ("Any", "$f * 10", {}), "h": ("Any", "len(T.lookupRecords(f=7))", {})})
        stored = parent.tables["T"]["f"]
        parent.tables["T"]["f"] = ("Int", "$n + 6", {})
        parent.send_schema()
        write = parent._write
        parent.engine.link._write_frame = lambda frame: None if b'"checked"' in frame else write(frame)
        results = parent.compute(("T", "f", [1]), ("T", "h", [1]), check=parent.refs["T", "f"])
        self.assertEqual((results["T", "f", 1], results["T", "h", 1]), (7, 1))
        parent.tables["T"]["f"] = stored
        parent.send_schema()
        results = parent.compute(("T", "g"), ("T", "h"))
        self.assertEqual((results["T", "g", 1], results["T", "h", 1]), (20, 0))


class Lines(unittest.TestCase):
    def test_errors_have_the_line_of_the_formula_that_raised_them(self):
        self.assertEqual(check("x = 1\nx / $n")[1]["lines"], [[1, 2]])
        self.assertEqual(check("x = 1\nif x:\n  return 1 / $n\nreturn 2")[1]["lines"], [[1, 3]])
        self.assertEqual(check("x = 1\nreturn IF(True,\n  x / $n,\n  0)")[1]["lines"], [[1, 3]])
        self.assertEqual(check("x = 1\n\n$g", g="\n\n\n\n1 / 0")[1]["lines"], [[1, 3]])
        self.assertEqual(check("$n + 1")[1]["lines"], [])


if __name__ == "__main__":
    unittest.main()
