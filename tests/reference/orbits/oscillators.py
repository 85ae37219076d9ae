"""An oscillator with a stop: one impact in n periods of the force, in closed form, and what becomes of it over a parameter."""
from mpmath import cos, exp, log, matrix, mp, mpc, mpf, sin, sqrt

from .common import TURN, Skip, modulus, multipliers, root_between, rounded, rows


class Oscillator:
    def __init__(self, m, c, k, F, w, ph, sigma, e, n):
        self.m, self.c, self.k, self.F, self.w, self.ph, self.sigma, self.e, self.n = (mpf(x) for x in (m, c, k, F, w, ph, sigma, e, n))
        self.T = self.n * TURN / self.w
        self.G = self.F / mpc(self.k - self.m * self.w**2, self.c * self.w)
        E = self.flow(self.T)
        A = matrix([[E[0, 0] - 1, E[0, 1]], [E[1, 0], E[1, 1] - 1]])
        det = A[0, 0] * A[1, 1] - A[0, 1] * A[1, 0]
        self.alpha, self.beta = -A[0, 1] * (1 + self.e) / det, A[0, 0] * (1 + self.e) / det
        self.q = (self.e + self.beta) / self.w

    def flow(self, t):
        s = self.c / (2 * self.m)
        D = sqrt(mpc(self.k / self.m - s * s, 0))
        if abs(D) < mpf(10) ** -12:
            raise Skip
        C, S = cos(D * t).real, (sin(D * t) / D).real
        d = exp(-s * t)
        return matrix([[d * (C + s * S), d * S], [-d * self.k / self.m * S, d * (C - s * S)]])

    def orbits(self):
        """(speed of the impact, its phase), the faster first."""
        a2 = self.alpha**2 + self.q**2
        left = (self.sigma * self.alpha) ** 2 - a2 * (self.sigma**2 - abs(self.G) ** 2)
        if left <= 0:
            return []
        found = []
        for sign in (1, -1):
            v = (self.sigma * self.alpha + sign * sqrt(left)) / a2
            if v > 0:
                Z = mpc(self.sigma - self.alpha * v, self.q * v) / self.G
                phase = mp.arg(Z) % TURN
                found.append((v, phase))
        return sorted(found, reverse=True)

    def at(self, v, phase, s):
        """The state a time s in [0, T] behind the impact."""
        h = self.flow(s) * matrix([self.alpha * v, self.beta * v])
        Z = self.G * mp.expj(phase + self.w * s)
        return h[0] + Z.real, h[1] - self.w * Z.imag

    def extrema(self, v, phase, count=160):
        """Instants behind the impact at which the velocity changes its sign, with places."""
        found, before = [], None
        for i in range(1, count):
            s = self.T * i / count
            now = self.at(v, phase, s)[1]
            if before is not None and (now > 0) != (before > 0):
                t = root_between(lambda z: self.at(v, phase, z)[1], s - self.T / count, s)
                found.append((t, self.at(v, phase, t)[0]))
            before = now
        return found

    def clearance(self, v, phase):
        """The largest place inside the period, less the stop; an orbit that is one has it negative."""
        places = [x for s, x in self.extrema(v, phase)]
        return max(places, default=-mpf(10)) - self.sigma

    def is_one(self, v, phase, margin=mpf("0.005")):
        if v < mpf("0.03") or self.clearance(v, phase) > -margin:
            return False
        # no maximum that the looks did not see: just behind and before the impact it is on this side
        return all(self.at(v, phase, self.T * i / 300)[0] < self.sigma for i in range(2, 299))

    def saltation(self, v, phase):
        force = self.F * cos(phase) - self.k * self.sigma
        before, after = (force - self.c * v) / self.m, (force + self.c * self.e * v) / self.m
        return matrix([[-self.e, 0], [(after + self.e * before) / v, -self.e]])

    def monodromy(self, v, phase, s):
        """Of the map that begins a time s behind the impact."""
        return self.flow(s) * self.saltation(v, phase) * self.flow(self.T - s)


def oscillator_numbers(r):
    m, k = r.choice([1.0, r.uniform(0.3, 3)]), r.choice([1.0, r.uniform(0.4, 6)])
    w0 = (k / m) ** 0.5
    n = r.choice([1, 1, 1, 2, 2, 3])
    return dict(m=m, c=r.choice([0.0, r.uniform(0.01, 0.3)]) * (k * m) ** 0.5, k=k, F=r.choice([1.0, r.uniform(0.3, 5)]), w=w0 * r.uniform(0.7, 2.9 * n**0.7),
                ph=r.choice([0.0, r.uniform(-3, 3)]), sigma=r.choice([0.0, r.uniform(-0.3, 0.5)]), e=r.uniform(0.3, 0.95), n=n)


def oscillator_orbit(r):
    p = oscillator_numbers(r)
    one = Oscillator(**p)
    found = [o for o in one.orbits() if one.is_one(*o)]
    if not found:
        raise Skip
    return p, one, r.choice(found)


