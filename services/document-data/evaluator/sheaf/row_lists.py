"""Row ids in the protocol: a list, or the first and the last one of consecutive ids."""


def ids_of(rows):
    """Return the row ids of a ROWS of the protocol."""
    return range(rows["from"], rows["to"] + 1) if rows.__class__ is dict else rows


def form_of(rows):
    """Return the ROWS of row ids: consecutive ones as a range."""
    if len(rows) > 1 and rows[-1] - rows[0] == len(rows) - 1 and rows == list(range(rows[0], rows[-1] + 1)):
        return {"from": rows[0], "to": rows[-1]}
    return rows
