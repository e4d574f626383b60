#include "flopcast/algorithm/registry.hpp"

#include <set>
#include <string>

#include "flopcast/algorithm/variants.hpp"
#include "flopcast/support/error.hpp"

namespace flopcast::algorithm {
namespace {

void check_family(const Call& call, const Algorithm& algorithm) {
  if (algorithm.family != call.routine->family) {
    throw bad_input("algorithm {} {} does not do the work of {}", algorithm.family, algorithm.variant, call.routine->name);
  }
}

/// Returns the variants as a list: "1, 2 (default), 3".
std::string list(const std::vector<const Algorithm*>& all) {
  std::vector<std::string> names;
  for (const Algorithm* algorithm : all) {
    names.push_back(algorithm->variant + (algorithm->is_default ? " (default)" : ""));
  }
  return fmt::format("{}", fmt::join(names, ", "));
}

}  // namespace

const std::vector<Algorithm>& algorithms() {
  static const std::vector<Algorithm> table = [] {
    std::vector<Algorithm> all;
    for (const std::vector<Algorithm>& family :
         {geqrf_algorithms(), potrf_algorithms(), trtri_algorithms(), lauum_algorithms(), getrf_algorithms(), sygst_algorithms("sygst"),
          sygst_algorithms("hegst"), trsyl_algorithms(), composed_algorithms()}) {
      all.insert(all.end(), family.begin(), family.end());
    }
    return all;
  }();
  return table;
}

std::vector<const Algorithm*> variants(const Routine& routine) {
  std::vector<const Algorithm*> all;
  for (const Algorithm& algorithm : algorithms()) {
    if (algorithm.family == routine.family) {
      all.push_back(&algorithm);
    }
  }
  return all;
}

const Algorithm& require(const Routine& routine, std::string_view variant) {
  const std::vector<const Algorithm*> all = variants(routine);
  for (const Algorithm* algorithm : all) {
    if (variant.empty() ? algorithm->is_default : algorithm->variant == variant) {
      return *algorithm;
    }
  }
  if (!all.empty()) {
    throw bad_input("{} has no variant '{}', only {}", routine.name, variant, list(all));
  }
  std::set<std::string_view> families;
  for (const Algorithm& algorithm : algorithms()) {
    families.insert(algorithm.family);
  }
  throw bad_input("there is no algorithm for {}, only for {}; record it from LAPACK instead", routine.name, fmt::join(families, ", "));
}

Trace record(const Call& call, const BlockParameters& blocks, const Algorithm& algorithm) {
  check_family(call, algorithm);
  Call placed = with_workspace(call, blocks, algorithm);
  Trace trace;
  trace.configuration = configuration(placed, blocks, algorithm.is_default ? std::string_view() : algorithm.variant);
  trace.allocations = place_operands(placed);
  algorithm.run(placed, blocks, Script::recording(call.routine->precision, trace));
  make_virtual(trace);
  return trace;
}

Trace record(const Call& call, const BlockParameters& blocks, std::string_view variant) {
  return record(call, blocks, require(*call.routine, variant));
}

std::int32_t execute(const Call& call, const BlockParameters& blocks, const FunctionLookup& lookup, const Algorithm& algorithm) {
  check_family(call, algorithm);
  return algorithm.run(call, blocks, Script::executing(call.routine->precision, lookup));
}

std::int32_t execute(const Call& call, const BlockParameters& blocks, const std::shared_ptr<Runtime>& runtime, const Algorithm& algorithm) {
  check_family(call, algorithm);
  return algorithm.run(call, blocks, Script::executing(call.routine->precision, runtime));
}

std::int32_t execute(const Call& call, const BlockParameters& blocks, const FunctionLookup& lookup, std::string_view variant) {
  return execute(call, blocks, lookup, require(*call.routine, variant));
}

Call with_workspace(const Call& call) { return with_workspace(call, {}, {}); }

Call with_workspace(const Call& call, const BlockParameters& blocks, const Algorithm& algorithm) {
  Call sized = call;
  for (std::size_t i = 0; i < call.routine->arguments.size(); ++i) {
    if (call.routine->arguments[i].kind == Kind::work_size && call.arguments[i] <= 0) {
      sized.arguments[i] =
          algorithm.workspace ? algorithm.workspace(sized, blocks) : call.routine->arguments[i].rows.integer(sized.values());
    }
  }
  return sized;
}

Configuration configuration(const Call& call, const BlockParameters& blocks, std::string_view variant) {
  Configuration configuration;
  configuration.algorithm = call.routine->name;
  if (!variant.empty()) {
    configuration.algorithm += fmt::format("/{}", variant);
  }
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

std::vector<Allocation> place_operands(Call& call) {
  std::vector<Allocation> all;
  for (std::size_t i = 0; i < call.routine->arguments.size(); ++i) {
    if (is_operand(call.routine->arguments[i])) {
      const std::uintptr_t base = virtual_base(all.size());
      all.push_back({call.routine->arguments[i].name, base, span_elements(call, i) * argument_element_bytes(call, i)});
      call.arguments[i] = static_cast<std::int64_t>(base);
    }
  }
  return all;
}

}  // namespace flopcast::algorithm
