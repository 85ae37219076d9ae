#!/usr/bin/python3
"""Solves one frictional contact problem (FCLIB file) with one of Siconos' solvers and prints what it took.

usage: siconos_onestep.py FILE SOLVER TOLERANCE [CAP_S]
       siconos_onestep.py --list

Needs Debian's python3-siconos, python3-numpy and python3-h5py; exit status 77 where they are missing. Processor time of the
driver call alone, from r = 0, the best of three when it is short; errors are computed here from r. Two lines of JSON: the
solve to TOLERANCE in Siconos' norm, and one to a smaller tolerance so that the unit-free error is at most TOLERANCE too.
"""
import json
import os
import resource
import sys
import tempfile
import time

for name in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"):
    os.environ[name] = "1"
try:
    import h5py
    import numpy as np
    import siconos.numerics as sn
except ImportError:
    sys.exit(77)

# name -> (solver, largest number of iterations, what else to set)
SPACE = {
    "NSGS": ("3D_NSGS", 10**7, {}),
    "NSGS_full_error": ("3D_NSGS", 10**7, {"3D_IPARAM_ERROR_EVALUATION": "3D_NSGS_ERROR_EVALUATION_FULL"}),
    "ADMM": ("3D_ADMM", 10**6, {}),
    "ADMM_balanced": ("3D_ADMM", 10**6, {
        "3D_ADMM_IPARAM_INITIAL_RHO": "3D_ADMM_INITIAL_RHO_NORM_INF",
        "3D_ADMM_IPARAM_RHO_STRATEGY": "3D_ADMM_RHO_STRATEGY_SCALED_RESIDUAL_BALANCING"}),
    "NSN_AC": ("3D_NSN_AC", 2000, {}),
    "NSN_AC_hybrid": ("3D_NSN_AC", 2000, {"3D_NSN_HYBRID_STRATEGY": "3D_NSN_HYBRID_STRATEGY_VI_EG_NSN"}),
    "PROX": ("3D_PROX", 1000, {}),
    "NSN_FB": ("3D_NSN_FB", 2000, {}),
}
PLANE = {"2D_NSGS": ("2D_NSGS", 10**7, {}), "2D_CPG": ("2D_CPG", 10**6, {}),
         "2D_LEMKE": ("2D_LEMKE", 10**6, {})}


def constant(name):
    return getattr(sn, "SICONOS_FRICTION_" + name)


def matrix(g):
    m, n, nz = (int(g[k][0]) for k in ("m", "n", "nz"))
    x, p, i = g["x"][()], g["p"][()], g["i"][()]
    A = np.zeros((m, n))
    if nz >= 0:
        np.add.at(A, (i[:nz], p[:nz]), x[:nz])
    else:
        outer = np.repeat(np.arange(len(p) - 1), np.diff(p))
        np.add.at(A, (i, outer) if nz == -1 else (outer, i), x)
    return A


def load(path):
    """W, q, mu and the dimension; the global form condensed."""
    h = h5py.File(path, "r")
    g = h["fclib_local"] if "fclib_local" in h else h["fclib_global"]
    d, mu = int(g["spacedim"][0]), g["vectors/mu"][()]
    if "fclib_local" in h:
        return matrix(g["W"]), g["vectors/q"][()], mu, d
    M, H = matrix(g["M"]), matrix(g["H"])
    return (H.T @ np.linalg.solve(M, H), g["vectors/w"][()] + H.T @ np.linalg.solve(M, g["vectors/f"][()]), mu, d)


def write_blocks(path, W, q, mu, d):
    """Siconos' text format with W as sparse blocks: what its own examples use."""
    n = len(mu)
    blocks = W.reshape(n, d, n, d).transpose(0, 2, 1, 3)
    used = [[j for j in range(n) if i == j or blocks[i, j].any()] for i in range(n)]
    begin = np.concatenate([[0], np.cumsum([len(row) for row in used])])
    ends = " ".join(str(d * (k + 1)) for k in range(n))
    with open(path, "w") as out:
        out.write(f"{d}\n{n}\n1\n{d * n}\n{d * n}\n{begin[-1]}\n{n}\n{n}\n{ends}\n{ends}\n{n + 1}\n{begin[-1]}\n")
        out.write(" ".join(map(str, begin)) + "\n" + " ".join(str(j) for row in used for j in row) + "\n")
        number = 0
        for i, row in enumerate(used):
            for j in row:
                out.write(f"{number}\n" + "\n".join("%.17e" % x for x in blocks[i, j].ravel(order="F")) + "\n")
                number += 1
        out.write(" ".join("%.17e" % x for x in q) + "\n" + " ".join("%.17e" % x for x in mu) + "\n")


