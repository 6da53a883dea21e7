"""Tests of columns and lookups that are read as a whole: they must agree with those that are read cell by cell."""

import unittest

from parent import Parent

TAG = "\u0001"
FORMS = {
    "Any": [1, 2.5, "x", None, TAG + '["E","ValueError","m"]', TAG + "true", TAG + '["L",1]', TAG + '"\\u0001x"'],
    "Numeric": [1, 2.5, None, "abc", TAG + '["E","ValueError","m"]'],
    "Int": [1, 2.0, None, "abc"],
    "Text": ["x", "", None, TAG + '["E","ValueError","m"]'],
    "Bool": [0, 1, None, "abc", 2],
    "Ref:T": [0, 1, None, "abc"],
    "ChoiceList": ['["a"]', None, "abc"],
}
COUNT = 1500


def cells(forms, count=COUNT):
    """Return cells of many rows with the stored forms in turn."""
    return {row: forms[row % len(forms)] for row in range(1, count + 1)}


class WholeColumns(unittest.TestCase):
    def test_cells_are_the_same_as_those_read_one_by_one(self):
        for kind, forms in FORMS.items():
            for part in (forms, *([form] for form in forms)):
                columns = {"a": (kind, None, cells(part)), "f": ("Any", "repr($a)", {})}
                whole = Parent(T=columns).compute(("T", "f"))
                single = Parent(T=columns)
                for row in range(1, len(part) + 1):
                    with self.subTest(kind=kind, form=part[row % len(part)]):
                        found = single.compute(("T", "f", [row]))
                        self.assertEqual(found["T", "f", row], whole["T", "f", row])

    def test_dirty_cells_are_computed_and_not_taken_from_the_stored_column(self):
        count = 2500
        columns = {"n": ("Int", None, cells([1], count)), "a": ("Any", "$n + 1", cells([7], count))}
        parent = Parent(T=columns, U={"n": ("Int", None, {1: 1}), "f": ("Any", "sum(T.all.a)", {})})
        results = parent.compute(("U", "f"), ("T", "a", [1, 2]))
        self.assertEqual(results["U", "f", 1], 2 * 2 + 7 * (count - 2))


class WholeLookups(unittest.TestCase):
    def test_rows_are_found_by_equal_keys(self):
        forms = [1, "1", None, 2.5, "x", TAG + "true", TAG + '["E","ValueError","m"]', "x"]
        parent = Parent(T={"k": ("Any", None, cells(forms, 1600)), "f": ("Any", "len(T.lookupRecords(k=$k))", {})})
        results = parent.compute(("T", "f"))
        counts = [results["T", "f", row] for row in range(1, 9)]
        self.assertEqual(counts[:5] + counts[6:], [200, 200, 200, 400, 200, 400, 200])
        self.assertIn("ValueError", counts[5])

    def test_rows_of_equal_numbers_of_two_types_are_found_in_their_order(self):
        forms = [1.0, "x", 1, None]
        parent = Parent(T={"k": ("Any", None, cells(forms, 400)), "f": ("Any", "[r.id for r in T.lookupRecords(k=1)][:4]", {})})
        self.assertEqual(parent.compute(("T", "f"))["T", "f", 1], TAG + '["L",2,4,6,8]')

    def test_a_map_follows_rows_that_move_to_other_keys(self):
        parent = Parent(T={"k": ("Text", None, cells(["a", "b"])), "f": ("Any", "len(T.lookupRecords(k=$k))", {})})
        parent.compute(("T", "f"))
        update = parent.change("T", "k", 2, "b")
        results = parent.compute(("T", "f", [1, 2, 4]), updates=[update])
        self.assertEqual([results["T", "f", row] for row in (1, 2, 4)], [751, 751, 749])


if __name__ == "__main__":
    unittest.main()
