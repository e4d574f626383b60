#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "flopcast/support/run_context.hpp"
#include "flopcast/support/units.hpp"
#include "flopcast/tasks/mpi/mpi.hpp"

namespace flopcast {

/// A process grid with a number of threads of each process.
struct AdvisedGrid {
  int rows = 1, columns = 1, threads = 1;
  friend bool operator==(const AdvisedGrid&, const AdvisedGrid&) = default;
  [[nodiscard]] int processes() const { return rows * columns; }
};

/// Returns grids of `ranks` processes, of halves of this number, and of the largest number whose processes form nearly a square. Those that
/// use most cores and are nearest to a square come first. Processes have several threads where all threads fit on the `cores` of this
/// machine. Each process has a row and a column of an n x n matrix at least.
[[nodiscard]] std::vector<AdvisedGrid> grids_for(std::int64_t n, int ranks, int cores);
/// Returns block sizes with which each process of `grid` has a block of an n x n matrix.
[[nodiscard]] std::vector<std::string> block_sizes_for(std::int64_t n, const AdvisedGrid& grid);

/// Configurations of an unfinished search, whose settings are those of the advice. The verdicts mean nothing.
struct KeptAdvice {
  MpiTuning predicted, executed;  ///< `executed` has one for each execution in full
};

/// Everything outside of a request that decides about advice.
struct AdviceServices {
  int cores = 1;            ///< those that this process may use
  double memory_bytes = 0;  ///< memory of this machine
  std::string driver;       ///< the program that calls ScaLAPACK
  bool is_root = false;     ///< true for root, unless the environment allows Open MPI's mpirun to run as root
  std::function<Seconds()> clock;
  std::function<bool(const std::string& libraries)> loads;  ///< returns true if the driver can load one of these libraries, between commas
  /// Predicts the configurations of a space, as tune_mpi() does.
  std::function<MpiTuning(const MpiTuneRequest& request, const RunContext& context)> tune;
  KeptAdvice known = {};  ///< configurations that aren't predicted and executed again
  /// Keeps all configurations so far; null once the search is complete.
  std::function<void(const KeptAdvice*)> keep = [](const KeptAdvice*) {};
};

/// Finds the best configuration. Throws as the other advise_mpi().
[[nodiscard]] MpiTuning advise_mpi(const MpiAdviseRequest& request, const AdviceServices& services, const RunContext& context);

}  // namespace flopcast
