"""The name `user` of trigger formulas."""


class User:
    """Who makes the change. Every attribute is None in a change that Sheaf makes by itself."""

    __slots__ = ("Access", "Email", "IsLoggedIn", "LinkKey", "Name", "Origin", "SessionID", "ShareRef", "Type", "UserID", "UserRef")

    def __init__(self, known):
        for name in self.__slots__:
            setattr(self, name, known.get(name))
        self.LinkKey = {}

    def __repr__(self):
        return f"User({self.Name!r})"
