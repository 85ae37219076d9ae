#include "carom/scene/scene.hpp"

#include "carom/geometry/shape.hpp"
#include "core/text.hpp"
#include "urdf_check.hpp"

#include <console_bridge/console.h>
#include <urdf_parser/urdf_parser.h>

#include <algorithm>
#include <cmath>
#include <fstream>
#include <iterator>
#include <map>

#include <fmt/format.h>

namespace carom {
namespace {

/// A description of a robot has at most so many bytes.
constexpr std::size_t max_urdf_bytes = 16'000'000;

Vec3 vector_of(const urdf::Vector3& x)
{
    return {x.x, x.y, x.z};
}

Pose pose_of(const urdf::Pose& pose)
{
    const urdf::Rotation& R = pose.rotation;
    return {.position_m = vector_of(pose.position), .rotation = Rotation(R.w, R.x, R.y, R.z).normalized()};
}

Pose chained(const Pose& a, const Pose& b)
{
    return {.position_m = a.to_world(b.position_m), .rotation = (a.rotation * b.rotation).normalized()};
}

/// A collision shape in the frame of its link.
struct CollisionPart {
    const urdf::Collision* collision = nullptr;
    Pose pose;  ///< in the frame of the body
};

/// Links that fixed joints join.
struct UrdfBody {
    std::string name;
    Pose pose;  ///< of the frame of its first link, in the world at the start
    bool fixed = false;
    double mass_kg = 0;
    Vec3 moment_kg_m = Vec3::Zero();   ///< mass times centre, frame of the body
    Mat3 second_kg_m2 = Mat3::Zero();  ///< inertia about the origin of the frame
    std::vector<CollisionPart> parts;
};

/// Writes a scene link by link.
class UrdfWriter {
public:
    UrdfWriter(const urdf::ModelInterface& robot, const UrdfSettings& settings)
        : robot_(robot), settings_(settings)
    {
    }

    Expected<std::string, Errors> run()
    {
        // a loop: urdfdom keeps one joint of the link and hangs it on both parents
        std::map<std::string, std::string> hung_by;
        for (const auto& [name, joint] : robot_.joints_) {
            const auto [other, first] = hung_by.emplace(joint->child_link_name, name);
            if (first) continue;
            refuse(ErrorCode::NotAllowedHere, "joint " + name,
                   fmt::format("the link {} hangs on the joint {} already",
                               carom::quoted(joint->child_link_name), carom::quoted(other->second)),
                   "a URDF is a tree: leave one of them out, and close the loop by a [[joint]] of the scene");
        }
        if (!errors_.empty()) return errors_;

        const auto root = robot_.getRoot();
        begin_body(*root, Pose{}, !settings_.floating || root->name == "world");
        add_tree(*root);
        std::string text = fmt::format("title = \"{}\"\nduration_s = 2.0\n", plain(robot_.getName()));
        text += "\n[[material]]\nname = \"surface\"\nfriction = 0.5\n";
        for (const UrdfBody& body : bodies_)
            text += body_text(body);
        text += joints_ + gears_text();
        text += "\n[integrator]\nkind = \"moreau\"\ntime_step_s = 1e-3\n";
        if (!errors_.empty()) return errors_;
        return text;
    }

private:
    void refuse(ErrorCode code, std::string_view where, std::string message, std::string hint)
    {
        errors_.push_back({.code = code,
                           .where = printable(where),
                           .message = std::move(message),
                           .hint = std::move(hint),
                           .excerpt = {}});
    }

    /// A name that formulas can use, different from those taken.
    std::string name_of(const std::string& name)
    {
        std::string result;
        for (const char c : name) {
            const bool good = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9');
            result += good ? c : '_';
        }
        if (result.empty() || (result[0] >= '0' && result[0] <= '9')) result.insert(0, "_");
        if (taken_.emplace(result, 1).second) return result;
        int& last = taken_[result];
        std::string numbered;
        do
            numbered = fmt::format("{}_{}", result, ++last);
        while (!taken_.emplace(numbered, 1).second);
        return numbered;
    }

