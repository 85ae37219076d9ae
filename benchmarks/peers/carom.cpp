// carom itself: Moreau's scheme for bodies. "default" solves every step to 1e-8, "quick" to 1e-3 (unit-free);
// "sequential" has collisions one after the other instead of the canonical law.
#include "peers.hpp"

#include "stepping/body_memory.hpp"

using namespace peers;
namespace cm = carom;

struct Sim {
    cm::BodyModel model;
    cm::State state;
    cm::BodyStepMemory scratch;
    cm::MoreauSettings settings;
    cm::SolverSettings solver;
    std::size_t planes;
    bool flat;
    double worst = 0;

    // two-dimensional scenes are in the x-z plane there and in the x-y plane here
    cm::Vec3 to(V3 a) const { return flat ? cm::Vec3(a.x, a.z, 0) : cm::Vec3(a.x, a.y, a.z); }
    V3 from(const cm::Vec3& a) const { return flat ? V3{a.x(), 0, a.y()} : V3{a.x(), a.y(), a.z()}; }

    Sim(const Scene& s, const std::string& config) : planes(s.planes.size()), flat(s.only2d)
    {
        cm::BodySetup setup;
        setup.materials = {{.name = "all", .friction = s.mu, .restitution = s.e}};
        setup.gravity_m_s2 = to(s.g);
        for (const Plane& p : s.planes) {
            cm::Body body;
            body.name = "plane" + std::to_string(setup.bodies.size());
            body.motion = cm::BodyMotion::Fixed;
            body.shape = cm::PlaneShape{.normal = to(p.n), .offset_m = p.d};
            setup.bodies.push_back(body);
        }
        for (const Body& b : s.bodies) {
            cm::Body body;
            body.name = "body" + std::to_string(setup.bodies.size());
            if (b.kind == Kind::Sphere && flat) body.shape = cm::DiscShape{b.r};
            if (b.kind == Kind::Sphere && !flat) body.shape = cm::SphereShape{b.r};
            if (b.kind == Kind::Box) body.shape = cm::BoxShape{2 * to(b.half)};
            if (b.kind == Kind::Hull) {
                cm::PolyhedronShape hull;
                for (V3 v : b.verts)
                    hull.vertices_m.push_back(to(v));
                body.shape = hull;
            }
            body.mass_kg = b.mass;
            body.centre_m = cm::Vec3::Zero();
            body.inertia_kg_m2 = cm::Vec3(b.inertia.x, b.inertia.y, b.inertia.z).asDiagonal();
            body.pose.position_m = to(b.pos);
            body.pose.rotation = cm::Rotation(b.rot.w, b.rot.x, b.rot.y, b.rot.z);
            body.velocity_m_s = to(b.vel);
            setup.bodies.push_back(body);
        }
        if (config == "sequential") setup.impact_map = cm::sequential_map({.restitution = s.e});
        auto made = cm::make_body_model(std::move(setup));
        if (!made) throw std::runtime_error(made.error().front().message + " " + made.error().front().where);
        model = std::move(*made);
        state = cm::make_body_state(model);
        settings.time_step_s = s.dt;
        solver.tolerance = config == "quick" ? 1e-3 : 1e-8;
    }
    void step()
    {
        const cm::StepReport report = cm::body_step(model, settings, solver, state, scratch);
        worst = std::max(worst, report.solve.residual.unit_free);
        if (report.status == cm::StepStatus::NotFinite) throw std::runtime_error("not finite");
    }
    void get(std::vector<State>& out)
    {
        for (std::size_t i = 0; i < out.size(); ++i) {
            const std::size_t k = planes + i;
            const cm::Rotation& R = state.R[k];
            const cm::Vec3 w = R * state.W[k];
            Quat q{R.w(), R.x(), R.y(), R.z()};
            if (flat) q = {R.w(), 0, -R.z(), 0};
            out[i] = {from(state.x[k]), q, from(state.v[k]), flat ? V3{0, -w.z(), 0} : from(w)};
        }
    }
    int contacts(std::vector<Contact>& out)
    {
        for (const cm::BodyContact& c : scratch.contacts) {
            if (c.P[0] > 0) out.push_back({c.P[0], std::hypot(c.P[1], c.P[2])});
        }
        if (std::getenv("CAROM_WORST")) std::fprintf(stderr, "worst unit-free error %.2e\n", worst);
        return int(out.size());
    }
};
int main(int argc, char** argv)
{
    return run<Sim>(argc, argv, "carom", "0.2.0", {"default", "quick", "sequential"});
}
