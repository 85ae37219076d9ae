#pragma once

#include "carom/core/expected.hpp"

#include <Eigen/Dense>
#include <nlohmann/json.hpp>

#include <filesystem>
#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

namespace carom::reference {

/// Reference problems in the format of cases.json, docs/how-to/reference_cases.md.

/// Keeps the order of the file.
using Json = nlohmann::ordered_json;

/// Why a driver could not answer: a parameter that is missing, a run that was not certified.
struct DriverFailure : std::runtime_error {
    using std::runtime_error::runtime_error;
};

/// What a driver may know of a case: everything but the answer.
struct Task {
    std::string id;
    std::string family;
    Json parameters;
    std::vector<std::string> outputs;
    std::optional<double> h_ts_s;  ///< step of time-stepping runs, where the case gives one

    /// Parameters by name; without a fallback a missing one is a DriverFailure, and so is one of another
    /// type. The fallback is for numbers that stand in the statement of the family only.
    [[nodiscard]] double number(std::string_view name) const;
    [[nodiscard]] double number(std::string_view name, double fallback) const;
    [[nodiscard]] Eigen::VectorXd vector(std::string_view name) const;
    [[nodiscard]] Eigen::MatrixXd matrix(std::string_view name) const;
    [[nodiscard]] std::string text(std::string_view name) const;

    /// h_ts_s, or the driver's own step.
    [[nodiscard]] double step_s(double own_step_s) const { return h_ts_s.value_or(own_step_s); }
};

/// One number that a correct program must return.
struct ReferenceValue {
    std::string name;
    Json value;
    double tolerance = 0;                           ///< of events located, algebra and converged runs
    std::optional<double> time_stepping_tolerance;  ///< of a first-order run with step h_ts_s
    bool is_range = false;                          ///< value is an accepted interval
};

struct ReferenceCase {
    Task task;
    std::string title;
    std::vector<ReferenceValue> reference;
};

/// All cases of a file, or all its mistakes.
[[nodiscard]] Expected<std::vector<ReferenceCase>, Errors> read_cases(const std::filesystem::path& file);

/// The same for a text; `file` stands for it in messages.
[[nodiscard]] Expected<std::vector<ReferenceCase>, Errors> read_cases_text(std::string_view text,
                                                                           const std::filesystem::path& file);

}  // namespace carom::reference
