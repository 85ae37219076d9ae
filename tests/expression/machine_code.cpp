#include "expression/machine_code.hpp"

#include "expression/derivative.hpp"
#include "expression/program.hpp"
#include "support.hpp"
#include "tree.hpp"

#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <bit>
#include <cmath>
#include <cstdint>
#include <limits>
#include <random>

using namespace carom;
using namespace carom::test;

namespace {

std::vector<Variable> all_variables()
{
    std::vector<Variable> all;
    for (int i = 0; i < 3; ++i)
        all.push_back({Variable::Kind::Coordinate, i});
    for (int i = 0; i < 3; ++i)
        all.push_back({Variable::Kind::Velocity, i});
    all.push_back({Variable::Kind::Time, 0});
    return all;
}

/// A formula with its first and second derivatives: many results that share much.
std::vector<int> with_derivatives(Graph& graph, const std::string& text)
{
    const std::vector<Variable> all = all_variables();
    std::vector<int> results{add_formula(graph, parsed(text))};
    const auto first = gradient(graph, results.front(), all);
    results.insert(results.end(), first.begin(), first.end());
    for (std::size_t i = 0; i < all.size(); ++i) {
        const auto second = gradient(graph, first[i], std::span(all).first(i + 1));
        results.insert(results.end(), second.begin(), second.end());
    }
    return results;
}

/// The same bits; one NaN is as good as another.
bool same_bits(double a, double b)
{
    return std::bit_cast<std::uint64_t>(a) == std::bit_cast<std::uint64_t>(b) || (a != a && b != b);
}

/// Results of the tape and of machine code, the first `split` of them in one place, the rest in another.
struct Both {
    std::vector<double> tape, code;
    bool has_code = false;
};

Both run_both(const Graph& graph, const std::vector<int>& results, std::size_t split, const Point& at)
{
    const Program by_tape(graph, results), by_code(graph, results);
    Both both{std::vector<double>(results.size(), -1), std::vector<double>(results.size(), -2), false};
    Workspace work;
    by_tape.run(at, work, std::span(both.tape).first(split), std::span(both.tape).subspan(split));
    both.has_code = by_code.make_machine_code(split);
    by_code.run(at, work, std::span(both.code).first(split), std::span(both.code).subspan(split));
    return both;
}

void check_same(const Both& both)
{
    for (std::size_t k = 0; k < both.tape.size(); ++k)
        RC_ASSERT(same_bits(both.tape[k], both.code[k]));
}

}  // namespace

#if defined(__x86_64__) && defined(__linux__)
TEST_CASE("machine code of random formulas with their derivatives gives the bits of the tape")
{
    int made = 0;
    holds_for(2000, [&] {
        const Branch tree = random_tree(*rc::gen::inRange(1, 6));
        RC_LOG(text_of(tree));
        Graph graph;
        const std::vector<int> results = with_derivatives(graph, text_of(tree));
        std::array<double, tree_variables> at{};
        for (double& x : at)
            x = *rc::gen::inRange(-4000, 4001) / 1000.0;
        const auto split = *rc::gen::inRange<std::size_t>(0, results.size() + 1);
        const Both both = run_both(graph, results, split,
                                   {std::span(at).subspan(0, 3), std::span(at).subspan(3, 3), at[6]});
        made += both.has_code ? 1 : 0;
        check_same(both);
    });
    CHECK(made > 800);  // the rest are numbers
}

