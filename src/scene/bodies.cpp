#include "bodies.hpp"

#include "body_generators.hpp"
#include "body_values.hpp"
#include "core/palette.hpp"
#include "core/text.hpp"
#include "joints.hpp"
#include "memory.hpp"
#include "validate.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <random>

namespace carom::detail {
namespace {

using Kind = Node::Kind;

/// Memory that a body takes with its three contacts or so: the scene, a state, and what a step keeps.
constexpr double bytes_per_body = 6000;

/// Whoever starts this program has so much.
constexpr double small_scene_bytes = 50e6;

class BodyReader {
public:
    BodyReader(const Node& root, const Names& names, Mistakes& mistakes)
        : root_(root), names_(names), mistakes_(mistakes)
    {
    }

    BodyDraft run()
    {
        count_bodies();
        read_materials();
        for (const Node& item : things_of(root_, "body")) {
            read_body(item, names_, {});
        }
        for (const Node& item : things_of(root_, "group")) {
            read_group(item);
        }
        read_gravity();
        for (const Node& item : things_of(root_, "spring")) {
            read_spring(item, names_);
        }
        for (const Node& item : things_of(root_, "joint")) {
            read_joint(item, names_, {}, mistakes_, draft_);
        }
        return std::move(draft_);
    }

private:
    void read_materials()
    {
        const auto& materials = things_of(root_, "material");
        if (!materials.empty()) draft_.setup.materials.clear();
        for (const Node& item : materials) {
            const BodyValues values(item, names_, mistakes_);
            draft_.setup.materials.push_back({.name = word_of(item, "name"),
                                              .friction = values.number("friction", 0),
                                              .restitution = values.number("restitution", 0),
                                              .detail = surface_detail(values),
                                              .grain = values.vector("grain", Vec3::UnitX())});
        }
        for (const Node& item : things_of(root_, "material_pair")) {
            const BodyValues values(item, names_, mistakes_);
            draft_.setup.pairs.push_back({.first = material(item, "first"),
                                          .second = material(item, "second"),
                                          .friction = values.number("friction", 0),
                                          .restitution = values.number("restitution", 0),
                                          .detail = surface_detail(values)});
        }
    }

    int material(const Node& item, std::string_view key)
    {
        const Node* node = find(item, key);
        if (node == nullptr || node->kind != Kind::Text) return 0;
        std::vector<std::string> known;
        for (const Material& one : draft_.setup.materials) {
            if (one.name == node->text) return static_cast<int>(known.size());
            known.push_back(one.name);
        }
        mistakes_.add(node->place, ErrorCode::UnknownName,
                      fmt::format("there is no material {}", carom::quoted(node->text)),
                      nearest_or_all(node->text, known));
        return 0;
    }

    /// Copies of a lattice as they are written; 1 where there is none, or none that can be read.
    static double copies_of(const Node& item)
    {
        const Node* copies = find(item, "copies");
        if (copies == nullptr || copies->kind != Kind::Array) return 1;
        double product = 1;
        for (const Node& entry : copies->items) {
            if (entry.kind == Kind::Number && entry.number >= 1) product *= entry.number;
        }
        return product;
    }

    /// All bodies of the scene are counted before memory is taken: copies of a group copy its lattices too.
    void count_bodies()
    {
        double all = 0;
        const auto count = [&](const Node& at, double added) {
            all += added;
            if (all <= max_bodies || too_many_) return;
            too_many_ = true;
            const Node* copies = find(at, "copies");
            mistakes_.add(copies != nullptr ? copies->place : at.place, ErrorCode::SettingOutOfRange,
                          fmt::format("up to here the scene has {:.4g} bodies, springs or joints", all),
                          "give fewer copies, a million bodies at most: copies of a group copy the lattices "
                          "in it");
        };
        for (const Node& body : things_of(root_, "body"))
            count(body, copies_of(body));
        for (const Node& group : things_of(root_, "group")) {
            double members = 0;
            for (const Node& body : things_of(group, "body"))
                members += copies_of(body);
            const double things =
                static_cast<double>(things_of(group, "spring").size() + things_of(group, "joint").size());
            count(group, copies_of(group) * std::max({members, things, 1.0}));
        }
        if (!too_many_) compare_with_memory(all);
    }