    /// Text between quotes of TOML; bytes that are not UTF-8, in Latin-1 for example, become question marks.
    static std::string plain(const std::string& text)
    {
        std::string result = printable(text);
        std::ranges::replace_if(result, [](char c) { return c == '"' || c == '\\'; }, '_');
        return result;
    }

    void begin_body(const urdf::Link& link, const Pose& pose, bool fixed)
    {
        bodies_.push_back({.name = name_of(link.name), .pose = pose, .fixed = fixed});
    }

    /// A link that waits to be added: at `inner` in the frame of a body, or of one of its own when its joint
    /// moves.
    struct Waiting {
        const urdf::Link* link;
        std::size_t body;  ///< that it hangs on
        Pose inner;
        bool moves;
    };

    /// Adds the root and all that hangs on it: a link, all of its first child, then the next. Chains may be
    /// long, so those that wait stand in a list.
    void add_tree(const urdf::Link& root)
    {
        std::vector<Waiting> waiting{{.link = &root, .body = 0, .inner = {}, .moves = false}};
        while (!waiting.empty()) {
            Waiting next = waiting.back();
            waiting.pop_back();
            if (next.moves) {
                const urdf::Joint& joint = *next.link->parent_joint;
                const Pose frame = chained(bodies_[next.body].pose, next.inner);
                const double start = start_of(joint);
                begin_body(*next.link, chained(frame, moved(joint, start)), false);
                add_joint(joint, bodies_.size() - 1, next.body, frame, start);
                next = {.link = next.link, .body = bodies_.size() - 1, .inner = {}, .moves = false};
            }
            add_link(*next.link, next.body, next.inner);
            const auto& children = next.link->child_links;
            for (auto child = children.rbegin(); child != children.rend(); ++child) {
                const urdf::Joint& joint = *(*child)->parent_joint;
                waiting.push_back(
                    {.link = child->get(),
                     .body = next.body,
                     .inner = chained(next.inner, pose_of(joint.parent_to_joint_origin_transform)),
                     .moves = joint.type != urdf::Joint::FIXED});
            }
        }
    }

    void add_link(const urdf::Link& link, std::size_t body, const Pose& inner)
    {
        if (link.inertial) add_inertia(*link.inertial, link.name, inner, bodies_[body]);
        for (const auto& collision : link.collision_array) {
            if (collision && collision->geometry)
                bodies_[body].parts.push_back(
                    {.collision = collision.get(), .pose = chained(inner, pose_of(collision->origin))});
        }
    }

    void add_inertia(const urdf::Inertial& inertial, const std::string& link, const Pose& inner,
                     UrdfBody& body)
    {
        const Pose at = chained(inner, pose_of(inertial.origin));
        Mat3 J;
        J << inertial.ixx, inertial.ixy, inertial.ixz, inertial.ixy, inertial.iyy, inertial.iyz, inertial.ixz,
            inertial.iyz, inertial.izz;
        if (!(inertial.mass >= 0) || !std::isfinite(inertial.mass) || !J.allFinite() ||
            !at.position_m.allFinite()) {
            refuse(ErrorCode::FileMalformed, "link " + link,
                   "its mass or inertia is not a number, or negative", "correct the <inertial> of the link");
            return;
        }
        const Mat3 R = at.rotation.toRotationMatrix();
        const Vec3& c = at.position_m;
        body.mass_kg += inertial.mass;
        body.moment_kg_m += inertial.mass * c;
        body.second_kg_m2 +=
            R * J * R.transpose() + inertial.mass * (c.squaredNorm() * Mat3::Identity() - c * c.transpose());
    }

    /// Zero, or the limit next to it.
    static double start_of(const urdf::Joint& joint)
    {
        const bool bounded = joint.type == urdf::Joint::REVOLUTE || joint.type == urdf::Joint::PRISMATIC;
        if (!bounded || !joint.limits || !(joint.limits->lower <= joint.limits->upper)) return 0;
        return std::clamp(0.0, joint.limits->lower, joint.limits->upper);
    }

    static Pose moved(const urdf::Joint& joint, double by)
    {
        const Vec3 axis = vector_of(joint.axis).normalized();
        if (joint.type == urdf::Joint::PRISMATIC) return {.position_m = by * axis};
        return {.rotation = rotation_by(by * axis)};
    }

