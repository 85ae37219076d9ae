#include "support.hpp"
#include "support/base64.hpp"
#include "support/near.hpp"

#include "carom/trace/export.hpp"

#include <Eigen/Geometry>
#include <nlohmann/json.hpp>

#include <cstring>
#include <set>

using namespace carom;
using namespace carom::test;

namespace {

using Json = nlohmann::json;

/// An asset, taken apart and held against what the specification of glTF 2.0 asks.
class Asset {
public:
    Asset(Json parsed, std::string buffer) : json(std::move(parsed)), bytes(std::move(buffer))
    {
        CHECK(json.at("asset").at("version") == "2.0");
        for (const char* list : {"nodes", "meshes", "accessors", "bufferViews", "materials", "animations"}) {
            if (json.contains(list)) CHECK_FALSE(json[list].empty());
        }
        check_accessors();
        check_meshes();
        check_nodes();
        check_animations();
    }

    Json json;
    std::string bytes;

    [[nodiscard]] std::vector<float> floats(int accessor) const
    {
        const Json& a = json.at("accessors").at(static_cast<std::size_t>(accessor));
        const Json& view = json.at("bufferViews").at(a.at("bufferView").get<std::size_t>());
        std::vector<float> values(a.at("count").get<std::size_t>() * components(a));
        std::memcpy(values.data(), bytes.data() + view.at("byteOffset").get<std::size_t>(),
                    4 * values.size());
        return values;
    }

    /// The node of that name.
    [[nodiscard]] std::size_t node(const std::string& name) const
    {
        for (std::size_t i = 0; i < json.at("nodes").size(); ++i) {
            if (json["nodes"][i].value("name", "") == name) return i;
        }
        FAIL(name);
        return 0;
    }

    /// What the animation makes of it; empty when it does not move.
    [[nodiscard]] std::vector<float> track(std::size_t node, const std::string& path) const
    {
        if (!json.contains("animations")) return {};
        const Json& animation = json["animations"][0];
        for (const Json& channel : animation.at("channels")) {
            if (channel["target"]["node"] == node && channel["target"]["path"] == path)
                return floats(animation["samplers"][channel["sampler"].get<std::size_t>()]["output"]);
        }
        return {};
    }

private:
    static std::size_t components(const Json& accessor)
    {
        const std::string type = accessor.at("type");
        return type == "SCALAR" ? 1 : type == "VEC3" ? 3 : 4;
    }

    void check_accessors() const
    {
        if (!json.contains("accessors")) return;
        REQUIRE(json.at("buffers").size() == 1);
        CHECK(json["buffers"][0].at("byteLength") == bytes.size());
        for (std::size_t i = 0; i < json["accessors"].size(); ++i) {
            const Json& accessor = json["accessors"][i];
            const Json& view = json["bufferViews"].at(accessor.at("bufferView").get<std::size_t>());
            const std::size_t size = accessor.at("componentType") == 5126 ? 4 : 2;
            const std::size_t length = accessor.at("count").get<std::size_t>() * components(accessor) * size;
            CHECK(accessor.at("count") >= 1);
            CHECK(view.at("buffer") == 0);
            CHECK(view.at("byteOffset").get<std::size_t>() % 4 == 0);
            CHECK(view.at("byteLength") >= length);
            CHECK(view["byteOffset"].get<std::size_t>() + view["byteLength"].get<std::size_t>() <=
                  bytes.size());
            if (size == 4) check_bounds(accessor, floats(static_cast<int>(i)));
        }
    }

    static void check_bounds(const Json& accessor, const std::vector<float>& values)
    {
        const std::size_t width = components(accessor);
        for (std::size_t k = 0; k < width; ++k) {
            double low = values[k], high = values[k];
            for (std::size_t i = k; i < values.size(); i += width) {
                REQUIRE(std::isfinite(values[i]));
                low = std::min(low, static_cast<double>(values[i]));
                high = std::max(high, static_cast<double>(values[i]));
            }
            CHECK(accessor.at("min").at(k).get<double>() == low);
            CHECK(accessor.at("max").at(k).get<double>() == high);
        }
    }

    void check_meshes() const
    {
        if (!json.contains("meshes")) return;
        for (const Json& mesh : json["meshes"]) {
            for (const Json& primitive : mesh.at("primitives")) {
                CHECK(primitive.at("material") < json.at("materials").size());
                const int positions = primitive.at("attributes").at("POSITION");
                const std::size_t vertices = floats(positions).size() / 3;
                if (!primitive.contains("indices")) {
                    CHECK(primitive.at("mode") == 3);
                    CHECK(vertices >= 2);
                    continue;
                }
                const auto normals = floats(primitive["attributes"].at("NORMAL"));
                CHECK(normals.size() == 3 * vertices);
                for (std::size_t i = 0; i < normals.size(); i += 3) {
                    // single precision
                    CHECK(std::hypot(normals[i], normals[i + 1], normals[i + 2]) == near(1, 1e-6));
                }
                check_indices(primitive["indices"], vertices);
            }
        }
        for (const Json& material : json.at("materials")) {
            for (const double x : material.at("pbrMetallicRoughness").at("baseColorFactor"))
                CHECK((x >= 0 && x <= 1));
        }
    }

