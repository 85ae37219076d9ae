#include "carom/onestep/fclib.hpp"

#include "law_numbers.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace carom {
namespace {

using Matrix = FclibProblem::Matrix;

/// Row by row: the interaction and the component that a row of the file became; -1 for a row left out.
struct Place {
    int interaction = -1;
    int component = 0;
};

/// W in blocks. Every diagonal block is there, even where the file has nothing.
void fill_blocks(const Matrix& W, std::span<const Place> places, std::span<const int> rows,
                 OneStepProblem& problem)
{
    problem.W.begin(problem.offsets);
    std::vector<int> columns;
    for (int c = 0; c < problem.interactions(); ++c) {
        // which interactions these rows couple to
        columns.assign(1, c);
        for (int row = problem.offsets[c]; row < problem.offsets[c + 1]; ++row) {
            for (Matrix::InnerIterator entry(W, rows[static_cast<std::size_t>(row)]); entry; ++entry) {
                const int other = places[static_cast<std::size_t>(entry.col())].interaction;
                if (other >= 0 && columns.back() != other) columns.push_back(other);
            }
        }
        std::sort(columns.begin(), columns.end());
        columns.erase(std::unique(columns.begin(), columns.end()), columns.end());
        for (const int column : columns) {
            problem.W.append(c, column);
        }

        // their values
        for (int row = problem.offsets[c]; row < problem.offsets[c + 1]; ++row) {
            for (Matrix::InnerIterator entry(W, rows[static_cast<std::size_t>(row)]); entry; ++entry) {
                const Place place = places[static_cast<std::size_t>(entry.col())];
                if (place.interaction < 0) continue;
                const auto appended = problem.W.appended(c);
                const auto found = std::lower_bound(
                    appended.begin(), appended.end(), place.interaction,
                    [](const BlockSparse::Entry& e, int column) { return e.column < column; });
                const int width = problem.W.dimension(place.interaction);
                problem.W.values_of(
                    c,
                    *found)[static_cast<std::size_t>((row - problem.offsets[c]) * width + place.component)] =
                    entry.value();
            }
        }
    }
    problem.W.finish();
}

/// The isotropic coefficient of a contact, or nothing.
std::optional<double> isotropic_friction(const Law& law)
{
    if (std::holds_alternative<Unilateral>(law)) return 0.0;
    const auto* coulomb = std::get_if<Coulomb>(&law);
    if (coulomb == nullptr) return {};
    if (std::holds_alternative<FrictionDisc>(coulomb->shape)) return coulomb->friction;
    if (const auto* interval = std::get_if<FrictionInterval>(&coulomb->shape)) {
        if (interval->low == -interval->high) return coulomb->friction * interval->high;
    }
    return {};
}

Error set_not_stored(int interaction)
{
    return {.code = ErrorCode::NotAllowedHere,
            .where = "fclib_problem",
            .message = fmt::format(
                "the reaction of interaction {} is limited by a set that files do not hold", interaction),
            .hint = "files hold intervals, boxes, balls and ellipsoids",
            .excerpt = {}};
}

/// Restitution is a velocity added to q (FC-3).
void add_restitution_shift(const OneStepProblem& problem, int c, std::span<double> q)
{
    const auto U_minus = problem.part(std::span<const double>(problem.U_minus), c);
    q[0] += restitution(problem.laws[static_cast<std::size_t>(c)]) * std::min(U_minus[0], 0.0);
    if (const auto* coulomb = std::get_if<Coulomb>(&problem.laws[static_cast<std::size_t>(c)])) {
        for (std::size_t k = 1; k < q.size(); ++k) {
            q[k] += coulomb->tangential_restitution * U_minus[k];
        }
    }
}

/// Contacts first, `dimension` rows each, then joints.
struct Layout {
    int dimension = 2, contacts = 0, joints = 0;
    std::vector<int> rows;
};

/// Nothing where FCLIB does not know a law.
std::optional<Layout> layout_of(const OneStepProblem& problem)
{
    Layout layout;
    for (const Law& law : problem.laws) {
        if (std::holds_alternative<Bilateral>(law)) {
            ++layout.joints;
        } else {
            ++layout.contacts;
            layout.dimension = std::max(layout.dimension, dimension(law));
        }
    }
    int contact = 0, joint = layout.contacts * layout.dimension;
    for (int c = 0; c < problem.interactions(); ++c) {
        const Law& law = problem.laws[static_cast<std::size_t>(c)];
        if (std::holds_alternative<Bilateral>(law)) {
            layout.rows.push_back(joint++);
            continue;
        }
        // in a problem in space a contact of two rows slides along one direction only
        if (!isotropic_friction(law) || (dimension(law) != 1 && dimension(law) != layout.dimension)) {
            return {};
        }
        for (int k = 0; k < dimension(law); ++k) {
            layout.rows.push_back(contact * layout.dimension + k);
        }
        ++contact;
    }
    return layout;
}

/// All blocks of W as entries, with the rows that `row_of` gives.
template <class RowOf>
std::vector<Eigen::Triplet<double>> entries_of(const OneStepProblem& problem, const RowOf& row_of)
{
    std::vector<Eigen::Triplet<double>> entries;
    for (int c = 0; c < problem.interactions(); ++c) {
        const int first = problem.offsets[static_cast<std::size_t>(c)], d = problem.W.dimension(c);
        for (const BlockSparse::Entry& entry : problem.W.row(c)) {
            const auto block = problem.W.block(c, entry);
            const int width = problem.W.dimension(entry.column);
            for (int k = 0; k < d * width; ++k) {
                entries.emplace_back(
                    row_of(first + k / width),
                    row_of(problem.offsets[static_cast<std::size_t>(entry.column)] + k % width),
                    block[static_cast<std::size_t>(k)]);
            }
        }
    }
    return entries;
}

/// With its laws as they are, row by row.
Expected<StoredProblem> carom_problem(const OneStepProblem& problem)
{
    StoredProblem result;
    FclibProblem& stored = result.stored;
    stored.form = FclibForm::Carom;
    stored.space_dimension = 2;
    for (int c = 0; c < problem.interactions(); ++c) {
        const Law& law = problem.laws[static_cast<std::size_t>(c)];
        if (!detail::numbers_of(law)) return set_not_stored(c);
        if (std::holds_alternative<Bilateral>(law)) ++stored.joints;
        if (is_unilateral(law) && dimension(law) > 2) stored.space_dimension = 3;
    }
    const int size = problem.size();
    for (int row = 0; row < size; ++row)
        result.rows.push_back(row);
    stored.laws = problem.laws;
    stored.q = Eigen::Map<const Eigen::VectorXd>(problem.U_free.data(), size);
    stored.U_minus = Eigen::Map<const Eigen::VectorXd>(problem.U_minus.data(), size);
    const auto entries = entries_of(problem, [](int row) { return row; });
    stored.W.resize(size, size);
    stored.W.setFromTriplets(entries.begin(), entries.end());
    return result;
}

}  // namespace

