#include "body_drivers.hpp"
#include "body_motion.hpp"
#include "stepping/body_contact.hpp"

#include <algorithm>
#include <cmath>
#include <functional>
#include <map>
#include <numbers>
#include <random>

namespace carom::reference {
namespace {

/// Volume, or area, of a grain.
double measure(const Shape& grain)
{
    return mass_properties(grain, 1).mass_kg;
}

/// Solid fraction of a lattice of equal grains in which neighbours just touch: the spacing is the one at
/// which the least gap of a piece of it is zero, its cell that of the given vectors for a spacing of one.
double lattice_fraction(const Shape& grain, const std::vector<Vec3>& vectors)
{
    const auto min_gap_m = [&](double spacing) {
        BodySetup setup{.gravity_m_s2 = {0, 0, 0}};
        for (int n = 0; n < (vectors.size() == 3 ? 27 : 9); ++n) {
            Vec3 at = Vec3::Zero();
            for (int k = 0, rest = n; k < static_cast<int>(vectors.size()); ++k, rest /= 3) {
                at += (rest % 3 - 1) * spacing * vectors[static_cast<std::size_t>(k)];
            }
            setup.bodies.push_back({.shape = grain, .pose = {.position_m = at}});
        }
        const BodyWalk piece(setup, {});
        double smallest = spacing;
        for (const BodyContact& contact : body_contacts(piece.model(), piece.state(), spacing)) {
            smallest = std::min(smallest, contact.at.gap_m);
        }
        return smallest;
    };
    double low = 0.5, high = 8;
    for (int k = 0; k < 60; ++k) {
        const double middle = (low + high) / 2;
        (min_gap_m(middle) < 0 ? low : high) = middle;
    }
    Mat3 cell = Mat3::Identity();
    for (std::size_t k = 0; k < vectors.size(); ++k) {
        cell.col(static_cast<int>(k)) = high * vectors[k];
    }
    return measure(grain) / std::abs(cell.determinant());
}

/// Smooth grains of unit mean diameter in a smooth box under a gravity of one, at first far apart.
struct Pour {
    int grains;
    double width_m;
    double spread;  ///< of the diameters, about their mean
    bool flat;
    double tolerance;  ///< of the steps
    double quiet_J;    ///< mean kinetic energy of a grain at the end
    unsigned seed = 17;

    [[nodiscard]] int up() const { return flat ? 1 : 2; }

    [[nodiscard]] BodySetup setup() const
    {
        BodySetup setup{.gravity_m_s2 = -Vec3::Unit(up())};
        setup.bodies.push_back(flat ? flat_floor() : solid_floor());
        for (int axis = 0; axis < up(); ++axis) {
            for (const double side : {1.0, -1.0}) {
                setup.bodies.push_back({.shape = PlaneShape{side * Vec3::Unit(axis), -width_m / 2},
                                        .motion = BodyMotion::Fixed});
            }
        }
        std::mt19937 random(seed);
        const auto uniform = [&] { return 2 * (static_cast<double>(random()) / 4294967296.0) - 1; };
        const double cell = 1.25 * (1 + spread);
        const int across = static_cast<int>(width_m / cell);
        for (int n = 0; n < grains; ++n) {
            Vec3 at = Vec3::Zero();
            int rest = n;
            for (int axis = 0; axis < up(); ++axis, rest /= across) {
                at[axis] = cell * (rest % across - (across - 1) / 2.0);
            }
            at[up()] = cell * (0.5 + rest);
            const double radius = 0.5 * (1 + spread * uniform());
            for (int axis = 0; axis <= up(); ++axis) {
                at[axis] += 0.1 * cell * uniform();
            }
            Shape shape = SphereShape{radius};
            if (flat) shape = DiscShape{radius};
            setup.bodies.push_back({.shape = shape, .pose = {.position_m = at}, .density = 1});
        }
        return setup;
    }

    [[nodiscard]] int first_grain() const { return 1 + 2 * up(); }
};

/// A heap at rest, and the part of it that is far from walls, floor and surface.
class Packing {
public:
    Packing(const Pour& pour, double margin_m)
        : pour_(pour),
          walk_(pour.setup(), {.time_step_s = 0.02, .tolerance = pour.tolerance, .accept_unsolved = true})
    {
        double moving = 1;
        for (int n = 0; n < 3000 && !(walk_.state().t_s > 15 && moving < pour.quiet_J); ++n) {
            walk_.step();
            moving = walk_.kinetic_J() / pour.grains;
        }
        add_percussions();
        std::vector<double> heights;
        for (int i = pour_.first_grain(); i < walk_.state().bodies(); ++i) {
            heights.push_back(walk_.state().x[i][pour_.up()]);
        }
        std::sort(heights.begin(), heights.end());
        low_ = Vec3::Constant(-pour_.width_m / 2 + margin_m);
        high_ = Vec3::Constant(pour_.width_m / 2 - margin_m);
        low_[pour_.up()] = margin_m;
        high_[pour_.up()] = heights[heights.size() * 98 / 100] - margin_m;
        if (pour_.flat) low_.z() = -1, high_.z() = 1;
    }

