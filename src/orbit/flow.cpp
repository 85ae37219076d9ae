#include "flow.hpp"

#include "core/dense.hpp"
#include "kernel.hpp"
#include "slip_parts.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

namespace carom::detail {

SeriesSettings series_settings(const Scene& scene)
{
    if (const auto* series = std::get_if<SeriesSettings>(&scene.integrator)) return *series;
    SeriesSettings settings;
    settings.activation_gap_m = 1e-9 * scene.length_m;
    return settings;
}

Flow::Flow(const Scene& scene, const SceneSymbols& symbols)
    : scene_(scene),
      settings_(series_settings(scene)),
      scratch_(scene.model),
      system_(symbols, scene.model),
      piece_(system_),
      saltation_(system_, scene.model, scene.length_m)
{
    keep_series_log(scene.model, settings_.order, scratch_);
}

void Flow::start(const State& state, const Rows& X)
{
    state_ = state;
    X_ = X;
    start_s_ = state.t_s;
    pending_ = begun_ = false;
    loss_.reset();
    one_sided_.clear();
    events.clear();
    findings_.clear();
    pieces_ = 0;
}

void Flow::start_moving(const State& state, const Rows& D, const Rows& dt)
{
    start(state, D);
    saltation_.begin_moving(state.t_s, state.q, D, dt);
    pending_ = true;
}

void Flow::set_until(const Formula* until, bool starts_at_zero)
{
    scratch_.until = until;
    scratch_.until_starts_at_zero = starts_at_zero;
    until_.reset();
    if (until != nullptr) until_ = system_.functions_of({*until});
}

void Flow::lose(const Loss& loss, double t_s)
{
    if (loss_) return;
    loss_ = loss;
    loss_s_ = t_s;
}

Flow::End Flow::advance(double to_s)
{
    if (!(to_s > state_.t_s)) return End::Reached;
    settings_.time_step_s = to_s - state_.t_s;
    dt_until_.setZero(1, X_.cols());
    const StepReport report = series_step(scene_.model, settings_, scene_.solver, state_, scratch_);
    scratch_.until_starts_at_zero = false;
    for (const Finding& finding : report.findings) {
        findings_.push_back(finding);
    }
    const bool good = report.status == StepStatus::Solved || report.status == StepStatus::NotSolved;
    if (!good) return End::Failed;
    if (X_.cols() > 0) {
        follow_report();
    } else {
        const auto pieces = series_pieces(scratch_);
        for (std::size_t i = 0; on_piece && i < pieces.size(); ++i) {
            on_piece(pieces[i], series_log(scratch_)->statuses[i]);
        }
        passed_.clear();
    }
    pieces_ += static_cast<int>(series_pieces(scratch_).size());
    keep_events();
    if (report.until) return End::Until;
    state_.t_s = to_s;
    return End::Reached;
}

/// Pieces and instants of a report in their order.
void Flow::follow_report()
{
    const auto pieces = series_pieces(scratch_);
    const SeriesLog& log = *series_log(scratch_);
    passed_.clear();
    std::size_t next = 0;
    for (std::size_t i = 0; i <= pieces.size(); ++i) {
        for (; next < log.instants.size() && log.instants[next].pieces <= i; ++next) {
            if (!loss_) pass(log.instants[next]);
        }
        if (i == pieces.size()) break;
        const bool slip_ends = next < log.instants.size() && log.instants[next].pieces == i + 1 &&
                               std::ranges::find(log.instants[next].causes, SeriesCause::Kind::SlipCollapse,
                                                 &SeriesCause::kind) != log.instants[next].causes.end();
        follow_piece(pieces[i], log.statuses[i], slip_ends);
    }
}

/// One piece, in parts where slip in space asks for them; `slip_ends` after a last straight piece (PS-11).
void Flow::follow_piece(const SeriesPiece& piece, const std::vector<SeriesStatus>& statuses, bool slip_ends)
{
    if (slip_ends || loss_) {
        if (on_piece) on_piece(piece, statuses);
        if (!loss_) hold(piece, statuses);
        return;
    }
    const SlipParts slip = slip_parts(system_, piece, statuses);
    if (slip.passes_zero) {
        lose({.kind = "onset",
              .contact = *slip.passes_zero,
              .words = "slip in space comes to zero and goes on: its direction turns at once"},
             piece.t_s);
        if (on_piece) on_piece(piece, statuses);
        return;
    }
    for (const SeriesPiece& part : slip.parts) {
        follow_part(part, statuses);
    }
    if (slip.parts.empty()) follow_part(piece, statuses);
    if (!slip.rest) return;
    if (on_piece) on_piece(*slip.rest, statuses);
    if (!loss_) hold(*slip.rest, statuses);
}

/// The last, short part of a slip in space.
void Flow::hold(const SeriesPiece& piece, const std::vector<SeriesStatus>& statuses)
{
    resume_from(piece, statuses);
    if (loss_) return;
    piece_.hold(piece, statuses, X_);
    acceleration_ = piece_.a;
    begun_ = true;
}

void Flow::follow_part(const SeriesPiece& piece, const std::vector<SeriesStatus>& statuses)
{
    if (on_piece) on_piece(piece, statuses);
    if (!begun_ && !pending_ && !loss_) look_at_start(piece, statuses);
    if (!loss_) resume_from(piece, statuses);
    if (loss_) return;
    if (stays_at_switch(piece) && depends_on_side(piece, statuses)) {
        lose({.kind = "formula",
              .contact = -1,
              .words = "the motion stays where a formula changes from one piece to the other"},
             piece.t_s);
        return;
    }
    if (!piece_.propagate(piece, statuses, X_)) {
        const bool slips_in_space = std::ranges::any_of(
            statuses, [](const SeriesStatus& one) { return one.dimension == 3 && one.slides; });
        if (slips_in_space)
            lose({.kind = "onset",
                  .contact = -1,
                  .words = "slip in space begins where the normal force is zero, or is too slow relative to "
                           "its force for series of its derivatives"},
                 piece.t_s);
        else
            lose({.kind = "formula", .contact = -1, .words = "a formula has no finite derivative here"},
                 piece.t_s);
    } else {
        if (on_derivatives) on_derivatives(piece_, X_);
        if (saltation_.is_one_sided) look_for_touches(piece, statuses);
    }
    acceleration_ = piece_.a;
    begun_ = true;
}

/// A function that chooses pieces of formulas vanishes along the whole piece, and other data move it.
bool Flow::stays_at_switch(const SeriesPiece& piece)
{
    Differentiated& switches = system_.switches;
    if (switches.slope.rows() == 0) return false;
    constexpr double rounding = VariationalSystem::switch_rounding;
    Eigen::VectorXd q, u;
    Workspace work;
    std::vector<char> stays(static_cast<std::size_t>(switches.slope.rows()), 1);
    for (const double part : {0.25, 0.5, 0.75}) {
        piece.at(part * piece.h_s, q, u);
        const auto place = system_.place(piece.t_s + part * piece.h_s, q, u);
        switches.at(place.point(), work);
        const double size = std::max(q.cwiseAbs().maxCoeff(), u.cwiseAbs().maxCoeff());
        for (std::size_t i = 0; i < stays.size(); ++i) {
            if (std::abs(switches.value[static_cast<Eigen::Index>(i)]) > rounding * size) stays[i] = 0;
        }
    }
    for (std::size_t i = 0; i < stays.size(); ++i) {
        const auto slope = switches.slope.row(static_cast<Eigen::Index>(i)).head(X_.rows());
        if (stays[i] != 0 && (slope.cwiseAbs() * X_.cwiseAbs()).maxCoeff() > 0) return true;
    }
    return false;
}

/// Whether the pieces of formulas on both sides of such a switch give other derivatives.
bool Flow::depends_on_side(const SeriesPiece& piece, const std::vector<SeriesStatus>& statuses)
{
    constexpr double rounding = 1e-12;
    Rows above = X_, below = X_;
    piece_.side_of_zero = 1;
    const bool is_above = piece_.propagate(piece, statuses, above);
    piece_.side_of_zero = -1;
    const bool is_below = piece_.propagate(piece, statuses, below);
    piece_.side_of_zero = 0;
    if (is_above != is_below) return true;
    return is_above && (above - below).cwiseAbs().maxCoeff() > rounding * above.cwiseAbs().maxCoeff();
}

/// A contact that is closed where the piece begins and does not approach: it leaves there, whatever roundings
/// make of its velocity.
bool Flow::leaves_at_start(const SeriesPiece& piece, int c)
{
    constexpr double rounding = 1e-9;
    auto& contact = system_.contacts[static_cast<std::size_t>(c)];
    Eigen::VectorXd q, u;
    Workspace work;
    // it may begin at rest: then velocities are those that it comes to
    piece.at(piece.h_s, q, u);
    const double later = u.cwiseAbs().maxCoeff();
    piece.at(0, q, u);
    const double speed = std::max(later, u.cwiseAbs().maxCoeff());
    const auto place = system_.place(piece.t_s, q, u);
    contact.gap.at(place.point(), work);
    contact.U[0].at(place.point(), work);
    return contact.gap.value[0] <= settings_.activation_gap_m && contact.U[0].value[0] >= -rounding * speed;
}

/// Gaps that are smallest inside the piece and then no larger than what counts as closed: whether they touch
/// or not is a matter of rounding, and the data decide it.
void Flow::look_for_touches(const SeriesPiece& piece, const std::vector<SeriesStatus>& statuses)
{
    constexpr int halvings = 60;
    Eigen::VectorXd q, u;
    Workspace work;
    for (int c = 0; c < static_cast<int>(system_.contacts.size()); ++c) {
        if (std::ranges::find(statuses, c, &SeriesStatus::contact) != statuses.end()) continue;
        auto& contact = system_.contacts[static_cast<std::size_t>(c)];
        const auto opens_at = [&](double s) {
            piece.at(s, q, u);
            contact.U[0].at(system_.place(piece.t_s + s, q, u).point(), work);
            return contact.U[0].value[0] > 0;
        };
        if (opens_at(0) || !opens_at(piece.h_s) || leaves_at_start(piece, c)) continue;
        double low = 0, high = piece.h_s;
        for (int k = 0; k < halvings && high - low > 1e-16 * piece.h_s; ++k) {
            const double middle = (low + high) / 2;
            (opens_at(middle) ? high : low) = middle;
        }
        piece.at(high, q, u);
        contact.gap.at(system_.place(piece.t_s + high, q, u).point(), work);
        if (contact.gap.value[0] > settings_.activation_gap_m) continue;
        Rows inside, at = X_;
        piece_.at(high, inside);
        at.topRows(inside.rows()) = inside;
        const int order = piece_.order_of_touch(c, high);
        one_sided_.push_back({.t_s = piece.t_s + high,
                              .graze = {.contact = c,
                                        .order = order,
                                        .dgap = Rows(contact.gap.slope.row(0).head(at.rows()) * at),
                                        .words = words_of_graze(order)}});
    }
}

/// A run that begins in contact: starts that move off it or into it are no neighbours of this motion; slip
/// that a start or a parameter gives to a contact that sticks is gone at once.
void Flow::look_at_start(const SeriesPiece& piece, const std::vector<SeriesStatus>& statuses)
{
    constexpr double small = 1e-9;
    const int n = scene_.model.coordinates();
    Eigen::VectorXd q, u;
    piece.at(0, q, u);
    const auto place = system_.place(piece.t_s, q, u);
    Workspace work;
    for (const SeriesStatus& status : statuses) {
        auto& contact = system_.contacts[static_cast<std::size_t>(status.contact)];
        contact.gap.at(place.point(), work);
        Differentiated& U = contact.U[static_cast<std::size_t>(status.frame)];
        U.at(place.point(), work);
        const Rows dg = contact.gap.slope.leftCols(X_.rows()) * X_, dU = U.slope.leftCols(X_.rows()) * X_;
        const Rows size = contact.gap.slope.cwiseAbs().leftCols(X_.rows()) * X_.cwiseAbs();
        const Rows U_size = U.slope.cwiseAbs().leftCols(X_.rows()) * X_.cwiseAbs();
        const bool leaves = (dg.cwiseAbs() - small * size).maxCoeff() > 0 ||
                            (dU.row(0).cwiseAbs() - small * U_size.row(0)).maxCoeff() > 0;
        if (leaves) {
            lose({.kind = "start",
                  .contact = status.contact,
                  .words =
                      "the run begins in contact: with other data it would begin off the obstacle or in it"},
                 piece.t_s);
            return;
        }
        const Rows dU_T = dU.bottomRows(status.dimension - 1);
        if (dU_T.size() == 0 || dU_T.cwiseAbs().maxCoeff() == 0) continue;
        const double slip = U.value.tail(status.dimension - 1).norm();
        contact.coefficients.at(place.point(), work);
        const bool rubs = contact.coefficients.value[0] > 0;
        if (status.slides && rubs && !(slip > small * u.cwiseAbs().maxCoeff())) {
            lose({.kind = "start",
                  .contact = status.contact,
                  .words = "the run begins at rest and slips at once: a start with slip in the opposite "
                           "direction would be braked first"},
                 piece.t_s);
            return;
        }
        if (!status.sticks) continue;
        take_out_sliding(place, U.slope.block(1, n, status.dimension - 1, n), dU_T);
    }
}

/// By a percussion along the rows H, in the kinetic metric.
void Flow::take_out_sliding(const VariationalSystem::Place& place, const Eigen::MatrixXd& H, const Rows& dU)
{
    const int n = scene_.model.coordinates();
    auto at = place;
    Workspace work;
    const Eigen::MatrixXd A = kinetic_matrix(system_, at, work);
    const Eigen::MatrixXd AiHt = Ldlt(A).solve(H.transpose());
    const Eigen::MatrixXd W = H * AiHt;
    X_.middleRows(n, n) -= AiHt * LeastSquares(W).solve(dU);
}

/// Contacts that hold keep g, U_N and, where they stick, U_T at zero: what rounding has left of their
/// derivatives would live on, where the motion has forgotten them.
void Flow::keep_closed(const SeriesPiece& piece, const std::vector<SeriesStatus>& statuses)
{
    const auto columns = X_.rows(), z = 2 * static_cast<Eigen::Index>(scene_.model.coordinates());
    if (statuses.empty() || columns == 0) return;
    Eigen::VectorXd q, u;
    piece.at(0, q, u);
    const Eigen::MatrixXd C = rows_that_hold(system_.place(piece.t_s, q, u), statuses);
    const Eigen::MatrixXd C_z = C.leftCols(z), N = kernel_of(C_z);
    const Rows by_parameters = C.rightCols(columns - z) * X_.bottomRows(columns - z);
    X_.topRows(z) = Rows(N * (N.transpose() * X_.topRows(z)) - LeastSquares(C_z, 1e-10).solve(by_parameters));
}

Eigen::MatrixXd Flow::rows_that_hold(const VariationalSystem::Place& place,
                                     const std::vector<SeriesStatus>& statuses)
{
    const Eigen::Index columns = system_.columns();
    Workspace work;
    Eigen::MatrixXd C(0, columns);
    const auto add = [&](const Eigen::MatrixXd& rows) {
        C.conservativeResize(C.rows() + rows.rows(), columns);
        C.bottomRows(rows.rows()) = rows;
    };
    for (const SeriesStatus& status : statuses) {
        auto& contact = system_.contacts[static_cast<std::size_t>(status.contact)];
        Differentiated& U = contact.U[static_cast<std::size_t>(status.frame)];
        contact.gap.at(place.point(), work);
        U.at(place.point(), work);
        add(contact.gap.slope.leftCols(columns));
        add(U.slope.topRows(status.sticks ? status.dimension : 1).leftCols(columns));
    }
    return C;
}

void Flow::change_columns(const Rows& X, const Eigen::MatrixXd& T)
{
    X_ = X;
    piece_.change_columns(T);
    saltation_.change_columns(T);
}

void Flow::replace_derivatives(const Rows& X)
{
    change_columns(X, Eigen::MatrixXd::Zero(X_.cols(), X.cols()));
    saltation_.forget_bounces();
}

void Flow::resume_from(const SeriesPiece& piece, const std::vector<SeriesStatus>& statuses)
{
    if (!pending_) return;
    if (!saltation_.rests_as_told(statuses)) {
        lose(*saltation_.loss, piece.t_s);
        return;
    }
    const auto n = static_cast<Eigen::Index>(scene_.model.coordinates());
    const auto stride = static_cast<std::size_t>(piece.order) + 1;
    Eigen::VectorXd u(n), a(n);
    for (Eigen::Index i = 0; i < n; ++i) {
        u[i] = piece.u[static_cast<std::size_t>(i) * stride];
        a[i] = piece.u[static_cast<std::size_t>(i) * stride + 1];
    }
    saltation_.leave(u, a, X_);
    if (forgets_) keep_closed(piece, statuses);
    if (!passed_.empty()) passed_.back().X_after = X_.topRows(2 * n);
    pending_ = false;
}

void Flow::pass(const SeriesInstant& instant)
{
    const auto is_until = [](const SeriesCause& cause) { return cause.kind == SeriesCause::Kind::Until; };
    bool good = true;
    if (pending_) {
        good = saltation_.proceed(instant);
    } else if (!begun_) {
        good = saltation_.begin(instant, state_at_start(), X_);
    } else {
        good = saltation_.cross(instant, piece_, X_, until_ ? &*until_ : nullptr);
    }
    if (!good) {
        lose(*saltation_.loss, instant.t_s);
        return;
    }
    for (const Saltation::Graze& graze : saltation_.grazes) {
        one_sided_.push_back({instant.t_s, graze});
    }
    Passed& passed = passed_.emplace_back();
    passed.t_s = instant.t_s;
    passed.dt = saltation_.dt.row(0).transpose();
    passed.percussions = saltation_.percussions;
    add_states(passed, instant);
    if (std::ranges::any_of(instant.causes, is_until)) dt_until_ = saltation_.dt;
    // the end of an advance alone changes nothing
    const bool only_until = std::ranges::all_of(instant.causes, is_until) && instant.jumps.empty();
    if (!only_until) pending_ = true;
}

void Flow::add_states(Passed& passed, const SeriesInstant& instant) const
{
    passed.q = begun_ ? piece_.q : state_at_start();
    passed.u_before = passed.u_after = begun_ ? piece_.u : state_.u;
    passed.du_before = saltation_.Du_minus;
    passed.du_after = saltation_.Du_plus;
    passed.X_before = X_.topRows(2 * scene_.model.coordinates());
    if (instant.jumps.empty()) return;
    passed.u_before = instant.jumps.front().u_minus;
    passed.u_after = instant.jumps.back().u_plus;
}

Eigen::VectorXd Flow::state_at_start() const
{
    const auto pieces = series_pieces(scratch_);
    if (pieces.empty()) return state_.q;
    Eigen::VectorXd q, u;
    pieces.front().at(0, q, u);
    return q;
}

void Flow::keep_events()
{
    // an instant and the event that tells of it may differ by a rounding
    constexpr double rounding = 8 * std::numeric_limits<double>::epsilon();
    const auto pieces = series_pieces(scratch_);
    for (const Event& event : scratch_.events) {
        FlowEvent& one = events.emplace_back();
        one.event = event;
        if (X_.cols() == 0 || (loss_ && event.time_s >= loss_s_)) continue;
        // what begins with the report does not move; of what was not crossed nothing is known
        const bool begins = pieces.empty() || event.time_s <= pieces.front().t_s;
        if (begins) one.dt = Eigen::VectorXd::Zero(X_.cols());
        double nearest_s = rounding * std::abs(event.time_s);
        for (const Passed& passed : passed_) {
            const double away_s = std::abs(passed.t_s - event.time_s);
            if (away_s > nearest_s) continue;
            nearest_s = away_s;
            one.dt = passed.dt;
            one.q = passed.q;
            one.u_before = passed.u_before;
            one.u_after = passed.u_after;
            one.du_before = passed.du_before;
            one.du_after = passed.du_after;
            one.X_before = passed.X_before;
            one.X_after = passed.X_after;
            for (const auto& percussion : passed.percussions) {
                if (percussion.contact != event.contact) continue;
                if (event.kind != EventKind::Impact && event.kind != EventKind::Accumulation) continue;
                one.dt = percussion.dt.row(0).transpose();
                one.dP = percussion.dP.row(0).transpose();
                one.dU_minus = percussion.dU_minus.row(0).transpose();
                one.dU_plus = percussion.dU_plus.row(0).transpose();
                one.friction = percussion.friction;
            }
        }
    }
}

}  // namespace carom::detail
