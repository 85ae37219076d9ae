#pragma once

#include "storage/hdf5.hpp"
#include "trace/write_lock.hpp"

#include <functional>
#include <optional>

namespace carom::detail {

/// A file that is complete and closed at every instant. Changes are made to a second one, NAME.next, which
/// then takes the name in one indivisible exchange; the two carry the name in turn, so a change costs what is
/// new and not the length of the file.
class RunFile {
public:
    using Change = std::function<Expected<void>(Hdf5Writer&)>;

    explicit RunFile(const std::string& path);

    /// Nobody else writes the file from here on. A lock that the caller has already is kept. What a killed
    /// writer left in NAME.next is removed; what another program has there is an error. Errors:
    /// FileUnwritable.
    Expected<void> lock(std::optional<WriteLock> lock = std::nullopt);

    /// Others may write the file again.
    void unlock() noexcept { lock_.reset(); }

    /// Makes the file, in the place of a recording at most. Errors: FileUnwritable.
    Expected<void> create(const Change& fill);

    /// Changes the file. `change` sees it as it was after one of the last two commits. Errors:
    /// FileUnwritable, and the file is as it was.
    Expected<void> commit(const Change& change);

    /// Removes the second file, which is no use to anyone but the writer.
    void remove_spare() noexcept;

    [[nodiscard]] const std::string& path() const noexcept { return path_; }

private:
    [[nodiscard]] Error failure(const std::string& what) const;
    [[nodiscard]] Error failure(const std::string& what, int problem) const;
    Expected<void> check_place() const;
    Expected<Hdf5Writer> open_spare();
    Expected<void> close_spare(Hdf5Writer file, const Change& change) const;
    bool exchange();

    std::string path_, spare_;
    std::optional<WriteLock> lock_;
    bool spare_is_ours_ = false;  ///< it was the file itself before the last exchange
    bool holds_run_ = true;       ///< the file is of this run, and not yet to be made
};

/// Removes what an older recording of this name has left: parts from this number on, up to the first that is
/// none.
void remove_parts_from(const std::string& path, int first);

}  // namespace carom::detail
