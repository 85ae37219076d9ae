#include "trace/save_recording.hpp"

#include "checkpoint_file.hpp"
#include "run_columns.hpp"
#include "run_file.hpp"
#include "run_head.hpp"

namespace carom {

using detail::Hdf5Session;
using detail::Hdf5Writer;

Expected<void> save_recording(const std::string& path, const Recording& recording, const Model& model,
                              const std::optional<BodiesToRecord>& bodies)
{
    const bool same_system =
        recording.q.cols() == model.coordinates() &&
        recording.contacts.size() == static_cast<std::size_t>(model.contacts()) &&
        recording.bodies.names.size() == (bodies ? bodies->model.setup().bodies.size() : 0);
    if (!same_system) {
        return Error{.code = ErrorCode::WrongSize,
                     .where = path,
                     .message = "the recording is not one of this model",
                     .hint = "give the model that was run",
                     .excerpt = {}};
    }
    const Hdf5Session session;
    detail::RunColumns columns(model, recording.settings, !recording.snapshots.asked_s.empty(),
                               /*friction=*/true, bodies);
    columns.take_from(recording);
    columns.columns().hand_over();
    detail::RunHead head = detail::head_of(recording);
    head.parts = 0;
    detail::RunFile file(path);
    auto created = file.create([&](Hdf5Writer& writer) -> Expected<void> {
        if (auto written = write_head(writer, head); !written) return written;
        if (auto made = columns.create_in(writer); !made) return made;
        if (auto added = columns.columns().append_to(writer); !added) return added;
        if (!recording.snapshots.asked_s.empty()) {
            if (auto put = writer.put("/snapshots/asked_s", recording.snapshots.asked_s); !put) return put;
        }
        if (auto saved = detail::write_checkpoint(writer, *recording.checkpoint); !saved) return saved;
        if (!recording.report) return {};
        return writer.add_text("/certificate", detail::to_json(*recording.report));
    });
    file.remove_spare();
    return created;
}

}  // namespace carom
