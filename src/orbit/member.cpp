#include "member.hpp"

#include "directions.hpp"
#include "watch.hpp"

#include "core/dense.hpp"
#include "core/text.hpp"
#include "expression/parse.hpp"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

namespace carom::detail {
namespace {

/// A formula of an option, with symbols and with numbers.
struct Read {
    Formula symbols, numbers;
};

Expected<Read, Errors> read_option(const Member& member, const std::string& text, const std::string& where)
{
    auto symbols = parse_formula(text, member.symbols.vocabulary, where);
    if (!symbols) return Errors{symbols.error()};
    auto numbers = parse_formula(text, member.symbols.numbers, where);
    if (!numbers) return Errors{numbers.error()};
    return Read{*symbols, *numbers};
}

Error no_coordinate(const std::string& name, const std::string& where)
{
    return {.code = ErrorCode::UnknownName,
            .where = where,
            .message = fmt::format("the scene has no coordinate {}", carom::quoted(name)),
            .hint = "name one of its [[coordinate]]s",
            .excerpt = {}};
}

Errors read_options(const OrbitOptions& options, Member& member)
{
    Errors errors;
    const auto keep = [&](const Errors& more) { errors.insert(errors.end(), more.begin(), more.end()); };
    if (!options.period.empty()) {
        auto read = read_option(member, options.period, "--period");
        if (read)
            member.period = member.flow->system().functions_of({read->symbols});
        else
            keep(read.error());
    }
    if (!options.section.empty()) {
        auto read = read_option(member, options.section, "--section");
        if (read) {
            member.section_formula = read->numbers;
            const auto falls = parse_formula("-(" + options.section + ")", member.symbols.numbers);
            if (falls) member.section_falls = *falls;
            member.section = member.flow->system().functions_of({read->symbols});
        } else {
            keep(read.error());
        }
    }
    const auto& coordinates = member.scene.model.system().coordinates;
    member.shift.assign(coordinates.size(), 0.0);
    member.is_free.assign(coordinates.size(), 0);
    const auto place_of = [&](const std::string& name) {
        return static_cast<std::size_t>(std::ranges::find(coordinates, name, &Coordinate::name) -
                                        coordinates.begin());
    };
    const int P = member.flow->system().parameters(), z = 2 * member.scene.model.coordinates();
    member.shift_slopes.assign(coordinates.size(), Eigen::VectorXd::Zero(P));
    for (const auto& [name, text] : options.shift) {
        const auto value = parse_constant(text, member.symbols.numbers, "--shift");
        auto read = read_option(member, text, "--shift");
        if (place_of(name) == coordinates.size()) {
            errors.push_back(no_coordinate(name, "--shift"));
        } else if (!value || !read) {
            keep(value ? read.error() : Errors{value.error()});
        } else {
            member.shift[place_of(name)] = *value;
            Differentiated shift = member.flow->system().functions_of({read->symbols});
            const State& start = member.scene.start;
            Workspace work;
            shift.at(member.flow->system().place(start.t_s, start.q, start.u).point(), work);
            member.shift_slopes[place_of(name)] = shift.slope.row(0).segment(z, P).transpose();
        }
    }
    for (const std::string& name : options.free) {
        if (place_of(name) == coordinates.size())
            errors.push_back(no_coordinate(name, "--free"));
        else
            member.is_free[place_of(name)] = 1;
    }
    return errors;
}

}  // namespace

Expected<std::unique_ptr<Member>, Errors> make_member(const Scene& scene, const OrbitOptions& options,
                                                      std::span<const double> values)
{
    std::unique_ptr<Member> member;
    if (values.empty()) {
        member = std::make_unique<Member>(scene);
    } else {
        auto read = scene_with_parameters(scene, options.parameters, values);
        if (!read) return read.error();
        member = std::make_unique<Member>(std::move(*read));
    }
    if (Errors errors = check_for_orbits(member->scene); !errors.empty()) return errors;
    auto symbols = read_symbols(member->scene, options.parameters);
    if (!symbols) return symbols.error();
    member->symbols = std::move(*symbols);
    member->flow = std::make_unique<Flow>(member->scene, member->symbols);
    if (Errors errors = read_options(options, *member); !errors.empty()) return errors;
    return member;
}

Held held_at(Member& member, const State& state)
{
    constexpr double still = 1e-9;
    Held held;
    Workspace work;
    VariationalSystem& system = member.flow->system();
    const auto place = system.place(state.t_s, state.q, state.u);
    const double reach = 10 * series_settings(member.scene).activation_gap_m;
    for (std::size_t c = 0; c < system.contacts.size(); ++c) {
        auto& contact = system.contacts[c];
        contact.gap.at(place.point(), work);
        contact.U[0].at(place.point(), work);
        const double scale = state.u.cwiseAbs().maxCoeff() + 1e-300;
        // where everything stands still for an instant, no velocity is small against another
        const bool persists = c < state.closed.size() && state.closed[c] != 0;
        const bool approaches = !persists && std::abs(contact.U[0].value[0]) > still * scale;
        if (!(contact.gap.value[0] <= reach) || approaches) continue;
        held.contacts.push_back(static_cast<int>(c));
        const auto sliding = contact.U[0].value.tail(contact.dimension - 1);
        held.sticks.push_back(contact.friction && sliding.norm() <= still * scale ? 1 : 0);
    }
    return held;
}

Eigen::MatrixXd held_slopes(Member& member, const Held& held, const State& state)
{
    VariationalSystem& system = member.flow->system();
    const int columns = system.columns();
    const auto place = system.place(state.t_s, state.q, state.u);
    Workspace work;
    Eigen::MatrixXd C(0, columns);
    const auto add = [&](const Eigen::MatrixXd& rows) {
        C.conservativeResize(C.rows() + rows.rows(), columns);
        C.bottomRows(rows.rows()) = rows;
    };
    for (std::size_t k = 0; k < held.contacts.size(); ++k) {
        auto& contact = system.contacts[static_cast<std::size_t>(held.contacts[k])];
        contact.gap.at(place.point(), work);
        contact.U[0].at(place.point(), work);
        add(contact.gap.slope.leftCols(columns));
        add(contact.U[0].slope.topLeftCorner(held.sticks[k] != 0 ? contact.dimension : 1, columns));
    }
    return C;
}

void close_contacts(Member& member, const Held& held, State& state)
{
    VariationalSystem& system = member.flow->system();
    const int n = system.coordinates();
    Workspace work;
    for (int round = 0; round < 6 && !held.contacts.empty(); ++round) {
        const Eigen::MatrixXd C = held_slopes(member, held, state).leftCols(2 * n);
        Eigen::VectorXd left(C.rows());
        Eigen::Index at = 0;
        const auto place = system.place(state.t_s, state.q, state.u);
        for (std::size_t k = 0; k < held.contacts.size(); ++k) {
            auto& contact = system.contacts[static_cast<std::size_t>(held.contacts[k])];
            contact.gap.at(place.point(), work);
            contact.U[0].at(place.point(), work);
            const int rows = held.sticks[k] != 0 ? contact.dimension : 1;
            left[at] = contact.gap.value[0];
            left.segment(at + 1, rows) = contact.U[0].value.head(rows);
            at += 1 + rows;
        }
        const Eigen::VectorXd step = LeastSquares(C).solve(left);
        state.q -= step.head(n);
        state.u -= step.tail(n);
    }
    std::ranges::fill(state.closed, char{0});
    std::ranges::fill(state.slides, char{0});
    for (std::size_t k = 0; k < held.contacts.size(); ++k) {
        const auto c = static_cast<std::size_t>(held.contacts[k]);
        state.closed[c] = 2;
        if (system.contacts[c].friction && held.sticks[k] == 0) state.slides[c] = 1;
    }
}

Shot shoot(Member& member, const State& start, double duration_s, const Rows& X)
{
    Shot shot;
    Flow& flow = *member.flow;
    const auto n = static_cast<Eigen::Index>(flow.model().coordinates());
    Watch watch(flow.system(), start);
    flow.on_piece = [&](const SeriesPiece& piece, const std::vector<SeriesStatus>& statuses) {
        watch.look(piece, statuses);
    };
    flow.on_derivatives = [&](const VariationalPiece& piece, const Rows& at) {
        watch.differentiate(piece, at);
    };
    flow.set_until(nullptr);
    flow.start(start, X);
    const Flow::End end = flow.advance(start.t_s + duration_s);
    flow.on_piece = {};
    flow.on_derivatives = {};
    shot.findings = flow.findings();
    if (end == Flow::End::Failed) {
        shot.trouble = shot.findings.empty() ? "the motion ends" : shot.findings.back().message;
        return shot;
    }
    shot.good = true;
    shot.end = flow.state();
    shot.z_end.resize(2 * n);
    shot.z_end << flow.state().q, flow.state().u;
    shot.f_end.resize(2 * n);
    shot.f_end << flow.state().u, watch.last_acceleration;
    shot.Z = flow.X().topRows(2 * n);
    shot.loss = flow.loss();
    shot.loss_s = flow.loss_s();
    shot.events = flow.events;
    shot.near = std::move(watch.near);
    shot.lowest = watch.lowest;
    shot.highest = watch.highest;
    return shot;
}

Eigen::VectorXd rate_at(Member& member, const State& state)
{
    Flow& flow = *member.flow;
    const auto n = static_cast<Eigen::Index>(flow.model().coordinates());
    Eigen::VectorXd f = Eigen::VectorXd::Zero(2 * n);
    bool first = true;
    flow.on_piece = [&](const SeriesPiece& piece, const std::vector<SeriesStatus>&) {
        const auto stride = static_cast<std::size_t>(piece.order) + 1;
        for (Eigen::Index i = 0; first && i < n; ++i) {
            f[i] = piece.u[static_cast<std::size_t>(i) * stride];
            f[n + i] = piece.u[static_cast<std::size_t>(i) * stride + 1];
        }
        first = false;
    };
    flow.set_until(nullptr);
    flow.start(state, Rows(flow.system().columns(), 0));
    static_cast<void>(flow.advance(state.t_s + 1e-9 * (1 + std::abs(state.t_s))));
    flow.on_piece = {};
    return f;
}

}  // namespace carom::detail
