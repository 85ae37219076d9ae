#pragma once

#include <doctest/doctest.h>
#include <rapidcheck.h>

#include <sstream>
#include <utility>

namespace carom::test {

/// Under the address sanitizer everything takes ten times as long, and a fifth of the cases is tried.
#if defined(__has_feature)
#if __has_feature(address_sanitizer)
inline constexpr int share_of_cases = 5;
#else
inline constexpr int share_of_cases = 1;
#endif
#else
inline constexpr int share_of_cases = 1;
#endif

/// A property that must hold for so many random cases; a counter-example fails the test case around it.
template <class Property>
void holds_for(int cases, Property&& property)
{
    rc::detail::TestParams params = rc::detail::configuration().testParams;
    params.maxSuccess = (cases + share_of_cases - 1) / share_of_cases;
    const auto result =
        rc::detail::checkTestable(std::forward<Property>(property), rc::detail::TestMetadata{}, params);
    std::ostringstream message;
    rc::detail::printResultMessage(result, message);
    INFO(message.str());
    CHECK(result.template is<rc::detail::SuccessResult>());
}

template <class Property>
void holds(Property&& property)
{
    holds_for(200, std::forward<Property>(property));
}

}  // namespace carom::test
