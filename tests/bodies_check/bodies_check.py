#!/usr/bin/env python3
"""Heaps, walls, drums, hoppers and mechanisms of many shapes, sizes, steps and tolerances: what their recordings say.

usage: bodies_check.py CAROM [NAME ...]

CAROM runs each scene and records every step. From the recording alone, with formulas of its own, this program computes

  overlap     the deepest one of all pairs of spheres, boxes, capsules and planes, by separating axes; beside the
              thickness of the thinner body. A certified run has no more than its scene allows
  momentum    of each body: m (v+ - v-) = h m g + its percussions; and about the origin, with the percussions at their
              points. Joints are not in the recording of contacts: with them only whole systems are looked at
  energy      kinetic and potential from places and velocities, against the lines of the ledger; without drives it
              does not grow by more than the ledger's line of corrections says

A run may be uncertified: then it must say why. Exit status 0: nothing false was found.
"""

import itertools
import json
import math
import os
import subprocess
import sys
import tempfile

try:
    import h5py
    import numpy as np
except ImportError as missing:
    print(f"skipped: {missing}")
    sys.exit(77)

GRAVITY = np.array([0.0, 0.0, -9.81])


# ---- places and turns -------------------------------------------------------------------------------------------

def matrix(q):
    w, x, y, z = q
    return np.array([[1 - 2 * (y * y + z * z), 2 * (x * y - w * z), 2 * (x * z + w * y)],
                     [2 * (x * y + w * z), 1 - 2 * (x * x + z * z), 2 * (y * z - w * x)],
                     [2 * (x * z - w * y), 2 * (y * z + w * x), 1 - 2 * (x * x + y * y)]])


def angular_velocity(q, rate):
    """In the axes of the world: the vector part of 2 q' q*."""
    w, v = q[0], q[1:]
    return 2 * (w * rate[1:] - rate[0] * v + np.cross(v, rate[1:]))


def turn(axis_angle):
    angle = np.linalg.norm(axis_angle)
    if angle == 0:
        return np.eye(3)
    half = angle / 2
    return matrix(np.concatenate([[math.cos(half)], math.sin(half) * np.asarray(axis_angle) / angle]))


# ---- shapes -----------------------------------------------------------------------------------------------------

class Sphere:
    def __init__(self, r):
        self.points = np.zeros((1, 3))
        self.faces = np.zeros((0, 3))
        self.edges = np.zeros((0, 3))
        self.r = r
        self.volume = 4 / 3 * math.pi * r ** 3
        self.moments = 0.4 * r * r * np.ones(3)
        self.thickness = 2 * r
        self.lines = [f'shape = "sphere"', f"radius_m = {r!r}"]


class Box:
    def __init__(self, a, b, c):
        h = np.array([a, b, c]) / 2
        self.points = np.array(list(itertools.product(*[(-x, x) for x in h])))
        self.faces = np.eye(3)
        self.edges = np.eye(3)
        self.r = 0.0
        self.volume = a * b * c
        self.moments = np.array([b * b + c * c, a * a + c * c, a * a + b * b]) / 12
        self.thickness = min(a, b, c)
        self.lines = [f'shape = "box"', f"size_m = [{a!r}, {b!r}, {c!r}]"]


class Capsule:
    def __init__(self, r, length):
        self.points = np.array([[0, 0, -length / 2], [0, 0, length / 2]])
        self.faces = np.zeros((0, 3))
        self.edges = np.array([[0.0, 0.0, 1.0]])
        self.r = r
        tube, ball = math.pi * r * r * length, 4 / 3 * math.pi * r ** 3
        self.volume = tube + ball
        along = tube * r * r / 2 + ball * 0.4 * r * r
        # two half balls: their centres are 3 r / 8 from the ends
        across = tube * (r * r / 4 + length * length / 12) + ball * (
            0.4 * r * r - (3 / 8 * r) ** 2 + (length / 2 + 3 / 8 * r) ** 2)
        self.moments = np.array([across, across, along]) / self.volume
        self.thickness = 2 * r
        self.lines = [f'shape = "capsule"', f"radius_m = {r!r}", f"length_m = {length!r}"]


