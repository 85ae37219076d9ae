#include "carom/mesh/mesh_file.hpp"

#include "carom/core/text.hpp"

#include <assimp/DefaultLogger.hpp>
#include <assimp/IOStream.hpp>
#include <assimp/IOSystem.hpp>
#include <assimp/Importer.hpp>
#include <assimp/postprocess.h>
#include <assimp/scene.h>

#include <algorithm>
#include <array>
#include <exception>
#include <fstream>
#include <limits>

#include <fmt/format.h>

namespace carom {
namespace {

constexpr std::array<std::string_view, 4> formats{"stl", "obj", "ply", "off"};

Error malformed(std::string message, std::string hint)
{
    return {.code = ErrorCode::FileMalformed,
            .where = {},
            .message = std::move(message),
            .hint = std::move(hint),
            .excerpt = {}};
}

/// A mesh is one file: whatever it names is not there.
class NoOtherFiles : public Assimp::IOSystem {
public:
    bool Exists(const char*) const override { return false; }
    char getOsSeparator() const override { return '/'; }
    Assimp::IOStream* Open(const char*, const char*) override { return nullptr; }
    void Close(Assimp::IOStream* stream) override { delete stream; }
};

/// The size of a binary STL follows from its count of triangles, which is looked at before assimp takes
/// memory.
bool is_whole_stl(std::string_view bytes)
{
    if (bytes.starts_with("solid")) return true;  // text, most likely: nothing is counted
    if (bytes.size() < 84) return false;
    std::uint32_t count = 0;
    for (int i = 3; i >= 0; --i) {
        count = count << 8 | static_cast<unsigned char>(bytes[80 + static_cast<std::size_t>(i)]);
    }
    return bytes.size() >= 84 + std::uint64_t{50} * count;
}

/// Node after node with their transformations, not deeper than a file of this size can mean.
bool collect(const aiScene& scene, const aiNode& node, const aiMatrix4x4& above, int depth, MeshShape& mesh)
{
    if (depth > 100) return false;
    const aiMatrix4x4 here = above * node.mTransformation;
    for (unsigned k = 0; k < node.mNumMeshes; ++k) {
        if (node.mMeshes[k] >= scene.mNumMeshes) return false;
        const aiMesh& part = *scene.mMeshes[node.mMeshes[k]];
        const auto first = mesh.vertices_m.size();
        if (first + part.mNumVertices > 3 * max_mesh_triangles) return false;
        for (unsigned v = 0; v < part.mNumVertices; ++v) {
            const aiVector3D x = here * part.mVertices[v];
            mesh.vertices_m.emplace_back(x.x, x.y, x.z);
        }
        for (unsigned f = 0; f < part.mNumFaces; ++f) {
            const aiFace& face = part.mFaces[f];
            if (face.mNumIndices != 3) continue;
            std::array<int, 3> corners{};
            for (unsigned i = 0; i < 3; ++i) {
                if (face.mIndices[i] >= part.mNumVertices) return false;
                corners[i] = static_cast<int>(first + face.mIndices[i]);
            }
            if (mesh.triangles.size() == max_mesh_triangles) return false;
            mesh.triangles.push_back(corners);
        }
    }
    for (unsigned k = 0; k < node.mNumChildren; ++k) {
        if (!collect(scene, *node.mChildren[k], here, depth + 1, mesh)) return false;
    }
    return true;
}

Expected<MeshShape> imported(std::string_view bytes, const std::string& format)
{
    Assimp::Importer importer;
    importer.SetIOHandler(new NoOtherFiles);
    importer.SetPropertyInteger(AI_CONFIG_PP_SBP_REMOVE, aiPrimitiveType_POINT | aiPrimitiveType_LINE);
    const aiScene* scene = importer.ReadFileFromMemory(
        bytes.data(), bytes.size(),
        aiProcess_Triangulate | aiProcess_SortByPType | aiProcess_JoinIdenticalVertices, format.c_str());
    if (scene == nullptr || scene->mRootNode == nullptr) {
        return malformed(fmt::format("the mesh cannot be read: {}", printable(importer.GetErrorString())),
                         "write it again as STL, OBJ, PLY or OFF");
    }
    MeshShape mesh;
    if (!collect(*scene, *scene->mRootNode, aiMatrix4x4(), 0, mesh)) {
        return malformed(
            fmt::format("the mesh has more than {} triangles, or is nested too deeply", max_mesh_triangles),
            "make it coarser");
    }
    return mesh;
}

}  // namespace

Expected<MeshShape> read_mesh(std::string_view bytes, std::string_view format)
{
    std::string ending(format);
    std::transform(ending.begin(), ending.end(), ending.begin(),
                   [](char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; });
    if (std::find(formats.begin(), formats.end(), ending) == formats.end()) {
        return malformed(fmt::format("{} is no format of meshes that is read", carom::quoted(ending)),
                         "give a file that ends in .stl, .obj, .ply or .off");
    }
    if (bytes.empty() || bytes.size() > max_mesh_bytes || (ending == "stl" && !is_whole_stl(bytes))) {
        return malformed("the mesh is empty, cut off or too large",
                         fmt::format("a mesh may have {} bytes", max_mesh_bytes));
    }
    // the library below throws on its own mistakes, too
    Expected<MeshShape> mesh = [&]() -> Expected<MeshShape> {
        try {
            return imported(bytes, ending);
        } catch (const std::exception& problem) {
            return malformed(fmt::format("the mesh cannot be read: {}", printable(problem.what())),
                             "write it again as STL, OBJ, PLY or OFF");
        }
    }();
    if (!mesh) return mesh;
    if (auto fine = check(*mesh, "mesh"); !fine) return malformed(fine.error().message, fine.error().hint);
    return mesh;
}

Expected<MeshShape> read_mesh_file(const std::filesystem::path& file)
{
    std::error_code problem;
    const auto size = std::filesystem::file_size(file, problem);
    std::ifstream in(file, std::ios::binary);
    if (problem || !in || size > max_mesh_bytes) {
        return Error{.code = ErrorCode::FileUnreadable,
                     .where = {},
                     .message = fmt::format("the mesh {} is missing, or has more than {} bytes",
                                            carom::quoted(file.filename().string()), max_mesh_bytes),
                     .hint = "look at its name, its rights and its size",
                     .excerpt = {}};
    }
    std::string bytes(static_cast<std::size_t>(size), '\0');
    in.read(bytes.data(), static_cast<std::streamsize>(size));
    bytes.resize(static_cast<std::size_t>(std::max<std::streamsize>(0, in.gcount())));
    std::string ending = file.extension().string();
    if (!ending.empty()) ending.erase(0, 1);
    return read_mesh(bytes, ending);
}

}  // namespace carom
