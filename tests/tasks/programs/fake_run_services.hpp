#pragma once

#include <filesystem>
#include <fstream>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <nlohmann/json.hpp>

#include "flopcast/program/saved_tuning_json.hpp"
#include "flopcast/tasks/programs/run_services.hpp"
#include "tests/own_folder.hpp"

namespace flopcast::tests {

/// A machine with four cores on which the loader's BLAS is /lib/blis/libblas.so.3. Nothing is started: `result` is what a program does.
struct FakeRunServices {
  /// Returns a tuning file for `blas` with `threads`, whose block size for dgeqrf is nb.
  static program::SavedTuning tuning(const std::string& blas, int threads, std::int64_t nb) {
    program::SavedTuning tuning;
    tuning.environment.cpu = "a CPU";
    tuning.environment.blas.path = blas;
    tuning.environment.threads = threads;
    tuning.set({"dgeqrf", "", {{200, 200, {nb, 2, 0}, {}, 0, false}}});
    return tuning;
  }
  void write(const program::SavedTuning& tuning) const { std::ofstream(file()) << program::to_json(tuning).dump(); }
  [[nodiscard]] std::string file() const { return (folder.path() / "tuning.json").string(); }

  RunServices services() {
    RunServices services;
    services.libraries = [this](const RunRequest&) { return chosen; };
    services.default_tuning = [this] { return file(); };
    services.system_tunings = [this] { return system; };
    services.system_misfit = [this] { return system_misfit; };
    services.programs_blas = [this](const std::vector<std::string>&) { return programs_blas; };
    services.digest = [this](const std::string& library) { return digests[library]; };
    services.variable = [this](const std::string& name) { return variables[name]; };
    services.cpu = [] { return std::string("a CPU"); };
    services.cores = [] { return 4; };
    services.loaders_blas = [] { return std::filesystem::path("/lib/blis/libblas.so.3"); };
    services.installed = [this] { return installed; };
    services.known_kernels = [this](const std::filesystem::path& but) {
      machine::KernelSettings settings = known;
      settings.erase(but.parent_path().filename().string());
      return settings;
    };
    services.better_kernels = [this](const std::string& blas) {
      tried.push_back(blas);
      return machine::KernelSettings{{"BEST_OF", blas}};
    };
    services.integer_bytes = [](const std::filesystem::path& library) {
      return std::optional(library.string().find("64") == std::string::npos ? 4 : 8);
    };
    services.thread_table = [this](const ThreadOrder& order) {
      orders.push_back(order);
      return thread_table;
    };
    services.preload = [] { return std::string("/libexec/libflopcast-tuned.so"); };
    services.keep_links = [this](const program::LibraryFiles& libraries, const std::filesystem::path& preload,
                                 const std::filesystem::path& links) {
      linked.push_back(links);
      const std::string path = libraries.blas.empty() ? "" : links.string();
      return RunServices::SearchPaths{path, path.empty() ? "" : path + ":/usr/lib/R/lib", preload};
    };
    services.run = [this](const program::ProgramOptions& program, const program::SavedTuning& tuning) {
      started.push_back(program);
      tunings.push_back(tuning);
      return result;
    };
    services.would_query = [this](const program::RoutineUse&, const std::filesystem::path&) { return would_query; };
    services.why_not_started = [](const std::string& command, int exit_code) {
      return exit_code == 127 ? command + " did not start" : std::string();
    };
    services.other_blas = [this](const program::ProgramOptions&, const std::filesystem::path&) { return other_blas; };
    return services;
  }

  tests::OwnFolder folder;
  program::LibraryFiles chosen;  ///< files for the request's libraries
  std::map<std::string, std::string> variables;
  std::vector<program::SavedTuning> system;    ///< the system's wisdom
  std::string system_misfit;                   ///< why nothing of it holds here
  std::filesystem::path programs_blas;         ///< the BLAS that the program is linked with; empty: not known
  std::map<std::string, std::string> digests;  ///< digests of the libraries' files
  std::vector<machine::InstalledLibrary> installed = {{"blis-serial", "/lib/blis-serial/libblis.so", true, false},
                                                      {"openblas-pthread", "/lib/openblas-pthread/libopenblas.so", true, true}};
  machine::KernelSettings known;  ///< kernels found before, by the folder of their library
  program::ProgramRun result;
  std::optional<bool> would_query;
  std::string other_blas;
  std::string thread_table = "1,2,4;0,0";

  std::vector<ThreadOrder> orders;
  std::vector<std::string> tried;
  std::vector<program::ProgramOptions> started;
  std::vector<program::SavedTuning> tunings;
  std::vector<std::filesystem::path> linked;  ///< folders with links
};

}  // namespace flopcast::tests