def segment_distance(p0, p1, q0, q1):
    p, q, r = p1 - p0, q1 - q0, p0 - q0
    best = math.inf
    M = np.array([[p @ p, -(p @ q)], [-(p @ q), q @ q]])
    try:
        s, t = np.linalg.solve(M, [-(p @ r), q @ r])
        if 0 <= s <= 1 and 0 <= t <= 1:
            best = np.linalg.norm(r + s * p - t * q)
    except np.linalg.LinAlgError:
        pass
    for s in (0, 1):
        t = np.clip(q @ (r + s * p) / (q @ q), 0, 1) if q @ q > 0 else 0
        best = min(best, np.linalg.norm(r + s * p - t * q))
    for t in (0, 1):
        s = np.clip(p @ (t * q - r) / (p @ p), 0, 1) if p @ p > 0 else 0
        best = min(best, np.linalg.norm(r + s * p - t * q))
    return best


def separation(a, at_a, b, at_b):
    """Signed: how far two convex bodies are apart, or overlap, along the best of the axes that can be it."""
    (xa, Ra), (xb, Rb) = at_a, at_b
    A, B = a.points @ Ra.T + xa, b.points @ Rb.T + xb
    axes = [Ra @ f for f in a.faces] + [Rb @ f for f in b.faces]
    for e in a.edges:
        for f in b.edges:
            axes.append(np.cross(Ra @ e, Rb @ f))
    if a.r > 0 or b.r > 0:
        # the direction of nearest points of rounded cores: vertices against vertices, edges, faces
        for P, one, R, x in ((A, b, Rb, xb), (B, a, Ra, xa)):
            for p in P:
                X = R.T @ (p - x)
                low, high = one.points.min(axis=0), one.points.max(axis=0)  # boxes and segments are boxes
                nearest = np.clip(X, low, high)
                axes.append(R @ (X - nearest))
        if len(a.points) == 2 and len(b.points) == 2:
            return segment_distance(A[0], A[1], B[0], B[1]) - a.r - b.r
        for one, R, other in ((a, Ra, B), (b, Rb, A)):
            if len(one.points) == 2:  # a segment against the edges of a box: across it to a corner
                d = R @ np.array([0.0, 0.0, 1.0])
                core = A if one is a else B
                for p in other:
                    v = p - core[0]
                    axes.append(v - (v @ d) * d)
    best = -math.inf
    for n in axes:
        size = np.linalg.norm(n)
        if size < 1e-12:
            continue
        n = n / size
        pa, pb = A @ n, B @ n
        best = max(best, pa.min() - pb.max(), pb.min() - pa.max())
    return best - a.r - b.r


# ---- scenes -----------------------------------------------------------------------------------------------------

class Scene:
    def __init__(self, name, duration, step, tolerance, friction=0.5, restitution=0.0):
        self.name, self.duration, self.step, self.tolerance = name, duration, step, tolerance
        self.friction, self.restitution = friction, restitution
        self.planes, self.bodies, self.more = [], [], []
        self.joined = set()  # pairs that do not collide
        self.free = True   # no joints, drives or prescribed bodies: every percussion is in the recording

    def plane(self, normal, position):
        self.planes.append((np.array(normal, float) / np.linalg.norm(normal), np.array(position, float)))

    def pen(self, half, floor=0.0):
        self.plane([0, 0, 1], [0, 0, floor])
        for k in range(2):
            for side in (-1, 1):
                n = np.zeros(3)
                n[k] = -side
                self.plane(n, -half * n)

    def body(self, shape, position, rotation=(0, 0, 0), velocity=(0, 0, 0), spin=(0, 0, 0), density=1000.0, fixed=False):
        self.bodies.append((shape, position, rotation, velocity, spin, density, fixed))

    def text(self):
        lines = [f'title = "{self.name}"', f"duration_s = {self.duration!r}", "[[material]]", 'name = "stuff"',
                 f"friction = {self.friction!r}", f"restitution = {self.restitution!r}"]
        for i, (n, x) in enumerate(self.planes):
            lines += ["[[body]]", f'name = "plane{i}"', 'shape = "plane"', f"normal = {[float(c) for c in n]}",
                      f"position_m = {[float(c) for c in x]}", 'material = "stuff"']
        for i, (shape, x, r, v, w, density, fixed) in enumerate(self.bodies):
            lines += ["[[body]]", f'name = "b{i}"', *shape.lines, f"position_m = {[float(c) for c in x]}",
                      f"rotation_rad = {[float(c) for c in r]}", 'material = "stuff"']
            if fixed:
                lines += ['motion = "fixed"']
            else:
                lines += [f"density = {density!r}", f"velocity_m_s = {[float(c) for c in v]}",
                          f"angular_velocity_rad_s = {[float(c) for c in w]}"]
        lines += self.more
        lines += ["[integrator]", f"time_step_s = {self.step!r}", "[solver]", f"tolerance = {self.tolerance!r}",
                  "[record]", f"every_s = {self.step!r}"]
        return "\n".join(lines) + "\n"


