#include "checkpoint_file.hpp"

#include "body_columns.hpp"
#include "energy_names.hpp"
#include "report_json.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <utility>

namespace carom::detail {
namespace {

/// Where the numbers of a checkpoint stand in /checkpoint/measures.
constexpr std::size_t measures = 8;
constexpr std::size_t counts = 7;

std::vector<double> in_order(const EnergyLines& lines)
{
    std::vector<double> result;
    for (const auto& energy : energy_names) {
        result.push_back(lines.*energy.line);
    }
    return result;
}

std::vector<double> measures_of(const RunProgress& progress)
{
    const CertifierSums& sums = progress.certifier.sums();
    return {sums.certificate.max_residual,
            sums.certificate.max_residual_time_s,
            sums.certificate.max_penetration_m,
            sums.certificate.max_cone_violation_Ns,
            sums.energy_scale_J,
            sums.ledger.worst_step_balance_J,
            sums.ledger.largest_step_J,
            progress.rest.fastest};
}

std::vector<double> counts_of(const Checkpoint& checkpoint)
{
    const RunProgress& progress = checkpoint.progress;
    const CertifierSums& sums = progress.certifier.sums();
    const auto real = [](long count) { return static_cast<double>(count); };
    return {real(sums.certificate.unsolved_steps),
            real(sums.open_ledgers),
            real(progress.rest.still_steps),
            progress.end ? real(static_cast<long>(*progress.end)) : -1.0,
            real(checkpoint.events),
            real(checkpoint.jumps),
            real(checkpoint.snapshots)};
}

/// What the energy rule carries, in the order of /checkpoint/energy_watch.
constexpr double EnergyWatch::* watch_numbers[] = {
    &EnergyWatch::kinetic_J,     &EnergyWatch::potential_J, &EnergyWatch::given_J,
    &EnergyWatch::prescribed_J,  &EnergyWatch::reaction_J,  &EnergyWatch::held_J,
    &EnergyWatch::worst_step_J,  &EnergyWatch::drift_J,     &EnergyWatch::run_scale_J,
    &EnergyWatch::lasting_ratio, &EnergyWatch::beyond,
};
constexpr double EnergyError::* error_numbers[] = {
    &EnergyError::ratio, &EnergyError::amount_J, &EnergyError::scale_J, &EnergyError::time_s,
    &EnergyError::step,  &EnergyError::is_drift, &EnergyError::culprit,
};
constexpr double Certificate::* energy_measures[] = {&Certificate::energy_error,
                                                     &Certificate::energy_error_time_s};

/// All numbers of the energy rule, one after the other.
template <class Sums, class Visit>
void visit_watch(Sums& sums, Visit&& visit)
{
    for (const auto number : watch_numbers) {
        visit(sums.watch.*number);
    }
    for (const auto number : error_numbers) {
        visit(sums.watch.first.*number);
    }
    for (const auto number : energy_measures) {
        visit(sums.certificate.*number);
    }
}

constexpr double ObstacleVisit::* visit_numbers[] = {
    &ObstacleVisit::inside,      &ObstacleVisit::acted,     &ObstacleVisit::approach,
    &ObstacleVisit::allowed_m,   &ObstacleVisit::deepest_m, &ObstacleVisit::entered_s,
    &ObstacleVisit::still_steps,
};

constexpr double GapReach::* reach_numbers[] = {&GapReach::largest_gap_m, &GapReach::deepest_m,
                                                &GapReach::deepest_s};

constexpr double ImpactDelays::* delay_numbers[] = {
    &ImpactDelays::count,    &ImpactDelays::jumps2_m2_s2, &ImpactDelays::drags2_m2_s2,
    &ImpactDelays::behind_m, &ImpactDelays::exit_m_s,     &ImpactDelays::seen_s,
    &ImpactDelays::slip_m,   &ImpactDelays::travel_m,     &ImpactDelays::slide_m_s,
    &ImpactDelays::late_s,
};

constexpr double ContactDrive::* drive_numbers[] = {
    &ContactDrive::known,    &ContactDrive::acceleration_m_s2,
    &ContactDrive::rate_1_s, &ContactDrive::off,
    &ContactDrive::off_s,    &ContactDrive::late_s,
    &ContactDrive::rests,    &ContactDrive::made_s,
    &ContactDrive::motion,
};

constexpr double GroupSums::* group_numbers[] = {
    &GroupSums::scale_J,     &GroupSums::too_long,   &GroupSums::follows,      &GroupSums::phase_rad,
    &GroupSums::alternating, &GroupSums::alternates, &GroupSums::alternates_s,
};

constexpr double SlipWork::* slip_numbers[] = {&SlipWork::work_J, &SlipWork::missed_J};

/// All numbers of a group that moves by itself, one after the other.
template <class Sums, class Visit>
void visit_group(Sums& sums, Visit&& visit)
{
    for (const auto number : watch_numbers)
        visit(sums.energy.*number);
    for (const auto number : error_numbers)
        visit(sums.energy.first.*number);
    for (const auto number : slip_numbers)
        visit(sums.slip.*number);
    for (const auto number : group_numbers)
        visit(sums.*number);
    visit(sums.rest.fastest);
}

std::vector<double> numbers_of_groups(std::span<const GroupSums> groups)
{
    std::vector<double> numbers;
    for (const GroupSums& sums : groups) {
        visit_group(sums, [&](double number) { numbers.push_back(number); });
        numbers.push_back(sums.rest.still_steps);
    }
    return numbers;
}

std::vector<GroupSums> groups_of(std::span<const double> numbers)
{
    const std::size_t each = numbers_of_groups(std::array{GroupSums{}}).size();
    std::vector<GroupSums> groups(numbers.size() / each);
    auto number = numbers.begin();
    for (GroupSums& sums : groups) {
        visit_group(sums, [&](double& to) { to = *number++; });
        const double still = *number++;
        sums.rest.still_steps = still >= 0 && still < 1e9 ? static_cast<int>(still) : 0;
    }
    return groups;
}

constexpr double SweepProgress::* sweep_numbers[] = {&SweepProgress::h_s, &SweepProgress::steps_since_jump,
                                                     &SweepProgress::pushed};

bool is_sane(const SweepProgress& sweep)
{
    return sweep.h_s > 0 && std::isfinite(sweep.h_s) && sweep.steps_since_jump >= 0 &&
           sweep.steps_since_jump == std::floor(sweep.steps_since_jump) &&
           std::isfinite(sweep.steps_since_jump) && (sweep.pushed == 0 || sweep.pushed == 1);
}

/// One after the other.
template <class Of>
std::vector<double> numbers_of(const std::vector<Of>& list, std::span<double Of::* const> members)
{
    std::vector<double> result;
    for (const Of& one : list) {
        for (const auto number : members) {
            result.push_back(one.*number);
        }
    }
    return result;
}

std::vector<double> watch_of(const CertifierSums& sums)
{
    std::vector<double> result;
    visit_watch(sums, [&](double number) { result.push_back(number); });
    return result;
}

constexpr std::size_t phase_numbers = 9;  ///< of a body

std::vector<double> numbers_of_phases(std::span<const BodyPhase> phases)
{
    std::vector<double> numbers;
    for (const BodyPhase& phase : phases) {
        numbers.insert(numbers.end(), {phase.sum_rad, phase.recent_J, phase.follows});
        numbers.insert(numbers.end(), phase.velocity_change.begin(), phase.velocity_change.end());
    }
    return numbers;
}

std::vector<BodyPhase> phases_of(const Eigen::VectorXd& numbers)
{
    std::vector<BodyPhase> phases;
    for (const double* at = numbers.data(); at != numbers.data() + numbers.size(); at += phase_numbers) {
        BodyPhase& phase = phases.emplace_back(BodyPhase{at[0], at[1], at[2]});
        std::copy(at + 3, at + phase_numbers, phase.velocity_change.begin());
    }
    return phases;
}

/// Reads the parts of a checkpoint one after the other; the first error counts.
class CheckpointReader {
public:
    explicit CheckpointReader(const Hdf5Reader& file) : file_(file) {}

