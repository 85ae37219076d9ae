#include "body_generators.hpp"

#include "core/random.hpp"
#include "geometry/contact_points.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <numbers>
#include <numeric>

#include <fmt/format.h>

namespace carom::detail {
namespace {

/// Streams of one copy: numbers of [[body.random]] first, a thousand draws each, then turns and places.
constexpr std::uint64_t draws = 1000, turn_stream = 1U << 24U, place_stream = 1U << 25U;

/// A place is looked for so often before there is no room.
constexpr std::uint64_t max_attempts = 5000;

double normal_of(std::uint64_t seed, std::uint64_t copy, std::uint64_t stream)
{
    const double a = uniform_of(seed, copy, 2 * stream), b = uniform_of(seed, copy, 2 * stream + 1);
    return std::sqrt(-2 * std::log(1 - a)) * std::cos(2 * std::numbers::pi * b);
}

/// One [[body.random]] of a scene.
class RandomReader {
public:
    RandomReader(const Node& item, const Names& names, Mistakes& mistakes)
        : item_(item), names_(names), mistakes_(mistakes)
    {
    }

    RandomNumber read()
    {
        RandomNumber number;
        number.name = word_of(item_, "name");
        const std::string kind = word_of(item_, "kind");
        if (kind == "uniform") {
            number.kind = RandomNumber::Kind::Uniform;
            need("low", number);
            need("high", number);
        } else if (kind == "normal") {
            number.kind = RandomNumber::Kind::Normal;
            need("mean", number);
            need("deviation", number);
        } else if (kind == "lognormal") {
            number.kind = RandomNumber::Kind::Lognormal;
            need("median", number);
            need("spread", number);
        } else if (kind == "listed") {
            number.kind = RandomNumber::Kind::Listed;
            need("values", number);
        } else {
            number.drawable = false;  // the schema has refused the word
        }
        constexpr double most = std::numeric_limits<double>::max();
        number.low = value("low", -most);
        number.high = value("high", most);
        number.mean = value("mean", 0);
        number.deviation = value("deviation", 0);
        number.median = value("median", 1);
        number.spread = value("spread", 0);
        number.values = list("values");
        number.weights = list("weights");
        if (number.weights.empty()) number.weights.assign(number.values.size(), 1.0);
        check(number);
        return number;
    }

private:
    double value(std::string_view key, double fallback)
    {
        const Node* node = find(item_, key);
        return node == nullptr ? fallback : constant_of(*node, names_, mistakes_).value_or(fallback);
    }
    std::vector<double> list(std::string_view key)
    {
        std::vector<double> numbers;
        const Node* node = find(item_, key);
        if (node == nullptr || node->kind != Node::Kind::Array) return numbers;
        for (const Node& entry : node->items)
            numbers.push_back(constant_of(entry, names_, mistakes_).value_or(0));
        return numbers;
    }
    void need(std::string_view key, RandomNumber& number)
    {
        const Node* node = find(item_, key);
        number.drawable = number.drawable && node != nullptr && !mistakes_.known_at(node->place);
        if (node != nullptr) return;
        mistakes_.add(item_.place, ErrorCode::MissingKey,
                      fmt::format("a {} number has no {}", word_of(item_, "kind"), key),
                      fmt::format("give {}", key));
    }

    /// Numbers that make no distribution are told once, at the head of the list.
    void check(RandomNumber& number)
    {
        const auto refuse = [&](const char* message, const char* hint) {
            number.drawable = false;
            if (!mistakes_.known_at(item_.place))
                mistakes_.add(item_.place, ErrorCode::SettingOutOfRange, message, hint);
        };
        const auto& w = number.weights;
        const bool positive = std::ranges::all_of(w, [](double x) { return x >= 0 && std::isfinite(x); });
        if (!(number.low <= number.high)) refuse("low is above high", "exchange them");
        if (!(number.deviation >= 0) || !(number.spread >= 0) || !(number.median > 0))
            refuse("a deviation or spread is negative, or a median not positive",
                   "give a deviation or spread >= 0 and a median > 0");
        if (number.kind != RandomNumber::Kind::Listed || !number.drawable) return;
        if (number.values.empty() || w.size() != number.values.size() || !positive ||
            !(std::accumulate(w.begin(), w.end(), 0.0) > 0))
            refuse("values and weights do not match",
                   "give one weight, not negative, per value: values = [1, 2], weights = [3, 1]");
    }

