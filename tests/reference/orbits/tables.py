"""A ball on a table that goes up and down: flights in closed form, landings as roots, derivatives by differences."""
from mpmath import acos, asin, cos, eye, matrix, mp, mpf, pi, sin, sqrt

from .common import TURN, Skip, modulus, multipliers, root_between, rounded, rows


def impact_of(A, w, g, phase, v):
    """The next impact of a ball that leaves the table at this phase with this velocity: time of flight and velocity before it."""
    z0 = A * sin(phase)

    def gap(s):
        return z0 + v * s - g * s * s / 2 - A * sin(phase + w * s)
    step = TURN / w / 200
    s = step / 50
    if gap(s) <= 0:
        raise Skip
    while gap(s + step) > 0:
        s += step
    s = root_between(gap, s, s + step)
    return s, v - g * s


def bounce(p, phase, v):
    s, before = impact_of(p["A"], p["w"], p["g"], phase, v)
    phase = phase + p["w"] * s
    return phase, -p["e"] * before + (1 + p["e"]) * p["A"] * p["w"] * cos(phase)


def bounce_map(p, n):
    def act(phase, v):
        for _ in range(n):
            phase, v = bounce(p, phase, v)
        return phase, v
    return act


def table_newton(p, n, k, phase, v):
    act = bounce_map(p, n)
    for _ in range(40):
        a, b = act(phase, v)
        d = mpf(10) ** -12
        (a1, b1), (a2, b2) = act(phase + d, v), act(phase - d, v)
        (a3, b3), (a4, b4) = act(phase, v + d), act(phase, v - d)
        M = matrix([[(a1 - a2) / (2 * d), (a3 - a4) / (2 * d)], [(b1 - b2) / (2 * d), (b3 - b4) / (2 * d)]])
        f = matrix([a - TURN * k - phase, b - v])
        step = (M - eye(2)) ** -1 * f
        phase, v = phase - step[0], v - step[1]
        if abs(step[0]) + abs(step[1]) / abs(v) < mpf(10) ** -17:
            return phase, v, M
        if abs(step[0]) > 3:
            raise Skip
    raise Skip


def table_base(r, k=None):
    w, e, g = r.choice([1.0, r.uniform(0.5, 60)]), r.uniform(0.2, 0.85), r.choice([1.0, 9.81, r.uniform(1, 12)])
    k = k or r.choice([1, 1, 2, 3])
    W, E, G = mpf(w), mpf(e), mpf(g)
    fold = G * pi * k * (1 - E) / ((1 + E) * W**2)
    flip = sqrt((2 * G * (1 + E**2) / (1 + E) ** 2) ** 2 + (fold * W**2) ** 2) / W**2
    return w, e, g, k, fold, flip


