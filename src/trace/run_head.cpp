#include "run_head.hpp"

#include "carom/core/version.hpp"
#include "sha256.hpp"

namespace carom::detail {
namespace {

/// What the files of one recording have in common.
std::string mark_of(const RunHead& head)
{
    return sha256_base64(head.title + '\n' + head.scene);
}

}  // namespace

Expected<void> write_head(Hdf5Writer& file, const RunHead& head)
{
    const std::pair<const char*, std::string_view> texts[] = {
        {"format", run_format}, {"carom_version", version}, {"title", head.title}};
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
    if (head.checkpoint_steps > 0) {
        auto set = file.set_attribute("/", "checkpoint_steps", std::int64_t{head.checkpoint_steps});
        if (!set) return set;
    }
    if (head.parts > 0) {
        if (auto set = file.set_attribute("/", "files", std::int64_t{head.parts}); !set) return set;
        if (auto set = file.set_attribute("/", "run", mark_of(head)); !set) return set;
    }
    if (auto added = file.add_text("/scene", head.scene); !added) return added;
    return file.add_group("/checkpoint");
}

Expected<void> write_part_head(Hdf5Writer& file, const RunHead& head, int part)
{
    for (const auto& [name, value] : {std::pair<const char*, std::string>{"format", part_format},
                                      {"carom_version", std::string(version)},
                                      {"run", mark_of(head)}}) {
        if (auto set = file.set_attribute("/", name, value); !set) return set;
    }
    if (auto set = file.set_attribute("/", "files", std::int64_t{head.parts}); !set) return set;
    return file.set_attribute("/", "part", std::int64_t{part});
}

}  // namespace carom::detail
