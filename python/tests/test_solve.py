"""One-step problems from arrays and files."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from scipy import sparse

import carom


def random_problem(contacts: int, seed: int) -> carom.Problem:
    """W = H H^T, positive definite, with velocities that approach."""
    random = np.random.default_rng(seed)
    H = random.normal(size=(3 * contacts, 4 * contacts))
    q = random.normal(size=3 * contacts)
    q[::3] = -np.abs(q[::3])
    return carom.Problem(H @ H.T, q, np.full(contacts, 0.4))


def test_one_contact_sticks_or_slides() -> None:
    sticks = carom.solve(carom.Problem(np.eye(3), [-1, 0.2, 0], [0.5]))
    assert sticks.solved and sticks.P == pytest.approx([1, -0.2, 0]) and sticks.U == pytest.approx([0, 0, 0], abs=1e-8)
    slides = carom.solve(carom.Problem(np.eye(3), [-1, 2, 0], [0.5]))
    assert slides.P == pytest.approx([1, -0.5, 0]) and slides.U == pytest.approx([0, 1.5, 0], abs=1e-8)
    assert abs(slides.gap_J) < 1e-7
    assert "solved" in repr(slides)


def test_all_solvers_agree_and_their_answers_fulfil_the_law() -> None:
    problem = random_problem(6, seed=1)
    W, q = problem.W.toarray(), problem.q
    answers = {name: carom.solve(problem, solver=name, max_iterations=200_000) for name in carom.solvers}
    solved = {name: answer for name, answer in answers.items() if answer.solved}
    assert {"auto", "gauss_seidel", "proximal_newton"} <= set(solved)
    for answer in solved.values():
        P, U = answer.P.reshape(-1, 3), answer.U.reshape(-1, 3)
        assert answer.U == pytest.approx(W @ answer.P + q, abs=1e-9)
        assert (np.linalg.norm(P[:, 1:], axis=1) <= 0.4 * P[:, 0] + 1e-7).all()
        assert (U[:, 0] > -1e-6).all() and (np.abs(P[:, 0] * U[:, 0]) < 1e-6).all()
        assert answer.U == pytest.approx(solved["auto"].U, abs=1e-5)


def test_sparse_and_dense_matrices_are_the_same_problem() -> None:
    dense = random_problem(3, seed=2)
    W = dense.W.toarray()
    for given in (W, sparse.csr_matrix(W), sparse.coo_matrix(W), np.asfortranarray(W), sparse.csc_matrix(W)):
        problem = carom.Problem(given, dense.q, dense.mu)
        assert (problem.W.toarray() == W).all()
        assert (carom.solve(problem).P == carom.solve(dense).P).all()


def test_files_are_read_back(tmp_path: Path) -> None:
    problem = random_problem(4, seed=3)
    problem.write(tmp_path / "problem.hdf5")
    again = carom.Problem.read(tmp_path / "problem.hdf5")
    assert (again.W.toarray() == problem.W.toarray()).all() and (again.q == problem.q).all()
    assert (carom.solve(tmp_path / "problem.hdf5").P == carom.solve(problem).P).all()
    assert again.contacts == 4 and "4 contacts" in repr(again)


def test_solvers_are_compared() -> None:
    compared = carom.compare([random_problem(3, seed=s) for s in range(2)], time_limit_s=2, max_iterations=20_000)
    table = compared.to_pandas()
    assert len(table) == 2 * len(compared.profile)
    assert set(compared.profile) <= set(carom.solvers)
    assert (compared.profile["gauss_seidel"][-1] <= 1) and "solved" in repr(compared)


def test_wrong_arrays() -> None:
    for W, q, mu in (
        (np.eye(3), [-1, 0], [0.5]),
        (np.eye(2), [-1, 0, 0], [0.5]),
        (np.ones((3, 2)), [-1, 0, 0], [0.5]),
        (np.eye(3), [-1, float("nan"), 0], [0.5]),
        (np.full((3, 3), np.inf), [-1, 0, 0], [0.5]),
        (np.eye(3), [-1, 0, 0], [-0.5]),
        (np.eye(3), [-1, 0, 0], []),
        (sparse.eye(2, 3), [-1, 0, 0], [0.5]),
        ("W", [-1, 0, 0], [0.5]),
        (np.eye(3), "q", [0.5]),
    ):
        with pytest.raises((ValueError, TypeError)):
            carom.Problem(W, q, mu)
    with pytest.raises(carom.Error) as caught:
        carom.solve(carom.Problem(np.eye(3), [-1, 0, 0], [0.5]), solver="magic")
    assert caught.value.mistakes[0].code == "unknown_name"
    with pytest.raises(carom.Error):
        carom.solve(carom.Problem(np.eye(3), [-1, 0, 0], [0.5]), tolerance=-1)
    with pytest.raises(carom.Error):
        carom.solve("no/such/file.hdf5")
