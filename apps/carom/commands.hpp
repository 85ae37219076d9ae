#pragma once

#include "terminal.hpp"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace carom::app {

struct NewOptions {
    std::string name;             ///< of the scene; .toml is added where it is missing
    std::string kind = "bounce";  ///< which of the templates
};

/// carom new: writes a commented scene that runs; never over a file that is there.
[[nodiscard]] ExitStatus run_new(const NewOptions& options);

struct ImportOptions {
    std::string file;       ///< URDF
    std::string output;     ///< scene; empty: standard output
    bool floating = false;  ///< the root link moves
    bool hold = false;      ///< motors hold all joints
};

/// carom import: a scene of a robot in URDF.
[[nodiscard]] ExitStatus run_import(const ImportOptions& options);

struct RunOptions {
    std::string scene;
    std::string output;                    ///< recording; empty: none
    std::vector<std::string> sets;         ///< path=value
    std::vector<std::string> times;        ///< numbers, of --at
    std::string save_problems;             ///< all, failed or worst:N; empty: none
    std::vector<std::string> sensitivity;  ///< what to differentiate by; empty: nothing
    std::optional<long> threads;           ///< empty: as many as the process may use
    bool of_steps = false;                 ///< the steps instead of the motion
    bool json = false;
    bool quiet = false;
    bool svg = true;
};

/// carom run: simulates a scene.
[[nodiscard]] ExitStatus run_scene(const RunOptions& options);

/// carom run --sensitivity: the motion with its derivatives.
[[nodiscard]] ExitStatus run_sensitivity(const RunOptions& options);

struct OrbitCommand {
    std::string scene;
    std::string output;             ///< recording, page, table or picture, by its ending; empty: none
    std::string guess;              ///< file that the search or the branch begins from; empty: the scene
    std::string curve;              ///< of a branch: a second parameter, parameters.NAME=LOW:HIGH
    bool equilibrium = false;       ///< of a branch: of equilibria instead of orbits
    int doublings = 0;              ///< of a branch: so often it is switched at period doublings
    bool past_grazing = false;      ///< of a branch: it is switched at grazing, too
    std::vector<std::string> sets;  ///< path=value
    std::string period, section;
    int returns = 1, settle = 0, segments = 1;
    std::vector<std::string> shifts, free, by;
    std::string over;  ///< of a branch: parameters.NAME=LOW:HIGH
    double max_step = 0.02;
    int max_points = 5000;
    bool json = false;
};

/// carom orbit: a motion that repeats.
[[nodiscard]] ExitStatus run_orbit(const OrbitCommand& command);

/// carom branch: such motions over a parameter.
[[nodiscard]] ExitStatus run_branch(const OrbitCommand& command);

struct ResumeOptions {
    std::string recording;
    std::vector<std::string> sets;  ///< duration_s=value: how long the run lasts now
    std::optional<long> threads;    ///< empty: as many as the process may use
    bool json = false;
    bool quiet = false;
    bool svg = true;
};

/// carom resume: goes on with a run that was killed or interrupted, or prolongs it.
[[nodiscard]] ExitStatus resume_run(const ResumeOptions& options);

struct StudyOptions {
    std::string scene;
    std::string output;                         ///< table, CSV or HDF5; empty: none
    std::vector<std::string> sets, varies;      ///< path=value, path=values
    std::vector<std::string> perturbs, exacts;  ///< name=number
    std::vector<std::string> times, merge;      ///< of --at; tables to put together
    std::optional<std::string> perturb_step;    ///< width, s; empty text: the default
    std::string strobe, section, shard;         ///< empty: none
    std::string basin;                          ///< picture or numbers of basins; empty: none
    std::string page;                           ///< with the runs of its points; empty: none
    long lyapunov = 0;                          ///< intervals of the mean; 0: no exponents
    long repeat = 1, skip = 0;
    std::uint64_t seed = 0;
    int levels = 5, impacts = 0, threads = 0;  ///< threads 0: one per core
    bool converge = false;
    bool json = false;
    bool quiet = false;
};

