#include "orbit_results.hpp"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

namespace carom::app {
namespace {

using Json = nlohmann::ordered_json;

Json list_of(const Eigen::VectorXd& x)
{
    return Json(std::vector<double>(x.data(), x.data() + x.size()));
}

Json by_names(const std::vector<std::string>& names, const Eigen::VectorXd& values)
{
    if (values.size() == 0) return nullptr;
    Json object = Json::object();
    for (std::size_t i = 0; i < names.size(); ++i) {
        object[names[i]] = values[static_cast<Eigen::Index>(i)];
    }
    return object;
}

Json event_of(const SensitiveEvent& one, const std::vector<std::string>& by)
{
    Json item = {{"time_s", one.event.time_s},
                 {"kind", name_of(one.event.kind)},
                 {"place", one.place},
                 {"percussion_Ns", one.event.percussion_Ns}};
    item["dtime_s"] = by_names(by, one.dtime_s);
    if (one.dpercussion_Ns.size() > 0 && one.dpercussion_Ns.allFinite())
        item["dpercussion_Ns"] = by_names(by, one.dpercussion_Ns);
    return item;
}

Json lost_of(const std::optional<NotDifferentiable>& lost)
{
    if (!lost) return nullptr;
    Json item = {
        {"time_s", lost->time_s}, {"kind", lost->kind}, {"place", lost->place}, {"words", lost->words}};
    if (lost->order > 0) {
        item["order"] = lost->order;
        item["instant_exponent"] = lost->instant_exponent;
        item["state_exponent"] = lost->state_exponent;
    }
    return item;
}

Json multipliers_of(const std::vector<std::complex<double>>& multipliers)
{
    Json list = Json::array();
    for (const auto& m : multipliers) {
        list.push_back(Json::array({m.real(), m.imag()}));
    }
    return list;
}

Json state_of(const Scene& scene, const Orbit& orbit)
{
    Json state = Json::object();
    const auto& coordinates = scene.model.system().coordinates;
    for (std::size_t i = 0; i < coordinates.size(); ++i) {
        const auto k = static_cast<Eigen::Index>(i);
        state[coordinates[i].name] = {
            {"q", orbit.start.q[k]},
            {"u", orbit.start.u[k]},
            {"min", orbit.lowest.size() > k ? Json(orbit.lowest[k]) : Json(nullptr)},
            {"max", orbit.highest.size() > k ? Json(orbit.highest[k]) : Json(nullptr)}};
    }
    return state;
}

Json orbit_json(const Scene& scene, const std::vector<std::string>& parameters, const Orbit& orbit)
{
    Json item = {{"converged", orbit.converged},
                 {"residual", orbit.residual},
                 {"period_s", orbit.period_s},
                 {"start_s", orbit.start.t_s},
                 {"start", state_of(scene, orbit)},
                 {"stable", orbit.stable},
                 {"multipliers", multipliers_of(orbit.section_multipliers)}};
    item["dperiod_s"] = by_names(parameters, orbit.dperiod);
    item["events"] = Json::array();
    for (const SensitiveEvent& one : orbit.events) {
        if (one.event.time_s > orbit.start.t_s) item["events"].push_back(event_of(one, parameters));
    }
    if (!orbit.trouble.empty()) item["trouble"] = orbit.trouble;
    return item;
}

std::string multiplier_text(const std::complex<double>& m)
{
    return m.imag() == 0 ? fmt::format("{:.6g}", m.real())
                         : fmt::format("{:.6g}{:+.6g}i", m.real(), m.imag());
}

}  // namespace

std::string json_of(const Scene& scene, const Sensitivities& result)
{
    Json out = {{"title", scene.title}, {"by", result.by}, {"reached_end", result.reached_end}};
    const auto& system = scene.model.system();
    out["states"] = Json::array();
    for (const SensitiveState& state : result.states) {
        Json item = {{"time_s", state.time_s}, {"coordinates", Json::object()}};
        for (int i = 0; i < scene.model.coordinates(); ++i) {
            Json one = {{"q", state.q[i]}, {"u", state.u[i]}};
            if (state.dq.size() > 0) {
                one["dq"] = by_names(result.by, state.dq.row(i).transpose());
                one["du"] = by_names(result.by, state.du.row(i).transpose());
            }
            item["coordinates"][system.coordinates[static_cast<std::size_t>(i)].name] = std::move(one);
        }
        for (std::size_t i = 0; i < state.probes.size(); ++i) {
            Json one = {{"value", state.probes[i]}};
            if (state.dprobes.size() > 0)
                one["d"] = by_names(result.by, state.dprobes.row(static_cast<Eigen::Index>(i)).transpose());
            item["probes"][system.probes[i].name] = std::move(one);
        }
        out["states"].push_back(std::move(item));
    }
    out["events"] = Json::array();
    for (const SensitiveEvent& one : result.events) {
        out["events"].push_back(event_of(one, result.by));
    }
    if (result.dend_s.size() > 0) out["dend_s"] = by_names(result.by, result.dend_s);
    out["not_differentiable"] = lost_of(result.lost);
    return out.dump(2) + "\n";
}

std::string text_of(const Scene& scene, const Sensitivities& result)
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
    if (result.lost) {
        out += fmt::format("\nnot differentiable from {:.9g} s on ({} {}): {}\n", result.lost->time_s,
                           result.lost->kind, result.lost->place, result.lost->words);
    }
    for (const Finding& finding : result.findings) {
        if (!result.reached_end) out += finding.message + "\n";
    }
    return out;
}