def heap(name, shapes, layers, step, tolerance, seed, restitution=0.0, duration=0.4, spacing=0.2, across=2):
    rng = np.random.default_rng(seed)
    scene = Scene(name, duration, step, tolerance, restitution=restitution)
    scene.pen(spacing * across / 2 + 0.02)
    for k in range(layers):
        for i in range(across):
            for j in range(across):
                shape = shapes[rng.integers(len(shapes))]
                scene.body(shape, [spacing * (i - (across - 1) / 2), spacing * (j - (across - 1) / 2),
                                   0.12 + spacing * k], rng.uniform(-3, 3, 3))
    return scene


def wall(step, tolerance):
    scene = Scene("wall", 0.1, step, tolerance)
    scene.plane([0, 0, 1], [0, 0, 0])
    for k in range(4):
        for i in range(4):
            scene.body(Box(0.2, 0.1, 0.1), [0.2 * (i + 0.5 * (k % 2)), 0, 0.05 + 0.1 * k])
    scene.body(Sphere(0.06), [0.4, -0.5, 0.25], velocity=[0, 8, 0], density=4000.0)
    return scene


def hopper(step, tolerance):
    rng = np.random.default_rng(3)
    scene = Scene("hopper", 0.5, step, tolerance, friction=0.3)
    for n, x in (([1, 0, 1], [-0.08, 0, 0]), ([-1, 0, 1], [0.08, 0, 0]), ([0, 1, 1], [0, -0.08, 0]), ([0, -1, 1], [0, 0.08, 0])):
        scene.plane(n, x)
    for k in range(6):
        for i in range(2):
            for j in range(2):
                shape = Sphere(float(rng.uniform(0.02, 0.04)))
                scene.body(shape, [0.1 * i - 0.05, 0.1 * j - 0.05, 0.25 + 0.1 * k], rng.uniform(-1, 1, 3))
    return scene


def drum(step, tolerance):
    scene = Scene("drum", 0.4, step, tolerance)
    scene.free = False  # the paddle is driven
    scene.pen(0.25)
    scene.more += ["[[body]]", 'name = "paddle"', 'shape = "box"', "size_m = [0.46, 0.02, 0.1]", 'motion = "prescribed"',
                   'position_m = ["0", "0", "0.06"]', 'rotation_rad = ["0", "0", "4*t"]', 'material = "stuff"']
    for k in range(2):
        for i in range(3):
            for j in (-1, 1):
                scene.body(Sphere(0.04) if (i + k) % 2 else Box(0.07, 0.07, 0.07),
                           [0.13 * (i - 1), 0.12 * j, 0.18 + 0.12 * k])
    return scene


def mechanism(step, tolerance):
    """A flail: two bars on hinges that falls onto blocks."""
    scene = Scene("flail", 0.5, step, tolerance)
    scene.free = False
    scene.plane([0, 0, 1], [0, 0, 0])
    scene.body(Box(0.4, 0.05, 0.05), [0.2, 0, 0.6])
    scene.body(Box(0.3, 0.05, 0.05), [0.55, 0, 0.6])
    scene.body(Box(0.1, 0.1, 0.1), [0.35, 0.0, 0.05])
    scene.body(Box(0.1, 0.1, 0.1), [0.35, 0.01, 0.15])
    scene.joined.add((1, 0))
    scene.more += ["[[joint]]", 'name = "a"', 'first = "b0"', "axis = [0, 1, 0]", "point_m = [0, 0, 0.6]",
                   "[[joint]]", 'name = "b"', 'first = "b0"', 'second = "b1"', "axis = [0, 1, 0]", "point_m = [0.4, 0, 0.6]"]
    return scene