    void add_joint(const urdf::Joint& joint, std::size_t first, std::size_t second, const Pose& frame,
                   double start)
    {
        if (joint.type == urdf::Joint::FLOATING) return;  // free bodies
        const bool slides = joint.type == urdf::Joint::PRISMATIC, planar = joint.type == urdf::Joint::PLANAR;
        const Vec3 axis = frame.rotation * vector_of(joint.axis);
        if (!(axis.norm() > 0) || !axis.allFinite() || !frame.position_m.allFinite()) {
            refuse(ErrorCode::FileMalformed, "joint " + joint.name,
                   "its axis or origin is not a direction or place",
                   "correct the <axis> and <origin> of the joint");
            return;
        }
        const std::string name = name_of(joint.name);
        joint_names_[joint.name] = name;
        auto out = std::back_inserter(joints_);
        fmt::format_to(
            out,
            "\n[[joint]]\nname = \"{}\"\nkind = \"{}\"\nfirst = \"{}\"\nsecond = \"{}\"\npoint_m = "
            "[{}, {}, {}]\naxis = [{}, {}, {}]\n",
            name,
            planar   ? "planar"
            : slides ? "prismatic"
                     : "revolute",
            bodies_[first].name, bodies_[second].name, frame.position_m.x(), frame.position_m.y(),
            frame.position_m.z(), axis.x(), axis.y(), axis.z());
        if (!planar) joints_ += freedom_text(joint, slides, start);
    }

    [[nodiscard]] std::string freedom_text(const urdf::Joint& joint, bool slides, double start) const
    {
        const char *place = slides ? "m" : "rad", *force = slides ? "N" : "Nm";
        std::string text;
        auto out = std::back_inserter(text);
        const bool bounded = joint.limits && joint.type != urdf::Joint::CONTINUOUS;
        const auto add = [&](const std::string& key, double value) {
            fmt::format_to(out, "{} = {}\n", key, value);
        };
        if (bounded && joint.limits->lower <= joint.limits->upper) {
            add(fmt::format("low_{}", place), joint.limits->lower - start);
            add(fmt::format("high_{}", place), joint.limits->upper - start);
        }
        if (joint.dynamics && joint.dynamics->friction > 0)
            add(fmt::format("friction_{}", force), joint.dynamics->friction);
        if (joint.dynamics && joint.dynamics->damping > 0)
            add(slides ? "damping_Ns_m" : "damping_Nms", joint.dynamics->damping);
        if (joint.limits && joint.limits->effort > 0 && !joint.mimic) {
            const char* before = settings_.hold ? "" : "# ";
            fmt::format_to(out, "{}motor_{}_s = 0\n{}motor_limit_{} = {}\n", before, place, before, force,
                           joint.limits->effort);
        }
        const bool empty = text.empty();
        return empty ? "" : fmt::format("[joint.{}]\n{}", slides ? "slide" : "turn", text);
    }

    /// Joints that follow others: rate - multiplier other rate = 0.
    std::string gears_text()
    {
        std::string text;
        for (const auto& [name, joint] : robot_.joints_) {
            if (!joint->mimic || !joint_names_.contains(name)) continue;
            const auto other = joint_names_.find(joint->mimic->joint_name);
            if (other == joint_names_.end()) {
                refuse(ErrorCode::FileMalformed, "joint " + name,
                       "it mimics a joint that does not exist or move", "correct the <mimic> of the joint");
                continue;
            }
            text += fmt::format("\n[[joint]]\nname = \"{}\"\nkind = \"gear\"\nfirst_joint = \"{}\"\n"
                                "second_joint = \"{}\"\nratio = {}\n",
                                name_of(name + "_mimic"), joint_names_[name], other->second,
                                -joint->mimic->multiplier);
        }
        return text;
    }

