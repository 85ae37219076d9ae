#include "carom/core/expected.hpp"

namespace carom {

std::string_view name_of(ErrorCode code) noexcept
{
    switch (code) {
    case ErrorCode::FileUnreadable: return "file_unreadable";
    case ErrorCode::FileUnwritable: return "file_unwritable";
    case ErrorCode::FileMalformed: return "file_malformed";
    case ErrorCode::SceneEmpty: return "scene_empty";
    case ErrorCode::SceneSyntax: return "scene_syntax";
    case ErrorCode::NotAscii: return "not_ascii";
    case ErrorCode::UnknownKey: return "unknown_key";
    case ErrorCode::MissingKey: return "missing_key";
    case ErrorCode::WrongType: return "wrong_type";
    case ErrorCode::DuplicateName: return "duplicate_name";
    case ErrorCode::BadName: return "bad_name";
    case ErrorCode::SettingOutOfRange: return "setting_out_of_range";
    case ErrorCode::FormulaSyntax: return "formula_syntax";
    case ErrorCode::FormulaTooLarge: return "formula_too_large";
    case ErrorCode::UnknownName: return "unknown_name";
    case ErrorCode::WrongArguments: return "wrong_arguments";
    case ErrorCode::NotAllowedHere: return "not_allowed_here";
    case ErrorCode::NotFinite: return "not_finite";
    case ErrorCode::KineticNotQuadratic: return "kinetic_not_quadratic";
    case ErrorCode::MetricNotPositive: return "metric_not_positive";
    case ErrorCode::GapViolated: return "gap_violated";
    case ErrorCode::GradientVanishes: return "gradient_vanishes";
    case ErrorCode::ConstraintViolated: return "constraint_violated";
    case ErrorCode::ConstraintsDependent: return "constraints_dependent";
    case ErrorCode::WrongSize: return "wrong_size";
    }
    return "unknown";
}

std::string to_text(const Error& error)
{
    std::string text = error.where;
    if (!text.empty()) text += ": ";
    text += "error: " + error.message + "\n";
    if (!error.excerpt.empty()) text += error.excerpt + "\n";
    if (!error.hint.empty()) text += "  hint: " + error.hint + "\n";
    return text;
}

}  // namespace carom
