"""Functions of coordinates that become formulas: each is called once, with symbols in place of numbers."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterator, Sequence
from typing import Any

import numpy as np

from ._carom import (
    Condition,
    Symbol,
    symbol_arctan2,
    symbol_hypot,
    symbol_maximum,
    symbol_minimum,
    symbol_where,
)

Formula = str | float | Callable[..., Any]


class Values:
    """What a traced function gets as q and u: by number, by name, or as an attribute."""

    def __init__(self, names: Sequence[str], symbols: Sequence[Symbol]) -> None:
        self._names = list(names)
        self._symbols = list(symbols)

    def __getitem__(self, key: int | str) -> Symbol:
        if isinstance(key, str):
            if key not in self._names:
                raise KeyError(f"{key!r}; there are: {', '.join(self._names)}")
            return self._symbols[self._names.index(key)]
        return self._symbols[key]

    def __getattr__(self, name: str) -> Symbol:
        if name.startswith("_") or name not in self._names:
            raise AttributeError(f"{name!r}; there are: {', '.join(self._names)}")
        return self[name]

    def __iter__(self) -> Iterator[Symbol]:
        return iter(self._symbols)

    def __len__(self) -> int:
        return len(self._symbols)


def _positional(function: Callable[..., Any]) -> int:
    """How many of (q, u, t) the function wants; what has a default, as in ``lambda q, i=i: q[i]``, is its own affair."""
    kinds = (inspect.Parameter.POSITIONAL_ONLY, inspect.Parameter.POSITIONAL_OR_KEYWORD)
    try:
        parameters = inspect.signature(function).parameters.values()
    except (TypeError, ValueError):
        return 3
    if any(one.kind == inspect.Parameter.VAR_POSITIONAL for one in parameters):
        return 3
    count = sum(one.kind in kinds and one.default is inspect.Parameter.empty for one in parameters)
    if not 1 <= count <= 3:
        raise TypeError(f"{_name(function)} takes {count} arguments; a formula is a function of q, of q and u, or of q, u and t")
    return count


def _name(function: Callable[..., Any]) -> str:
    return getattr(function, "__qualname__", repr(function))


def traced(function: Any, names: Sequence[str]) -> Any:
    """A formula as the library takes it: texts and numbers as they are, functions of lists of symbols."""
    if function is None or isinstance(function, str):
        return function
    if not callable(function):
        return float(function)
    wanted = _positional(function)

    def trace(q: list[Symbol], u: list[Symbol], t: Symbol) -> Any:
        result = function(*(Values(names, q), Values(names, u), t)[:wanted])
        if isinstance(result, np.ndarray) and result.ndim == 0:
            result = result.item()
        if isinstance(result, Condition):
            raise TypeError(f"{_name(function)} gives a condition, not a number: write carom.where(condition, 1, 0)")
        if not isinstance(result, (Symbol, int, float, np.integer, np.floating)):
            raise TypeError(f"{_name(function)} gives {type(result).__name__}, not a number")
        return result if isinstance(result, Symbol) else Symbol(float(result))

    return trace


def where(condition: Any, x: Any, y: Any) -> Any:
    """x where the condition holds, y elsewhere; in traced functions and on numbers.

    Examples
    --------
    >>> import carom
    >>> float(carom.where(2 > 1, 3.0, 4.0))
    3.0
    """
    return symbol_where(condition, x, y) if isinstance(condition, Condition) else np.where(condition, x, y)[()]


def minimum(x: Any, y: Any) -> Any:
    """The smaller of two, in traced functions and on numbers.

    Examples
    --------
    >>> import carom
    >>> float(carom.minimum(1.0, 2.0))
    1.0
    """
    return symbol_minimum(x, y) if isinstance(x, Symbol) or isinstance(y, Symbol) else np.minimum(x, y)


def maximum(x: Any, y: Any) -> Any:
    """The larger of two, in traced functions and on numbers.

    Examples
    --------
    >>> import carom
    >>> float(carom.maximum(1.0, 2.0))
    2.0
    """
    return symbol_maximum(x, y) if isinstance(x, Symbol) or isinstance(y, Symbol) else np.maximum(x, y)


def arctan2(y: Any, x: Any) -> Any:
    """Angle of the point (x, y), in traced functions and on numbers.

    Examples
    --------
    >>> import carom
    >>> float(carom.arctan2(0.0, 1.0))
    0.0
    """
    return symbol_arctan2(y, x) if isinstance(x, Symbol) or isinstance(y, Symbol) else np.arctan2(y, x)


def hypot(x: Any, y: Any) -> Any:
    """Length of (x, y), in traced functions and on numbers.

    Examples
    --------
    >>> import carom
    >>> float(carom.hypot(3.0, 4.0))
    5.0
    """
    return symbol_hypot(x, y) if isinstance(x, Symbol) or isinstance(y, Symbol) else np.hypot(x, y)


def sign(x: Any) -> Any:
    """-1, 0 or 1, in traced functions and on numbers.

    Examples
    --------
    >>> import carom
    >>> float(carom.sign(-2.0))
    -1.0
    """
    return x.sign() if isinstance(x, Symbol) else np.sign(x)


# NumPy calls the method of that name for what is not a number
sqrt, exp, log = np.sqrt, np.exp, np.log
sin, cos, tan = np.sin, np.cos, np.tan
arcsin, arccos, arctan = np.arcsin, np.arccos, np.arctan
sinh, cosh, tanh = np.sinh, np.cosh, np.tanh
