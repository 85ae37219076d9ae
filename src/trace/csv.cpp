#include "carom/trace/export.hpp"

#include "csv_cell.hpp"

#include <fmt/format.h>

#include <cmath>
#include <functional>
#include <iterator>

namespace carom {
namespace {

struct Column {
    std::string name;
    std::function<double(Eigen::Index frame)> value;
};

/// One column per column of a matrix that was recorded.
void add_matrix(const RowMatrix& matrix, const std::function<std::string(std::size_t)>& name,
                std::vector<Column>& columns)
{
    if (matrix.rows() == 0) return;
    for (Eigen::Index j = 0; j < matrix.cols(); ++j) {
        columns.push_back({name(static_cast<std::size_t>(j)),
                           [&matrix, j](Eigen::Index frame) { return matrix(frame, j); }});
    }
}

void add_vector(const std::string& name, const Eigen::VectorXd& values, std::vector<Column>& columns)
{
    if (values.size() > 0) columns.push_back({name, [&values](Eigen::Index frame) { return values[frame]; }});
}

std::vector<Column> columns_of(const Recording& run)
{
    std::vector<Column> columns;
    add_vector("time_s", run.time_s, columns);
    add_matrix(run.q, [&](std::size_t i) { return run.coordinates[i].name; }, columns);
    add_matrix(run.u, [&](std::size_t i) { return run.coordinates[i].name + "'"; }, columns);
    add_matrix(run.gap_m, [&](std::size_t c) { return "gap_m." + run.contacts[c]; }, columns);
    add_matrix(run.percussion_Ns, [&](std::size_t c) { return "percussion_Ns." + run.contacts[c]; }, columns);
    std::vector<std::string> tangential;
    for (const RecordedCone& cone : run.friction.cones) {
        const std::string contact = "." + run.contacts[static_cast<std::size_t>(cone.contact)];
        tangential.push_back("percussion_t1_Ns" + contact);
        if (tangential_dimension(cone.shape) == 2) tangential.push_back("percussion_t2_Ns" + contact);
    }
    add_matrix(run.friction.percussion_Ns, [&](std::size_t k) { return tangential[k]; }, columns);
    const RecordedConstraints& constraints = run.constraints;
    add_matrix(
        constraints.percussion_Ns, [&](std::size_t k) { return "percussion_Ns." + constraints.reactions[k]; },
        columns);
    add_matrix(
        constraints.energy_J, [&](std::size_t j) { return "energy_J." + constraints.names[j]; }, columns);
    add_vector("residual", run.residual, columns);
    for (const RecordedSeries& line : run.energies) {
        add_vector(line.name, line.values, columns);
    }
    for (const RecordedSeries& probe : run.probes) {
        add_vector(probe.name, probe.values, columns);
    }
    return columns;
}

}  // namespace

std::string to_csv(const Recording& recording)
{
    const std::vector<Column> columns = columns_of(recording);
    std::string text;
    for (std::size_t k = 0; k < columns.size(); ++k) {
        text += (k > 0 ? "," : "") + detail::csv_cell(columns[k].name);
    }
    text += '\n';
    for (Eigen::Index frame = 0; frame < recording.frames(); ++frame) {
        for (std::size_t k = 0; k < columns.size(); ++k) {
            const double value = columns[k].value(frame);
            if (k > 0) text += ',';
            if (std::isfinite(value)) fmt::format_to(std::back_inserter(text), "{}", value);
        }
        text += '\n';
    }
    return text;
}

}  // namespace carom
