#include "carom/trace/export.hpp"

#include "carom/core/version.hpp"
#include "core/palette.hpp"
#include "gltf_data.hpp"
#include "page_tracks.hpp"

#include <Eigen/Geometry>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <map>
#include <set>

namespace carom {
namespace {

using detail::GltfData;
using Json = nlohmann::ordered_json;
using Use = GltfData::Use;
using Vector = Eigen::Vector3d;

/// What lines and points, which have no size of their own, get of the size of the picture.
constexpr double rod_radius = 0.004, dot_radius = 0.012;

/// Frames and impacts in one order of time.
struct Keys {
    std::vector<float> time_s;  ///< since the start, strictly increasing
    std::vector<std::pair<const RowMatrix*, Eigen::Index>> rows;
    std::vector<Eigen::Index> frames;  ///< the frame of each key; of an impact the one before

    [[nodiscard]] std::size_t size() const noexcept { return time_s.size(); }

    /// A place that is not finite would make the asset invalid.
    [[nodiscard]] double value(std::size_t key, Eigen::Index column) const
    {
        const auto& [table, row] = rows[key];
        const double x = (*table)(row, column);
        return std::isfinite(static_cast<float>(x)) ? x : 0;
    }
    [[nodiscard]] Vector point(std::size_t key, const RecordedDrawing& drawing, int p) const
    {
        const Eigen::Index at = drawing.first + p * drawing.dimension;
        return {value(key, at), value(key, at + 1), drawing.dimension == 3 ? value(key, at + 2) : 0};
    }
};

Keys keys_of(const Recording& recording)
{
    struct Row {
        double time_s;
        const RowMatrix* table;
        Eigen::Index row, frame;
    };
    std::vector<Row> rows;
    for (Eigen::Index i = 0; i < recording.frames(); ++i)
        rows.push_back({recording.time_s[i], &recording.draw, i, i});
    for (Eigen::Index i = 0; i < recording.jumps.draw.rows(); ++i)
        rows.push_back({recording.jumps.time_s[i], &recording.jumps.draw, i, 0});
    std::stable_sort(rows.begin(), rows.end(),
                     [](const Row& a, const Row& b) { return a.time_s < b.time_s; });

    // two instants that are one in single precision would be no key of an animation
    Keys keys;
    for (const Row& row : rows) {
        const auto since = static_cast<float>(row.time_s - recording.start_s);
        if (!std::isfinite(since) || since < 0 || (!keys.time_s.empty() && since <= keys.time_s.back()))
            continue;
        keys.time_s.push_back(since);
        keys.rows.emplace_back(row.table, row.row);
        keys.frames.push_back(row.frame);
    }
    return keys;
}

/// The value of a colour by sRGB, as glTF wants it: linear.
std::array<double, 4> linear_colour(std::string_view name)
{
    std::string_view value = grey.value;
    for (const Colour& colour : palette) {
        if (colour.name == name) value = colour.value;
    }
    std::array<double, 4> linear{0, 0, 0, 1};
    for (std::size_t i = 0; i < 3; ++i) {
        int byte = 0;
        std::from_chars(value.data() + 1 + 2 * i, value.data() + 3 + 2 * i, byte, 16);
        const double s = byte / 255.0;
        linear[i] = s <= 0.04045 ? s / 12.92 : std::pow((s + 0.055) / 1.055, 2.4);
    }
    return linear;
}

/// How a node moves, key by key.
struct Motion {
    std::vector<float> translation, rotation, scale;
};

void push(std::vector<float>& to, const Vector& x)
{
    for (int i = 0; i < 3; ++i)
        to.push_back(static_cast<float>(x[i]));
}

void push_turn(std::vector<float>& to, const auto& turn)
{
    for (const double x : {turn.x(), turn.y(), turn.z(), turn.w()})
        to.push_back(static_cast<float>(x));
}

class GltfScene {
public:
    explicit GltfScene(const Recording& recording) : recording_(recording), keys_(keys_of(recording))
    {
        measure();
        for (const RecordedDrawing& drawing : recording.drawings)
            add(drawing);
        if (keys_.size() > 0) add_solids();
    }

    [[nodiscard]] std::string written(GltfForm form) const;

private:
    enum class Form { Ball, Disc, Rod };

