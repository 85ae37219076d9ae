#pragma once

#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

namespace carom {

/// The kind of mistake in the caller's data. Every code has a test that produces it.
enum class ErrorCode {
    FileUnreadable,     ///< missing, a folder, no permission, larger than the limit
    FileUnwritable,     ///< the output cannot be written
    FileMalformed,      ///< a recording or table that is damaged or not written by carom
    SceneEmpty,         ///< only white space and comments
    SceneSyntax,        ///< not TOML
    NotAscii,           ///< a letter outside strings and comments that TOML does not allow
    UnknownKey,         ///< a key that carom does not know
    MissingKey,         ///< a required key is missing
    WrongType,          ///< a text where a number is needed, ...
    DuplicateName,      ///< two entries with the same name
    BadName,            ///< a name that formulas cannot use
    SettingOutOfRange,  ///< a number outside its range, NaN included
    FormulaSyntax,      ///< a formula that cannot be parsed
    FormulaTooLarge,    ///< more characters, operations or nesting than the limit
    UnknownName,        ///< a formula names something that does not exist
    WrongArguments,     ///< a function with too few or too many arguments
    NotAllowedHere,     ///< velocity in a gap, t in the kinetic energy, ...
    NotFinite,          ///< a formula that is infinite or NaN where it must have a value
    KineticNotQuadratic,
    MetricNotPositive,     ///< kinetic energy that is zero or negative for some velocity
    GapViolated,           ///< the start overlaps an obstacle
    GradientVanishes,      ///< a gap whose gradient is zero
    ConstraintViolated,    ///< the start does not satisfy a constraint
    ConstraintsDependent,  ///< gradients of constraints lose rank at the start
    WrongSize,             ///< vectors or matrices of incompatible sizes
};

/// The code as users read it in messages and `--json`, e.g. "unknown_key".
[[nodiscard]] std::string_view name_of(ErrorCode code) noexcept;

/// One mistake in the caller's data.
struct Error {
    ErrorCode code{};
    std::string where;    ///< file:line:column, or Type::field
    std::string message;  ///< what is wrong, with the value seen
    std::string hint;     ///< what to do about it
    std::string excerpt;  ///< the line of text with a caret under the place; empty where there is no text
};

/// All mistakes of one input, in the order of the text.
using Errors = std::vector<Error>;

/// An error as a compiler shows it: place, message, excerpt, hint; ends with a line break.
[[nodiscard]] std::string to_text(const Error& error);

/// carom broke one of its own invariants: never the caller's fault.
class InternalError : public std::logic_error {
public:
    explicit InternalError(const std::string& what)
        : std::logic_error("internal error in carom, please report it: " + what)
    {
    }
};

/// A value, or why there is none. Errors are values, not exceptions: check before use.
template <class T, class E = Error>
class [[nodiscard]] Expected {
public:
    Expected(T value) : content_(std::in_place_index<0>, std::move(value)) {}
    Expected(E error) : content_(std::in_place_index<1>, std::move(error)) {}

    [[nodiscard]] bool has_value() const noexcept { return content_.index() == 0; }
    explicit operator bool() const noexcept { return has_value(); }

    [[nodiscard]] T& operator*() & { return value(); }
    [[nodiscard]] const T& operator*() const& { return value(); }
    [[nodiscard]] T&& operator*() && { return std::move(value()); }
    [[nodiscard]] T* operator->() { return &value(); }
    [[nodiscard]] const T* operator->() const { return &value(); }

    [[nodiscard]] const E& error() const
    {
        if (has_value()) throw InternalError("error() of an Expected that holds a value");
        return std::get<1>(content_);
    }

private:
    T& value()
    {
        if (!has_value()) throw InternalError("value of an Expected that holds an error");
        return std::get<0>(content_);
    }
    const T& value() const { return const_cast<Expected*>(this)->value(); }

    std::variant<T, E> content_;
};

/// Success, or the error.
template <class E>
class [[nodiscard]] Expected<void, E> {
public:
    Expected() = default;
    Expected(E error) : error_(std::move(error)), failed_(true) {}

    [[nodiscard]] bool has_value() const noexcept { return !failed_; }
    explicit operator bool() const noexcept { return has_value(); }

    [[nodiscard]] const E& error() const
    {
        if (!failed_) throw InternalError("error() of an Expected that succeeded");
        return error_;
    }

private:
    E error_{};
    bool failed_ = false;
};

}  // namespace carom
