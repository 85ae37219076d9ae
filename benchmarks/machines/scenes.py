#!/usr/bin/env python3
"""Scenes that ranks share: benchmarks/machines/scenes.py NAME [SIZE] > scene.toml

pour     balls poured into a box, SIZE x SIZE of them in 8 layers
wall     a wall of bricks, SIZE courses of SIZE bricks
hopper   balls and boxes that slide down two slopes, SIZE x SIZE in 5 layers
chain    SIZE bars on hinges from end to end, lying on a heap of balls
huge     one large body on SIZE x SIZE balls
kinds    small balls and, numbered after them, large ones between them: SIZE x SIZE in 8 layers
"""

import sys

SIZES = {"pour": 12, "wall": 16, "hopper": 11, "chain": 24, "huge": 18, "kinds": 24}


def head(title, duration_s, step_s, tolerance):
    return f'''title = "{title}"
duration_s = {duration_s}

[integrator]
kind = "moreau"
time_step_s = {step_s}

[solver]
tolerance = {tolerance}

[record]
every_s = {duration_s / 5}

[[material]]
name = "stone"
friction = 0.5

[[body]]
name = "floor"
shape = "plane"
'''


def plane(name, normal, position):
    return f'\n[[body]]\nname = "{name}"\nshape = "plane"\nnormal = {normal}\nposition_m = {position}\n'


def balls(name, copies, position, radius=0.05):
    x, y, z = position
    return f'''
[[body]]
name = "{name}"
shape = "sphere"
radius_m = {radius}
copies = {copies}
position_m = ["{x}", "{y}", "{z}"]
jitter_m = 0.002
density = 2500
'''


def box(half):
    return "".join(plane(*one) for one in [("left", [1, 0, 0], [-half, 0, 0]), ("right", [-1, 0, 0], [half, 0, 0]),
                                            ("front", [0, 1, 0], [0, -half, 0]), ("back", [0, -1, 0], [0, half, 0])])


def scene(name, size=None):
    size = size or SIZES[name]
    middle = (size - 1) / 2
    if name == "pour":
        return (head("Poured balls", 0.1, 0.005, 1e-3) + box(0.053 * size)
                + balls("ball", [size, size, 8], (f"0.104*(i - {middle})", f"0.104*(j - {middle})", "0.051 + 0.102*k")))
    if name == "wall":
        return head("A wall", 0.05, 0.005, 1e-3) + f'''
[[body]]
name = "brick"
shape = "box"
copies = [{size}, {size}]
size_m = [0.198, 0.1, 0.1]
position_m = ["0.2*i + 0.04*(1 - cos(pi*j))", 0, "0.05 + 0.1*j"]
density = 2000
'''
    if name == "hopper":
        return (head("A hopper", 0.05, 0.005, 1e-3)
                + plane("slope", [0.6, 0, 0.8], [-0.06 * size, 0, 0]) + plane("other slope", [-0.6, 0, 0.8], [0.06 * size, 0, 0])
                + balls("ball", [size, size, 3], (f"0.104*(i - {middle})", f"0.104*(j - {middle})", "0.3 + 0.104*k")) + f'''
[[body]]
name = "block"
shape = "box"
copies = [{size}, {size}, 2]
size_m = [0.09, 0.09, 0.09]
position_m = ["0.104*(i - {middle})", "0.104*(j - {middle})", "0.61 + 0.1*k"]
density = 2000
''')
    if name == "chain":
        text = head("A chain on a heap", 0.05, 0.005, 1e-3) + box(0.053 * 20) + balls(
            "ball", [20, 20, 3], ("0.104*(i - 9.5)", "0.104*(j - 9.5)", "0.051 + 0.102*k"))
        for i in range(size):
            text += (f'\n[[body]]\nname = "bar{i}"\nshape = "box"\nsize_m = [0.07, 0.04, 0.04]\nmaterial = "stone"\n'
                     f'position_m = [{0.08 * (i - size / 2 + 0.5):.10g}, 0, 0.35]\ndensity = 2000\n')
        for i in range(1, size):
            text += (f'\n[[joint]]\nname = "hinge{i}"\nkind = "revolute"\nfirst = "bar{i}"\nsecond = "bar{i - 1}"\n'
                     f'point_m = [{0.08 * (i - size / 2):.10g}, 0, 0.35]\naxis = [0, 1, 0]\n')
        return text
    if name == "huge":
        half = 0.052 * size
        return (head("One body on many", 0.05, 0.005, 1e-3) + box(0.053 * size)
                + balls("ball", [size, size, 2], (f"0.104*(i - {middle})", f"0.104*(j - {middle})", "0.051 + 0.102*k")) + f'''
[[body]]
name = "slab"
shape = "box"
size_m = [{2 * half}, {2 * half}, 0.2]
position_m = [0, 0, 0.32]
density = 500
''')
    if name == "kinds":
        columns = [size // 2, size, 8]
        y, z = f"0.104*(j - {middle})", "0.051 + 0.102*k"
        return (head("Two kinds of balls", 0.1, 0.005, 1e-3) + box(0.053 * size)
                + balls("small", columns, (f"0.104*(2*i - {middle})", y, z), 0.049) + balls("large", columns, (f"0.104*(2*i + 1 - {middle})", y, z)))
    raise SystemExit(f"there is no scene {name}: {', '.join(SIZES)}")


if __name__ == "__main__":
    if len(sys.argv) < 2:
        raise SystemExit(__doc__)
    print(scene(sys.argv[1], int(sys.argv[2]) if len(sys.argv) > 2 else None), end="")
