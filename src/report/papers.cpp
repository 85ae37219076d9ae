#include "report/papers.hpp"

#include <array>

#include <fmt/format.h>

namespace carom {
namespace {

struct Paper {
    std::string_view name, title;
};

constexpr std::array papers{
    Paper{"M83", "J.J. Moreau 1983, Standard inelastic shocks and the dynamics of unilateral constraints"},
    Paper{"M88", "J.J. Moreau 1988, Unilateral contact and dry friction in finite freedom dynamics"},
    Paper{"B02",
          "P. Ballard 2002, Dynamics of rigid bodies systems with unilateral or frictional constraints"},
    Paper{"CB14",
          "A. Charles, P. Ballard 2014, Existence and uniqueness of solutions to dynamical unilateral "
          "contact problems with Coulomb friction"},
};

bool is_part_of_word(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' || c == '-';
}

bool cites(std::string_view text, std::string_view name)
{
    for (auto at = text.find(name); at != std::string_view::npos; at = text.find(name, at + 1)) {
        const std::size_t end = at + name.size();
        const bool whole = (at == 0 || !is_part_of_word(text[at - 1])) &&
                           (end == text.size() || !is_part_of_word(text[end]));
        if (whole) return true;
    }
    return false;
}

}  // namespace

std::string papers_cited_in(std::string_view text)
{
    std::string cited;
    for (const Paper& paper : papers) {
        if (cites(text, paper.name))
            cited += fmt::format("{:<13}{:<5} {}\n", cited.empty() ? "papers" : "", paper.name, paper.title);
    }
    return cited;
}

}  // namespace carom
