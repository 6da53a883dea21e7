"""Tests of what the check of a formula says: errors of syntax, unknown names, lines of errors."""

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
    parent.engine.link._write_frame = lambda frame: said.append(frame) if b'"checked"' in frame else write(frame)
    parent.compute(*(("People", name) for name in columns), ("People", "f", list(rows)), check=parent.refs["People", "f"])

    return json.loads(said[0]), parent.done


def unknown(formula):
    """Return (kind, name, table, line, column) of the unknown names."""
    return [(found["kind"], found["name"], found["table"], found["line"], found["column"]) for found in check(formula)[0]["unknown"]]


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
    def test_unknown_names_have_their_place(self):
        self.assertEqual(unknown("$Nam"), [("column", "Nam", "People", 1, 2)])
        self.assertEqual(unknown("'äö' + $Nam"), [("column", "Nam", "People", 1, 9)])
        self.assertEqual(unknown("1\nSUMM($n, $Nam)"), [("name", "SUMM", "", 2, 1), ("column", "Nam", "People", 2, 11)])
        self.assertEqual(unknown("$Team.Titel"), [("column", "Titel", "Teams", 1, 7)])
        self.assertEqual(unknown("$Teams.Titel"), [("column", "Titel", "Teams", 1, 8)])
        self.assertEqual(unknown("Teams.lookupRecords(Titel=$n, order_by=('-Titl', 'id')).Tit"),
                         [("column", "Titel", "Teams", 1, 21), ("column", "Titl", "Teams", 1, 43), ("column", "Tit", "Teams", 1, 57)])
        self.assertEqual(unknown("Teams.lookup()"), [("method", "lookup", "", 1, 7)])
        self.assertEqual(unknown("[t.Titel for t in Teams.all]"), [("column", "Titel", "Teams", 1, 4)])

    def test_names_that_may_exist_are_taken_as_right(self):
        for formula in ("rec.id + len($Teams)", "x = 5\nx", "def f(a, *b, **c):\n  return a\nf($n)", "import json\njson.dumps($n)", "[y for y in (1, 2)]", "lambda rec: rec.foo",
                        "try:\n  return 1\nexcept ValueError as e:\n  return e", "(z := $n) + z", "table.all", "SUM(Teams.all.Title)", "max(Teams.all).foo", "Teams.lookupOne(id=1).Title",
                        "match $n:\n  case {'a': q, **rest}:\n    return q\n  case [*more]:\n    return more"):
            self.assertEqual(unknown(formula), [], formula)

    def test_known_names_are_sent_for_suggestions(self):
        self.assertIn("SUM", check("SUMM(1)")[0]["names"])
        self.assertEqual(check("SUM(1)")[0]["names"], [])


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
