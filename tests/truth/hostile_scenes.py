#!/usr/bin/env python3
"""Scenes that an examiner would try: five and more of each kind of defect that was seen, with random numbers, other integrators, solvers,
tolerances and units, in coordinates and as bodies. What must be said follows from a closed form, a theorem, or that no motion exists.

    tests/truth/hostile_scenes.py --program build/bin/carom --variants 10 --seed 1

Exit status 0: every scene tells the truth.
"""

import decimal
import math
import sys

import defect_variants
from defect_variants import codes, coordinate, end_is, log, never_certified, promises, stepped

VARIANTS = {}


def variant(function):
    VARIANTS[function.__name__] = function
    return function


def scheme(rng):
    return rng.choice(["moreau", "moreau", "moreau_jean"])


def impacts(told):
    return [e for e in told.get("events", []) if e["kind"] == "impact"]


def body(name, shape, **keys):
    show = lambda v: f'"{v}"' if isinstance(v, str) else str(list(v)) if isinstance(v, (list, tuple)) else repr(v)
    return f'[[body]]\nname = "{name}"\nshape = "{shape}"\n' + "".join(f"{k} = {show(v)}\n" for k, v in keys.items())


# ---- A: the certificate

@variant
def a_spring_of_bodies(rng):
    """Two balls on a spring: w^2 = 2 k/m; unstable beyond h w = 2, and fine below 0.3."""
    m, stretch, hw = log(rng, 0.1, 10), rng.uniform(0.05, 0.3), rng.choice([log(rng, 0.05, 0.3), log(rng, 2.2, 50)])
    h = log(rng, 1e-4, 1e-2)
    k = m / 2 * (hw / h) ** 2
    scene = (f"duration_s = {100 * h!r}\ngravity_m_s2 = [0, 0, 0]\n" + body("a", "sphere", radius_m=0.01, mass_kg=m, position_m=[-0.5, 0, 0]) +
             body("b", "sphere", radius_m=0.01, mass_kg=m, position_m=[0.5, 0, 0]) +
             f'[[spring]]\nfirst = "a"\nsecond = "b"\nstiffness_N_m = {k!r}\nrest_length_m = {1 - stretch!r}\n' + stepped(h))

    def wrong(told):
        if hw > 2:
            return "certified, and unstable" if told["status"] == "certified" else None
        return None if told["status"] == "certified" else f"h w = {hw:.2g}, not certified: {codes(told)}"
    return scene, "run", wrong


@variant
def a_energy_with_a_constant(rng):
    """An unstable step is not certified, whatever constant the potential has."""
    h = log(rng, 1e-4, 1e-2)
    w = rng.uniform(2.2, 30) / h
    constant = rng.choice([1, -1]) * log(rng, 1e3, 1e15)
    scene = (f"duration_s = {rng.randint(4, 12) * h!r}\n" + coordinate("x", 1) +
             f'[lagrangian]\nkinetic = "x\'^2/2"\npotential = "{w * w / 2!r}*x^2 + {constant!r}"\n' + stepped(h))
    return scene, *never_certified()


@variant
def a_stiff_damper(rng):
    """x'' = -c x': the velocity never grows and never changes its sign; x ends at v/c."""
    h, v = log(rng, 1e-4, 1e-1), log(rng, 0.1, 10)
    c = log(rng, 0.1, 30) / h
    scene = (f"duration_s = {60 * h!r}\n" + coordinate("x", 0, v) + "[lagrangian]\nkinetic = \"x'^2/2\"\n"
             f'forces = {{ x = "-{c!r}*x\'" }}\n' + stepped(h, scheme(rng)))

    def wrong(told):
        if told["status"] != "certified":
            return None if c * h > 0.2 else f"h c = {c * h:.2g}, not certified: {codes(told)}"
        x, u = told["state"]["x"]["q"], told["state"]["x"]["u"]
        exact = v / c * (1 - math.exp(-c * 60 * h))
        if abs(x - exact) > 0.6 * v * h or abs(u) > v:
            return f"h c = {c * h:.3g}: x ends at {x:.4g}, {exact:.4g} is right, u = {u:.3g} of {v}"
        return None
    return scene, "run", wrong


@variant
def a_pole_of_a_tangent(rng):
    """A force tan(w t) is infinite at pi/(2 w): nothing goes on through it."""
    w, h = log(rng, 0.5, 5), log(rng, 1e-4, 1e-2)
    scene = (f"duration_s = {rng.uniform(1.7, 2.8) / w!r}\n" + coordinate("x", 0) + "[lagrangian]\nkinetic = \"x'^2/2\"\n"
             f'forces = {{ x = "tan({w}*t)" }}\n' + stepped(h, scheme(rng)))
    return scene, *never_certified()


@variant
def a_shot_in_other_units(rng):
    """A ball against a thin fixed box, all lengths in units of 10^k m: it never ends behind it, certified."""
    unit = 10 ** rng.randint(-3, 2)
    r, thick, v = 0.01 * unit, rng.uniform(0.002, 0.05) * unit, log(rng, 1, 300) * unit
    h = log(rng, 1e-4, 1e-2)
    scene = (f"duration_s = {min(100 * h, 2 * unit / v + 5 * h)!r}\nlength_m = {unit!r}\ngravity_m_s2 = [0, 0, 0]\n" +
             body("wall", "box", size_m=[thick, unit, unit], position_m=[0, 0, 0], motion="fixed") +
             body("ball", "sphere", radius_m=r, mass_kg=1.0, position_m=[-rng.uniform(0.3, 0.7) * unit, 0, 0], velocity_m_s=[v, 0, 0]) + stepped(h))

    def wrong(told):
        x = told["state"]["ball_x"]["q"]
        return f"certified behind the wall, at {x / unit:.3g} units" if told["status"] == "certified" and x > 0 else None
    return scene, "run", wrong


@variant
def a_walls_that_add_up(rng):
    """A mass between elastic walls: its place after n impacts is known in closed form, and a certified one is there to a quarter."""
    gap, v, h = log(rng, 0.2, 5), log(rng, 0.5, 5), log(rng, 1e-4, 2e-2)
    steps = rng.randint(200, 20000)
    if rng.random() < 0.5:
        v = gap / (h * max(2, round(gap / v / h)))  # the period is a multiple of the step
    t = steps * h
    start = rng.uniform(0.1, 0.9) * gap
    scene = (f"duration_s = {t!r}\n" + coordinate("x", start, v) + "[lagrangian]\nkinetic = \"x'^2/2\"\n"
             '[[contact]]\nname = "left"\ngap = "x"\nlaw = { restitution = 1 }\n'
             f'[[contact]]\nname = "right"\ngap = "{gap!r} - x"\nlaw = {{ restitution = 1 }}\n' + stepped(h, scheme(rng)))
    phase = (start + v * t) % (2 * gap)
    exact = phase if phase <= gap else 2 * gap - phase
    return scene, *end_is("x", exact, 0.25 * gap)


