"""The exceptions of the engine, and the error value that a cell holds."""


class CellError(Exception):
    """Raised when a formula reads a cell that holds an error; the reading cell shows the class name of the original error."""

    def __init__(self, name, message=""):
        super().__init__(message)
        self.name = name
        self.message = message

    def __str__(self):
        return f"{self.name}: {self.message}" if self.message else self.name


class CircularRefError(Exception):
    """Raised when a cell needs its own value."""


class FormulaStopped(Exception):
    """Raised when a formula reads a column whose formula exceeded a limit."""


class ResultTooLarge(Exception):
    """Raised for a result above the size of a cell."""


class Postponed(BaseException):
    """Ends the computation of a cell that has to wait for another cell, or for a whole column if `row` is None.

    It is no Exception, so that formulas do not catch it by accident; the engine also notices when one does.
    """

    column = None
    row = None


class Failure:
    """The error in a cell; `before` is the stored form that a trigger formula would have replaced."""

    __slots__ = ("before", "message", "name")

    def __init__(self, name, message="", before=None):
        self.name = name
        self.message = message
        self.before = before

    @classmethod
    def of(cls, error):
        """Return the failure that an exception leaves in its cell."""
        if isinstance(error, CellError):
            return cls(error.name, error.message)
        try:
            message = str(error)
        except BaseException:  # __str__ of a class in a formula may do anything
            message = ""
        return cls(type(error).__name__, message[:200])

    def raise_again(self):
        """Raise the exception that a reader of the cell sees."""
        raise CellError(self.name, self.message)