def orbit_oscillator(r):
    """One impact in n periods of the force."""
    p, one, (v, phase) = oscillator_orbit(r)
    s = one.T * mpf(r.uniform(0.1, 0.9))
    t = ((phase - one.ph) / one.w + s) % one.T
    t = mpf(f"{float(t):.6g}")
    s = (t - (phase - one.ph) / one.w) % one.T
    M = one.monodromy(v, phase, s)
    m = multipliers(M)
    if modulus(m[0]) > 8:
        raise Skip
    state = one.at(v, phase, s)
    return dict(p, t_section=float(t), guess=rounded(state)), {
        "period": one.T, "impact_phase": phase, "v_before": v, "v_after": -one.e * v, "strobe_state": list(state), "monodromy": rows(M), "multipliers": m,
        "det": one.e**2 * exp(-one.c * one.T / one.m), "stable": modulus(m[0]) < 1, "x_min": min([x for s, x in one.extrema(v, phase)] + [one.sigma])}


def trace_at(p, w, like):
    """1 + trace + determinant along the branch of an orbit, and the orbit."""
    one = Oscillator(**dict(p, w=w))
    found = one.orbits()
    if not found:
        raise Skip
    v, phase = min(found, key=lambda o: abs(o[0] - like))
    if not one.is_one(v, phase):
        raise Skip
    M = one.monodromy(v, phase, mpf(0))
    return 1 + M[0, 0] + M[1, 1] + M[0, 0] * M[1, 1] - M[0, 1] * M[1, 0], one, v, phase


def along(p, w, like, ends, steps):
    """Orbits over the frequency from here."""
    out = []
    for i in range(steps + 1):
        at = w + (ends - w) * i / steps
        f, one, v, phase = trace_at(p, at, like)
        out.append((at, f, v, phase))
        like = v
    return out


def oscillator_flip(r):
    """A frequency at which the orbit doubles its period."""
    p, one, (v, phase) = oscillator_orbit(r)
    end = one.w * mpf(r.uniform(0.85, 1.18))
    line = along(p, one.w, v, end, 14)
    changes = [i for i in range(len(line) - 1) if (line[i][1] > 0) != (line[i + 1][1] > 0)]
    if len(changes) != 1 or not 2 <= changes[0] <= 11:
        raise Skip
    i = changes[0]
    w = root_between(lambda z: trace_at(p, z, line[i][2])[0], line[i][0], line[i + 1][0])
    _, at, v, phase = trace_at(p, w, line[i][2])
    lo, hi = sorted((line[0], line[-1]))
    lo, hi = mpf(f"{float(lo[0]):.6g}"), mpf(f"{float(hi[0]):.6g}")
    m_lo, m_hi = [modulus(multipliers(s.monodromy(v2, f2, mpf(0)))[0]) < 1 for _, s, v2, f2 in (trace_at(p, z, line[i][2]) for z in (lo, hi))]
    if m_lo == m_hi:
        raise Skip
    p = {key: value for key, value in p.items() if key != "w"}
    return dict(p, w_lo=float(lo), w_hi=float(hi)), {
        "w_flip": w, "impact_phase": phase, "v_after": -at.e * v, "multipliers": multipliers(at.monodromy(v, phase, mpf(0))), "stable_side": "lo" if m_lo else "hi"}


def oscillator_branch(r):
    """One impact in n periods over the frequency."""
    p, one, (v, phase) = oscillator_orbit(r)
    line = along(p, one.w, v, one.w * mpf(r.uniform(0.8, 1.25)), 6)
    line.sort()
    ws = [float(f"{float(w):.6g}") for w, *_ in line]
    phases, speeds, ms = [], [], []
    for w, (_, _, like, _) in zip(ws, line):
        _, at, v, phase = trace_at(p, mpf(w), like)
        phases.append(phase)
        speeds.append(-at.e * v)
        ms.append(multipliers(at.monodromy(v, phase, mpf(0))))
    if any(abs(modulus(m[0]) - 1) < 1e-3 for m in ms):
        raise Skip
    p = {key: value for key, value in p.items() if key != "w"}
    return dict(p, w_list=ws), {"impact_phase": phases, "v_after": speeds, "multipliers": ms, "stable": [modulus(m[0]) < 1 for m in ms]}


