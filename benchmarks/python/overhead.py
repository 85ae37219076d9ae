"""What Python costs: PYTHONPATH=build/python /usr/bin/python3 benchmarks/python/overhead.py

Prints the time of sim.step() over that of the same steps taken by the library alone, the time of a run against that of its
steps, and how many small runs two threads make in the time of one.
"""

from __future__ import annotations

import time
from concurrent.futures import ThreadPoolExecutor

import carom

BALL = {
    "duration_s": 1e6,
    "coordinate": [{"name": "z", "start": 1.0}],
    "lagrangian": {"kinetic": "z'^2/2", "potential": "9.81*z"},
    "contact": [{"name": "floor", "gap": "z", "law": {"restitution": 0.9}}],
}


def best(work, repeat: int = 7) -> float:
    """The shortest of some measurements, s of the processor."""
    times = []
    for _ in range(repeat):
        begin = time.thread_time()
        work()
        times.append(time.thread_time() - begin)
    return min(times)


def steps_one_by_one(sim: carom.Simulation, count: int) -> None:
    step = sim.step
    for _ in range(count):
        step()


def overhead_of_a_step(count: int = 20_000) -> tuple[float, float]:
    """Time of a step by the library, and of one called from Python, us."""
    scene = carom.scene(BALL)
    sim = scene.simulation()
    sim.step(100)
    here = sim.snapshot()

    def from_here(work):
        def measured():
            sim.restore(here)
            work()

        return measured

    restore = best(lambda: sim.restore(here))
    together = best(from_here(lambda: sim.step(count))) - restore
    single = best(from_here(lambda: steps_one_by_one(sim, count))) - restore
    return 1e6 * together / count, 1e6 * single / count


def small_runs(threads: int, count: int = 10_000) -> float:
    """Time of so many runs of 500 steps, s."""
    scene = carom.scene({**BALL, "duration_s": 0.5})
    with ThreadPoolExecutor(threads) as pool:
        begin = time.perf_counter()
        for _ in pool.map(lambda _: scene.run(columns=False, progress=False).time_s, range(count), chunksize=50):
            pass
        return time.perf_counter() - begin


def main() -> None:
    library, python = overhead_of_a_step()
    print(f"step by the library {library:.3f} us, from Python {python:.3f} us: {python - library:.3f} us more")
    run = carom.scene({**BALL, "duration_s": 100}).run(columns=False)
    whole = best(lambda: carom.scene({**BALL, "duration_s": 100}).run(columns=False), 3)
    print(f"a run of {run.certificate.steps} steps: {1e6 * run.wall_s / run.certificate.steps:.3f} us a step, {whole:.3f} s in all")
    one, two = small_runs(1), small_runs(2)
    print(f"10000 runs of 500 steps: {one:.2f} s in one thread, {two:.2f} s in two: {one / two:.2f} times as fast")


if __name__ == "__main__":
    main()
