#include <vector>

#include "flopcast/tasks/ask/command.hpp"
#include "flopcast/tasks/tuning/tuning.hpp"

namespace flopcast {

std::vector<Command> tuning_commands() {
  return {
      command<TuneRequest>(
          "tune", "Choose the block size of a LAPACK routine without running it", "flopcast-tune-3", DoneIn::own_process,
          [](const Workbench& bench, const TuneRequest& request, const RunContext& context) { return tune(bench, request, context); }),
      command<LapackRequest>("tune_lapack", "Choose the block sizes of all of LAPACK, the most used routines first",
                             "flopcast-tune-lapack-3", DoneIn::own_process,
                             [](const Workbench& bench, const LapackRequest& request, const RunContext& context) {
                               return tune_lapack(bench, request, context);
                             }),
      command<RankRequest>(
          "rank", "Rank the variants of an algorithm, each at its own best block size, without running them", "flopcast-rank-3",
          DoneIn::own_process,
          [](const Workbench& bench, const RankRequest& request, const RunContext& context) { return rank(bench, request, context); }),
      command<RankRequest>("tune_jointly", "Choose variant, block size, threads and library together", "flopcast-rank-3",
                           DoneIn::own_process,
                           [](const Workbench& bench, const RankRequest& request, const RunContext& context) {
                             return tune_jointly(bench, request, context);
                           }),
  };
}

}  // namespace flopcast