@variant
def a_loads_on_feet(rng):
    """A plate slides and spins on three to six feet: the loads of an equal, vanishing compliance are those of least norm, a + b x + c y of
    the feet, and series follow the motion that they make."""
    n, m, mu, g = rng.randint(3, 6), log(rng, 1e-2, 1e2), round(rng.uniform(0.05, 0.5), 3), 9.81
    around = [(rng.uniform(0.4, 1), 2 * math.pi * (k + rng.uniform(-0.2, 0.2)) / n) for k in range(n)]
    feet = [(round(r * math.cos(angle), 3), round(r * math.sin(angle), 3)) for r, angle in around]
    load = least_norm_loads(feet, m * g)
    if load is None or min(load) < 0.05 * m * g / n:
        return None
    J, v, w, t = 0.2 * m, (rng.uniform(0.5, 2), rng.uniform(-1, 1)), rng.uniform(2, 4), 0.1
    scene = f"duration_s = {t}\n"
    for name, speed in (("x", v[0]), ("y", v[1]), ("z", 0), ("th", w), ("a", 0), ("b", 0)):
        scene += coordinate(name, 0, speed)
    scene += f'[lagrangian]\nkinetic = "{m}/2*(x\'^2 + y\'^2 + z\'^2) + {J!r}/2*(a\'^2 + b\'^2 + th\'^2)"\npotential = "{m * g!r}*z"\n'
    for k, (p, q) in enumerate(feet):
        along, across = f"(({p})*cos(th) - ({q})*sin(th))", f"(({p})*sin(th) + ({q})*cos(th))"
        scene += (f'[[contact]]\nname = "f{k}"\ngap = "z + ({p})*a + ({q})*b"\nsliding = ["x\' - {across}*th\'", "y\' + {along}*th\'"]\n'
                  f'law = {{ kind = "coulomb", friction = {mu} }}\n')
    kind, h = rng.choice([("series", 0.02), (scheme(rng), log(rng, 1e-4, 2e-3))])
    q = sliding_plate(feet, load, m, mu, J, (*v, w), t)

    def wrong(told):
        if told["status"] != "certified":
            return f"not certified: {codes(told)}"
        off = max(abs(told["state"][name]["q"] - exact) for name, exact in zip(("x", "y", "th"), q))
        return f"off by {off:.2g}, h = {h}" if off > (1e-8 if kind == "series" else 3 * w * w * h) else None
    return scene + stepped(h, kind), "run", wrong


def least_norm_loads(feet, weight):
    """N = A^T (A A^T)^-1 (weight, 0, 0) with rows 1, x, y; nothing where the feet are nearly on a line."""
    rows = [[1.0] * len(feet), [f[0] for f in feet], [f[1] for f in feet]]
    M = [[sum(a * b for a, b in zip(r, s)) for s in rows] for r in rows]
    cofactor = [M[(i + 1) % 3][1] * M[(i + 2) % 3][2] - M[(i + 1) % 3][2] * M[(i + 2) % 3][1] for i in range(3)]
    det = sum(M[i][0] * cofactor[i] for i in range(3))
    if abs(det) < 0.05:
        return None
    # the first column of the inverse of a symmetric matrix
    c = [weight * x / det for x in cofactor]
    return [c[0] + c[1] * x + c[2] * y for x, y in feet]


def sliding_plate(feet, load, m, mu, J, speed, duration, steps=4000):
    """Where a plate is that these loads brake (Runge-Kutta of fourth order)."""
    def rate(s):
        _, _, th, u, v, w = s
        force = [0.0, 0.0, 0.0]
        for (p, q), N in zip(feet, load):
            x, y = p * math.cos(th) - q * math.sin(th), p * math.sin(th) + q * math.cos(th)
            slip = (u - y * w, v + x * w)
            size = math.hypot(*slip) or 1.0
            f = [-mu * N * one / size for one in slip]
            force = [force[0] + f[0], force[1] + f[1], force[2] + x * f[1] - y * f[0]]
        return [u, v, w, force[0] / m, force[1] / m, force[2] / J]
    s, h = [0.0, 0.0, 0.0, *speed], duration / steps
    for _ in range(steps):
        k1 = rate(s)
        k2 = rate([a + h / 2 * b for a, b in zip(s, k1)])
        k3 = rate([a + h / 2 * b for a, b in zip(s, k2)])
        k4 = rate([a + h * b for a, b in zip(s, k3)])
        s = [a + h / 6 * (b + 2 * c + 2 * d + e) for a, b, c, d, e in zip(s, k1, k2, k3, k4)]
    return s[:3]


# ---- B: contacts that persist, events

@variant
def b_stop_that_lets_go(rng):
    """A joint lies at its stop until the torque turns round: it is lost in that step, wherever the other stop is."""
    h, far, torque, J = log(rng, 1e-5, 2e-3), log(rng, 1e-3, 1e3), log(rng, 0.1, 10), log(rng, 0.1, 10)
    when, kind = 200 * h, scheme(rng)
    scene = (f"duration_s = {260 * h!r}\ngravity_m_s2 = [0, 0, 0]\n" + body("door", "none", mass_kg=1, inertia_kg_m2=[J, J, J]) +
             f'[[joint]]\nname = "hinge"\nfirst = "door"\nturn = {{ low_rad = {-far}, high_rad = 0 }}\n'
             f'[[load]]\nbody = "door"\ntorque_Nm = [0, 0, "if(t > {when + h / 4!r}, {-torque}, {torque})"]\n' + stepped(h, kind))

    def wrong(told):
        lost = [e["time_s"] for e in told["events"] if e["kind"] == "contact_lost"]
        if told["status"] != "certified" or len(lost) != 1:
            return f"{told['status']}, lost {len(lost)} times: {codes(told)}"
        return f"lost {(lost[0] - when) / h:.3g} steps late" if abs(lost[0] - when) > 3 * h else None
    return scene, "run", wrong


