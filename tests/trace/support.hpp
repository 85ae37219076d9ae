#pragma once

#include "carom/expression/record.hpp"
#include "carom/trace/recording.hpp"
#include "trace/checkpoint.hpp"
#include "trace/recorder.hpp"

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

/// How a run ended, bit for bit.
inline void check_same_report(const RunReport& a, const RunReport& b)
{
    CHECK(a.status == b.status);
    CHECK(a.end == b.end);
    CHECK(a.certificate.steps == b.certificate.steps);
    CHECK(a.certificate.unsolved_steps == b.certificate.unsolved_steps);
    for (const auto number : {&Certificate::max_residual, &Certificate::max_residual_time_s,
                              &Certificate::max_penetration_m, &Certificate::energy_balance_J}) {
        CHECK(same_bits(a.certificate.*number, b.certificate.*number));
    }
    for (const auto line : {&EnergyLines::kinetic_J, &EnergyLines::impact_J, &EnergyLines::scheme_J}) {
        CHECK(same_bits(a.certificate.energy.*line, b.certificate.energy.*line));
    }
    REQUIRE(a.findings.size() == b.findings.size());
    for (std::size_t i = 0; i < a.findings.size(); ++i) {
        CHECK(a.findings[i].code == b.findings[i].code);
        CHECK(a.findings[i].message == b.findings[i].message);
        CHECK(a.findings[i].count == b.findings[i].count);
        CHECK(same_bits(a.findings[i].time_s, b.findings[i].time_s));
    }
}

/// Every row of a recording, and its checkpoint, bit for bit.
inline void check_same_rows(const Recording& a, const Recording& b)
{
    CHECK(same_bits(a.time_s, b.time_s));
    CHECK(same_bits(a.q, b.q));
    CHECK(same_bits(a.u, b.u));
    CHECK(same_bits(a.gap_m, b.gap_m));
    CHECK(same_bits(a.percussion_Ns, b.percussion_Ns));
    CHECK(same_bits(a.friction.percussion_Ns, b.friction.percussion_Ns));
    CHECK(same_bits(a.friction.coefficient, b.friction.coefficient));
    CHECK(same_bits(a.friction.jump_percussion_Ns, b.friction.jump_percussion_Ns));
    CHECK(same_bits(a.residual, b.residual));
    CHECK(same_bits(a.jumps.time_s, b.jumps.time_s));
    CHECK(same_bits(a.jumps.q, b.jumps.q));
    CHECK(same_bits(a.jumps.u_minus, b.jumps.u_minus));
    CHECK(same_bits(a.jumps.u_plus, b.jumps.u_plus));
    REQUIRE(a.energies.size() == b.energies.size());
    for (std::size_t i = 0; i < a.energies.size(); ++i) {
        CHECK(same_bits(a.energies[i].values, b.energies[i].values));
    }
    REQUIRE(a.probes.size() == b.probes.size());
    for (std::size_t i = 0; i < a.probes.size(); ++i) {
        CHECK(same_bits(a.probes[i].values, b.probes[i].values));
    }
    REQUIRE(a.events.size() == b.events.size());
    for (std::size_t i = 0; i < a.events.size(); ++i) {
        CHECK(a.events[i].step == b.events[i].step);
        CHECK(same_bits(a.events[i].percussion_Ns, b.events[i].percussion_Ns));
        CHECK(same_bits(a.events[i].energy_J, b.events[i].energy_J));
    }
    CHECK(same_bits(a.snapshots.time_s, b.snapshots.time_s));
    CHECK(same_bits(a.snapshots.q, b.snapshots.q));
    CHECK(same_bits(a.snapshots.u, b.snapshots.u));
    CHECK(a.checkpoint->progress.steps == b.checkpoint->progress.steps);
    CHECK(same_bits(a.checkpoint->state.q, b.checkpoint->state.q));
    CHECK(same_bits(a.checkpoint->state.u, b.checkpoint->state.u));
    CHECK(a.report.has_value() == b.report.has_value());
    if (a.report && b.report) check_same_report(*a.report, *b.report);
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
