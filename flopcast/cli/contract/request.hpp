#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "flopcast/cli/shared/command.hpp"
#include "flopcast/machine/libraries/library_choice.hpp"
#include "flopcast/tasks/contraction/contraction.hpp"
#include "flopcast/tasks/contraction/einsum.hpp"

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
  std::string stage = "segments", effort = "measure", time_budget = "2s", max_bytes;
  std::int64_t repetitions = RankAlgorithmsRequest().repetitions;
  std::int64_t prefetched_lines = RankAlgorithmsRequest().prefetched_lines;
  machine::LibraryChoice libraries;

  [[nodiscard]] bool takes_files() const { return !inputs.empty() || !result.empty(); }
  /// Returns whether the expression is a contraction of two tensors as contract::parse_notation() reads them.
  [[nodiscard]] bool is_contraction() const;
  /// Returns whether the expression has three operands or more.
  [[nodiscard]] bool has_many_operands() const;
  /// Returns whether a plan is to be described that isn't executed. Three operands and more have no other description.
  [[nodiscard]] bool explains() const { return explain || (has_many_operands() && !run && !takes_files()); }
};

/// Throws usage_error for options that contradict each other, or would do nothing.
void check(const ContractOptions& options, const OptionSet& command, const CommonOptions& common);

/// Convert the options to requests. Throw bad_input for a text that is none of its kind.
contract::Contraction requested_contraction(const ContractOptions& options);
RankAlgorithmsRequest ranking_request(const ContractOptions& options);
PlanRequest plan_request(const ContractOptions& options);
ContractFilesRequest files_request(const ContractOptions& options);
EinsumFilesRequest einsum_files_request(const ContractOptions& options);

/// An expression that is to be planned, or executed on random numbers.
struct RequestedExpression {
  contract::SizedExpression expression;
  contract::EinsumStrides strides;
  PlanRequest plan;
};
RequestedExpression requested_expression(const ContractOptions& options);

}  // namespace flopcast::cli
