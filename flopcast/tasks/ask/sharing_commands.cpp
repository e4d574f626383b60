#include <string>
#include <vector>

#include "flopcast/support/error.hpp"
#include "flopcast/tasks/ask/command.hpp"
#include "flopcast/tasks/comparison/comparison.hpp"
#include "flopcast/tasks/programs/programs.hpp"
#include "flopcast/tasks/programs/wisdom.hpp"

namespace flopcast {
namespace {

/// A document that is text already.
struct WholeDocument {
  std::string text;
};
std::string to_json(const WholeDocument& document) { return document.text; }

}  // namespace

std::vector<Command> sharing_commands() {
  return {
      command<EnvironmentRequest>("environment", "Return the variables that a program is run with", "flopcast-environment-1",
                                  DoneIn::own_process,
                                  [](const Workbench&, const EnvironmentRequest& request, const RunContext& context) {
                                    return program_environment(request, context);
                                  }),
      command<ListWisdomRequest>(
          "wisdom_list", "List the user's wisdom and the system's, or that of a file", "flopcast-wisdom-list-1", DoneIn::any_process,
          [](const Workbench&, const ListWisdomRequest& request, const RunContext& context) { return list_wisdom(request, context); }),
      command<ListWisdomRequest>(
          "wisdom_check", "Compare the user's wisdom and the system's, or that of a file, with this machine", "flopcast-wisdom-check-1",
          DoneIn::any_process,
          [](const Workbench&, const ListWisdomRequest& request, const RunContext& context) { return check_wisdom(request, context); }),
      command<PruneRequest>(
          "wisdom_prune", "Remove entries of the user's wisdom that don't hold on this machine any more", "flopcast-wisdom-check-1",
          DoneIn::any_process,
          [](const Workbench&, const PruneRequest& request, const RunContext& context) { return prune_wisdom(request, context); }),
      command<ExportWisdomRequest>("wisdom_export", "Return the user's wisdom", "flopcast-wisdom-1", DoneIn::any_process,
                                   [](const Workbench&, const ExportWisdomRequest& request, const RunContext& context) {
                                     return WholeDocument{export_wisdom(request, context)};
                                   }),
      command<WisdomRequest>(
          "wisdom_import", "Add a file's wisdom, as far as it holds on this machine, to the user's", "flopcast-wisdom-import-1",
          DoneIn::any_process,
          [](const Workbench&, const WisdomRequest& request, const RunContext& context) { return import_wisdom(request, context); }),
      command<OwnWisdomRequest>("wisdom_import_system",
                                "Add the system's wisdom, as far as it holds on this machine and the user has none, to the user's",
                                "flopcast-wisdom-import-1", DoneIn::any_process,
                                [](const Workbench&, const OwnWisdomRequest& request, const RunContext& context) {
                                  return import_system_wisdom(request, context);
                                }),
      command<MergeRequest>("wisdom_merge", "Return the wisdom of several files as one", "flopcast-wisdom-1", DoneIn::any_process,
                            [](const Workbench&, const MergeRequest& request, const RunContext& context) {
                              return WholeDocument{merge_wisdom(request.files, context)};
                            }),
      command<ForgetRequest>(
          "wisdom_forget", "Remove entries from the user's wisdom", "flopcast-wisdom-list-1", DoneIn::any_process,
          [](const Workbench&, const ForgetRequest& request, const RunContext& context) { return forget_wisdom(request, context); }),
      command<IlaenvRequest>(
          "export_ilaenv", "Return a source of LAPACK's ilaenv with tuned block sizes", "flopcast-ilaenv-1", DoneIn::any_process,
          [](const Workbench&, const IlaenvRequest& request, const RunContext& context) { return export_ilaenv(request, context); }),
      command<CompareRequest>("compare", "Compare two results of one kind", "flopcast-comparison-1", DoneIn::any_process,
                              [](const Workbench&, const CompareRequest& request, const RunContext&) { return compare_results(request); }),
      command<SaveBaselineRequest>(
          "save_baseline", "Keep a result under a name, to compare later ones with it", "flopcast-baseline-1", DoneIn::any_process,
          [](const Workbench&, const SaveBaselineRequest& request, const RunContext&) { return save_baseline(request); }),
  };
}

}  // namespace flopcast
