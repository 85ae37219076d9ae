#include "run_columns.hpp"

#include "energy_names.hpp"
#include "run_head.hpp"

#include <algorithm>

namespace carom::detail {
namespace {

/// A name that HDF5 can give to a dataset, different from those taken.
std::string dataset_name(const std::string& name, const std::vector<ProbeName>& taken)
{
    std::string plain = name.empty() || name == "." ? "probe" : name;
    for (char& letter : plain) {
        if (letter == '/' || letter == '\0') letter = '_';
    }
    const auto is_taken = [&](const std::string& candidate) {
        return std::any_of(taken.begin(), taken.end(),
                           [&](const ProbeName& p) { return p.dataset == candidate; });
    };
    std::string result = plain;
    for (int k = 2; is_taken(result); ++k) {
        result = plain + "_" + std::to_string(k);
    }
    return result;
}

}  // namespace

std::vector<std::string> reaction_names(const Model& model)
{
    std::vector<std::string> names;
    for (int j = 0; j < model.constraints(); ++j) {
        const std::string& name = model.system().constraints[static_cast<std::size_t>(j)].name;
        const int count = model.offset(model.first_part(j + 1) - 1) +
                          model.dimension(model.first_part(j + 1) - 1) - model.offset(model.first_part(j));
        for (int k = 0; k < count; ++k) {
            names.push_back(count == 1 ? name : name + "." + std::to_string(k + 1));
        }
    }
    return names;
}

RunColumns::RunColumns(const Model& model, const RecordSettings& settings, bool snapshots, bool friction,
                       const std::optional<BodiesToRecord>& bodies, Columns::Parts parts)
    : model_(&model),
      single_(detail::in_single(settings, bodies ? static_cast<std::size_t>(bodies->model.bodies()) : 0)),
      columns_(std::move(parts))
{
    declare_frames(settings);
    if (friction && settings.percussions) cones_ = cones_of(model.system().contacts);
    if (settings.probes) declare_probes();
    declare_events(bodies.has_value());
    if (!model.system().drawings.empty()) declare_drawings();
    if (!cones_.empty()) declare_friction();
    if (settings.percussions && model.constraints() > 0) declare_constraints();
    if (snapshots) declare_snapshots();
    if (bodies) declare_bodies(*bodies, settings);
}

void RunColumns::declare_frames(const RecordSettings& settings)
{
    const int n = model_->coordinates();
    const int m = model_->contacts();
    time_ = columns_.add({.path = "/time_s"});
    q_ = columns_.add({.path = "/q", .width = n, .bits = bits(place_bits), .spread = Spread::Columns});
    if (settings.velocities) {
        u_ = columns_.add({.path = "/u", .width = n, .bits = bits(rate_bits), .spread = Spread::Columns});
    }
    if (settings.gaps) gap_ = columns_.add({.path = "/gap_m", .width = m, .bits = bits(rate_bits)});
    if (settings.percussions)
        percussion_ = columns_.add({.path = "/percussion_Ns", .width = m, .bits = bits(rate_bits)});
    residual_ = columns_.add({.path = "/residual"});
    if (!settings.energies) return;
    for (const EnergyName& energy : energy_names) {
        energies_.push_back(columns_.add({.path = std::string("/energy/") + energy.name}));
    }
}

void RunColumns::declare_probes()
{
    for (const Probe& probe : model_->system().probes) {
        probe_names_.push_back({probe.name, probe.unit, dataset_name(probe.name, probe_names_)});
        probes_.push_back(columns_.add({.path = "/probes/" + probe_names_.back().dataset}));
    }
}

/// Contacts of bodies, and their forces after the probes of the model.
void RunColumns::declare_bodies(const BodiesToRecord& bodies, const RecordSettings& settings)
{
    BodiesToRecord asked = bodies;
    if (!settings.probes) asked.probes = {};
    std::vector<std::size_t> probes;
    for (const ContactForceProbe& probe : asked.probes) {
        probe_names_.push_back(
            {probe.name, probe.moment ? "N m" : "N", dataset_name(probe.name, probe_names_)});
        probes.push_back(columns_.add({.path = "/probes/" + probe_names_.back().dataset}));
    }
    bodies_.emplace(asked, *model_, settings, std::move(probes), columns_, single_);
}

/// Where the drawn things are, at the frames and where they are struck.
void RunColumns::declare_drawings()
{
    constexpr int chunk_rows = 128;
    drawings_ = columns_of(model_->system().drawings);
    const int width = column_count(drawings_);
    draw_ = columns_.add({.path = "/draw/value", .width = width});
    jumps_.push_back(columns_.add({.path = "/jumps/draw", .width = width, .chunk_rows = chunk_rows}));
}

/// What rubs: with the normal percussions these are all their components.
void RunColumns::declare_friction()
{
    constexpr int chunk_rows = 128;
    const int width = column_count(cones_);
    friction_ = columns_.add({.path = "/friction/percussion_Ns", .width = width});
    coefficient_ = columns_.add({.path = "/friction/coefficient", .width = static_cast<int>(cones_.size())});
    jump_friction_ =
        columns_.add({.path = "/friction/jump_percussion_Ns", .width = width, .chunk_rows = chunk_rows});
    jumps_.push_back(*jump_friction_);
}

/// What constraints do, and what that does to the energy.
void RunColumns::declare_constraints()
{
    const int width = static_cast<int>(reaction_names(*model_).size());
    reactions_ = columns_.add({.path = "/constraints/percussion_Ns", .width = width});
    reaction_energies_ = columns_.add({.path = "/constraints/energy_J", .width = model_->constraints()});
}

void RunColumns::declare_events(bool of_pairs)
{
    constexpr int chunk_rows = 128;
    const auto add = [&](const char* name, Entry entry) {
        events_.push_back(
            columns_.add({.path = std::string("/events/") + name, .entry = entry, .chunk_rows = chunk_rows}));
    };
    add("time_s", Entry::Real);
    add("step", Entry::Integer);
    add("kind", Entry::Integer);
    add("contact", Entry::Integer);
    add("percussion_Ns", Entry::Real);
    add("velocity_before_m_s", Entry::Real);
    add("velocity_after_m_s", Entry::Real);
    add("energy_J", Entry::Real);
    add("slip_rad", Entry::Real);
    if (of_pairs) {
        for (const char* name : {"first", "second", "feature_high", "feature_low"}) {
            add(name, Entry::Integer);
        }
    }

    const int n = model_->coordinates();
    jumps_.push_back(columns_.add({.path = "/jumps/time_s", .chunk_rows = chunk_rows}));
    for (const char* path : {"/jumps/q", "/jumps/u_minus", "/jumps/u_plus"}) {
        jumps_.push_back(columns_.add({.path = path, .width = n, .chunk_rows = chunk_rows}));
    }
}

void RunColumns::declare_snapshots()
{
    constexpr int chunk_rows = 128;
    snapshots_.push_back(columns_.add({.path = "/snapshots/time_s", .chunk_rows = chunk_rows}));
    for (const char* path : {"/snapshots/q", "/snapshots/u"}) {
        snapshots_.push_back(
            columns_.add({.path = path, .width = model_->coordinates(), .chunk_rows = chunk_rows}));
    }
}

void RunColumns::add_frame(const Point& at, const FrameSums& sums, Workspace& work)
{
    columns_.push(time_, at.t_s);
    columns_.push(q_, at.q);
    if (u_) columns_.push(*u_, at.u);
    if (gap_) {
        row_.clear();
        for (int c = 0; c < model_->contacts(); ++c) {
            row_.push_back(model_->gap_m(c, at, work));
        }
        columns_.push(*gap_, row_);
    }
    if (percussion_) columns_.push(*percussion_, sums.percussion_Ns);
    if (friction_) {
        columns_.push(*friction_, sums.friction_Ns);
        columns_.push(*coefficient_, sums.coefficient);
    }
    if (reactions_) {
        columns_.push(*reactions_, sums.reaction_Ns);
        columns_.push(*reaction_energies_, sums.reaction_energy_J);
    }
    columns_.push(residual_, sums.residual);

    // kinetic and potential energy as they are, the other lines as sums since the start
    if (!energies_.empty()) {
        EnergyLines lines = sums.energy_since_start;
        lines.kinetic_J = model_->kinetic_energy(at, work);
        lines.potential_J = model_->potential_energy(at, work);
        for (std::size_t i = 0; i < energies_.size(); ++i) {
            columns_.push(energies_[i], lines.*energy_names[i].line);
        }
    }
    for (std::size_t i = 0; i < probes_.size(); ++i) {
        columns_.push(probes_[i], model_->system().probes[i].value.value(at, work));
    }
    if (draw_) {
        row_.clear();
        append_drawings(model_->system().drawings, at, work, row_);
        columns_.push(*draw_, row_);
    }
}

void RunColumns::add_event(const Event& event)
{
    // a feature has 64 bits: more than a double holds
    const std::array<double, 13> row{event.time_s,
                                     static_cast<double>(event.step),
                                     static_cast<double>(event.kind),
                                     static_cast<double>(event.contact),
                                     event.percussion_Ns,
                                     event.velocity_before_m_s,
                                     event.velocity_after_m_s,
                                     event.energy_J,
                                     event.slip_rad,
                                     static_cast<double>(event.first),
                                     static_cast<double>(event.second),
                                     static_cast<double>(event.feature >> 32U),
                                     static_cast<double>(event.feature & 0xffffffffU)};
    for (std::size_t i = 0; i < events_.size(); ++i) {
        columns_.push(events_[i], row[i]);
    }
}

void RunColumns::add_jump(double t_s, const Eigen::VectorXd& q, const Eigen::VectorXd& u_minus,
                          const Eigen::VectorXd& u_plus, std::span<const double> friction_Ns, Workspace& work)
{
    columns_.push(jumps_[0], t_s);
    columns_.push(jumps_[1], view(q));
    columns_.push(jumps_[2], view(u_minus));
    columns_.push(jumps_[3], view(u_plus));
    if (draw_) {
        row_.clear();
        append_drawings(model_->system().drawings, {view(q), view(u_plus), t_s}, work, row_);
        columns_.push(jumps_[4], row_);
    }
    if (jump_friction_) columns_.push(*jump_friction_, friction_Ns);
}

void RunColumns::add_snapshot(double t_s, const Eigen::VectorXd& q, const Eigen::VectorXd& u)
{
    columns_.push(snapshots_[0], t_s);
    columns_.push(snapshots_[1], view(q));
    columns_.push(snapshots_[2], view(u));
}

Expected<bool> RunColumns::continue_from(const Hdf5Reader& file, const Checkpoint& checkpoint)
{
    if (bodies_ && !file.has("/events/first")) {
        Error error =
            file.malformed("a run of bodies without events, of an older version, cannot be resumed");
        error.hint = "run its scene again";
        return error;
    }
    // files of older versions do not tell directions of slip, and go on so
    constexpr std::size_t slip = 8;
    if (!file.has("/events/slip_rad")) columns_.leave_out(events_[slip]);
    std::vector<long> rows(columns_.size(), checkpoint.next_frame);
    for (const std::size_t column : events_) {
        rows[column] = checkpoint.events;
    }
    for (const std::size_t column : jumps_) {
        rows[column] = checkpoint.jumps;
    }
    for (const std::size_t column : snapshots_) {
        rows[column] = checkpoint.snapshots;
    }
    if (bodies_) {
        bodies_->leave_out_missing(file, columns_);
        for (const std::size_t column : bodies_->ragged()) {
            rows[column] = checkpoint.bodies->contacts;
        }
    }
    bool has_later = false;
    for (std::size_t column = 0; column < rows.size(); ++column) {
        const auto later = columns_.continue_from(file, column, static_cast<std::uint64_t>(rows[column]));
        if (!later) return later.error();
        has_later = has_later || *later;
    }
    return has_later;
}

void RunColumns::put_into(Recording& recording) const
{
    // names
    recording.coordinates = model_->system().coordinates;
    for (const Contact& contact : model_->system().contacts) {
        recording.contacts.push_back(contact.name);
    }

    // frames
    recording.time_s = columns_.column(time_);
    recording.q = columns_.table(q_);
    if (u_) recording.u = columns_.table(*u_);
    if (gap_) recording.gap_m = columns_.table(*gap_);
    if (percussion_) recording.percussion_Ns = columns_.table(*percussion_);
    recording.residual = columns_.column(residual_);
    for (std::size_t i = 0; i < energies_.size(); ++i) {
        recording.energies.push_back(
            {.name = energy_names[i].name, .unit = "J", .values = columns_.column(energies_[i])});
    }
    std::vector<std::size_t> probes = probes_;
    if (bodies_) probes.insert(probes.end(), bodies_->probes().begin(), bodies_->probes().end());
    for (std::size_t i = 0; i < probes.size(); ++i) {
        recording.probes.push_back({.name = probe_names_[i].name,
                                    .unit = probe_names_[i].unit,
                                    .values = columns_.column(probes[i])});
    }
    recording.drawings = drawings_;
    if (draw_) recording.draw = columns_.table(*draw_);
    if (friction_) {
        recording.friction = {.cones = cones_,
                              .percussion_Ns = columns_.table(*friction_),
                              .coefficient = columns_.table(*coefficient_),
                              .jump_percussion_Ns = columns_.table(*jump_friction_)};
    }
    if (reactions_) {
        for (const Constraint& constraint : model_->system().constraints) {
            recording.constraints.names.push_back(constraint.name);
        }
        recording.constraints.reactions = reaction_names(*model_);
        recording.constraints.percussion_Ns = columns_.table(*reactions_);
        recording.constraints.energy_J = columns_.table(*reaction_energies_);
    }

    // what frames are too far apart to show
    recording.jumps = {.time_s = columns_.column(jumps_[0]),
                       .q = columns_.table(jumps_[1]),
                       .u_minus = columns_.table(jumps_[2]),
                       .u_plus = columns_.table(jumps_[3]),
                       .draw = draw_ ? columns_.table(jumps_[4]) : RowMatrix{}};
    if (!snapshots_.empty()) {
        recording.snapshots.time_s = columns_.column(snapshots_[0]);
        recording.snapshots.q = columns_.table(snapshots_[1]);
        recording.snapshots.u = columns_.table(snapshots_[2]);
    }
    if (bodies_) bodies_->put_into(recording, columns_);
}

void RunColumns::take_from(const Recording& recording)
{
    // frames
    columns_.push_all(time_, recording.time_s);
    columns_.push_all(q_, recording.q);
    if (u_) columns_.push_all(*u_, recording.u);
    if (gap_) columns_.push_all(*gap_, recording.gap_m);
    if (percussion_) columns_.push_all(*percussion_, recording.percussion_Ns);
    columns_.push_all(residual_, recording.residual);
    for (std::size_t i = 0; i < energies_.size(); ++i) {
        columns_.push_all(energies_[i], recording.energies[i].values);
    }
    std::vector<std::size_t> probes = probes_;
    if (bodies_) probes.insert(probes.end(), bodies_->probes().begin(), bodies_->probes().end());
    for (std::size_t i = 0; i < probes.size(); ++i) {
        columns_.push_all(probes[i], recording.probes[i].values);
    }
    if (draw_) columns_.push_all(*draw_, recording.draw);
    if (friction_) {
        columns_.push_all(*friction_, recording.friction.percussion_Ns);
        columns_.push_all(*coefficient_, recording.friction.coefficient);
        columns_.push_all(*jump_friction_, recording.friction.jump_percussion_Ns);
    }
    if (reactions_) {
        columns_.push_all(*reactions_, recording.constraints.percussion_Ns);
        columns_.push_all(*reaction_energies_, recording.constraints.energy_J);
    }

    // what frames are too far apart to show
    columns_.push_all(jumps_[0], recording.jumps.time_s);
    columns_.push_all(jumps_[1], recording.jumps.q);
    columns_.push_all(jumps_[2], recording.jumps.u_minus);
    columns_.push_all(jumps_[3], recording.jumps.u_plus);
    if (draw_) columns_.push_all(jumps_[4], recording.jumps.draw);
    if (!snapshots_.empty()) {
        columns_.push_all(snapshots_[0], recording.snapshots.time_s);
        columns_.push_all(snapshots_[1], recording.snapshots.q);
        columns_.push_all(snapshots_[2], recording.snapshots.u);
    }
    for (Event event : recording.events) {
        if (bodies_) event.contact = -1;  // numbered by whoever reads them
        add_event(event);
    }
    if (bodies_) bodies_->take_from(recording.bodies, columns_);
}

Expected<void> RunColumns::create_in(Hdf5Writer& file) const
{
    for (const char* group : {"/coordinates", "/contacts", "/events", "/jumps"}) {
        if (auto added = file.add_group(group); !added) return added;
    }
    if (!energies_.empty()) {
        if (auto added = file.add_group("/energy"); !added) return added;
    }
    if (!probe_names_.empty()) {
        if (auto added = file.add_group("/probes"); !added) return added;
        if (auto set = file.set_attribute("/probes", "probes", to_json(probe_names_)); !set) return set;
    }

    if (!snapshots_.empty()) {
        if (auto added = file.add_group("/snapshots"); !added) return added;
    }

    if (draw_) {
        if (auto added = file.add_group("/draw"); !added) return added;
        if (auto added = file.add_text("/draw/drawings", to_json(drawings_)); !added) return added;
    }

    if (!cones_.empty()) {
        if (auto added = file.add_group("/friction"); !added) return added;
        if (auto added = file.add_text("/friction/cones", to_json(cones_)); !added) return added;
    }

    if (reactions_) {
        std::vector<std::string> constraints;
        for (const Constraint& constraint : model_->system().constraints) {
            constraints.push_back(constraint.name);
        }
        if (auto added = file.add_group("/constraints"); !added) return added;
        if (auto added = file.add_texts("/constraints/name", constraints); !added) return added;
        if (auto added = file.add_texts("/constraints/reaction", reaction_names(*model_)); !added)
            return added;
    }

    if (bodies_) {
        if (auto added = bodies_->create_in(file); !added) return added;
    }

    // names and units
    std::vector<std::string> names, units, contacts;
    for (const Coordinate& coordinate : model_->system().coordinates) {
        names.push_back(coordinate.name);
        units.push_back(coordinate.unit);
    }
    for (const Contact& contact : model_->system().contacts) {
        contacts.push_back(contact.name);
    }
    if (auto added = file.add_texts("/coordinates/name", names); !added) return added;
    if (auto added = file.add_texts("/coordinates/unit", units); !added) return added;
    if (auto added = file.add_texts("/contacts/name", contacts); !added) return added;
    const EventPlaces places = bodies_ ? bodies_->places() : event_places(*model_);
    if (auto added = file.add_texts("/events/name", places.names); !added) return added;
    if (auto added = file.set_attribute("/events", "contacts", static_cast<std::int64_t>(places.contacts));
        !added) {
        return added;
    }
    if (auto created = columns_.create_in(file); !created) return created;
    return file.set_attribute("/events/kind", "names", event_kind_names());
}

}  // namespace carom::detail
