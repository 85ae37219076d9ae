#pragma once

#include "persistence.hpp"
#include "stepping/scratch.hpp"

#include <algorithm>

namespace carom {

/// The stages of a step that every scheme has. They work on the scratch of the step.

template <class T>
void copy_few(const T* from, std::size_t size, T* to)
{
    if (size > 0) to[0] = from[0];
    if (size > 1) to[1] = from[1];
    if (size > 2) to[2] = from[2];
    if (size > 3) std::copy(from + 3, from + size, to + 3);
}

/// Assignments of a few numbers: Eigen's own, and those of vectors, take longer to begin than these take.
inline void assign(const Eigen::VectorXd& from, Eigen::VectorXd& to)
{
    if (to.size() != from.size()) to.resize(from.size());
    copy_few(from.data(), static_cast<std::size_t>(from.size()), to.data());
}

/// The same for vector::assign: mostly there is one contact, or two, for which a call takes long.
template <class T>
void set_all(std::size_t size, T value, std::vector<T>& to)
{
    if (to.size() != size) to.resize(size);
    if (size > 0) to[0] = value;
    if (size > 1) to[1] = value;
    if (size > 2) std::fill(to.begin() + 2, to.end(), value);
}

template <class T>
void assign(const std::vector<T>& from, std::vector<T>& to)
{
    if (to.size() != from.size()) to.resize(from.size());
    copy_few(from.data(), from.size(), to.data());
}

inline bool same(const Eigen::VectorXd& a, const Eigen::VectorXd& b)
{
    return std::equal(a.begin(), a.end(), b.begin(), b.end());
}

/// q + h u, real coordinates.
inline void move(const Eigen::VectorXd& q, const Eigen::VectorXd& u, double h, Eigen::VectorXd& out)
{
    const Eigen::Index n = q.size();
    out.resize(n);
    for (Eigen::Index i = 0; i < n; ++i) {
        out[i] = q[i] + h * u[i];
    }
}

[[nodiscard]] Energies energies(const Model& model, const Eigen::VectorXd& q, const Eigen::VectorXd& u,
                                double t_s, Workspace& work);

/// Contacts that touch as the step begins, those that persisted and those that stand still on their
/// obstacles; none if `recognise` is false.
void find_touching(const Model& model, const State& state, double activation_gap_m, bool recognise,
                   Scratch& scratch);

/// Contacts and constraints that act, with their rows; of equal contacts one (SO-36).
void detect(const Model& model, const Point& at, double activation_gap_m, const State& state,
            Scratch& scratch);

/// One law per active interaction, with U_minus and a first P. False when a law is out of range.
[[nodiscard]] bool choose_laws(const Model& model, const Point& at, double h_s, const State& state,
                               Scratch& scratch);

/// W = H B^-1 H^T and U_free = H u_free + b; B is the matrix that percussions act through.
void assemble(const Model& model, const ContactCoupling& coupling, MassMatrix& B, Scratch& scratch);

/// What a persistent contact asks of a step.
struct Persistence {
    bool recognise;  ///< false: the paper to the letter, where only restitution is switched off (MS-7)
    PersistentStep step;
    Point at;  ///< where contacts are taken
};

/// assemble(), and the laws of contacts that persist (MS-8), (MS-9). One that is not closed after all is left
/// out. False when a law is out of range.
[[nodiscard]] bool assemble_with_persistence(const Model& model, const ContactCoupling& coupling,
                                             MassMatrix& B, const Persistence& persistence,
                                             const State& state, Scratch& scratch);

/// u_end = u_free + B^-1 H^T P.
void apply_solution(const Model& model, MassMatrix& B, Scratch& scratch);

/// What every active contact met and did, for statuses, ledger and listeners.
void report_contacts(const Model& model, Scratch& scratch);

/// The same with the velocities U_plus as they are; interactions below zero are not of the model.
void report_contact_steps(const Model& model, Scratch& scratch);

/// M88 17: the coefficient depends on what the contact did in the step before. One that was open counts as
/// sticking where it does not slide.
[[nodiscard]] bool sticks_before(const State& state, int contact, std::span<const double> U_start);

/// After an impact map, and in contact that persists, there is no restitution.
void remove_restitution(Law& law);

/// What the percussion of one contact without restitution does to the kinetic energy from the free velocity
/// on, P.(U_free + U+)/2. Not positive where the law holds. U_free contains the shift of the law.
[[nodiscard]] double energy_created_J(std::span<const double> P, std::span<const double> U_free,
                                      std::span<const double> U_plus, double shift_m_s);

/// Before the first pass of a correction: nothing has been lifted.
void begin_correction(const Model& model, Scratch& scratch);

/// What is left of a gap: its overlap, and once a pass has lifted it, how far it is from zero.
[[nodiscard]] double left_to_correct(double gap_m, int contact, const Scratch& scratch);

/// Passes of Newton's iteration on positions: it doubles the digits, and a step begins with half of them.
inline constexpr int max_correction_passes = 12;

/// One pass of a correction, once its contacts are in correction_rows and their gaps at q in
/// correction_problem.U_free.
bool project_out(const Model& model, double t_s, Eigen::VectorXd& q, Scratch& scratch);

[[nodiscard]] StepReport failed(StepStatus status, double h_s);

/// A step that ended before it advanced, with what was found out about it.
[[nodiscard]] StepReport failed(StepReport report);

/// The finding `several_solutions` about these names, once in a step (SO-34). `unit`: of what differs, m/s,
/// or m/s^2 for accelerations.
void add_other_motion(const OtherMotion& other, double time_s, std::vector<std::string> names,
                      StepReport& report, const char* unit = "m/s");

/// Solved, well or not.
[[nodiscard]] constexpr bool has_advanced(StepStatus status) noexcept
{
    return status == StepStatus::Solved || status == StepStatus::NotSolved;
}

}  // namespace carom