def scenes():
    cube, brick, ball, pill = Box(0.1, 0.1, 0.1), Box(0.15, 0.1, 0.06), Sphere(0.05), Capsule(0.04, 0.1)
    for step, tolerance in ((4e-3, 1e-3), (2e-3, 1e-6), (1e-3, 1e-8)):
        yield heap(f"cubes {step} {tolerance}", [cube], 5, step, tolerance, 1)
        yield heap(f"mixed {step} {tolerance}", [cube, brick, ball, pill], 6, step, tolerance, 2)
        yield wall(step, tolerance)
    yield heap("many cubes", [cube], 12, 4e-3, 1e-3, 5, duration=0.45)
    yield heap("many mixed", [cube, brick, ball, pill], 12, 4e-3, 1e-4, 6, duration=0.45)
    yield heap("mixed sizes", [Box(0.16, 0.16, 0.16), Sphere(0.02), Box(0.03, 0.03, 0.03), Capsule(0.01, 0.1)], 6, 1e-3, 1e-6, 7)
    yield heap("bouncing", [cube, ball], 4, 1e-3, 1e-8, 8, restitution=0.5)
    yield hopper(2e-3, 1e-6)
    yield drum(2e-3, 1e-6)
    yield mechanism(1e-3, 1e-8)
    bullet = Scene("bullet", 0.02, 1e-3, 1e-8)
    bullet.body(Box(0.5, 0.5, 0.02), [0, 0, 0], fixed=True)
    bullet.body(Sphere(0.01), [0.01, 0.02, 0.55], velocity=[0, 0, -100])
    yield bullet


# ---- what the recording says ------------------------------------------------------------------------------------

class Recording:
    def __init__(self, path, scene):
        with h5py.File(path) as f:
            self.t = f["time_s"][()]
            names = [n.decode() for n in f["coordinates/name"][()]]
            self.q, self.u = f["q"][()], f["u"][()]
            self.body_names = [n.decode() for n in f["bodies/name"][()]]
            contacts = f["bodies/contacts"]
            self.first, self.second = contacts["first"][()], contacts["second"][()]
            self.P, self.point = contacts["percussion_Ns"][()], contacts["point_m"][()]
            self.end = np.cumsum(contacts["count"][()])
            self.lines = {k: f["energy"][k][()] for k in f["energy"]}
        self.column = {name: k for k, name in enumerate(names)}

    def place(self, name, frame):
        k = self.column[name + "_x"]
        return self.q[frame, k:k + 3], self.q[frame, k + 3:k + 7], self.u[frame, k:k + 3], self.u[frame, k + 3:k + 7]


