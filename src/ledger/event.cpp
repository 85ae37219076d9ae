#include "carom/ledger/event.hpp"

namespace carom {

std::string_view name_of(EventKind kind) noexcept
{
    switch (kind) {
    case EventKind::Impact: return "impact";
    case EventKind::ContactMade: return "contact_made";
    case EventKind::ContactLost: return "contact_lost";
    case EventKind::Stick: return "stick";
    case EventKind::Slip: return "slip";
    case EventKind::Accumulation: return "accumulation";
    case EventKind::Engage: return "engage";
    case EventKind::Lock: return "lock";
    case EventKind::Release: return "release";
    }
    return "unknown";
}

}  // namespace carom
