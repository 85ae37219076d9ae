#include "commands.hpp"

#include "carom/trace/page.hpp"
#include "written_file.hpp"

namespace carom::app {

ExitStatus run_report(const ReportOptions& options)
{
    const auto recording = read_recording(options.recording);
    if (!recording) {
        print_errors({recording.error()});
        return ExitStatus::BadInput;
    }
    return write_made(to_page(*recording), options.recording, options.output, ".html");
}

}  // namespace carom::app