@variant
def b_slip_on_what_swings(rng):
    """A heavy puck on a belt or plate that swings: slip turns round at every zero of the sliding velocity, in the plane, in space, as a body."""
    w, v, mu = rng.uniform(4, 20), rng.uniform(1, 4), round(rng.uniform(0.01, 0.04), 3)
    h = log(rng, 5e-5, 5e-4)
    kind = rng.choice(["plane", "space", "body"])
    t = 4.4 * math.pi / w
    if mu * 9.81 * t > 0.5 * v or 2 * mu * 9.81 > 0.3 * v * w:
        return None
    if kind == "body":
        scene = (f"duration_s = {t!r}\n[[material]]\nname = \"m\"\nfriction = {mu}\n" +
                 body("belt", "plane", motion="prescribed", position_m=[f"{v / w!r}*sin({w!r}*t)", 0, 0]) +
                 body("puck", "sphere", radius_m=0.1, mass_kg=1, inertia_kg_m2=[1e9, 1e9, 1e9], position_m=[0, 0, 0.1]))
    else:
        more, aside = (" + y'^2", ', "y\'"') if kind == "space" else ("", "")
        scene = (f"duration_s = {t!r}\n" + coordinate("x", 0) + coordinate("z", 0) + (coordinate("y", 0) if more else "") +
                 f'[lagrangian]\nkinetic = "(x\'^2 + z\'^2{more})/2"\npotential = "9.81*z"\n[[contact]]\nname = "belt"\ngap = "z"\n'
                 f'sliding = ["x\' - {v!r}*cos({w!r}*t)"{aside}]\nlaw = {{ kind = "coulomb", friction = {mu} }}\n')

    def wrong(told):
        slips = [e for e in told["events"] if e["kind"] == "slip"]
        if told["status"] != "certified" or len(slips) != 5:
            return f"{kind}: {told['status']}, {len(slips)} directions of slip instead of 5: {codes(told)}"
        for one, other in zip(slips, slips[1:]):
            if math.cos(one["slip_rad"] - other["slip_rad"]) > -0.99:
                return f"{kind}: slip turns from {one['slip_rad']:.3g} to {other['slip_rad']:.3g} rad"
        return None
    return scene + stepped(h, scheme(rng)), "run", wrong


@variant
def b_rod_to_its_singular_point(rng):
    """Painleve's rod with mu > 8/(3 sqrt 3) slides into the point where its margin and the free acceleration vanish: nothing says how it goes on."""
    mu, l, h, flat = rng.uniform(1.56, 1.75), log(rng, 0.1, 10), log(rng, 2e-5, 2e-4), rng.random() < 0.5
    h *= math.sqrt(l)
    w, a = 0.005 * l, math.pi / 4
    v, t = rng.uniform(25, 35) * math.sqrt(l), 0.08 * math.sqrt(l)
    if (1 + 3 * (math.cos(a) - 0.005 * math.sin(a)) ** 2) < mu * 3 * math.cos(a) * math.sin(a) * 1.02:
        return None  # no motion continues from the start
    if flat:
        scene = (f"duration_s = {t!r}\n[[material]]\nname = \"m\"\nfriction = {mu!r}\n" + body("floor", "plane", normal=[0, 1]) +
                 body("rod", "polygon", vertices_m=[[-l, -w], [l, -w], [l, w], [-l, w]], position_m=[0, l * math.sin(a) + w * math.cos(a)],
                      rotation_rad=[-a], velocity_m_s=[v, 0]))
    else:
        scene = (f"duration_s = {t!r}\n" + coordinate("x", 0, v) + coordinate("y", l * math.sin(a) + w * math.cos(a)) + coordinate("th", a, 0, "rad") +
                 f'[lagrangian]\nkinetic = "(x\'^2 + y\'^2)/2 + {(l * l + w * w) / 6!r}*th\'^2"\npotential = "9.81*y"\n[[contact]]\nname = "tip"\n'
                 f'position = ["x + {l}*cos(th) - {w}*sin(th)", "y - {l}*sin(th) - {w}*cos(th)"]\nsurface = "y"\n'
                 f'law = {{ kind = "coulomb", friction = {mu!r} }}\n')
    return scene + stepped(h), *never_certified(wants=("frictional_catastrophe", "several_continuations"))


@variant
def b_block_on_a_shaking_plate(rng):
    """A w^2 < g: it never leaves, no impact, nothing lost, for any restitution and either scheme."""
    w, h, e = log(rng, 2, 60), log(rng, 1e-4, 2e-3), rng.choice([0, 0.3, 0.9, 1])
    A = rng.uniform(0.2, 0.9) * 9.81 / w ** 2
    scene = (f"duration_s = {min(2, 2000 * h)!r}\n" + coordinate("z", 0, f'"{A * w!r}"') + "[lagrangian]\nkinetic = \"z'^2/2\"\npotential = \"9.81*z\"\n"
             f'[[contact]]\nname = "plate"\ngap = "z - {A!r}*sin({w}*t)"\nlaw = {{ restitution = {e} }}\n' + stepped(h, scheme(rng)))

    def wrong(told):
        found = impacts(told)
        return f"{len(found)} impacts of a contact that stays" if w * h < 0.05 and found else None
    return scene, "run", wrong


@variant
def b_bowl_without_friction(rng):
    """A point that slides in a circular bowl keeps its energy, and has no impacts."""
    R, a, h = log(rng, 0.2, 3), rng.uniform(0.2, 1.2), log(rng, 1e-4, 2e-3)
    scene = (f"duration_s = {min(2, 3000 * h)!r}\n" + coordinate("x", f'"{R}*sin({a})"') + coordinate("z", f'"-{R}*cos({a})"') +
             "[lagrangian]\nkinetic = \"(x'^2 + z'^2)/2\"\npotential = \"9.81*z\"\n"
             f'[[contact]]\nname = "bowl"\ngap = "{R} - hypot(x, z)"\nlaw = {{ restitution = {rng.choice([0, 0.5, 1])} }}\n'
             f'[[probe]]\nname = "E"\nvalue = "(x\'^2 + z\'^2)/2 + 9.81*z"\n' + stepped(h, scheme(rng)))

    def wrong(told):
        if len(impacts(told)) > 2:
            return f"{len(impacts(told))} impacts"
        lost = abs(told["values"]["E"] + 9.81 * R * math.cos(a)) / (9.81 * R * (1 - math.cos(a)))
        return f"{lost:.2g} of the energy is lost, certified" if told["status"] == "certified" and lost > 0.1 else None
    return scene, "run", wrong


