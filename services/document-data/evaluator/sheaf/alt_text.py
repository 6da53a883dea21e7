"""Text in a cell that does not fit the type of its column."""


class InvalidTypedValue(Exception):
    """Raised for an attribute of text that does not fit the type of its column."""

    def __init__(self, type_name, text):
        super().__init__(type_name, text)
        self.type_name = type_name
        self.text = text

    def __str__(self):
        return f"Invalid {self.type_name}: {self.text}"


class AltText:
    """The value of a cell whose text does not fit the type of its column: truthy, converts to its text, and is not a number."""

    __slots__ = ("_text", "_type_name")

    def __init__(self, text, type_name):
        self._text = text
        self._type_name = type_name

    def __str__(self):
        return self._text

    def __repr__(self):
        return f"{self._type_name}({self._text!r})"

    def __int__(self):
        return int(self._text)

    def __float__(self):
        return float(self._text)

    def __eq__(self, other):
        return isinstance(other, AltText) and self._text == other._text or self._text == other

    def __hash__(self):
        return hash(self._text)

    def __getattr__(self, name):
        # Python looks for special methods on the class, so only attributes that formulas name come here.
        raise InvalidTypedValue(self._type_name, self._text)
