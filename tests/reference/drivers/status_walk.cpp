#include "status_walk.hpp"

#include <algorithm>
#include <iterator>

namespace carom::reference {
namespace {

constexpr long max_steps = 2'000'000;
constexpr int halvings = 50;            // a step down to the roundoff of its length
constexpr double instant_part = 1e-3;   // of a step: hardly any length
constexpr double shortest_part = 1e-6;  // of a step: below it percussions are rounding

bool is_slip(Doing doing)
{
    return doing == Doing::SlipPlus || doing == Doing::SlipMinus;
}

/// Sliding ends where its velocity vanishes, which the end of the step says; what else happens shows in the
/// forces and gaps of its middle.
bool happens_at_end(Doing from, Doing to)
{
    return is_slip(from) && to != Doing::Free;
}

}  // namespace

std::string_view name_of(Doing doing) noexcept
{
    switch (doing) {
    case Doing::Free: return "free";
    case Doing::Stick: return "stick";
    case Doing::SlipPlus: return "slip+";
    case Doing::SlipMinus: return "slip-";
    }
    return "unknown";
}

StatusWalk::StatusWalk(const Model& model, const State& start, double h_s, Listener listener)
    : model_(model), h_s_(h_s), state_(start), scratch_(model), listener_(std::move(listener))
{
}

void StatusWalk::until_s(double t_s)
{
    while (state_.t_s < t_s) {
        // no rest is left that is too short for percussions to be more than rounding
        const double left_s = t_s - state_.t_s;
        if (!(left_s > 1e-9 * h_s_)) break;
        advance(left_s < 1.5 * h_s_ ? left_s : h_s_);
    }
}

void StatusWalk::until_switches(std::size_t count)
{
    while (switches_.size() < count) {
        advance(h_s_);
    }
}

/// Moves on by h, or by the shortest step in which a status changes.
void StatusWalk::advance(double h_s)
{
    if (++steps_ > max_steps) throw DriverFailure("what the outputs ask for needs too many steps");
    State before = state_;
    std::vector<Doing> now = try_step(h_s);
    if (!begun_) {
        doing_ = now;
        begun_ = true;
    }
    if (!open_.empty()) settle(now);
    if (now != doing_) {
        double same_s = 0, changed_s = h_s;
        // what a step of no length changes happened after the middle of the step before: that one
        // is made longer, with a margin for changes in the instant between both
        if (quiet_s_ > 0 && changes(before, instant_part * h_s) && changes(last_, quiet_s_ + 1.1 * h_s)) {
            same_s = quiet_s_;
            changed_s = quiet_s_ + 1.1 * h_s;
            before = last_;
        }
        for (int i = 0; i < halvings; ++i) {
            const double middle_s = (same_s + changed_s) / 2;
            (changes(before, middle_s) ? changed_s : same_s) = middle_s;
        }
        // a change that no step is short enough for is left to the scheme
        if (changed_s > shortest_part * h_s) h_s = changed_s;
        state_ = before;
        now = try_step(h_s);
    }
    accept(before, now, h_s);
}

bool StatusWalk::changes(const State& from, double h_s)
{
    state_ = from;
    return try_step(h_s) != doing_;
}

/// Steps, and says what the contacts did.
std::vector<Doing> StatusWalk::try_step(double h_s)
{
    const StepReport report = moreau_step(model_, {.time_step_s = h_s}, {}, state_, scratch_);
    if (report.status != StepStatus::Solved) throw DriverFailure("a step was not solved");
    std::vector<Doing> result(state_.closed.size(), Doing::Free);
    for (const ContactStep& contact : scratch_.contacts) {
        const auto c = static_cast<std::size_t>(contact.contact);
        if (state_.closed[c] == 0) continue;
        if (state_.slides[c] == 0) {
            result[c] = Doing::Stick;
        } else {
            result[c] = contact.U_plus[1] > 0 ? Doing::SlipPlus : Doing::SlipMinus;
        }
    }
    return result;
}

void StatusWalk::accept(const State& before, const std::vector<Doing>& now, double h_s)
{
    for (std::size_t c = 0; c < now.size(); ++c) {
        if (now[c] == doing_[c]) continue;
        const double t_s = before.t_s + (happens_at_end(doing_[c], now[c]) ? h_s : h_s / 2);
        const Switch change{t_s, static_cast<int>(c), doing_[c], now[c], state_};
        // a contact that stops may start again at once, the other way
        if (now[c] == Doing::Stick) {
            open_.push_back(change);
        } else if (!continues(change)) {
            switches_.push_back(change);
        }
    }
    quiet_s_ = now == doing_ ? h_s : 0;
    last_ = before;
    doing_ = now;
    if (listener_) listener_(before, state_, scratch_);
}

/// Whether a contact that stuck for hardly a step slides on as before: its velocity only touched zero, and it
/// never stopped.
bool StatusWalk::continues(const Switch& change)
{
    const auto last = std::find_if(switches_.rbegin(), switches_.rend(),
                                   [&](const Switch& other) { return other.contact == change.contact; });
    if (change.from != Doing::Stick || last == switches_.rend() || last->from != change.to) return false;
    if (change.t_s - last->t_s > 2 * h_s_) return false;
    switches_.erase(std::next(last).base());
    return true;
}

/// What contacts that stopped do from there on; nothing happened where it is what they did before.
void StatusWalk::settle(const std::vector<Doing>& now)
{
    for (Switch& change : open_) {
        const auto c = static_cast<std::size_t>(change.contact);
        if (is_slip(now[c])) change.to = doing_[c] = now[c];
        if (change.to != change.from) switches_.push_back(change);
    }
    open_.clear();
}

}  // namespace carom::reference