def check(scene, result, rec):
    """Complaints about a run."""
    complaints = []
    free = [i for i, b in enumerate(scene.bodies) if not b[6]]
    number = {name: k for k, name in enumerate(rec.body_names)}
    mass = {i: scene.bodies[i][5] * scene.bodies[i][0].volume for i in free}
    frames = len(rec.t)

    def pose(i, frame):
        shape, x, r = scene.bodies[i][:3]
        if i not in mass:
            return np.array(x, float), turn(r)
        x, q, _, _ = rec.place(f"b{i}", frame)
        return x, matrix(q)

    # overlap, at some frames; how the scene puts its bodies at the start is its own business
    worst = (0.0, "")
    for frame in sorted(set(range(1, frames, max(1, frames // 25))) | {frames - 1}):
        poses = [pose(i, frame) for i in range(len(scene.bodies))]
        for i, (x, R) in enumerate(poses):
            shape = scene.bodies[i][0]
            for k, (n, at) in enumerate(scene.planes):
                depth = -(((shape.points @ R.T + x - at) @ n).min() - shape.r)
                worst = max(worst, (depth / shape.thickness, f"b{i} in plane{k} at {rec.t[frame]:.4g} s"))
            for j in range(i):
                other = scene.bodies[j][0]
                reach = np.linalg.norm(shape.points[0]) + shape.r + np.linalg.norm(other.points[0]) + other.r
                if (i, j) in scene.joined or np.linalg.norm(x - poses[j][0]) > reach:
                    continue
                depth = -separation(shape, poses[i], other, poses[j])
                worst = max(worst, (depth / min(shape.thickness, other.thickness), f"b{i} in b{j} at {rec.t[frame]:.4g} s"))
    certified = result["status"] == "certified"
    allowed = 0.1 if scene.restitution > 0 else max(2e-3, 2 * scene.tolerance)
    if certified and worst[0] > allowed:
        complaints.append(f"certified with an overlap of {worst[0]:.3g} of the thickness: {worst[1]}")

    # momentum
    h = scene.step
    error = turning = 0.0
    for frame in range(1, frames):
        if abs(rec.t[frame] - rec.t[frame - 1] - h) > 1e-9 * h:
            continue
        rows = slice(rec.end[frame - 1], rec.end[frame])
        push = np.zeros((len(rec.body_names), 3))
        np.add.at(push, rec.first[rows], rec.P[rows])
        np.add.at(push, rec.second[rows], -rec.P[rows])
        scale = 1e-30 + sum(mass[i] * 9.81 * h for i in free) + np.abs(rec.P[rows]).sum()
        if scene.free:
            for i in free:
                v0, v1 = rec.place(f"b{i}", frame - 1)[2], rec.place(f"b{i}", frame)[2]
                gap = mass[i] * (v1 - v0 - h * GRAVITY) - push[number[f"b{i}"]]
                error = max(error, np.linalg.norm(gap) / scale)

                # about the centre half-way, where contacts act; bodies whose three moments are one
                moments = scene.bodies[i][0].moments
                if np.ptp(moments) > 1e-12 * moments.max():
                    continue
                x, q, _, rate0 = rec.place(f"b{i}", frame - 1)
                _, q1, _, rate1 = rec.place(f"b{i}", frame)
                arm = rec.point[rows] - (x + h / 2 * v0)
                me = number[f"b{i}"]
                sign = (rec.first[rows] == me).astype(float) - (rec.second[rows] == me)
                moment = (sign[:, None] * np.cross(arm, rec.P[rows])).sum(axis=0)
                J = mass[i] * moments[0]
                off = J * (angular_velocity(q1, rate1) - angular_velocity(q, rate0)) - moment
                size = math.sqrt(moments[0])
                turning = max(turning, np.linalg.norm(off) / (scale * size + 1e-3 * J * np.linalg.norm(angular_velocity(q, rate0))))
    if error > 1e-9:
        complaints.append(f"the momentum of a body is off by {error:.2e}")
    if turning > 0.1:  # corrections turn bodies, and their spin with them
        complaints.append(f"the angular momentum of a body is off by {turning:.2e}")

    # energy
    def energy(frame):
        total = 0.0
        for i in free:
            x, q, v, rate = rec.place(f"b{i}", frame)
            W = matrix(q).T @ angular_velocity(q, rate)
            total += 0.5 * mass[i] * (v @ v + (scene.bodies[i][0].moments * W) @ W) - mass[i] * GRAVITY @ x
        return total
    start, end = energy(0), energy(frames - 1)
    lines = sum(rec.lines[k][-1] for k in rec.lines if k not in ("kinetic_J", "potential_J"))
    spread = sum(abs(rec.lines[k][-1]) for k in rec.lines) + 1e-12
    if scene.free and abs(end - start - lines) > 1e-6 * spread:
        complaints.append(f"energy changed by {end - start:.6g} J, the ledger says {lines:.6g} J")
    made = rec.lines["correction_J"][-1]
    if scene.free and certified and end - start > made + 1e-6 * spread:
        complaints.append(f"{end - start:.3g} J came from nowhere")
    if not certified and not result["diagnosis"]:
        complaints.append("uncertified, and no finding says why")
    return complaints, worst[0]


def main():
    if len(sys.argv) < 2:
        sys.exit(__doc__)
    carom, wanted, bad = sys.argv[1], sys.argv[2:], 0
    with tempfile.TemporaryDirectory() as folder:
        for scene in scenes():
            if wanted and not any(w in scene.name for w in wanted):
                continue
            path, run = os.path.join(folder, "scene.toml"), os.path.join(folder, "run.h5")
            with open(path, "w") as f:
                f.write(scene.text())
            if os.path.exists(run):
                os.remove(run)
            done = subprocess.run([carom, "run", path, "--json", "-o", run], capture_output=True, text=True)
            try:
                result = json.loads(done.stdout)
                status = result["status"]
            except (ValueError, KeyError):
                print(f"{scene.name}: no result, exit {done.returncode}: {done.stdout[:300]}{done.stderr[:300]}")
                bad += 1
                continue
            complaints, overlap = check(scene, result, Recording(run, scene))
            codes = ",".join(item["code"] for item in result["diagnosis"])
            print(f"{scene.name}: {status} {codes} overlap {overlap:.1e}, {len(scene.bodies)} bodies, {result['steps']} steps"
                  + "".join(f"\n  WRONG: {c}" for c in complaints), flush=True)
            bad += bool(complaints)
    print("nothing false" if bad == 0 else f"{bad} scenes with complaints")
    sys.exit(bad > 0)


if __name__ == "__main__":
    main()