    /// More bodies than the memory holds are told before it is taken.
    void compare_with_memory(double bodies)
    {
        const double needed = bodies * bytes_per_body;
        if (needed < small_scene_bytes) return;
        const double available = available_memory_bytes();
        if (needed <= available) return;
        too_many_ = true;
        mistakes_.add(Place{}, ErrorCode::SettingOutOfRange,
                      fmt::format("the scene has {:.4g} bodies, springs or joints, for which {:.3g} GB of "
                                  "memory are needed and {:.3g} GB are free",
                                  bodies, 1e-9 * needed, 1e-9 * available),
                      "give fewer copies, or use a machine with more memory");
    }

    /// How many copies along each direction; one where there is no lattice.
    std::vector<long> counts_of(const Node& item)
    {
        const Node* copies = find(item, "copies");
        if (copies == nullptr || copies->kind != Kind::Array) return {};
        std::vector<long> counts;
        double product = 1;
        for (const Node& entry : copies->items) {
            const bool whole = entry.kind == Kind::Number && entry.number >= 1 &&
                               entry.number <= max_bodies && std::floor(entry.number) == entry.number;
            counts.push_back(whole ? static_cast<long>(entry.number) : 0);
            product *= static_cast<double>(counts.back());
        }
        if (counts.empty() || counts.size() > 3 || product == 0) {
            mistakes_.add(copies->place, ErrorCode::SettingOutOfRange, "copies is not a valid lattice",
                          "give one to three integers >= 1, at most a million bodies: copies = [5, 4]");
            // one copy with all its numbers, so that its formulas make no second mistake
            draft_.incomplete = true;
            return std::vector<long>(std::clamp<std::size_t>(counts.size(), 1, 3), 1);
        }
        if (too_many_) {
            draft_.incomplete = true;
            std::ranges::fill(counts, 1);
        }
        return counts;
    }

    /// Where the bodies of a group stand, and how their names begin.
    struct Parent {
        Pose pose = {};
        std::string prefix = {};
        std::uint64_t number = 0;  ///< of the copy of the group: its random numbers are its own
    };

    static std::uint64_t seed_of(const Node& item)
    {
        const Node* seed = find(item, "seed");
        const bool good = seed != nullptr && seed->number >= 0 && seed->number <= 0x1p53;
        return good ? static_cast<std::uint64_t>(seed->number) : 1;
    }

    /// Visits the copies of a body or group: the number of each, its name, and what its formulas may name.
    template <class Visit>
    void for_each_copy(const Node& item, const Names& outer, Visit visit)
    {
        const std::size_t before = mistakes_.count();
        const std::vector<long> counts = counts_of(item);
        const auto random = random_numbers(item, outer, mistakes_);
        std::array<long, 3> size{1, 1, 1};
        std::copy(counts.begin(), counts.end(), size.begin());
        const long all = size[0] * size[1] * size[2];
        for (long n = 0; n < all; ++n) {
            const std::array<long, 3> number{n % size[0], n / size[0] % size[1], n / size[0] / size[1]};
            Names names = outer;
            std::string name = word_of(item, "name");
            bool good = true;
            for (std::size_t d = 0; d < counts.size(); ++d) {
                good =
                    good && add_number(item, std::string(1, "ijk"[d]), static_cast<double>(number[d]), names);
                name += fmt::format("_{}", number[d]);
            }
            for (std::size_t k = 0; k < random.size(); ++k) {
                const auto x = random[k].draw(seed_of(item), static_cast<std::uint64_t>(n), k);
                if (!x && !mistakes_.known_at(item.place)) {
                    mistakes_.add(
                        item.place, ErrorCode::SettingOutOfRange,
                        fmt::format("{} is almost never between low and high", carom::quoted(random[k].name)),
                        "widen the bounds");
                }
                good = good && x && add_number(item, random[k].name, *x, names);
            }
            if (good) visit(static_cast<std::uint64_t>(n), name, names);
            if (!good || mistakes_.count() > before) {  // the other copies have the same mistakes
                draft_.incomplete = true;
                return;
            }
        }
    }

    bool add_number(const Node& item, const std::string& name, double value, Names& names)
    {
        auto added = names.vocabulary.add_parameter(name, value);
        if (!added) mistakes_.add(item.place, added.error());
        return added.has_value();
    }

