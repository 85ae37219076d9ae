"""Masses with dry friction: on belts, and driven (Den Hartog). Linear pieces in closed form."""
from mpmath import cos, exp, findroot, matrix, mp, mpc, mpf, pi, sin, sqrt

from .common import TURN, Skip, modulus, multipliers, pair, root_between, rounded, rows


def den_hartog(r):
    """A driven mass with friction of constant size: the force below which it stops."""
    m, k, F0, rr = r.uniform(0.3, 4), r.uniform(0.5, 20), r.uniform(0.2, 4), r.choice([r.uniform(0.55, 0.9), r.uniform(1.1, 2.2)])
    m, k, F0 = mpf(m), mpf(k), mpf(F0)
    w = mpf(float(mpf(rr) * sqrt(k / m)))
    rr = w / sqrt(k / m)
    V, U = 1 / (1 - rr**2), sin(pi / rr) / (rr * (1 + cos(pi / rr)))
    F_stick = F0 * sqrt(1 + rr**4 * U**2) / (rr**2 * abs(V))
    factor = mpf(r.uniform(1.1, 3))

    def amplitude(F):
        return F / k * sqrt(V**2 - (F0 / F) ** 2 * U**2)
    F = factor * F_stick
    X = amplitude(F)
    # the half period that begins at the highest point: m x'' + k x = F cos(w t + psi) + F0
    W = sqrt(k / m)
    # x = F0/k + P(t) + h(t), x(0) = X, x'(0) = 0, x(pi/w) = -X
    # the particular solution V F/k cos(w t + psi); psi from x(pi/w) = -X, x'(pi/w) = 0
    half = pi / w

    def left(psi):
        P, dP = V * F / k * cos(psi), -w * V * F / k * sin(psi)
        h, dh = X - F0 / k - P, -dP
        return h * cos(W * half) + dh / W * sin(W * half) + F0 / k - P + X, -h * W * sin(W * half) + dh * cos(W * half) - dP
    best = min((abs(left(TURN * i / 720)[0]) + abs(left(TURN * i / 720)[1]), i) for i in range(720))
    psi = findroot(lambda z: left(z)[1], TURN * best[1] / 720)
    if abs(left(psi)[0]) > mpf(10) ** -12 * X:
        raise Skip
    a_minus = (F * cos(psi) - k * X - F0) / m   # it came up: friction was down
    a_plus = (F * cos(psi) - k * X + F0) / m
    if not (a_plus < 0 and a_minus < 0):
        raise Skip
    P0, dP0 = V * F / k * cos(psi), -w * V * F / k * sin(psi)

    def speed(t):
        return -(X - F0 / k - P0) * W * sin(W * t) - dP0 * cos(W * t) - w * V * F / k * sin(w * t + psi)
    if any(speed(half * i / 200) >= 0 for i in range(1, 200)):
        raise Skip
    c, s = cos(W * half), sin(W * half)
    H = matrix([[c, s / W], [-W * s, c]]) * matrix([[1, 0], [0, a_plus / a_minus]])
    m2 = multipliers(H * H)
    if modulus(m2[0]) > 0.97:
        raise Skip
    return dict(m=float(m), k=float(k), F0=float(F0), w=float(w), factor=float(factor)), {
        "F_stick": F_stick, "amplitude_at_F_stick": amplitude(F_stick), "amplitude_at_factor": X, "multipliers_at_factor": m2, "stable_at_factor": True}


