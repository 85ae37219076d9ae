#include "trace/recorded_status.hpp"
#include "trace/checkpoint.hpp"

namespace carom {

std::string_view status_of(const Recording& recording) noexcept
{
    if (!recording.report) return "unfinished";
    return is_finished(recording) ? name_of(recording.report->status) : "interrupted";
}

Certificate certificate_of(const Recording& recording)
{
    return recording.report ? recording.report->certificate
                            : recording.checkpoint->progress.certifier.certificate();
}

std::vector<Finding> findings_of(const Recording& recording)
{
    return recording.report ? recording.report->findings
                            : recording.checkpoint->progress.certifier.findings();
}

}  // namespace carom
