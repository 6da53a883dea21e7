"""The functions that formulas may call by name."""

from sheaf.functions import (
    aggregation,
    criteria,
    date_differences,
    date_functions,
    distributions,
    hypothesis,
    information,
    logic,
    lookup_functions,
    mathematics,
    moments,
    number_text,
    ordering,
    phone,
    regression,
    rounding,
    schedule,
    text_format,
    text_functions,
    trigonometry,
    unavailable,
)

_MODULES = (
    aggregation,
    criteria,
    date_differences,
    date_functions,
    distributions,
    hypothesis,
    information,
    logic,
    lookup_functions,
    mathematics,
    moments,
    number_text,
    ordering,
    phone,
    regression,
    rounding,
    schedule,
    text_format,
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