def natural_map_error(W, q, mu, d, r, scale):
    """|r - P_K(r - uhat)| / max(|q|, |r|, |u|) for velocities times `scale` and percussions over it, per contact."""
    D = scale[:, None]
    R, U, Q = r.reshape(-1, d) / D, (W @ r + q).reshape(-1, d) * D, q.reshape(-1, d) * D
    X = R - U
    X[:, 0] -= mu * np.linalg.norm(U[:, 1:], axis=1)
    x_T = np.linalg.norm(X[:, 1:], axis=1)
    apex, inside = mu * x_T <= -X[:, 0], x_T <= mu * X[:, 0]
    n = (X[:, 0] + mu * x_T) / (1 + mu**2)
    factor = np.where(x_T > 0, mu * n / np.where(x_T > 0, x_T, 1), 0)
    Y = np.column_stack([n, X[:, 1:] * factor[:, None]])
    Y[inside] = X[inside]
    Y[apex] = 0
    return float(np.linalg.norm(R - Y) / max(np.linalg.norm(Q), np.linalg.norm(R), np.linalg.norm(U)))


def errors(W, q, mu, d, r):
    """Siconos' error and the unit-free one."""
    if not np.all(np.isfinite(r)):
        return {"siconos": float("inf"), "unit_free": float("inf")}
    trace = np.diag(W).reshape(-1, d).sum(axis=1) / d
    scale = np.where(trace > 0, trace, 1) ** -0.5
    return {"siconos": natural_map_error(W, q, mu, d, r, np.ones(len(mu))),
            "unit_free": natural_map_error(W, q, mu, d, r, scale)}


def solve_once(problem, size, d, solver, tolerance):
    kind, iterations, changes = solver
    options = sn.SolverOptions(constant(kind))
    options.dparam[0] = tolerance
    options.iparam[0] = iterations
    for name, value in changes.items():
        options.iparam[constant(name)] = constant(value)
    r, u = np.zeros(size), np.zeros(size)
    begin = time.thread_time()  # the limit on processor time makes that of the process coarse
    info = (sn.fc3d_driver if d == 3 else sn.fc2d_driver)(problem, r, u, options)
    return int(info), time.thread_time() - begin, int(options.iparam[1]), r


def main():
    if sys.argv[1] == "--list":
        print(json.dumps({"2": list(PLANE), "3": list(SPACE), "version": getattr(sn, "__version__", "4.4")}))
        return
    path, name, tolerance = sys.argv[1], sys.argv[2], float(sys.argv[3])
    cap = int(float(sys.argv[4])) + 1 if len(sys.argv) > 4 else 60
    resource.setrlimit(resource.RLIMIT_CPU, (cap + 5, cap + 10))
    out = os.dup(1)  # Siconos prints to standard output
    null = os.open(os.devnull, os.O_WRONLY)
    os.dup2(null, 1)
    os.dup2(null, 2)
    W, q, mu, d = load(path)
    with tempfile.TemporaryDirectory() as folder:
        text = os.path.join(folder, "problem.dat")
        write_blocks(text, W, q, mu, d)
        problem = sn.frictionContact_new_from_filename(text)
    solver = (PLANE if d == 2 else SPACE)[name]

    def best_of_three(asked):
        best = None
        for _ in range(3):
            info, time_s, iterations, r = solve_once(problem, len(q), d, solver, asked)
            if best is None or time_s < best["time_s"]:
                best = dict(errors(W, q, mu, d, r), info=info, time_s=time_s, iterations=iterations)
            if info != 0 or time_s > 0.5:
                return best
        return best

    # its own norm, told at once; then, with smaller tolerances, both norms
    own = best_of_three(tolerance)
    os.write(out, (json.dumps(own) + "\n").encode())
    asked, both = tolerance, own
    for _ in range(4):
        if both["info"] != 0 or both["unit_free"] <= tolerance:
            break
        asked *= max(1e-4, 0.5 * tolerance / both["unit_free"])
        if asked < 1e-16:
            break
        both = best_of_three(asked)
    os.write(out, (json.dumps(both) + "\n").encode())


main()
