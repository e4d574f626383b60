#include "flopcast/algorithm/registry.hpp"

#include <algorithm>
#include <string>

#include "flopcast/algorithm/geqrf.hpp"
#include "flopcast/algorithm/potrf.hpp"
#include "flopcast/core/error.hpp"

namespace flopcast::algorithm {
namespace {

bool is_operand(const Argument& argument) {
  return argument.kind == Kind::data || argument.kind == Kind::work || argument.kind == Kind::pivots;
}

/// A work size of 0 becomes n*nb, LAPACK's optimum for the algorithms here.
void size_workspace(Call& call, const BlockParameters& blocks) {
  for (std::size_t i = 0; i < call.routine->arguments.size(); ++i) {
    if (call.routine->arguments[i].kind == Kind::work_size && call.arguments[i] <= 0) {
      const bool empty = std::min(value(call, "m"), value(call, "n")) == 0;
      call.arguments[i] = empty ? 1 : value(call, "n") * std::max<std::int64_t>(1, blocks.nb);
    }
  }
}

}  // namespace

const std::vector<Algorithm>& algorithms() {
  static const std::vector<Algorithm> table = {{"geqrf", geqrf}, {"potrf", potrf}};
  return table;
}

const Algorithm& require(const Routine& routine) {
  std::vector<std::string_view> families;
  for (const Algorithm& algorithm : algorithms()) {
    if (algorithm.family == routine.family) {
      return algorithm;
    }
    families.push_back(algorithm.family);
  }
  throw bad_input("there is no algorithm for {}, only for {}; record it from LAPACK instead", routine.name, fmt::join(families, ", "));
}

Trace record(const Call& call, const BlockParameters& blocks) {
  const Algorithm& algorithm = require(*call.routine);
  Call placed = call;
  size_workspace(placed, blocks);
  Trace trace;
  trace.configuration = configuration(placed, blocks);
  trace.allocations = operand_allocations(placed);
  std::size_t next = 0;
  for (std::size_t i = 0; i < call.routine->arguments.size(); ++i) {
    if (is_operand(call.routine->arguments[i])) {
      trace.allocations[next].address = virtual_base(next);
      placed.arguments[i] = static_cast<std::int64_t>(virtual_base(next++));
    }
  }
  const Script script(call.routine->precision, [&trace](const Call& kernel) {
    trace.calls.push_back(kernel);
    return 0;
  });
  algorithm.run(placed, blocks, script);
  make_virtual(trace);
  return trace;
}

std::int32_t execute(const Call& call, const BlockParameters& blocks, const FunctionLookup& lookup) {
  return require(*call.routine).run(call, blocks, Script(call.routine->precision, executor(lookup)));
}

Configuration configuration(const Call& call, const BlockParameters& blocks) {
  Configuration configuration;
  configuration.algorithm = call.routine->name;
  if (const std::string letters = flags(call); !letters.empty()) {
    configuration.algorithm += ":" + letters;
  }
  for (std::size_t i = 0; i < call.routine->arguments.size(); ++i) {
    const Argument& argument = call.routine->arguments[i];
    if (argument.kind == Kind::size || argument.kind == Kind::leading_dimension || argument.kind == Kind::increment ||
        argument.kind == Kind::work_size) {
      configuration.parameters[argument.name] = call.arguments[i];
    }
  }
  configuration.parameters["nb"] = blocks.nb;
  configuration.parameters["nbmin"] = blocks.nbmin;
  configuration.parameters["nx"] = blocks.nx;
  return configuration;
}

std::vector<Allocation> operand_allocations(const Call& call) {
  std::vector<Allocation> all;
  for (std::size_t i = 0; i < call.routine->arguments.size(); ++i) {
    if (is_operand(call.routine->arguments[i])) {
      all.push_back({call.routine->arguments[i].name, 0, span_elements(call, i) * argument_element_bytes(*call.routine, i)});
    }
  }
  return all;
}

}  // namespace flopcast::algorithm
