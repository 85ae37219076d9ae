#pragma once

#include "solver/budget.hpp"
#include "solver/contact_colours.hpp"
#include "solver/shared_sweeps.hpp"

#include <array>
#include <cstdint>
#include <span>
#include <vector>

namespace carom {

/// Nonlinear conjugate gradients around Gauss-Seidel for contacts of rigid bodies, without the matrix W: as
/// many contacts of one colour at once as fill a wide register, blocks of them on several threads. In single
/// precision for tolerances that leave digits to spare: what comes out is then a start for whoever judges in
/// double precision.
///
/// Contacts of round bodies have the closed form of (SO-23). Others take the normal part first and the
/// tangential one after it, with the largest eigenvalue of W_TT for both directions:
///
///     P_N' = max(0, P_N - U_N / W_NN),     t = P_T - (U_T + W_TN (P_N' - P_N)) / max W_TT          (SO-39)
///     P_T' = t,  or  mu P_N' t / |t|  where that is shorter
///
/// Percussions are vectors of space: there are no tangents. A scene may have contacts of both kinds.
///
/// Symbols    n  unit normal from b to a;  r  arm from the centre of mass to the contact, m;  l  arm of a
///            round body, against n for a and along n for b, m;  w  angular velocity, rad/s;  P  percussion
///            on a, N s
/// Theory     docs/theory/solvers.md, (SO-23), (SO-39), (SO-15) nonlinear conjugate gradients

struct SweptBody {
    std::array<double, 3> v{}, w{};  ///< m/s, rad/s, without the percussions of contacts
    double inverse_mass = 0;         ///< 1/kg; 0: does not move
    double inverse_inertia = 0;      ///< 1/(kg m^2), of a round body
    std::array<double, 6> tensor{};  ///< J^-1: xx, yy, zz, yz, xz, xy; for contacts that are not round
};

struct SweptContact {
    std::array<double, 3> normal{0, 0, 1};   ///< from b to a, unit
    std::array<double, 3> arm_a{}, arm_b{};  ///< m; of a round contact l_a and l_b in the first places
    double shift_m_s = 0;                    ///< added to U_n: gap / step, restitution
    std::array<double, 3> P{};               ///< N s, on a: a warm start
    double friction = 0;                     ///< mu >= 0
};

/// What the caller asks of sweeps.
enum class SweptResults { All, Percussions, Velocities };

/// Number: float or double.
template <class Number>
class SweptContacts {
public:
    /// The bodies of the contacts, in the order of ids, which of them are round, how many bodies there are, of
    /// which some move, and their places (ContactColours). Keeps its memory; what has not changed since the
    /// last call keeps its place.
    void begin(std::span<const std::array<int, 2>> pairs, std::span<const char> round,
               std::span<const char> moves, std::span<const int> places = {});

    /// Whether this rank sweeps a contact; the others have it otherwise.
    [[nodiscard]] bool is_here(std::size_t contact) const noexcept;

    /// Every body and every contact that is here is set once, in any order and by any thread: bodies first.
    void set_body(std::size_t body, const SweptBody& to) noexcept;
    void set_contact(std::size_t contact, const SweptContact& to) noexcept;

    /// The size of the free velocities, then the warm start.
    void start();

    /// The same where all contacts are round, have no friction and no percussions to begin with, and where
    /// nothing turns: a percussion is one number, along the normal.
    void start_pressing();

    /// Sweeps until the errors are small (SO-24); returns them. Errors are looked at after the first sweep,
    /// and when the changes of a sweep promise that they are small. What is not wanted is known to the ranks
    /// that swept it only.
    int run(const Budget& budget, SweptResults wanted = SweptResults::All);

    /// Errors of the percussions as they are: e_d, and that of the velocities (as Residual has them).
    struct Errors {
        double unit_free = 0, velocity = 0;
    };
    [[nodiscard]] Errors error() noexcept;

    /// Percussion of a contact on its body a, axes of the world, N s.
    [[nodiscard]] std::array<double, 3> percussion(std::size_t contact) const noexcept;

    /// Velocities of a body with the percussions in them.
    [[nodiscard]] std::array<double, 3> velocity(std::size_t body) const noexcept;
    [[nodiscard]] std::array<double, 3> angular_velocity(std::size_t body) const noexcept;

private:
    /// Contacts at once.
    static constexpr std::size_t width = 32 / sizeof(Number);
    using Lanes = std::array<Number, width>;
    using Vectors = std::array<Lanes, 3>;