@variant
def b_along_a_floor_into_a_wall(rng):
    """What slides along a frictionless floor leaves a wall with e times its speed, and stays on the floor."""
    v, e, h = log(rng, 0.5, 10), rng.choice([0, 0.3, 0.8, 1]), log(rng, 1e-4, 2e-3)
    scene = (f"duration_s = {1.4 / v!r}\n" + coordinate("x", 1, -v) + coordinate("z", 0) + "[lagrangian]\nkinetic = \"(x'^2 + z'^2)/2\"\npotential = \"9.81*z\"\n"
             f'[[contact]]\nname = "floor"\ngap = "z"\nlaw = {{ restitution = {e} }}\n[[contact]]\nname = "wall"\ngap = "x"\nlaw = {{ restitution = {e} }}\n' +
             stepped(min(h, 0.02 / v), scheme(rng)))

    def wrong(told):
        if told["status"] != "certified":
            return f"not certified: {codes(told)}"
        off = abs(told["state"]["x"]["u"] - e * v)
        return f"leaves with {told['state']['x']['u']:.4g}, {e * v:.4g} is right" if off > 1e-6 * v else None
    return scene, "run", wrong


@variant
def b_kicked_by_its_plate(rng):
    """A plate that begins to move with V strikes what lies on it: it leaves with (1 + e) V."""
    V, e, when, h = log(rng, 0.5, 5), rng.choice([0.2, 0.5, 1]), rng.uniform(0.2, 0.4), log(rng, 1e-4, 1e-3)
    t = when + 0.05
    scene = (f"duration_s = {t!r}\n" + coordinate("z", 0) + "[lagrangian]\nkinetic = \"z'^2/2\"\npotential = \"9.81*z\"\n"
             f'[[contact]]\nname = "plate"\ngap = "z - {V}*max(0, t - {when!r})"\nlaw = {{ restitution = {e} }}\n' + stepped(h, scheme(rng)))
    exact = (1 + e) * V - 9.81 * 0.05

    def wrong(told):
        if told["status"] != "certified" or exact < V:
            return None
        off = abs(told["state"]["z"]["u"] - exact)
        return f"u = {told['state']['z']['u']:.4g}, {exact:.4g} is right" if off > 0.02 * V + 20 * h else None
    return scene, "run", wrong


@variant
def b_until_within_a_step(rng):
    """A fall through a height is located to second order in the step, and exactly by series."""
    v, z, kind, h = rng.uniform(-3, 3), log(rng, 0.3, 5), rng.choice(["moreau", "moreau_jean", "series"]), log(rng, 1e-4, 5e-2)
    scene = (f'duration_s = 5\nuntil = "-z"\n' + coordinate("z", z, v) + "[lagrangian]\nkinetic = \"z'^2/2\"\npotential = \"9.81*z\"\n" + stepped(h, kind))
    exact = (v + math.sqrt(v * v + 2 * 9.81 * z)) / 9.81

    def wrong(told):
        off = abs(told["time_s"] - exact)
        allowed = 1e-12 if kind == "series" else 10 * h * h + 1e-9
        return f"{kind}: ends off by {off:.2g} s, h = {h}" if told["end"] != "formula" or off > allowed else None
    return scene, "run", wrong


@variant
def b_until_from_zero(rng):
    """x = A cos(w t - phi): a formula that is zero at the start, to rounding, ends the run where x next comes to x_0 from below."""
    w, A, phi = log(rng, 1, 10), rng.uniform(0.2, 1.2), rng.choice([-1, 1]) * rng.uniform(0.3, 2.8)
    kind = rng.choice(["moreau", "moreau_jean", "series", "body"])
    h = log(rng, 1e-4, 0.1) / w if kind != "series" else log(rng, 1e-2, 5)
    x, v = A * math.cos(phi), A * w * math.sin(phi)
    name = "b_x" if kind == "body" else "x"
    head = f'duration_s = {15 / w!r}\nuntil = "sin({name}) - sin({math.nextafter(x, rng.choice([-2, 0, 2]))!r})"\n'
    if kind == "body":
        scene = head + "gravity_m_s2 = [0, 0, 0]\n" + body("b", "sphere", radius_m=0.1, mass_kg=1, position_m=[x, 0, 0], velocity_m_s=[v, 0, 0])
        scene += f'[[spring]]\nfirst = "b"\nstiffness_N_m = {w * w!r}\n' + stepped(h)
    else:
        scene = head + coordinate("x", x, v) + f"[lagrangian]\nkinetic = \"x'^2/2\"\npotential = \"{w * w!r}/2*x^2\"\n" + stepped(h, kind)
    exact = (2 * math.pi if phi > 0 else 2 * phi + 2 * math.pi) / w

    def wrong(told):
        off = abs(told["time_s"] - exact)
        # the period is off by (h w)^2/12 of it at most, and more slowly than that nothing crosses here
        allowed = 1e-9 if kind == "series" else exact * (h * w) ** 2 * (1 + 4 / abs(math.sin(phi)))
        return f"{kind}: ends off by {off:.2g} s of {exact:.3g}, h w = {h * w:.2g}" if told["end"] != "formula" or off > allowed + 1e-9 else None
    return scene, "run", wrong


# ---- C: inspection

@variant
def c_square_root_at_rest(rng):
    """x'' = |x|^p with p < 1 from rest at 0: it may stay or leave."""
    p = rng.choice(["1/2", "1/3", "0.9", "2/3", "0.95"])
    scene = ("duration_s = 1\n" + coordinate("x", 0) + "[lagrangian]\nkinetic = \"x'^2/2\"\n"
             f'forces = {{ x = "{log(rng, 0.1, 10)}*abs(x)^({p})" }}\n' + stepped(1e-3))
    return scene, *promises("possibly_several", "no_guarantee")


@variant
def c_edges_that_are_kinks(rng):
    """Roots of squares, powers of |x| in other words: x'' = f(x) crosses x = x0, where f is not Lipschitz, or has a kink beside a wall."""
    x0, p = round(rng.uniform(-0.5, 0.5), 3), rng.choice([1/6, 0.25, 0.4])
    d = f"(x - {x0})"
    force, walled = rng.choice([(f"({d}^2)^{p}", False), (f"hypot({d}, 0)^{2 * p}", False), (f"sqrt({d}^2)", True), (f"atan2({d}, -1)", False), (f"{d}^2/sqrt({d}^2)", True)])
    scene = ("duration_s = 1\nlength_m = 1\n" + coordinate("x", x0 + log(rng, 0.05, 1), -1) + "[lagrangian]\nkinetic = \"x'^2/2\"\n"
             f'forces = {{ x = "{log(rng, 0.1, 10)}*{force}" }}\n')
    if walled:
        scene += '[[contact]]\nname = "wall"\ngap = "x + 5"\n'
    return scene + stepped(1e-3), *promises("possibly_several", "none_promised")


