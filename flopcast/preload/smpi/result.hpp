#pragma once

#include <string>
#include <vector>

#include "flopcast/selective/kernel_table.hpp"

namespace flopcast::preload::smpi {

class Process;
struct CallList;

/// Facts about a simulation at its end, apart from the kernels.
struct ResultFacts {
  std::vector<const Process*> processes;  ///< index: rank
  const CallList* first_calls = nullptr;  ///< calls of kernels that may be in no process's trace
  std::vector<bool> known;                ///< index: kernel
  bool traces = false;
};

/// Writes the result as a whole or not at all, with the kernels along the critical path. Errors are reported on standard error.
void write_result_file(const std::string& file, const ResultFacts& facts, selective::KernelTable& kernels) noexcept;

}  // namespace flopcast::preload::smpi
