"""A block that rocks on a base that moves: scipy between impacts, variations along with it."""
import numpy
from mpmath import atan, matrix, mpf, sin
from scipy.integrate import solve_ivp

from .common import Skip, modulus, multipliers, rounded


def rocking(r):
    """A block on a base that moves: impacts at theta = 0."""
    b, h, g = r.choice([0.1, r.uniform(0.05, 0.5)]), 0.0, 9.81
    h = b * r.uniform(2.5, 6)
    R, alpha = (b * b + h * h) ** 0.5, float(atan(mpf(b) / mpf(h)))
    p2, ratio = 3 * g / (4 * R), 1 - 1.5 * float(sin(mpf(alpha))) ** 2
    w, a = p2**0.5 * r.uniform(1.7, 5), r.uniform(1.2, 5) * b / h
    ph = r.choice([0.0, r.uniform(-3, 3)])
    T = 2 * numpy.pi / w

    def rhs(side):
        def f(t, y):
            th, om = y[0], y[1]
            A = a * numpy.cos(w * t + ph)
            acc = -p2 * (numpy.sin(side * alpha - th) + A * numpy.cos(side * alpha - th))
            slope = -p2 * (-numpy.cos(side * alpha - th) + A * numpy.sin(side * alpha - th))
            return [om, acc, *([y[3], slope * y[2], y[5], slope * y[4]] if len(y) > 2 else [])]
        return f

    def turn(t, end, y, exact):
        side = 1 if (y[0] > 0 or (y[0] == 0 and y[1] > 0)) else -1
        impacts = []
        tol = dict(rtol=3e-14, atol=1e-16) if exact else dict(rtol=1e-8, atol=1e-10)
        while True:
            hit = lambda t, y: y[0]
            hit.terminal, hit.direction = True, -side
            out = solve_ivp(rhs(side), (t, end), y, method="DOP853", events=hit, **tol)
            if out.status == 0:
                return out.y[:, -1], impacts
            t, y = float(out.t_events[0][0]), out.y_events[0][0].copy()
            if abs(y[0]) > 1e-9 or abs(y[1]) < 1e-3 or len(impacts) > 6:
                raise Skip
            before = rhs(side)(t, y[:2])[1]
            om = y[1]
            impacts.append((t, om))
            side = -side
            y[0], y[1] = 0.0, ratio * om
            after = rhs(side)(t, [0.0, y[1]])[1]
            if len(y) > 2:
                for j in (2, 4):
                    dth, dom = y[j], y[j + 1]
                    dt = -dth / om
                    y[j] = -y[1] * dt
                    y[j + 1] = ratio * (dom + before * dt) - after * dt
            y[0] = side * 1e-300
    t0 = 0.0
    y = numpy.array([0.3 * alpha * r.uniform(0.2, 1), 0.0])
    ys = []
    for i in range(60):
        y, impacts = turn(t0, t0 + T, y, False)
        if abs(y[0]) > 0.95 * alpha:
            raise Skip
        ys.append(y)
    if numpy.abs(ys[-1] - ys[-2]).max() > 1e-4 or len(impacts) != 2:
        raise Skip
    for _ in range(8):
        out, impacts = turn(t0, t0 + T, numpy.array([*y, 1, 0, 0, 1]), True)
        M = numpy.array([[out[2], out[4]], [out[3], out[5]]])
        step = numpy.linalg.solve(M - numpy.eye(2), y - out[:2])
        y = y + step
        if numpy.abs(step).max() < 1e-13:
            break
    if any(min(t - t0, t0 + T - t) < T / 40 for t, _ in impacts) or len(impacts) != 2:
        raise Skip
    half, _ = turn(t0, t0 + T / 2, y, True)
    symmetric = bool(abs(half[0] + y[0]) < 1e-9 and abs(half[1] + y[1]) < 1e-8)
    m = multipliers(matrix(M.tolist()))
    if modulus(m[0]) > 0.98:
        raise Skip
    return dict(b=b, h=h, g=g, a_over_g=a, w=w, ph=ph, t_section=0.0, guess=rounded(y)), {
        "alpha": alpha, "r": ratio, "period": T, "impact_times": [t for t, _ in impacts], "omega_before": [om for _, om in impacts], "strobe_state": list(y),
        "monodromy": M.tolist(), "multipliers": m, "det": ratio**4, "stable": modulus(m[0]) < 1, "symmetric": symmetric}