@variant
def c_speed_that_feeds_itself(rng):
    """u' = k u^p with p > 1 ends in finite time: nothing is promised for all time."""
    p, k = rng.choice([2, 3, 1.5]), log(rng, 0.1, 10)
    scene = ("duration_s = 1\n" + coordinate("x", 0, 1) + "[lagrangian]\nkinetic = \"x'^2/2\"\n"
             f'forces = {{ x = "{k}*abs(x\')^{p}" }}\n' + stepped(1e-3))

    def wrong(told):
        return "promises a motion for all time" if "all time" in told.get("verdict", "") + str(told.get("promise")) else None
    return scene, "inspect", wrong


@variant
def c_drives_that_part(rng):
    """Two drives of one coordinate that agree until t_0 only: no motion afterwards."""
    w, t0 = log(rng, 0.5, 3), rng.uniform(0.1, 0.5)
    second = rng.choice([f"{w}*sin(t)", f"{w}*t + max(0, t - {t0:.3g})^2", f"{w}*t + 1e-3*t^3"])
    scene = (f"duration_s = 1\n" + coordinate("a", 0, f'"{w}"') + "[lagrangian]\nkinetic = \"a'^2/2\"\n"
             f'[[constraint]]\nname = "one"\nzero = ["a - {w}*t"]\n[[constraint]]\nname = "two"\nzero = ["a - ({second})"]\n' + stepped(1e-3))
    return scene, *never_certified()


@variant
def c_contacts_and_constraints(rng):
    """Any number of contacts, constraints and particles can be inspected."""
    n = rng.randint(2, 5)
    names = "abcde"[:n]
    scene = "duration_s = 0.1\n" + "".join(coordinate(x, 1 + i) for i, x in enumerate(names))
    scene += '[lagrangian]\nkinetic = "' + " + ".join(f"{x}'^2" for x in names) + '"\n'
    for k in range(rng.randint(2, 6)):
        x, y = rng.sample(names, 2)
        scene += f'[[contact]]\nname = "c{k}"\ngap = "{rng.choice([x, f"{x} + {y}", f"{x}*{y}", f"{x}^2 + {y}"])}"\n'
    for k in range(rng.randint(1, 2)):
        x, y = rng.sample(names, 2)
        scene += f'[[constraint]]\nname = "r{k}"\nvelocity = ["{x}\' - {y}\'"]\n'
    return scene, "inspect", lambda told: None if "promise" in told else "says nothing"


@variant
def c_parallel_walls(rng):
    """A gap written twice, or as a power of itself, has dependent gradients: no theorem promises one motion."""
    again = rng.choice(["x - 1 + 0", "2*(x - 1)", "(x - 1)^3", "sin(x - 1)"])
    scene = ("duration_s = 1\n" + coordinate("x", 2, -1) + coordinate("y", 0) + "[lagrangian]\nkinetic = \"(x'^2 + y'^2)/2\"\n"
             f'[[contact]]\nname = "one"\ngap = "x - 1"\n[[contact]]\nname = "two"\ngap = "{again}"\n' + stepped(1e-3))

    def wrong(told):
        return "promises one solution" if told["promise"].startswith("one_solution") else None
    return scene, "inspect", wrong


# ---- D: series

@variant
def d_identical_threshold(rng):
    """Pull and threshold are the same function in two forms: it sticks for ever."""
    m, mu = log(rng, 0.1, 10), round(rng.uniform(0.1, 1), 3)
    N = m * 9.81
    f = rng.choice([("cos(t)^2 + sin(t)^2", "1"), ("(1 + t)^2", "1 + 2*t + t^2"), ("exp(t)*exp(-t)", "1"), ("2*sin(t)*cos(t) + 2", "sin(2*t) + 2")])
    scene = ("duration_s = 1\n" + coordinate("x", 0) + coordinate("z", 0) + f'[lagrangian]\nkinetic = "{m}/2*(x\'^2 + z\'^2)"\n'
             f'forces = {{ x = "{mu}*{N!r}*({f[0]})", z = "-{N!r}*({f[1]})" }}\n[[contact]]\nname = "floor"\ngap = "z"\nsliding = ["x\'"]\n'
             f'law = {{ kind = "coulomb", friction = {mu} }}\n' + stepped(rng.choice([0.05, 0.5, 1]), "series"))
    return scene, *end_is("x", 0, 1e-12)


@variant
def d_late_pull(rng):
    """Pull mu N (1 + c t^n): slips from the start, x(1) = mu g c / ((n+1)(n+2))."""
    n, c, mu = rng.randint(1, 40), log(rng, 0.01, 10), round(rng.uniform(0.1, 1), 3)
    scene = ("duration_s = 1\n" + coordinate("x", 0) + coordinate("z", 0) + "[lagrangian]\nkinetic = \"(x'^2 + z'^2)/2\"\n"
             f'forces = {{ x = "{mu}*8*(1 + {c}*t^{n})", z = "-8" }}\n[[contact]]\nname = "floor"\ngap = "z"\nsliding = ["x\'"]\n'
             f'law = {{ kind = "coulomb", friction = {mu} }}\n' + stepped(rng.choice([0.1, 0.3, 1]), "series"))
    exact = mu * 8 * c / ((n + 1) * (n + 2))
    return scene, *end_is("x", exact, 1e-9 * exact + 1e-13, must=n <= 40)


@variant
def d_bouncing_ball(rng):
    """A ball of restitution e rests at t = sqrt(2 z/g) (1 + e)/(1 - e)."""
    z, e = log(rng, 1e-3, 100), rng.uniform(0.01, 0.95)
    rest = math.sqrt(2 * z / 9.81) * (1 + e) / (1 - e)
    scene = (f"duration_s = {1.1 * rest!r}\n" + coordinate("z", z) + "[lagrangian]\nkinetic = \"z'^2/2\"\npotential = \"9.81*z\"\n"
             f'[[contact]]\nname = "floor"\ngap = "z"\nlaw = {{ restitution = {e!r} }}\n' + stepped(rest * rng.uniform(0.01, 1), "series"))

    def wrong(told):
        ends = [x["time_s"] for x in told["events"] if x["kind"] == "accumulation"]
        if told["status"] != "certified" or len(ends) != 1:
            return f"{told['status']}, {len(ends)} accumulations: {codes(told)}"
        return f"rests off by {abs(ends[0] - rest) / rest:.2g}" if abs(ends[0] - rest) > 1e-9 * rest else None
    return scene, "run", wrong


