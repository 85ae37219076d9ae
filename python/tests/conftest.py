"""Scenes that several tests use."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import matplotlib
import pytest

import carom

matplotlib.use("agg")

ROOT = Path(__file__).resolve().parents[2]

BALL: dict[str, Any] = {
    "title": "ball",
    "duration_s": 1.0,
    "parameters": {"e": 0.5},
    "coordinate": [{"name": "z", "start": 1.0}],
    "lagrangian": {"kinetic": "z'^2/2", "potential": "9.81*z"},
    "contact": [{"name": "floor", "gap": "z", "law": {"restitution": "e"}}],
    "probe": [{"name": "height", "value": "z", "unit": "m"}],
    "integrator": {"kind": "moreau", "time_step_s": 1e-3},
}

BLOCK: dict[str, Any] = {
    "title": "block on a floor",
    "duration_s": 0.5,
    "material": [{"name": "wood", "friction": 0.3}],
    "body": [
        {"name": "floor", "shape": "plane"},
        {
            "name": "crate",
            "shape": "box",
            "size_m": [0.2, 0.2, 0.2],
            "mass_kg": 2.0,
            "position_m": [0, 0, 0.1],
            "velocity_m_s": [1.0, 0, 0],
        },
    ],
}

PLAY: dict[str, Any] = {
    "duration_s": 2.0,
    "coordinate": [{"name": "u", "start": 0.0}],
    "set": [{"name": "window", "kind": "interval", "lower": ["sin(pi*t) - 0.25"], "upper": ["sin(pi*t) + 0.25"]}],
    "sweeping": {"set": "window", "time_step_s": 1e-3},
}


@pytest.fixture
def ball() -> carom.Scene:
    return carom.scene(BALL)


@pytest.fixture
def block() -> carom.Scene:
    return carom.scene(BLOCK)


@pytest.fixture
def play() -> carom.Scene:
    return carom.scene(PLAY)