    std::string body_text(const UrdfBody& body)
    {
        std::string text = fmt::format("\n[[body]]\nname = \"{}\"\n", body.name);
        // the frame of the body is that of its shape; several are a compound in the frame of the link
        const bool one = body.parts.size() == 1;
        const Pose shape = one ? body.parts[0].pose : Pose{};
        text += body.parts.empty() ? "shape = \"none\"\n"
                : one              ? shape_text(*body.parts[0].collision, body.name)
                                   : "shape = \"compound\"\n";
        const Pose at = chained(body.pose, shape);
        auto out = std::back_inserter(text);
        text += pose_text(at);
        if (body.fixed) return text + "motion = \"fixed\"\n" + parts_text(body);
        if (!(body.mass_kg > 0)) {
            refuse(ErrorCode::FileMalformed, "link " + body.name, "it moves and has no mass",
                   "give it an <inertial>, or join it by a fixed joint");
            return text;
        }
        const Vec3 centre = body.moment_kg_m / body.mass_kg, c = shape.to_body(centre);
        const Mat3 R = shape.rotation.toRotationMatrix();
        const Mat3 about_centre =
            body.second_kg_m2 -
            body.mass_kg * (centre.squaredNorm() * Mat3::Identity() - centre * centre.transpose());
        const Mat3 J = R.transpose() * about_centre * R;
        fmt::format_to(out, "mass_kg = {}\ncentre_m = [{}, {}, {}]\n", body.mass_kg, c.x(), c.y(), c.z());
        fmt::format_to(out, "inertia_kg_m2 = [{}, {}, {}, {}, {}, {}]  # xx, yy, zz, xy, xz, yz\n", J(0, 0),
                       J(1, 1), J(2, 2), J(0, 1), J(0, 2), J(1, 2));
        return text + parts_text(body);
    }

    static std::string pose_text(const Pose& at)
    {
        const Vec3 turn = rotation_vector(at.rotation);
        return fmt::format("position_m = [{}, {}, {}]\nrotation_rad = [{}, {}, {}]\n", at.position_m.x(),
                           at.position_m.y(), at.position_m.z(), turn.x(), turn.y(), turn.z());
    }

    std::string parts_text(const UrdfBody& body)
    {
        std::string text;
        for (std::size_t k = 0; body.parts.size() > 1 && k < body.parts.size(); ++k)
            text += "[[body.part]]\n" + shape_text(*body.parts[k].collision, body.name) +
                    pose_text(body.parts[k].pose);
        return text;
    }

    std::string shape_text(const urdf::Collision& collision, const std::string& link)
    {
        const urdf::Geometry& geometry = *collision.geometry;
        if (const auto* box = dynamic_cast<const urdf::Box*>(&geometry))
            return fmt::format("shape = \"box\"\nsize_m = [{}, {}, {}]\n", box->dim.x, box->dim.y,
                               box->dim.z);
        if (const auto* sphere = dynamic_cast<const urdf::Sphere*>(&geometry))
            return fmt::format("shape = \"sphere\"\nradius_m = {}\n", sphere->radius);
        if (const auto* cylinder = dynamic_cast<const urdf::Cylinder*>(&geometry))
            return fmt::format("shape = \"cylinder\"\nradius_m = {}\nlength_m = {}\n", cylinder->radius,
                               cylinder->length);
        if (const auto* mesh = dynamic_cast<const urdf::Mesh*>(&geometry)) return mesh_text(*mesh, link);
        refuse(ErrorCode::NotAllowedHere, "link " + link, "its collision shape is of an unknown kind",
               "give a box, sphere, cylinder or mesh");
        return {};
    }

    /// The convex hull of a mesh: files are named from the folder of the robot, packages are folders there.
    std::string mesh_text(const urdf::Mesh& mesh, const std::string& link)
    {
        constexpr std::string_view package = "package://";
        std::string name = mesh.filename;
        if (name.starts_with(package)) {
            name.erase(0, package.size());
            const auto slash = name.find('/');
            name.erase(0, slash == std::string::npos ? 0 : slash + 1);
        }
        const bool even = mesh.scale.x == mesh.scale.y && mesh.scale.y == mesh.scale.z && mesh.scale.x > 0;
        const std::filesystem::path path(name);
        const bool leads_out = std::ranges::any_of(path, [](const auto& part) { return part == ".."; });
        if (name.find("://") != std::string::npos || path.is_absolute() || leads_out || !even ||
            plain(name) != name) {
            refuse(ErrorCode::NotAllowedHere, "link " + link,
                   fmt::format("the mesh {} cannot be used", carom::quoted(mesh.filename)),
                   "give a file below the folder of the robot, with one positive scale");
            return {};
        }
        return fmt::format("shape = \"polyhedron\"\nfile = \"{}\"\nscale = {}\n", name, mesh.scale.x);
    }