    Expected<Checkpoint> read(const CheckpointSizes& sizes)
    {
        read_state(sizes.coordinates, sizes.contacts);
        read_frames(sizes);
        read_progress();
        RunProgress& progress = result_.progress;
        read_contacts<ObstacleVisit>("obstacle_visits", sizes.contacts, visit_numbers, progress.visits);
        read_contacts<GapReach>("gap_reaches", sizes.reaches, reach_numbers, progress.reaches);
        read_contacts<ImpactDelays>("impact_delays", sizes.contacts, delay_numbers, progress.delays);
        read_contacts<ContactDrive>("contact_drives", sizes.contacts, drive_numbers, progress.drives);
        read_pairs(progress.pairs);
        if (file_.has("/checkpoint/moved_m")) {
            const auto moved_m = column("moved_m", sizes.bodies);
            progress.moved_m.assign(moved_m.begin(), moved_m.end());
        }
        if (file_.has("/checkpoint/body_phases"))
            progress.body_phases = phases_of(column("body_phases", phase_numbers * sizes.bodies));
        std::vector<SlipWork> slip;
        read_contacts<SlipWork>("slip_work", 1, slip_numbers, slip);
        if (!slip.empty()) progress.slip = slip.front();
        read_phase(sizes.coordinates, progress.phase);
        read_groups(progress);
        std::vector<SweepProgress> sweep;
        read_contacts<SweepProgress>("sweep", 1, sweep_numbers, sweep);
        if (!sweep.empty()) progress.sweep = sweep.front();
        if (!sweep.empty() && !is_sane(sweep.front())) refuse("/checkpoint/sweep holds no step of a sweep");
        if (error_) return *error_;
        return std::move(result_);
    }

private:
    template <class T>
    T take(Expected<T> value)
    {
        if (value) return std::move(*value);
        if (!error_) error_ = value.error();
        return T{};
    }
    void refuse(const std::string& what)
    {
        if (!error_) error_ = file_.malformed(what);
    }

