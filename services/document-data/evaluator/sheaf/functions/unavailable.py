"""Names of spreadsheets that have no meaning here; calling them raises an error that says why."""


class NetworkUnavailable(Exception):
    """Raised by functions that would need the network, which formulas do not have."""


def _no_cells(name):
    return NotImplementedError(f"{name} is not possible: tables have records and columns, not cells with addresses")


def _no_network(name):
    return NetworkUnavailable(f"{name} is not possible: formulas have no access to the network")


def CELL(info_type, reference=None):
    """Raise NotImplementedError, because there are no addresses of cells."""
    raise _no_cells("CELL")


def INFO(type_text):
    """Raise NotImplementedError, because formulas learn nothing about the machine."""
    raise NotImplementedError("INFO is not possible: formulas learn nothing about the machine")


def ISFORMULA(cell):
    """Raise NotImplementedError, because a function gets values and not cells."""
    raise NotImplementedError("ISFORMULA is not possible: a function gets the value of a cell, not the cell")


def ROW(cell_reference):
    """Raise NotImplementedError, because there are no addresses of cells; $id is the number of a record."""
    raise _no_cells("ROW")


def COLUMN(cell_reference=None):
    """Raise NotImplementedError, because there are no addresses of cells."""
    raise _no_cells("COLUMN")


def INDIRECT(cell_reference_as_string):
    """Raise NotImplementedError, because there are no addresses of cells."""
    raise _no_cells("INDIRECT")


def OFFSET(cell_reference, offset_rows, offset_columns, height=None, width=None):
    """Raise NotImplementedError, because there are no addresses of cells."""
    raise _no_cells("OFFSET")


def GETPIVOTDATA(value_name, any_pivot_table_cell, original_column_1=None, pivot_item_1=None, *args):
    """Raise NotImplementedError, because there are no pivot tables."""
    raise NotImplementedError("GETPIVOTDATA is not possible: there are no pivot tables")


def REQUEST(url, params=None, headers=None, method="GET", data=None, json=None):
    """Raise NetworkUnavailable."""
    raise _no_network("REQUEST")


def GOOGLETRANSLATE(text, source_language=None, target_language=None):
    """Raise NetworkUnavailable."""
    raise _no_network("GOOGLETRANSLATE")


def IMPORTDATA(url, *options):
    """Raise NetworkUnavailable."""
    raise _no_network("IMPORTDATA")


def IMPORTHTML(url, *options):
    """Raise NetworkUnavailable."""
    raise _no_network("IMPORTHTML")


def IMPORTXML(url, *options):
    """Raise NetworkUnavailable."""
    raise _no_network("IMPORTXML")


def IMPORTFEED(url, *options):
    """Raise NetworkUnavailable."""
    raise _no_network("IMPORTFEED")


def IMPORTRANGE(url, *options):
    """Raise NetworkUnavailable."""
    raise _no_network("IMPORTRANGE")
