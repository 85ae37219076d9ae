#pragma once

#include "reference_case.hpp"

#include <functional>
#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace carom::reference {

/// How a value was found: which of the two tolerances of a case applies to it.
enum class Means {
    Exact,         ///< algebra, located events, a run converged by the driver: `tol`
    TimeStepping,  ///< first-order run with the step of the case: `tol_ts` where there is one
};

struct Answer {
    Json value;
    Means means = Means::Exact;
    std::string failure;  ///< why there is no value; empty when there is one
};

/// The pieces of an output's name that a pattern leaves open.
using Pieces = std::vector<std::string>;

/// What one case asks for and what its driver answers. Outputs are asked by name; a driver answers patterns,
/// in which
/// `#` stands for a number and `*` for any text:
///
///     answers.give("impact_times_1..#", Means::TimeStepping, [&](const Pieces& p) { return
///     times(count(p[0])); });
///
/// Each output is answered by the first pattern that fits; one that fits none stays unanswered. A
/// DriverFailure thrown while a value is computed fails that output alone.
class Answers {
public:
    explicit Answers(std::vector<std::string> outputs) : outputs_(std::move(outputs)) {}

    void give(std::string_view pattern, Means means, const std::function<Json(const Pieces&)>& compute);

    /// For a name without open pieces.
    void give(std::string_view name, Means means, const std::function<Json()>& compute);

    /// The open pieces of all outputs that fit the pattern, in order: to know before a run what it has to
    /// cover.
    [[nodiscard]] std::vector<Pieces> asked(std::string_view pattern) const;

    /// Null while the output has no answer.
    [[nodiscard]] const Answer* find(const std::string& output) const;

private:
    std::vector<std::string> outputs_;
    std::map<std::string, Answer> answers_;
};

/// A number written in a name, as a formula of numbers and the given names: "0.5", "1/3", "3*t_highest".
[[nodiscard]] double number_in(const std::string& piece, const std::map<std::string, double>& names = {});

/// The numbers of a list written in a name, "0,1/3,1/2,1".
[[nodiscard]] std::vector<double> numbers_in(const std::string& piece);

/// A count written in a name, from 1 to a million.
[[nodiscard]] std::size_t count_in(const std::string& piece);

/// The largest of the counts, zero when there is none: how far a run has to go. What cannot be read does not
/// count.
[[nodiscard]] std::size_t largest_count(const std::vector<Pieces>& asked, std::size_t place = 0);

/// The largest of the instants, zero when there is none.
[[nodiscard]] double last_instant(const std::vector<Pieces>& asked, std::size_t place = 0);

/// A vector as a JSON list.
[[nodiscard]] Json list_of(const Eigen::VectorXd& x);

}  // namespace carom::reference
