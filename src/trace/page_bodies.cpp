#include "page_bodies.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace carom::detail {
namespace {

constexpr Eigen::Index max_contact_rows = 500'000;
constexpr Eigen::Index max_fine_contact_rows = 50'000;
constexpr Eigen::Index max_force_numbers = 2'000'000;

/// The rows of contacts that a page shows: those of all kept frames, or of one in so many.
struct ContactRows {
    Eigen::Index stride = 1;
    std::vector<Eigen::Index> rows;
    std::vector<double> step_s;
    Eigen::VectorXd count;  ///< per kept frame
};

ContactRows choose_rows(const RecordedBodies& bodies, std::span<const Eigen::Index> kept)
{
    ContactRows chosen;
    Eigen::Index all = 0;
    for (const Eigen::Index frame : kept)
        all += bodies.first_row[static_cast<std::size_t>(frame) + 1] -
               bodies.first_row[static_cast<std::size_t>(frame)];
    chosen.stride = std::max<Eigen::Index>(1, (all + max_contact_rows - 1) / max_contact_rows);
    chosen.count = Eigen::VectorXd::Zero(static_cast<Eigen::Index>(kept.size()));
    for (std::size_t k = 0; k < kept.size(); k += static_cast<std::size_t>(chosen.stride)) {
        const auto frame = static_cast<std::size_t>(kept[k]);
        chosen.count[static_cast<Eigen::Index>(k)] =
            static_cast<double>(bodies.first_row[frame + 1] - bodies.first_row[frame]);
        for (Eigen::Index row = bodies.first_row[frame]; row < bodies.first_row[frame + 1]; ++row) {
            chosen.rows.push_back(row);
            chosen.step_s.push_back(bodies.step_s[kept[k]]);
        }
    }
    return chosen;
}

/// Size of the velocity of the centre of mass.
double speed_of(const Recording& run, int first, Eigen::Index frame)
{
    const double* u = run.u.row(frame).data() + first;
    return run.solids.flat ? std::hypot(u[0], u[1]) : std::hypot(u[0], u[1], u[2]);
}

}  // namespace

void add_contacts(const Recording& recording, std::span<const Eigen::Index> kept, PageTracks& tracks,
                  std::vector<std::string>& notes)
{
    const RecordedBodies& bodies = recording.bodies;
    const ContactRows chosen = choose_rows(bodies, kept);
    const auto size = static_cast<Eigen::Index>(chosen.rows.size());
    if (chosen.stride > 1)
        notes.push_back(
            fmt::format("There are very many contacts: they are shown for one frame in {}.", chosen.stride));
    tracks.add("contacts.count", TrackCode::Single, chosen.count);
    tracks.add("contacts.every", TrackCode::Single,
               Eigen::VectorXd::Constant(1, static_cast<double>(chosen.stride)));
    const TrackCode code = size > max_fine_contact_rows ? TrackCode::Fixed : TrackCode::Single;
    const auto add = [&](const std::string& name, TrackCode as, const auto& value) {
        Eigen::VectorXd values(size);
        for (Eigen::Index i = 0; i < size; ++i)
            values[i] = value(chosen.rows[static_cast<std::size_t>(i)], static_cast<std::size_t>(i));
        tracks.add(name, as, values);
    };
    for (Eigen::Index axis = 0; axis < 3; ++axis) {
        add(fmt::format("contacts.point.{}", axis), code,
            [&](Eigen::Index row, std::size_t) { return bodies.point_m(row, axis); });
        add(fmt::format("contacts.normal.{}", axis), code,
            [&](Eigen::Index row, std::size_t) { return bodies.normal(row, axis); });
        add(fmt::format("contacts.force.{}", axis), TrackCode::Single, [&](Eigen::Index row, std::size_t i) {
            return chosen.step_s[i] > 0 ? bodies.percussion_Ns(row, axis) / chosen.step_s[i] : 0;
        });
    }
    add("contacts.first", TrackCode::Single,
        [&](Eigen::Index row, std::size_t) { return bodies.first[static_cast<std::size_t>(row)]; });
    add("contacts.second", TrackCode::Single,
        [&](Eigen::Index row, std::size_t) { return bodies.second[static_cast<std::size_t>(row)]; });
    add("contacts.gap_m", TrackCode::Single,
        [&](Eigen::Index row, std::size_t) { return bodies.gap_m[row]; });
    if (bodies.friction.size() > 0)
        add("contacts.friction", code, [&](Eigen::Index row, std::size_t) { return bodies.friction[row]; });
    if (bodies.sliding_m_s.size() > 0)
        add("contacts.sliding_m_s", TrackCode::Single,
            [&](Eigen::Index row, std::size_t) { return bodies.sliding_m_s[row]; });
    if (bodies.residual.size() > 0)
        add("contacts.residual", TrackCode::Single,
            [&](Eigen::Index row, std::size_t) { return bodies.residual[row]; });
    for (Eigen::Index axis = 0; axis < bodies.moment_Nms.cols(); ++axis)
        add(fmt::format("contacts.moment_Nms.{}", axis), TrackCode::Single,
            [&](Eigen::Index row, std::size_t) { return bodies.moment_Nms(row, axis); });
    tracks.add("contacts.step_s", TrackCode::Single, [&] {
        Eigen::VectorXd steps(static_cast<Eigen::Index>(kept.size()));
        for (std::size_t k = 0; k < kept.size(); ++k)
            steps[static_cast<Eigen::Index>(k)] = bodies.step_s[kept[k]];
        return steps;
    }());
}

