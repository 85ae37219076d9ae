#pragma once

#include <doctest/doctest.h>
#include <rapidcheck.h>

#include <utility>

namespace carom::test {

/// A property that must hold for random data; a counter-example fails the test case around it.
template <class Property>
void holds(Property&& property)
{
    CHECK(rc::check(std::forward<Property>(property)));
}

}  // namespace carom::test
