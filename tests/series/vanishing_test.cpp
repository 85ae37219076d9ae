#include "series/vanishing.hpp"

#include "support/near.hpp"

#include <doctest/doctest.h>

#include <array>
#include <cmath>
#include <random>
#include <vector>

using namespace carom;
using test::near;

namespace {

using Series = std::vector<double>;

/// A series that begins with t^valuation and a coefficient near one.
Series random_series(std::mt19937& random, std::size_t size, int valuation)
{
    std::uniform_real_distribution<double> uniform(-1, 1);
    Series result(size, 0.0);
    for (auto k = static_cast<std::size_t>(valuation); k < size; ++k) {
        result[k] = uniform(random);
    }
    result[static_cast<std::size_t>(valuation)] += 2;
    return result;
}

Series product(const Series& a, const Series& b)
{
    Series result(std::min(a.size(), b.size()), 0.0);
    for (std::size_t k = 0; k < result.size(); ++k) {
        for (std::size_t j = 0; j <= k; ++j) {
            result[k] += a[j] * b[k - j];
        }
    }
    return result;
}

Series shifted(const Series& a, int by)
{
    Series result(static_cast<std::size_t>(by), 0.0);
    result.insert(result.end(), a.begin(), a.end());
    return result;
}

}  // namespace

TEST_CASE("a quotient times its divisor is what was divided, whatever both begin with")
{
    std::mt19937 random(1);
    for (int valuation = 0; valuation < 5; ++valuation) {
        const Series a = random_series(random, 20, valuation), b = random_series(random, 20, valuation);
        Series q(static_cast<std::size_t>(20 - valuation));
        divide(a, b, valuation, q);
        const Series back = product(shifted(q, valuation), Series(b.begin() + valuation, b.end()));
        for (std::size_t k = 0; k < back.size(); ++k) {
            CHECK(back[k] == near(a[k], 1e-9));  // coefficients of the quotient grow like 2^k
        }
    }
    // sin t / t = 1 - t^2/6 + t^4/120
    const Series sine{0, 1, 0, -1.0 / 6, 0, 1.0 / 120}, t{0, 1, 0, 0, 0, 0};
    Series q(5);
    divide(sine, t, 1, q);
    CHECK(q == Series{1, 0, -1.0 / 6, 0, 1.0 / 120});
}

TEST_CASE("a root squared is the series again")
{
    std::mt19937 random(2);
    for (int half = 0; half < 4; ++half) {
        const Series a = random_series(random, 20, 2 * half);
        Series r(static_cast<std::size_t>(20 - 2 * half));
        square_root(a, half, r);
        const Series root = shifted(r, half), back = product(root, root);
        for (std::size_t k = 0; k < back.size(); ++k) {
            CHECK(back[k] == near(a[k], 1e-9));
        }
    }
}

TEST_CASE("a direction has length one and points along its vector")
{
    std::mt19937 random(3);
    for (int valuation = 0; valuation < 4; ++valuation) {
        const std::size_t size = 16, wanted = size - static_cast<std::size_t>(valuation);
        const Series x = random_series(random, size, valuation), y = random_series(random, size, valuation);
        Series f = x;
        f.insert(f.end(), y.begin(), y.end());
        Series d(2 * wanted), scratch(2 * wanted + 2 * static_cast<std::size_t>(valuation));
        direction(f, 2, valuation, d, scratch);
        const Series d_x(d.begin(), d.begin() + static_cast<long>(wanted)),
            d_y(d.begin() + static_cast<long>(wanted), d.end());
        const Series xx = product(d_x, d_x), yy = product(d_y, d_y);
        const Series cross_1 = product(Series(x.begin() + valuation, x.end()), d_y),
                     cross_2 = product(Series(y.begin() + valuation, y.end()), d_x);
        for (std::size_t k = 0; k < wanted; ++k) {
            CHECK(xx[k] + yy[k] == near(k == 0 ? 1.0 : 0.0, 1e-9));
            CHECK(cross_1[k] == near(cross_2[k], 1e-9));
        }
    }
    // (t^2, t^3) turns as (1, t) / sqrt(1 + t^2)
    const std::array<double, 10> f{0, 0, 1, 0, 0, 0, 0, 0, 1, 0};
    std::array<double, 6> d{};
    std::array<double, 10> scratch{};
    direction(f, 2, 2, d, scratch);
    CHECK(d == std::array<double, 6>{1, 0, -0.5, 0, 1, 0});
}
