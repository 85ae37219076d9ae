#include "core/dense.hpp"
#include "state_samples.hpp"
#include "well_posedness_words.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace carom::detail {
namespace {

/// Sliding velocities below this part of what meets there count as none.
constexpr double no_sliding = 1e-9;

/// Combinations of statuses that are tried.
constexpr int max_combinations = 4096;

/// What is nearer to zero than this part of the accelerations, or this many times their error, is decided by
/// higher orders.
constexpr double undecided = 1e-9, errors = 10;

/// How a closed contact may go on.
enum class Status { Opens, Presses, Sticks, SlipsForward, SlipsBackward };

/// A contact that is closed and does not approach; its rows stand together, the normal one first.
struct Held {
    int contact = -1;
    Eigen::Index first = 0, rows = 1;
    double mu = 0;
    Eigen::VectorXd slip;  ///< direction of slip, of length 1; empty: it does not slide
    bool can_be_tried =
        true;           ///< all its statuses are known: not where slip may begin in any direction of a plane
    double margin = 1;  ///< W_NN - mu sigma.W_NT over W_NN, at rest for the worst sigma

    [[nodiscard]] bool is_rough() const { return rows > 1; }
    [[nodiscard]] std::vector<Status> statuses() const
    {
        if (!is_rough() || slip.size() > 0) return {Status::Opens, Status::Presses};
        return {Status::Opens, Status::Sticks, Status::SlipsForward, Status::SlipsBackward};
    }
};

/// The closed contacts of the start in the rows of their local velocities, firm constraints eliminated
/// (FR-9).
struct ClosedStart {
    std::vector<Held> contacts;
    Eigen::MatrixXd W;     ///< accelerations of local velocities per force
    Eigen::VectorXd free;  ///< accelerations of local velocities without forces of contacts
    double error = 0;      ///< of them, estimated
    bool can_be_tried = true;
};

/// Rows of closed contacts, then of firm constraints.
class StartRows {
public:
    StartRows(const Model& model, std::span<const int> contacts) : model_(model), contacts_(contacts)
    {
        for (const int c : contacts)
            of_contacts_ += model.dimension(c);
        for (int i = model.contacts(); i < model.interactions(); ++i) {
            const ConstraintPart& part = model.part(i);
            if (part.limit < 0 && model.only_while(part.constraint) < 0) firm_.push_back(part);
        }
    }

    [[nodiscard]] Eigen::Index of_contacts() const noexcept { return of_contacts_; }
    [[nodiscard]] Eigen::Index size() const { return of_contacts_ + static_cast<Eigen::Index>(firm_.size()); }

    /// H, and U = H u + b.
    void at(const State& state, Eigen::MatrixXd& H, Eigen::VectorXd& U)
    {
        H = Eigen::MatrixXd::Zero(size(), model_.coordinates());
        U = Eigen::VectorXd::Zero(size());
        Eigen::Index row = 0;
        for (const int c : contacts_) {
            const auto rows = static_cast<std::size_t>(model_.dimension(c));
            make_room(rows, model_.support(c).size());
            model_.contact_rows(c, point_of(state), entries_, b_, work_);
            for (std::size_t r = 0; r < rows; ++r)
                write(row++, r, model_.support(c), H, U);
        }
        for (const ConstraintPart& part : firm_) {
            const ConstraintGeometry& geometry = model_.constraint(part.constraint);
            make_room(static_cast<std::size_t>(geometry.size()), geometry.support().size());
            model_.constraint_rows(part.constraint, point_of(state), entries_, b_, work_);
            write(row++, static_cast<std::size_t>(part.row), geometry.support(), H, U);
        }
        U += H * state.u;
    }

private:
    void make_room(std::size_t rows, std::size_t columns)
    {
        entries_.assign(rows * columns, 0);
        b_.assign(rows, 0);
    }

