"""Stands in for the package `sheaf` in tests of the evaluator's process."""
