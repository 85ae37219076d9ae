#pragma once

#include "account.hpp"

namespace carom {

/// Slip at the start that turns round within the first step.
///
/// A step lets friction act against the slip of its end, over its whole length. Until the slip turns round,
/// after tau, friction acts the other way, and with D the velocity that it makes in a step, the velocity is
/// wrong by
///
///     2 |D| tau/h,      tau/h = |U^-| / (|U_free - U^-| + |D|)                                     (FR-8)
///
/// Later in a run tau is any part of a step, and steps of other lengths tell. From the start it is the same
/// for all steps that are longer: only one below tau sees it. Finding `start_not_resolved`.
///
/// Theory     docs/theory/friction.md
///
/// `fastest_m_s`: the largest velocity of the start.
void look_at_first_slip(const TakenStep& step, double fastest_m_s, Certifier& certifier);

}  // namespace carom
