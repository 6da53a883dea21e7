"""The functions that formulas may call by name."""

from sheaf.functions import (
    aggregation,
    date_differences,
    date_functions,
    information,
    logic,
    lookup_functions,
    mathematics,
    number_text,
    rounding,
    schedule,
    text_functions,
    trigonometry,
    unavailable,
)

_MODULES = (
    aggregation,
    date_differences,
    date_functions,
    information,
    logic,
    lookup_functions,
    mathematics,
    number_text,
    rounding,
    schedule,
    text_functions,
    trigonometry,
    unavailable,
)

# A public function is written in capitals; modules import some of each other's, so the home of each is checked.
_functions = {
    name: value
    for module in _MODULES
    for name, value in vars(module).items()
    if name.isupper() and callable(value) and value.__module__ == module.__name__
}
globals().update(_functions)

__all__ = sorted(_functions)
