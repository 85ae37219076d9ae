#include "urdf_check.hpp"

#include "core/text.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include <fmt/format.h>
#include <fmt/ranges.h>

namespace carom::detail {
namespace {

/// An attribute that holds numbers, of a tag inside another.
struct UrdfNumbers {
    std::string_view outer, tag, attribute;
    int count = 1;        ///< 3: a vector, with blanks between
    bool needed = false;  ///< urdfdom goes without, and so would lose mass or inertia
};

constexpr std::array urdf_numbers{
    UrdfNumbers{"inertial", "mass", "value", 1, true},
    UrdfNumbers{"inertial", "inertia", "ixx", 1, true},
    UrdfNumbers{"inertial", "inertia", "ixy", 1, true},
    UrdfNumbers{"inertial", "inertia", "ixz", 1, true},
    UrdfNumbers{"inertial", "inertia", "iyy", 1, true},
    UrdfNumbers{"inertial", "inertia", "iyz", 1, true},
    UrdfNumbers{"inertial", "inertia", "izz", 1, true},
    UrdfNumbers{"inertial", "origin", "xyz", 3},
    UrdfNumbers{"inertial", "origin", "rpy", 3},
    UrdfNumbers{"collision", "origin", "xyz", 3},
    UrdfNumbers{"collision", "origin", "rpy", 3},
    UrdfNumbers{"joint", "origin", "xyz", 3},
    UrdfNumbers{"joint", "origin", "rpy", 3},
    UrdfNumbers{"joint", "axis", "xyz", 3},
    UrdfNumbers{"joint", "limit", "lower"},
    UrdfNumbers{"joint", "limit", "upper"},
    UrdfNumbers{"joint", "limit", "effort"},
    UrdfNumbers{"joint", "limit", "velocity"},
    UrdfNumbers{"joint", "dynamics", "damping"},
    UrdfNumbers{"joint", "dynamics", "friction"},
    UrdfNumbers{"joint", "mimic", "multiplier"},
    UrdfNumbers{"joint", "mimic", "offset"},
    UrdfNumbers{"geometry", "box", "size", 3, true},
    UrdfNumbers{"geometry", "sphere", "radius", 1, true},
    UrdfNumbers{"geometry", "cylinder", "radius", 1, true},
    UrdfNumbers{"geometry", "cylinder", "length", 1, true},
    UrdfNumbers{"geometry", "mesh", "scale", 3},
};

constexpr std::array<std::string_view, 4> urdf_shapes{"box", "sphere", "cylinder", "mesh"};

bool is_blank(char c)
{
    return c == ' ' || c == '\t' || c == '\n' || c == '\r';
}

/// One finite number and nothing beside it, as urdfdom reads it.
std::optional<double> one_number(std::string_view text)
{
    if (text.starts_with('+')) text.remove_prefix(1);
    double number = 0;
    const auto [end, problem] = std::from_chars(text.data(), text.data() + text.size(), number);
    const bool whole = !text.empty() && problem == std::errc() && end == text.data() + text.size();
    return whole && std::isfinite(number) ? std::optional(number) : std::nullopt;
}

bool are_numbers(std::string_view text, int count)
{
    if (count == 1) return one_number(text).has_value();
    int found = 0;
    while (!text.empty()) {
        const std::string_view word = text.substr(0, text.find(' '));
        text.remove_prefix(std::min(text.size(), word.size() + 1));
        if (word.empty()) continue;
        if (!one_number(word)) return false;
        ++found;
    }
    return found == count;
}

/// Walks through the tags of the text.
class UrdfScan {
public:
    UrdfScan(std::string_view text, const std::filesystem::path& file) : text_(text), file_(file.string()) {}

    Errors run()
    {
        while (at_ < text_.size() && good_) {
            const std::size_t tag = text_.find('<', at_);
            if (tag == std::string_view::npos) break;
            go_to(tag);
            read_tag();
        }
        if (good_ && !open_.empty()) stop(fmt::format("<{}> is not closed", printable(open_.back().name)));
        if (good_) look_for_circles();
        return std::move(errors_);
    }

private:
    struct Open {
        std::string_view name;
        bool has_mass = false, has_inertia = false;  ///< of an <inertial>
        bool has_shape = false;                      ///< of a <geometry>
    };
    using Attribute = std::pair<std::string_view, std::string_view>;

    void add(std::string message, std::string hint)
    {
        errors_.push_back({.code = ErrorCode::FileMalformed,
                           .where = fmt::format("{}:{}", printable(file_), line_),
                           .message = std::move(message),
                           .hint = std::move(hint),
                           .excerpt = {}});
    }
    /// What follows cannot be read.
    void stop(std::string message)
    {
        add(std::move(message), "this is not a valid URDF robot; check_urdf gives details");
        good_ = false;
    }

