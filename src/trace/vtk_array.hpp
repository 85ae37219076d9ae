#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace carom::detail {

/// One array of a VTK XML file: numbers compressed by zlib and written as base64, as `vtkZLibDataCompressor`
/// reads them.
[[nodiscard]] std::string vtk_array(std::string_view name, int components, const std::vector<float>& numbers);
[[nodiscard]] std::string vtk_array(std::string_view name, const std::vector<std::int32_t>& numbers);

}  // namespace carom::detail
