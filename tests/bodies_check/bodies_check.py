#!/usr/bin/env python3
"""Heaps, walls, drums, hoppers and mechanisms of many shapes, sizes, steps and tolerances: what their recordings say.

usage: bodies_check.py CAROM [NAME ...]

CAROM runs each scene and records every step. From the recording alone, with formulas of its own, this program computes

  overlap     the deepest one of all pairs of spheres, boxes, capsules, polyhedra, discs and planes, by separating axes;
              beside the thickness of the thinner body. A certified run has no more than its scene allows
  momentum    of each body: m (v+ - v-) = h m g + its percussions; and about the origin, with the percussions at their
              points. Reactions of joints are not among the contacts: bodies that joints hold together are looked at
              as one
  energy      kinetic and potential from places and velocities, against the lines of the ledger; without drives it
              does not grow by more than the ledger's line of corrections says
  joints      the distance of the two points that a joint holds together

A run may be uncertified: then it must say why, and no body may have flown away. Exit status 0: nothing false was found.
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


class Hull:
    """A polyhedron by its corners. Its faces, by brute force, are those of the smallest scenes."""

    def __init__(self, points):
        points = np.array(points, float)
        size = np.ptp(points, axis=0).max()
        faces = {}
        for trio in itertools.combinations(range(len(points)), 3):
            a, b, c = points[list(trio)]
            n = np.cross(b - a, c - a)
            if np.linalg.norm(n) < 1e-9 * size * size:
                continue
            n /= np.linalg.norm(n)
            heights = points @ n - a @ n
            if heights.max() > 1e-9 * size and heights.min() < -1e-9 * size:
                continue
            if heights.max() > 1e-9 * size:
                n, heights = -n, -heights
            faces[tuple(np.flatnonzero(np.abs(heights) < 1e-9 * size))] = n
        volume, first, second = 0.0, np.zeros(3), np.zeros((3, 3))
        edges = []
        for corners, n in faces.items():
            corners = list(corners)
            middle = points[corners].mean(axis=0)
            along = points[corners[0]] - middle
            angle = [math.atan2(np.cross(along, points[k] - middle) @ n, along @ (points[k] - middle)) for k in corners]
            ring = points[[k for _, k in sorted(zip(angle, corners))]]
            edges += [ring[k] - ring[k - 1] for k in range(len(ring))]
            for k in range(1, len(ring) - 1):
                T = np.array([ring[0], ring[k], ring[k + 1]])
                v = np.linalg.det(T) / 6
                volume += v
                first += v * T.sum(axis=0) / 4
                second += v / 20 * (T.T @ T + np.outer(T.sum(axis=0), T.sum(axis=0)))
        self.volume = volume
        self.centre = first / volume
        S = second / volume - np.outer(self.centre, self.centre)
        self.tensor = np.trace(S) * np.eye(3) - S
        self.points = points - self.centre
        self.faces = np.array(list(faces.values()))
        edges = np.array(edges)
        edges /= np.linalg.norm(edges, axis=1)[:, None]
        once = []
        for e in edges:
            if not any(abs(e @ f) > 1 - 1e-12 for f in once):
                once.append(e)
        self.edges = np.array(once)
        self.r = 0.0
        self.thickness = min(np.ptp(self.points @ n) for n in self.faces)
        self.moments = np.array([1.0, 2.0, 3.0])  # not all the same: turning is not looked at
        self.lines = ['shape = "polyhedron"', f"vertices_m = {[[float(c) for c in p] for p in self.points]}"]


class Disc(Sphere):
    """In the plane z = 0 of the scene; here y is up there and z is nothing."""

    def __init__(self, r):
        super().__init__(r)
        self.volume = math.pi * r * r
        self.moments = np.array([0.0, 0.0, 0.5 * r * r])
        self.lines = ['shape = "disc"', f"radius_m = {r!r}"]


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


def nearest_to_origin(points):
    """The shortest vector of the hull of the points (P. Wolfe, 1976)."""
    at = [int(np.argmin((points ** 2).sum(axis=1)))]
    weights = np.array([1.0])
    scale = (points ** 2).sum(axis=1).max()
    for _ in range(200):
        x = weights @ points[at]
        k = int(np.argmin(points @ x))
        if x @ x - points[k] @ x <= 1e-14 * scale or k in at:
            return x
        at.append(k)
        weights = np.append(weights, 0.0)
        while True:
            M = np.ones((len(at) + 1, len(at) + 1))
            M[0, 0] = 0
            M[1:, 1:] = points[at] @ points[at].T
            affine = np.linalg.lstsq(M, np.append(1.0, np.zeros(len(at))), rcond=None)[0][1:]
            if affine.min() > 1e-12:
                weights = affine
                break
            falling = affine < 1e-12
            part = min(1.0, (weights[falling] / np.maximum(weights[falling] - affine[falling], 1e-300)).min())
            weights = (1 - part) * weights + part * affine
            keep = weights > 1e-12
            at = [k for k, stays in zip(at, keep) if stays]
            weights = weights[keep] / weights[keep].sum()
    return weights @ points[at]


def separation(a, at_a, b, at_b):
    """Signed: how far two convex bodies are apart, or overlap, along the best of the axes that can be it."""
    (xa, Ra), (xb, Rb) = at_a, at_b
    A, B = a.points @ Ra.T + xa, b.points @ Rb.T + xb
    if (a.r > 0 or b.r > 0) and (isinstance(a, Hull) or isinstance(b, Hull)):
        apart = np.linalg.norm(nearest_to_origin((A[:, None, :] - B[None, :, :]).reshape(-1, 3)))
        if apart > 1e-9 * (radius(a) + radius(b)):
            return apart - a.r - b.r
    axes = [Ra @ f for f in a.faces] + [Rb @ f for f in b.faces]
    if len(a.edges) and len(b.edges):
        axes += list(np.cross((a.edges @ Ra.T)[:, None, :], (b.edges @ Rb.T)[None, :, :]).reshape(-1, 3))
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
    axes = np.array(axes)
    sizes = np.linalg.norm(axes, axis=1)
    axes = axes[sizes > 1e-12] / sizes[sizes > 1e-12, None]
    if len(axes) == 0:  # one point in the other
        return -a.r - b.r
    on_a, on_b = A @ axes.T, B @ axes.T
    best = max((on_a.min(axis=0) - on_b.max(axis=0)).max(), (on_b.min(axis=0) - on_a.max(axis=0)).max())
    return best - a.r - b.r


# ---- scenes -----------------------------------------------------------------------------------------------------

class Scene:
    def __init__(self, name, duration, step, tolerance, friction=0.5, restitution=0.0):
        self.name, self.duration, self.step, self.tolerance = name, duration, step, tolerance
        self.friction, self.restitution = friction, restitution
        self.planes, self.bodies, self.more = [], [], []
        self.joined = set()  # pairs that do not collide
        self.joints = []  # (first, second or None, point at the start)
        self.free = True   # no drives or prescribed bodies, no joints with the world
        self.flat = False  # in the plane: up is y
        self.solver = "auto"

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

    def joint(self, first, second, point, kind="spherical", axis=(0, 1, 0)):
        """Two bodies by number, or one and the world."""
        self.joints.append((first, second, np.array(point, float)))
        self.more += ["[[joint]]", f'name = "j{len(self.joints)}"', f'kind = "{kind}"', f'first = "b{first}"',
                      f"point_m = {[float(c) for c in point]}"]
        if kind != "spherical":
            self.more += [f"axis = {list(axis)}"]
        if second is None:
            self.free = False
        else:
            self.more += [f'second = "b{second}"']
            self.joined.add((max(first, second), min(first, second)))

    def text(self):
        lines = [f'title = "{self.name}"', f"duration_s = {self.duration!r}", "[[material]]", 'name = "stuff"',
                 f"friction = {self.friction!r}", f"restitution = {self.restitution!r}"]
        d = 2 if self.flat else 3
        for i, (n, x) in enumerate(self.planes):
            lines += ["[[body]]", f'name = "plane{i}"', 'shape = "plane"', f"normal = {[float(c) for c in n[:d]]}",
                      f"position_m = {[float(c) for c in x[:d]]}", 'material = "stuff"']
        for i, (shape, x, r, v, w, density, fixed) in enumerate(self.bodies):
            lines += ["[[body]]", f'name = "b{i}"', *shape.lines, f"position_m = {[float(c) for c in x[:d]]}",
                      'material = "stuff"']
            if not self.flat:
                lines += [f"rotation_rad = {[float(c) for c in r]}"]
            if fixed:
                lines += ['motion = "fixed"']
            else:
                lines += [f"density = {density!r}", f"velocity_m_s = {[float(c) for c in v[:d]]}"]
                if not self.flat:
                    lines += [f"angular_velocity_rad_s = {[float(c) for c in w]}"]
        lines += self.more
        lines += ["[integrator]", f"time_step_s = {self.step!r}", "[solver]", f"tolerance = {self.tolerance!r}",
                  f'kind = "{self.solver}"',
                  "[record]", f"every_s = {self.step!r}", 'precision = "double"']  # sums of roundings are no balance
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
    scene = Scene(f"wall {step} {tolerance}", 0.1, step, tolerance)
    scene.plane([0, 0, 1], [0, 0, 0])
    for k in range(4):
        for i in range(4):
            scene.body(Box(0.2, 0.1, 0.1), [0.2 * (i + 0.5 * (k % 2)), 0, 0.05 + 0.1 * k])
    scene.body(Sphere(0.06), [0.4, -0.5, 0.25], velocity=[0, 8, 0], density=4000.0)
    return scene


def hopper(step, tolerance):
    rng = np.random.default_rng(3)
    scene = Scene(f"hopper {step} {tolerance}", 0.5, step, tolerance, friction=0.3)
    for n, x in (([1, 0, 1], [-0.08, 0, 0]), ([-1, 0, 1], [0.08, 0, 0]), ([0, 1, 1], [0, -0.08, 0]), ([0, -1, 1], [0, 0.08, 0])):
        scene.plane(n, x)
    for k in range(6):
        for i in range(2):
            for j in range(2):
                shape = Sphere(float(rng.uniform(0.02, 0.04)))
                scene.body(shape, [0.1 * i - 0.05, 0.1 * j - 0.05, 0.25 + 0.1 * k], rng.uniform(-1, 1, 3))
    return scene


def paddle(step, tolerance):
    scene = Scene(f"paddle {step} {tolerance}", 0.4, step, tolerance)
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
    scene = Scene(f"flail {step} {tolerance}", 0.5, step, tolerance)
    scene.plane([0, 0, 1], [0, 0, 0])
    scene.body(Box(0.4, 0.05, 0.05), [0.2, 0, 0.6])
    scene.body(Box(0.3, 0.05, 0.05), [0.55, 0, 0.6])
    scene.body(Box(0.1, 0.1, 0.1), [0.35, 0.0, 0.05])
    scene.body(Box(0.1, 0.1, 0.1), [0.35, 0.01, 0.15])
    scene.joint(0, None, [0, 0, 0.6], "revolute")
    scene.joint(0, 1, [0.4, 0, 0.6], "revolute")
    return scene


def chain(step, tolerance):
    """A chain of pills that falls onto boxes; no end of it is held."""
    scene = Scene(f"chain {step} {tolerance}", 0.5, step, tolerance)
    scene.plane([0, 0, 1], [0, 0, 0])
    links = 6
    for i in range(links):
        scene.body(Capsule(0.02, 0.1), [0.15 * i - 0.3, 0.003 * i, 0.4], [0, math.pi / 2, 0])
    for i in range(links - 1):
        scene.joint(i, i + 1, [0.15 * i - 0.225, 0.0015 * (2 * i + 1), 0.4])
    for k in range(3):
        scene.body(Box(0.1, 0.1, 0.1), [0.05 * k - 0.1, 0.01 * k, 0.05 + 0.1 * k])
    return scene


def crank(step, tolerance):
    """A driven crank and rod that push a block along the floor into others."""
    scene = Scene(f"crank {step} {tolerance}", 0.5, step, tolerance, friction=0.3)
    scene.plane([0, 0, 1], [0, 0, 0])
    scene.body(Box(0.1, 0.03, 0.02), [0.05, 0, 0.3], density=5000.0)
    scene.body(Box(math.hypot(0.2, 0.25), 0.02, 0.02), [0.2, 0, 0.175], [0, math.atan2(0.25, 0.2), 0])
    scene.body(Box(0.1, 0.1, 0.1), [0.3, 0, 0.05])
    for k in range(2):
        scene.body(Box(0.1, 0.1, 0.1), [0.42 + 0.11 * k, 0.01, 0.05])
    scene.joint(0, None, [0, 0, 0.3], "revolute")
    scene.more += ["turn = { motor_rad_s = 6, motor_limit_Nm = 50 }"]
    scene.joint(0, 1, [0.1, 0, 0.3], "revolute")
    scene.joint(1, 2, [0.3, 0, 0.05], "revolute")
    return scene


def drum(step, tolerance):
    """A drum of eight plates that turns about y."""
    scene = Scene(f"drum {step} {tolerance}", 0.6, step, tolerance)
    scene.free = False
    scene.plane([0, 1, 0], [0, -0.1, 0])
    scene.plane([0, -1, 0], [0, 0.1, 0])
    radius, plates, rate = 0.3, 8, 3.0
    for k in range(plates):
        angle = 2 * math.pi * k / plates
        scene.more += ["[[body]]", f'name = "plate{k}"', 'shape = "box"', "size_m = [0.28, 0.2, 0.05]", 'motion = "prescribed"',
                       f'position_m = ["{radius}*sin({angle!r} + {rate}*t)", "0", "{radius}*cos({angle!r} + {rate}*t)"]',
                       f'rotation_rad = ["0", "{angle!r} + {rate}*t", "0"]', 'material = "stuff"']
    rng = np.random.default_rng(11)
    shapes = [Sphere(0.03), Box(0.05, 0.05, 0.05), Capsule(0.02, 0.04), Hull([[0.03, 0, 0], [-0.03, 0.02, 0], [-0.01, -0.03, 0.01], [0, 0, 0.04]])]
    for k in range(24):
        scene.body(shapes[k % 4], [0.08 * (k % 4 - 1.5), 0.08 * (k // 4 % 2 - 0.5), -0.12 + 0.08 * (k // 8)], rng.uniform(-2, 2, 3))
    return scene


def voussoir(r0, r1, polar, across):
    """A block between two radii, two angles from the vertical and two angles around it."""
    return [[r * math.sin(p) * math.cos(a), r * math.sin(p) * math.sin(a), r * math.cos(p)]
            for r in (r0, r1) for p in polar for a in across]


def dome(step, tolerance, rings=3, sides=8):
    """Rings of blocks that hold each other."""
    scene = Scene(f"dome {step} {tolerance}", 0.1, step, tolerance, friction=0.7)
    scene.plane([0, 0, 1], [0, 0, 0])
    for k in range(rings):
        polar = (math.pi / 2 - 0.3 * k, math.pi / 2 - 0.3 * (k + 1))
        for i in range(sides):
            block = Hull(voussoir(1.0, 1.25, polar, (2 * math.pi * i / sides, 2 * math.pi * (i + 1) / sides)))
            scene.body(block, block.centre)
    return scene


def arch(step, tolerance, blocks=9):
    scene = Scene(f"arch {step} {tolerance}", 0.2, step, tolerance, friction=0.6)
    scene.plane([0, 0, 1], [0, 0, 0])
    for k in range(blocks):
        a, b = math.pi * k / blocks, math.pi * (k + 1) / blocks
        block = Hull([[r * math.cos(p), y, r * math.sin(p)] for r in (0.8, 1.0) for p in (a, b) for y in (0.0, 0.3)])
        scene.body(block, block.centre)
    scene.body(Sphere(0.08), [0.05, 0.15, 1.3], velocity=[0, 0, -1])
    return scene


def mixed_hopper(step, tolerance):
    rng = np.random.default_rng(4)
    scene = Scene(f"hopper of all shapes {step} {tolerance}", 0.5, step, tolerance, friction=0.3)
    for n, x in (([1, 0, 1], [-0.08, 0, 0]), ([-1, 0, 1], [0.08, 0, 0]), ([0, 1, 1], [0, -0.08, 0]), ([0, -1, 1], [0, 0.08, 0])):
        scene.plane(n, x)
    shapes = [Sphere(0.035), Box(0.05, 0.06, 0.04), Capsule(0.02, 0.05), Hull([[0.04, 0, 0], [-0.03, 0.03, 0], [-0.02, -0.03, 0.01], [0, 0, 0.05]])]
    for k in range(24):
        scene.body(shapes[(k + k // 4) % 4], [0.13 * (k % 2) - 0.065, 0.13 * (k // 2 % 2) - 0.065, 0.3 + 0.13 * (k // 4)], rng.uniform(-2, 2, 3))
    return scene


def column(step, tolerance, across, high):
    """Discs in a column that collapses to one side."""
    scene = Scene(f"column of {across * high} discs {step} {tolerance}", 0.25, step, tolerance, friction=0.4)
    scene.flat = True
    scene.plane([0, 1, 0], [0, 0, 0])
    scene.plane([1, 0, 0], [-0.01, 0, 0])
    rng = np.random.default_rng(9)
    for k in range(high):
        for i in range(across):
            scene.body(Disc(0.01 * float(rng.uniform(0.8, 1))), [0.0205 * i + 0.0002 * (k % 2), 0.011 + 0.0205 * k, 0])
    return scene


def growing(ratio, solver):
    scene = Scene(f"boxes that grow {ratio} times heavier upwards, {solver}", 0.03, 1e-3, 1e-8)
    scene.solver = solver
    scene.plane([0, 0, 1], [0, 0, 0])
    for k in range(6):
        scene.body(Box(0.1, 0.1, 0.1), [0, 0, 0.05 + 0.1 * k], density=1000.0 * float(ratio) ** k)
    return scene


SOLVERS = ("auto", "exact", "gauss_seidel", "psor", "anderson", "nonlinear_cg", "accelerated_gradients", "admm", "proximal_newton",
           "interior_point")


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
    for step, tolerance in ((4e-3, 1e-3), (1e-3, 1e-10)):
        yield mixed_hopper(step, tolerance)
        yield drum(step, tolerance)
        yield dome(step, tolerance)
        yield arch(step, tolerance)
        yield chain(step, tolerance)
        yield crank(step, tolerance)
    yield heap("fine steps", [cube, brick, ball, pill], 3, 1e-4, 1e-8, 12, duration=0.25)
    yield heap("long steps", [cube, brick, ball, pill], 4, 1e-2, 1e-6, 13)
    yield column(1e-3, 1e-3, 22, 50)
    for solver in SOLVERS:
        scene = heap(f"by {solver}", [cube, ball], 3, 2e-3, 1e-6, 14, duration=0.3)
        scene.solver = solver
        yield scene
        yield growing(50, solver)
    yield hopper(2e-3, 1e-6)
    yield paddle(2e-3, 1e-6)
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
        if name + "_z" not in self.column:  # in the plane: x, y and an angle
            (x, y, a), (vx, vy, w) = self.q[frame, k:k + 3], self.u[frame, k:k + 3]
            c, s = math.cos(a / 2), math.sin(a / 2)
            return np.array([x, y, 0]), np.array([c, 0, 0, s]), np.array([vx, vy, 0]), w / 2 * np.array([-s, 0, 0, c])
        return self.q[frame, k:k + 3], self.q[frame, k + 3:k + 7], self.u[frame, k:k + 3], self.u[frame, k + 3:k + 7]


def radius(shape):
    return np.linalg.norm(shape.points, axis=1).max() + shape.r


def tensor(shape):
    """Of inertia for a mass of one, axes of the body."""
    return getattr(shape, "tensor", np.diag(shape.moments))


def groups(scene, free):
    """Bodies that joints hold together."""
    group = {i: {i} for i in free}
    for first, second, _ in scene.joints:
        if second is None:
            continue
        both = group[first] | group[second]
        for i in both:
            group[i] = both
    return [sorted(g) for g in {id(g): g for g in group.values()}.values()]


def check(scene, result, rec):
    """Complaints about a run."""
    complaints = []
    gravity = np.array([0.0, -9.81, 0.0]) if scene.flat else GRAVITY
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

    # overlap, at some frames
    shapes = [b[0] for b in scene.bodies]
    reach = np.array([radius(shape) for shape in shapes])

    def deepest(frame):
        worst = (0.0, "")
        poses = [pose(i, frame) for i in range(len(shapes))]
        for i, (x, R) in enumerate(poses):
            for k, (n, at) in enumerate(scene.planes):
                depth = -(((shapes[i].points @ R.T + x - at) @ n).min() - shapes[i].r)
                worst = max(worst, (depth / shapes[i].thickness, f"b{i} in plane{k} at {rec.t[frame]:.4g} s"))
        centres = np.array([x for x, _ in poses])
        for i in range(1, len(shapes)):
            near = np.linalg.norm(centres[:i] - centres[i], axis=1) < reach[:i] + reach[i]
            for j in np.flatnonzero(near):
                if (i, j) in scene.joined:
                    continue
                depth = -separation(shapes[i], poses[i], shapes[j], poses[j])
                worst = max(worst, (depth / min(shapes[i].thickness, shapes[j].thickness), f"b{i} in b{j} at {rec.t[frame]:.4g} s"))
        return worst

    worst = max(deepest(frame) for frame in {*range(1, frames, max(1, frames // 25)), frames - 1})

    # at the start bodies are where the scene puts them: what overlaps there is said
    start = deepest(0)
    named = any(item["code"] == "overlap_at_start" for item in result["diagnosis"])
    if start[0] > 1e-5 and not named:
        complaints.append(f"an overlap of {start[0]:.3g} of the thickness at the start is not named: {start[1]}")
    if start[0] < 1e-7 and named and scene.free:
        complaints.append("an overlap at the start is named, and there is none")
    certified = result["status"] == "certified"
    allowed = 0.1 if scene.restitution > 0 else max(2e-3, 2 * scene.tolerance)
    if certified and worst[0] > allowed:
        complaints.append(f"certified with an overlap of {worst[0]:.3g} of the thickness: {worst[1]}")

    # momentum
    h = scene.step
    error = turning = 0.0
    together = groups(scene, free)
    jointed = {i for first, second, _ in scene.joints for i in (first, second)}
    for frame in range(1, frames, 1 + len(free) * frames // 40000):
        if abs(rec.t[frame] - rec.t[frame - 1] - h) > 1e-9 * h:
            continue
        rows = slice(rec.end[frame - 1], rec.end[frame])
        push = np.zeros((len(rec.body_names), 3))
        np.add.at(push, rec.first[rows], rec.P[rows])
        np.add.at(push, rec.second[rows], -rec.P[rows])
        scale = 1e-30 + sum(mass[i] * 9.81 * h for i in free) + np.abs(rec.P[rows]).sum()
        if scene.free:
            for group in together:
                gap = sum(mass[i] * (rec.place(f"b{i}", frame)[2] - rec.place(f"b{i}", frame - 1)[2] - h * gravity)
                          - push[number[f"b{i}"]] for i in group)
                error = max(error, np.linalg.norm(gap) / scale)
            for i in free:
                if i in jointed or scene.flat:
                    continue
                v0 = rec.place(f"b{i}", frame - 1)[2]

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
            total += 0.5 * mass[i] * (v @ v + W @ tensor(scene.bodies[i][0]) @ W) - mass[i] * gravity @ x
        return total
    begin, end = energy(0), energy(frames - 1)
    lines = sum(rec.lines[k][-1] for k in rec.lines if k not in ("kinetic_J", "potential_J"))
    spread = sum(abs(rec.lines[k][-1]) for k in rec.lines) + 1e-12
    if scene.free and abs(end - begin - lines) > 1e-6 * spread:
        complaints.append(f"energy changed by {end - begin:.6g} J, the ledger says {lines:.6g} J")
    made = rec.lines["correction_J"][-1]
    if scene.free and certified and end - begin > made + 1e-6 * spread:
        complaints.append(f"{end - begin:.3g} J came from nowhere")
    # joints, and bodies that flew away
    for first, second, point in scene.joints:
        ends = []
        for body in (first, second):
            if body is None:
                ends.append(point)
                continue
            (x0, R0), (x, R) = pose(body, 0), pose(body, frames - 1)
            ends.append(x + R @ R0.T @ (point - x0))
        if certified and np.linalg.norm(ends[0] - ends[1]) > 1e-8:
            complaints.append(f"the joint of b{first} is open by {np.linalg.norm(ends[0] - ends[1]):.2e} m")
    if result["status"] != "failed":
        farthest = max(np.abs(rec.place(f"b{i}", frames - 1)[0]).max() for i in free)
        if not farthest < 20:
            complaints.append(f"a body is {farthest:.1e} m away")
    if scene.restitution == 0 and any(item["code"] == "energy_created" for item in result["diagnosis"]):
        complaints.append("an impact is said to create energy, and nothing bounces")
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
