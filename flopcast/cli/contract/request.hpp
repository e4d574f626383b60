#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "flopcast/cli/shared/command.hpp"
#include "flopcast/machine/libraries/library_choice.hpp"
#include "flopcast/tasks/contraction/contraction.hpp"

namespace flopcast::cli {

/// The options of `flopcast contract` as texts.
struct ContractOptions {
  std::string notation;
  std::vector<std::string> sizes;
  std::string precision = "d", order = "column";
  std::vector<std::string> strides;
  std::vector<std::string> kernels;
  bool list = false, all = false, validate = false, run = false, explain = false, fresh = false;
  std::string emit, algorithm;
  std::vector<std::string> inputs;
  std::string result;
  std::string tiles;
  std::string stage = "segments", effort = "estimate", time_budget = "2s", max_bytes;
  std::int64_t repetitions = RankAlgorithmsRequest().repetitions;
  std::int64_t prefetched_lines = RankAlgorithmsRequest().prefetched_lines;
  machine::LibraryChoice libraries;

  [[nodiscard]] bool takes_files() const { return !inputs.empty() || !result.empty(); }
  /// Returns whether an expression is to be planned, and not algorithms of a contraction to be ranked. Three operands and more are always
  /// planned.
  [[nodiscard]] bool plans(const contract::Expression& expression) const;
};

/// Throws usage_error for options that contradict each other, or would do nothing.
void check(const ContractOptions& options, const contract::Expression& expression, const OptionSet& command, const CommonOptions& common);

/// Convert the options to requests. Throw bad_input for a text that is none of its kind.
contract::Contraction requested_contraction(const ContractOptions& options, const contract::Expression& expression);
RankAlgorithmsRequest ranking_request(const ContractOptions& options);
ContractionRequest contraction_request(const ContractOptions& options, const contract::Expression& expression);

}  // namespace flopcast::cli
