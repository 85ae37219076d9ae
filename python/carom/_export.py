"""Runs as files of other programs."""

from __future__ import annotations

import os

from . import _carom


def export(run: _carom.Run, name: str) -> None:
    """See :meth:`Run.export`."""
    ending = os.path.splitext(name)[1]
    texts = {".csv": run.csv, ".svg": run.svg, ".html": run.page}
    if ending in texts:
        with open(name, "w", encoding="utf-8") as file:
            file.write(texts[ending]())
    elif ending in (".gltf", ".glb"):
        _must_draw(run)
        with open(name, "wb") as asset:
            asset.write(run.gltf(ending == ".glb"))
    elif ending == ".pvd":
        _must_draw(run)
        _export_vtk(run, name)
    else:
        raise ValueError(f"{name}: the ending says no format; there are .csv, .svg, .html, .gltf, .glb, .pvd")


def _must_draw(run: _carom.Run) -> None:
    if not run.draws:
        raise ValueError("the scene draws nothing, so there is nothing to export: add [[draw]] entries")


def _export_vtk(run: _carom.Run, name: str) -> None:
    """One file per frame in a folder beside `name`, which lists them."""
    folder = os.path.splitext(os.path.basename(name))[0] + "_frames"
    place = os.path.join(os.path.dirname(name), folder)
    os.makedirs(place, exist_ok=True)
    for frame in range(len(run.columns["time_s"])):
        file_name, text = run.vtp(frame)
        with open(os.path.join(place, file_name), "w", encoding="utf-8") as file:
            file.write(text)
    with open(name, "w", encoding="utf-8") as file:
        file.write(run.pvd(folder))
