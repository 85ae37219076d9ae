#include "files.hpp"
#include "mesh/mesh_file.hpp"
#include "names.hpp"

#include <array>

namespace carom::detail {
namespace {

/// Calls `visit` for every body and part of a body, in groups too, that has its shape in a file.
template <class AnyNode, class Visit>
void each_mesh_file(AnyNode& table, Visit&& visit)
{
    for (const char* key : {"body", "group", "part"}) {
        AnyNode* list = find(table, key);
        if (list == nullptr || list->kind != Node::Kind::Array) continue;
        for (AnyNode& item : list->items) {
            if (find(item, "file") != nullptr && find(item, "shape") != nullptr) visit(item);
            each_mesh_file(item, visit);
        }
    }
}

template <class Row>
Node rows_at(const Place& place, const std::vector<Row>& rows)
{
    const auto number_at = [&](double number) {
        Node node;
        node.kind = Node::Kind::Number;
        node.number = number;
        node.place = node.key_place = place;
        return node;
    };
    Node list;
    list.kind = Node::Kind::Array;
    list.place = list.key_place = place;
    for (const Row& row : rows) {
        Node item;
        item.kind = Node::Kind::Array;
        item.place = item.key_place = place;
        for (const auto x : row) {
            item.items.push_back(number_at(static_cast<double>(x)));
        }
        list.items.push_back(std::move(item));
    }
    return list;
}

}  // namespace

Expected<MeshShape> mesh_below(const std::filesystem::path& folder, const std::string& name)
{
    const auto file = file_below(folder, name, max_mesh_bytes, "mesh");
    if (!file) return file.error();
    return read_mesh_file(*file);
}

bool has_mesh_files(const Node& root)
{
    bool any = false;
    each_mesh_file(root, [&](const Node&) { any = true; });
    return any;
}

void put_meshes_in(Node& root, const std::filesystem::path& folder)
{
    each_mesh_file(root, [&](Node& body) {
        const Node* file = find(body, "file");
        const auto mesh = mesh_below(folder, file->text);
        if (!mesh) return;
        const Place place = file->place;
        std::erase_if(body.entries, [](const Entry& entry) { return entry.key == "file"; });
        put(body, "vertices_m", rows_at(place, mesh->vertices_m));
        const Node* shape = find(body, "shape");
        if (shape->text == "mesh") put(body, "triangles", rows_at(place, mesh->triangles));
    });
}

}  // namespace carom::detail
