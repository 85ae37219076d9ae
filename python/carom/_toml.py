"""Scenes as nested dictionaries: written as the TOML that the library reads."""

from __future__ import annotations

import json
import os
import re
from collections.abc import Iterator, Mapping
from typing import Any

_BARE = re.compile(r"[A-Za-z0-9_-]+\Z")


def _plain(value: Any, where: str) -> Any:
    """NumPy's numbers and arrays, dataclasses and paths as Python's own things."""
    if hasattr(value, "to_dict") and not isinstance(value, type):
        value = value.to_dict()
    elif hasattr(value, "tolist") and hasattr(value, "dtype"):
        value = value.tolist()
    elif isinstance(value, os.PathLike):
        value = os.fspath(value)
    if isinstance(value, (bool, int, float, str, Mapping)):
        return value
    if isinstance(value, (list, tuple)):
        return list(value)
    raise TypeError(f"{where}: {type(value).__name__} cannot be part of a scene")


def key(name: Any, where: str = "") -> str:
    """A key as TOML wants it."""
    if not isinstance(name, str):
        raise TypeError(f"{where or 'a scene'}: the key {name!r} is not a text")
    return name if _BARE.match(name) else text(name)


def text(value: str) -> str:
    """A text between quotation marks."""
    # the escapes of JSON are those of TOML; DEL must be escaped as well
    return json.dumps(value, ensure_ascii=False).replace("\x7f", "\\u007f")


def value(given: Any, where: str = "") -> str:
    """A value on one line; what is None is left out of tables."""
    plain = _plain(given, where)
    if isinstance(plain, bool):
        return "true" if plain else "false"
    if isinstance(plain, (int, float)):
        return repr(plain)
    if isinstance(plain, str):
        return text(plain)
    if isinstance(plain, Mapping):
        pairs = (
            f"{key(name, where)} = {value(one, f'{where}.{name}')}" for name, one in plain.items() if one is not None
        )
        return "{ " + ", ".join(pairs) + " }"
    return "[" + ", ".join(value(one, f"{where}[{i}]") for i, one in enumerate(plain)) + "]"


def _is_table_list(plain: Any) -> bool:
    return isinstance(plain, list) and bool(plain) and all(isinstance(one, Mapping) for one in plain)


def _lines(table: Mapping[str, Any], where: str) -> Iterator[str]:
    for name, one in table.items():
        if one is not None:
            yield f"{key(name, where)} = {value(one, f'{where}.{name}')}"


def document(scene: Mapping[str, Any]) -> str:
    """A whole scene: one section per table, what is in them on one line per key."""
    tops: list[str] = []
    sections: list[str] = []
    for name, given in scene.items():
        head = key(name)
        if given is None:
            continue
        plain = _plain(given, name)
        if isinstance(plain, list):
            plain = [one.to_dict() if hasattr(one, "to_dict") else one for one in plain]
        if isinstance(plain, Mapping):
            sections += ["", f"[{head}]", *_lines(plain, name)]
        elif _is_table_list(plain):
            for i, one in enumerate(plain):
                sections += ["", f"[[{head}]]", *_lines(one, f"{name}[{i}]")]
        else:
            tops.append(f"{head} = {value(plain, name)}")
    return "\n".join(tops + sections) + "\n"


def overrides(given: Mapping[str, Any], prefix: str = "") -> list[tuple[str, str]]:
    """Paths and values, as `--set` takes them; a nested dictionary is a longer path."""
    pairs: list[tuple[str, str]] = []
    for name, one in given.items():
        if not isinstance(name, str):
            raise TypeError(f"{prefix or 'overrides'}: the key {name!r} is not a text")
        path = prefix + name
        if isinstance(one, Mapping):
            pairs += overrides(one, path + ".")
        else:
            pairs.append((path, value(one, path)))
    return pairs
