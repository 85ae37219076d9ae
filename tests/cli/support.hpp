#pragma once

#include <doctest/doctest.h>
#include <nlohmann/json.hpp>

#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

namespace carom::test {

/// What a program left behind.
struct Outcome {
    int status = -1;  ///< exit status; 128 + signal if one ended it
    std::string out, err;

    [[nodiscard]] nlohmann::json json() const
    {
        CAPTURE(out);
        auto parsed = nlohmann::json::parse(out, nullptr, false);
        REQUIRE_FALSE(parsed.is_discarded());
        return parsed;
    }
};

/// A folder of its own for one test, removed at its end.
class Folder {
public:
    Folder();
    ~Folder();
    Folder(const Folder&) = delete;
    Folder& operator=(const Folder&) = delete;

    [[nodiscard]] std::string path(std::string_view name) const { return (path_ / name).string(); }

    /// Writes a file and returns its path.
    std::string write(std::string_view name, std::string_view text) const;

private:
    std::filesystem::path path_;
};

/// Starts carom with these arguments and waits. `interrupt_when_exists`: sends Ctrl-C once a file of this
/// name is there.
Outcome carom_program(const std::vector<std::string>& arguments,
                      const std::string& interrupt_when_exists = {});

inline bool contains(std::string_view text, std::string_view piece)
{
    return text.find(piece) != std::string_view::npos;
}

/// The text with the first occurrence of one piece replaced by another; the piece must be there.
inline std::string with(std::string text, std::string_view piece, std::string_view other)
{
    const auto at = text.find(piece);
    REQUIRE(at != std::string::npos);
    return text.replace(at, piece.size(), other);
}

/// A ball dropped from 1 m on a soft floor.
inline const std::string ball = R"toml(duration_s = 1.0
[parameters]
g = 9.81
e = 0.0
[[coordinate]]
name = "z"
start = 1.0
[lagrangian]
kinetic = "z'^2/2"
potential = "g*z"
[[contact]]
name = "floor"
gap = "z"
law = { kind = "unilateral", restitution = "e" }
[[probe]]
name = "energy"
value = "z'^2/2 + g*z"
unit = "J"
[integrator]
time_step_s = 1e-3
)toml";

}  // namespace carom::test