    /// Part of the inner region that is solid, by points of a grid.
    [[nodiscard]] double fraction() const
    {
        constexpr int points = 60;
        std::vector<Vec3> near;
        for (int i = pour_.first_grain(); i < walk_.state().bodies(); ++i) {
            near.push_back(walk_.state().x[i]);
        }
        long solid = 0;
        for (int n = 0; n < points * points * points; ++n) {
            const Vec3 part((n % points + 0.5) / points, (n / points % points + 0.5) / points,
                            (n / points / points + 0.5) / points);
            const Vec3 x = low_ + part.cwiseProduct(high_ - low_);
            solid += std::any_of(near.begin(), near.end(),
                                 [&](const Vec3& centre) { return (x - centre).squaredNorm() < 0.25; });
        }
        return static_cast<double>(solid) / (points * points * points);
    }

    /// Adds the grains of the inner region that are held, not those with fewer contacts than hold a grain,
    /// one by one; and their contacts that press.
    void count_held(double& grains, double& contacts) const
    {
        const auto n = static_cast<std::size_t>(walk_.state().bodies());
        std::vector<std::array<int, 2>> touching;
        for (const auto& [pair, P] : pressed_Ns_) {
            const double weight_Ns = counted_steps * walk_.h_s() * walk_.model().mass[pair[1]];
            if (P > 1e-3 * weight_Ns) touching.push_back(pair);
        }
        std::vector<char> loose(n, false);
        std::vector<int> count;
        for (bool changed = true; changed;) {
            changed = false;
            count.assign(n, 0);
            for (const auto& [a, b] : touching) {
                if (!loose[a] && !loose[b]) ++count[a], ++count[b];
            }
            for (std::size_t i = static_cast<std::size_t>(pour_.first_grain()); i < n; ++i) {
                if (loose[i] || count[i] > pour_.up()) continue;
                loose[i] = changed = true;
            }
        }
        for (std::size_t i = static_cast<std::size_t>(pour_.first_grain()); i < n; ++i) {
            const Vec3& x = walk_.state().x[i];
            if (loose[i] || (x - low_).minCoeff() < 0 || (high_ - x).minCoeff() < 0) continue;
            contacts += count[i];
            ++grains;
        }
    }

private:
    /// Steps in which percussions are added up: single ones have the error of their solution, in which a weak
    /// contact may press or not.
    static constexpr int counted_steps = 25;

    void add_percussions()
    {
        for (int k = 0; k < counted_steps; ++k) {
            walk_.step();
            for (const BodyContact& contact : walk_.contacts()) {
                pressed_Ns_[{std::min(contact.first, contact.second),
                             std::max(contact.first, contact.second)}] += contact.P[0];
            }
        }
    }

    Pour pour_;
    BodyWalk walk_;
    std::map<std::array<int, 2>, double> pressed_Ns_;
    Vec3 low_, high_;
};

/// Contacts per held grain in packings from several seeds: the inner regions are small, some sixty grains
/// each.
double coordination(Pour pour, double margin_m)
{
    double grains = 0, contacts = 0;
    for (unsigned seed = 17; seed <= 21; ++seed) {
        pour.seed = seed;
        Packing(pour, margin_m).count_held(grains, contacts);
    }
    return contacts / grains;
}

}  // namespace

/// C-PACK: lattices by their gaps, random packings by pouring smooth grains into a box.
void body_packing(const Task&, Answers& answers)
{
    const double s = std::sqrt(0.5);
    const std::vector<Vec3> cubic = {{0, s, s}, {s, 0, s}, {s, s, 0}};
    answers.give("fcc", Means::Exact, [&] { return Json(lattice_fraction(SphereShape{0.5}, cubic)); });
    answers.give("hex2D", Means::Exact, [&] {
        return Json(lattice_fraction(DiscShape{0.5}, {{1, 0, 0}, {0.5, std::sqrt(0.75), 0}}));
    });
    answers.give("random_close_frictionless", Means::Exact, [&] {
        const Pour pour{
            .grains = 800, .width_m = 8, .spread = 0, .flat = false, .tolerance = 1e-3, .quiet_J = 1e-4};
        return Json(Packing(pour, 2).fraction());
    });
    answers.give("isostatic coordination 3D", Means::Exact, [&] {
        const Pour pour{
            .grains = 400, .width_m = 6.5, .spread = 0, .flat = false, .tolerance = 1e-3, .quiet_J = 1e-6};
        return Json(coordination(pour, 1.5));
    });
    answers.give("isostatic coordination 2D", Means::Exact, [&] {
        const Pour pour{
            .grains = 300, .width_m = 16, .spread = 0.2, .flat = true, .tolerance = 1e-3, .quiet_J = 1e-6};
        return Json(coordination(pour, 2));
    });
}

}  // namespace carom::reference
