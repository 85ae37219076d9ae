"""Figures of scenes: drawn by the library, shown by notebooks, in the style that matplotlib can share."""

import pathlib

import pytest

import carom

SCENES = pathlib.Path(__file__).resolve().parents[2] / "scenes"


def test_a_figure_has_the_numbers_of_theory_and_is_saved(tmp_path):
    scene = carom.read_scene(SCENES / "tractrix.toml")
    assert scene.figures == ["path"]
    figure = scene.figure("path", tmp_path / "tractrix.pdf")
    assert (tmp_path / "tractrix.pdf").read_bytes().startswith(b"%PDF-1.7")
    assert figure.format == "pdf"
    assert all(number.error < 1e-3 for number in figure.numbers)
    assert figure.statuses == ["certified"]


def test_a_run_draws_its_own_figure():
    run = carom.read_scene(SCENES / "pendulum_wall.toml").run()
    figure = run.figure("phase")
    assert figure._repr_svg_().startswith("<svg")
    # the same as by the scene: the same motion, the same bytes
    assert figure.data == run.scene.figure("phase").data
    png = run.figure("phase", format="png", dpi=50)
    assert png._repr_png_().startswith(b"\x89PNG")


def test_what_cannot_be_drawn_is_said():
    scene = carom.read_scene(SCENES / "pendulum_wall.toml")
    with pytest.raises(carom.Error, match="no figure"):
        scene.figure("nothing")
    with pytest.raises(ValueError, match="svg, pdf, png"):
        scene.figure("phase", format="gif")
    with pytest.raises(ValueError, match="dpi"):
        scene.figure("phase", format="png", dpi=1)
    with pytest.raises(ValueError, match="0 figures"):
        carom.read_scene(SCENES / "top.toml").figure()


def test_matplotlib_takes_the_style():
    pyplot = pytest.importorskip("matplotlib.pyplot")
    with pyplot.style.context(carom.style):
        colours = pyplot.rcParams["axes.prop_cycle"].by_key()["color"]
    assert colours[0].lstrip("#").lower() == "0072b2"
