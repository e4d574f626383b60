#include "flopcast/contract/prediction/segment_experiment.hpp"

#include <gtest/gtest.h>

#include "flopcast/contract/algorithms/algorithm.hpp"
#include "flopcast/machine/libraries/library.hpp"
#include "tests/contract/blas/random_contraction.hpp"

namespace flopcast::contract {
namespace {

using measure::Action;

FindRoutine openblas() {
  static const machine::Library library = machine::Library::open("openblas-serial");
  return [](std::string_view routine) { return library.function(routine); };
}

Environment machine() {
  Environment environment;
  for (const std::int64_t bytes : {1 << 10, 1 << 13, 1 << 16}) {
    CacheLevel level;
    level.capacity_bytes = bytes;
    environment.caches.push_back(level);
  }
  return environment;
}

/// Memory of an experiment's tensors, with guard bytes around each tensor.
class GuardedTensors {
 public:
  explicit GuardedTensors(const measure::Experiment& experiment) {
    for (std::size_t t = 0; t < 3; ++t) {
      const auto allocation = std::find_if(experiment.memory.begin(), experiment.memory.end(),
                                           [&](const Allocation& one) { return one.address == virtual_base(t); });
      memory_[t].assign(static_cast<std::size_t>(allocation->bytes) + 2 * guard, mark);
    }
  }
  Call with_addresses(Call call) {
    static constexpr std::array<const char*, 3> names = {"A", "B", "C"};
    for (std::size_t t = 0; t < 3; ++t) {
      call.arguments[static_cast<std::size_t>(call.routine->index(names[t]))] =
          static_cast<std::int64_t>(reinterpret_cast<std::uintptr_t>(memory_[t].data() + guard));
    }
    return call;
  }
  [[nodiscard]] bool guards_are_untouched() const {
    return std::all_of(memory_.begin(), memory_.end(), [](const std::vector<std::byte>& one) {
      const auto is_mark = [](std::byte byte) { return byte == mark; };
      return std::all_of(one.begin(), one.begin() + guard, is_mark) && std::all_of(one.end() - guard, one.end(), is_mark);
    });
  }
  [[nodiscard]] const std::vector<std::byte>& result() const { return memory_[2]; }

 private:
  static constexpr std::ptrdiff_t guard = 4096;
  static constexpr std::byte mark{0x5a};
  std::array<std::vector<std::byte>, 3> memory_;
};

/// Performs the steps of a session, but for these tensors and without the steps on other memory.
void execute(const measure::Experiment& experiment, GuardedTensors& tensors, std::vector<std::byte>& before_timing) {
  for (const Action& action : experiment.setup) {
    if (action.what == Action::What::prepare) {
      action.hook();
    } else if (action.what == Action::What::perform) {
      experiment.perform(tensors.with_addresses(action.call));
    }
  }
  before_timing = tensors.result();
  for (const Call& call : experiment.timed) {
    experiment.perform(tensors.with_addresses(call));
  }
}

TEST(SegmentExperiment, WorksOnItsOwnMemoryOnly) {
  std::mt19937 random(3);
  for (int i = 0; i < 20; ++i) {
    const std::array<int, 4> counts = {static_cast<int>(random() % 3), static_cast<int>(random() % 3), static_cast<int>(random() % 3),
                                       static_cast<int>(random() % 2)};
    const Contraction contraction = random_contraction(random, counts, 1, 7, i % 3 == 0);
    for (const Algorithm& algorithm : generate(contraction)) {
      for (const LoopSegment& segment :
           algorithm.loops.empty() ? std::vector<LoopSegment>{} : timed_segments(algorithm, contraction, machine())) {
        const measure::Experiment experiment = segment_experiment(segment, algorithm, contraction, machine(), openblas(), 1);
        GuardedTensors tensors(experiment);
        std::vector<std::byte> before_timing;
        execute(experiment, tensors, before_timing);
        EXPECT_TRUE(tensors.guards_are_untouched()) << algorithm.name() << " of " << to_string(contraction.notation());
        const bool copied_back = algorithm.copy_of(Operand::c) != nullptr && algorithm.copy_of(Operand::c)->depth < segment.outer.size();
        EXPECT_TRUE(copied_back || before_timing != tensors.result() || segment.outer.empty()) << algorithm.name() << " changes C";
      }
    }
  }
}

TEST(SegmentExperiment, HugeTensorsNeedLittleMemory) {
  const Contraction contraction = make_contraction(parse_notation("abc=ai,ibc"), {{'a', 3000}, {'b', 3000}, {'c', 3000}, {'i', 8}});
  for (const Algorithm& algorithm : generate(contraction)) {
    for (const LoopSegment& segment : timed_segments(algorithm, contraction, machine())) {
      std::int64_t bytes = 0;
      for (const Allocation& allocation : segment_experiment(segment, algorithm, contraction, machine(), openblas(), 1).memory) {
        bytes += allocation.bytes;
      }
      EXPECT_LT(bytes, std::int64_t{1} << 30) << algorithm.name() << ' ' << segment.what;
    }
  }
}

}  // namespace
}  // namespace flopcast::contract