    void check_indices(int accessor, std::size_t vertices) const
    {
        const Json& a = json["accessors"].at(static_cast<std::size_t>(accessor));
        const std::size_t begin = json["bufferViews"][a["bufferView"].get<std::size_t>()]["byteOffset"];
        CHECK(a.at("componentType") == 5123);
        CHECK(a["count"].get<std::size_t>() % 3 == 0);
        for (std::size_t i = 0; i < a["count"].get<std::size_t>(); ++i) {
            std::uint16_t index = 0;
            std::memcpy(&index, bytes.data() + begin + 2 * i, 2);
            CHECK(index < vertices);
        }
    }

    /// A tree: every node but the root has one parent.
    void check_nodes() const
    {
        std::multiset<std::size_t> children;
        for (const Json& node : json.at("nodes")) {
            if (node.contains("mesh")) CHECK(node["mesh"] < json["meshes"].size());
            if (node.contains("children")) CHECK_FALSE(node["children"].empty());
            for (const std::size_t child : node.value("children", Json::array()))
                children.insert(child);
            if (node.contains("rotation")) {
                double square = 0;
                for (const double x : node["rotation"])
                    square += x * x;
                CHECK(square == near(1, 1e-6));
            }
        }
        const std::size_t root = json.at("scenes").at(json.at("scene").get<std::size_t>()).at("nodes").at(0);
        CHECK(children.count(root) == 0);
        for (std::size_t i = 0; i < json["nodes"].size(); ++i)
            CHECK(children.count(i) == (i == root ? 0 : 1));
    }

    void check_animations() const
    {
        if (!json.contains("animations")) return;
        const Json& animation = json["animations"].at(0);
        std::set<std::pair<std::size_t, std::string>> targets;
        for (const Json& channel : animation.at("channels")) {
            const Json& target = channel.at("target");
            CHECK(target.at("node") < json["nodes"].size());
            CHECK(targets.emplace(target["node"], target.at("path")).second);
            const Json& sampler = animation.at("samplers").at(channel.at("sampler").get<std::size_t>());
            const auto times = floats(sampler.at("input"));
            CHECK(times.front() >= 0);
            for (std::size_t i = 1; i < times.size(); ++i)
                CHECK(times[i] > times[i - 1]);
            const std::size_t width = target["path"] == "rotation" ? 4 : 3;
            const auto values = floats(sampler.at("output"));
            CHECK(values.size() == width * times.size());
            if (width == 3) continue;
            for (std::size_t i = 0; i < values.size(); i += 4)
                CHECK(Eigen::Map<const Eigen::Vector4f>(values.data() + i).norm() == near(1, 1e-6));
        }
    }
};

Asset text_asset(const Recording& run)
{
    const Json json = Json::parse(to_gltf(run));
    const std::string uri = json.contains("buffers") ? json["buffers"][0].at("uri").get<std::string>() : ",";
    return {json, from_base64(uri.substr(uri.find(',') + 1))};
}

std::uint32_t word(const std::string& bytes, std::size_t at)
{
    std::uint32_t value = 0;
    std::memcpy(&value, bytes.data() + at, 4);
    return value;
}

RecordedDrawing entry(DrawingKind kind, std::string label, int dimension, int points, int first,
                      int radius = -1)
{
    RecordedDrawing drawing;
    drawing.kind = kind;
    drawing.label = std::move(label);
    drawing.colour = "vermilion";
    drawing.dimension = dimension;
    drawing.points = points;
    drawing.first = first;
    drawing.radius = radius;
    return drawing;
}

/// A rod that turns about the origin by whole turns, a ball in space, a trace, and a floor that stays; an
/// impact half-way between two frames.
Recording moving()
{
    constexpr int frames = 41;
    Recording run;
    run.title = "a \"run\" </script>";
    run.start_s = 5;
    run.drawings = {entry(DrawingKind::Segment, "rod", 2, 2, 0),
                    entry(DrawingKind::Circle, "ball", 3, 1, 4, 7), entry(DrawingKind::Trace, "way", 3, 1, 4),
                    entry(DrawingKind::Polyline, "floor", 2, 3, 8)};
    run.drawings[3].closed = true;
    const auto row = [](double t) {
        const double angle = 3 * t, r = 1 + 0.1 * t;
        Eigen::RowVectorXd values(14);
        values << 0, 0, r * std::cos(angle), r * std::sin(angle), t, -t, t * t, 0.25, -1, 0, 1, 0, 0, -1;
        return values;
    };
    run.time_s.resize(frames);
    run.draw.resize(frames, 14);
    for (int i = 0; i < frames; ++i) {
        run.time_s[i] = 5 + 0.1 * i;
        run.draw.row(i) = row(0.1 * i);
    }
    run.jumps.time_s = Eigen::VectorXd::Constant(1, 5.15);
    run.jumps.draw = row(0.15);
    return run;
}

}  // namespace

