#include "carom/trace/export.hpp"

#include "vtk_array.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdint>

namespace carom {
namespace {

constexpr const char* xml_head = "<?xml version=\"1.0\"?>\n";

bool is_vertex(const RecordedDrawing& drawing)
{
    return drawing.kind == DrawingKind::Point || drawing.kind == DrawingKind::Circle ||
           drawing.kind == DrawingKind::Trace;
}

/// The connectivity of cells: which points each has, and where it ends in that list.
struct Cells {
    std::vector<std::int32_t> connectivity, offsets;

    void add(std::int32_t first, int points, bool closed)
    {
        for (int p = 0; p < points; ++p)
            connectivity.push_back(first + p);
        if (closed) connectivity.push_back(first);
        end();
    }
    void end() { offsets.push_back(static_cast<std::int32_t>(connectivity.size())); }
    [[nodiscard]] std::size_t count() const noexcept { return offsets.size(); }
    [[nodiscard]] std::string text(std::string_view tag) const
    {
        return fmt::format("<{0}>\n{1}{2}</{0}>\n", tag, detail::vtk_array("connectivity", connectivity),
                           detail::vtk_array("offsets", offsets));
    }
};

/// A place that is not finite would keep readers from reading the rest.
double finite(double x)
{
    return std::isfinite(x) ? x : 0;
}

/// Poly data of one frame, cell by cell. Readers number vertices before lines and lines before polygons, so
/// they are added in that order.
class VtpFrame {
public:
    VtpFrame(const Recording& recording, Eigen::Index frame) : run_(recording), frame_(frame) {}

    [[nodiscard]] std::string text();

private:
    std::int32_t add_point(const Vec3& x, double radius, const Vec3& force = Vec3::Zero());
    void add_cell(std::size_t drawing, int contact, int body);
    void add_drawings(bool vertices);
    void add_contacts();
    void add_solids(bool faces);
    void sum_forces();