@variant
def d_three_balls_collapse(rng):
    """Impacts of three balls one after the other, by their own arithmetic with 60 digits: where the outer ones close on the middle one to the end
    of infinitely many impacts they go on together."""
    masses = [log(rng, 0.03, 30) for _ in range(3)]
    e, x = round(rng.uniform(0.01, 0.6), 4), [0, 1, round(rng.uniform(1.2, 3), 3)]
    v = [1, 0, -round(rng.uniform(0, 1), 3)]
    t = 5
    exact = three_balls(masses, e, x, v, t)
    if exact is None:
        return None
    scene = (f"duration_s = {t}\n" + "".join(coordinate(f"x{i}", x[i], v[i]) for i in range(3)) +
             '[lagrangian]\nkinetic = "' + " + ".join(f"{masses[i]}*x{i}\'^2/2" for i in range(3)) + '"\n')
    for i in range(2):
        scene += f'[[contact]]\nname = "c{i}"\ngap = "x{i + 1} - x{i}"\nlaw = {{ restitution = {e} }}\n'

    def wrong(told):
        if told["status"] != "certified":
            return f"{told['status']}: {codes(told)}"
        off = max(abs(told["state"][f"x{i}"]["q"] - exact[i]) for i in range(3))
        return f"off by {off:.2g} m" if off > 1e-9 else None
    return scene + stepped(rng.choice([0.01, 0.5, 5]), "series"), "run", wrong


def three_balls(masses, e, x, v, duration):
    """Places at the end; nothing where two impacts fall together, or do not end and do not collapse either."""
    with decimal.localcontext() as context:
        context.prec = 60
        number = lambda value: decimal.Decimal(repr(value))
        m, x, v, e = [number(a) for a in masses], [number(a) for a in x], [number(a) for a in v], number(e)
        left, impacts = number(duration), 0
        while impacts < 5000:
            times = [(x[i + 1] - x[i]) / (v[i] - v[i + 1]) if v[i] > v[i + 1] else None for i in range(2)]
            known = [one for one in times if one is not None]
            if not known or min(known) > left:
                break
            if None not in times and times[0] == times[1]:
                return None
            first, i = min(known), times.index(min(known))
            if impacts > 40 and max(v) - min(v) < number(1e-25):
                speed = sum(a * b for a, b in zip(m, v)) / sum(m)
                v = [speed] * 3
                break
            x, left = [a + b * first for a, b in zip(x, v)], left - first
            x[i + 1] = x[i]
            P = (1 + e) * (v[i] - v[i + 1]) * m[i] * m[i + 1] / (m[i] + m[i + 1])
            v[i], v[i + 1], impacts = v[i] - P / m[i], v[i + 1] + P / m[i + 1], impacts + 1
        else:
            return None
        return [float(a + b * left) for a, b in zip(x, v)]


@variant
def d_feet_that_stop_together(rng):
    """A plate on n equal feet slides without turning: it stops after v^2/(2 mu g), all feet at once."""
    n, v, mu = rng.randint(2, 4), log(rng, 0.1, 5), round(rng.uniform(0.1, 0.9), 3)
    scene = (f"duration_s = {1.5 * v / (mu * 9.81)!r}\n" + coordinate("x", 0, v) + coordinate("z", 0) + coordinate("a", 0) +
             "[lagrangian]\nkinetic = \"(x'^2 + z'^2 + a'^2/12)/2\"\npotential = \"9.81*z\"\n")
    for k in range(2):
        s = f"{(-0.5 if k == 0 else 0.5)}"
        scene += f'[[contact]]\nname = "f{k}"\ngap = "z + {s}*a"\nsliding = ["x\'"]\nlaw = {{ kind = "coulomb", friction = {mu} }}\n'
    scene += stepped(rng.choice([0.01, 0.1, 10]), "series") + f"tolerance = {rng.choice(['1e-16', '1e-12', '1e-14'])}\n"
    return scene, *end_is("x", v * v / (2 * mu * 9.81), 1e-8 * v * v, must=True)


@variant
def d_feet_in_space(rng):
    """The same on up to seven feet that can slip in any direction."""
    n, v, mu, way, turn = rng.randint(3, 7), log(rng, 0.3, 3), round(rng.uniform(0.1, 0.9), 3), rng.uniform(0, 6.28), rng.uniform(0, 6.28)
    scene = f"duration_s = {1.5 * v / (mu * 9.81)!r}\n"
    for name, speed in (("x", v * math.cos(way)), ("y", v * math.sin(way)), ("z", 0), ("th", 0), ("a", 0), ("b", 0)):
        scene += coordinate(name, 0, speed)
    scene += "[lagrangian]\nkinetic = \"(x'^2 + y'^2 + z'^2 + th'^2/6 + (a'^2 + b'^2)/12)/2\"\npotential = \"9.81*z\"\n"
    for k in range(n):
        p, q = (f"({0.5 * f(turn + 2 * math.pi * k / n)!r})" for f in (math.cos, math.sin))
        scene += (f'[[contact]]\nname = "f{k}"\ngap = "z + {p}*a + {q}*b"\nsliding = ["x\' - ({p}*sin(th) + {q}*cos(th))*th\'", '
                  f'"y\' + ({p}*cos(th) - {q}*sin(th))*th\'"]\nlaw = {{ kind = "coulomb", friction = {mu} }}\n')
    return scene + stepped(rng.choice([0.01, 0.1, 10]), "series"), *end_is("x", v * v / (2 * mu * 9.81) * math.cos(way), 1e-8 * v * v, must=True)


@variant
def d_rest_in_a_groove(rng):
    """A point at rest in a groove stays, whatever the friction of its sides: frictionless ones hold it alone."""
    a, b, mu = rng.uniform(0.2, 1.2), rng.uniform(0.2, 1.2), rng.choice([0, 0.1, 0.36, 0.8])
    scene = "duration_s = 1\n" + coordinate("x", 0) + coordinate("z", 0) + "[lagrangian]\nkinetic = \"(x'^2 + z'^2)/2\"\npotential = \"9.81*z\"\n"
    for name, sign, angle in (("left", 1, a), ("right", -1, b)):
        scene += (f'[[contact]]\nname = "{name}"\ngap = "z*cos({angle!r}) + {sign}*x*sin({angle!r})"\n'
                  f'sliding = ["x\'*cos({angle!r}) - {sign}*z\'*sin({angle!r})"]\nlaw = {{ kind = "coulomb", friction = {mu} }}\n')
    scene += stepped(rng.choice([0.1, 1]), "series")

    def wrong(told):
        off = math.hypot(told["state"]["x"]["q"], told["state"]["z"]["q"])
        if off > 1e-12:
            return f"moves by {off:.2g} m"
        if told["status"] == "certified" or "several_solutions" in codes(told):
            return None
        return f"{told['status']}: {codes(told)}"
    return scene, "run", wrong


