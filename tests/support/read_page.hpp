#pragma once

#include "base64.hpp"

#include <Eigen/Dense>
#include <doctest/doctest.h>
#include <nlohmann/json.hpp>
#include <zlib.h>

#include <cmath>
#include <cstring>
#include <map>
#include <string>

namespace carom::test {

/// The text between an opening tag that has this id and the next closing tag, as a browser would see it.
inline std::string script(const std::string& page, const std::string& id)
{
    const auto at = page.find("id=\"" + id + "\">");
    REQUIRE(at != std::string::npos);
    const auto begin = page.find('>', at) + 1;
    return page.substr(begin, page.find("</script", begin) - begin);
}

struct Page {
    nlohmann::json head;
    std::map<std::string, Eigen::VectorXd> tracks;
};

inline Eigen::VectorXd decoded(const nlohmann::json& track, const std::string& bytes)
{
    const auto rows = track.at("rows").get<std::size_t>();
    Eigen::VectorXd values(static_cast<Eigen::Index>(rows));
    std::uint16_t code = 0;
    for (std::size_t i = 0; i < rows; ++i) {
        double& value = values[static_cast<Eigen::Index>(i)];
        if (track.at("as") == "f64") {
            std::memcpy(&value, bytes.data() + 8 * i, 8);
        } else if (track.at("as") == "f32") {
            float single = 0;
            std::memcpy(&single, bytes.data() + 4 * i, 4);
            value = static_cast<double>(single);
        } else {
            const auto low = static_cast<unsigned char>(bytes[i]),
                       high = static_cast<unsigned char>(bytes[rows + i]);
            code = static_cast<std::uint16_t>(code + low + 256 * high);
            const double min = track.at("min"), max = track.at("max");
            value = code == 65535 ? std::nan("") : min + code * (max - min) / 65534;
        }
    }
    return values;
}

/// Reads the tracks of one element.
inline void read_tracks(const nlohmann::json& heads, const std::string& text, Page& page)
{
    const std::string packed = from_base64(text);
    std::string bytes(100'000'000, '\0');
    uLongf size = bytes.size();
    REQUIRE(uncompress(reinterpret_cast<Bytef*>(bytes.data()), &size,
                       reinterpret_cast<const Bytef*>(packed.data()), packed.size()) == Z_OK);
    std::size_t at = 0;
    for (const nlohmann::json& track : heads) {
        const std::size_t width = track.at("as") == "f64" ? 8 : track.at("as") == "f32" ? 4 : 2;
        const std::size_t length = width * track.at("rows").get<std::size_t>();
        page.tracks[track.at("name")] = decoded(track, bytes.substr(at, length));
        at += length;
    }
    CHECK(at == size);
}

/// Reads a page as the viewer does.
inline Page read_page(const std::string& text)
{
    Page page{.head = nlohmann::json::parse(script(text, "carom-head")), .tracks = {}};
    read_tracks(page.head.at("tracks"), script(text, "carom-tracks"), page);
    if (page.head.contains("late")) read_tracks(page.head.at("late"), script(text, "carom-late"), page);
    return page;
}

}  // namespace carom::test