void add_body_forces(const Recording& recording, std::span<const Eigen::Index> kept, PageTracks& tracks)
{
    const RecordedBodies& bodies = recording.bodies;
    const auto add = [&](const char* name, const RowMatrix& table) {
        const auto rows = static_cast<Eigen::Index>(kept.size());
        if (table.cols() == 0 || table.cols() * rows > max_force_numbers) return;
        for (Eigen::Index column = 0; column < table.cols(); ++column) {
            Eigen::VectorXd values(rows);
            for (Eigen::Index k = 0; k < rows; ++k)
                values[k] = table(kept[static_cast<std::size_t>(k)], column);
            tracks.add(fmt::format("{}.{}", name, column), TrackCode::Single, values);
        }
    };
    add("velocity_change_m_s", bodies.velocity_change_m_s);
    add("spin_change_Nms", bodies.spin_change_Nms);
    add("half_way_m", bodies.half_way_m);
    add("load_N", bodies.load_N);
    add("load_torque_Nm", bodies.load_torque_Nm);
    add("constraint_Ns", bodies.constraint_Ns);
    add("constraint_moment_Nms", bodies.constraint_moment_Nms);
    add("joint_percussion_Ns", bodies.joint_percussion_Ns);
    add("joint_moment_Nms", bodies.joint_moment_Nms);
}

void add_speeds(const Recording& recording, std::span<const Eigen::Index> kept, PageTracks& tracks)
{
    if (recording.u.rows() == 0) return;
    constexpr double shares[] = {1, 0.9, 0.5, 0.1};
    const auto rows = static_cast<Eigen::Index>(kept.size());
    std::array<Eigen::VectorXd, 4> lines;
    lines.fill(Eigen::VectorXd::Zero(rows));
    std::vector<double> speeds;
    for (Eigen::Index k = 0; k < rows; ++k) {
        speeds.clear();
        for (const int first : recording.solids.columns) {
            if (first >= 0) speeds.push_back(speed_of(recording, first, kept[static_cast<std::size_t>(k)]));
        }
        if (speeds.empty()) return;
        for (std::size_t s = 0; s < lines.size(); ++s) {
            const auto at =
                static_cast<std::ptrdiff_t>(std::lround(shares[s] * static_cast<double>(speeds.size() - 1)));
            std::nth_element(speeds.begin(), speeds.begin() + at, speeds.end());
            lines[s][k] = speeds[static_cast<std::size_t>(at)];
        }
    }
    for (std::size_t s = 0; s < lines.size(); ++s)
        tracks.add(fmt::format("speeds.{}", s), TrackCode::Single, lines[s]);
}

int fastest_body(const Recording& recording, std::span<const Eigen::Index> kept)
{
    int best = -1;
    double most = -1;
    if (recording.u.rows() == 0) return best;
    for (const Eigen::Index frame : kept) {
        for (std::size_t body = 0; body < recording.solids.columns.size(); ++body) {
            const int first = recording.solids.columns[body];
            if (first < 0) continue;
            const double speed = speed_of(recording, first, frame);
            if (speed > most) {
                most = speed;
                best = static_cast<int>(body);
            }
        }
    }
    return best;
}

}  // namespace carom::detail