TEST_CASE("the asset is valid and its nodes are where the drawings are, at frames and impacts")
{
    const Recording run = moving();
    const Asset asset = text_asset(run);

    // three keys before the impact came in between: 0, 0.1, then 0.15
    const auto times = asset.floats(asset.json["animations"][0]["samplers"][0]["input"]);
    REQUIRE(times.size() == 42);
    CHECK(times[2] == near(0.15, 1e-7));

    // the ball does not change its size, so only its place is animated
    const std::size_t ball = asset.node("ball");
    CHECK(asset.json["nodes"][ball]["scale"] == Json({0.25, 0.25, 0.25}));
    CHECK(asset.track(ball, "scale").empty());
    const auto places = asset.track(ball, "translation");
    REQUIRE(places.size() == 3 * times.size());
    for (std::size_t k = 0; k < times.size(); ++k) {
        const double t = static_cast<double>(times[k]);
        CHECK(places[3 * k] == near(t, 1e-6));
        CHECK(places[3 * k + 1] == near(-t, 1e-6));
        CHECK(places[3 * k + 2] == near(t * t, 1e-5));
    }

    // what stays has no channel: three sides of the floor
    CHECK(asset.track(asset.node("floor"), "translation").empty());
}

TEST_CASE("a rod reaches from its first point to its second, and never flips over")
{
    const Asset asset = text_asset(moving());
    const std::size_t rod = asset.node("rod");
    const auto turns = asset.track(rod, "rotation"), scales = asset.track(rod, "scale");
    const auto times = asset.floats(asset.json["animations"][0]["samplers"][0]["input"]);
    REQUIRE(turns.size() == 4 * times.size());
    Eigen::Quaterniond before = Eigen::Quaterniond::Identity();
    for (std::size_t k = 0; k < times.size(); ++k) {
        const float* x = turns.data() + 4 * k;
        const Eigen::Quaterniond turn(static_cast<double>(x[3]), static_cast<double>(x[0]),
                                      static_cast<double>(x[1]), static_cast<double>(x[2]));
        const Eigen::Vector3d end = turn * Eigen::Vector3d(static_cast<double>(scales[3 * k]), 0, 0);
        const double t = static_cast<double>(times[k]), r = 1 + 0.1 * t;
        CAPTURE(t);
        // single precision of lengths up to 1.4 m
        CHECK(end.x() == near(r * std::cos(3 * t), 1e-6));
        CHECK(end.y() == near(r * std::sin(3 * t), 1e-6));
        // between keys it turns by 0.3 rad at most: the same half of the sphere
        if (k > 0) CHECK(turn.dot(before) > 0.9);
        before = turn;
    }
}

TEST_CASE("z points up in a spatial scene and y in a plane one")
{
    Recording run = moving();
    const Asset space = text_asset(run);
    const Json turn = space.json["nodes"][space.node(run.title)].at("rotation");
    const Eigen::Quaterniond root(turn[3].get<double>(), turn[0].get<double>(), turn[1].get<double>(),
                                  turn[2].get<double>());
    CHECK((root * Eigen::Vector3d::UnitZ() - Eigen::Vector3d::UnitY()).norm() < 1e-15);
    run.drawings = {run.drawings[0], run.drawings[3]};
    const Asset plane = text_asset(run);
    CHECK_FALSE(plane.json["nodes"][plane.node(run.title)].contains("rotation"));
}

TEST_CASE("the binary form holds the same as the text")
{
    const Recording run = moving();
    const std::string binary = to_gltf(run, GltfForm::Binary);
    REQUIRE(binary.size() > 28);
    CHECK(binary.substr(0, 4) == "glTF");
    CHECK(word(binary, 4) == 2);
    CHECK(word(binary, 8) == binary.size());
    const std::size_t length = word(binary, 12);
    CHECK(length % 4 == 0);
    CHECK(binary.substr(16, 4) == "JSON");
    CHECK(word(binary, 20 + length) == binary.size() - 28 - length);
    CHECK(binary.substr(24 + length, 4) == std::string("BIN\0", 4));
    Asset asset(Json::parse(binary.substr(20, length)), binary.substr(28 + length));
    const Asset text = text_asset(run);
    CHECK(asset.bytes == text.bytes);
    asset.json["buffers"][0]["uri"] = text.json["buffers"][0]["uri"];
    CHECK(asset.json == text.json);
}

TEST_CASE("recordings that show little, or no numbers, give valid assets")
{
    Recording run = moving();
    run.draw(3, 4) = std::nan("");
    run.draw(4, 7) = std::numeric_limits<double>::infinity();
    run.draw(5, 2) = run.draw(5, 3) = 0;  // a rod without length
    run.jumps.time_s[0] = 5.1;            // the instant of a frame
    static_cast<void>(text_asset(run));

    run.drawings.clear();
    CHECK_FALSE(text_asset(run).json.contains("meshes"));

    Recording single = moving();
    single.time_s = single.time_s.head(1).eval();
    single.draw = single.draw.topRows(1).eval();
    single.jumps = {};
    CHECK_FALSE(text_asset(single).json.contains("animations"));
}
