#pragma once

#include "carom/core/error.hpp"

#include <utility>
#include <variant>

namespace carom {

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