    void measure();
    void add(const RecordedDrawing& drawing);
    void add_round(const RecordedDrawing& drawing);
    void add_rod(const RecordedDrawing& drawing, int from, int to);
    void add_trace(const RecordedDrawing& drawing);
    void add_solids();
    int mesh_of_solid(const RecordedSolid& solid);
    void add_node(const std::string& name, int mesh, const Motion& motion);
    void animate(Json& node, const char* path, const std::vector<float>& values, int components);
    int material_of(const std::string& colour, bool glass = false);
    int mesh_of(Form form, const std::string& colour);
    [[nodiscard]] Json asset() const;

    const Recording& recording_;
    Keys keys_;
    double size_ = 1;  ///< longest side of what is ever shown, m
    GltfData data_;
    int times_ = -1;  ///< accessor of the instants of keys, made by the first thing that moves
    Json nodes_ = Json::array(), meshes_ = Json::array(), materials_ = Json::array(),
         channels_ = Json::array(), samplers_ = Json::array();
    std::set<std::size_t> inner_;  ///< nodes that are parts of others
    std::map<std::string, int> material_numbers_;
    std::map<Form, Json> surfaces_;  ///< attributes and indices
    std::map<std::pair<Form, std::string>, int> mesh_numbers_;
    std::map<std::pair<int, std::string>, int> solid_meshes_;  ///< by surface of the recording and colour
};

void GltfScene::measure()
{
    Eigen::AlignedBox3d box;
    for (std::size_t k = 0; k < keys_.size(); ++k) {
        for (const RecordedDrawing& drawing : recording_.drawings) {
            for (int p = 0; p < drawing.points; ++p)
                box.extend(keys_.point(k, drawing, p));
        }
    }
    if (!box.isEmpty() && box.sizes().maxCoeff() > 0) size_ = box.sizes().maxCoeff();
}

void GltfScene::add(const RecordedDrawing& drawing)
{
    if (keys_.size() == 0) return;
    switch (drawing.kind) {
    case DrawingKind::Point:
    case DrawingKind::Circle: add_round(drawing); break;
    case DrawingKind::Trace: add_trace(drawing); break;
    case DrawingKind::Segment:
    case DrawingKind::Polyline:
        for (int p = 1; p < drawing.points; ++p)
            add_rod(drawing, p - 1, p);
        if (drawing.closed) add_rod(drawing, drawing.points - 1, 0);
        break;
    }
}

void GltfScene::add_round(const RecordedDrawing& drawing)
{
    const bool flat = drawing.kind == DrawingKind::Circle && drawing.dimension == 2;
    Motion motion;
    for (std::size_t k = 0; k < keys_.size(); ++k) {
        const double radius =
            drawing.radius >= 0 ? std::abs(keys_.value(k, drawing.radius)) : dot_radius * size_;
        push(motion.translation, keys_.point(k, drawing, 0));
        push(motion.scale, {radius, radius, radius});
    }
    add_node(drawing.label, mesh_of(flat ? Form::Disc : Form::Ball, drawing.colour), motion);
}

void GltfScene::add_rod(const RecordedDrawing& drawing, int from, int to)
{
    Motion motion;
    Eigen::Quaterniond turn = Eigen::Quaterniond::Identity();
    Vector before = Vector::UnitX();
    for (std::size_t k = 0; k < keys_.size(); ++k) {
        const Vector begin = keys_.point(k, drawing, from), span = keys_.point(k, drawing, to) - begin;
        const double length = span.norm();

        // the least turn from key to key: directions never flip. A rod without length keeps its direction
        if (length > 0) {
            turn = (Eigen::Quaterniond::FromTwoVectors(before, span) * turn).normalized();
            before = span / length;
        }
        push(motion.translation, begin);
        push_turn(motion.rotation, turn);
        push(motion.scale, {length, rod_radius * size_, rod_radius * size_});
    }
    add_node(drawing.label, mesh_of(Form::Rod, drawing.colour), motion);
}

/// Bodies as they are: one node each, which moves, with its surfaces below it. Runs of bodies have no
/// impacts among their keys.
void GltfScene::add_solids()
{
    const RecordedSolids& solids = recording_.solids;
    std::vector<std::vector<const RecordedSolid*>> of_body(solids.columns.size());
    for (const RecordedSolid& solid : solids.solids)
        of_body[static_cast<std::size_t>(solid.body)].push_back(&solid);
    for (std::size_t b = 0; b < of_body.size(); ++b) {
        Json children = Json::array();
        for (const RecordedSolid* solid : of_body[b]) {
            const int mesh = mesh_of_solid(*solid);
            if (mesh < 0) continue;
            Motion still;
            push(still.translation, solid->placed.pose.position_m);
            push_turn(still.rotation, solid->placed.pose.rotation);
            push(still.scale, solid->placed.scale);
            children.push_back(nodes_.size());
            inner_.insert(nodes_.size());
            add_node("", mesh, still);
        }
        if (children.empty()) continue;
        Motion motion;
        Rotation before = Rotation::Identity();
        for (const Eigen::Index frame : keys_.frames) {
            Pose pose = solids.pose(b, recording_.q, frame);
            if (!pose.position_m.cast<float>().allFinite()) pose = solids.fixed[b];
            // a turn and its negative are the same; players go the shorter span between neighbours
            if (before.dot(pose.rotation) < 0) pose.rotation.coeffs() *= -1;
            before = pose.rotation;
            push(motion.translation, pose.position_m);
            push_turn(motion.rotation, pose.rotation);
        }
        add_node(recording_.bodies.names[b], -1, motion);
        nodes_.back()["children"] = std::move(children);
    }
}

/// The mesh of a surface in a colour; -1 where it has more vertices than sixteen bits count, or no face.
int GltfScene::mesh_of_solid(const RecordedSolid& solid)
{
    const auto [at, is_new] = solid_meshes_.try_emplace({solid.placed.surface, solid.colour}, -1);
    if (!is_new) return at->second;
    const auto& surface = recording_.solids.surfaces[static_cast<std::size_t>(solid.placed.surface)];
    const detail::GltfSurface shape = detail::gltf_surface(surface.vertices, surface.faces, surface.smooth);
    if (shape.triangles.empty()) return -1;
    const int positions = data_.add(shape.positions, 3, Use::Vertices);
    const int normals = data_.add(shape.normals, 3, Use::Vertices);
    // a surface of one face is a plane: what is behind it must be seen
    const int indices = data_.add(shape.triangles);
    const int material = material_of(solid.colour, surface.faces.size() == 1);
    meshes_.push_back(
        {{"primitives", Json::array({{{"attributes", {{"POSITION", positions}, {"NORMAL", normals}}},
                                      {"indices", indices},
                                      {"material", material}}})}});
    at->second = static_cast<int>(meshes_.size()) - 1;
    return at->second;
}

void GltfScene::add_trace(const RecordedDrawing& drawing)
{
    if (keys_.size() < 2) return;
    std::vector<float> positions;
    for (std::size_t k = 0; k < keys_.size(); ++k)
        push(positions, keys_.point(k, drawing, 0));
    constexpr int line_strip = 3;
    const int places = data_.add(positions, 3, Use::Vertices), material = material_of(drawing.colour);
    meshes_.push_back({{"primitives", Json::array({{{"attributes", {{"POSITION", places}}},
                                                    {"mode", line_strip},
                                                    {"material", material}}})}});
    add_node(drawing.label, static_cast<int>(meshes_.size()) - 1, {});
}

void GltfScene::add_node(const std::string& name, int mesh, const Motion& motion)
{
    Json node = Json::object();
    if (!name.empty()) node["name"] = name;
    if (mesh >= 0) node["mesh"] = mesh;
    animate(node, "translation", motion.translation, 3);
    animate(node, "rotation", motion.rotation, 4);
    animate(node, "scale", motion.scale, 3);
    nodes_.push_back(std::move(node));
}

/// The value of the first key into the node, and a channel where others differ.
void GltfScene::animate(Json& node, const char* path, const std::vector<float>& values, int components)
{
    if (values.empty()) return;
    node[path] = std::vector<double>(values.begin(), values.begin() + components);
    const auto width = static_cast<std::size_t>(components);
    bool moves = false;
    for (std::size_t i = width; i < values.size(); ++i)
        moves = moves || values[i] != values[i % width];
    if (!moves) return;
    if (times_ < 0) times_ = data_.add(keys_.time_s, 1, Use::Animation);
    const int output = data_.add(values, components, Use::Animation);
    channels_.push_back(
        {{"sampler", samplers_.size()}, {"target", {{"node", nodes_.size()}, {"path", path}}}});
    samplers_.push_back({{"input", times_}, {"output", output}, {"interpolation", "LINEAR"}});
}

int GltfScene::material_of(const std::string& colour, bool glass)
{
    const std::string name = glass ? colour + " glass" : colour;
    const auto [at, is_new] = material_numbers_.try_emplace(name, static_cast<int>(materials_.size()));
    if (!is_new) return at->second;
    Json base = linear_colour(colour);
    if (glass) base[3] = 0.18;
    materials_.push_back({{"name", name},
                          {"pbrMetallicRoughness",
                           {{"baseColorFactor", base}, {"metallicFactor", 0.0}, {"roughnessFactor", 0.7}}},
                          {"doubleSided", true}});
    if (glass) materials_.back()["alphaMode"] = "BLEND";
    return at->second;
}

int GltfScene::mesh_of(Form form, const std::string& colour)
{
    const auto [at, is_new] = mesh_numbers_.try_emplace({form, colour}, static_cast<int>(meshes_.size()));
    if (!is_new) return at->second;
    Json& primitive = surfaces_[form];
    if (primitive.is_null()) {
        const auto shape = form == Form::Ball   ? detail::unit_ball()
                           : form == Form::Disc ? detail::unit_disc()
                                                : detail::unit_rod();
        const int positions = data_.add(shape.positions, 3, Use::Vertices);
        const int normals = data_.add(shape.normals, 3, Use::Vertices);
        primitive = {{"attributes", {{"POSITION", positions}, {"NORMAL", normals}}},
                     {"indices", data_.add(shape.triangles)}};
    }
    Json coloured = primitive;
    coloured["material"] = material_of(colour);
    meshes_.push_back({{"primitives", Json::array({std::move(coloured)})}});
    return at->second;
}

Json GltfScene::asset() const
{
    Json gltf = {{"asset", {{"version", "2.0"}, {"generator", "carom " + std::string(version)}}}};

    // one root above all; in space it turns z up into y up
    Json nodes = nodes_, root = Json::object();
    if (!recording_.title.empty()) root["name"] = recording_.title;
    const bool spatial_bodies = !recording_.solids.surfaces.empty() && !recording_.solids.flat;
    const bool spatial =
        spatial_bodies || std::any_of(recording_.drawings.begin(), recording_.drawings.end(),
                                      [](const RecordedDrawing& drawing) { return drawing.dimension == 3; });
    if (spatial) root["rotation"] = {-std::sqrt(0.5), 0.0, 0.0, std::sqrt(0.5)};
    for (std::size_t i = 0; i < nodes_.size(); ++i) {
        if (!inner_.contains(i)) root["children"].push_back(i);
    }
    nodes.push_back(std::move(root));
    gltf["scene"] = 0;
    gltf["scenes"] = Json::array({{{"nodes", {nodes_.size()}}}});
    gltf["nodes"] = std::move(nodes);

    // lists of the format may not be empty
    if (!meshes_.empty()) {
        gltf["meshes"] = meshes_;
        gltf["materials"] = materials_;
        gltf["accessors"] = data_.accessors();
        gltf["bufferViews"] = data_.views();
    }
    if (!channels_.empty())
        gltf["animations"] =
            Json::array({{{"name", "run"}, {"channels", channels_}, {"samplers", samplers_}}});
    return gltf;
}

void put_word(std::string& to, std::size_t word)
{
    for (int i = 0; i < 4; ++i)
        to.push_back(static_cast<char>(word >> (8 * i) & 0xff));
}

std::string GltfScene::written(GltfForm form) const
{
    const std::string& bytes = data_.bytes();
    Json gltf = asset();
    if (!bytes.empty()) gltf["buffers"] = Json::array({{{"byteLength", bytes.size()}}});
    if (form == GltfForm::Text) {
        if (!bytes.empty())
            gltf["buffers"][0]["uri"] = "data:application/octet-stream;base64," + detail::to_base64(bytes);
        return gltf.dump(-1, ' ', false, Json::error_handler_t::replace) + "\n";
    }

    // a head, then the chunk of JSON and that of numbers, each of a length divisible by four
    std::string json = gltf.dump(-1, ' ', false, Json::error_handler_t::replace);
    json.resize((json.size() + 3) / 4 * 4, ' ');
    const std::size_t chunks = 8 + json.size() + (bytes.empty() ? 0 : 8 + bytes.size());
    std::string binary = "glTF";
    put_word(binary, 2);
    put_word(binary, 12 + chunks);
    put_word(binary, json.size());
    binary += "JSON" + json;
    if (bytes.empty()) return binary;
    put_word(binary, bytes.size());
    return binary + std::string("BIN\0", 4) + bytes;
}

}  // namespace

std::string to_gltf(const Recording& recording, GltfForm form)
{
    return GltfScene(recording).written(form);
}

}  // namespace carom