TEST_CASE("machine code has every operation, and the bits of the tape at zeros, infinities and no numbers")
{
    const std::vector<std::string> texts = {"x + y*theta - x'/y'",
                                            "-x",
                                            "3*x",
                                            "x/3",
                                            "x + 3",
                                            "3/x",
                                            "x^2",
                                            "x^7",
                                            "x^-3",
                                            "x^2.5",
                                            "abs(x)^y",
                                            "sqrt(x)",
                                            "exp(x)",
                                            "log(x)",
                                            "sin(x)",
                                            "cos(x)",
                                            "sin(x)*cos(x) + cos(x)*sin(y)",
                                            "tan(x)",
                                            "asin(x)",
                                            "acos(x)",
                                            "atan(x)",
                                            "sinh(x)",
                                            "cosh(x)",
                                            "tanh(x)",
                                            "atan2(x, y)",
                                            "hypot(x, y)",
                                            "abs(x)",
                                            "sign(x)",
                                            "min(x, y)",
                                            "max(x, y, t)",
                                            "if(x < y, theta, t)",
                                            "if(x <= y and not x == t, theta, t)",
                                            "if(x > y or x != t, theta, t*x)",
                                            "table(ramp, x)",
                                            "table(ramp, x)^2*x'",
                                            "t"};
    const double infinity = std::numeric_limits<double>::infinity();
    const double numbers[] = {0.0, -0.0, 1.0, -1.5, 2.0, 1e-310, 1e308, infinity, -infinity, std::nan("")};
    for (const std::string& text : texts) {
        CAPTURE(text);
        Graph graph;
        const std::vector<int> results = with_derivatives(graph, text);
        for (const double x : numbers) {
            for (const double y : numbers) {
                const double q[] = {x, y, 0.3}, u[] = {y, -0.7, x};
                const Both both = run_both(graph, results, 3, {q, u, x});
                CHECK(both.has_code);
                for (std::size_t k = 0; k < both.tape.size(); ++k)
                    CHECK(same_bits(both.tape[k], both.code[k]));
            }
        }
    }
}

TEST_CASE("more values than the processor has registers go through the stack")
{
    // every product is needed again after all others have been formed, and calls come between them
    Graph graph;
    std::mt19937 random(1);
    std::vector<int> nodes;
    for (const Variable& variable : all_variables())
        nodes.push_back(graph.variable(variable));
    const auto any = [&] { return nodes[random() % nodes.size()]; };
    for (int k = 0; k < 400; ++k) {
        const int x = any(), y = any();
        switch (random() % 8) {
        case 0: nodes.push_back(graph.function(Op::Sin, x)); break;
        case 1: nodes.push_back(graph.function(Op::Cos, x)); break;
        case 2: nodes.push_back(graph.function(Op::Max, x, y)); break;
        case 3: nodes.push_back(graph.subtract(x, graph.scale(y, 0.37))); break;
        case 4: nodes.push_back(graph.negate(x)); break;
        case 5:
            nodes.push_back(
                graph.divide(graph.constant(1.1), graph.add(graph.multiply(y, y), graph.constant(1))));
            break;
        case 6:
            nodes.push_back(graph.function(Op::Sqrt, graph.add(graph.multiply(x, x), graph.constant(2))));
            break;
        default: nodes.push_back(graph.scale(graph.multiply(x, y), 0.5));
        }
    }
    const double q[] = {0.4, -0.3, 1.2}, u[] = {0.7, 1.5, -0.2};
    const Both both = run_both(graph, nodes, 100, {q, u, 2.5});
    CHECK(both.has_code);
    int different = 0;
    for (std::size_t k = 0; k < both.tape.size(); ++k)
        different += same_bits(both.tape[k], both.code[k]) ? 0 : 1;
    CHECK(different == 0);
}

TEST_CASE("sine and cosine at once have the bits of each alone")
{
    std::mt19937_64 random(7);
    std::uniform_real_distribution<double> number(-1, 1);
    double (*volatile sine)(double) = std::sin;
    double (*volatile cosine)(double) = std::cos;
    long different = 0;
    for (const double scale : {1e-9, 1e-3, 0.1, 1.0, 3.0, 10.0, 1e3, 1e6, 1e9, 1e18, 1e300}) {
        for (int k = 0; k < 20000; ++k) {
            const double x = scale * number(random);
            double s = 0, c = 0;
            ::sincos(x, &s, &c);
            different += same_bits(s, sine(x)) && same_bits(c, cosine(x)) ? 0 : 1;
        }
    }
    CHECK(different == 0);
}