    void write(Eigen::Index to, std::size_t from, std::span<const int> support, Eigen::MatrixXd& H,
               Eigen::VectorXd& U)
    {
        for (std::size_t p = 0; p < support.size(); ++p)
            H(to, support[p]) = entries_[from * support.size() + p];
        U[to] = b_[from];
    }

    const Model& model_;
    std::span<const int> contacts_;
    Eigen::Index of_contacts_ = 0;
    std::vector<ConstraintPart> firm_;
    std::vector<double> entries_, b_;
    Workspace work_;
};

/// The law of a closed contact with this local velocity.
Held held_contact(const Model& model, int contact, const State& start, const Eigen::VectorXd& U, double meets)
{
    Held held{.contact = contact, .rows = U.size(), .slip = {}};
    if (!held.is_rough()) return held;
    const auto& friction = *model.system().contacts[static_cast<std::size_t>(contact)].friction;
    Workspace work;
    held.mu = friction.coefficient.value(point_of(start), work);
    const Eigen::VectorXd U_T = U.tail(U.size() - 1);
    const bool slides = U_T.norm() > no_sliding * meets;
    if (slides) held.slip = U_T / U_T.norm();
    held.can_be_tried =
        is_isotropic(friction.shape) && (slides || (held.rows == 2 && !friction.static_coefficient));
    return held;
}

double margin_of(const Held& held, const Eigen::MatrixXd& W)
{
    if (!held.is_rough()) return 1;
    const auto tangent = W.row(held.first).segment(held.first + 1, held.rows - 1);
    const double normal = W(held.first, held.first);
    const double along = held.slip.size() > 0 ? tangent.dot(held.slip) : tangent.norm();
    return (normal - held.mu * along) / normal;
}

ClosedStart closed_start(const Model& model, const State& start, const WellPosednessSettings& settings,
                         const WellPosedness& result)
{
    ClosedStart closed;
    const auto A = metric_at(model, start.q);
    if (!A || result.start.contacts.empty()) return closed;
    StartRows rows(model, result.start.contacts);
    Eigen::MatrixXd H, H_later;
    Eigen::VectorXd U;
    rows.at(start, H, U);

    // accelerations of all rows on the motion without reactions, by differences that twice the distance checks
    Dynamics dynamics(model);
    const Eigen::VectorXd a = dynamics.acceleration(start);
    const double dt = 1e-5 * std::max(settings.duration_s, 1e-3);
    const auto accelerations = [&](double within) {
        Eigen::VectorXd sides[2];
        for (const int side : {0, 1}) {
            const double later = side == 0 ? within : -within;
            State at = start;
            at.q += later * start.u + later * later / 2 * a;
            at.u += later * a;
            at.t_s += later;
            rows.at(at, H_later, sides[side]);
        }
        return Eigen::VectorXd((sides[0] - sides[1]) / (2 * within));
    };
    Eigen::VectorXd free = accelerations(dt);
    const double rounding = (H.cwiseAbs() * start.u.cwiseAbs() + U.cwiseAbs()).maxCoeff() * 1e-15 / dt;
    closed.error = (free - accelerations(2 * dt)).cwiseAbs().maxCoeff() + rounding;

    // what firm constraints leave free
    const Eigen::Index own = rows.of_contacts();
    Eigen::MatrixXd G = A->whitened_covectors(H.topRows(own).transpose());
    if (rows.size() > own) {
        const Eigen::MatrixXd firm = A->whitened_covectors(H.bottomRows(rows.size() - own).transpose());
        const Eigen::MatrixXd weights = LeastSquares(firm).solve(G);
        G -= firm * weights;
        free.head(own) -= weights.transpose() * free.tail(rows.size() - own);
    }
    const Eigen::MatrixXd W = G.transpose() * G;

    std::vector<Eigen::Index> kept;
    Eigen::Index first = 0;
    for (const int c : result.start.contacts) {
        const Eigen::Index dimension = model.dimension(c);
        const double meets = U.segment(first, dimension).cwiseAbs().sum() +
                             (H.middleRows(first, dimension).cwiseAbs() * start.u.cwiseAbs()).sum();
        const double normal = U[first];
        if (normal < -no_sliding * meets) return {};  // an impact comes first
        if (normal <= no_sliding * meets) {
            Held held = held_contact(model, c, start, U.segment(first, dimension), meets);
            held.first = static_cast<Eigen::Index>(kept.size());
            for (Eigen::Index r = 0; r < dimension; ++r)
                kept.push_back(first + r);
            closed.contacts.push_back(std::move(held));
        }
        first += dimension;
    }
    closed.W = W(kept, kept);
    closed.free = free(kept);
    for (Held& held : closed.contacts) {
        held.margin = margin_of(held, closed.W);
        closed.can_be_tried = closed.can_be_tried && held.can_be_tried;
    }
    for (int j = 0; j < model.constraints(); ++j) {
        if (!model.system().constraints[static_cast<std::size_t>(j)].is_firm() || model.only_while(j) >= 0)
            closed.can_be_tried = false;
    }
    return closed;
}

/// Whether a number is positive: 1, -1, or 0 where that is decided by higher orders.
int sign_beyond(double x, double nothing)
{
    return x > nothing ? 1 : x < -nothing ? -1 : 0;
}

/// Whether accelerations and forces of a contact agree with its status: 1, -1, or 0 for undecided.
int agrees(const Held& held, Status status, const Eigen::VectorXd& acceleration, const Eigen::VectorXd& force,
           const Eigen::MatrixXd& W, double nothing)
{
    const double normal = W(held.first, held.first), N = force[held.first];
    if (status == Status::Opens) return sign_beyond(acceleration[held.first], nothing);
    const int pushes = sign_beyond(normal * N, nothing);
    if (status == Status::Presses) return pushes;
    const double slip = acceleration[held.first + 1], T = force[held.first + 1];
    const int slips = status == Status::Sticks ? sign_beyond(normal * (held.mu * N - std::abs(T)), nothing)
                      : status == Status::SlipsForward ? sign_beyond(slip, nothing)
                                                       : sign_beyond(-slip, nothing);
    return std::min(pushes, slips);
}

/// A combination of statuses: 1 if forces and accelerations agree with it, -1 if not, 0 for undecided.
int continues(const ClosedStart& closed, std::span<const Status> statuses, double nothing)
{
    std::vector<Eigen::Index> equations;
    std::vector<Eigen::VectorXd> directions;
    const Eigen::Index rows = closed.W.rows();
    for (std::size_t k = 0; k < statuses.size(); ++k) {
        const Held& held = closed.contacts[k];
        if (statuses[k] == Status::Opens) continue;
        Eigen::VectorXd push = Eigen::VectorXd::Unit(rows, held.first);
        equations.push_back(held.first);
        if (statuses[k] == Status::Presses && held.is_rough())
            push.segment(held.first + 1, held.rows - 1) = -held.mu * held.slip;
        if (statuses[k] == Status::SlipsForward) push[held.first + 1] = -held.mu;
        if (statuses[k] == Status::SlipsBackward) push[held.first + 1] = held.mu;
        directions.push_back(push);
        if (statuses[k] != Status::Sticks) continue;
        equations.push_back(held.first + 1);
        directions.push_back(Eigen::VectorXd::Unit(rows, held.first + 1));
    }
    Eigen::VectorXd force = Eigen::VectorXd::Zero(rows);
    if (!equations.empty()) {
        Eigen::MatrixXd F(rows, static_cast<Eigen::Index>(directions.size()));
        for (std::size_t k = 0; k < directions.size(); ++k)
            F.col(static_cast<Eigen::Index>(k)) = directions[k];
        const FullLu lu(closed.W(equations, Eigen::all) * F);
        if (!lu.is_invertible()) return 0;
        force = F * lu.solve(-closed.free(equations));
    }
    const Eigen::VectorXd acceleration = closed.free + closed.W * force;
    int worst = 1;
    for (std::size_t k = 0; k < statuses.size(); ++k)
        worst =
            std::min(worst, agrees(closed.contacts[k], statuses[k], acceleration, force, closed.W, nothing));
    return worst;
}

/// How many continuations without a jump: combinations of statuses whose forces and accelerations agree with
/// the laws. Isolated ones only: where one of them is singular or decided by higher orders, -1.
int continuations(const ClosedStart& closed)
{
    if (!closed.can_be_tried) return -1;
    int combinations = 1;
    for (const Held& held : closed.contacts) {
        combinations *= static_cast<int>(held.statuses().size());
        if (combinations > max_combinations) return -1;
    }
    const double nothing = std::max(undecided * closed.free.cwiseAbs().maxCoeff(), errors * closed.error);
    int found = 0;
    std::vector<Status> statuses(closed.contacts.size());
    for (int number = 0; number < combinations; ++number) {
        int rest = number;
        for (std::size_t k = 0; k < statuses.size(); ++k) {
            const auto choices = closed.contacts[k].statuses();
            statuses[k] = choices[static_cast<std::size_t>(rest) % choices.size()];
            rest /= static_cast<int>(choices.size());
        }
        const int told = continues(closed, statuses, nothing);
        if (told == 0) return -1;
        if (told > 0) ++found;
    }
    return found;
}

/// What is special about the start: a contact without a positive margin, or the names of all.
std::string subject(const Model& model, const ClosedStart& closed)
{
    for (const Held& held : closed.contacts) {
        if (held.margin > 0) continue;
        const bool slides = held.slip.size() > 0;
        return fmt::format("{} {} at the start with W_NN - mu {} = {:.4g} W_NN, not positive",
                           names_of(model, {&held.contact, 1}).front(), slides ? "slides" : "rests",
                           slides ? "sigma W_NT" : "|W_NT|", held.margin);
    }
    std::vector<int> contacts;
    for (const Held& held : closed.contacts)
        contacts.push_back(held.contact);
    return fmt::format("{} {} closed at the start", listed(names_of(model, contacts)),
                       contacts.size() == 1 ? "is" : "are");
}

}  // namespace

