#pragma once

#include "carom/scene/fields.hpp"

namespace carom::detail {

/// The fields of the settings whose paths are directly in `group` (empty: at the top of a scene), made from
/// the visitors of the structs (core/setting.hpp): type, default and words from the member, the rest from its
/// Setting. A setting that several structs have is one field, with the default of the first.
[[nodiscard]] std::vector<Field> setting_fields(std::string_view group);

}  // namespace carom::detail