def belt_cycle(m, k, c, N, mu_s, mu_d, vb):
    """Slip from the static bound, stick at the velocity of the belt."""
    x0 = (mu_s * N - c * vb) / k
    rest = mu_d * N / k
    s = c / (2 * m)
    D = sqrt(k / m - s * s)

    def at(t):
        a = x0 - rest
        b = (vb + s * a) / D
        d = exp(-s * t)
        return rest + d * (a * cos(D * t) + b * sin(D * t)), d * ((b * D - s * a) * cos(D * t) - (a * D + s * b) * sin(D * t))
    # it leaves the belt backwards, and catches up with it again
    step = TURN / D / 300
    t = step
    if at(t)[1] >= vb:
        raise Skip
    while at(t)[1] < vb:
        t += step
        if t > TURN / D * mpf("1.2"):
            raise Skip
    slip = root_between(lambda z: at(z)[1] - vb, t - step, t)
    x1 = at(slip)[0]
    if abs(k * x1 + c * vb) > mu_s * N:
        raise Skip
    stick = (x0 - x1) / vb
    # turning points
    turns, before = [], None
    for i in range(301):
        z = slip * i / 300
        v = at(z)[1]
        if before is not None and (v > 0) != (before > 0):
            turns.append(at(root_between(lambda q: at(q)[1], slip * (i - 1) / 300, z))[0])
        before = v
    return stick, slip, x0, x1, max(turns + [x0, x1]), min(turns + [x0, x1])


def belt(r):
    """A limit cycle of stick and slip."""
    m, k, N, mu_s = r.uniform(0.3, 3), r.uniform(2, 60), r.uniform(1, 20), r.uniform(0.2, 0.8)
    p = [m, k, r.choice([0.0, r.uniform(0, 0.15) * (m * k) ** 0.5]), N, mu_s, mu_s * r.uniform(0.3, 0.95), r.uniform(0.05, 1.0)]
    names = ["m", "k", "c", "N", "mu_s", "mu_d", "vb"]
    numbers = [mpf(x) for x in p]
    stick, slip, x0, x1, high, low = belt_cycle(*numbers)
    if stick < slip / 50:
        raise Skip
    values = {"period": stick + slip, "stick_duration": stick, "slip_duration": slip, "x_slip_start": x0, "x_stick_start": x1, "x_max": high, "x_min": low,
              "multipliers": [[1.0, 0.0], [0.0, 0.0]], "section_multiplier": 0.0}
    for name in ("vb", "N", "k", "mu_s", "mu_d"):
        i = names.index(name)
        d = mpf(10) ** -9 * numbers[i]
        ends = []
        for sign in (1, -1):
            moved = list(numbers)
            moved[i] += sign * d
            out = belt_cycle(*moved)
            ends.append(out[0] + out[1])
        values[f"dperiod/d{name}"] = (ends[0] - ends[1]) / (2 * d)
    return dict(zip(names, p)), values


class DrivenBelt:
    """m x'' + c x' + k x = F cos(w t + ph) + f, piece by piece."""

    def __init__(self, m, k, c, N, mu_s, mu_d, vb, F, w, ph):
        self.m, self.k, self.c, self.N, self.mu_s, self.mu_d, self.vb, self.F, self.w, self.ph = (mpf(x) for x in (m, k, c, N, mu_s, mu_d, vb, F, w, ph))
        self.G = self.F / mpc(self.k - self.m * self.w**2, self.c * self.w)
        self.s = self.c / (2 * self.m)
        self.D = sqrt(self.k / self.m - self.s**2)
        self.step = TURN / max(self.w, self.D) / 40

    def slides(self, side, t0, x, v):
        rest = -side * self.mu_d * self.N / self.k
        Z = self.G * mp.expj(self.w * t0 + self.ph)
        a, av = x - rest - Z.real, v + self.w * Z.imag
        b = (av + self.s * a) / self.D

        def at(s):
            d, C, S = exp(-self.s * s), cos(self.D * s), sin(self.D * s)
            Z = self.G * mp.expj(self.w * (t0 + s) + self.ph)
            return rest + Z.real + d * (a * C + b * S), d * ((b * self.D - self.s * a) * C - (a * self.D + self.s * b) * S) - self.w * Z.imag
        return at

    def needs(self, t, x):
        return self.c * self.vb + self.k * x - self.F * cos(self.w * t + self.ph)

    def run(self, t, x, v, end, status=None):
        """The state at the end and what happened."""
        events = []
        status = status if status is not None else (1 if v > self.vb else -1)
        fresh = True
        while True:
            if status == 0:
                x0, t0 = x, t

                def left(z):
                    return self.mu_s * self.N - abs(self.needs(z, x0 + self.vb * (z - t0)))
                z = t
                while z < end and left(min(z + self.step, end)) > 0:
                    z = min(z + self.step, end)
                if z >= end:
                    return x0 + self.vb * (end - t0), self.vb, 0, events
                t = root_between(left, z, min(z + self.step, end))
                x = x0 + self.vb * (t - t0)
                v = self.vb
                status = -1 if self.needs(t, x) > 0 else 1
                events.append(("slip_start", t))
                fresh = True
                continue
            at, t0 = self.slides(status, t, x, v), t

            def rel(s):
                return status * (at(s)[1] - self.vb)
            s = mpf(0)
            first = self.step / 200 if fresh else self.step
            if rel(min(first, end - t0)) <= 0 and end - t0 > first:
                raise Skip
            s = min(first, end - t0)
            while s < end - t0 and rel(min(s + self.step, end - t0)) > 0:
                s = min(s + self.step, end - t0)
            if s >= end - t0:
                x, v = at(end - t0)
                return x, v, status, events
            s = root_between(rel, s, min(s + self.step, end - t0))
            t, x, v = t0 + s, at(s)[0], self.vb
            if abs(self.needs(t, x)) <= self.mu_s * self.N:
                if abs(self.needs(t, x)) > self.mu_s * self.N * mpf("0.98"):
                    raise Skip
                status = 0
                events.append(("stick_start", t))
            else:
                status = -status
                events.append(("reversal", t))
            fresh = True


