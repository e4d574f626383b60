#include "flopcast/tune/sampling.hpp"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <set>
#include <span>
#include <string>
#include <utility>

#include "flopcast/cache/placement.hpp"
#include "flopcast/kernel/parse_call.hpp"
#include "flopcast/measure/placed_call.hpp"

namespace flopcast::tuning {
namespace {

std::int64_t largest_size(const Call& call) {
  const auto all = sizes(call);
  return all.empty() ? 0 : *std::max_element(all.begin(), all.end());
}

}  // namespace

Subject subject_of(const Call& call, const Environment& environment, bool repeated) {
  const Call placed = measure::with_addresses(call);
  Subject subject;
  subject.trace.calls.assign(repeated ? 2 : 1, placed);
  subject.trace.allocations = measure::memory_of(std::span(&placed, 1), {});
  subject.placements = cache::cache_state(subject.trace, environment.caches, cache::Start::filled).placements;
  subject.trace.calls.resize(1);
  subject.placements.erase(subject.placements.begin(), subject.placements.end() - 1);
  return subject;
}

Call smaller_call(const Call& call, double factor) {
  Call smaller = call;
  const std::vector<Argument>& arguments = call.routine->arguments;
  for (std::size_t i = 0; i < arguments.size(); ++i) {
    if (arguments[i].kind == Kind::size && call.arguments[i] > 1) {
      smaller.arguments[i] = std::max<std::int64_t>(1, std::llround(static_cast<double>(call.arguments[i]) * factor));
    } else if (is_operand(arguments[i]) || arguments[i].kind == Kind::info) {
      smaller.arguments[i] = 0;
    }
  }
  for (std::size_t i = 1; i < arguments.size(); ++i) {
    if (arguments[i].kind == Kind::leading_dimension) {
      smaller.arguments[i] = kernel::min_leading_dimension(smaller, i - 1);
    } else if (arguments[i].kind == Kind::work_size) {
      smaller.arguments[i] = arguments[i].rows.integer(smaller.values());
    }
  }
  return smaller;
}

std::vector<Subject> smaller_subjects(const std::vector<Subject>& subjects, const Environment& environment,
                                      const model::OnDemandModels& models, Seconds max_seconds) {
  static constexpr int count = 3;
  static constexpr std::int64_t smallest = 16;
  std::vector<Subject> all;
  std::set<std::pair<std::string, std::vector<std::int64_t>>> seen;
  for (const Subject& subject : subjects) {
    for (std::size_t c = 0; c < subject.trace.calls.size(); ++c) {
      const Call& call = subject.trace.calls[c];
      if (models.seconds(call, subject.placements[c]) <= max_seconds) {
        continue;
      }
      const auto of_call = sizes(call);
      if (!seen.emplace(call.routine->name + flags(call), std::vector<std::int64_t>(of_call.begin(), of_call.end())).second) {
        continue;
      }
      double factor = 0.5;
      Subject next = subject_of(smaller_call(call, factor), environment);
      const auto takes_long = [&] { return models.seconds(next.trace.calls[0], next.placements[0]) > max_seconds; };
      while (takes_long() && largest_size(next.trace.calls[0]) > smallest) {
        factor /= 2;
        next = subject_of(smaller_call(call, factor), environment);
      }
      for (int i = 0; i < count && largest_size(next.trace.calls[0]) > 1; ++i) {
        all.push_back(std::move(next));
        factor /= 2;
        next = subject_of(smaller_call(call, factor), environment);
      }
    }
  }
  return all;
}

}  // namespace flopcast::tuning