    /// Where the numbers of bodies begin: an address then needs no product in the sweeps.
    using Places = std::array<std::uint32_t, width>;
    static constexpr std::uint32_t in_body = 8;

    /// v, 1/m, w, and 1/J of a round body; or a tensor.
    struct alignas(8 * sizeof(Number)) Moving {
        std::array<Number, in_body> at{};
    };

    /// Contacts of one colour; places that are left over have a percussion of zero on a body that does not
    /// move.
    struct alignas(32) RoundGroup {
        Vectors n{}, P{};
        Vectors direction{}, change{};  ///< of the conjugate gradients; of the last sweep
        Lanes arm_a{}, arm_b{}, shift{}, mu{};
        Lanes inverse_n{}, inverse_t{}, rho{};  ///< 1 / W_NN, 1 / max W_TT, d^2 of (OS-5)
        Places a{}, b{};
        std::uint8_t a_moves = 0, b_moves = 0;  ///< a bit each: what does not move is not written
    };
    struct alignas(32) RigidGroup {
        Vectors n{}, P{};
        Vectors direction{}, change{};
        Vectors arm_a{}, arm_b{};
        Vectors coupling{};  ///< W_TN
        Lanes shift{}, mu{};
        Lanes inverse_n{}, inverse_t{}, rho{};
        Places a{}, b{};
        std::uint8_t a_moves = 0, b_moves = 0;
    };
    /// Sums of squares that the errors are made of.
    struct Sums {
        double F = 0, P = 0, U = 0;
    };
    struct Block;
    struct Centres;
    struct Bodies;
    struct Tensors;
    struct Kernel;  ///< the inner loops, compiled for wide registers and for others

    /// The groups of one kind.
    template <class Group>
    struct Groups {
        std::vector<Group> all;
        std::vector<int> colour_begin;  ///< behind the last one groups are taken in turn
        std::vector<char> is_here;      ///< per group, where others sweep some
        void clear(int still);
    };

    template <class Group>
    void place_contacts(bool round, Groups<Group>& groups);
    template <class Group>
    void set_common(Group& group, std::size_t lane, const SweptContact& to) noexcept;
    void arrange_blocks();
    void share_blocks();
    void share_results(SweptResults wanted);
    void add_up(std::span<const double> records, std::span<double> total);
    [[nodiscard]] Sums measured() noexcept;  ///< of the bodies as this rank has them
    [[nodiscard]] double sweep(double beta) noexcept;
    void step_bodies(double beta) noexcept;
    template <class F>
    void for_colours(F f);
    template <class F>
    void with_block(std::size_t block, F f);

    /// Groups of one kind and one colour in a row: what one thread, or one rank, takes at once. Each kind of
    /// groups that are taken in turn is one block.
    struct BlockOfGroups {
        bool round = true;
        int begin = 0, end = 0;
    };

    std::vector<Moving> bodies_, before_, direction_;  ///< the last body does not move
    std::vector<Moving> tensors_;
    Groups<RoundGroup> round_;
    Groups<RigidGroup> rigid_;
    std::vector<int> place_;  ///< of a contact: its group times the width, and the lane
    std::vector<char> is_round_, moves_;
    bool any_rigid_ = false;
    bool pressing_ = false;  ///< percussions are numbers, in the first places of P, direction and change
    std::vector<std::array<int, 2>> pairs_;
    ContactColours colours_;
    std::vector<BlockOfGroups> blocks_;
    std::vector<int> phase_of_;                ///< per block: its colour; behind them one each, taken in turn
    std::vector<std::size_t> own_;             ///< blocks of this rank, in order
    std::vector<std::array<int, 2>> at_home_;  ///< ranges of bodies that this rank moves between sweeps
    const Messages* asked_ = nullptr;          ///< who was there when blocks were shared
    SharedSweeps shared_;
    std::vector<double> changes_;  ///< of a sweep, per block of groups
    std::vector<Sums> sums_;       ///< per block of groups
    double free_size_ = 0;         ///< of U_free, scaled
};

extern template class SweptContacts<float>;
extern template class SweptContacts<double>;

}  // namespace carom