# ---- E: bodies

@variant
def e_stack_of_growing_boxes(rng):
    """Boxes that grow heavier upwards stand, or it is said that the problem was not solved."""
    n, ratio = rng.randint(2, 6), log(rng, 1, 60)
    h = rng.choice([1e-3, 5e-4])
    scene = (f"duration_s = {100 * h}\n[[material]]\nname = \"m\"\nfriction = 0.6\n" + body("ground", "plane") +
             f'[[body]]\nname = "b"\nshape = "box"\nsize_m = [0.1, 0.1, 0.1]\ncopies = [{n}]\nposition_m = [0, 0, "0.05 + 0.1*i"]\nmass_kg = "{ratio!r}^i"\n' +
             stepped(h) + f'[solver]\nkind = "{rng.choice(["auto", "gauss_seidel", "interior_point"])}"\n')

    def wrong(told):
        off = max(abs(told["state"][f"b_{i}_z"]["q"] - 0.05 - 0.1 * i) for i in range(n))
        return f"certified, and a box moved by {off:.2g} m" if told["status"] == "certified" and not off < 1e-3 else None
    return scene, "run", wrong


@variant
def e_box_on_an_incline(rng):
    """A box of any size on a slope a slides g (sin a - mu cos a) t^2/2, or sticks."""
    a, mu, size = rng.uniform(0.1, 0.7), round(rng.uniform(0.05, 0.9), 3), log(rng, 0.02, 2)
    h, t = log(rng, 2e-4, 2e-3), 0.3
    scene = (f"duration_s = {t}\ngravity_m_s2 = [{9.81 * math.sin(a)!r}, 0, {-9.81 * math.cos(a)!r}]\n[[material]]\nname = \"m\"\nfriction = {mu}\n" +
             body("ground", "plane") + body("box", "box", size_m=[size, size, size / 4], mass_kg=log(rng, 0.1, 10), position_m=[0, 0, size / 8]) + stepped(h))
    exact = max(0, 9.81 * (math.sin(a) - mu * math.cos(a)) * t * t / 2)
    if abs(math.tan(a) - mu) < 0.02 or math.tan(a) > 3:
        return None

    def wrong(told):
        if told["status"] != "certified":
            return f"not certified: {codes(told)}"
        off = abs(told["state"]["box_x"]["q"] - exact)
        return f"off by {off:.2g} m of {exact:.3g}" if off > 3 * 9.81 * t * h + 1e-6 else None
    return scene, "run", wrong


@variant
def e_shapes_at_rest(rng):
    """A body on the floor stays where it is, whatever its shape."""
    s = log(rng, 0.02, 2)
    shape, keys, z = rng.choice([("sphere", {"radius_m": s}, s), ("cylinder", {"radius_m": s, "length_m": s}, s / 2),
                                 ("box", {"size_m": [s, 2 * s, 3 * s]}, 1.5 * s), ("capsule", {"radius_m": s, "length_m": s}, 1.5 * s)])
    if shape == "capsule":
        return None  # upright it falls
    scene = ("duration_s = 0.3\n[[material]]\nname = \"m\"\nfriction = 0.5\n" + body("ground", "plane") + body("a", shape, mass_kg=log(rng, 1e-2, 100), position_m=[0, 0, z], **keys) +
             stepped(log(rng, 2e-4, 5e-3)))

    def wrong(told):
        off = abs(told["state"]["a_z"]["q"] - z)
        if told["status"] != "certified" or off > 1e-3 * s:
            return f"{told['status']}, moved by {off / s:.2g} of its size: {codes(told)}"
        return None
    return scene, "run", wrong


@variant
def e_elastic_bar(rng):
    """A rough bar that strikes a floor elastically has no more energy afterwards than before, or the impact is named."""
    v, w, a, mu = rng.uniform(1, 6), rng.uniform(-5, 5), rng.uniform(0.2, 1.2), round(rng.uniform(0.1, 1), 2)
    scene = ("duration_s = 0.08\n[[material]]\nname = \"m\"\nfriction = " + f"{mu}\nrestitution = 1\n" + body("ground", "plane") +
             body("bar", "capsule", radius_m=0.01, length_m=1.0, mass_kg=1.0, position_m=[0, 0, 0.5 * math.sin(a) + 0.05], rotation_rad=[0, a, 0],
                  velocity_m_s=[rng.uniform(-2, 2), 0, -v], angular_velocity_rad_s=[0, w, 0]) + stepped(1e-4))

    def wrong(told):
        energy = told["certificate"]["energy"]
        made = energy["friction_J"] + energy["impact_J"]
        return f"{made:.3g} J came from contacts, not a word" if made > 1e-6 and "energy_created" not in codes(told) else None
    return scene, "run", wrong


@variant
def e_ball_in_a_groove_of_boxes(rng):
    """A ball between two tilted planes rests at r/sin of the half angle above the bottom."""
    r, a = log(rng, 0.02, 0.5), rng.uniform(0.4, 1.1)
    scene = ("duration_s = 0.2\n[[material]]\nname = \"m\"\nfriction = 0.3\n" + body("left", "plane", normal=[math.sin(a), 0, math.cos(a)]) +
             body("right", "plane", normal=[-math.sin(a), 0, math.cos(a)]) + body("ball", "sphere", radius_m=r, mass_kg=log(rng, 0.1, 10),
             position_m=[0, 0, r / math.cos(a)]) + stepped(log(rng, 2e-4, 2e-3)))

    def wrong(told):
        off = abs(told["state"]["ball_z"]["q"] - r / math.cos(a))
        return f"{told['status']}, moved by {off / r:.2g} radii: {codes(told)}" if told["status"] == "certified" and off > 1e-3 * r else None
    return scene, "run", wrong


# ---- F: attacks. The answer is an error with a message, status 2, or a run; never a crash or a wait

