#pragma once

#include "saltation.hpp"

#include "carom/ledger/event.hpp"

#include <functional>
#include <memory>

namespace carom::detail {

/// An event of a flow, with the derivatives of its instant and of its percussion.
struct FlowEvent {
    Event event;
    Eigen::VectorXd dt;                     ///< empty: not differentiable there
    Eigen::VectorXd dP, dU_minus, dU_plus;  ///< of impacts; empty elsewhere
    Eigen::VectorXd q, u_before, u_after;   ///< empty at the start
    Eigen::MatrixXd du_before, du_after;
    Eigen::MatrixXd X_before, X_after;  ///< of (q, u), at fixed time on both sides
    std::optional<ImpactFriction> friction;
};

/// A motion by power series together with its derivatives in chosen directions.
class Flow {
public:
    /// The scene is run by series whatever its integrator is. `scene` must outlive the flow.
    Flow(const Scene& scene, const SceneSymbols& symbols);

    /// Begins at a state with derivatives of (q, u, p) in its columns; X may have no columns.
    void start(const State& state, const Rows& X);

    /// The same where the instant of the state moves with the data by dt, and D are derivatives along it.
    void start_moving(const State& state, const Rows& D, const Rows& dt);

    enum class End { Reached, Until, Failed };

    /// On to that time, or to where the until formula becomes >= 0 before.
    End advance(double to_s);

    /// The formula that ends an advance; nothing: none does. It must outlive the flow. `starts_at_zero`: where
    /// the next advance begins it is zero to rounding, and has yet to cross.
    void set_until(const Formula* until, bool starts_at_zero = false);

    [[nodiscard]] const State& state() const noexcept { return state_; }
    /// Derivatives at the time of the state, that time being fixed.
    [[nodiscard]] const Rows& X() const noexcept { return X_; }
    /// Goes on with other directions X, which are the former ones times T, and zeros.
    void change_columns(const Rows& X, const Eigen::MatrixXd& T);
    /// The same with directions that have nothing to do with the former ones.
    void replace_derivatives(const Rows& X);
    [[nodiscard]] const Eigen::VectorXd& acceleration() const noexcept { return acceleration_; }
    /// Of the instant at which `until` ended the last advance.
    [[nodiscard]] const Rows& dt_until() const noexcept { return dt_until_; }
    [[nodiscard]] bool differentiable() const noexcept { return !loss_; }
    /// The state is that of an event: derivatives at a fixed time are only known on both sides of it.
    [[nodiscard]] bool at_event() const noexcept { return pending_; }
    [[nodiscard]] const std::optional<Loss>& loss() const noexcept { return loss_; }
    [[nodiscard]] double loss_s() const noexcept { return loss_s_; }
    /// Derivatives behind a gap that touches zero: for data that keep it open. False: they end there.
    void set_one_sided(bool on) { saltation_.is_one_sided = on; }
    /// What contacts that hold make the motion forget is zero in the derivatives, without rounding: for logarithms
    /// of them. Otherwise they are as the motion leaves them.
    void set_forgets(bool on) { forgets_ = on; }
    struct OneSided {
        double t_s = 0;
        Saltation::Graze graze;
    };
    [[nodiscard]] const std::vector<OneSided>& one_sided() const noexcept { return one_sided_; }
    [[nodiscard]] const std::vector<Finding>& findings() const noexcept { return findings_; }
    [[nodiscard]] VariationalSystem& system() noexcept { return system_; }
    /// Derivatives by (q, u, p) of what contacts keep at zero: g, U_N and, where they stick, U_T.
    [[nodiscard]] Eigen::MatrixXd rows_that_hold(const VariationalSystem::Place& place,
                                                 const std::vector<SeriesStatus>& statuses);
    [[nodiscard]] const Model& model() const noexcept { return scene_.model; }
    [[nodiscard]] int pieces() const noexcept { return pieces_; }

    std::vector<FlowEvent> events;  ///< since the start; may be cleared

    /// Sees every piece before it is passed; for extrema and gaps.
    std::function<void(const SeriesPiece&, const std::vector<SeriesStatus>&)> on_piece;
    /// Sees its derivatives after that, with those of (q, u, p) where it ends; not once they are lost.
    std::function<void(const VariationalPiece&, const Rows&)> on_derivatives;

private:
    void follow_report();
    void pass(const SeriesInstant& instant);
    void follow_piece(const SeriesPiece& piece, const std::vector<SeriesStatus>& statuses, bool slip_ends);
    void follow_part(const SeriesPiece& piece, const std::vector<SeriesStatus>& statuses);
    [[nodiscard]] bool stays_at_switch(const SeriesPiece& piece);
    [[nodiscard]] bool depends_on_side(const SeriesPiece& piece, const std::vector<SeriesStatus>& statuses);
    void hold(const SeriesPiece& piece, const std::vector<SeriesStatus>& statuses);
    void keep_closed(const SeriesPiece& piece, const std::vector<SeriesStatus>& statuses);
    void resume_from(const SeriesPiece& piece, const std::vector<SeriesStatus>& statuses);
    void keep_events();
    void look_for_touches(const SeriesPiece& piece, const std::vector<SeriesStatus>& statuses);
    [[nodiscard]] bool leaves_at_start(const SeriesPiece& piece, int contact);
    void look_at_start(const SeriesPiece& piece, const std::vector<SeriesStatus>& statuses);
    void take_out_sliding(const VariationalSystem::Place& place, const Eigen::MatrixXd& H, const Rows& dU);
    [[nodiscard]] Eigen::VectorXd state_at_start() const;
    void lose(const Loss& loss, double t_s);

    const Scene& scene_;
    SeriesSettings settings_;
    Scratch scratch_;
    VariationalSystem system_;
    VariationalPiece piece_;
    Saltation saltation_;
    State state_;
    Rows X_, dt_until_;
    Eigen::VectorXd acceleration_;
    bool forgets_ = false;
    bool pending_ = false;  ///< an instant has been crossed, the piece behind it has not begun
    bool begun_ = false;
    std::optional<Loss> loss_;
    double loss_s_ = 0, start_s_ = 0;
    std::vector<OneSided> one_sided_;
    std::optional<Differentiated> until_;
    std::vector<Finding> findings_;
    int pieces_ = 0;

    struct Passed {
        double t_s = 0;
        Eigen::VectorXd dt;
        std::vector<Saltation::Percussion> percussions;
        Eigen::VectorXd q, u_before, u_after;
        Rows du_before, du_after, X_before, X_after;
    };
    void add_states(Passed& passed, const SeriesInstant& instant) const;
    std::vector<Passed> passed_;  ///< of the last report
};

/// The settings of a scene by series: its own, or the usual ones with its lengths.
[[nodiscard]] SeriesSettings series_settings(const Scene& scene);

}  // namespace carom::detail