    void read_body(const Node& item, const Names& outer, const Parent& parent)
    {
        const std::uint64_t seed = seed_of(item) + parent.number;
        const double jitter = BodyValues(item, outer, mistakes_).number("jitter_m", 0);
        const Node* turn = find(item, "turn_at_random");
        const bool turned = turn != nullptr && turn->boolean;
        std::mt19937_64 random(seed);
        const std::size_t before = draft_.setup.bodies.size();
        for_each_copy(item, outer, [&](std::uint64_t number, const std::string& name, const Names& names) {
            add_body(item, names, parent.prefix + name);
            Body& body = draft_.setup.bodies.back();
            const bool flat = body.shape && is_flat(*body.shape);
            if (turned) body.pose.rotation = random_turn(seed, number, flat);
            shake(jitter, random, body);
        });
        const std::span<Body> added = std::span(draft_.setup.bodies).subspan(before);
        if (const Node* within = find(item, "within_m"); within != nullptr && mistakes_.empty())
            place_within(item, *within, outer, seed, added);
        for (Body& body : added)
            move_with(parent.pose, body);
    }

    /// Puts the copies at random places of the box within_m = [low, high].
    void place_within(const Node& item, const Node& within, const Names& names, std::uint64_t seed,
                      std::span<Body> bodies)
    {
        const BodyValues values(item, names, mistakes_);
        std::array<Vec3, 2> corners{Vec3::Zero(), Vec3::Zero()};
        bool good = within.items.size() == 2 && find(item, "position_m") == nullptr;
        for (std::size_t k = 0; good && k < 2; ++k) {
            const auto x = values.list(within.items[k]);
            good = x.size() == 2 || x.size() == 3;
            for (std::size_t d = 0; good && d < x.size(); ++d)
                corners[k][static_cast<Eigen::Index>(d)] = x[d];
        }
        good = good && (corners[1] - corners[0]).minCoeff() >= 0;
        if (!good) {
            mistakes_.add(
                within.place, ErrorCode::WrongSize, "within_m is not a box",
                "give its lowest and highest corner without position_m: within_m = [[0, 0, 0], [1, 1, 2]]");
            return;
        }
        for (const Body& body : bodies) {
            if (body.shape && !check(*body.shape, body.name)) return;  // told by the model
        }
        if (const auto left = places_.put(bodies, corners[0], corners[1], seed)) {
            mistakes_.add(within.place, ErrorCode::SettingOutOfRange,
                          fmt::format("there is room for {} of {} bodies", *left, bodies.size()),
                          "enlarge within_m, or use fewer or smaller bodies");
        }
    }

    static void move_with(const Pose& parent, Body& body)
    {
        const auto moved = [parent](const Pose& pose) {
            return Pose{.position_m = parent.to_world(pose.position_m),
                        .rotation = (parent.rotation * pose.rotation).normalized()};
        };
        const bool stays = parent.position_m.isZero() && parent.rotation.vec().isZero();
        if (stays) return;
        body.pose = moved(body.pose);
        body.velocity_m_s = parent.rotation * body.velocity_m_s;
        body.angular_velocity_rad_s = parent.rotation * body.angular_velocity_rad_s;
        if (!body.path) return;
        body.path = [moved, path = body.path](double t_s) { return moved(path(t_s)); };
    }

    /// Bodies and springs that stand together, as often as the group is copied.
    void read_group(const Node& group)
    {
        for_each_copy(group, names_, [&](std::uint64_t number, const std::string& name, const Names& names) {
            const BodyValues values(group, names, mistakes_);
            const Parent parent{.pose = {.position_m = values.vector("position_m", Vec3::Zero()),
                                         .rotation = rotation_by(values.turn("rotation_rad"))},
                                .prefix = name + "_",
                                .number = number};
            read_members(group, inner_names(names), parent);
        });
    }

    /// Inside a group i, j, k belong to its bodies; those of the group are gi, gj, gk.
    Names inner_names(const Names& outer) const
    {
        Names names = names_;
        for (const std::string& name : outer.vocabulary.names(Vocabulary::Meaning::Kind::Parameter)) {
            if (names_.vocabulary.find(name)) continue;
            const bool of_lattice = name == "i" || name == "j" || name == "k";
            static_cast<void>(names.vocabulary.add_parameter(of_lattice ? "g" + name : name,
                                                             outer.vocabulary.find(name)->value));
        }
        return names;
    }

