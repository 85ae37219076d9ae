#pragma once

namespace carom::detail {

/// What counts as nothing in a step, for systems of every kind: of statuses, of detection and of the
/// correction, each a part of a size that is named with it. What the solver may leave is a setting
/// (is_solved), and so are activation_gap_m and max_overlap; rules of a run have their own limits where they
/// are stated.

// statuses

/// Rounding of a velocity, beside the magnitudes of the terms that it is a sum of: some thousand roundings of
/// 2.2e-16, for terms that are themselves sums over coordinates, percussions and passes of a solver.
///
///     |U| <= velocity_rounding sum |terms|       U is zero
inline constexpr double velocity_rounding = 1e-12;

/// A velocity beside those that met to make it zero, once percussions have: solvers leave more than rounding
/// of what they cancel, and no more than a tenth of the default tolerance.
///
///     |U^+| <= velocity_at_rest (|U^-| + |U_free| + W P)       U^+ is zero
inline constexpr double velocity_at_rest = 1e-9;

/// What the constraints of formulas, put together after an impact (CO-4), make of the velocity of a contact
/// that it has closed, beside what the impact took: (h |u|)^2 over the length on which rows turn, squared, and
/// more for steps that the rest of the run does not resolve either. Less is no second impact.
inline constexpr double moved_after_impact = 1e-3;

/// A reaction is strictly inside its limits where it is by this part of them: beyond rounding of the
/// reaction, whose velocity then needs no look.
inline constexpr double inside_limits = 1 - 1e-9;

/// Friction of bodies that is inside its bound by this part of it holds. Percussions are known to the
/// tolerance of the solver, 1e-8 by default; the rest leaves room for coarser ones.
inline constexpr double inside_friction = 1 - 1e-6;

/// How the points of a face share friction is not determined, and some may be at their bound: sliding below
/// this part of what the step would do without friction counts as none.
inline constexpr double next_to_no_sliding = 1e-4;

/// A body whose contact is new sticks at first where it does not slide: by less than this, m/s, which is
/// rounding for bodies of any size that move as things on earth do.
inline constexpr double no_sliding_m_s = 1e-12;

// detection

/// A pair on its path within a step touches where its gap is below this part of its size; points of it up to
/// the other part take part in the contact (BO-20).
inline constexpr double touching_on_path = 1e-3;
inline constexpr double points_of_touch = 1e-2;

/// A direction of the grain that is across the surface to this part gives the contact no direction.
inline constexpr double across_surface = 1e-9;

/// Contacts are looked for beyond what the step can reach by itself, because others may push, by this part of
/// the size of the bodies.
inline constexpr double detection_skin = 5e-3;

/// Corrections that move bodies by more than this part of their sizes look for pairs again: below half of the
/// skin no pair comes near that the detection has not seen.
inline constexpr double unforeseen = 2e-3;
static_assert(2 * unforeseen < detection_skin);

/// Gaps that the correction looks at, as a part of the size of the bodies: what a pass may close.
inline constexpr double looked_at = 1e-3;
static_assert(looked_at < unforeseen);

/// Bodies that move by less than this part of their size within a step leave their contact points where they
/// were: of second order that is a rounding.
inline constexpr double still = 1e-7;

// correction

/// Overlaps of a few contacts are corrected to rounding of places, this part of the length of the scene, or
/// to the activation gap.
inline constexpr double place_rounding = 1e-12;

/// Overlaps of many contacts that are left alone, as a part of the size of the bodies (BO-10), at least: a
/// tenth of what the tolerance of the solver lets bodies sink in, where that is more.
inline constexpr double harmless_overlap = 2e-7;

/// Points of many contacts are carried to the end of the step where their gaps are off by at most this part
/// of the overlaps that are left alone.
inline constexpr double carried_part_of_overlap = 0.1;

/// Overlaps that a correction may leave in a certified run, beside the thickness of the thinner body; the
/// tolerance of the solver where that is more.
inline constexpr double overlap_left = 1e-3;

/// Joints, constraints and contacts of formulas are put together to this part of the activation gap: what is
/// left of a violation closes and opens no contact.
inline constexpr double violation_left = 1e-3;

/// Violations of constraints below this or the activation gap, in their own units, are not held against the
/// step.
inline constexpr double visible_violation = 1e-9;

/// Violations, beside what may be left of them, from which on the factor of the midpoint would leave more
/// than that: the joints have turned by about the cube root of the violation since, beside their size.
inline constexpr double far_apart = 300;

}  // namespace carom::detail