    void go_to(std::size_t place)
    {
        line_ += std::count(text_.begin() + static_cast<std::ptrdiff_t>(at_),
                            text_.begin() + static_cast<std::ptrdiff_t>(place), '\n');
        at_ = place;
    }
    void skip_behind(std::string_view mark)
    {
        const std::size_t end = text_.find(mark, at_);
        if (end == std::string_view::npos) return stop("a comment or text is not closed");
        go_to(end + mark.size());
    }

    void read_tag()
    {
        const std::string_view rest = text_.substr(at_);
        if (rest.starts_with("<!--")) return skip_behind("-->");
        if (rest.starts_with("<![CDATA[")) return skip_behind("]]>");
        if (rest.starts_with("<?")) return skip_behind("?>");
        if (rest.starts_with("<!")) return skip_behind(">");
        if (rest.starts_with("</")) return close_tag();
        open_tag();
    }

    void close_tag()
    {
        const std::size_t end = text_.find('>', at_);
        if (end == std::string_view::npos) return stop("a tag is not closed");
        std::string_view name = text_.substr(at_ + 2, end - at_ - 2);
        while (!name.empty() && is_blank(name.back()))
            name.remove_suffix(1);
        if (open_.empty() || open_.back().name != name)
            return stop(fmt::format("</{}> closes nothing", printable(name.substr(0, 40))));
        check_inertial(open_.back());
        check_geometry(open_.back());
        if (open_.size() == 2 && name == "joint") add_joint();
        go_to(end + 1);
        open_.pop_back();
    }

    /// The joint that ends here.
    void add_joint()
    {
        const std::string_view parent = std::exchange(parent_, {}), child = std::exchange(child_, {});
        if (!parent.empty() && !child.empty()) parents_of_[child].push_back(parent);
    }

    /// urdfdom would find out as well, but links that hang on each other in a circle stay in its memory.
    void look_for_circles()
    {
        enum class Seen : char { No, OnTheWay, Free };
        std::map<std::string_view, Seen> seen;
        for (const auto& [first, unused] : parents_of_) {
            // the way up, with the number of parents that have been tried at each link
            std::vector<std::pair<std::string_view, std::size_t>> way{{first, 0}};
            while (!way.empty()) {
                auto& [link, tried] = way.back();
                const auto parents = parents_of_.find(link);
                Seen& state = seen[link];
                if (tried == 0 && state == Seen::OnTheWay) {
                    add(fmt::format("link {} hangs on itself, in a circle of joints", quoted(link)),
                        "a robot is a tree, with a root that hangs on no joint");
                    return;
                }
                state = Seen::OnTheWay;
                if (parents == parents_of_.end() || tried == parents->second.size()) {
                    state = Seen::Free;
                    way.pop_back();
                    continue;
                }
                const std::string_view parent = parents->second[tried++];
                if (seen[parent] != Seen::Free) way.emplace_back(parent, 0);
            }
        }
    }

    void open_tag()
    {
        std::size_t i = at_ + 1;
        const auto skip_blanks = [&] {
            while (i < text_.size() && is_blank(text_[i]))
                ++i;
        };
        const auto word = [&] {
            const std::size_t first = i;
            while (i < text_.size() && !is_blank(text_[i]) && text_[i] != '=' && text_[i] != '>' &&
                   text_[i] != '/' && text_[i] != '<')
                ++i;
            return text_.substr(first, i - first);
        };
        const std::string_view name = word();
        std::vector<Attribute> attributes;
        for (skip_blanks(); i < text_.size() && text_[i] != '>' && text_[i] != '/'; skip_blanks()) {
            const std::string_view attribute = word();
            skip_blanks();
            if (attribute.empty() || i >= text_.size() || text_[i] != '=')
                return stop("a tag cannot be read");
            ++i;
            skip_blanks();
            const char quote = i < text_.size() ? text_[i] : '\0';
            const std::size_t end = quote == '"' || quote == '\'' ? text_.find(quote, i + 1) : text_.npos;
            if (end == text_.npos)
                return stop(fmt::format("{} has no text between quotes", printable(attribute.substr(0, 40))));
            attributes.emplace_back(attribute, text_.substr(i + 1, end - i - 1));
            if (std::ssize(attributes) > max_urdf_attributes)
                return stop(fmt::format("a tag has more than {} attributes", max_urdf_attributes));
            i = end + 1;
        }
        const bool is_closed = text_.substr(std::min(i, text_.size())).starts_with("/>");
        if (name.empty() || i >= text_.size() || (text_[i] == '/' && !is_closed))
            return stop("a tag cannot be read");
        look_at(name, attributes);
        go_to(i + (is_closed ? 2 : 1));
        if (is_closed) {
            check_inertial({.name = name});
            check_geometry({.name = name});
            return;
        }
        open_.push_back({.name = name});
        if (open_.size() > max_urdf_depth)
            stop(fmt::format("tags are nested more than {} deep", max_urdf_depth));
    }