    const urdf::ModelInterface& robot_;
    UrdfSettings settings_;
    Errors errors_;
    std::vector<UrdfBody> bodies_;
    std::string joints_;
    std::map<std::string, std::string> joint_names_;
    std::map<std::string, int> taken_;  ///< names, and the last number that was put behind each
};

Errors urdf_error(ErrorCode code, const std::filesystem::path& file, std::string message, std::string hint)
{
    return {Error{.code = code,
                  .where = printable(file.string()),
                  .message = std::move(message),
                  .hint = std::move(hint),
                  .excerpt = {}}};
}

/// urdfdom talks by console_bridge; here nobody listens.
class SilentBridge {
public:
    SilentBridge() { console_bridge::noOutputHandler(); }
    ~SilentBridge() { console_bridge::restorePreviousOutputHandler(); }
    SilentBridge(const SilentBridge&) = delete;
    SilentBridge& operator=(const SilentBridge&) = delete;
};

/// Links hold their children: a long chain would be destroyed by recursion, unless they are let go one by
/// one.
void let_go(const urdf::ModelInterface& robot)
{
    for (const auto& [name, link] : robot.links_) {
        link->child_links.clear();
        link->child_joints.clear();
    }
}

Expected<std::string, Errors> scene_from_urdf(const std::filesystem::path& file, const UrdfSettings& settings)
{
    std::ifstream in(file, std::ios::binary);
    std::error_code problem;
    if (!in || std::filesystem::is_directory(file, problem))
        return urdf_error(ErrorCode::FileUnreadable, file, "there is no such file, or it cannot be read",
                          "give the name of a URDF file");
    std::string text;
    std::vector<char> buffer(1 << 16);
    while (in && text.size() <= max_urdf_bytes) {
        in.read(buffer.data(), static_cast<std::streamsize>(buffer.size()));
        text.append(buffer.data(), static_cast<std::size_t>(in.gcount()));
    }
    if (text.size() > max_urdf_bytes)
        return urdf_error(ErrorCode::FileMalformed, file,
                          fmt::format("the file has more than {} bytes", max_urdf_bytes),
                          "a robot needs fewer");
    if (text.find('\0') != std::string::npos || text.find("<!DOCTYPE") != std::string::npos ||
        text.find("<!ENTITY") != std::string::npos)
        return urdf_error(ErrorCode::FileMalformed, file, "XML with a document type or entities is not read",
                          "take them out; xacro files become URDF by the program xacro");
    if (auto mistakes = detail::check_urdf(text, file); !mistakes.empty()) return mistakes;
    try {
        const SilentBridge silence;
        const auto robot = urdf::parseURDF(text);
        if (!robot || !robot->getRoot())
            return urdf_error(ErrorCode::FileMalformed, file, "this is not the URDF of a robot",
                              "check_urdf reports what is wrong with it");
        auto scene = UrdfWriter(*robot, settings).run();
        let_go(*robot);
        return scene;
    } catch (const std::exception& error) {
        return urdf_error(ErrorCode::FileMalformed, file, error.what(),
                          "check_urdf reports what is wrong with it");
    }
}

}  // namespace

Expected<std::string, Errors> import_urdf(const std::filesystem::path& file, const UrdfSettings& settings)
{
    auto text = scene_from_urdf(file, settings);
    if (!text) return text;

    // what is handed out can be run
    const auto folder = file.parent_path();
    const auto scene = read_scene_text(*text, "scene of " + file.string(), {}, folder.empty() ? "." : folder);
    if (!scene) return scene.error();
    return text;
}

}  // namespace carom