@variant
def f_sizes_out_of_range(rng):
    size = rng.choice(["1e20", "1e155", "1e308", "-1", "0", "nan", "inf", "1e-320"])
    shape, key = rng.choice([("sphere", "radius_m"), ("capsule", "radius_m"), ("cylinder", "length_m")])
    keys = {"sphere": "radius_m", "capsule": "radius_m length_m", "cylinder": "radius_m length_m"}[shape].split()
    scene = "duration_s = 0.01\n" + body("ground", "plane") + f'[[body]]\nname = "a"\nshape = "{shape}"\nmass_kg = 1\nposition_m = [0, 0, 5]\n'
    scene += "".join(f"{k} = {size if k == key else 1}\n" for k in keys)
    return scene, "answered", lambda told: None


@variant
def f_random_of_any_kind(rng):
    kind = rng.choice(['"foo"', "7", '"listed"', '"uniform"', "[]", "{}", "true"])
    extra = rng.choice(["", "values = []\n", 'values = "a"\n', "from = 2\nto = 1\n", "values = [1, \"b\"]\n", "from = nan\nto = 1\n"])
    scene = ('duration_s = 0.01\n[[body]]\nname = "a"\nshape = "sphere"\nradius_m = "r"\ncopies = [2]\nposition_m = ["i", 0, 1]\n'
             f'[[body.random]]\nname = "r"\nkind = {kind}\n{extra}')
    return scene, "answered", lambda told: None


@variant
def f_values_of_other_types(rng):
    value = rng.choice(["[]", "{}", '"x"', "true", "1979-05-27", "[[1]]", "nan", "-inf", '"1/0"', '"sqrt(-1)"', "9007199254740993", "1e308"])
    lines = ["duration_s = 0.01", "[[coordinate]]", 'name = "x"', "start = 1", "start_velocity = -1", "[lagrangian]", "kinetic = \"x'^2/2\"", 'potential = "x"',
             "[[contact]]", 'name = "c"', 'gap = "x"', "law = { restitution = 0.5 }", "[integrator]", 'kind = "moreau"', "time_step_s = 1e-3"]
    at = rng.choice([i for i, line in enumerate(lines) if "=" in line])
    lines[at] = lines[at].split("=")[0] + "= " + value
    return "\n".join(lines) + "\n", "answered", lambda told: None


@variant
def f_copies_of_copies(rng):
    a, b = rng.choice([10, 1000, 100000]), rng.choice([1, 1000, 1000000])
    scene = (f'duration_s = 0.001\n[[group]]\nname = "g"\ncopies = [{a}, {b}]\n[[group.body]]\nname = "b"\nshape = "sphere"\nradius_m = 0.01\n'
             f'copies = [{b}]\nposition_m = ["i", 0, 1]\n')
    return (scene, "answered", lambda told: None) if a * b * b > 1e7 else None


@variant
def f_formulas_that_are_deep(rng):
    n = rng.choice([10, 200, 2000, 20000])
    text = rng.choice(["(" * n + "x" + ")" * n, "-" * n + "x", "x^" * n + "x", "sin(" * n + "x" + ")" * n, "+".join(["x"] * n)])
    scene = "duration_s = 0.01\n" + coordinate("x", 1) + f'[lagrangian]\nkinetic = "x\'^2/2"\npotential = "{text}"\n'
    return scene, "answered", lambda told: None


# ---- G: seen by everyone

@variant
def g_misspelt(rng):
    """A key or section with two letters exchanged is refused, and the right one is offered."""
    good = ["duration_s = 0.01", "[[coordinate]]", 'name = "x"', "start = 1", "[lagrangian]", "kinetic = \"x'^2/2\"", 'potential = "x"', "[integrator]", "time_step_s = 1e-3"]
    at = rng.choice([0, 1, 3, 4, 5, 6, 7, 8])
    word = good[at].strip("[]").split(" =")[0]
    i = rng.randrange(len(word) - 1)
    if word[i] == word[i + 1]:
        return None
    bad = word[:i] + word[i + 1] + word[i] + word[i + 2:]
    text = "\n".join(good[:at] + [good[at].replace(word, bad, 1)] + good[at + 1:]) + "\n"

    def wrong(told):
        return None if word in told["stderr"] and told["code"] == 2 else f"{bad}: {told['stderr'][:200]}"
    return text, "refused", wrong


@variant
def g_durations_as_formulas(rng):
    n, h = rng.randint(2, 50), log(rng, 1e-4, 1e-2)
    scene = f'duration_s = "n*h"\n[parameters]\nn = {n}\nh = {h!r}\n' + coordinate("x", 0, 1) + "[lagrangian]\nkinetic = \"x'^2/2\"\n" + stepped(h)
    return scene, *end_is("x", n * h, 1e-9 * n * h, must=True)


@variant
def g_probes_at_the_end(rng):
    v = log(rng, 0.1, 10)
    scene = "duration_s = 0.1\n" + coordinate("x", 0, v) + "[lagrangian]\nkinetic = \"x'^2/2\"\n[[probe]]\nname = \"p\"\nvalue = \"2*x + x'\"\n" + stepped(1e-3)

    def wrong(told):
        off = abs(told["values"]["p"] - (0.2 * v + v))
        return f"the probe ends off by {off:.2g}" if off > 1e-9 * v else None
    return scene, "run", wrong


@variant
def g_keys_of_other_maps(rng):
    """`exponent` and `stiffness` belong to one impact map: elsewhere they are refused, not ignored."""
    key = rng.choice(["exponent = 1.5", "stiffness = 1e6"])
    scene = ("duration_s = 0.01\n" + coordinate("x", 1, -1) + "[lagrangian]\nkinetic = \"x'^2/2\"\n[[contact]]\nname = \"c\"\ngap = \"x\"\n"
             f'[impact]\nkind = "{rng.choice(["newton", "poisson", "energetic"])}"\n{key}\n')
    return scene, "refused", lambda told: None if told["code"] == 2 else "accepted"


@variant
def g_series_by_set(rng):
    """--set integrator.kind=series leaves out what time stepping alone has, with a note; in a file it is an error."""
    scene = "duration_s = 0.1\n" + coordinate("x", 0, 1) + "[lagrangian]\nkinetic = \"x'^2/2\"\n[integrator]\nkind = \"series\"\ncorrection = false\n"
    return scene, "refused", lambda told: None if told["code"] == 2 and "correction" in told["stderr"] else "accepted"


if __name__ == "__main__":
    sys.exit(defect_variants.main(VARIANTS, __doc__))
