#include <vector>

#include "flopcast/tasks/ask/command.hpp"
#include "flopcast/tasks/modelling/machine_report.hpp"
#include "flopcast/tasks/modelling/model_check.hpp"
#include "flopcast/tasks/modelling/modelling.hpp"

namespace flopcast {
namespace {

/// A stored model, whose document has nothing beside the model.
struct ShownModel {
  model::Model model;
};
std::string to_json(const ShownModel& shown) { return flopcast::to_json(shown.model); }

}  // namespace

std::vector<Command> modelling_commands() {
  return {
      command<MachineRequest>(
          "machine", "Report on this machine: cores, caches, clocks, noise, libraries", "flopcast-machine-2", DoneIn::own_process,
          [](const Workbench&, const MachineRequest& request, const RunContext& context) { return inspect_machine(request, context); }),
      command<ModelRequest>("model", "Sample a routine over ranges of its sizes and store the model", "flopcast-model-1",
                            DoneIn::own_process,
                            [](const Workbench& bench, const ModelRequest& request, const RunContext& context) {
                              return build_model(bench, request, context);
                            }),
      command<ModelRequest>("model_plan", "Say how many points a model would begin with", "flopcast-model-plan-1", DoneIn::own_process,
                            [](const Workbench& bench, const ModelRequest& request, const RunContext& context) {
                              return plan_model(bench, request, context);
                            }),
      command<ModelListRequest>("model_list", "List the stored models", "flopcast-models-2", DoneIn::any_process,
                                [](const Workbench& bench, const ModelListRequest& request, const RunContext&) {
                                  return list_models(bench, request.other_machines);
                                }),
      command<ModelNameRequest>("model_show", "Return a stored model", "flopcast-model-1", DoneIn::any_process,
                                [](const Workbench& bench, const ModelNameRequest& request, const RunContext&) {
                                  return ShownModel{find_model(bench, request.name, request.other_machines)};
                                }),
      command<ModelCheckRequest>("model_check", "Measure samples of models again, and replace those that no longer hold",
                                 "flopcast-model-check-2", DoneIn::own_process,
                                 [](const Workbench& bench, const ModelCheckRequest& request, const RunContext& context) {
                                   return check_models(bench, request, context);
                                 }),
      command<SampleRequest>(
          "sample", "Time calls of BLAS and LAPACK routines in stated cache states", "flopcast-samples-3", DoneIn::own_process,
          [](const Workbench& bench, const SampleRequest& request, const RunContext& context) { return sample(bench, request, context); }),
  };
}

}  // namespace flopcast
