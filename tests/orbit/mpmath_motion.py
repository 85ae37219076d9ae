"""Motions with events to 40 digits: Taylor series of any right-hand side, instants by secants. Nothing of carom is used."""
from mpmath import cos, mp, mpf, sin, sqrt

mp.dps = 40
ORDER = 26
STEP = mpf("0.03917")
TINY = mpf(10) ** (-28)


class Node:
    """A function of the time whose Taylor coefficients come one after the other."""

    def __init__(self, rule, *parts):
        self.rule, self.parts, self.c = rule, parts, []

    def grow(self, k):
        if len(self.c) <= k:
            self.c.append(self.rule(self, k, *self.parts))
        return self.c[k]

    def __add__(self, other):
        return Node(lambda me, k, a, b: a.c[k] + b.c[k], self, as_node(other))

    def __sub__(self, other):
        return Node(lambda me, k, a, b: a.c[k] - b.c[k], self, as_node(other))

    def __mul__(self, other):
        if not isinstance(other, Node):
            return Node(lambda me, k, a: a.c[k] * other, self)
        return Node(lambda me, k, a, b: sum(a.c[i] * b.c[k - i] for i in range(k + 1)), self, other)

    def __truediv__(self, other):
        if not isinstance(other, Node):
            return self * (1 / mpf(other))
        return Node(lambda me, k, a, b: (a.c[k] - sum(me.c[i] * b.c[k - i] for i in range(k))) / b.c[0], self, other)

    def __neg__(self):
        return self * mpf(-1)

    def __radd__(self, other):
        return self + other

    def __rmul__(self, other):
        return self * other

    def __rsub__(self, other):
        return as_node(other) - self

    def __rtruediv__(self, other):
        return as_node(other) / self


def as_node(x):
    if isinstance(x, Node):
        return x
    return Node(lambda me, k: mpf(x) if k == 0 else mpf(0))


def waves(x):
    """sin and cos of a node or of a number."""
    if not isinstance(x, Node):
        return sin(x), cos(x)
    pair = {}

    def wave(sign, name, other, start):
        def rule(me, k, a):
            if k == 0:
                return start(a.c[0])
            return sign * sum(i * a.c[i] * pair[other].c[k - i] for i in range(1, k + 1)) / k
        pair[name] = Node(rule, x)
    wave(1, "s", "c", sin)
    wave(-1, "c", "s", cos)
    return pair["s"], pair["c"]


def root(x):
    if not isinstance(x, Node):
        return sqrt(x)

    def rule(me, k, a):
        if k == 0:
            return sqrt(a.c[0])
        return (a.c[k] - sum(me.c[i] * me.c[k - i] for i in range(1, k))) / (2 * me.c[0])
    return Node(rule, x)


def power(x, a):
    """x^a of a node that is positive, a a number."""
    if not isinstance(x, Node):
        return mpf(x) ** a

    def rule(me, k, c):
        if k == 0:
            return c.c[0] ** a
        return sum((a * i - (k - i)) * c.c[i] * me.c[k - i] for i in range(1, k + 1)) / (k * c.c[0])
    return Node(rule, x)


def all_nodes(outputs):
    """In an order in which parts come first; both waves of an argument."""
    seen, order = set(), []

    def visit(node):
        if id(node) in seen:
            return
        seen.add(id(node))
        for part in node.parts:
            visit(part)
        order.append(node)
        for cell in getattr(node.rule, "__closure__", None) or ():
            if isinstance(cell.cell_contents, dict):
                for twin in cell.cell_contents.values():
                    visit(twin)
    for node in outputs:
        visit(node)
    return order


def series(rhs, y, t, p):
    """Taylor coefficients of y' = rhs(y, t, p)."""
    states = [Node(None) for _ in y]
    clock = Node(lambda me, k: t if k == 0 else mpf(1 if k == 1 else 0))
    rates = [as_node(f) for f in rhs(states, clock, p)]
    for state, value in zip(states, y):
        state.c.append(value)
    order = [node for node in all_nodes([clock, *rates]) if node.rule is not None]
    for k in range(ORDER):
        for node in order:
            node.grow(k)
        for state, rate in zip(states, rates):
            state.c.append(rate.c[k] / (k + 1))
    return [state.c for state in states]


def value(c, s):
    total = mpf(0)
    for a in reversed(c):
        total = total * s + a
    return total


def falls_through(guard, h):
    """Where a guard that is positive becomes negative in (0, h]; None: nowhere."""
    looks = 12
    before, f_before = mpf(0), guard(mpf(0))
    for i in range(1, looks + 1):
        s = h * i / looks
        f = guard(s)
        if f < 0 and f_before > TINY:
            a, b, fa, fb = before, s, f_before, f
            for _ in range(200):
                c = b - fb * (b - a) / (fb - fa)
                a, fa, b = b, fb, c
                fb = guard(b)
                if abs(b - a) < mpf(10) ** (-37):
                    return b
            raise ArithmeticError("an instant was not found")
        if f < -TINY and i == 1 and abs(f_before) <= TINY:
            raise ArithmeticError("an event follows too soon: take shorter steps")
        before, f_before = s, f
    return None


def run(model, p, end, h=STEP):
    """The state at the end. model: start(p) gives (mode, y); rhs(mode); guards(mode) gives [(guard, action)], both of (y, t, p);
    an action gives (mode, y)."""
    t = mpf(0)
    mode, y = model["start"](p)
    while t < end:
        step = min(h, end - t)
        coefficients = series(model["rhs"](mode), y, t, p)

        def at(s):
            return [value(c, s) for c in coefficients]
        first, act = None, None
        for guard, action in model["guards"](mode):
            hit = falls_through(lambda s: guard(at(s), t + s, p), step)
            if hit is not None and (first is None or hit < first):
                first, act = hit, action
        step = step if first is None else first
        y = at(step)
        t += step
        if act is not None:
            mode, y = act(y, t, p)
    return y


def smooth(rhs, y, t, end, p):
    """The state at the end of a motion without events, in steps after which the last coefficient is below 1e-37 of the largest."""
    while t < end:
        coefficients = series(rhs, y, t, p)
        last = max(abs(c[-1]) / max(abs(c[0]), abs(c[1])) for c in coefficients)
        step = min(end - t, (mpf(10) ** (-37) / last) ** (mpf(1) / ORDER) if last > 0 else end - t)
        y = [value(c, step) for c in coefficients]
        t += step
    return y
