#!/usr/bin/python3
"""Siconos' mechanics (python3-siconos, its Bullet collision, NSGS) on the scenes of scene.py; one JSON line.

    siconos_mechanics.py spheres|wall [seconds=1] [tolerance=1e-4] [iterations=1000]
"""
import os
for key in ('OMP_NUM_THREADS', 'OPENBLAS_NUM_THREADS'):
    os.environ[key] = '1'
import json
import sys
import tempfile
import time

import numpy as np
import siconos.kernel as sk
import siconos.numerics as sn
from siconos.io.mechanics_run import MechanicsHdf5Runner
from siconos.mechanics.collision.bullet import SiconosBulletOptions
from siconos.mechanics.collision.tools import Contactor

from scene import SCENES

H, MU, SIDE = 0.005, 0.5, 4.2


class Probe:
    """Called once in every step: errors that Siconos states of its one-step problems."""

    def __init__(self):
        self.residuals, self.contacts = [], []

    def initialize(self, io):
        self.io = io

    def step(self):
        problem = self.io._simulation.oneStepNSProblem(0)
        options = problem.numericsSolverOptions()
        solved = problem.getSizeOutput() > 0 and np.isfinite(options.dparam[1])
        self.residuals.append(options.dparam[1] if solved else 0.0)
        self.contacts.append(problem.getSizeOutput() // 3)


def fill(io, name):
    io.add_Newton_impact_friction_nsl('contact', mu=MU, e=0.0)
    io.add_primitive_shape('Ground', 'Box', (60, 60, 1.0))
    io.add_object('ground', [Contactor('Ground')], translation=[0, 0, -0.5])
    if name == 'spheres':
        for shape, size, places in (('X', (1, SIDE + 2, 3 * SIDE), ((-0.5, SIDE / 2), (SIDE + 0.5, SIDE / 2))),
                                    ('Y', (SIDE + 2, 1, 3 * SIDE), ((SIDE / 2, -0.5), (SIDE / 2, SIDE + 0.5)))):
            io.add_primitive_shape(shape, 'Box', size)
            for k, (x, y) in enumerate(places):
                io.add_object(f'{shape}{k}', [Contactor(shape)], translation=[x, y, 1.5 * SIDE])
    io.add_primitive_shape('sphere', 'Sphere', (0.45,))
    io.add_primitive_shape('cube', 'Box', (1.0, 1.0, 1.0))
    for k, (kind, x, y, z, size) in enumerate(SCENES[name]()):
        inertia = [0.4 * size * size if kind == 'sphere' else size * size / 6] * 3
        io.add_object(f'b{k}', [Contactor(kind)], translation=[x, y, z], mass=1, inertia=inertia)


def main(name, seconds=1.0, tolerance=1e-4, iterations=1000):
    options = sk.solver_options_create(sn.SICONOS_FRICTION_3D_NSGS)
    options.iparam[0], options.dparam[0] = iterations, tolerance
    bullet = SiconosBulletOptions()
    bullet.worldScale = 1.0
    probe = Probe()
    with tempfile.TemporaryDirectory() as folder:
        file = os.path.join(folder, 'scene.hdf5')
        with MechanicsHdf5Runner(io_filename=file, mode='w') as io:
            fill(io, name)
        with MechanicsHdf5Runner(io_filename=file, mode='r+') as io:
            before = time.process_time()
            io.run(T=seconds, h=H, theta=0.50001, Newton_max_iter=1, solver_options=options, bullet_options=bullet,
                   output_frequency=10**9, verbose=False, verbose_progress=False, with_timer=False, controller=probe)
            cpu = time.process_time() - before
    residuals = np.array(probe.residuals)
    print(json.dumps({'engine': 'siconos', 'scene': name, 'steps': len(residuals), 'cpu_s': round(cpu, 3),
                      'steps_per_cpu_s': round(len(residuals) / cpu, 2), 'tolerance': tolerance,
                      'contacts': int(max(probe.contacts)), 'worst_residual': float(residuals.max()),
                      'steps_above_tolerance': int((residuals > tolerance).sum())}))


if __name__ == '__main__':
    a = sys.argv[1:]
    main(a[0], *(float(x) for x in a[1:3]), *(int(x) for x in a[3:4]))
