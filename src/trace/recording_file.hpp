#pragma once

#include "carom/trace/recording.hpp"
#include "recorded_contacts.hpp"

namespace carom::detail {

/// The open file of a recording whose large tables were left in it (ReadSettings::max_table_bytes).
class RecordingFile {
public:
    explicit RecordingFile(Hdf5Reader file) : file_(std::move(file)) {}
    ~RecordingFile();
    RecordingFile(const RecordingFile&) = delete;
    RecordingFile& operator=(const RecordingFile&) = delete;

    /// So many frames of `/q` or `/u`, which have so many columns.
    [[nodiscard]] Expected<RowMatrix> frames(const std::string& path, Eigen::Index columns,
                                             Eigen::Index first, Eigen::Index count) const;

    /// As read_contacts.
    [[nodiscard]] Expected<RecordedBodies> contacts(const RecordedBodies& bodies,
                                                    std::span<const Eigen::Index> frames) const;

private:
    Hdf5Reader file_;
};

/// The contacts of some frames of a recording, from memory or from its file.
[[nodiscard]] Expected<RecordedBodies> contacts_of(const Recording& recording,
                                                   std::span<const Eigen::Index> frames);

/// q and u of some frames at a time, from memory or from the file of the recording.
class MotionRows {
public:
    explicit MotionRows(const Recording& recording) : recording_(recording) {}

    /// Makes these frames, rising, ready; the ones before are gone. Errors: FileMalformed.
    Expected<void> load(std::span<const Eigen::Index> frames, bool velocities);

    /// Rows of the k-th of these frames.
    [[nodiscard]] const double* q(std::size_t k) const { return row(recording_.q, q_, k); }
    [[nodiscard]] const double* u(std::size_t k) const { return row(recording_.u, u_, k); }

private:
    [[nodiscard]] const double* row(const RowMatrix& all, const RowMatrix& loaded, std::size_t k) const;
    [[nodiscard]] Expected<RowMatrix> read(const std::string& path, Eigen::Index columns) const;

    const Recording& recording_;
    std::vector<Eigen::Index> frames_;
    RowMatrix q_, u_;  ///< where the file has them
};

}  // namespace carom::detail