    /// Inside a link or joint of the robot; what other programs keep beside them is not ours to read.
    [[nodiscard]] bool is_inside() const
    {
        return open_.size() >= 2 && open_[0].name == "robot" &&
               (open_[1].name == "link" || open_[1].name == "joint");
    }

    void look_at(std::string_view name, std::span<const Attribute> attributes)
    {
        if (open_.size() == 1 && open_[0].name == "robot" && name == "link" &&
            ++links_ == max_urdf_links + 1) {
            add(fmt::format("the robot has more than {} links", max_urdf_links),
                "give a smaller one, or write a scene with copies");
            good_ = false;
        }
        if (!is_inside()) return;
        Open& outer = open_.back();
        const auto link = std::ranges::find(attributes, "link", &Attribute::first);
        if (open_.size() == 2 && outer.name == "joint" && link != attributes.end()) {
            if (name == "parent") parent_ = link->second;
            if (name == "child") child_ = link->second;
        }
        if (outer.name == "inertial" && name == "mass") outer.has_mass = true;
        if (outer.name == "inertial" && name == "inertia") outer.has_inertia = true;
        if (outer.name == "geometry" && std::ranges::find(urdf_shapes, name) != urdf_shapes.end())
            outer.has_shape = true;
        if (outer.name == "joint" && name == "limit") check_limit(attributes);
        for (const UrdfNumbers& numbers : urdf_numbers) {
            if (numbers.outer != outer.name || numbers.tag != name) continue;
            const auto found = std::ranges::find(attributes, numbers.attribute, &Attribute::first);
            if (found == attributes.end()) {
                if (numbers.needed)
                    add(fmt::format("<{}> has no {}", name, numbers.attribute),
                        "add it; there is no default");
            } else if (!are_numbers(found->second, numbers.count)) {
                add(fmt::format("{} = {} of <{}> is not {}", numbers.attribute, quoted(found->second), name,
                                numbers.count == 1 ? "a number" : "three numbers"),
                    numbers.count == 1 ? "use a decimal point, no blanks and no units: \"0.001\""
                                       : "write three numbers separated by blanks: \"0 0 0.5\"");
            }
        }
    }

    /// urdfdom keeps limits in the wrong order, between which no angle lies.
    void check_limit(std::span<const Attribute> attributes)
    {
        const auto number = [&](std::string_view name) {
            const auto found = std::ranges::find(attributes, name, &Attribute::first);
            return found != attributes.end() ? one_number(found->second).value_or(0) : 0.0;
        };
        const double lower = number("lower"), upper = number("upper");
        if (lower > upper)
            add(fmt::format("lower = {:g} of <limit> is above upper = {:g}", lower, upper),
                "give the smaller one as lower");
    }

    /// urdfdom goes without a shape that it does not know: the link would touch nothing.
    void check_geometry(const Open& tag)
    {
        const bool inside = is_inside() && std::ranges::find(open_, "collision", &Open::name) != open_.end();
        if (tag.name != "geometry" || !inside || tag.has_shape) return;
        add("a <geometry> has no shape", fmt::format("give one of: {}", fmt::join(urdf_shapes, ", ")));
    }

    void check_inertial(const Open& tag)
    {
        const bool outside = tag.name != "inertial" || open_.empty() || !is_inside();
        if (outside || (tag.has_mass && tag.has_inertia)) return;
        add(fmt::format("an <inertial> has no <{}>", tag.has_mass ? "inertia" : "mass"),
            "give <mass value=\"...\"/> and <inertia ixx=\"...\" .../>");
    }

    std::string_view text_;
    std::string file_;
    std::size_t at_ = 0;
    std::ptrdiff_t line_ = 1;
    std::vector<Open> open_;
    std::string_view parent_, child_;  ///< of the joint that is open
    std::map<std::string_view, std::vector<std::string_view>> parents_of_;
    Errors errors_;
    int links_ = 0;
    bool good_ = true;
};

}  // namespace

Errors check_urdf(std::string_view text, const std::filesystem::path& file)
{
    return UrdfScan(text, file).run();
}

}  // namespace carom::detail
