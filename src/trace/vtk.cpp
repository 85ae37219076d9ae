#include "carom/trace/vtk.hpp"

#include <fmt/format.h>

#include <cmath>
#include <iterator>

namespace carom {
namespace {

constexpr const char* xml_head = "<?xml version=\"1.0\"?>\n";

bool is_vertex(const RecordedDrawing& drawing)
{
    return drawing.kind == DrawingKind::Point || drawing.kind == DrawingKind::Circle ||
           drawing.kind == DrawingKind::Trace;
}

/// Numbers of one array, with the tags around them.
class DataArray {
public:
    DataArray(std::string_view type, std::string_view name, int components = 1)
    {
        text_ =
            fmt::format("<DataArray type=\"{}\" Name=\"{}\" NumberOfComponents=\"{}\" format=\"ascii\">\n",
                        type, name, components);
    }
    void add(double x) { fmt::format_to(std::back_inserter(text_), "{} ", x); }
    void add(long x) { fmt::format_to(std::back_inserter(text_), "{} ", x); }
    [[nodiscard]] std::string text() const { return text_ + "\n</DataArray>\n"; }

private:
    std::string text_;
};

/// The connectivity of vertices, or of lines: which points each cell has, and where it ends in that list.
struct Cells {
    DataArray connectivity{"Int64", "connectivity"}, offsets{"Int64", "offsets"};
    long end = 0, count = 0;

    void add(long first, int points, bool closed)
    {
        for (int p = 0; p < points; ++p)
            connectivity.add(first + p);
        if (closed) connectivity.add(first);
        end += points + (closed ? 1 : 0);
        offsets.add(end);
        ++count;
    }
    [[nodiscard]] std::string text(std::string_view tag) const
    {
        return fmt::format("<{0}>\n{1}{2}</{0}>\n", tag, connectivity.text(), offsets.text());
    }
};

/// A place that is not finite would keep readers from reading the rest.
double finite(double x)
{
    return std::isfinite(x) ? x : 0;
}

}  // namespace

std::string vtp_name(Eigen::Index frame)
{
    return fmt::format("frame_{:06}.vtp", frame);
}

std::string to_vtp(const Recording& recording, Eigen::Index frame)
{
    DataArray places("Float64", "Points", 3), radius("Float64", "radius_m");
    DataArray drawing_number("Int64", "drawing"), contact("Int64", "contact");
    Cells vertices, lines;
    long point = 0;

    // readers number vertices before lines, so the cells are gone through in that order
    for (const bool with_vertices : {true, false}) {
        for (std::size_t d = 0; d < recording.drawings.size(); ++d) {
            const RecordedDrawing& drawing = recording.drawings[d];
            if (is_vertex(drawing) != with_vertices) continue;
            (with_vertices ? vertices : lines).add(point, drawing.points, drawing.closed);
            drawing_number.add(static_cast<long>(d));
            contact.add(static_cast<long>(drawing.contact));
            for (int p = 0; p < drawing.points; ++p, ++point) {
                const Eigen::Index at = drawing.first + p * drawing.dimension;
                for (int axis = 0; axis < 3; ++axis)
                    places.add(axis < drawing.dimension ? finite(recording.draw(frame, at + axis)) : 0.0);
                radius.add(drawing.radius >= 0 ? finite(recording.draw(frame, drawing.radius)) : 0.0);
            }
        }
    }

    // bodies are polygons, with the number of their body; lines of the plane have two corners
    DataArray body("Int64", "body");
    for (long k = 0; k < vertices.count + lines.count; ++k)
        body.add(-1L);
    Cells faces;
    for (const bool with_faces : {false, true}) {
        for (const RecordedSolid& solid : recording.solids.solids) {
            const Surface& surface =
                recording.solids.surfaces[static_cast<std::size_t>(solid.placed.surface)];
            const Pose pose = recording.solids.pose(static_cast<std::size_t>(solid.body), recording.q, frame);
            for (const std::vector<int>& face : surface.faces) {
                if ((face.size() > 2) != with_faces) continue;
                (with_faces ? faces : lines).add(point, static_cast<int>(face.size()), false);
                drawing_number.add(-1L);
                contact.add(-1L);
                body.add(static_cast<long>(solid.body));
                for (const int v : face) {
                    const Vec3 X = surface.vertices[static_cast<std::size_t>(v)];
                    const Vec3 x =
                        pose.to_world(solid.placed.pose.to_world(solid.placed.scale.cwiseProduct(X)));
                    for (int axis = 0; axis < 3; ++axis)
                        places.add(finite(x[axis]));
                    radius.add(0.0);
                    ++point;
                }
            }
        }
    }

    std::string text = xml_head;
    text +=
        "<VTKFile type=\"PolyData\" version=\"1.0\" byte_order=\"LittleEndian\" header_type=\"UInt64\">\n";
    text +=
        fmt::format("<PolyData>\n<Piece NumberOfPoints=\"{}\" NumberOfVerts=\"{}\" NumberOfLines=\"{}\"{}>\n",
                    point, vertices.count, lines.count,
                    recording.solids.solids.empty() ? "" : fmt::format(" NumberOfPolys=\"{}\"", faces.count));
    text += "<Points>\n" + places.text() + "</Points>\n";
    text += "<PointData Scalars=\"radius_m\">\n" + radius.text() + "</PointData>\n";
    const bool bodies = !recording.solids.solids.empty();
    text += "<CellData>\n" + drawing_number.text() + contact.text() + (bodies ? body.text() : "") +
            "</CellData>\n";
    text += vertices.text("Verts") + lines.text("Lines");
    if (bodies) text += faces.text("Polys");
    return text + "</Piece>\n</PolyData>\n</VTKFile>\n";
}

std::string to_pvd(const Recording& recording, const std::string& folder)
{
    std::string escaped;
    for (const char letter : folder) {
        switch (letter) {
        case '&': escaped += "&amp;"; break;
        case '<': escaped += "&lt;"; break;
        case '"': escaped += "&quot;"; break;
        default: escaped += letter;
        }
    }
    std::string text = xml_head;
    text += "<VTKFile type=\"Collection\" version=\"1.0\" byte_order=\"LittleEndian\">\n<Collection>\n";
    for (Eigen::Index i = 0; i < recording.frames(); ++i) {
        text += fmt::format("<DataSet timestep=\"{}\" part=\"0\" file=\"{}/{}\"/>\n", recording.time_s[i],
                            escaped, vtp_name(i));
    }
    return text + "</Collection>\n</VTKFile>\n";
}

}  // namespace carom