/// carom study: many runs of one scene, one table.
[[nodiscard]] ExitStatus run_study(const StudyOptions& options);

/// carom study --lyapunov: exponents of the scene's motion.
[[nodiscard]] ExitStatus run_lyapunov(const StudyOptions& options);

struct InspectOptions {
    std::string file;               ///< a scene, or a recording
    std::vector<std::string> sets;  ///< path=value, for scenes
    bool json = false;
};

/// carom inspect: what theory promises about a scene, or what was proved about a run.
[[nodiscard]] ExitStatus run_inspect(const InspectOptions& options);

struct ReportOptions {
    std::vector<std::string> files;  ///< a recording, others to compare it with, and measured data, .csv
    std::string output;              ///< empty: beside the recording; "-": standard output
    double max_size_MB = 0;          ///< of the data; 0: the default
};

/// carom report: one HTML page that shows a run, or several that are compared.
[[nodiscard]] ExitStatus run_report(const ReportOptions& options);

struct ViewOptions {
    std::string recording;
    int port = 0;  ///< 0: any free one
};

/// carom view: serves the page of a run on 127.0.0.1 and follows the run while it goes on.
[[nodiscard]] ExitStatus run_view(const ViewOptions& options);

struct ExportOptions {
    std::string recording;
    std::string format;  ///< csv, svg, vtk, gltf, png, gif, webm, mp4 or h5
    std::string output;  ///< empty: beside the recording; "-": standard output

    // of pictures and films
    std::optional<double> at_s = {};               ///< instant of a picture; empty: the end
    std::optional<double> from_s = {}, to_s = {};  ///< of a film; empty: all
    std::string size = "1280x720";                 ///< pixels
    std::string camera;  ///< a preset, or azimuth,elevation,zoom; empty: the page's own
    double speed = 1, frames_per_s = 30;
    bool dark = false;
};

/// carom export: a recording in another format.
[[nodiscard]] ExitStatus run_export(const ExportOptions& options);

struct FigureOptions {
    std::string scene;
    std::string name;            ///< of the figure; empty: all of the scene
    std::string output;          ///< empty: SCENE_NAME.svg in the working folder; "-": standard output
    std::string format = "svg";  ///< svg, pdf or png, if the output name does not say
    double dots_per_inch = 200;  ///< of png
    std::vector<std::string> sets;
};

/// carom figure: a figure of a scene as SVG, PDF or PNG.
[[nodiscard]] ExitStatus run_figure(const FigureOptions& options);

struct GalleryOptions {
    std::string scenes;  ///< folder with scenes that have figures; empty: scenes, or those installed
    std::string output = "gallery";  ///< folder for the page and its pictures
};

/// carom gallery: the figures of all scenes on one page, with their numbers.
[[nodiscard]] ExitStatus run_gallery(const GalleryOptions& options);

struct SolveOptions {
    std::vector<std::string> files;
    std::string solver = "auto";
    double tolerance = 1e-8;
    double time_limit_s = 0;  ///< 0: none
    int repeat = 1;
    std::string save;     ///< FCLIB file with the solution; empty: none
    std::string profile;  ///< .csv or .svg of a comparison; empty: none
    bool compare = false;
    bool json = false;
};

/// carom solve: frictional contact problems of FCLIB files.
[[nodiscard]] ExitStatus run_solve(const SolveOptions& options);

struct BenchOptions {
    std::string what = "onestep";
    std::vector<std::string> files;  ///< problems to be solved by `auto`
    int contacts = 100000;           ///< of the packing of spheres
    int repeat = 5;
    bool json = false;
};

/// carom bench onestep: speed of matrix-free sweeps on this machine, and of `auto` on problem files.
[[nodiscard]] ExitStatus run_bench(const BenchOptions& options);

}  // namespace carom::app
