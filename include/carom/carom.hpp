#pragma once

/// The public interface: everything that the program `carom` does, for C++ programs. Examples:
/// docs/how-to/use_from_cpp.md.
///
///     read_scene, make_scene, import_urdf   a scene from a file, from C++, from a URDF robot
///     run, resume                           a Run: status, certificate, events, findings, columns
///     Simulation                            a scene stepped by hand: state, forces, snapshots
///     open_recorded                         the Run of a recording
///     inspect                               what theory says about a scene or a recording
///     study                                 many runs of one scene, in one table
///     sensitivities                         a motion with its derivatives by starts and parameters
///     find_orbit, follow_branch             periodic motions, and their continuation over a parameter
///     lyapunov_exponents                    growth of small differences
///     read_problem, solve_problem           one-step problems from files
///
/// Invalid input comes back as Expected with Error; how a computation ended is a status.

#include "carom/door/inspect.hpp"
#include "carom/door/problem.hpp"
#include "carom/door/run.hpp"
#include "carom/door/simulation.hpp"
#include "carom/orbit/branch.hpp"
#include "carom/orbit/equilibrium.hpp"
#include "carom/orbit/lyapunov.hpp"
#include "carom/orbit/periodic.hpp"
#include "carom/orbit/sensitivity.hpp"
#include "carom/scene/scene.hpp"
#include "carom/scene/sketch.hpp"
#include "carom/scene/sweeping_scene.hpp"
#include "carom/study/run_study.hpp"
#include "carom/trace/recording.hpp"
