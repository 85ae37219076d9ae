#!/usr/bin/env python3
"""The two scenes of Siconos' mechanics that are compared, as text: one body a line.

    scene.py spheres | scene.py wall          kind  x y z  size     (size: radius, or edge of a cube; m)

spheres: 100 of radius 0.45 m above an open box of 4.2 m x 4.2 m, walls at x, y = 0 and 4.2 m
wall:    60 unit cubes in running bond, eight courses of eight and seven, 1 mm beside each other
Both: mass 1 kg, ground z = 0, friction 0.5, no restitution, h = 5 ms, g = 9.81 m/s^2.
"""
import random
import sys


def spheres(count=100, side=4):
    rng = random.Random(1)
    bodies, z = [], 0.6
    while len(bodies) < count:
        for i in range(side):
            for j in range(side):
                if len(bodies) < count:
                    x, y = (0.525 + 1.05 * k + 0.05 * rng.uniform(-1, 1) for k in (i, j))
                    bodies.append(('sphere', x, y, z, 0.45))
        z += 1.0
    return bodies


def wall(courses=8):
    return [('cube', i * 1.001 + (0.5 if k % 2 else 0.0) - courses / 2, 0.0, 0.5 + k, 1.0)
            for k in range(courses) for i in range(courses - k % 2)]


SCENES = {'spheres': spheres, 'wall': wall}

if __name__ == '__main__':
    for body in SCENES[sys.argv[1]]():
        print(*body)