std::string_view name_of(FclibForm form) noexcept
{
    switch (form) {
    case FclibForm::Local: return "local";
    case FclibForm::Global: return "global";
    case FclibForm::Carom: return "carom";
    }
    return "unknown";
}

int FclibProblem::contacts() const noexcept
{
    return static_cast<int>(form == FclibForm::Carom ? std::ranges::count_if(laws, is_unilateral)
                                                     : mu.size());
}

Expected<LoadedProblem> one_step_problem(const FclibProblem& stored)
{
    LoadedProblem loaded;
    std::vector<Place> places(static_cast<std::size_t>(stored.rows()));
    const auto add = [&](const Law& law, int first_row) {
        for (int k = 0; k < dimension(law); ++k) {
            places[static_cast<std::size_t>(first_row + k)] = {loaded.problem.interactions(), k};
            loaded.rows.push_back(first_row + k);
        }
        loaded.problem.laws.push_back(law);
        loaded.problem.offsets.push_back(loaded.problem.offsets.back() + dimension(law));
    };

    // laws: contacts, then joints
    const int d = stored.space_dimension;
    const FrictionShape shape = d == 2 ? FrictionShape(FrictionInterval{}) : FrictionShape(FrictionDisc{});
    int first_row = 0;
    for (const Law& law : stored.laws) {
        add(law, first_row);
        first_row += dimension(law);
    }
    for (int contact = 0; contact < stored.mu.size(); ++contact) {
        const double mu = stored.mu[contact];
        Law law = Unilateral{};
        if (mu != 0) law = Coulomb{.shape = shape, .friction = mu};
        if (const auto checked = check(law); !checked) return checked.error();
        add(law, contact * d);
    }
    for (int joint = 0; stored.laws.empty() && joint < stored.joints; ++joint) {
        add(Bilateral{}, stored.contacts() * d + joint);
    }

    // numbers
    fill_blocks(stored.W, places, loaded.rows, loaded.problem);
    for (const int row : loaded.rows) {
        loaded.problem.U_free.push_back(stored.q[row]);
    }
    loaded.problem.U_minus.assign(loaded.problem.U_free.size(), 0.0);
    std::ranges::copy(stored.U_minus, loaded.problem.U_minus.begin());
    return loaded;
}

