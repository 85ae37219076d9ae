#!/usr/bin/python3
"""Numbers of the problem files beside this script as h5py and numpy see them; carom's own reader is held
against them (expected.csv).

usage: expected.py FOLDER > expected.csv
"""
import glob
import os
import sys

import h5py
import numpy as np


def matrix(g):
    m, n, nz = (int(g[k][0]) for k in ("m", "n", "nz"))
    x, p, i = g["x"][()], g["p"][()], g["i"][()]
    A = np.zeros((m, n))
    if nz >= 0:  # triplets: i rows, p columns
        np.add.at(A, (i[:nz], p[:nz]), x[:nz])
        return A
    outer = np.repeat(np.arange(len(p) - 1), np.diff(p))
    np.add.at(A, (i, outer) if nz == -1 else (outer, i), x)
    return A


print("file,dimension,contacts,W_norm,tWz,zWt,q_norm,tq,mu_sum")
for path in sorted(glob.glob(os.path.join(sys.argv[1], "*.hdf5"))):
    h = h5py.File(path, "r")
    g = h["fclib_local"] if "fclib_local" in h else h["fclib_global"]
    d, mu = int(g["spacedim"][0]), g["vectors/mu"][()]
    if "fclib_local" in h:
        W, q = matrix(g["W"]), g["vectors/q"][()]
    else:
        M, H = matrix(g["M"]), matrix(g["H"])
        W = H.T @ np.linalg.solve(M, H)
        q = g["vectors/w"][()] + H.T @ np.linalg.solve(M, g["vectors/f"][()])
    z, t = np.cos(np.arange(len(q))), np.sin(np.arange(len(q)) + 0.5)
    numbers = (np.linalg.norm(W), t @ W @ z, z @ W @ t, np.linalg.norm(q), t @ q, mu.sum())
    print(",".join([os.path.basename(path), str(d), str(len(mu))] + ["%.17g" % v for v in numbers]))
