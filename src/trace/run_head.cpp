#include "run_head.hpp"

#include "carom/core/version.hpp"

namespace carom::detail {

Expected<void> write_head(Hdf5Writer& file, const RunHead& head)
{
    const std::pair<const char*, std::string_view> texts[] = {
        {"format", "carom-run"}, {"carom_version", version}, {"title", head.title}};
    for (const auto& [name, value] : texts) {
        if (auto set = file.set_attribute("/", name, value); !set) return set;
    }
    const std::pair<const char*, double> numbers[] = {{"start_s", head.start_s},
                                                      {"duration_s", head.duration_s},
                                                      {"time_step_s", head.time_step_s},
                                                      {"every_s", head.every_s}};
    for (const auto& [name, number] : numbers) {
        if (auto set = file.set_attribute("/", name, number); !set) return set;
    }
    if (auto set = file.set_attribute("/", "precision", head.single ? "single" : "double"); !set) return set;
    if (auto set = file.set_attribute("/", "format_version", std::int64_t{1}); !set) return set;
    if (auto added = file.add_text("/scene", head.scene); !added) return added;
    return file.add_group("/checkpoint");
}

}  // namespace carom::detail
