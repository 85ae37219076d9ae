#pragma once

#include <cmath>
#include <ostream>

namespace carom::test {

/// `value == near(exact, tolerance)`: absolute, and never true of NaN.
struct Near {
    double exact;
    double tolerance;

    friend bool operator==(double value, const Near& near)
    {
        return std::abs(value - near.exact) <= near.tolerance;
    }
    friend std::ostream& operator<<(std::ostream& out, const Near& near)
    {
        return out << near.exact << " +- " << near.tolerance;
    }
};

inline Near near(double exact, double tolerance)
{
    return {exact, tolerance};
}

}  // namespace carom::test