bool is_isotropic(const FrictionShape& shape)
{
    const auto* interval = std::get_if<FrictionInterval>(&shape);
    return std::holds_alternative<FrictionDisc>(shape) ||
           (interval != nullptr && interval->low == -1 && interval->high == 1);
}

void judge_painleve(const Model& model, const State& start, const WellPosednessSettings& settings,
                    WellPosedness& result)
{
    const ClosedStart closed = closed_start(model, start, settings, result);
    if (closed.contacts.empty()) return;
    const bool paradox =
        std::ranges::any_of(closed.contacts, [](const Held& held) { return !(held.margin > 0); });
    const int found = continuations(closed);
    if (!paradox && (found == 1 || found < 0)) return;
    const std::string where = subject(model, closed);
    const std::string theory = "Painleve 1895; M88 14; docs/theory/well_posedness.md (WP-11)";
    if (found == 0) {
        add(result, "no_continuation", Bearing::CostsExistence,
            fmt::format(
                "{}: no choice of what opens, sticks and slides satisfies all laws, the motion continues "
                "only with a velocity jump",
                where),
            theory);
    } else if (found > 1) {
        add(result, "several_continuations", Bearing::CostsUniqueness,
            fmt::format("{}: {} continuations satisfy all laws, by what opens, sticks and slides", where,
                        found),
            theory);
    } else {
        add(result, "painleve", Bearing::CostsExistence,
            fmt::format("{}: {}the motion may have no continuation or several", where,
                        found == 1 ? "it has one continuation; later " : ""),
            theory);
    }
}

}  // namespace carom::detail