def orbit_table(r):
    """One impact or two, on a table that moves."""
    two = r.random() < 0.4
    w, e, g, k, fold, flip = table_base(r, 1 if two else None)
    if two:
        A = flip * mpf(r.uniform(1.005, 1.08))
    else:
        A = fold + (flip - fold) * mpf(r.uniform(0.1, 1.3))
    A = mpf(float(f"{float(A):.5g}"))
    ph = r.choice([0.0, r.uniform(-3, 3)])
    p = dict(A=A, w=mpf(w), g=mpf(g), e=mpf(e))
    phi = acos(fold / A) * (1 if two else r.choice([1, -1]))
    v = mpf(g) * k * pi / w
    n, kk = (2, 2) if two else (1, k)
    if two:
        phi, v = period_two(p, phi, v)
    phi, v, _ = table_newton(p, n, kk, phi, v)
    # a time between impacts at which the orbit is looked at
    phases, after, flights = [], [], []
    a, b = phi, v
    for _ in range(n):
        s, before = impact_of(p["A"], p["w"], p["g"], a, b)
        flights.append((a, b, s))
        a, b = bounce(p, a, b)
    i = r.randrange(n)
    a, b, s = flights[i]
    T = kk * TURN / p["w"]
    t = ((a - ph) / p["w"] + s * mpf(r.uniform(0.15, 0.85))) % T
    t = mpf(f"{float(t):.6g}")
    s0 = (t - (a - ph) / p["w"]) % T
    if not s0 < s:
        raise Skip
    order = [(i + 1 + j) % n for j in range(n)]

    def strobe(z, u):
        """The map of the state at t over one period."""
        # back to the leaving of the flight is not needed: fly on to the table
        phase = p["w"] * t + ph
        step, s = TURN / p["w"] / 200, mpf(0)

        def gap(x):
            return z + u * x - p["g"] * x * x / 2 - p["A"] * sin(phase + p["w"] * x)
        while gap(s + step) > 0:
            s += step
        s = root_between(gap, s, s + step)
        phase += p["w"] * s
        v = -p["e"] * (u - p["g"] * s) + (1 + p["e"]) * p["A"] * p["w"] * cos(phase)
        for _ in range(n - 1):
            phase, v = bounce(p, phase, v)
        left = (p["w"] * (t + T) + ph - phase) / p["w"]
        return p["A"] * sin(phase) + v * left - p["g"] * left**2 / 2, v - p["g"] * left
    z, u = p["A"] * sin(a) + b * s0 - p["g"] * s0**2 / 2, b - p["g"] * s0
    d = mpf(10) ** -11
    M = matrix(2, 2)
    for j, (dz, du) in enumerate(((d, 0), (0, d))):
        one, other = strobe(z + dz, u + du), strobe(z - dz, u - du)
        for i2 in range(2):
            M[i2, j] = (one[i2] - other[i2]) / (2 * d)
    m = multipliers(M)
    if modulus(m[0]) > 6 or abs(modulus(m[0]) - 1) < 1e-3:
        raise Skip
    values = {"period": T, "impact_phases": [flights[j][0] % TURN for j in order], "v_after": [flights[j][1] for j in order], "strobe_state": [z, u],
              "monodromy": rows(M), "multipliers": m, "det": p["e"] ** (2 * n), "stable": modulus(m[0]) < 1, "A_fold": fold, "A_flip": flip}
    return dict(A=float(A), w=w, ph=ph, e=e, g=g, k=kk, n_imp=n, t_section=float(t), guess=rounded((z, u))), values


def period_two(p, phi, v):
    """From the one-impact orbit that has lost its stability, by running."""
    phi += mpf("0.05")
    old = mp.dps
    mp.dps = 16
    try:
        for _ in range(400):
            phi, v = bounce(p, phi, v)
            phi = phi % TURN
        one = bounce(p, phi, v)
        two = bounce(p, *one)
        if abs(one[0] % TURN - phi) < mpf("0.02") or abs((two[0] - phi) / TURN - 2) > mpf("1e-3"):
            raise Skip
    finally:
        mp.dps = old
    return phi, v


