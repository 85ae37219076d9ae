#pragma once

#include "carom/trace/recording.hpp"
#include "columns.hpp"

namespace carom::detail {

/// Where recordings of bodies keep what later versions added: body_columns.cpp writes it,
/// recorded_contacts.cpp reads it.

inline constexpr const char* moment_path = "/bodies/contacts/moment_Nms";

/// Columns of contacts that later versions added, one number each.
struct LaterColumn {
    const char* path;
    Eigen::VectorXd RecordedBodies::* values;
    int bits;  ///< where frames are packed
};
inline constexpr LaterColumn later_columns[] = {
    {"/bodies/contacts/friction", &RecordedBodies::friction, place_bits},
    {"/bodies/contacts/sliding_m_s", &RecordedBodies::sliding_m_s, sign_bits},
    {"/bodies/contacts/residual", &RecordedBodies::residual, sign_bits}};
inline constexpr std::size_t first_later = 6;  ///< among the columns of contacts

/// What free-body diagrams need, vectors per frame: of the bodies that move, or of the joints.
enum class Needs { Motion, Loads, Constraints, Joints };
struct ForcePath {
    const char* path;
    RowMatrix RecordedBodies::* values;
    Needs needs;
    int bits = rate_bits;  ///< where frames are packed
};
inline constexpr ForcePath force_paths[] = {
    {"/bodies/velocity_change_m_s", &RecordedBodies::velocity_change_m_s, Needs::Motion},
    {"/bodies/spin_change_Nms", &RecordedBodies::spin_change_Nms, Needs::Motion},
    {"/bodies/half_way_m", &RecordedBodies::half_way_m, Needs::Motion, place_bits},
    {"/bodies/load_N", &RecordedBodies::load_N, Needs::Loads},
    {"/bodies/load_torque_Nm", &RecordedBodies::load_torque_Nm, Needs::Loads},
    {"/bodies/constraint_Ns", &RecordedBodies::constraint_Ns, Needs::Constraints},
    {"/bodies/constraint_moment_Nms", &RecordedBodies::constraint_moment_Nms, Needs::Constraints},
    {"/bodies/joint_percussion_Ns", &RecordedBodies::joint_percussion_Ns, Needs::Joints},
    {"/bodies/joint_moment_Nms", &RecordedBodies::joint_moment_Nms, Needs::Joints}};

}  // namespace carom::detail