def oscillator_fold(r):
    """A stop beyond the motion without impacts: two orbits with one impact that meet."""
    p = oscillator_numbers(r)
    one = Oscillator(**p)
    B = abs(one.G)
    sigma = B * sqrt(1 + (one.alpha / one.q) ** 2)
    if one.alpha <= 0 or sigma > 20 * B or sigma < mpf("1.02") * B:
        raise Skip
    offsets = [0.02, 0.005]
    v = sigma * one.alpha / (one.alpha**2 + one.q**2)

    def orbits_at(s):
        at = Oscillator(**dict(p, sigma=s))
        found = at.orbits()
        if len(found) != 2 or not all(at.is_one(*o) for o in found):
            raise Skip
        return at, found
    start = float(f"{float(sigma * mpf('0.98')):.4g}")
    orbits_at(mpf(start))
    pairs = [[x for x, _ in orbits_at(sigma * (1 - mpf(d)))[1]] for d in offsets]
    for part in ("0.97", "0.96"):
        orbits_at(sigma * mpf(part))
    at = Oscillator(**dict(p, sigma=sigma))
    phase = mp.arg(mpc(sigma - at.alpha * v, at.q * v) / at.G) % TURN
    p = {key: value for key, value in p.items() if key != "sigma"}
    return dict(p, offsets=offsets, sigma_start=start), {
        "sigma_fold": sigma, "amplitude_B": B, "v_before": v, "impact_phase": phase, "multipliers": [[1.0, 0.0], [float(at.e**2 * exp(-at.c * at.T / at.m)), 0.0]],
        "v_before_at": pairs}


def oscillator_grazes(r):
    """A frequency at which the orbit with one impact touches the stop a second time."""
    p, one, (v, phase) = oscillator_orbit(r)
    w, like, step = one.w, v, one.w * mpf(r.choice([-1, 1])) / 300
    for _ in range(120):
        at = Oscillator(**dict(p, w=w + step))
        found = at.orbits()
        if not found:
            raise Skip
        v2, phase2 = min(found, key=lambda o: abs(o[0] - like))
        if v2 < 0.03:
            raise Skip
        f2 = at.clearance(v2, phase2)
        if f2 >= 0:
            break
        w, like = w + step, v2
        if f2 < mpf("-0.5"):
            raise Skip
    else:
        raise Skip

    def orbit(z):
        at = Oscillator(**dict(p, w=z))
        return (at, *min(at.orbits(), key=lambda o: abs(o[0] - like)))

    def touch(z):
        at, v, phase = orbit(z)
        return at.clearance(v, phase)
    at_w = root_between(touch, w, w + step)
    at, v, phase = orbit(at_w)
    if abs(w + step - one.w) < abs(4 * step):
        raise Skip
    t, _ = max(at.extrema(v, phase), key=lambda o: o[1])
    if t < at.T / 50 or t > at.T * mpf("0.98"):
        raise Skip
    # nothing else happens between, and it is the first from the side where orbits are
    d = mpf(10) ** -8
    slope = (touch(at_w + d) - touch(at_w - d)) / (2 * d)
    lo, hi = sorted((one.w, at_w + 4 * step))
    m = multipliers(at.monodromy(v, phase, mpf(0)))
    if modulus(m[0]) > 8:
        raise Skip
    p = {key: value for key, value in p.items() if key != "w"}
    return dict(p, w_lo=float(f"{float(lo):.5g}"), w_hi=float(f"{float(hi):.5g}")), {
        "w_graze": at_w, "t_graze": t, "impact_phase": phase, "v_after": -at.e * v, "gap_slope": slope, "multipliers": m}


def left_of_directions(M, discarded, cycles):
    """A direction x grows within M^N to |M^N x| between |m|^N/kappa and kappa |m|^N, kappa the condition of the eigenvectors: log(kappa)/N of a mean over N cycles.
    Of real multipliers only what the cycles before have not turned to the first eigenvector yet."""
    first, second = (mpc(*m) for m in multipliers(M))
    v, w = ((M[0, 1], m - M[0, 0]) for m in (first, second))
    turned = abs(v[0] * w[0] + v[1].conjugate() * w[1]) / sqrt((v[0] ** 2 + abs(v[1]) ** 2) * (w[0] ** 2 + abs(w[1]) ** 2))
    kappa = sqrt((1 + turned) / (1 - turned))
    rest = log(kappa)
    if first.imag == 0:
        rest = min(rest, kappa**2 * abs(second / first) ** discarded)
    return rest / cycles


def oscillator_exponents(r):
    """Exponents of an orbit that attracts."""
    p, one, (v, phase) = oscillator_orbit(r)
    m = multipliers(one.monodromy(v, phase, mpf(0)))
    if not modulus(m[0]) < 0.9 or p["n"] != 1:
        raise Skip
    t0 = (-(phase - one.ph) / one.w) % one.T
    state = one.at(v, phase, t0)
    p = {key: value for key, value in p.items() if key != "n"}
    values = sorted((float(log(modulus(x)) / one.T) for x in m), reverse=True)
    cycles = dict(n_discard=300, n_cycles=400)
    left = float(left_of_directions(one.monodromy(v, phase, t0), *cycles.values()) / one.T)
    return dict(p, x0=float(f"{float(state[0]):.6g}"), v0=float(f"{float(state[1]):.6g}"), **cycles), {
        "lyapunov_1": values[0], "lyapunov_2": values[1], "impacts_per_forcing_period": 1.0, "chaotic": False}, {"lyapunov_1": left, "lyapunov_2": left}