    /// So many numbers, whatever happens.
    Eigen::VectorXd column(const std::string& name, std::size_t size)
    {
        Eigen::VectorXd values = take(file_.column("/checkpoint/" + name));
        if (static_cast<std::size_t>(values.size()) != size) {
            refuse("/checkpoint/" + name + " has another length");
            values.setZero(static_cast<Eigen::Index>(size));
        }
        return values;
    }
    std::vector<std::int64_t> integers(const std::string& name, std::size_t size)
    {
        auto values = take(file_.integers("/checkpoint/" + name));
        if (values.size() != size) {
            refuse("/checkpoint/" + name + " has another length");
            values.assign(size, 0);
        }
        return values;
    }
    std::vector<char> flags(const std::string& name, std::size_t size, std::int64_t largest)
    {
        std::vector<char> result;
        for (const std::int64_t flag : integers(name, size)) {
            result.push_back(static_cast<char>(std::clamp<std::int64_t>(flag, 0, largest)));
        }
        return result;
    }
    EnergyLines lines(const std::string& name)
    {
        EnergyLines result;
        const Eigen::VectorXd values = column(name, energy_names.size());
        for (std::size_t i = 0; i < energy_names.size(); ++i) {
            result.*energy_names[i].line = values[static_cast<Eigen::Index>(i)];
        }
        return result;
    }

    void read_state(std::size_t n, std::size_t m);
    void read_frames(const CheckpointSizes& sizes);
    void read_progress();
    template <class Of>
    void read_contacts(const std::string& name, std::size_t contacts, std::span<double Of::* const> members,
                       std::vector<Of>& list);

    void read_pairs(std::vector<PairDelays>& pairs);
    void read_phase(std::size_t n, PhaseError& phase);
    void read_groups(RunProgress& progress);

