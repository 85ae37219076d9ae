#pragma once

#include "carom/core/expected.hpp"

#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace carom {

/// A function given by points: linear between neighbouring points, constant outside them.
///
/// At a point where two slopes meet, the slope is the one to the right (EX-6); at the last point it is zero.
class Table {
public:
    struct Value {
        double value = 0;
        double slope = 0;
    };

    /// At least one point, finite numbers and slopes, abscissae strictly increasing.
    /// Errors: WrongSize, NotFinite, SettingOutOfRange.
    [[nodiscard]] static Expected<Table> from_points(std::vector<double> abscissae,
                                                     std::vector<double> ordinates);

    /// NaN at NaN.
    [[nodiscard]] Value at(double x) const noexcept;

private:
    Table() = default;

    std::vector<double> abscissae_;
    std::vector<double> ordinates_;
    std::vector<double> slopes_;  ///< of the piece to the right of each point; the last is zero
};

class Formula;

/// What formulas may name: coordinates (`theta`, and `theta'` for the velocity), parameters, tables; in
/// addition the time t, pi and the functions, whose names are reserved.
///
/// A name is an ASCII letter or _, then letters, digits and _. Names are case-sensitive.
class Vocabulary {
public:
    /// What a name stands for.
    struct Meaning {
        enum class Kind { Coordinate, Parameter, Table };
        Kind kind{};
        int index = 0;                              ///< of the coordinate
        double value = 0;                           ///< of the parameter
        std::shared_ptr<const Formula> expression;  ///< of a parameter that formulas keep as a symbol
        std::shared_ptr<const carom::Table> table;  ///< of the table
    };

    /// The coordinate's index, in the order of adding. Errors: BadName, DuplicateName.
    [[nodiscard]] Expected<int> add_coordinate(std::string_view name);

    /// A number that formulas use by name. Errors: BadName, DuplicateName, NotFinite.
    [[nodiscard]] Expected<void> add_parameter(std::string_view name, double value);

    /// Formulas parsed from now on hold this expression in place of the parameter's value; those
    /// that must be constant still take the value. Errors: UnknownName.
    [[nodiscard]] Expected<void> keep_as_symbol(std::string_view name, Formula expression);

    /// A table for `table(name, x)`. Errors: BadName, DuplicateName.
    [[nodiscard]] Expected<void> add_table(std::string_view name, Table table);

    [[nodiscard]] std::optional<Meaning> find(std::string_view name) const;
    [[nodiscard]] int coordinates() const noexcept { return coordinates_; }

    /// All names of one kind, sorted.
    [[nodiscard]] std::vector<std::string> names(Meaning::Kind kind) const;

private:
    [[nodiscard]] Expected<void> may_add(std::string_view name) const;

    std::map<std::string, Meaning, std::less<>> meanings_;
    int coordinates_ = 0;
};

/// Functions, t, pi and the words and, or, not: names that formulas already use.
[[nodiscard]] bool is_reserved(std::string_view name) noexcept;

}  // namespace carom
