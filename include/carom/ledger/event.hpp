#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace carom {

/// What happened at a contact during a step.
enum class EventKind {
    Impact,        ///< an open contact closed with a velocity jump, or a closed one was struck through its
                   ///< neighbours
    ContactMade,   ///< the contact acts and stays
    ContactLost,   ///< a contact that persisted no longer acts
    Stick,         ///< a contact with friction persists with zero sliding velocity
    Slip,          ///< it persists and slides
    Accumulation,  ///< infinitely many impacts ended here; the percussion is that of those not listed
    Engage,        ///< a constraint that was free begins to hold
    Lock,          ///< a constraint that yielded holds again
    Release,       ///< a constraint no longer acts
};

/// What a constraint that can yield does in a step.
enum class ConstraintStatus : char {
    Unknown,
    Holds,     ///< its velocity is zero
    GivesWay,  ///< it acts at its limit, and its velocity is positive (of several components: not zero)
    GivesWayBackwards,
    Free,  ///< it does not act
};

/// The name used in recordings and `--json`, e.g. "contact_made".
[[nodiscard]] std::string_view name_of(EventKind kind) noexcept;

struct Event {
    double time_s = 0;  ///< middle of the step, where Moreau's scheme lets the velocity jump
    long step = 0;      ///< number of the step, from 1
    EventKind kind{};
    int contact = 0;           ///< its place in EventPlaces; contacts of bodies: -1 until number_contacts()
    double percussion_Ns = 0;  ///< normal
    double velocity_before_m_s =
        0;  ///< normal local velocity U^-; negative approaches. Stick, slip: the sliding velocity, in
            ///< space its magnitude; constraints: their velocity
    double velocity_after_m_s = 0;  ///< U^+
    double energy_J = 0;  ///< P (U^- + U^+) / 2: what the contact did to the kinetic energy, with friction

    double slip_rad = 0;  ///< of slip in space: direction of the sliding velocity, from t1 towards t2

    // contacts of bodies come and go: the pair, and which parts of the shapes meet (ContactPoint::feature)
    int first = -1, second = -1;
    std::uint64_t feature = 0;
};

/// What events refer to, by Event::contact: contacts and stops of joints, then constraints, motors and
/// friction of joints.
struct EventPlaces {
    std::vector<std::string> names;
    std::size_t contacts = 0;  ///< how many of the first kind
};

/// Numbers the contacts of bodies in the order in which events mention them, and names them: "ball-floor",
/// and for further points of a pair "box-floor (2)". They follow the contacts of `places`, which events name
/// already.
[[nodiscard]] EventPlaces number_contacts(std::span<const std::string> bodies, const EventPlaces& places,
                                          std::span<Event> events);

}  // namespace carom
