#include "commands.hpp"

#include "carom/scene/scene.hpp"
#include "core/write_file.hpp"
#include "input.hpp"
#include "report/text.hpp"

namespace carom::app {

ExitStatus run_import(const ImportOptions& options)
{
    const auto text = import_urdf(options.file, {.floating = options.floating, .hold = options.hold});
    if (!text) return refuse(text.error());

    if (options.output.empty()) return print_result(*text) ? ExitStatus::Certified : ExitStatus::BadInput;
    if (auto written = write_new_file(options.output, *text); !written) return refuse({written.error()});
    return ExitStatus::Certified;
}

}  // namespace carom::app
