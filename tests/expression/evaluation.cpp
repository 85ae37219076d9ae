#include "support.hpp"

#include <atomic>
#include <cmath>
#include <cstdlib>
#include <new>

using namespace carom;
using namespace carom::test;

namespace {

std::atomic<long> allocations{0};

}  // namespace

// every allocation of this program is counted
[[gnu::noinline]] void* operator new(std::size_t size)
{
    ++allocations;
    if (void* memory = std::malloc(size == 0 ? 1 : size)) return memory;
    throw std::bad_alloc();
}
[[gnu::noinline]] void operator delete(void* memory) noexcept
{
    std::free(memory);
}
[[gnu::noinline]] void operator delete(void* memory, std::size_t) noexcept
{
    std::free(memory);
}

TEST_CASE("once its workspace has grown an evaluation allocates nothing")
{
    const Formula formula =
        parsed("m/2*(x'^2 + y'^2 + 2*x'*y'*cos(x - y)) + table(ramp, t)*x + max(x, y)^3.5 + if(x > y, x, y)");
    const Place place;
    Workspace work;
    std::vector<double> first(7), second(28);
    const auto evaluate = [&] {
        double sum = formula.value(place.point(), work);
        for (const Term& term : formula.terms()) {
            sum += term.gradient(place.point(), work, first);
            sum += term.hessian(place.point(), work, first, second);
        }
        return sum;
    };
    const double once = evaluate();
    const long before = allocations;
    const double twice = evaluate();
    CHECK(allocations == before);
    CHECK(once == twice);

    // the counter counts
    ::operator delete(::operator new(8));
    CHECK(allocations > before);
}

TEST_CASE("at a kink one side counts, the same every time")
{
    Place place;
    place.q = {0, 0, 1};
    const auto slopes = [&](std::string_view text) { return derivatives(parsed(text), place.point()).first; };
    CHECK(slopes("abs(x)")[0] == 1);  // as x >= 0
    CHECK(slopes("sign(x)")[0] == 0);
    CHECK(value("sign(x)", place) == 0);
    CHECK(slopes("min(x, y)")[0] == 1);  // the first
    CHECK(slopes("min(x, y)")[1] == 0);
    CHECK(slopes("max(x, y)")[0] == 1);
    CHECK(slopes("max(x, y)")[1] == 0);
    CHECK(slopes("if(x > 0, 2*x, 3*x)")[0] == 3);
    CHECK(slopes("if(x >= 0, 2*x, 3*x)")[0] == 2);
    place.q[0] = 1;
    CHECK(slopes("table(ramp, x)")[0] == 5);  // the piece to the right
    place.q[0] = 3;
    CHECK(slopes("table(ramp, x)")[0] == 0);
}

TEST_CASE("the Hessian of a double pendulum's kinetic energy is its mass matrix")
{
    // T = x'^2 + y'^2 / 2 + x' y' cos(x - y) for m = 1, l = 1, angles x and y
    const Place place;
    const auto d = derivatives(parsed("x'^2 + y'^2/2 + x'*y'*cos(x - y)"), place.point());
    const double c = std::cos(0.7), s = std::sin(0.7), product = 0.7 * 1.5;
    CHECK(d.second[3][3] == near(2, 1e-15));
    CHECK(d.second[4][4] == near(1, 1e-15));
    CHECK(d.second[3][4] == near(c, 1e-15));
    CHECK(d.second[3][0] == near(-1.5 * s, 1e-15));
    CHECK(d.second[0][1] == near(product * c, 1e-15));
    CHECK(d.first[0] == near(-product * s, 1e-15));
}

TEST_CASE("derivatives of powers are right at zero")
{
    Place place;
    place.q[0] = 0;
    const auto d2 = derivatives(parsed("x^2"), place.point());
    CHECK(d2.first[0] == 0);
    CHECK(d2.second[0][0] == 2);
    const auto d3 = derivatives(parsed("x^3"), place.point());
    CHECK(d3.second[0][0] == 0);
    const auto d1 = derivatives(parsed("x^2.5"), place.point());
    CHECK(d1.second[0][0] == 0);
}

TEST_CASE("a point with too few coordinates is an internal error, not a wild read")
{
    Workspace work;
    CHECK_THROWS_AS((void)parsed("theta").value({}, work), InternalError);
    std::vector<double> none;
    const Formula formula = parsed("x*y");
    CHECK_THROWS_AS((void)formula.terms()[0].gradient(Place{}.point(), work, none), InternalError);
    CHECK_THROWS_AS((void)formula.terms()[0].hessian(Place{}.point(), work, none, none), InternalError);
}

TEST_CASE("tapes that read what is not there cannot be built")
{
    CHECK_THROWS_AS(Tape({}, {}), InternalError);
    CHECK_THROWS_AS(Tape({{.op = Op::Sin, .a = 0}}, {}), InternalError);
    CHECK_THROWS_AS(Tape({{.op = Op::Constant}, {.op = Op::Lookup, .a = 0, .b = 0}}, {}), InternalError);
    CHECK_THROWS_AS(Term(Tape({{.op = Op::Variable, .a = 0}}, {}), {}), InternalError);
}