std::string json_of(const Scene& scene, const OrbitOptions& options, const Orbit& orbit)
{
    return orbit_json(scene, options.parameters, orbit).dump(2) + "\n";
}

std::string text_of(const Scene& scene, const OrbitOptions& options, const Orbit& orbit)
{
    std::string out = scene.title + "\n";
    if (!orbit.converged) {
        return out +
               fmt::format("no orbit: the closure is left with {:.3g}; {}\n", orbit.residual, orbit.trouble);
    }
    out += fmt::format("orbit of period {:.12g} s, {}; closed to {:.1e}\n", orbit.period_s,
                       orbit.stable ? "stable" : "unstable", orbit.residual);
    out += "multipliers";
    for (const auto& m : orbit.section_multipliers) {
        out += "  " + multiplier_text(m);
    }
    out += "\nstart\n";
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

std::string json_of(const Scene& scene, const BranchOptions& options, const Branch& branch)
{
    Json out = {{"title", scene.title}, {"over", options.over}, {"end", branch.end}};
    const std::vector<std::string> by{options.over};
    out["coordinates"] = Json::array();
    for (const Coordinate& coordinate : scene.model.system().coordinates)
        out["coordinates"].push_back(coordinate.name);
    out["points"] = Json::array();
    for (const BranchPoint& point : branch.points) {
        out["points"].push_back({{"value", point.value},
                                 {"period_s", point.orbit.period_s},
                                 {"stable", point.orbit.stable},
                                 {"multipliers", multipliers_of(point.orbit.section_multipliers)},
                                 {"min", list_of(point.orbit.lowest)},
                                 {"max", list_of(point.orbit.highest)}});
    }
    out["special"] = Json::array();
    for (const SpecialPoint& point : branch.special) {
        Json item = {
            {"kind", point.kind}, {"value", point.value}, {"orbit", orbit_json(scene, by, point.orbit)}};
        if (!point.place.empty()) {
            item["place"] = point.place;
            item["time_s"] = point.time_s;
        }
        out["special"].push_back(std::move(item));
    }
    return out.dump(2) + "\n";
}

std::string text_of(const Scene& scene, const BranchOptions& options, const Branch& branch)
{
    std::string out = scene.title + "\n";
    if (branch.points.empty()) return out + branch.end + "\n";
    out += fmt::format("{} orbits, {} from {:.9g} to {:.9g}\n", branch.points.size(), options.over,
                       branch.points.front().value, branch.points.back().value);
    for (const SpecialPoint& point : branch.special) {
        out += fmt::format("  {:<16} at {} = {:.12g}", point.kind, options.over, point.value);
        if (!point.place.empty()) out += fmt::format("  ({}, {:.9g} s)", point.place, point.time_s);
        out += "\n";
    }
    return out + branch.end + "\n";
}

std::string json_of(const Scene& scene, const Lyapunov& result)
{
    Json out = {{"title", scene.title}, {"finished", result.finished}};
    if (!result.finished) {
        out["trouble"] = result.trouble;
        return out.dump(2) + "\n";
    }
    out["time_s"] = result.time_s;
    out["impacts"] = result.impacts;
    out["exponents_1_s"] = list_of(result.exponents_1_s);
    out["errors_1_s"] = list_of(result.errors_1_s);
    out["chaotic"] = result.exponents_1_s[0] > 3 * result.errors_1_s[0];
    return out.dump(2) + "\n";
}

std::string text_of(const Scene& scene, const Lyapunov& result)
{
    std::string out = scene.title + "\n";
    if (!result.finished) return out + "no exponents: " + result.trouble + "\n";
    out += fmt::format("exponents over {:.6g} s with {} impacts\n", result.time_s, result.impacts);
    for (Eigen::Index i = 0; i < result.exponents_1_s.size(); ++i) {
        out += fmt::format("  {:>12.6g} +- {:.2g} 1/s\n", result.exponents_1_s[i], result.errors_1_s[i]);
    }
    return out;
}

std::string csv_of(const Scene& scene, const BranchOptions& options, const Branch& branch)
{
    std::string out = options.over + ",period_s,stable";
    const auto& coordinates = scene.model.system().coordinates;
    for (const Coordinate& coordinate : coordinates) {
        out += fmt::format(",{0}_min,{0}_max,{0}_start,{0}_start_velocity", coordinate.name);
    }
    std::size_t most = 0;
    for (const BranchPoint& point : branch.points) {
        most = std::max(most, point.orbit.section_multipliers.size());
    }
    for (std::size_t i = 0; i < most; ++i) {
        out += fmt::format(",multiplier_{0}_re,multiplier_{0}_im", i + 1);
    }
    out += "\n";
    for (const BranchPoint& point : branch.points) {
        const Orbit& orbit = point.orbit;
        out += fmt::format("{:.17g},{:.17g},{}", point.value, orbit.period_s, orbit.stable ? 1 : 0);
        for (Eigen::Index i = 0; i < orbit.lowest.size(); ++i) {
            out += fmt::format(",{:.17g},{:.17g},{:.17g},{:.17g}", orbit.lowest[i], orbit.highest[i],
                               orbit.start.q[i], orbit.start.u[i]);
        }
        for (std::size_t i = 0; i < most; ++i) {
            const bool has = i < orbit.section_multipliers.size();
            out += has ? fmt::format(",{:.17g},{:.17g}", orbit.section_multipliers[i].real(),
                                     orbit.section_multipliers[i].imag())
                       : std::string(",,");
        }
        out += "\n";
    }
    return out;
}

std::string svg_of(const Scene& scene, const BranchOptions& options, const Branch& branch)
{
    constexpr double width = 640, height = 420, left = 70, bottom = 50, top = 20, right = 20;
    double low = 1e300, high = -1e300, v_low = 1e300, v_high = -1e300;
    for (const BranchPoint& point : branch.points) {
        if (point.orbit.highest.size() == 0) continue;
        for (const double x : {point.orbit.highest[0], point.orbit.lowest[0]}) {
            low = std::min(low, x);
            high = std::max(high, x);
        }
        v_low = std::min(v_low, point.value);
        v_high = std::max(v_high, point.value);
    }
    if (!(high > low)) high = low + 1;
    if (!(v_high > v_low)) v_high = v_low + 1;
    const auto x_at = [&](double value) {
        return left + (value - v_low) / (v_high - v_low) * (width - left - right);
    };
    const auto y_at = [&](double x) {
        return height - bottom - (x - low) / (high - low) * (height - top - bottom);
    };
    std::string out = fmt::format("<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {} {}\" "
                                  "font-family=\"sans-serif\" font-size=\"13\">\n"
                                  "<rect width=\"100%\" height=\"100%\" fill=\"white\"/>\n",
                                  width, height);
    out += fmt::format("<path d=\"M{0} {1}V{2}H{3}\" fill=\"none\" stroke=\"black\"/>\n", left, top,
                       height - bottom, width - right);
    for (int i = 0; i <= 4; ++i) {
        const double value = v_low + (v_high - v_low) * i / 4, x = low + (high - low) * i / 4;
        out += fmt::format("<text x=\"{:.1f}\" y=\"{:.1f}\" text-anchor=\"middle\">{:.4g}</text>\n",
                           x_at(value), height - bottom + 18, value);
        out += fmt::format("<text x=\"{:.1f}\" y=\"{:.1f}\" text-anchor=\"end\">{:.4g}</text>\n", left - 6,
                           y_at(x) + 4, x);
    }
    out += fmt::format("<text x=\"{:.1f}\" y=\"{:.1f}\" text-anchor=\"middle\">{}</text>\n", width / 2,
                       height - 10, options.over);
    out += fmt::format(
        "<text x=\"14\" y=\"{:.1f}\" transform=\"rotate(-90 14 {:.1f})\" text-anchor=\"middle\">largest and "
        "smallest {}</text>\n",
        height / 2, height / 2, scene.model.system().coordinates.front().name);
    for (std::size_t i = 1; i < branch.points.size(); ++i) {
        const BranchPoint &a = branch.points[i - 1], &b = branch.points[i];
        for (const bool upper : {true, false}) {
            const double from = upper ? a.orbit.highest[0] : a.orbit.lowest[0];
            const double to = upper ? b.orbit.highest[0] : b.orbit.lowest[0];
            out += fmt::format(
                "<line x1=\"{:.2f}\" y1=\"{:.2f}\" x2=\"{:.2f}\" y2=\"{:.2f}\" stroke=\"#0072b2\"{}/>\n",
                x_at(a.value), y_at(from), x_at(b.value), y_at(to),
                b.orbit.stable ? " stroke-width=\"2\"" : " stroke-dasharray=\"4 3\"");
        }
    }
    for (const SpecialPoint& point : branch.special) {
        if (point.orbit.highest.size() == 0) continue;
        out += fmt::format("<circle cx=\"{:.2f}\" cy=\"{:.2f}\" r=\"4\" fill=\"#d55e00\"><title>{} at {} = "
                           "{:.10g}</title></circle>\n",
                           x_at(point.value), y_at(point.orbit.highest[0]), point.kind, options.over,
                           point.value);
    }
    return out + "</svg>\n";
}

}  // namespace carom::app