    void read_members(const Node& group, const Names& names, const Parent& parent)
    {
        const std::size_t before = mistakes_.count();
        for (const Node& item : things_of(group, "body")) {
            read_body(item, names, parent);
            if (mistakes_.count() == before) continue;
            draft_.incomplete = true;
            return;
        }
        for (const Node& item : things_of(group, "spring")) {
            read_spring(with_prefix(item, parent.prefix), names);
        }
        for (const Node& item : things_of(group, "joint")) {
            read_joint(with_prefix(item, parent.prefix), names, parent.pose, mistakes_, draft_);
        }
    }

    /// What a spring or joint of a group names: things of the group first, then those of the scene.
    Node with_prefix(Node item, const std::string& prefix) const
    {
        for (const char* key : {"first", "second", "first_joint", "second_joint"}) {
            Node* end = find(item, key);
            if (end == nullptr) continue;
            const std::string ours = prefix + end->text;
            if (draft_.body_numbers.contains(ours) || draft_.joint_numbers.contains(ours)) end->text = ours;
        }
        if (Node* name = find(item, "name")) name->text = prefix + name->text;
        return item;
    }

    static void shake(double jitter, std::mt19937_64& random, Body& body)
    {
        if (jitter == 0) return;
        const int axes = body.shape && is_flat(*body.shape) ? 2 : 3;
        for (int d = 0; d < axes; ++d) {
            // 53 bits of the generator: the same numbers with every library
            const double unit = static_cast<double>(random() >> 11) * 0x1p-53;
            body.pose.position_m[d] += jitter * (2 * unit - 1);
        }
    }

    void add_body(const Node& item, const Names& names, const std::string& name)
    {
        const BodyValues values(item, names, mistakes_);
        Body body;
        body.name = name;
        body.shape = shape_of(values);
        const bool obstacle = body.shape && is_obstacle(*body.shape);
        const std::string motion = word_of(item, "motion", obstacle ? "fixed" : "free");
        body.motion = motion == "fixed"        ? BodyMotion::Fixed
                      : motion == "prescribed" ? BodyMotion::Prescribed
                                               : BodyMotion::Free;
        if (body.motion == BodyMotion::Prescribed) {
            body.path = path_of(values);
            body.pose = body.path(0);
        } else {
            body.pose = {.position_m = values.vector("position_m", Vec3::Zero()),
                         .rotation = rotation_by(values.turn("rotation_rad"))};
        }
        body.velocity_m_s = values.vector("velocity_m_s", Vec3::Zero());
        body.angular_velocity_rad_s = values.turn("angular_velocity_rad_s");
        body.density = values.number("density", 1000);
        body.mass_kg = values.number("mass_kg");
        if (find(item, "inertia_kg_m2") != nullptr) {
            body.inertia_kg_m2 = values.inertia("inertia_kg_m2");
            about_z_ = about_z_ || values.list("inertia_kg_m2").size() == 1;
        }
        if (find(item, "centre_m") != nullptr) body.centre_m = values.vector("centre_m", Vec3::Zero());
        body.material = material(item, "material");

        // the yellow, last of the palette, is too pale to come by itself
        const std::size_t turn = moving_++ % (palette.size() - 1);
        const bool moves = body.motion == BodyMotion::Free;
        if (!moves) --moving_;
        draft_.colours.push_back(
            word_of(item, "colour", std::string(moves ? palette[turn].name : grey.name)));
        normal_given_.push_back(find(item, "normal") != nullptr);
        draft_.places.push_back(item.place);
        draft_.sources.push_back(word_of(item, "name"));
        draft_.body_numbers.try_emplace(body.name, static_cast<int>(draft_.setup.bodies.size()));
        draft_.setup.bodies.push_back(std::move(body));
    }

