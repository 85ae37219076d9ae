#include "report/certificate_json.hpp"

#include "carom/door/run.hpp"

namespace carom::detail {

Json certificate_json(const Certificate& certificate, std::optional<long> worst_step)
{
    Json energy = Json::object();
    for (const auto& [name, value] : lines_of(certificate.energy))
        energy[std::string(name)] = value;
    Json json = {{"max_residual", certificate.max_residual},
                 {"max_residual_time_s", certificate.max_residual_time_s}};
    if (worst_step) json["worst_step"] = *worst_step;
    json.update({{"max_penetration_m", certificate.max_penetration_m},
                 {"max_violation", certificate.max_violation},
                 {"max_cone_violation", certificate.max_cone_violation_Ns},
                 {"energy_balance_J", certificate.energy_balance_J},
                 {"energy_error", certificate.energy_error},
                 {"energy_error_time_s", certificate.energy_error_time_s},
                 {"energy", energy},
                 {"unsolved_steps", certificate.unsolved_steps},
                 {"selected_steps", certificate.selected_steps},
                 {"unexamined_steps", certificate.unexamined_steps}});
    return json;
}

Json findings_json(std::span<const Finding> findings)
{
    Json list = Json::array();
    for (const Finding& finding : findings) {
        list.push_back({{"code", finding.code},
                        {"time_s", finding.time_s},
                        {"message", finding.message},
                        {"count", finding.count},
                        {"uncertifies", finding.uncertifies}});
    }
    return list;
}

}  // namespace carom::detail
