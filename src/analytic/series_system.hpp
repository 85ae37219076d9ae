#pragma once

#include "carom/system/lagrangian/model.hpp"
#include "expression/series_program.hpp"

#include <vector>

namespace carom::detail {

/// A contact's formulas on series: its gap, and the rows of U = H u + b with U' = H u' + gamma (PS-3).
struct ContactPrograms {
    int dimension = 1;
    std::vector<int> support;
    SeriesProgram gap;
    std::vector<SeriesProgram> rows;  ///< one, or two whose tangents follow the x and the y axis
    int normal_x = -1;                ///< output of rows[0] that holds the normal's x component

    // friction of an interval (low, high) or a disc
    bool friction = false, rough = false, distinct_static = false;
    double low = -1, high = 1;

    // places of the outputs of `rows`
    [[nodiscard]] std::size_t H_at(int row, std::size_t column) const noexcept
    {
        return static_cast<std::size_t>(row) * support.size() + column;
    }
    [[nodiscard]] std::size_t gamma_at(int row) const noexcept
    {
        return static_cast<std::size_t>(dimension) * support.size() + static_cast<std::size_t>(row);
    }
    [[nodiscard]] std::size_t b_at(int row) const noexcept
    {
        return gamma_at(row) + static_cast<std::size_t>(dimension);
    }
    [[nodiscard]] std::size_t mu_at() const noexcept { return b_at(dimension - 1) + 1; }
    [[nodiscard]] std::size_t mu_static_at() const noexcept { return mu_at() + 1; }
};

/// A model on series: A(q), K(t,q,u), given forces and dV/dt, and its contacts.
struct SeriesSystem {
    struct Entry {
        int i = 0, j = 0;  ///< i <= j
        bool constant = true;
    };

    SeriesSystem(const Model& model, int order);

    int coordinates = 0;
    int order = 0;
    SeriesProgram dynamics;      ///< outputs: K, then F, then dV/dt, then the entries of A
    std::vector<Entry> entries;  ///< of A that may differ from zero
    std::vector<ContactPrograms> contacts;
    bool analytic = true;            ///< no formula has pieces
    bool velocity_coupling = false;  ///< a force on one frictional contact names the velocity of another

    [[nodiscard]] const double* K(int i) const noexcept
    {
        return dynamics.output(static_cast<std::size_t>(i));
    }
    [[nodiscard]] const double* F(int i) const noexcept
    {
        return dynamics.output(static_cast<std::size_t>(coordinates + i));
    }
    [[nodiscard]] const double* potential_rate() const noexcept
    {
        return dynamics.output(static_cast<std::size_t>(2 * coordinates));
    }
    [[nodiscard]] const double* A(std::size_t entry) const noexcept
    {
        return dynamics.output(static_cast<std::size_t>(2 * coordinates) + 1 + entry);
    }
};

}  // namespace carom::detail