    const Node& item_;
    const Names& names_;
    Mistakes& mistakes_;
};

}  // namespace

std::optional<double> RandomNumber::draw(std::uint64_t seed, std::uint64_t copy, std::uint64_t stream) const
{
    if (!drawable) return 1.0;
    const std::uint64_t first = draws * stream;
    if (kind == Kind::Uniform) return low + (high - low) * uniform_of(seed, copy, first);
    if (kind == Kind::Listed) {
        double rest = uniform_of(seed, copy, first) * std::accumulate(weights.begin(), weights.end(), 0.0);
        for (std::size_t k = 0; k + 1 < values.size(); ++k) {
            if (rest < weights[k]) return values[k];
            rest -= weights[k];
        }
        return values.back();
    }
    // what lies outside the bounds is drawn again
    for (std::uint64_t attempt = 0; 2 * attempt < draws; ++attempt) {
        const double z = normal_of(seed, copy, first / 2 + attempt);
        const double x = kind == Kind::Normal ? mean + deviation * z : median * std::exp(spread * z);
        if (x >= low && x <= high) return x;
    }
    return std::nullopt;
}

std::vector<RandomNumber> random_numbers(const Node& item, const Names& names, Mistakes& mistakes)
{
    std::vector<RandomNumber> numbers;
    const Node* list = find(item, "random");
    if (list == nullptr || list->kind != Node::Kind::Array) return numbers;
    for (const Node& one : list->items)
        numbers.push_back(RandomReader(one, names, mistakes).read());
    return numbers;
}

Rotation random_turn(std::uint64_t seed, std::uint64_t copy, bool flat)
{
    const double a = uniform_of(seed, copy, turn_stream);
    if (flat) return rotation_by(Vec3(0, 0, 2 * std::numbers::pi * a));
    // even on the sphere of unit quaternions
    const double b = 2 * std::numbers::pi * uniform_of(seed, copy, turn_stream + 1),
                 c = 2 * std::numbers::pi * uniform_of(seed, copy, turn_stream + 2);
    return Rotation(std::sqrt(1 - a) * std::sin(b), std::sqrt(1 - a) * std::cos(b),
                    std::sqrt(a) * std::sin(c), std::sqrt(a) * std::cos(c))
        .normalized();
}

std::optional<std::size_t> RandomPlaces::put(std::span<Body> bodies, const Vec3& low, const Vec3& high,
                                             std::uint64_t seed)
{
    // cells as large as the largest ball: only neighbours can meet
    std::vector<double> radius;
    double largest = 0;
    for (const Body& body : bodies) {
        radius.push_back(body.shape ? make_collider(*body.shape).radius_m : 0);
        largest = std::max(largest, radius.back());
    }
    for (const Ball& ball : balls_)
        largest = std::max(largest, ball.radius_m);
    const double cell = largest > 0 && std::isfinite(largest) ? 2 * largest : 1;
    using Key = std::array<long, 3>;
    const auto key_of = [&](const Vec3& x) {
        const auto part = [&](int d) { return std::lround(std::floor(x[d] / cell)); };
        return Key{part(0), part(1), part(2)};
    };
    std::map<Key, std::vector<std::size_t>> cells;
    for (std::size_t k = 0; k < balls_.size(); ++k)
        cells[key_of(balls_[k].centre)].push_back(k);
    const auto is_free = [&](const Vec3& x, double r) {
        const Key at = key_of(x);
        for (int near = 0; near < 27; ++near) {
            const auto found =
                cells.find({at[0] + near % 3 - 1, at[1] + near / 3 % 3 - 1, at[2] + near / 9 - 1});
            if (found == cells.end()) continue;
            for (const std::size_t k : found->second) {
                if ((balls_[k].centre - x).norm() < balls_[k].radius_m + r) return false;
            }
        }
        return true;
    };
    for (std::size_t n = 0; n < bodies.size(); ++n) {
        bool placed = false;
        for (std::uint64_t attempt = 0; attempt < max_attempts && !placed; ++attempt) {
            Vec3 x;
            for (int d = 0; d < 3; ++d) {
                const double unit =
                    uniform_of(seed, n, place_stream + 3 * attempt + static_cast<unsigned>(d));
                x[d] = low[d] + (high[d] - low[d]) * unit;
            }
            if (!is_free(x, radius[n])) continue;
            cells[key_of(x)].push_back(balls_.size());
            balls_.push_back({x, radius[n]});
            bodies[n].pose.position_m = x;
            placed = true;
        }
        if (!placed) return n;
    }
    return std::nullopt;
}

}  // namespace carom::detail
