#pragma once

#include "flow.hpp"

#include "carom/orbit/periodic.hpp"

namespace carom::detail {

/// A scene with some parameters as symbols, ready to run with derivatives: one member of a family.
struct Member {
    Scene scene;
    SceneSymbols symbols;
    std::unique_ptr<Flow> flow;

    std::optional<Differentiated> period;
    std::optional<Formula> section_formula, section_falls;  ///< on numbers, for the engine; and negated
    std::optional<Differentiated> section;
    std::vector<double> shift;                  ///< per coordinate
    std::vector<Eigen::VectorXd> shift_slopes;  ///< by the parameters
    std::vector<char> is_free;                  ///< per coordinate

    explicit Member(Scene of) : scene(std::move(of)) {}
    Member(const Member&) = delete;
    Member& operator=(const Member&) = delete;
};

/// The scene with other values of the parameters of the options; without values as it is.
[[nodiscard]] Expected<std::unique_ptr<Member>, Errors>
make_member(const Scene& scene, const OrbitOptions& options, std::span<const double> values = {});

/// What one period does with a state.
struct Shot {
    bool good = false;
    std::string trouble;
    Eigen::VectorXd z_end, f_end;  ///< state and its rate
    Rows Z;                        ///< derivatives of z_end by the columns given
    std::vector<FlowEvent> events;
    std::vector<Nearness> near;
    Eigen::VectorXd lowest, highest;
    std::optional<Loss> loss;
    double loss_s = 0;
    std::vector<Finding> findings;
    State end;
};

/// Which contacts a start keeps closed, and which of them stick.
struct Held {
    std::vector<int> contacts;
    std::vector<char> sticks;
};

[[nodiscard]] Held held_at(Member& member, const State& state);

/// Moves a state to where these contacts are closed, and sets its statuses.
void close_contacts(Member& member, const Held& held, State& state);

/// Derivatives of what held contacts keep zero, by (q, u, p).
[[nodiscard]] Eigen::MatrixXd held_slopes(Member& member, const Held& held, const State& state);

/// Runs for a time with derivatives in the columns of X.
[[nodiscard]] Shot shoot(Member& member, const State& start, double duration_s, const Rows& X);

/// (u, a) where the state begins; what acts there is found by the integrator.
[[nodiscard]] Eigen::VectorXd rate_at(Member& member, const State& state);

}  // namespace carom::detail
