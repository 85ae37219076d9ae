// Any bytes as a formula: an answer or an error, never a crash; what is read can be evaluated and
// differentiated.

#include "expression/parse.hpp"
#include "expression/term.hpp"

#include <array>
#include <cstdint>

using namespace carom;

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size)
{
    static const Vocabulary names = [] {
        Vocabulary result;
        (void)result.add_coordinate("x");
        (void)result.add_coordinate("theta");
        (void)result.add_parameter("m", 2.5);
        (void)result.add_table("road", *Table::from_points({0, 1, 2}, {0, 0.5, -1}));
        return result;
    }();

    const std::string_view text(reinterpret_cast<const char*>(data), size);
    const auto formula = parse_formula(text, names, "fuzz");
    if (!formula) {
        if (formula.error().message.empty()) __builtin_trap();
        return 0;
    }
    const std::array q{0.3, -1.2}, u{0.7, 0.1};
    Workspace work;
    double sum = formula->value({q, u, 0.4}, work);
    for (const Term& term : formula->terms()) {
        const std::size_t k = term.variables().size();
        std::vector<double> first(k), second(k * (k + 1) / 2);
        sum += term.gradient({q, u, 0.4}, work, first);
        sum += term.hessian({q, u, 0.4}, work, first, second);
    }
    (void)formula->quadratic_in_velocities();
    return sum == 1.25e300 ? -1 : 0;  // keep the evaluation alive
}
