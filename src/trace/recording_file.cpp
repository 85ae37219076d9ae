#include "recording_file.hpp"

#include <optional>

namespace carom::detail {

RecordingFile::~RecordingFile()
{
    const Hdf5Session session;
    const Hdf5Reader closed = std::move(file_);
}

Expected<RowMatrix> RecordingFile::frames(const std::string& path, Eigen::Index columns, Eigen::Index first,
                                          Eigen::Index count) const
{
    const Hdf5Session session;
    return file_.table(path, columns,
                       {.first = static_cast<hsize_t>(first), .count = static_cast<hsize_t>(count)});
}

Expected<RecordedBodies> RecordingFile::contacts(const RecordedBodies& bodies,
                                                 std::span<const Eigen::Index> frames) const
{
    const Hdf5Session session;
    return read_contacts(file_, bodies, frames);
}

Expected<RecordedBodies> contacts_of(const Recording& recording, std::span<const Eigen::Index> frames)
{
    if (recording.file && recording.bodies.first.empty())
        return recording.file->contacts(recording.bodies, frames);
    return contacts_of(recording.bodies, frames);
}

Expected<void> MotionRows::load(std::span<const Eigen::Index> frames, bool velocities)
{
    frames_.assign(frames.begin(), frames.end());
    if (!recording_.file || recording_.q.rows() > 0) return {};
    auto q = read("/q", recording_.q.cols());
    if (!q) return q.error();
    q_ = std::move(*q);
    if (!velocities) return {};
    auto u = read("/u", recording_.u.cols());
    if (!u) return u.error();
    u_ = std::move(*u);
    return {};
}

Expected<RowMatrix> MotionRows::read(const std::string& path, Eigen::Index columns) const
{
    const auto count = static_cast<Eigen::Index>(frames_.size());
    if (count == 0) return RowMatrix(0, columns);
    if (frames_.back() - frames_.front() == count - 1)
        return recording_.file->frames(path, columns, frames_.front(), count);
    RowMatrix rows(count, columns);
    for (Eigen::Index k = 0; k < count; ++k) {
        const auto one = recording_.file->frames(path, columns, frames_[static_cast<std::size_t>(k)], 1);
        if (!one) return one.error();
        rows.row(k) = one->row(0);
    }
    return rows;
}

const double* MotionRows::row(const RowMatrix& all, const RowMatrix& loaded, std::size_t k) const
{
    return all.rows() > 0 ? all.row(frames_[k]).data() : loaded.row(static_cast<Eigen::Index>(k)).data();
}

}  // namespace carom::detail