def driven_belt(r):
    """A driven mass on a belt: an orbit that sticks."""
    m, k, N, mu_s = r.uniform(0.5, 2), r.uniform(1, 8), r.uniform(2, 8), r.uniform(0.2, 0.5)
    w0 = (k / m) ** 0.5
    p = dict(m=m, k=k, c=r.uniform(0.03, 0.2) * (m * k) ** 0.5, N=N, mu_s=mu_s, mu_d=r.choice([mu_s, mu_s * r.uniform(0.6, 1)]), vb=r.uniform(0.1, 1),
             F=r.uniform(0.5, 3) * mu_s * N, w=w0 * r.uniform(0.3, 1.6), ph=r.choice([0.0, r.uniform(-3, 3)]))
    old = mp.dps
    mp.dps = 16
    try:
        system = DrivenBelt(**p)
        T = TURN / system.w
        t0 = mpf(f"{r.uniform(0, float(T)):.4g}")
        x, v, status, ends = mpf(0), mpf(0), -1, []
        for i in range(40):
            x, v, status, events = system.run(t0, x, v, t0 + T, status)
            ends.append((x, v))
        if status == 0 or abs(ends[-1][0] - ends[-2][0]) > 1e-9 or not any(kind == "stick_start" for kind, _ in events):
            raise Skip
    finally:
        mp.dps = old
    system = DrivenBelt(**p)
    T = TURN / system.w
    for _ in range(3):
        x, v, status, events = system.run(t0, x, v, t0 + T, status)
    for _ in range(12):
        x2, v2, _, events = system.run(t0, x, v, t0 + T, status)
        change = abs(x2 - x) + abs(v2 - v)
        x, v = x2, v2
        if change < mpf(10) ** -18:
            break
    if any(abs(t - t0) < T / 60 or abs(t - t0 - T) < T / 60 for _, t in events):
        raise Skip
    if any(b[1] - a[1] < T / 60 for a, b in zip(events, events[1:])):
        raise Skip
    d = mpf(10) ** -10
    M = matrix(2, 2)
    for j, (dx, dv) in enumerate(((d, 0), (0, d))):
        one, other = system.run(t0, x + dx, v + dv, t0 + T, status), system.run(t0, x - dx, v - dv, t0 + T, status)
        M[0, j], M[1, j] = (one[0] - other[0]) / (2 * d), (one[1] - other[1]) / (2 * d)
    m = [pair(M[0, 0] + M[1, 1]), [0.0, 0.0]]
    return dict(p, t_section=float(t0), guess=rounded((x, v))), {
        "period": T, "event_kinds": [kind for kind, _ in events], "event_times": [t for _, t in events], "strobe_state": [x, v], "monodromy": rows(M),
        "multipliers": m, "stable": modulus(m[0]) < 1}
