#include "carom/orbit/branch.hpp"

#include "branch_walk.hpp"
#include "core/dense.hpp"
#include "event_sequence.hpp"
#include "grazing.hpp"
#include "special_points.hpp"
#include "vanishing.hpp"

#include <algorithm>
#include <array>
#include <cmath>

#include <fmt/format.h>

namespace carom {
namespace {

using namespace detail;

constexpr double smallest_step = 1e-7;
constexpr double meets_section =
    1e-3;  ///< of the longest step: where shorter ones fail an event may be there

/// The orbit at a value between a node and an orbit further on, with the events of the node: on a straight
/// line to it, or on a parabola that has its vertex there, as beside grazing.
std::optional<BranchNode> orbit_between(BranchWalk& walk, const BranchNode& a, const BranchPoint& b,
                                        double value)
{
    const double part = (value - a.value) / (b.value - a.value);
    for (const double way : {part, 1 - std::sqrt(1 - part)}) {
        State start = a.start;
        start.q += way * (b.orbit.start.q - a.start.q);
        start.u += way * (b.orbit.start.u - a.start.u);
        auto node = walk.at_value(start, a.held, a.period_s + way * (b.orbit.period_s - a.period_s), value,
                                  &a, a.plane);
        if (node && same_cycle(*node, a)) return node;
    }
    return std::nullopt;
}

/// Orbits at the values asked for between a node and an orbit further on, with the events of the node.
void add_values(BranchWalk& walk, const BranchOptions& options, const BranchNode& a, const BranchPoint& b,
                Branch& branch)
{
    const std::size_t first = branch.at.size();
    for (const double value : options.values) {
        if (!((value - a.value) * (value - b.value) <= 0) || value == a.value) continue;
        if (auto node = orbit_between(walk, a, b, value)) branch.at.push_back({value, node->orbit});
    }
    std::ranges::sort(branch.at.begin() + static_cast<std::ptrdiff_t>(first), branch.at.end(), std::less{},
                      [&](const BranchPoint& one) { return std::abs(one.value - a.value); });
}

/// The same between two nodes, from both of them where events change at the last special point.
void add_values(BranchWalk& walk, const BranchOptions& options, const BranchNode& a, const BranchNode& b,
                Branch& branch)
{
    if (options.values.empty()) return;
    if (same_cycle(a, b) || branch.special.empty()) {
        add_values(walk, options, a, BranchPoint{b.value, b.orbit}, branch);
        return;
    }
    const BranchPoint change{branch.special.back().value, branch.special.back().orbit};
    add_values(walk, options, a, change, branch);
    const auto first = static_cast<std::ptrdiff_t>(branch.at.size());
    add_values(walk, options, b, change, branch);
    std::reverse(branch.at.begin() + first, branch.at.end());
    const bool is_met = std::ranges::find(options.values, b.value) != options.values.end();
    if (is_met) branch.at.push_back({b.value, b.orbit});
}

/// Of the coordinates in a period.
double width(const Orbit& orbit)
{
    return (orbit.highest - orbit.lowest).cwiseAbs().maxCoeff();
}

/// Orbits that are far wider than the first one was, and than the scene is.
bool is_unbounded(const BranchWalk& walk, const BranchNode& node, double first_width)
{
    constexpr double much = 1e6;
    return width(node.orbit) > much * std::max(first_width, walk.scene().length_m);
}

/// Why a branch does not go on where no event vanishes: its range ends where the scene does, the scene ends
/// before, or the orbits grow.
std::string limit_of_branch(const BranchWalk& walk, const BranchOptions& options, const BranchNode& node,
                            double first_width)
{
    constexpr double steep = 1e4;
    for (const double bound : {options.low, options.high}) {
        if (std::abs(node.value - bound) <= smallest_step * walk.range()) return "range";
    }
    if (!walk.errors().empty())
        return fmt::format("no scene beyond {:.9g}: {}", node.value, walk.errors().front().message);
    if (is_unbounded(walk, node, first_width))
        return fmt::format("the orbits grow without bound towards {:.9g}", node.value);
    if (!walk.has_given_period() && node.dT != 0 && std::abs(node.dT) > steep * std::abs(node.dvalue))
        return fmt::format("the period {} towards {:.9g}, at {:.6g} s",
                           node.dT > 0 ? "grows without bound" : "vanishes", node.value, node.period_s);
    return fmt::format("no orbit is found beyond {:.9g}{}{}", node.value, walk.trouble().empty() ? "" : ": ",
                       walk.trouble());
}

/// Why a branch does not go on: what was seen ahead, and is not far from here, or a limit, or nothing that is
/// known.
std::string end_of_branch(BranchWalk& walk, const BranchOptions& options, const BranchNode& node,
                          std::optional<SpecialPoint>& ahead, double first_width, Branch& branch)
{
    const auto is_here = [&] {
        return ahead && std::abs(ahead->value - node.value) <= 1e-4 * std::abs(node.value);
    };
    std::string limit = limit_of_branch(walk, options, node, first_width);
    // beside grazing steps are short: once more from where the last one ended
    for (double reach = 1e-2; !is_here() && reach > smallest_step; reach /= 10) {
        if (auto found = vanishing_ahead(walk, node, reach)) ahead = std::move(found->point);
    }
    if (!is_here()) return limit;
    branch.special.push_back(std::move(*ahead));
    const SpecialPoint& point = branch.special.back();
    add_values(walk, options, node, BranchPoint{point.value, point.orbit}, branch);
    return fmt::format("{} at {:.12g}: no orbit of this sequence of events beyond", point.kind, point.value);
}

/// Where in the period its events are, in (0, 1), and where they will be a step further on.
std::vector<double> event_parts(const BranchWalk& walk, const BranchNode& node, double step, bool ahead)
{
    std::vector<double> parts;
    for (const SensitiveEvent& one : node.orbit.events) {
        const double away_s = one.event.time_s - node.start.t_s;
        if (!(away_s > 0)) continue;
        double part = away_s / node.period_s;
        if (ahead && one.dtime_s.size() > 0)
            part += step * (one.dtime_s[0] * node.dvalue * walk.range() / node.period_s - part * node.dT);
        parts.push_back(part);
    }
    std::ranges::sort(parts);
    return parts;
}

/// An event that comes to the instant at which orbits begin would go over from one end of the period to the
/// other: then they begin in the middle of the longest time without one. True: they do now.
bool keep_off_events(BranchWalk& walk, BranchNode& node, double step)
{
    constexpr double near = 0.05;
    const auto parts = event_parts(walk, node, step, false), ahead = event_parts(walk, node, step, true);
    if (parts.empty()) return false;
    const auto is_clear = [](const std::vector<double>& of) {
        return of.front() > near && of.back() < 1 - near;
    };
    if (is_clear(parts) && is_clear(ahead)) return false;
    double longest = parts.front() + 1 - parts.back(), middle = (parts.front() + parts.back() - 1) / 2;
    for (std::size_t i = 1; i < parts.size(); ++i) {
        if (parts[i] - parts[i - 1] <= longest) continue;
        longest = parts[i] - parts[i - 1];
        middle = (parts[i] + parts[i - 1]) / 2;
    }
    // worth while only where events stay farther away then
    const double distance = std::min(parts.front(), 1 - parts.back());
    if (longest / 2 < 1.5 * distance) return false;
    auto other = walk.turned(node, middle > 0 ? middle : middle + 1);
    if (other) node = std::move(*other);
    return other.has_value();
}

/// Whether a node is as far away as its step says.
bool is_near(const BranchNode& a, const BranchNode& b, double step)
{
    Eigen::VectorXd displacement(a.scale.size());
    displacement << b.start.q - a.start.q, b.start.u - a.start.u;
    return displacement.cwiseQuotient(a.scale).norm() <= 100 * step;
}

/// Whether the last orbits of a branch were met before: it closes, or it has turned round at a special point
/// and runs back. Two chords in a row that lie on former ones.
bool repeats_itself(const BranchWalk& walk, const BranchOptions& options, const BranchNode& node,
                    const std::vector<BranchPoint>& points)
{
    constexpr std::size_t behind = 3;  // further back than these
    constexpr double beside = 0.02;
    const double longest = 4 * options.max_step;  // longer ones lead over a change of the start
    const auto place = [&](const BranchPoint& point) {
        const auto& [value, orbit] = point;
        Eigen::VectorXd x(node.scale.size() + 3);
        x << orbit.start.q, orbit.start.u, orbit.start.t_s, orbit.period_s, value;
        x.head(node.scale.size()) = x.head(node.scale.size()).cwiseQuotient(node.scale);
        x[x.size() - 3] /= node.period_s;
        x[x.size() - 2] /= node.period_s;
        x[x.size() - 1] /= walk.range();
        return x;
    };
    const auto on_former = [&](const Eigen::VectorXd& at, std::size_t last) {
        Eigen::VectorXd a = place(points[0]);
        for (std::size_t i = 1; i <= last; ++i) {
            const Eigen::VectorXd b = place(points[i]);
            const double length = (b - a).norm(), part = (at - a).dot(b - a) / (length * length);
            if (length <= longest && part >= 0 && part <= 1 &&
                (at - a - part * (b - a)).norm() <= beside * length)
                return true;
            a = b;
        }
        return false;
    };
    const std::size_t count = points.size();
    if (count < 2 * behind + 3) return false;
    for (std::size_t k = 1; k <= behind; ++k) {
        if (!on_former(place(points[count - k]), count - behind - 3)) return false;
    }
    return true;
}

/// A branch begins at the value of the scene.
Errors check_range(const BranchOptions& options, double value)
{
    if (options.low <= value && value <= options.high) return {};
    return {{.code = ErrorCode::SettingOutOfRange,
             .where = "--over",
             .message = fmt::format("{} is {} in the scene, outside {} to {}", options.over, value,
                                    options.low, options.high),
             .hint = "give a range that contains the value of the scene, or set another with --set",
             .excerpt = {}}};
}

Expected<Branch, Errors> walk_on(BranchWalk& walk, const BranchOptions& options, BranchNode node)
{
    Branch branch;
    branch.points.push_back({node.value, node.orbit});
    for (const double value : options.values) {
        if (value == node.value) branch.at.push_back({value, node.orbit});
    }
    double step = options.max_step / 4;
    bool is_turned = false;             // since the last orbit
    std::optional<SpecialPoint> ahead;  // what may end the branch
    while (branch.end.empty()) {
        if (static_cast<int>(branch.points.size()) >= options.max_points) {
            branch.end = "max_points";
            break;
        }
        if (walk.has_given_period()) keep_off_events(walk, node, step);
        auto next = walk.ahead(node, step);
        const bool jumps = next && std::abs(next->value - node.value) > 3 * step * walk.range();
        // other events, and nothing that vanishes in between: perhaps it is an orbit of another branch
        const std::size_t known = branch.special.size();
        const bool explained = next && !jumps && add_special_points(walk, node, *next, step, branch);
        const bool unknown =
            next && !jumps && !explained && step <= smallest_step * 2 && is_near(node, *next, step);
        if (!explained && !walk.has_given_period() && !is_turned &&
            step <= meets_section * options.max_step) {
            // orbits begin on the section as long as no event comes to it
            is_turned = true;
            if (keep_off_events(walk, node, 0)) {
                step = options.max_step / 64;
                continue;
            }
        }
        if (unknown)
            branch.special.push_back(
                {.kind = "events", .value = next->value, .orbit = next->orbit, .place = {}});
        if (!explained && !unknown) {
            if (step > 1e-3 * options.max_step) {
                if (auto found = vanishing_ahead(walk, node, step)) ahead = std::move(found->point);
            }
            step /= 2;
            if (step > smallest_step) continue;
            branch.end =
                end_of_branch(walk, options, node, ahead, width(branch.points.front().orbit), branch);
            break;
        }
        add_values(walk, options, node, *next, branch);
        // the last orbit is that of the end of the range
        if (next->value < options.low || next->value > options.high) {
            const double edge = next->value < options.low ? options.low : options.high;
            branch.end = "range";
            const auto beyond = [&](const SpecialPoint& point) {
                return point.value < options.low || point.value > options.high;
            };
            branch.special.erase(std::remove_if(branch.special.begin() + static_cast<std::ptrdiff_t>(known),
                                                branch.special.end(), beyond),
                                 branch.special.end());
            if (auto last = orbit_between(walk, node, BranchPoint{next->value, next->orbit}, edge))
                next = std::move(last);
        }
        node = std::move(*next);
        is_turned = false;
        branch.points.push_back({node.value, node.orbit});
        if (branch.end.empty() && is_unbounded(walk, node, width(branch.points.front().orbit)))
            branch.end = limit_of_branch(walk, options, node, width(branch.points.front().orbit));
        else if (branch.end.empty() && repeats_itself(walk, options, node, branch.points))
            branch.end = fmt::format("from {:.9g} on these are orbits that were met before: the branch is "
                                     "closed, or has turned round",
                                     node.value);
        if (options.on_point && !options.on_point(node.value)) branch.end = "stopped";
        step = std::min(1.5 * step, options.max_step);
    }
    return branch;
}

}  // namespace

Expected<Branch, Errors> follow_branch(const Scene& scene, const BranchOptions& options, const Orbit& first)
{
    BranchWalk walk(scene, options);
    OrbitOptions with = options.orbit;
    with.parameters = {options.over};
    auto member = make_member(scene, with);
    if (!member) return member.error();
    const double value = (*member)->symbols.values.front();
    if (Errors errors = check_range(options, value); !errors.empty()) return errors;
    auto node = walk.at_value(first.start, held_at(**member, first.start), first.period_s, value, nullptr);
    if (!node) {
        if (!walk.errors().empty()) return walk.errors();
        Branch none;
        none.end = "the orbit is not found again where the branch begins";
        return none;
    }
    return walk_on(walk, options, std::move(*node));
}

BranchOptions with_doubled_period(BranchOptions options)
{
    if (!options.orbit.period.empty())
        options.orbit.period = "2*(" + options.orbit.period + ")";
    else
        options.orbit.returns *= 2;
    for (auto& [name, shift] : options.orbit.shift) {
        shift.insert(0, "2*(").append(")");
    }
    return options;
}

Expected<Branch, Errors> switch_at_doubling(const Scene& scene, const BranchOptions& options,
                                            const SpecialPoint& point)
{
    const BranchOptions twice = with_doubled_period(options);
    BranchWalk walk(scene, twice);
    Branch none;
    OrbitOptions with = twice.orbit;
    with.parameters = {twice.over};
    auto member = make_member(scene, with);
    if (!member) return member.error();
    auto node = walk.at_value(point.orbit.start, held_at(**member, point.orbit.start),
                              2 * point.orbit.period_s, point.value, nullptr);
    if (!node) {
        if (!walk.errors().empty()) return walk.errors();
        none.end = "the orbit is not found again at the doubling";
        return none;
    }

    // along the direction that a period turns round (OR-17)
    const Eigen::MatrixXd& B = point.orbit.tangent;
    const Eigenpairs modes = eigenpairs_of(B.transpose() * point.orbit.monodromy * B);
    Eigen::Index nearest = 0;
    (modes.values.array() + std::complex<double>(1)).abs().minCoeff(&nearest);
    node->dz = (B * modes.vectors.col(nearest).real()).cwiseQuotient(node->scale);
    node->dz.normalize();
    node->dT = node->dvalue = 0;
    for (double step = twice.max_step / 2; step > smallest_step; step /= 2) {
        auto next = walk.ahead(*node, step);
        if (next) return walk_on(walk, twice, std::move(*next));
    }
    none.end = "no doubled orbit is found near the period doubling";
    return none;
}

namespace {

/// The orbit that grazes, where it does: the state there, and for how long before nothing happens.
struct GrazingState {
    int contact = -1;
    State state;
    double calm_s = 0;  ///< since the event before
    double speed_m_s = 0;
};

std::optional<GrazingState> grazing_state(const Scene& scene, const OrbitOptions& options,
                                          const SpecialPoint& point)
{
    const std::array values{point.value};
    auto member = make_member(scene, options, values);
    if (!member) return std::nullopt;
    GrazingState result;
    const auto& contacts = (*member)->scene.model.system().contacts;
    const auto found = std::ranges::find(contacts, point.place, &Contact::name);
    if (found == contacts.end()) return std::nullopt;
    result.contact = static_cast<int>(found - contacts.begin());

    const Orbit& orbit = point.orbit;
    double last_s = point.time_s - orbit.period_s;
    for (const SensitiveEvent& one : orbit.events) {
        const bool before = one.event.time_s < point.time_s - 1e-6 * orbit.period_s;
        const double t_s = before ? one.event.time_s : one.event.time_s - orbit.period_s;
        if (t_s < point.time_s - 1e-6 * orbit.period_s) last_s = std::max(last_s, t_s);
    }
    result.calm_s = point.time_s - last_s;
    const Shot shot = shoot(**member, orbit.start, point.time_s - orbit.start.t_s,
                            Rows((*member)->flow->system().columns(), 0));
    if (!shot.good) return std::nullopt;
    result.state = shot.end;
    result.speed_m_s = std::max(shot.end.u.cwiseAbs().maxCoeff(),
                                (orbit.highest - orbit.lowest).cwiseAbs().maxCoeff() / orbit.period_s);
    return result;
}

/// A start of an orbit that is known at its impact, for Newton's method on the whole period: half a calm time
/// before the impact, at a time that is given or on the section.
std::optional<State> start_of(const Scene& scene, const OrbitOptions& options, const ImpactingOrbit& orbit,
                              double at_s)
{
    const std::array values{orbit.value};
    auto member = make_member(scene, options, values);
    if (!member) return std::nullopt;
    Flow& flow = *(*member)->flow;
    flow.set_until(nullptr);
    flow.start(orbit.before, Rows(flow.system().columns(), 0));
    if (!(*member)->period)
        return run_to_section(**member, 2 * orbit.period_s) == SectionReturn::Met
                   ? std::optional(flow.state())
                   : std::nullopt;
    if (flow.advance(at_s) != Flow::End::Reached) return std::nullopt;
    return flow.state();
}

bool strikes_at(const Orbit& orbit, int contact, double speed_m_s, double tolerance_m_s)
{
    return std::ranges::any_of(orbit.events, [&](const SensitiveEvent& one) {
        return one.event.kind == EventKind::Impact && one.event.contact == contact &&
               std::abs(one.event.velocity_before_m_s + speed_m_s) <= tolerance_m_s;
    });
}

}  // namespace

Expected<Branch, Errors> switch_at_grazing(const Scene& scene, const BranchOptions& options,
                                           const SpecialPoint& point)
{
    OrbitOptions with = options.orbit;
    with.parameters = {options.over};
    Branch none;
    none.end = fmt::format("no orbit with one more impact is found near the grazing at {:.12g}", point.value);
    if (auto member = make_member(scene, with); !member) return member.error();
    const auto graze = grazing_state(scene, with, point);
    if (!graze) return none;
    for (double part = 1e-2; part > 1e-6; part /= 10) {
        const double speed = part * graze->speed_m_s;
        ImpactingOrbit orbit(scene, with, graze->contact, graze->calm_s / 2);
        orbit.before = graze->state;
        orbit.value = point.value;
        orbit.period_s = point.orbit.period_s;
        if (!orbit.solve(speed)) continue;
        ImpactingOrbit faster(scene, with, graze->contact, graze->calm_s / 2);
        faster.before = orbit.before;
        faster.value = orbit.value;
        faster.period_s = orbit.period_s;
        if (!faster.solve(1.1 * speed)) continue;

        // the same orbits, begun somewhere else
        const double at_s = orbit.before.t_s + orbit.period_s - graze->calm_s / 2;
        const auto first = start_of(scene, with, orbit, at_s), second = start_of(scene, with, faster, at_s);
        if (!first || !second) continue;
        BranchWalk walk(scene, options);
        auto node = walk.at_value(*first, {}, orbit.period_s, orbit.value, nullptr);
        if (!node || !strikes_at(node->orbit, graze->contact, speed, 1e-3 * speed)) continue;
        const auto n = first->q.size();
        Eigen::VectorXd displacement(2 * n);
        displacement << second->q - first->q, second->u - first->u;
        const double ahead = node->dz.dot(displacement.cwiseQuotient(node->scale)) +
                             node->dT * (faster.period_s - orbit.period_s) / orbit.period_s +
                             node->dvalue * (faster.value - orbit.value) / walk.range();
        if (ahead < 0) node = reversed(std::move(*node));
        return walk_on(walk, options, std::move(*node));
    }
    return none;
}

Expected<Branch, Errors> follow_branch(const Scene& scene, const BranchOptions& options)
{
    OrbitOptions with = options.orbit;
    with.parameters = {options.over};
    const auto symbols = read_symbols(scene, with.parameters);
    if (!symbols) return symbols.error();
    if (Errors errors = check_range(options, symbols->values.front()); !errors.empty()) return errors;
    auto orbit = find_orbit(scene, with);
    if (!orbit) return orbit.error();
    if (!orbit->converged) {
        Branch none;
        none.end = "no orbit to begin with: " + orbit->trouble;
        return none;
    }
    return follow_branch(scene, options, *orbit);
}

}  // namespace carom
