"""The address under which the document is shown, for links that formulas make."""

url = ""
"""Set by the server; empty when no address is known."""
