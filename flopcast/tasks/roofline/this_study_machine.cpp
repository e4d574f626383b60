#include <fmt/format.h>

#include <filesystem>
#include <map>

#include "flopcast/machine/cpu/topology.hpp"
#include "flopcast/machine/detect_environment.hpp"
#include "flopcast/machine/libraries/installed_libraries.hpp"
#include "flopcast/model/artifacts.hpp"
#include "flopcast/model/store.hpp"
#include "flopcast/roofline/study_json.hpp"
#include "flopcast/support/digest.hpp"
#include "flopcast/support/stopwatch.hpp"
#include "flopcast/tasks/roofline/gemm_study.hpp"
#include "flopcast/workbench/kernel_choice.hpp"
#include "flopcast/workbench/workbench.hpp"

namespace flopcast {
namespace {

class ThisStudyMachine : public StudyMachine {
 public:
  ThisStudyMachine(const Workbench& bench, const RunContext& context) : bench_(bench), context_(context) {}

  Seconds now() override { return watch_.elapsed(); }

  roofline::GemmSetup setup(const GemmSearchStudyRequest& request, int threads) override {
    const machine::Topology all = machine::detect_topology();
    const machine::Topology topology = all.kinds.empty() ? all : machine::restricted_to(all, all.kinds.front().name);
    machine::LibraryChoice library = bench_.choice();
    library.blas = !request.blas.empty() ? request.blas : !library.blas.empty() ? library.blas : machine::default_blas(threads);
    roofline::GemmSetup setup;
    setup.library = library.blas;
    setup.threads = threads;
    setup.affinity = request.affinity;
    setup.cpus = machine::choose_cpus(topology.places, threads, request.affinity);
    setup.settings = choose_kernels(library, context_);
    setup.elements = request.space.elements();
    return setup;
  }

  std::string key(const roofline::GemmSetup& setup, const GemmSearchStudyRequest& request) override {
    const std::filesystem::path library = machine::locate(setup.library, machine::Role::blas);
    std::error_code unknown;
    std::string text = fmt::format("{} {} {} {} {} {} {} {} {}", machine::hardware_fingerprint(machine::detect_topology()),
                                   library.string(), std::filesystem::file_size(library, unknown),
                                   std::filesystem::last_write_time(library, unknown).time_since_epoch().count(), setup.threads,
                                   machine::to_string(request.affinity), request.options.seed, request.options.tolerance,
                                   request.options.error_probability);
    text += " judged by upper quartiles " + format_settings(setup.settings);
    for (const roofline::GemmShape& shape : request.space.shapes) {
      text += ' ' + to_string(shape);
    }
    if (request.options.order) {
      text += fmt::format(" {}", search::to_string(*request.options.order));
    }
    return hexadecimal_digest(text);
  }

  std::optional<roofline::StudyState> kept(const std::string& key, std::size_t count) override {
    const auto read = [count](const nlohmann::json& json) {
      auto state = json.get<roofline::StudyState>();
      roofline::require_within(state, count);
      return state;
    };
    return bench_.store().read_artifact(model::artifact::roofline_study, key, read);
  }

  void keep(const std::string& key, const roofline::StudyState& state) override {
    bench_.store().put_artifact(model::artifact::roofline_study, key, state);
  }

  search::Invocation invocation(const roofline::GemmSetup& setup, const roofline::GemmSpace& space) override {
    return roofline::gemm_invocation(setup, space);
  }

  /// One process lasts as long as the evaluator.
  search::Evaluator evaluator(const roofline::GemmSetup& setup, const roofline::GemmSpace& space) override {
    auto process = std::make_shared<roofline::GemmProcess>(setup);
    return [process, &space, threads = setup.threads](std::size_t i) {
      return time_once(*process, space.shapes[i], threads) / space.shapes[i].flops();
    };
  }

 private:
  const Workbench& bench_;
  RunContext context_;
  Stopwatch watch_;
};

}  // namespace

std::unique_ptr<StudyMachine> this_study_machine(const Workbench& bench, const RunContext& context) {
  return std::make_unique<ThisStudyMachine>(bench, context);
}

}  // namespace flopcast
