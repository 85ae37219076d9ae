"""What Python costs: PYTHONPATH=build/python /usr/bin/python3 benchmarks/python/overhead.py

Prints the time of sim.step() over that of the same steps taken by the library alone, the time of a run against that of its
steps, and how many small runs two threads make in the time of one.

The comparison of threads needs two cores that nobody else uses. Where others do, let the kernel prefer this program, as root:
chrt -f 20 before the command.
"""

from __future__ import annotations

import itertools
import statistics
import threading
import time

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


def small_runs(threads: int, count: int, batch: int = 50) -> tuple[float, float]:
    """Time of so many runs of 500 steps, s, and processor time of all threads, s.

    A thread takes a batch whenever it has done one. A pool with one future per run would measure the pool: a future costs
    about as much as a run, and wakes the thread that waits for it.
    """
    scene = carom.scene({**BALL, "duration_s": 0.5})
    batches = iter(range(count // batch))

    def work() -> None:
        for _ in batches:
            for _ in itertools.repeat(None, batch):
                scene.run(columns=False, progress=False)

    crew = [threading.Thread(target=work) for _ in range(threads)]
    begin, processor = time.perf_counter(), time.process_time()
    for one in crew:
        one.start()
    for one in crew:
        one.join()
    return time.perf_counter() - begin, time.process_time() - processor


def compare_threads(count: int = 2_000, parts: int = 15) -> None:
    """10^4 runs in parts of 2000, one thread and two in turn; of each the median and the best part.

    A part ends before the kernel takes the cores away from a program that it prefers (95 % of every second at most).
    """
    times: dict[int, list[tuple[float, float]]] = {1: [], 2: []}
    for _ in range(parts):
        for threads, measured in times.items():
            time.sleep(0.1)
            measured.append(small_runs(threads, count))
    for name, choose in (("median", statistics.median), ("best", min)):
        one, two = (choose(wall for wall, _ in times[threads]) for threads in (1, 2))
        work_one, work_two = (choose(work for _, work in times[threads]) for threads in (1, 2))
        print(
            f"10000 runs of 500 steps, {name} part: {5 * one:.2f} s in one thread, {5 * two:.2f} s in two: "
            f"{one / two:.2f} times as fast; processor time {5 * work_one:.2f} s and {5 * work_two:.2f} s"
        )


def main() -> None:
    library, python = overhead_of_a_step()
    print(f"step by the library {library:.3f} us, from Python {python:.3f} us: {python - library:.3f} us more")
    run = carom.scene({**BALL, "duration_s": 100}).run(columns=False)
    whole = best(lambda: carom.scene({**BALL, "duration_s": 100}).run(columns=False), 3)
    print(f"a run of {run.certificate.steps} steps: {1e6 * run.wall_s / run.certificate.steps:.3f} us a step, {whole:.3f} s in all")
    compare_threads()


if __name__ == "__main__":
    main()
