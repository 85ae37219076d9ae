#pragma once

#include "carom/expression/record.hpp"
#include "carom/trace/recorder.hpp"
#include "carom/trace/recording.hpp"

#include <doctest/doctest.h>

#include <unistd.h>

#include <bit>
#include <cstdint>
#include <filesystem>
#include <string>

namespace carom::test {

/// A folder of its own for every test case, removed at the end.
class Folder {
public:
    Folder()
    {
        std::string pattern = (std::filesystem::temp_directory_path() / "carom_trace_XXXXXX").string();
        REQUIRE(::mkdtemp(pattern.data()) != nullptr);
        path_ = pattern;
    }
    ~Folder() { std::filesystem::remove_all(path_); }
    Folder(const Folder&) = delete;
    Folder& operator=(const Folder&) = delete;

    [[nodiscard]] std::string operator/(const std::string& name) const { return (path_ / name).string(); }
    [[nodiscard]] const std::filesystem::path& path() const noexcept { return path_; }

private:
    std::filesystem::path path_;
};

constexpr double g = 9.81;

/// A ball of 2 kg above a floor, and an angle that turns freely: two units, one contact, two probes.
inline Model ball_and_wheel(double restitution, std::string contact_name = "floor")
{
    LagrangianSystem system;
    system.coordinates = {{.name = "z", .unit = "m"}, {.name = "phi", .unit = "rad"}};
    system.kinetic = record(2, [](const auto& q, const auto& u, const auto& t) {
        static_cast<void>(q), static_cast<void>(t);
        return u[0] * u[0] + 0.5 * u[1] * u[1];
    });
    system.potential = record(2, [](const auto& q, const auto&, const auto&) { return 2.0 * g * q[0]; });
    system.contacts = {{.name = std::move(contact_name),
                        .gap = record(2, [](const auto& q, const auto&, const auto&) { return q[0]; }),
                        .restitution = Formula::constant(restitution)}};
    system.probes = {{.name = "speed squared",
                      .value = record(2, [](const auto&, const auto& u, const auto&) { return u[0] * u[0]; }),
                      .unit = "m2/s2"},
                     {.name = "a/b",
                      .value = record(2, [](const auto&, const auto&, const auto& t) { return 3.0 * t; }),
                      .unit = "s"}};
    auto model = make_model(std::move(system));
    REQUIRE(model.has_value());
    return std::move(*model);
}

/// Dropped from 1 m, turning with 2 rad/s.
inline State dropped(const Model& model, double t_s = 0)
{
    return make_state(model, Eigen::Vector2d(1, 0), Eigen::Vector2d(0, 2), t_s);
}

/// The same bits, NaN and signed zeros included.
inline bool same_bits(double a, double b)
{
    return std::bit_cast<std::uint64_t>(a) == std::bit_cast<std::uint64_t>(b);
}

inline bool same_bits(const auto& a, const auto& b)
{
    if (a.rows() != b.rows() || a.cols() != b.cols()) return false;
    for (Eigen::Index i = 0; i < a.rows(); ++i) {
        for (Eigen::Index j = 0; j < a.cols(); ++j) {
            if (!same_bits(a(i, j), b(i, j))) return false;
        }
    }
    return true;
}

inline Recording read(const std::string& path)
{
    auto recording = read_recording(path);
    if (!recording) FAIL(recording.error().message);
    return std::move(*recording);
}

/// A whole run of a second or so, recorded.
struct RecordedRun {
    RunReport report;
    Recording recording;
};

inline RecordedRun run_and_record(const Model& model, State state, const std::string& path, double duration_s,
                                  double time_step_s, const RecordSettings& settings = {},
                                  const CheckpointSettings& checkpoints = {})
{
    auto recorder = Recorder::create(path, model, "a ball", "scene text", settings, state, duration_s,
                                     time_step_s, checkpoints);
    REQUIRE(recorder.has_value());
    RunPlan plan;
    plan.duration_s = duration_s;
    MoreauSettings moreau;
    moreau.time_step_s = time_step_s;
    RunReport report = simulate(model, moreau, {}, plan, state, std::ref(*recorder));
    REQUIRE(recorder->finish(report).has_value());
    return {report, read(path)};
}

}  // namespace carom::test
