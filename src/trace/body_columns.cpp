#include "body_columns.hpp"

#include "solids_json.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>

namespace carom::detail {
namespace {

constexpr int contact_chunk_rows = 512;
constexpr std::size_t numbers_per_body = 13, numbers_per_contact = 11, integers_per_contact = 11;

/// A list of vectors as numbers one after the other, and back.
void append_vector(const Vec3& x, std::vector<double>& numbers)
{
    numbers.insert(numbers.end(), {x.x(), x.y(), x.z()});
}

Vec3 vector_at(std::span<const double> numbers, std::size_t first)
{
    return {numbers[first], numbers[first + 1], numbers[first + 2]};
}

}  // namespace

BodyColumns::BodyColumns(const BodiesToRecord& bodies, const Model& coordinates,
                         const RecordSettings& settings, std::vector<std::size_t> probes, Columns& columns)
    : places_(event_places(bodies.model, coordinates)),
      solids_(solids_of(bodies)),
      forces_(bodies.probes.begin(), bodies.probes.end()),
      probes_(std::move(probes))
{
    for (const Body& body : bodies.model.setup().bodies) {
        names_.push_back(body.name);
    }
    if (!settings.percussions) return;
    count_ = columns.add({.path = "/bodies/contacts/count", .entry = Entry::Integer});
    step_ = columns.add({.path = "/bodies/contacts/step_s"});
    const auto add = [&](const char* path, int width, Entry entry) {
        ragged_.push_back(
            columns.add({.path = path, .width = width, .entry = entry, .chunk_rows = contact_chunk_rows}));
    };
    add("/bodies/contacts/first", -1, Entry::Integer);
    add("/bodies/contacts/second", -1, Entry::Integer);
    add("/bodies/contacts/point_m", 3, Entry::Real);
    add("/bodies/contacts/normal", 3, Entry::Real);
    add("/bodies/contacts/percussion_Ns", 3, Entry::Real);
    add("/bodies/contacts/gap_m", -1, Entry::Real);
}

void BodyColumns::take(const BodyStep& step, double h_s, BodyCheckpoint& sums)
{
    sums.state = step.state;
    sums.since_frame_s += h_s;
    for (std::size_t k = 0; k < forces_.size(); ++k) {
        sums.percussion_since_frame_Ns[k] += percussion_Ns(forces_[k], step);
    }
    if (!count_) return;
    h_s_ = h_s;
    shown_.clear();
    for (const BodyContact& contact : step.contacts) {
        if (!(contact.P[0] > 0)) continue;
        shown_.push_back({.first = contact.first,
                          .second = contact.second,
                          .point_m = contact.at.point_m,
                          .normal = contact.at.normal,
                          .percussion_Ns = contact.percussion_Ns(),
                          .gap_m = contact.at.gap_m});
    }
}

void BodyColumns::add_frame(BodyCheckpoint& sums, Columns& columns)
{
    for (std::size_t k = 0; k < forces_.size(); ++k) {
        // two frames in one step show the same force
        Vec3& sum = sums.percussion_since_frame_Ns[k];
        if (sums.since_frame_s > 0) sums.force_N[k] = shown_by(forces_[k], sum / sums.since_frame_s);
        columns.push(probes_[k], sums.force_N[k]);
        sum.setZero();
    }
    sums.since_frame_s = 0;
    if (!count_) return;
    columns.push(*count_, static_cast<double>(shown_.size()));
    columns.push(*step_, h_s_);
    sums.contacts += static_cast<long>(shown_.size());
    for (const Shown& contact : shown_) {
        columns.push(ragged_[0], contact.first);
        columns.push(ragged_[1], contact.second);
        columns.push(ragged_[2], std::span(contact.point_m.data(), 3));
        columns.push(ragged_[3], std::span(contact.normal.data(), 3));
        columns.push(ragged_[4], std::span(contact.percussion_Ns.data(), 3));
        columns.push(ragged_[5], contact.gap_m);
    }
}

Expected<void> BodyColumns::create_in(Hdf5Writer& file) const
{
    if (auto added = file.add_group("/bodies"); !added) return added;
    if (auto added = file.add_texts("/bodies/name", names_); !added) return added;
    if (auto added = file.add_text("/bodies/solids", to_json(solids_)); !added) return added;
    return count_ ? file.add_group("/bodies/contacts") : Expected<void>{};
}

void BodyColumns::put_into(Recording& recording, const Columns& columns) const
{
    RecordedBodies& bodies = recording.bodies;
    bodies.names = names_;
    recording.solids = solids_;
    if (!count_) return;
    bodies.first_row.push_back(0);
    for (const double share : columns.column(*count_)) {
        bodies.first_row.push_back(bodies.first_row.back() + static_cast<Eigen::Index>(share));
    }
    bodies.step_s = columns.column(*step_);
    for (const double body : columns.column(ragged_[0]))
        bodies.first.push_back(static_cast<int>(body));
    for (const double body : columns.column(ragged_[1]))
        bodies.second.push_back(static_cast<int>(body));
    bodies.point_m = columns.table(ragged_[2]);
    bodies.normal = columns.table(ragged_[3]);
    bodies.percussion_Ns = columns.table(ragged_[4]);
    bodies.gap_m = columns.column(ragged_[5]);
}

void BodyColumns::take_from(const RecordedBodies& bodies, Columns& columns) const
{
    if (!count_) return;
    for (std::size_t frame = 1; frame < bodies.first_row.size(); ++frame) {
        columns.push(*count_, static_cast<double>(bodies.first_row[frame] - bodies.first_row[frame - 1]));
    }
    columns.push_all(*step_, bodies.step_s);
    for (const int body : bodies.first)
        columns.push(ragged_[0], body);
    for (const int body : bodies.second)
        columns.push(ragged_[1], body);
    columns.push_all(ragged_[2], bodies.point_m);
    columns.push_all(ragged_[3], bodies.normal);
    columns.push_all(ragged_[4], bodies.percussion_Ns);
    columns.push_all(ragged_[5], bodies.gap_m);
}

Expected<void> write_bodies(Hdf5Writer& file, const BodyCheckpoint& bodies)
{
    const BodyState& state = bodies.state;
    std::vector<double> places, percussions, features, sums;
    for (std::size_t i = 0; i < state.x.size(); ++i) {
        append_vector(state.x[i], places);
        const Rotation& R = state.R[i];
        places.insert(places.end(), {R.w(), R.x(), R.y(), R.z()});
        append_vector(state.v[i], places);
        append_vector(state.W[i], places);
    }
    // features are 64 bits: more than a double holds
    for (const KeptContact& kept : state.kept) {
        append_vector(kept.percussion_Ns, percussions);
        append_vector(kept.moment_Nms, percussions);
        const KeptContact::Closing& closing = kept.closing;
        percussions.insert(percussions.end(), {closing.percussion_Ns, closing.velocity_m_s, closing.left_m_s,
                                               closing.energy_J, kept.away_m_s});
        features.insert(features.end(), {static_cast<double>(kept.first), static_cast<double>(kept.second)});
        for (const std::uint64_t word :
             {kept.feature >> 32U, kept.feature & 0xffffffffU, std::uint64_t{kept.closed},
              std::uint64_t{kept.sticks}, std::uint64_t{kept.acted}, static_cast<std::uint64_t>(kept.status),
              static_cast<std::uint64_t>(kept.slides), kept.named >> 32U, kept.named & 0xffffffffU}) {
            features.push_back(static_cast<double>(word));
        }
    }
    for (const Vec3& sum : bodies.percussion_since_frame_Ns) {
        append_vector(sum, sums);
    }
    // lists that change their length are padded, so that they seldom have to be made anew
    const std::size_t room = std::bit_ceil(std::max<std::size_t>(state.kept.size(), 16));
    percussions.resize(numbers_per_contact * room);
    features.resize(integers_per_contact * room);
    const auto put_list = [&](const char* path, const std::vector<double>& list, Entry entry) {
        const auto rows = file.rows_of(path);
        if (rows && *rows != list.size()) {
            if (auto removed = file.remove(path); !removed) return removed;
        }
        return file.put(path, list, entry);
    };
    auto put = file.put("/checkpoint/bodies", places);
    if (put) put = put_list("/checkpoint/kept_percussion_Ns", percussions, Entry::Real);
    if (put) put = put_list("/checkpoint/kept", features, Entry::Integer);
    if (put)
        put =
            file.set_attribute("/checkpoint", "kept_contacts", static_cast<std::int64_t>(state.kept.size()));
    if (put) put = file.put("/checkpoint/joint_turns", state.turns);
    if (put) put = file.put("/checkpoint/force_since_frame_Ns", sums);
    if (put) put = file.put("/checkpoint/force_N", bodies.force_N);
    if (put) put = file.set_attribute("/checkpoint", "since_frame_s", bodies.since_frame_s);
    if (put) put = file.set_attribute("/checkpoint", "body_contacts", std::int64_t{bodies.contacts});
    return put;
}

Expected<BodyCheckpoint> read_bodies(const Hdf5Reader& file, std::size_t bodies, std::size_t actors)
{
    BodyCheckpoint result;
    const auto places = file.column("/checkpoint/bodies"),
               percussions = file.column("/checkpoint/kept_percussion_Ns"),
               sums = file.column("/checkpoint/force_since_frame_Ns"),
               forces = file.column("/checkpoint/force_N"), turns = file.column("/checkpoint/joint_turns");
    const auto kept = file.integers("/checkpoint/kept");
    const auto since = file.real_attribute("/checkpoint", "since_frame_s"),
               t_s = file.real_attribute("/checkpoint", "time_s");
    const auto contacts = file.integer_attribute("/checkpoint", "body_contacts"),
               kept_count = file.integer_attribute("/checkpoint", "kept_contacts");
    for (const auto* part : {&places, &percussions, &sums, &forces, &turns}) {
        if (!*part) return part->error();
        if (!(*part)->allFinite()) return file.malformed("the checkpoint of the bodies has no numbers");
    }
    if (!kept) return kept.error();
    if (!since) return since.error();
    if (!t_s) return t_s.error();
    if (!contacts) return contacts.error();
    if (!kept_count) return kept_count.error();
    const auto size = [](const auto& list) { return static_cast<std::size_t>(list->size()); };
    // older files had six numbers of both kinds, and no statuses; the room is a power of two
    const bool old = size(kept) % integers_per_contact != 0;
    const std::size_t numbers = old ? 6 : numbers_per_contact, integers = old ? 6 : integers_per_contact;
    const std::size_t room = size(percussions) / numbers;
    if (size(places) != numbers_per_body * bodies || size(percussions) != numbers * room ||
        size(kept) != integers * room || size(sums) != 3 * size(forces) || *contacts < 0 || *kept_count < 0 ||
        *kept_count > static_cast<std::int64_t>(room)) {
        return file.malformed("the checkpoint of the bodies has another length");
    }

    BodyState& state = result.state;
    state.t_s = *t_s;
    state.turns.assign(turns->begin(), turns->end());
    const std::span<const double> p(places->data(), size(places));
    for (std::size_t i = 0; i < bodies; ++i) {
        const std::size_t at = numbers_per_body * i;
        const Rotation R(p[at + 3], p[at + 4], p[at + 5], p[at + 6]);
        if (!(std::abs(R.norm() - 1) < 1e-6)) return file.malformed("a turn of a body has not length one");
        state.x.push_back(vector_at(p, at));
        state.R.push_back(R);
        state.v.push_back(vector_at(p, at + 7));
        state.W.push_back(vector_at(p, at + 10));
    }
    const std::span<const double> P(percussions->data(), size(percussions));
    for (std::size_t k = 0; k < static_cast<std::size_t>(*kept_count); ++k) {
        const std::int64_t* in_file = kept->data() + integers * k;
        std::array<std::int64_t, integers_per_contact> word{};
        std::copy_n(in_file, integers, word.begin());
        if (old) {
            word[6] = 1;                     // it pushed
            word[7] = word[4] != 0 ? 2 : 0;  // one that stayed persists
            word[8] = word[5] != 0 ? 0 : 1;  // one that did not stick slid
            std::copy_n(in_file + 2, 2, word.begin() + 9);
        }
        const auto known = [&](std::int64_t body) {
            return body >= 0 && body < static_cast<std::int64_t>(bodies);
        };
        const bool of_joint = word[0] < 0 && word[0] >= -static_cast<std::int64_t>(actors) && word[1] == -1;
        const auto is_half = [](std::int64_t bits) { return bits >= 0 && bits <= 0xffffffffLL; };
        if (!(of_joint || (known(word[0]) && known(word[1]))) || !is_half(word[2]) || !is_half(word[3]) ||
            !is_half(word[9]) || !is_half(word[10])) {
            return file.malformed("a kept contact names a body or joint that does not exist");
        }
        const auto joined = [](std::int64_t high, std::int64_t low) {
            return static_cast<std::uint64_t>(high) << 32U | static_cast<std::uint64_t>(low);
        };
        const auto status = [](std::int64_t value) {
            return static_cast<char>(std::clamp<std::int64_t>(value, 0, 6));
        };
        const std::size_t at = numbers * k;
        const KeptContact::Closing closing =
            old ? KeptContact::Closing{} : KeptContact::Closing{P[at + 6], P[at + 7], P[at + 8], P[at + 9]};
        state.kept.push_back({.first = static_cast<int>(word[0]),
                              .second = static_cast<int>(word[1]),
                              .feature = joined(word[2], word[3]),
                              .percussion_Ns = vector_at(P, at),
                              .moment_Nms = vector_at(P, at + 3),
                              .closed = word[4] != 0,
                              .sticks = word[5] != 0,
                              .acted = word[6] != 0,
                              .status = status(word[7]),
                              .slides = status(word[8]),
                              .named = joined(word[9], word[10]),
                              .away_m_s = old ? 0 : P[at + 10],
                              .closing = closing});
    }
    for (Eigen::Index k = 0; k < forces->size(); ++k) {
        result.percussion_since_frame_Ns.emplace_back(sums->segment<3>(3 * k));
        result.force_N.push_back((*forces)[k]);
    }
    result.since_frame_s = *since;
    result.contacts = *contacts;
    return result;
}

Expected<RecordedBodies> read_recorded_bodies(const Hdf5Reader& file, Eigen::Index frames)
{
    RecordedBodies result;
    auto names = file.texts("/bodies/name");
    if (!names) return names.error();
    result.names = std::move(*names);
    if (!file.has("/bodies/contacts")) return result;
    const auto count = file.integers("/bodies/contacts/count"),
               first = file.integers("/bodies/contacts/first"),
               second = file.integers("/bodies/contacts/second");
    auto step = file.column("/bodies/contacts/step_s"), gap = file.column("/bodies/contacts/gap_m");
    auto point = file.table("/bodies/contacts/point_m", 3), normal = file.table("/bodies/contacts/normal", 3),
         percussion = file.table("/bodies/contacts/percussion_Ns", 3);
    for (const auto* part : {&count, &first, &second}) {
        if (!*part) return part->error();
    }
    for (const auto* part : {&step, &gap}) {
        if (!*part) return part->error();
    }
    for (const auto* part : {&point, &normal, &percussion}) {
        if (!*part) return part->error();
    }

    // every frame has its share of the rows, and every row two bodies
    const auto rows = static_cast<std::int64_t>(first->size());
    std::int64_t sum = 0;
    for (const std::int64_t share : *count) {
        if (share < 0 || share > rows - sum)
            return file.malformed("frames count contacts that are not there");
        result.first_row.push_back(static_cast<Eigen::Index>(sum));
        sum += share;
    }
    result.first_row.push_back(static_cast<Eigen::Index>(sum));
    if (static_cast<Eigen::Index>(count->size()) != frames || step->size() != frames || sum != rows ||
        static_cast<std::int64_t>(second->size()) != rows || gap->size() != rows || point->rows() != rows ||
        normal->rows() != rows || percussion->rows() != rows) {
        return file.malformed("the columns of /bodies/contacts have different lengths");
    }
    const auto bodies = static_cast<std::int64_t>(result.names.size());
    for (std::size_t k = 0; k < first->size(); ++k) {
        const std::int64_t a = (*first)[k], b = (*second)[k];
        if (a < 0 || b < 0 || a >= bodies || b >= bodies)
            return file.malformed("a contact names a body that does not exist");
        result.first.push_back(static_cast<int>(a));
        result.second.push_back(static_cast<int>(b));
    }
    result.step_s = std::move(*step);
    result.gap_m = std::move(*gap);
    result.point_m = std::move(*point);
    result.normal = std::move(*normal);
    result.percussion_Ns = std::move(*percussion);
    return result;
}

}  // namespace carom::detail
