#include "report/text.hpp"

#include <algorithm>
#include <cmath>
#include <ranges>

#include <fmt/format.h>
#include <fmt/ranges.h>

namespace carom {
namespace {

std::string multiplier_text(const std::complex<double>& m)
{
    return m.imag() == 0 ? fmt::format("{:.6g}", m.real())
                         : fmt::format("{:.6g}{:+.6g}i", m.real(), m.imag());
}

}  // namespace

std::string to_text(const Scene& scene, const Sensitivities& result)
{
    std::string out = scene.title + "\n";
    const auto& coordinates = scene.model.system().coordinates;
    for (const SensitiveState& state : result.states) {
        out += fmt::format("\nat {:.9g} s{:>14}", state.time_s, "value");
        for (const std::string& name : result.by) {
            out += fmt::format("  {:>16}", "d/" + name.substr(name.find('.') + 1));
        }
        out += "\n";
        for (std::size_t i = 0; i < coordinates.size(); ++i) {
            const auto k = static_cast<Eigen::Index>(i);
            for (const bool velocity : {false, true}) {
                out += fmt::format("  {:<10}{:>14.8g}", coordinates[i].name + (velocity ? "'" : ""),
                                   velocity ? state.u[k] : state.q[k]);
                const Eigen::MatrixXd& d = velocity ? state.du : state.dq;
                for (Eigen::Index j = 0; j < d.cols(); ++j) {
                    out += fmt::format("  {:>16.10g}", d(k, j));
                }
                out += "\n";
            }
        }
    }
    out += "\nevents\n";
    for (const SensitiveEvent& one : result.events) {
        out += fmt::format("  {:>14.10g} s  {:<13} {:<12}", one.event.time_s, name_of(one.event.kind),
                           one.place);
        for (const double d : one.dtime_s) {
            out += fmt::format("  {:>14.8g}", d);
        }
        out += "\n";
    }
    if (result.dend_s.size() > 0) {
        out += "end of the run";
        for (const double d : result.dend_s) {
            out += fmt::format("  {:>14.8g}", d);
        }
        out += "\n";
    }
    for (const NotDifferentiable& one : result.one_sided) {
        out += fmt::format(
            "\ngrazing at {:.9g} s ({}): {}\nlater derivatives hold if this gap stays open; it changes by",
            one.time_s, one.place, one.words);
        for (std::size_t i = 0; i < result.by.size(); ++i) {
            out += fmt::format(" {:+.6g} d {}", one.dgap_m[static_cast<Eigen::Index>(i)], result.by[i]);
        }
        out += "\n";
    }
    if (result.lost) {
        out += fmt::format("\nnot differentiable from {:.9g} s on ({} {}): {}\n", result.lost->time_s,
                           result.lost->kind, result.lost->place, result.lost->words);
        for (const OrderedImpacts& order : result.lost->orders) {
            out += fmt::format("  order {}: velocities after them", fmt::join(order.contacts, ", "));
            for (const double u : order.u_after) {
                out += fmt::format(" {:.9g}", u);
            }
            out += order.ends ? "\n" : " and more impacts\n";
        }
    }
    for (const Finding& finding : result.findings) {
        if (!result.reached_end || finding.code == "instants_of_steps") out += "\n" + finding.message + "\n";
    }
    return out;
}

std::string to_text(const Scene& scene, const OrbitOptions& options, const Orbit& orbit)
{
    std::string out = scene.title + "\n";
    if (!orbit.converged) {
        return out +
               fmt::format("no orbit: the closure error is {:.3g}; {}\n", orbit.residual, orbit.trouble);
    }
    if (orbit.rests)
        out += fmt::format("at rest for the whole period of {:.12g} s: an equilibrium, not an orbit; {}\n",
                           orbit.period_s, stability_of(orbit));
    else
        out += fmt::format("orbit of period {:.12g} s, {}; closed to {:.1e}\n", orbit.period_s,
                           stability_of(orbit), orbit.residual);
    out += "multipliers";
    for (const auto& m : orbit.section_multipliers) {
        out += "  " + multiplier_text(m);
    }
    if (orbit.section_multipliers.empty()) out += " 0: contacts leave nothing free at the start";
    out += fmt::format("\nstart, at {:.10g} s\n", orbit.start.t_s);
    const auto& coordinates = scene.model.system().coordinates;
    for (std::size_t i = 0; i < coordinates.size(); ++i) {
        const auto k = static_cast<Eigen::Index>(i);
        out += fmt::format("  {:<10} {:>18.12g} {:>18.12g} /s   from {:.9g} to {:.9g}\n", coordinates[i].name,
                           orbit.start.q[k], orbit.start.u[k], orbit.lowest[k], orbit.highest[k]);
    }
    out += "events\n";
    for (const SensitiveEvent& one : orbit.events) {
        if (one.event.time_s <= orbit.start.t_s) continue;
        out +=
            fmt::format("  {:>14.10g} s  {:<13} {}\n", one.event.time_s, name_of(one.event.kind), one.place);
    }
    for (std::size_t i = 0; i < options.parameters.size(); ++i) {
        out += fmt::format("d period / d {} = {:.10g} s\n", options.parameters[i],
                           orbit.dperiod[static_cast<Eigen::Index>(i)]);
    }
    return out;
}

std::string to_text(const Scene& scene, const std::vector<FollowedBranch>& branches)
{
    std::string out = scene.title + "\n";
    for (const FollowedBranch& one : branches) {
        const Branch& branch = one.branch;
        if (branches.size() > 1) out += one.name + ": ";
        if (branch.points.empty()) {
            out += branch.end + "\n";
            continue;
        }
        const auto [low, high] =
            std::ranges::minmax(branch.points | std::views::transform(&BranchPoint::value));
        out += fmt::format("{} orbits, {} from {:.9g} to {:.9g}\n", branch.points.size(), one.options.over,
                           low, high);
        for (const SpecialPoint& point : branch.special) {
            out += fmt::format("  {:<16} at {} = {:.12g}", point.kind, one.options.over, point.value);
            if (!point.place.empty()) out += fmt::format("  ({}, {:.9g} s)", point.place, point.time_s);
            out += "\n";
        }
        out += branch.end + "\n";
        for (const Curve& curve : one.curves) {
            out += fmt::format("curve of {}{}{}: {} points; {}\n", curve.kind, curve.place.empty() ? "" : " ",
                               curve.place, curve.points.size(), curve.end);
            for (const CurvePoint& point : curve.points) {
                out += fmt::format("  {} = {:<16.10g} {} = {:.12g}\n", one.curves_over, point.second,
                                   one.options.over, point.first);
            }
        }
    }
    return out;
}

std::string to_text(const Scene& scene, const EquilibriumOptions& options, const Equilibria& found)
{
    std::string out = scene.title + "\n";
    const auto& coordinates = scene.model.system().coordinates;
    for (const EquilibriumBranch& branch : found.branches) {
        if (!branch.sides.empty()) {
            out += "edge";
            for (const int side : branch.sides) {
                out += side > 0 ? " +mu" : " -mu";
            }
            out += ": ";
        }
        out += fmt::format("{} equilibria\n", branch.points.size());
        const std::size_t every = std::max<std::size_t>(1, branch.points.size() / 10);
        for (std::size_t i = 0; i < branch.points.size(); i += every) {
            const Equilibrium& point = branch.points[i];
            out += fmt::format("  {} = {:<12.8g}", options.over, point.value);
            for (std::size_t k = 0; k < coordinates.size(); ++k) {
                out +=
                    fmt::format("  {} = {:.10g}", coordinates[k].name, point.q[static_cast<Eigen::Index>(k)]);
            }
            out += branch.sides.empty() ? (point.stable ? "  stable\n" : "  unstable\n") : "\n";
        }
        for (const EquilibriumPoint& point : branch.special) {
            out += fmt::format("  {:<16} at {} = {:.12g}{}{}\n", point.kind, options.over, point.value,
                               point.place.empty() ? "" : " ", point.place);
        }
        out += branch.end + "\n";
    }
    return out;
}

std::string to_text(const Scene& scene, const Lyapunov& result)
{
    std::string out = scene.title + "\n";
    if (!result.finished) return out + "no exponents: " + result.trouble + "\n";
    out += fmt::format("exponents over {:.6g} s with {} impacts\n", result.time_s, result.impacts);
    for (Eigen::Index i = 0; i < result.exponents_1_s.size(); ++i) {
        if (std::isinf(result.exponents_1_s[i]))
            out += fmt::format("  {:>12} 1/s\n", "-inf");
        else
            out += fmt::format("  {:>12.6g} +- {:.2g} 1/s\n", result.exponents_1_s[i], result.errors_1_s[i]);
    }
    if (std::isinf(result.exponents_1_s.minCoeff()))
        out += "-inf: a direction that the motion forgets, in contact or while it sticks\n";
    return out;
}

}  // namespace carom
