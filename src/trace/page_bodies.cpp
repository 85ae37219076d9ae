#include "page_bodies.hpp"

#include "recording_file.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace carom::detail {
namespace {

constexpr Eigen::Index max_contact_rows = 500'000;
constexpr Eigen::Index max_fine_contact_rows = 50'000;
constexpr Eigen::Index max_force_numbers = 2'000'000;

}  // namespace

std::size_t contact_stride(const RecordedBodies& bodies, std::span<const Eigen::Index> kept)
{
    if (bodies.first_row.empty()) return 1;
    Eigen::Index all = 0;
    for (const Eigen::Index frame : kept)
        all += bodies.first_row[static_cast<std::size_t>(frame) + 1] -
               bodies.first_row[static_cast<std::size_t>(frame)];
    return static_cast<std::size_t>(
        std::max<Eigen::Index>(1, (all + max_contact_rows - 1) / max_contact_rows));
}

namespace {

/// Rows of contacts into tracks; `step_s` per row.
class ContactTracks {
public:
    ContactTracks(const RecordedBodies& rows, PageTracks& tracks) : rows_(rows), tracks_(tracks)
    {
        const auto size = rows.first.size();
        code_ =
            static_cast<Eigen::Index>(size) > max_fine_contact_rows ? TrackCode::Fixed : TrackCode::Single;
        step_s_.reserve(size);
        for (std::size_t k = 0; k + 1 < rows.first_row.size(); ++k)
            step_s_.insert(step_s_.end(), static_cast<std::size_t>(rows.first_row[k + 1] - rows.first_row[k]),
                           rows.step_s[static_cast<Eigen::Index>(k)]);
    }

    void add_all()
    {
        for (Eigen::Index axis = 0; axis < 3; ++axis) {
            add(fmt::format("point.{}", axis), code_, [&](auto row) { return rows_.point_m(row, axis); });
            add(fmt::format("normal.{}", axis), code_, [&](auto row) { return rows_.normal(row, axis); });
            add(fmt::format("force.{}", axis), TrackCode::Single, [&](auto row) {
                const double step_s = step_s_[static_cast<std::size_t>(row)];
                return step_s > 0 ? rows_.percussion_Ns(row, axis) / step_s : 0;
            });
        }
        const auto single = [&](const char* name, const auto& values) {
            if (std::ssize(values) > 0)
                add(name, TrackCode::Single,
                    [&](auto row) { return values[static_cast<decltype(values.size())>(row)]; });
        };
        single("first", rows_.first);
        single("second", rows_.second);
        single("gap_m", rows_.gap_m);
        if (rows_.friction.size() > 0) add("friction", code_, [&](auto row) { return rows_.friction[row]; });
        single("sliding_m_s", rows_.sliding_m_s);
        single("residual", rows_.residual);
        for (Eigen::Index axis = 0; axis < rows_.moment_Nms.cols(); ++axis)
            add(fmt::format("moment_Nms.{}", axis), TrackCode::Single,
                [&](auto row) { return rows_.moment_Nms(row, axis); });
    }

private:
    template <class Value>
    void add(const std::string& name, TrackCode as, const Value& value)
    {
        Eigen::VectorXd values(static_cast<Eigen::Index>(rows_.first.size()));
        for (Eigen::Index row = 0; row < values.size(); ++row)
            values[row] = value(row);
        tracks_.add("contacts." + name, as, values);
    }

    const RecordedBodies& rows_;
    PageTracks& tracks_;
    TrackCode code_{};
    std::vector<double> step_s_;
};

}  // namespace

Expected<void> add_contacts(const Recording& recording, std::span<const Eigen::Index> kept,
                            const ContactFrames& shown, PageTracks& tracks, std::vector<std::string>& notes)
{
    const RecordedBodies& bodies = recording.bodies;
    const std::size_t stride = shown.stride;
    if (stride > 1)
        notes.push_back(
            fmt::format("There are very many contacts: they are shown for one frame in {}.", stride));
    std::vector<Eigen::Index> frames;
    Eigen::VectorXd count = Eigen::VectorXd::Zero(static_cast<Eigen::Index>(kept.size()));
    for (std::size_t k = (stride - shown.before % stride) % stride; k < kept.size(); k += stride) {
        const auto frame = static_cast<std::size_t>(kept[k]);
        frames.push_back(kept[k]);
        count[static_cast<Eigen::Index>(k)] =
            static_cast<double>(bodies.first_row[frame + 1] - bodies.first_row[frame]);
    }
    const auto rows = contacts_of(recording, frames);
    if (!rows) return rows.error();
    tracks.add("contacts.count", TrackCode::Single, count);
    tracks.add("contacts.every", TrackCode::Single,
               Eigen::VectorXd::Constant(1, static_cast<double>(stride)));
    ContactTracks(*rows, tracks).add_all();
    tracks.add("contacts.step_s", TrackCode::Single, [&] {
        Eigen::VectorXd steps(static_cast<Eigen::Index>(kept.size()));
        for (std::size_t k = 0; k < kept.size(); ++k)
            steps[static_cast<Eigen::Index>(k)] = bodies.step_s[kept[k]];
        return steps;
    }());
    return {};
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

}  // namespace carom::detail
