#pragma once

namespace carom {

/// Contact that persists: how it is recognised, and the law that keeps it on its obstacle.
///
/// Symbols    g, U^-   gap and normal velocity before the step, where the step takes its contacts
///            kappa    u.g_qq u + 2 g_qt.u + g_tt: what curvature and motion of the obstacle make of U per
///                     second
///            a        what free acceleration, kappa and the reactions of the others make of U per second
/// Theory     docs/theory/moreau_scheme.md, (MS-8) recognition, (MS-9) law; docs/theory/moreau_jean.md,
///            (MJ-5)
///
/// Systems of coordinates and of bodies ask the same functions; what they know of a contact differs.

/// One step of a scheme, as a persistent contact sees it.
struct PersistentStep {
    double h_s = 0;
    double theta = 0.5;       ///< q+ = q + h ((1 - theta) u + theta u+)
    bool at_end = false;      ///< contacts are taken at q + h u instead of q + h/2 u
    double activation_gap_m;  ///< gaps of this size count as none
};

/// A contact that touched when the step began, as the step meets it.
struct PersistentContact {
    double gap_m = 0;
    double U_minus_m_s = 0;
    double bend_m_s = 0;      ///< h kappa
    double reach_m_s = 0;     ///< h a
    double rounding_m_s = 0;  ///< of U^-
};

/// (MS-8): neither its approach nor its gap are more than a step of acceleration and curvature can make.
/// Anything faster is a collision, anything farther away is open.
[[nodiscard]] bool persists(const PersistentContact& contact, const PersistentStep& step) noexcept;

/// (MS-9): the shift s of its law  0 <= U_N + s  perp  P_N >= 0, without restitution.
[[nodiscard]] double persistent_shift_m_s(const PersistentContact& contact,
                                          const PersistentStep& step) noexcept;

}  // namespace carom
