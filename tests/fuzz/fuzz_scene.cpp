// Any bytes as a scene: a scene or errors, never a crash; a scene that is read can make a few steps, of
// bodies or of coordinates, and what it then says about its state are numbers.
//
// Bytes alone rarely make another scene: the mutator below knows lines, keys and values, and gives keys
// values of other types.

#include "carom/scene/scene.hpp"
#include "scene/scene_bodies.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <random>
#include <string>
#include <vector>

using namespace carom;

namespace {

/// A million copies are allowed, and take their time: not what this looks for.
bool asks_for_many(std::string_view text)
{
    int digits = 0;
    const auto copies = text.find("copies");
    for (std::size_t i = copies; i < text.size(); ++i) {
        digits = text[i] >= '0' && text[i] <= '9' ? digits + 1 : 0;
        if (digits >= 3 || text[i] == 'e') return true;
        if (text[i] == '\n' && text.find("copies", i) == std::string_view::npos) break;
    }
    return false;
}

void run_bodies(const Scene& scene)
{
    constexpr int max_bodies = 60;
    if (scene.model.bodies()->bodies() > max_bodies) return;
    State state = scene.start;
    const RunReport report = simulate(scene.model, scene.integrator, scene.solver, scene.plan, state,
                                      [](const StepView& view) { return view.step < 5; });
    // a run that lost its numbers says so, and keeps the last state that had some
    for (std::size_t i = 0; i < state.x.size(); ++i) {
        if (!state.x[i].allFinite() || !state.v[i].allFinite() || !state.W[i].allFinite() ||
            !state.R[i].coeffs().allFinite())
            __builtin_trap();
    }
    if (report.status == RunStatus::Certified && !std::isfinite(report.certificate.max_residual))
        __builtin_trap();
}

/// A scene as its lines; every line is a header, `key = value`, or something else.
class SceneLines {
public:
    SceneLines(std::string_view text, unsigned seed) : random_(seed)
    {
        while (!text.empty()) {
            const auto end = std::min(text.find('\n'), text.size());
            lines_.emplace_back(text.substr(0, end));
            text.remove_prefix(std::min(end + 1, text.size()));
        }
    }

    void mutate()
    {
        if (lines_.empty()) lines_.emplace_back("duration_s = 1");
        switch (below(10)) {
        case 0: lines_.erase(lines_.begin() + below(lines_.size())); break;
        case 1: lines_.insert(lines_.begin() + below(lines_.size()), lines_[below(lines_.size())]); break;
        case 2: std::swap(lines_[below(lines_.size())], lines_[below(lines_.size())]); break;
        case 3: exchange_values(); break;
        case 4: take_key_of_another(); break;
        case 5: wrap(); break;
        default: put_value(values[below(values.size())]); break;
        }
    }

    [[nodiscard]] std::string text() const
    {
        std::string text;
        for (const std::string& line : lines_)
            text += line + "\n";
        return text;
    }

private:
    static constexpr std::array<std::string_view, 44> values{"0",
                                                             "1",
                                                             "-1",
                                                             "2",
                                                             "7",
                                                             "0.5",
                                                             "1e-3",
                                                             "1e308",
                                                             "-1e308",
                                                             "1e-308",
                                                             "1e9",
                                                             "nan",
                                                             "inf",
                                                             "-inf",
                                                             "9007199254740993",
                                                             "true",
                                                             "false",
                                                             "\"\"",
                                                             "\"a\"",
                                                             "\"x\"",
                                                             "\"t\"",
                                                             "\"1/0\"",
                                                             "\"x + 1\"",
                                                             "\"sqrt(-1)\"",
                                                             "\"rest\"",
                                                             "\"series\"",
                                                             "\"box\"",
                                                             "\"lzb\"",
                                                             "\"listed\"",
                                                             "[]",
                                                             "[1]",
                                                             "[1, 2]",
                                                             "[1, 2, 3]",
                                                             "[0, 0, 0]",
                                                             "[[1, 2], [3, 4]]",
                                                             "[[]]",
                                                             "[\"x\", \"y\"]",
                                                             "[1, \"a\"]",
                                                             "[{}]",
                                                             "{}",
                                                             "{ kind = \"coulomb\" }",
                                                             "{ x = 1 }",
                                                             "{ kind = 7 }",
                                                             "1979-05-27"};