Expected<StoredProblem> fclib_problem(const OneStepProblem& problem)
{
    if (!problem.is_assembled()) return fclib_problem(assembled(problem));
    auto layout = layout_of(problem);
    if (!layout) return carom_problem(problem);
    StoredProblem result;
    FclibProblem& stored = result.stored;
    const int size = layout->contacts * layout->dimension + layout->joints;
    stored.space_dimension = layout->dimension;
    stored.joints = layout->joints;
    stored.q.setZero(size);
    stored.mu.setZero(layout->contacts);
    result.rows = std::move(layout->rows);

    const auto row_of = [&](int k) { return result.rows[static_cast<std::size_t>(k)]; };
    auto entries = entries_of(problem, row_of);
    int contact = 0;
    std::vector<double> q;
    for (int c = 0; c < problem.interactions(); ++c) {
        const Law& law = problem.laws[static_cast<std::size_t>(c)];
        const int first = problem.offsets[static_cast<std::size_t>(c)], d = problem.W.dimension(c);

        // q with the shifts of restitution
        const auto U_free = problem.part(std::span<const double>(problem.U_free), c);
        q.assign(U_free.begin(), U_free.end());
        if (is_unilateral(law)) add_restitution_shift(problem, c, q);
        for (int k = 0; k < d; ++k) {
            stored.q[row_of(first + k)] = q[static_cast<std::size_t>(k)];
        }

        // friction, and rows of no consequence where there is none: W_TT as large as W_NN keeps others'
        // solvers well
        if (!is_unilateral(law)) continue;
        stored.mu[contact++] = *isotropic_friction(law);
        for (int k = d; k < stored.space_dimension; ++k) {
            entries.emplace_back(row_of(first) + k, row_of(first) + k, problem.W.diagonal(c)[0]);
        }
    }
    stored.W.resize(size, size);
    stored.W.setFromTriplets(entries.begin(), entries.end());
    return result;
}

FclibSolution fclib_solution(const FclibProblem& stored, std::span<const int> rows, std::span<const double> P)
{
    FclibSolution solution;
    solution.r.setZero(stored.rows());
    for (std::size_t k = 0; k < rows.size(); ++k) {
        solution.r[rows[k]] = P[k];
    }
    solution.u = stored.W * solution.r + stored.q;
    return solution;
}

}  // namespace carom
