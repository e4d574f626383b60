#include <vector>

#include "flopcast/support/error.hpp"
#include "flopcast/tasks/ask/command.hpp"
#include "flopcast/tasks/contraction/contraction.hpp"

namespace flopcast {
namespace {

/// Calls `use`; its bad_input becomes an error that names the member.
template <class Use>
void at_member(const char* name, Use&& use) {
  try {
    static_cast<void>(use());
  } catch (const Error& error) {
    throw MemberError(name, error.what());
  }
}

/// Throws MemberError for a member that doesn't suit the others.
void check(const TensorsRequest& tensors) {
  at_member("sizes", [&] { return sized(tensors); });
  at_member("strides", [&] { return strides_of(tensors); });
}
void check(const AlgorithmsRequest& request) {
  at_member("expression", [&] { return contract::notation_of(request.expression); });
  check(static_cast<const TensorsRequest&>(request));
}
void check(const ContractionRequest& request) {
  if (request.operands.empty() && request.result.empty()) {
    check(static_cast<const TensorsRequest&>(request));
  } else if (request.operands.empty() || request.result.empty()) {
    throw MemberError(request.result.empty() ? "result" : "operands", "files need paths of the operands and of the result; name both");
  } else if (!request.sizes.empty() || !request.strides.empty()) {
    throw MemberError(request.sizes.empty() ? "strides" : "sizes", "files have their own; leave this member out");
  } else if (!request.execute) {
    throw MemberError("execute", "files are always computed; leave them out, and give sizes");
  }
}

}  // namespace

std::vector<Command> contraction_commands() {
  return {
      command<ContractionRequest>("contract", "Plan a contraction of any number of tensors, and execute it on random numbers or .npy files",
                                  "flopcast-contraction-1", DoneIn::own_process,
                                  [](const Workbench& bench, const ContractionRequest& request, const RunContext& context) {
                                    check(request);
                                    return run_contraction(bench, request, context);
                                  }),
      command<RankAlgorithmsRequest>("contract_rank", "Rank the BLAS-based algorithms of a contraction by predicted time",
                                     "flopcast-contract-1", DoneIn::own_process,
                                     [](const Workbench& bench, const RankAlgorithmsRequest& request, const RunContext& context) {
                                       check(request);
                                       return rank_algorithms(bench, request, context);
                                     }),
      command<LayoutsRequest>("contract_layouts", "Choose the storage orders of tensors that contractions share", "flopcast-layouts-1",
                              DoneIn::own_process,
                              [](const Workbench& bench, const LayoutsRequest& request, const RunContext& context) {
                                return choose_layouts(bench, request, context);
                              }),
      command<AlgorithmsRequest>("contract_list", "List the BLAS-based algorithms of a contraction", "flopcast-contract-1",
                                 DoneIn::any_process,
                                 [](const Workbench&, const AlgorithmsRequest& request, const RunContext&) {
                                   check(request);
                                   return list_algorithms(request);
                                 }),
  };
}

}  // namespace flopcast