    void read_gravity()
    {
        const auto& bodies = draft_.setup.bodies;
        const bool in_space = std::any_of(bodies.begin(), bodies.end(), [](const Body& body) {
            return body.shape && !carom::is_flat(*body.shape) &&
                   !std::holds_alternative<PlaneShape>(*body.shape);
        });
        // one number for an inertia: that about z, of bodies of the plane
        draft_.setup.flat = about_z_ && !in_space;
        const bool flat =
            draft_.setup.flat || std::any_of(bodies.begin(), bodies.end(), [](const Body& body) {
                return body.shape && carom::is_flat(*body.shape);
            });
        const Vec3 down = flat ? Vec3(0, -9.81, 0) : Vec3(0, 0, -9.81);
        draft_.setup.gravity_m_s2 = BodyValues(root_, names_, mistakes_).vector("gravity_m_s2", down);

        // what points up without being asked: in the plane along y
        if (!flat) return;
        for (std::size_t i = 0; i < draft_.setup.bodies.size(); ++i) {
            auto& shape = draft_.setup.bodies[i].shape;
            auto* plane = shape ? std::get_if<PlaneShape>(&*shape) : nullptr;
            if (plane != nullptr && !normal_given_[i]) plane->normal = Vec3::UnitY();
        }
    }

    /// Its value cannot be known before the run: it names more than parameters.
    [[nodiscard]] bool changes(const Node& item, const char* key, const Names& names) const
    {
        const Node* node = find(item, key);
        if (node == nullptr || node->kind != Node::Kind::Text) return false;
        Mistakes untold = mistakes_;
        return !constant_of(*node, names, untold);
    }

    void read_spring(const Node& item, const Names& names)
    {
        const BodyValues values(item, names, mistakes_);
        if (changes(item, "stiffness_N_m", names) || changes(item, "damping_Ns_m", names) ||
            changes(item, "rest_length_m", names)) {
            const auto node = [&](const char* key) {
                const Node* found = find(item, key);
                return found != nullptr ? std::optional(*found) : std::nullopt;
            };
            draft_.driven_springs.push_back({.spring = static_cast<int>(draft_.setup.springs.size()),
                                             .stiffness = node("stiffness_N_m"),
                                             .damping = node("damping_Ns_m"),
                                             .rest_length = node("rest_length_m"),
                                             .names = names});
            draft_.setup.springs.push_back({.first = body_named(draft_, item, "first", mistakes_),
                                            .second = body_named(draft_, item, "second", mistakes_),
                                            .first_point_m = values.vector("first_point_m", Vec3::Zero()),
                                            .second_point_m = values.vector("second_point_m", Vec3::Zero())});
            return;
        }
        draft_.setup.springs.push_back({.first = body_named(draft_, item, "first", mistakes_),
                                        .second = body_named(draft_, item, "second", mistakes_),
                                        .first_point_m = values.vector("first_point_m", Vec3::Zero()),
                                        .second_point_m = values.vector("second_point_m", Vec3::Zero()),
                                        .stiffness_N_m = values.number("stiffness_N_m", 0),
                                        .damping_Ns_m = values.number("damping_Ns_m", 0),
                                        .rest_length_m = values.number("rest_length_m", 0)});
    }

    const Node& root_;
    const Names& names_;
    Mistakes& mistakes_;
    BodyDraft draft_;
    RandomPlaces places_;
    std::vector<char> normal_given_;  ///< per body: of planes
    std::size_t moving_ = 0;
    bool too_many_ = false;  ///< bodies, told already: one copy of each is looked at
    bool about_z_ = false;   ///< an inertia was given as one number
};

}  // namespace

int body_named(const BodyDraft& draft, const Node& item, std::string_view key, Mistakes& mistakes)
{
    const Node* node = find(item, key);
    if (node == nullptr || node->kind != Kind::Text) return -1;
    if (const auto found = draft.body_numbers.find(node->text); found != draft.body_numbers.end())
        return found->second;
    std::vector<std::string> known;
    for (const Body& one : draft.setup.bodies)
        known.push_back(one.name);
    mistakes.add(node->place, ErrorCode::UnknownName,
                 fmt::format("there is no body {}", carom::quoted(node->text)),
                 nearest_or_all(node->text, known));
    return 0;
}

std::vector<int> bodies_named(const BodyDraft& draft, const Node& item, std::string_view key,
                              Mistakes& mistakes)
{
    const Node* node = find(item, key);
    std::vector<int> bodies;
    for (std::size_t i = 0; node != nullptr && i < draft.sources.size(); ++i) {
        if (draft.sources[i] == node->text) bodies.push_back(static_cast<int>(i));
    }
    if (bodies.empty()) bodies.push_back(body_named(draft, item, key, mistakes));
    return bodies;
}

BodyDraft draft_bodies(const Node& root, const Names& names, Mistakes& mistakes)
{
    return BodyReader(root, names, mistakes).run();
}

}  // namespace carom::detail