    const Recording& run_;
    Eigen::Index frame_;
    std::vector<float> places_, radius_, force_, velocity_, pressing_;
    std::vector<std::int32_t> drawing_, contact_, body_;
    std::vector<Vec3> forces_;  ///< per body: of all its contacts
    Cells vertices_, lines_, faces_;
};

constexpr std::size_t no_drawing = static_cast<std::size_t>(-1);

void put(const Vec3& x, std::vector<float>& numbers)
{
    for (int axis = 0; axis < 3; ++axis)
        numbers.push_back(static_cast<float>(finite(x[axis])));
}

std::int32_t VtpFrame::add_point(const Vec3& x, double radius, const Vec3& force)
{
    put(x, places_);
    put(force, force_);
    radius_.push_back(static_cast<float>(finite(radius)));
    return static_cast<std::int32_t>(radius_.size()) - 1;
}

void VtpFrame::add_cell(std::size_t drawing, int contact, int body)
{
    drawing_.push_back(drawing == no_drawing ? -1 : static_cast<std::int32_t>(drawing));
    contact_.push_back(contact);
    body_.push_back(body);
    if (run_.solids.solids.empty()) return;
    Vec3 velocity = Vec3::Zero();
    const auto at = static_cast<std::size_t>(body);
    if (body >= 0 && run_.solids.columns[at] >= 0 && run_.u.rows() > frame_) {
        for (int axis = 0; axis < (run_.solids.flat ? 2 : 3); ++axis)
            velocity[axis] = run_.u(frame_, run_.solids.columns[at] + axis);
    }
    put(velocity, velocity_);
    put(body >= 0 ? forces_[at] : Vec3::Zero(), pressing_);
}

void VtpFrame::add_drawings(bool vertices)
{
    for (std::size_t d = 0; d < run_.drawings.size(); ++d) {
        const RecordedDrawing& drawing = run_.drawings[d];
        if (is_vertex(drawing) != vertices) continue;
        (vertices ? vertices_ : lines_)
            .add(static_cast<std::int32_t>(radius_.size()), drawing.points, drawing.closed);
        add_cell(d, drawing.contact, -1);
        for (int p = 0; p < drawing.points; ++p) {
            Vec3 x = Vec3::Zero();
            for (int axis = 0; axis < drawing.dimension; ++axis)
                x[axis] = run_.draw(frame_, drawing.first + p * drawing.dimension + axis);
            add_point(x, drawing.radius >= 0 ? run_.draw(frame_, drawing.radius) : 0);
        }
    }
}

/// Contacts of bodies are vertices with the force on the first body, and add to those of both bodies.
void VtpFrame::sum_forces()
{
    const RecordedBodies& bodies = run_.bodies;
    forces_.assign(run_.solids.columns.size(), Vec3::Zero());
    if (bodies.first_row.size() < 2 || !(bodies.step_s[frame_] > 0)) return;
    const auto at = static_cast<std::size_t>(frame_);
    for (Eigen::Index row = bodies.first_row[at]; row < bodies.first_row[at + 1]; ++row) {
        const Vec3 force = bodies.percussion_Ns.row(row).transpose() / bodies.step_s[frame_];
        forces_[static_cast<std::size_t>(bodies.first[static_cast<std::size_t>(row)])] += force;
        forces_[static_cast<std::size_t>(bodies.second[static_cast<std::size_t>(row)])] -= force;
    }
}

void VtpFrame::add_contacts()
{
    const RecordedBodies& bodies = run_.bodies;
    if (bodies.first_row.size() < 2 || !(bodies.step_s[frame_] > 0)) return;
    const auto at = static_cast<std::size_t>(frame_);
    for (Eigen::Index row = bodies.first_row[at]; row < bodies.first_row[at + 1]; ++row) {
        const Vec3 force = bodies.percussion_Ns.row(row).transpose() / bodies.step_s[frame_];
        vertices_.add(add_point(bodies.point_m.row(row).transpose(), 0, force), 1, false);
        add_cell(no_drawing, -1, -1);
    }
}

/// Bodies: their faces, and lines of the plane, which have two corners. Faces share their corners.
void VtpFrame::add_solids(bool faces)
{
    for (const RecordedSolid& solid : run_.solids.solids) {
        const Surface& surface = run_.solids.surfaces[static_cast<std::size_t>(solid.placed.surface)];
        const bool has_any = std::ranges::any_of(
            surface.faces, [&](const std::vector<int>& face) { return (face.size() > 2) == faces; });
        if (!has_any) continue;
        const Pose pose = run_.solids.pose(static_cast<std::size_t>(solid.body), run_.q, frame_);
        const auto first = static_cast<std::int32_t>(radius_.size());
        for (const Vec3& vertex : surface.vertices)
            add_point(pose.to_world(solid.placed.pose.to_world(solid.placed.scale.cwiseProduct(vertex))), 0);
        for (const std::vector<int>& face : surface.faces) {
            if ((face.size() > 2) != faces) continue;
            Cells& cells = faces ? faces_ : lines_;
            for (const int v : face)
                cells.connectivity.push_back(first + v);
            cells.end();
            add_cell(no_drawing, -1, solid.body);
        }
    }
}

std::string VtpFrame::text()
{
    const bool bodies = !run_.solids.solids.empty();
    if (bodies) sum_forces();
    add_drawings(/*vertices=*/true);
    if (bodies) add_contacts();
    add_drawings(/*vertices=*/false);
    add_solids(/*faces=*/false);
    add_solids(/*faces=*/true);

    std::string text = xml_head;
    text += "<VTKFile type=\"PolyData\" version=\"1.0\" byte_order=\"LittleEndian\" header_type=\"UInt32\" "
            "compressor=\"vtkZLibDataCompressor\">\n";
    text += fmt::format("<PolyData>\n<Piece NumberOfPoints=\"{}\" NumberOfVerts=\"{}\" NumberOfLines=\"{}\" "
                        "NumberOfPolys=\"{}\">\n",
                        radius_.size(), vertices_.count(), lines_.count(), faces_.count());
    text += "<Points>\n" + detail::vtk_array("Points", 3, places_) + "</Points>\n";
    text += "<PointData Scalars=\"radius_m\">\n" + detail::vtk_array("radius_m", 1, radius_);
    if (bodies) text += detail::vtk_array("force_N", 3, force_);
    text += "</PointData>\n<CellData>\n" + detail::vtk_array("drawing", drawing_) +
            detail::vtk_array("contact", contact_);
    if (bodies) {
        text += detail::vtk_array("body", body_) + detail::vtk_array("velocity_m_s", 3, velocity_) +
                detail::vtk_array("contact_force_N", 3, pressing_);
    }
    text += "</CellData>\n" + vertices_.text("Verts") + lines_.text("Lines") + faces_.text("Polys");
    return text + "</Piece>\n</PolyData>\n</VTKFile>\n";
}

}  // namespace

std::string vtp_name(Eigen::Index frame)
{
    return fmt::format("frame_{:06}.vtp", frame);
}

std::string to_vtp(const Recording& recording, Eigen::Index frame)
{
    return VtpFrame(recording, frame).text();
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