def branch_two(r):
    """Orbits of two impacts behind the first doubling, and the next doubling."""
    w, e, g, k, fold, flip = table_base(r, 1)
    p = dict(w=mpf(w), g=mpf(g), e=mpf(e))
    A = flip * mpf("1.004")
    phi, v = period_two(dict(p, A=A), acos(fold / A), p["g"] * pi / w)

    def at(A, phi, v):
        phi, v, M = table_newton(dict(p, A=A), 2, 2, phi, v)
        return phi, v, multipliers(M)
    step = flip * mpf("0.004")
    line = []
    for _ in range(90):
        phi, v, m = at(A, phi, v)
        line.append((A, phi, v, m))
        if m[0][1] == 0 and m[0][0] < -1:
            break
        A += step
    else:
        raise Skip
    if len(line) < 4:
        raise Skip
    state = {}

    def doubling(A):
        phi, v, M = table_newton(dict(p, A=A), 2, 2, line[-2][1], line[-2][2])
        state["at"] = (phi, v, M)
        return 1 + M[0, 0] + M[1, 1] + p["e"] ** 4
    flip_2 = root_between(doubling, line[-2][0], line[-1][0])
    doubling(flip_2)
    phi2, v2, M2 = state["at"]
    chosen = [line[len(line) * j // 4] for j in range(4)]
    A_list = [float(f"{float(o[0]):.5g}") for o in chosen]
    phases, ms, guesses = [], [], []
    for A, o in zip(A_list, chosen):
        q = dict(p, A=mpf(A))
        phi, v, M = table_newton(q, 2, 2, o[1], o[2])
        other = bounce(q, phi, v)
        phases.append(sorted([phi % TURN, other[0] % TURN]))
        ms.append(multipliers(M))
        # the state at t = 0 (mod two periods)
        for a, b in ((phi, v), other):
            s = -a / p["w"] % (2 * TURN / p["w"])
            flight, _ = impact_of(q["A"], p["w"], p["g"], a, b)
            if s < flight:
                guesses.append(rounded((q["A"] * sin(a) + b * s - p["g"] * s * s / 2, b - p["g"] * s)))
                break
        else:
            a, b = other
            s = -a / p["w"] % (TURN / p["w"])
            guesses.append(rounded((q["A"] * sin(a) + b * s - p["g"] * s * s / 2, b - p["g"] * s)))
    if any(abs(modulus(m[0]) - 1) < 1e-3 for m in ms):
        raise Skip
    q = dict(p, A=flip_2)
    return dict(w=w, e=e, g=g, A_list=A_list, guess=guesses, t_section=0.0), {
        "A_flip_1": flip, "impact_phases": phases, "multipliers": ms, "stable": [modulus(m[0]) < 1 for m in ms], "A_flip_2": flip_2,
        "impact_phases_at_flip_2": sorted([phi2 % TURN, bounce(q, phi2, v2)[0] % TURN]), "multipliers_at_flip_2": [[-1.0, 0.0], [-float(p["e"] ** 4), 0.0]]}


def branch_table(r):
    """One impact over the amplitude: closed forms."""
    w, e, g, k, fold, flip = table_base(r)
    A_list = sorted(float(f"{float(fold * mpf(r.uniform(0.7, 1.0)) if i == 0 else fold + (flip - fold) * mpf(r.uniform(0.05, 1.5))):.5g}") for i in range(7))
    E, W, G = mpf(e), mpf(w), mpf(g)
    exists = [A > fold for A in A_list]
    phases, ms = [], []
    for A in A_list:
        if A <= fold:
            continue
        phi = acos(fold / A)
        # one impact a period: the map of phase and velocity
        q = dict(A=mpf(A), w=W, g=G, e=E)
        _, _, M = table_newton(q, 1, k, phi, G * k * pi / W)
        phases.append(phi)
        ms.append(multipliers(M))
    if any(abs(modulus(m[0]) - 1) < 1e-3 for m in ms):
        raise Skip
    return dict(w=w, e=e, g=g, k=k, A_list=A_list), {"exists": exists, "impact_phase": phases, "multipliers": ms, "stable": [modulus(m[0]) < 1 for m in ms]}


def departure_cycle(A, w, ph, e, g, count=400):
    """From the instant of departure: impacts, their limit, the highest point."""
    phase = asin(g / (A * w * w))
    t0 = (phase - ph) / w
    v = A * w * cos(phase)
    top = A * sin(phase) + v * v / (2 * g)
    t, impacts = t0, []
    small = mpf(10) ** -16
    # the first flight leaves along the table: the gap begins with the third power
    z0 = A * sin(phase)

    def gap(s):
        return z0 + v * s - g * s * s / 2 - A * sin(phase + w * s)
    step = TURN / w / 400
    s = step
    while gap(s) <= 0:
        s += step
        if s > 5 * step:
            raise Skip
    while gap(s + step) > 0:
        s += step
    s = root_between(gap, s, s + step)
    t += s
    a = phase + w * s
    U = (v - g * s) - A * w * cos(a)
    impacts.append(t)
    while e > 0:
        U = -e * U
        b = A * w * cos(a) + U
        rel = g - A * w * w * sin(a)
        if rel <= 0:
            raise Skip
        if U < small:
            t += 2 * U / (rel * (1 - e))
            break
        guess = 2 * U / rel
        z0 = A * sin(a)

        def rest(s):
            """The gap over s, without loss of digits for short flights."""
            x = w * s
            if abs(x) < mpf("0.01"):
                # sin(a + x) - sin(a) - x cos(a) by its series
                total, term = mpf(0), x
                for i in range(2, 14):
                    term = term * x / i
                    total += term * (-sin(a), -cos(a), sin(a), cos(a))[(i - 2) % 4]
                return U - g * s / 2 - A * total / s
            return (z0 + b * s - g * s * s / 2 - A * sin(a + x)) / s
        lo, hi = guess * mpf("0.01"), guess
        if rest(lo) <= 0:
            raise Skip
        while rest(hi) > 0:
            lo, hi = hi, hi + guess / 4
            if hi > 50 * guess:
                raise Skip
        s = root_between(rest, lo, hi)
        t += s
        a += w * s
        U = b - g * s - A * w * cos(a)
        impacts.append(t)
        if len(impacts) > count or t > t0 + TURN / w:
            raise Skip
    return t0, phase, v, top, impacts, t


def chatter(r, inelastic=False):
    """A ball that comes to rest on the table in each period."""
    w, g, ph = r.choice([1.0, r.uniform(0.5, 30)]), r.choice([1.0, 9.81, r.uniform(1, 12)]), r.choice([0.0, r.uniform(-1, 0.8)])
    e = 0.0 if inelastic else r.uniform(0.05, 0.75)
    A = float(f"{g / w**2 * r.uniform(1.03, 3 if inelastic else 1.6):.5g}")
    numbers = [mpf(A), mpf(w), mpf(ph), mpf(e), mpf(g)]
    t0, phase, v, top, impacts, t_acc = departure_cycle(*numbers)
    T = TURN / mpf(w)
    if t_acc > t0 + T * mpf("0.97") or t0 < 0:
        raise Skip
    # where it comes to rest the table does not fall away faster, until it leaves
    a = mpf(w) * t_acc + ph
    while a < phase + TURN - mpf("0.02"):
        if mpf(A) * mpf(w) ** 2 * sin(a) >= mpf(g):
            raise Skip
        a += mpf("0.02")
    if len(impacts) > 1 and impacts[0] - t0 < v / mpf(g):
        raise Skip

    def slope(i, what):
        d = mpf(10) ** -9 * abs(numbers[i])
        ends = []
        for sign in (1, -1):
            moved = list(numbers)
            moved[i] += sign * d
            out = departure_cycle(*moved)
            ends.append(out[5] if what == "acc" else out[4][0])
        return (ends[0] - ends[1]) / (2 * d)
    values = {"period": T, "departure_phase": phase, "t_departure": t0, "v_departure": v, "z_max": top, "impact_times": impacts[:4], "t_acc": t_acc,
              "contact_fraction": 1 - (t_acc - t0) / T, "multipliers": [[0.0, 0.0], [0.0, 0.0]], "stable": True,
              "dt_acc/d(A,w,g)": [slope(i, "acc") for i in (0, 1, 4)], "dt_1/d(A,w,g)": [slope(i, "first") for i in (0, 1, 4)]}
    if not inelastic:
        values["dt_acc/de"] = slope(3, "acc")
    return dict(A=A, w=w, ph=ph, e=e, g=g), values


def inelastic_rest(r):
    """The same at once, by an impact without restitution."""
    return chatter(r, True)
