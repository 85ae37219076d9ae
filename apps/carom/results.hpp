#pragma once

#include "carom/report/json.hpp"

#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace carom::app {

/// What a run left behind, for those who print it.
struct Results {
    const Scene& scene;
    const Run& run;
    std::string picture;  ///< where it is; empty: there is none
};

/// Why a run whose steps are all solved is not certified: the first finding that stands against it.
[[nodiscard]] std::string reason_against(const std::vector<Finding>& findings);

/// A line of a page for people: a heading and what is said of it.
[[nodiscard]] std::string row(std::string_view heading, std::string_view text);

/// For people: a page of text.
[[nodiscard]] std::string summary(const Results& results);

}  // namespace carom::app