TEST_CASE("programs that share sines give the bits of the tape, whatever was asked before")
{
    // the same arguments in several programs, alone and in pairs, and more of them than are remembered
    std::vector<std::string> texts = {"sin(x - y)*x'",           "cos(x - y) + x",    "sin(x - y)/cos(x - y)",
                                      "sin(x) + sin(y)",         "cos(y)*sin(y - x)", "sin(x + y)*y'^2",
                                      "cos(y + x) - sin(theta)", "sin(t*x)*cos(x*t)"};
    for (int k = 0; k < 100; ++k)
        texts.push_back("sin(x + " + std::to_string(k) + ") - cos(y*" + std::to_string(k) + ")");
    std::vector<Program> by_tape, by_code;
    for (const std::string& text : texts) {
        Graph graph;
        const int root = add_formula(graph, parsed(text));
        by_tape.emplace_back(graph, std::span(&root, 1));
        by_code.emplace_back(graph, std::span(&root, 1));
        CHECK(by_code.back().make_machine_code(1));
    }
    const double numbers[] = {0.0, -0.0, 0.7, -0.3, std::nan(""), std::numeric_limits<double>::infinity()};
    std::mt19937 random(3);
    Workspace work;
    int different = 0;
    use_machine_code(false);
    for (int n = 0; n < 3000; ++n) {
        const double x = numbers[random() % 6], y = numbers[random() % 6];
        const double q[] = {x, y, 0.3}, u[] = {y, -0.7, x};
        const Point at{q, u, x};
        const std::size_t k = random() % texts.size();
        different += same_bits(by_tape[k].value(at, work), by_code[k].value(at, work)) ? 0 : 1;
    }
    use_machine_code(true);
    CHECK(different == 0);
}

TEST_CASE("a program that is run often becomes machine code and goes on with the same bits")
{
    Graph graph;
    const std::vector<int> results = with_derivatives(graph, "sin(x)*x'^2 + exp(-y)*cos(x - theta)/(2 + t)");
    const Program program(graph, results);
    Place place;
    Workspace work;
    std::vector<double> before(results.size()), after(results.size());
    program.run(place.point(), work, before);
    int different = 0;
    for (int k = 0; k < 2000; ++k) {
        program.run(place.point(), work, after);
        for (std::size_t i = 0; i < before.size(); ++i)
            different += same_bits(before[i], after[i]) ? 0 : 1;
    }
    CHECK(different == 0);
    CHECK(program.make_machine_code(results.size()));  // it has been made
    // results in two places: by the tape, since the code was made for one
    std::vector<double> split(results.size());
    program.run(place.point(), work, std::span(split).first(2), std::span(split).subspan(2));
    CHECK(split == before);
    const std::vector<double> few(2);
    CHECK_THROWS_AS(program.run({few, few, 0}, work, after), InternalError);
}
#endif

TEST_CASE("without machine code programs are run by their tapes")
{
    Graph graph;
    const std::vector<int> results = with_derivatives(graph, "sin(x)*x'^2 + t*y");
    use_machine_code(false);
    const Program program(graph, results);
    CHECK_FALSE(program.make_machine_code(results.size()));
    use_machine_code(true);
    Workspace work;
    std::vector<double> seen(results.size());
    const Place place;
    program.run(place.point(), work, seen);
    CHECK(seen[0] == std::sin(0.4) * (0.7 * 0.7) + 2.5 * -0.3);
}

#if defined(__linux__)
TEST_CASE("where no memory can be made executable programs are run by their tapes")
{
    // in a process of its own: the refusal is for good
    const pid_t child = fork();
    REQUIRE(child >= 0);
    if (child == 0) {
        // PR_SET_MDWE, PR_MDWE_REFUSE_EXEC_GAIN: kernels from 6.3 on, headers of Debian 12 do not name them
        if (prctl(65, 1UL, 0UL, 0UL, 0UL) != 0) _exit(3);
        Graph graph;
        const std::vector<int> results = with_derivatives(graph, "sin(x)*x'^2 + t*y");
        const Program program(graph, results);
        if (program.make_machine_code(results.size())) _exit(1);
        Workspace work;
        std::vector<double> seen(results.size());
        const Place place;
        program.run(place.point(), work, seen);
        _exit(seen[0] == std::sin(0.4) * (0.7 * 0.7) + 2.5 * -0.3 ? 0 : 2);
    }
    int status = 0;
    REQUIRE(waitpid(child, &status, 0) == child);
    REQUIRE(WIFEXITED(status));
    if (WEXITSTATUS(status) == 3) {
        MESSAGE("this kernel cannot refuse executable memory: not tried");
        return;
    }
    CHECK(WEXITSTATUS(status) == 0);
}
#endif
