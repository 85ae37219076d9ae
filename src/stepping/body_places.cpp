#include "body_places.hpp"

#include <algorithm>
#include <numeric>
#include <span>
#include <utility>

namespace carom::detail {
namespace {

/// Bodies that are cut no further.
constexpr std::size_t bodies_of_leaf = 32;

/// By how much larger the surfaces of parts may be where numbers follow the scene.
constexpr double follows = 1.5;

const Vec3& start_of(const BodyModel& model, int body)
{
    return model.setup().bodies[static_cast<std::size_t>(body)].pose.position_m;
}

/// Puts the bodies in order; equal coordinates in the order of numbers.
void cut_in_halves(const BodyModel& model, std::span<int> bodies)
{
    if (bodies.size() <= bodies_of_leaf) {
        std::ranges::sort(bodies);
        return;
    }
    Vec3 low = start_of(model, bodies.front()), high = low;
    for (const int body : bodies) {
        low = low.cwiseMin(start_of(model, body));
        high = high.cwiseMax(start_of(model, body));
    }
    Eigen::Index axis = 0;
    (high - low).maxCoeff(&axis);
    const auto middle = bodies.begin() + static_cast<std::ptrdiff_t>(bodies.size() / 2);
    std::ranges::nth_element(bodies, middle, {},
                             [&](int body) { return std::pair(start_of(model, body)[axis], body); });
    const std::size_t half = bodies.size() / 2;
    cut_in_halves(model, bodies.first(half));
    cut_in_halves(model, bodies.subspan(half));
}

/// Surfaces of the boxes of four parts in a row: what such parts have to tell each other goes through these.
double surface_m2(const BodyModel& model, std::span<const int> bodies)
{
    constexpr std::size_t parts = 4;
    double sum = 0;
    for (std::size_t k = 0; k < parts; ++k) {
        const std::size_t begin = bodies.size() * k / parts, end = bodies.size() * (k + 1) / parts;
        if (begin == end) continue;
        Vec3 low = start_of(model, bodies[begin]), high = low;
        for (const int body : bodies.subspan(begin, end - begin)) {
            low = low.cwiseMin(start_of(model, body));
            high = high.cwiseMax(start_of(model, body));
        }
        const Vec3 side = high - low;
        sum += 2 * (side.x() * side.y() + side.y() * side.z() + side.z() * side.x());
    }
    return sum;
}

}  // namespace

std::vector<int> places_along_scene(const BodyModel& model)
{
    std::vector<int> by_number;
    for (int i = 0; i < model.bodies(); ++i) {
        if (model.inverse_mass[static_cast<std::size_t>(i)] > 0) by_number.push_back(i);
    }
    std::vector<int> in_order = by_number;
    cut_in_halves(model, in_order);
    if (!(surface_m2(model, by_number) > follows * surface_m2(model, in_order))) return {};

    // what does not move comes behind: it has no part in the order
    std::vector<int> places(static_cast<std::size_t>(model.bodies()), model.bodies() - 1);
    for (std::size_t k = 0; k < in_order.size(); ++k) {
        places[static_cast<std::size_t>(in_order[k])] = static_cast<int>(k);
    }
    return places;
}

}  // namespace carom::detail
