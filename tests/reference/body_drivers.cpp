#include "body_drivers.hpp"

#include <algorithm>
#include <array>

namespace carom::reference {
namespace {

struct Entry {
    std::string_view family;
    Driver driver;
    bool slow = false;
};

// clang-format off
constexpr std::array registry = {
    Entry{"C-COLUMN", body_ball_column},
    Entry{"C-STACK-OVER", body_overhang},
    Entry{"C-EULER", body_euler_disc},
    Entry{"C-ARCH", body_arch},
    Entry{"C-GRAN-1", body_column_collapse, true},
    Entry{"C-PACK", body_packing, true},
    Entry{"C-3CYL", body_three_cylinders},
    Entry{"C-CARDS", body_cards},
    Entry{"C-TOPPLE", body_tilted_block},
    Entry{"C-ROLL", body_rolling},
    Entry{"C-OBL", body_oblique_impact},
    Entry{"C-ROCK", body_rocking_block},
    Entry{"C-CRANK", body_slider_crank},
    Entry{"C-STEP", body_kerb},
    Entry{"B-CRADLE", body_cradle},
    Entry{"B-EX9-1", body_rolling_ball},
    Entry{"B-EX9-HOL", body_ball_holonomy},
    Entry{"B-EX12", body_table_feet},
};
// clang-format on

const Entry* find(std::string_view family) noexcept
{
    const auto* found =
        std::ranges::find_if(registry, [&](const Entry& entry) { return entry.family == family; });
    return found == registry.end() ? nullptr : found;
}

}  // namespace

Driver body_driver_of(std::string_view family) noexcept
{
    const Entry* found = find(family);
    return found ? found->driver : nullptr;
}

bool is_slow(std::string_view family) noexcept
{
    const Entry* found = find(family);
    return found && found->slow;
}

}  // namespace carom::reference
