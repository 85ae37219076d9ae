#include "report/sphere_packing.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <ctime>
#include <fstream>
#include <random>
#include <utility>

#include <unistd.h>

namespace carom {
namespace {

/// Bytes that a matrix-free sweep streams per contact when bodies stay in cache: 208 read, 24 written.
constexpr double streamed_bytes = 232;

/// Ours: a contact with its percussion read and written back, and its two constants read.
constexpr double own_bytes = 2 * sizeof(SphereContact) + 2 * sizeof(double);

/// Processor time: others use the machine too.
double now_s()
{
    return static_cast<double>(std::clock()) / CLOCKS_PER_SEC;
}

/// Bytes in memory now; 0 where the system does not say.
double resident_bytes()
{
    std::ifstream in("/proc/self/statm");
    double pages = 0, resident = 0;
    if (!(in >> pages >> resident)) return 0;
    return resident * static_cast<double>(sysconf(_SC_PAGESIZE));
}

/// Bytes per second of a = b + s c: two arrays read, one written.
double stream_bandwidth()
{
    constexpr std::size_t size = 8'000'000;  // 64 MB each
    std::vector<double> a(size, 0), b(size, 1), c(size, 2);
    double best_s = 1e9;
    for (int trial = 0; trial < 20; ++trial) {
        const double begin_s = now_s();
        const double s = 1.0 + trial;
        for (std::size_t k = 0; k < size; ++k) {
            a[k] = b[k] + s * c[k];
        }
        best_s = std::min(best_s, now_s() - begin_s);
        std::swap(a, b);  // the result is used, so that no loop is left out
    }
    return 3 * sizeof(double) * static_cast<double>(size) / best_s;
}

/// Places of a face-centred cubic lattice, in units of half its edge: those with even sum of coordinates.
class Lattice {
public:
    explicit Lattice(int side) : side_(side) {}

    [[nodiscard]] int number(int x, int y, int z) const
    {
        const bool inside = x >= 0 && y >= 0 && z >= 0 && x < side_ && y < side_ && z < side_;
        return inside && (x + y + z) % 2 == 0 ? (z * side_ * side_ + y * side_ + x) / 2 : -1;
    }
    [[nodiscard]] int side() const { return side_; }

private:
    int side_;  ///< odd, so that numbers are without holes
};

}  // namespace

SpherePacking sphere_packing(std::size_t contacts)
{
    // half of the places are taken, with six contacts each
    int side = static_cast<int>(std::cbrt(static_cast<double>(contacts) / 3));
    side += side % 2 == 0 ? 1 : 0;
    const Lattice lattice(std::max(side, 3));
    constexpr std::array<std::array<int, 3>, 6> neighbours{
        {{-1, -1, 0}, {1, -1, 0}, {-1, 0, -1}, {1, 0, -1}, {0, -1, -1}, {0, 1, -1}}};

    SpherePacking packing;
    packing.bodies.resize((static_cast<std::size_t>(lattice.side()) * lattice.side() * lattice.side() + 1) /
                          2);
    std::mt19937 random(1);
    std::normal_distribution<double> speed(0, 0.1);
    const double r = std::sqrt(0.5);
    for (int z = 0; z < lattice.side(); ++z) {
        for (int y = 0; y < lattice.side(); ++y) {
            for (int x = 0; x < lattice.side(); ++x) {
                const int a = lattice.number(x, y, z);
                if (a < 0) continue;
                packing.bodies[static_cast<std::size_t>(a)] = {
                    .v = {speed(random), speed(random), speed(random) - 1},
                    .inverse_mass = 1,
                    .inverse_spin = 2.5};

                // those before it, and the floor
                for (const auto& [dx, dy, dz] : neighbours) {
                    const int b = lattice.number(x + dx, y + dy, z + dz);
                    if (b < 0) continue;
                    packing.contacts.push_back(
                        {.normal = {-dx * r, -dy * r, -dz * r}, .friction = 0.5, .a = a, .b = b});
                }
                if (z == 0)
                    packing.contacts.push_back({.normal = {0, 0, 1}, .friction = 0.5, .a = a, .b = -1});
            }
        }
    }
    return packing;
}

SphereFigures measure_spheres(std::size_t wanted)
{
    SphereFigures figures;
    const double before = resident_bytes();
    SpherePacking packing = sphere_packing(wanted);
    auto spheres =
        SphereContacts::make(std::move(packing.bodies), SphereContacts::spread(std::move(packing.contacts)));
    if (!spheres) throw InternalError("the packing of spheres was refused: " + spheres.error().message);
    const double after = resident_bytes();
    figures.contacts = spheres->contacts().size();
    figures.bodies = spheres->bodies().size();
    const auto count = static_cast<double>(figures.contacts);
    figures.memory_is_known = before > 0;
    figures.bytes_per_contact = (after - before) / count;

    // the quickest of a hundred sweeps: one that nothing disturbed
    double best_s = 1e9;
    for (int sweep = 0; sweep < 100; ++sweep) {
        const double begin_s = now_s();
        spheres->sweep();
        best_s = std::min(best_s, now_s() - begin_s);
    }
    figures.sweep_ns = 1e9 * best_s / count;
    figures.error_after_100 = spheres->error();

    const double bandwidth = stream_bandwidth();
    figures.bandwidth_GB_s = 1e-9 * bandwidth;
    figures.floor_ns = 1e9 * streamed_bytes / bandwidth;
    figures.own_floor_ns = 1e9 * own_bytes / bandwidth;
    return figures;
}

}  // namespace carom