    const Hdf5Reader& file_;
    Checkpoint result_;
    std::optional<Error> error_;
};

void CheckpointReader::read_state(std::size_t n, std::size_t m)
{
    State& state = result_.state;
    state.t_s = take(file_.real_attribute("/checkpoint", "time_s"));
    state.q = column("q", n);
    state.u = column("u", n);
    const auto percussion = take(file_.column("/checkpoint/percussion_Ns"));  // the model knows how many
    state.percussion_Ns.assign(percussion.begin(), percussion.end());
    state.closed = flags("closed", m, 2);
    state.slides = flags("slides", m, 6);
    if (file_.has("/checkpoint/constraint_status")) {
        const auto statuses = take(file_.integers("/checkpoint/constraint_status"));
        state.constraint_status = flags("constraint_status", statuses.size(), 4);
    }
}

void CheckpointReader::read_frames(const CheckpointSizes& sizes)
{
    result_.next_frame = take(file_.integer_attribute("/checkpoint", "next_frame"));
    result_.frame_at_state = take(file_.integer_attribute("/checkpoint", "frame_at_state")) != 0;
    result_.residual_since_frame = take(file_.real_attribute("/checkpoint", "residual_since_frame"));
    const auto read = [&](const char* name, std::size_t size, std::vector<double>& to) {
        const Eigen::VectorXd values = column(name, size);
        to.assign(values.begin(), values.end());
    };
    read("percussion_since_frame_Ns", sizes.contacts, result_.percussion_since_frame_Ns);
    if (sizes.constraints > 0) {
        read("reaction_since_frame_Ns", sizes.reactions, result_.reaction_since_frame_Ns);
        read("reaction_energy_J", sizes.constraints, result_.reaction_energy_J);
    }
    if (sizes.cones == 0) return;
    read("friction_since_frame_Ns", sizes.tangential, result_.friction_since_frame_Ns);
    read("coefficient_since_frame", sizes.cones, result_.coefficient_since_frame);
}

void CheckpointReader::read_progress()
{
    RunProgress& progress = result_.progress;
    progress.start_s = take(file_.real_attribute("/", "start_s"));
    progress.steps = take(file_.integer_attribute("/checkpoint", "step"));
    const auto number = column("measures", measures);
    const auto count = integers("counts", counts);

    CertifierSums sums;
    sums.certificate = {.max_residual = number[0],
                        .max_residual_time_s = number[1],
                        .max_penetration_m = number[2],
                        .max_cone_violation_Ns = number[3],
                        .energy_balance_J = 0,
                        .energy = {},
                        .steps = progress.steps,
                        .unsolved_steps = count[0]};
    if (file_.has("/checkpoint/max_violation"))
        sums.certificate.max_violation = column("max_violation", 1)[0];
    if (file_.has("/checkpoint/energy_watch")) {
        const auto watch = column("energy_watch", watch_of(sums).size());
        Eigen::Index i = 0;
        visit_watch(sums, [&](double& number) { number = watch[i++]; });
    }
    if (file_.has("/checkpoint/selection")) {
        const auto steps = integers("selection", 2);
        sums.certificate.selected_steps = steps[0];
        sums.certificate.unexamined_steps = steps[1];
    }
    sums.ledger = {.sums = lines("energy_sums_J"),
                   .compensation = lines("energy_compensation_J"),
                   .worst_step_balance_J = number[5],
                   .largest_step_J = number[6]};
    sums.energy_scale_J = number[4];
    sums.open_ledgers = count[1];
    auto findings = findings_from_json(take(file_.text_attribute("/checkpoint", "findings")));
    if (findings)
        sums.findings = std::move(*findings);
    else
        refuse("the findings of the checkpoint are damaged");
    progress.certifier = Certifier(std::move(sums));

    progress.rest = {.fastest = number[7], .still_steps = static_cast<int>(count[2] % 1'000'000'000)};
    if (count[3] >= 0) progress.end = static_cast<RunEnd>(count[3]);
    if (count[3] > 255 || (progress.end && name_of(*progress.end) == "unknown"))
        refuse("the checkpoint names an end that does not exist");
    result_.events = count[4];
    result_.jumps = count[5];
    result_.snapshots = count[6];
    if (std::min({progress.steps, result_.next_frame - 1, result_.events, result_.jumps, result_.snapshots}) <
        0) {
        refuse("the checkpoint has negative counts");
    }
}

template <class Of>
void CheckpointReader::read_contacts(const std::string& name, std::size_t contacts,
                                     std::span<double Of::* const> members, std::vector<Of>& list)
{
    if (!file_.has("/checkpoint/" + name)) return;
    const auto numbers = column(name, contacts * members.size());
    list.resize(contacts);
    Eigen::Index i = 0;
    for (Of& one : list) {
        for (const auto number : members) {
            one.*number = numbers[i++];
        }
    }
}

/// Pairs of bodies that have struck each other.
void CheckpointReader::read_pairs(std::vector<PairDelays>& pairs)
{
    if (!file_.has("/checkpoint/pairs")) return;
    const auto bodies = integers("pairs", 2 * max_struck_pairs);
    std::vector<ImpactDelays> delays(max_struck_pairs);
    std::vector<ContactDrive> drives(max_struck_pairs);
    read_contacts<ImpactDelays>("pair_delays", max_struck_pairs, delay_numbers, delays);
    read_contacts<ContactDrive>("pair_drives", max_struck_pairs, drive_numbers, drives);
    const auto normals = column("pair_normals", 3 * max_struck_pairs);
    for (std::size_t k = 0; k < max_struck_pairs && bodies[2 * k] >= 0; ++k) {
        const std::int64_t first = bodies[2 * k], second = bodies[2 * k + 1];
        const bool sorted = pairs.empty() || std::pair(pairs.back().first, pairs.back().second) <
                                                 std::pair(static_cast<int>(first), static_cast<int>(second));
        if (second <= first || second > std::numeric_limits<int>::max() || !sorted) {
            refuse("/checkpoint/pairs holds no pairs of bodies in their order");
            return;
        }
        const auto at = static_cast<Eigen::Index>(3 * k);
        pairs.push_back({.first = static_cast<int>(first),
                         .second = static_cast<int>(second),
                         .delays = delays[k],
                         .drive = drives[k],
                         .normal = {normals[at], normals[at + 1], normals[at + 2]}});
    }
}

/// The sum, 1 if the last step had no event, and how it changed the velocities.
std::vector<double> numbers_of_phase(std::size_t n, const PhaseError& phase)
{
    std::vector<double> numbers{phase.sum_rad, phase.velocity_change.empty() ? 0.0 : 1.0};
    numbers.insert(numbers.end(), phase.velocity_change.begin(), phase.velocity_change.end());
    numbers.resize(2 + n);
    return numbers;
}

void CheckpointReader::read_phase(std::size_t n, PhaseError& phase)
{
    if (!file_.has("/checkpoint/phase")) return;
    const auto numbers = column("phase", 2 + n);
    phase.sum_rad = numbers[0];
    if (numbers[1] != 0) phase.velocity_change.assign(numbers.begin() + 2, numbers.end());
}

/// Whether they fit the system is asked where they are used.
void CheckpointReader::read_groups(RunProgress& progress)
{
    if (!file_.has("/checkpoint/group_sums")) return;
    const auto numbers = take(file_.column("/checkpoint/group_sums"));
    progress.groups = groups_of(view(numbers));
    const auto change = take(file_.column("/checkpoint/group_change"));
    progress.group_change.assign(change.begin(), change.end());
    if (!file_.has("/checkpoint/in_group")) return;
    for (const auto& [name, list] :
         {std::pair("in_group", &progress.in_group), std::pair("met", &progress.met)})
        for (const std::int64_t lowest : integers(name, progress.groups.size()))
            list->push_back(
                static_cast<int>(std::clamp<std::int64_t>(lowest, -1, std::numeric_limits<int>::max())));
}

/// Groups that move by themselves: as many numbers in every checkpoint of a run.
Expected<void> write_groups(Hdf5Writer& file, const RunProgress& progress)
{
    if (progress.groups.empty()) return {};
    auto put = file.put("/checkpoint/group_sums", numbers_of_groups(progress.groups));
    if (put) put = file.put("/checkpoint/group_change", progress.group_change);
    if (progress.in_group.empty()) return put;
    const auto real = [](const std::vector<int>& list) {
        return std::vector<double>(list.begin(), list.end());
    };
    if (put) put = file.put("/checkpoint/in_group", real(progress.in_group), Entry::Integer);
    if (put) put = file.put("/checkpoint/met", real(progress.met), Entry::Integer);
    return put;
}

/// Always as many; those that there are not have no bodies.
Expected<void> write_pairs(Hdf5Writer& file, const std::vector<PairDelays>& pairs)
{
    std::vector<double> bodies(2 * max_struck_pairs, -1.0), normals(3 * max_struck_pairs, 0.0);
    std::vector<ImpactDelays> delays(max_struck_pairs);
    std::vector<ContactDrive> drives(max_struck_pairs);
    for (std::size_t k = 0; k < pairs.size(); ++k) {
        bodies[2 * k] = pairs[k].first;
        bodies[2 * k + 1] = pairs[k].second;
        delays[k] = pairs[k].delays;
        drives[k] = pairs[k].drive;
        std::ranges::copy(pairs[k].normal, normals.begin() + static_cast<std::ptrdiff_t>(3 * k));
    }
    auto put = file.put("/checkpoint/pairs", bodies, Entry::Integer);
    if (put) put = file.put("/checkpoint/pair_delays", numbers_of<ImpactDelays>(delays, delay_numbers));
    if (put) put = file.put("/checkpoint/pair_drives", numbers_of<ContactDrive>(drives, drive_numbers));
    if (put) put = file.put("/checkpoint/pair_normals", normals);
    return put;
}

}  // namespace

Expected<void> write_checkpoint(Hdf5Writer& file, const Checkpoint& checkpoint)
{
    const State& state = checkpoint.state;
    const EnergyLedger& ledger = checkpoint.progress.certifier.sums().ledger;
    const std::vector<double> sums = in_order(ledger.sums), compensation = in_order(ledger.compensation),
                              numbers = measures_of(checkpoint.progress),
                              watch = watch_of(checkpoint.progress.certifier.sums());
    const std::pair<const char*, std::span<const double>> columns[] = {
        {"/checkpoint/q", view(state.q)},
        {"/checkpoint/u", view(state.u)},
        {"/checkpoint/percussion_Ns", state.percussion_Ns},
        {"/checkpoint/percussion_since_frame_Ns", checkpoint.percussion_since_frame_Ns},
        {"/checkpoint/energy_sums_J", sums},
        {"/checkpoint/energy_compensation_J", compensation},
        {"/checkpoint/measures", numbers},
        {"/checkpoint/energy_watch", watch}};
    for (const auto& [path, values] : columns) {
        if (auto put = file.put(path, values); !put) return put;
    }
    if (!checkpoint.reaction_energy_J.empty()) {
        auto put = file.put("/checkpoint/reaction_since_frame_Ns", checkpoint.reaction_since_frame_Ns);
        if (put) put = file.put("/checkpoint/reaction_energy_J", checkpoint.reaction_energy_J);
        if (!put) return put;
    }
    // joints of bodies have a violation too, without reactions in columns
    const double violation = checkpoint.progress.certifier.sums().certificate.max_violation;
    if (auto put = file.put("/checkpoint/max_violation", std::vector<double>{violation}); !put) return put;
    if (!checkpoint.coefficient_since_frame.empty()) {
        auto put = file.put("/checkpoint/friction_since_frame_Ns", checkpoint.friction_since_frame_Ns);
        if (put) put = file.put("/checkpoint/coefficient_since_frame", checkpoint.coefficient_since_frame);
        if (!put) return put;
    }
    if (const auto& visits = checkpoint.progress.visits; !visits.empty()) {
        auto put = file.put("/checkpoint/obstacle_visits", numbers_of<ObstacleVisit>(visits, visit_numbers));
        if (!put) return put;
    }
    if (const auto& reaches = checkpoint.progress.reaches; !reaches.empty()) {
        auto put = file.put("/checkpoint/gap_reaches", numbers_of<GapReach>(reaches, reach_numbers));
        if (!put) return put;
    }
    if (const auto& moved_m = checkpoint.progress.moved_m; !moved_m.empty()) {
        if (auto put = file.put("/checkpoint/moved_m", moved_m); !put) return put;
    }
    if (const auto& phases = checkpoint.progress.body_phases; !phases.empty()) {
        if (auto put = file.put("/checkpoint/body_phases", numbers_of_phases(phases)); !put) return put;
    }
    if (const auto& delays = checkpoint.progress.delays; !delays.empty()) {
        auto put = file.put("/checkpoint/impact_delays", numbers_of<ImpactDelays>(delays, delay_numbers));
        if (!put) return put;
    }
    if (const auto& drives = checkpoint.progress.drives; !drives.empty()) {
        auto put = file.put("/checkpoint/contact_drives", numbers_of<ContactDrive>(drives, drive_numbers));
        if (!put) return put;
    }
    if (const SlipWork& slip = checkpoint.progress.slip; slip.work_J > 0 || slip.missed_J > 0) {
        auto put = file.put("/checkpoint/slip_work", numbers_of<SlipWork>({slip}, slip_numbers));
        if (!put) return put;
    }
    if (!checkpoint.bodies && !checkpoint.progress.reaches.empty()) {
        const auto n = static_cast<std::size_t>(state.u.size());
        auto put = file.put("/checkpoint/phase", numbers_of_phase(n, checkpoint.progress.phase));
        if (!put) return put;
    }
    if (auto put = write_groups(file, checkpoint.progress); !put) return put;
    if (const auto& sweep = checkpoint.progress.sweep) {
        auto put = file.put("/checkpoint/sweep", numbers_of<SweepProgress>({*sweep}, sweep_numbers));
        if (!put) return put;
    }
    if (checkpoint.bodies) {
        if (auto put = write_bodies(file, checkpoint.state, *checkpoint.bodies); !put) return put;
        if (auto put = write_pairs(file, checkpoint.progress.pairs); !put) return put;
    }
    const auto real = [](const std::vector<char>& flags) {
        return std::vector<double>(flags.begin(), flags.end());
    };
    const Certificate& certificate = checkpoint.progress.certifier.sums().certificate;
    const std::vector<double> selection{static_cast<double>(certificate.selected_steps),
                                        static_cast<double>(certificate.unexamined_steps)};
    const std::pair<const char*, std::vector<double>> integers[] = {
        {"/checkpoint/selection", selection},
        {"/checkpoint/closed", real(state.closed)},
        {"/checkpoint/slides", real(state.slides)},
        {"/checkpoint/counts", counts_of(checkpoint)}};
    for (const auto& [path, values] : integers) {
        if (auto put = file.put(path, values, Entry::Integer); !put) return put;
    }

    if (!state.constraint_status.empty()) {
        auto put = file.put("/checkpoint/constraint_status", real(state.constraint_status), Entry::Integer);
        if (!put) return put;
    }

    const std::pair<const char*, std::int64_t> attributes[] = {
        {"step", checkpoint.progress.steps},
        {"next_frame", checkpoint.next_frame},
        {"frame_at_state", checkpoint.frame_at_state ? 1 : 0}};
    for (const auto& [name, value] : attributes) {
        if (auto set = file.set_attribute("/checkpoint", name, value); !set) return set;
    }
    if (auto set = file.set_attribute("/checkpoint", "time_s", state.t_s); !set) return set;
    if (auto set = file.set_attribute("/checkpoint", "residual_since_frame", checkpoint.residual_since_frame);
        !set) {
        return set;
    }
    return file.set_attribute("/checkpoint", "findings", to_json(checkpoint.progress.certifier.findings()));
}

Expected<Checkpoint> read_checkpoint(const Hdf5Reader& file, const CheckpointSizes& sizes)
{
    return CheckpointReader(file).read(sizes);
}

}  // namespace carom::detail
