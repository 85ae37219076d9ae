"""What the families share: numbers that give no such orbit, multipliers of a 2x2 matrix, roots. 30 digits."""
from mpmath import mp, mpc, mpf, pi, sqrt

mp.dps = 30
TURN = 2 * pi


class Skip(Exception):
    """These numbers give no such orbit: others are drawn."""


def pair(z):
    return [float(z.real), float(z.imag)] if isinstance(z, mpc) else [float(z), 0.0]


def multipliers(M):
    half, det = (M[0, 0] + M[1, 1]) / 2, M[0, 0] * M[1, 1] - M[0, 1] * M[1, 0]
    left = half * half - det
    if left < 0:
        return [pair(mpc(half, sqrt(-left))), pair(mpc(half, -sqrt(-left)))]
    big = half + sqrt(left) if half >= 0 else half - sqrt(left)
    return [pair(big), pair(det / big if big != 0 else mpf(0))]


def modulus(m):
    return (m[0] ** 2 + m[1] ** 2) ** 0.5


def rows(M):
    return [[float(M[i, j]) for j in range(M.cols)] for i in range(M.rows)]


def rounded(values):
    return [float(f"{float(v):.3g}") for v in values]


def root_between(f, a, b):
    """By false position, halving what stays (Illinois)."""
    fa, fb = f(a), f(b)
    side = 0
    for _ in range(120):
        if abs(b - a) < mpf(10) ** -27 * (1 + abs(b)) or fa == fb:
            break
        c = (fa * b - fb * a) / (fa - fb)
        if not min(a, b) < c < max(a, b):
            c = (a + b) / 2
        fc = f(c)
        if fc == 0:
            return c
        if (fc > 0) == (fb > 0):
            b, fb = c, fc
            fa, side = (fa / 2 if side == -1 else fa), -1
        else:
            a, fa = c, fc
            fb, side = (fb / 2 if side == 1 else fb), 1
    return (a + b) / 2
