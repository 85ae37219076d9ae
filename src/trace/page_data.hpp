#pragma once

#include "carom/trace/page.hpp"
#include "page_motion.hpp"
#include "page_progress.hpp"
#include "page_tracks.hpp"

#include <nlohmann/json_fwd.hpp>

namespace carom::detail {

/// What a kept frame shows of those left out before it.
enum class Thinned { Last, Sum, Worst };

/// Chooses the frames and the width of numbers, and fills the tracks of a page, or of what comes after a page
/// that a reader has.
class PageData {
public:
    /// Errors: FileMalformed, of a recording whose tables are still in its file.
    [[nodiscard]] static Expected<PageData> make(const Recording& recording, const PageSettings& settings);

    /// Nothing: the page has to be sent whole.
    [[nodiscard]] static std::optional<PageData>
    make_part(const Recording& recording, const PageProgress& has, const PageSettings& settings);

    [[nodiscard]] nlohmann::ordered_json head(const std::string& follow) const;
    [[nodiscard]] nlohmann::ordered_json part_head(const std::string& follow) const;
    [[nodiscard]] std::string tracks() const { return tracks_.packed(); }
    /// What the first picture of many bodies does not wait for; empty: everything is in `tracks`.
    [[nodiscard]] std::string late_tracks() const
    {
        return late_.heads().empty() ? std::string() : late_.packed();
    }
    [[nodiscard]] std::vector<std::string>& motion() { return motion_.blocks; }

private:
    PageData(const Recording& recording, const PageSettings& settings);

    /// Bytes of all numbers of so many frames, as they are packed.
    [[nodiscard]] double bytes_of(double frames, bool blocks) const;
    Expected<void> fill();
    void choose();
    [[nodiscard]] bool choose_part();
    void add_frames();
    void add_series();
    void add_events();
    void add_jumps();
    Expected<void> add_bodies();
    Expected<void> pack();
    void tell_rounding();
    [[nodiscard]] nlohmann::ordered_json motion_json() const;
    [[nodiscard]] std::string progress(const std::string& follow) const;
    void keep_one_in(Eigen::Index stride);
    void add(const std::string& name, const Eigen::VectorXd& values, Thinned thinned = Thinned::Last);
    void add_columns(const std::string& name, const RowMatrix& table, Thinned thinned = Thinned::Last);
    void add_jump_columns(const std::string& name, const RowMatrix& table);
    [[nodiscard]] Eigen::VectorXd thinned(const Eigen::VectorXd& values, Thinned how) const;

    const Recording& recording_;
    PageSettings settings_;
    PageProgress has_;  ///< what the reader has; of a whole page nothing
    bool is_part_ = false;
    bool blocks_ = false;                  ///< many bodies have their motion in blocks, without velocities
    Eigen::Index events_ = 0, jumps_ = 0;  ///< rows of the recording that the page has then
    std::vector<RecordedSeries> probes_;   ///< of the scene, and the reactions of its constraints
    PageTracks tracks_;
    PageTracks late_;                 ///< contacts and forces of many bodies
    MotionSummary summary_;           ///< of bodies
    std::vector<Eigen::Index> kept_;  ///< frames, the first and the last among them
    TrackCode code_ = TrackCode::Single;
    PageMotion motion_;  ///< of many bodies, instead of tracks of their coordinates
    std::vector<std::string> notes_;
};

}  // namespace carom::detail
