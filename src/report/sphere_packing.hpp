#pragma once

#include "solver/matrix_free.hpp"

#include <cstddef>

namespace carom {

/// A heap of equal spheres for benchmarks: a face-centred cubic lattice on a floor, each sphere touching up
/// to twelve others, falling at random speeds of 0.1 m/s beside 1 m/s downwards. About `contacts` of them,
/// friction 0.5, spheres of 1 kg. The same for the same number.
struct SpherePacking {
    std::vector<SphereBody> bodies;
    std::vector<SphereContact> contacts;
};

[[nodiscard]] SpherePacking sphere_packing(std::size_t contacts);

/// What one machine does with it.
struct SphereFigures {
    std::size_t contacts = 0, bodies = 0;
    double sweep_ns = 0;           ///< per contact and sweep, the best of some
    double bandwidth_GB_s = 0;     ///< triad a = b + s c on arrays that fit into no cache, the best of some
    double floor_ns = 0;           ///< 232 bytes per contact at that bandwidth: what a sweep streams at least
    double own_floor_ns = 0;       ///< with the bytes that our records have
    double bytes_per_contact = 0;  ///< resident memory that the problem takes, over contacts
    double error_after_100 = 0;    ///< unit-free, after 100 sweeps
    bool memory_is_known = false;
};

[[nodiscard]] SphereFigures measure_spheres(std::size_t contacts);

}  // namespace carom