    std::size_t below(std::size_t n) { return random_() % std::max<std::size_t>(1, n); }

    /// The places of lines that have a value.
    std::vector<std::size_t> with_values() const
    {
        std::vector<std::size_t> places;
        for (std::size_t i = 0; i < lines_.size(); ++i) {
            if (lines_[i].find('=') != std::string::npos && !lines_[i].starts_with('#')) places.push_back(i);
        }
        return places;
    }
    static std::string key_of(const std::string& line) { return line.substr(0, line.find('=')); }
    static std::string value_of(const std::string& line) { return line.substr(line.find('=') + 1); }

    void put_value(std::string_view value)
    {
        const auto places = with_values();
        if (places.empty()) return;
        std::string& line = lines_[places[below(places.size())]];
        // inside of an inline table or list as well
        const auto inner = line.find_last_of("=,[");
        const auto end = line.find_first_of(",]}", inner + 1);
        if (below(3) == 0 && inner > line.find('=') && end != std::string::npos)
            line = line.substr(0, inner + 1) + " " + std::string(value) + line.substr(end);
        else
            line = key_of(line) + "= " + std::string(value);
    }

    void exchange_values()
    {
        const auto places = with_values();
        if (places.empty()) return;
        std::string &a = lines_[places[below(places.size())]], &b = lines_[places[below(places.size())]];
        const std::string of_a = value_of(a);
        a = key_of(a) + "=" + value_of(b);
        b = key_of(b) + "=" + of_a;
    }

    void take_key_of_another()
    {
        const auto places = with_values();
        if (places.empty()) return;
        std::string& line = lines_[places[below(places.size())]];
        line = key_of(lines_[places[below(places.size())]]) + "=" + value_of(line);
    }

    /// A value becomes a list or table of itself, a header one of a list.
    void wrap()
    {
        std::string& line = lines_[below(lines_.size())];
        if (line.starts_with("[[") && line.ends_with("]]"))
            line = line.substr(1, line.size() - 2);
        else if (line.starts_with('[') && line.ends_with(']'))
            line = "[" + line + "]";
        else if (line.find('=') != std::string::npos)
            line = key_of(line) +
                   (below(2) == 0 ? "= [" + value_of(line) + "]" : "= { a = " + value_of(line) + " }");
    }

    std::mt19937 random_;
    std::vector<std::string> lines_;
};

}  // namespace

extern "C" std::size_t LLVMFuzzerMutate(std::uint8_t* data, std::size_t size, std::size_t max_size);

extern "C" std::size_t LLVMFuzzerCustomMutator(std::uint8_t* data, std::size_t size, std::size_t max_size,
                                               unsigned seed)
{
    if (seed % 4 == 0) return LLVMFuzzerMutate(data, size, max_size);
    SceneLines scene({reinterpret_cast<const char*>(data), size}, seed);
    for (unsigned k = 0; k <= seed / 4 % 3; ++k)
        scene.mutate();
    const std::string text = scene.text().substr(0, max_size);
    std::memcpy(data, text.data(), text.size());
    return text.size();
}

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size)
{
    const std::string_view text(reinterpret_cast<const char*>(data), size);
    if (asks_for_many(text)) return 0;
    const auto scene = read_scene_text(text, "fuzz.toml");
    if (!scene) {
        for (const Error& error : scene.error()) {
            if (error.message.empty()) __builtin_trap();
        }
        if (scene.error().empty()) __builtin_trap();
        return 0;
    }
    if (scene->sweeping) return 0;
    if (scene->bodies) {
        run_bodies(*scene);
        return 0;
    }
    State state = scene->start;
    (void)simulate(scene->model, scene->integrator, scene->solver, scene->plan, state,
                   [](const StepView& view) { return view.step < 5; });
    return 0;
}
