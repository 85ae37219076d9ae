#pragma once

#include "carom/system/lagrangian/lagrangian_system.hpp"
#include "expression/derivative.hpp"

#include <array>
#include <span>
#include <vector>

namespace carom {

/// Along which axis t1 lies in space, where the contact asks for no direction (CF-3).
enum class TangentAxis {
    ByNormal,  ///< x, or y where the normal is nearly along x
    X,
    Y,
};

/// The gap of a contact and the rows of U = H u + b, normal first, as nodes of a graph: what the formulas of
/// a `Contact` say, and their derivatives.
///
/// Theory     docs/theory/friction.md, (CF-2) local velocity, (CF-3) frame
class ContactExpressions {
public:
    /// `support` holds the coordinates that the contact names, sorted.
    ContactExpressions(Graph& graph, const Contact& contact, std::span<const int> support,
                       TangentAxis axis = TangentAxis::ByNormal);

    int gap = 0;
    std::vector<std::vector<int>> H;  ///< row by row, each in the order of the support
    std::vector<int> b;
    int normal_x = 0;  ///< of a particle's normal

private:
    using Space = std::array<int, 3>;  ///< in the plane the third one is zero

    void add_gap_and_sliding();
    void add_sliding(const Formula& sliding);
    void add_particle(const ContactParticle& particle);
    void add_tangents(const Space& n, std::size_t d, const Space& asked, std::vector<Space>& frame);
    [[nodiscard]] Space direction_of_t1(const Space& n);
    [[nodiscard]] int dot(const Space& x, const Space& y);
    [[nodiscard]] Space cross(const Space& x, const Space& y);
    [[nodiscard]] Space values(std::span<const Formula> formulas, const NodeOfVariable& at_x);

    Graph& g_;
    const Contact& contact_;
    TangentAxis axis_;
    int zero_ = 0;
    std::vector<Variable> coordinates_, velocities_;
};

/// The coordinates that a contact names, sorted.
[[nodiscard]] std::vector<int> support_of(const Contact& contact);

}  // namespace carom
