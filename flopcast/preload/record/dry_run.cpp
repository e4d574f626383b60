#include "flopcast/preload/record/dry_run.hpp"

#include <pthread.h>
#include <sys/uio.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <exception>
#include <mutex>
#include <optional>
#include <string_view>
#include <vector>

#include "flopcast/core/call.hpp"
#include "flopcast/kernel/catalogue.hpp"
#include "flopcast/kernel/fill.hpp"
#include "flopcast/protocol/record_layout.hpp"

/// libflopcast-dry-run.so decides which calls of a program are skipped, and ensures that skipped results don't steer the program.
/// docs/reference/programs.md states the rules.
namespace flopcast::preload {
namespace {

/// Calls with at most this many real operations per real number in their operands are executed. They take no longer than examining their
/// data, to which workspaces don't belong.
constexpr double cheap_flops_per_number = 8;

/// Families whose results steer programs: eigenvalues, singular values, condition numbers, pivots of the rank. All functions steer, too.
constexpr std::string_view steering_families[] = {"bdsdc", "bdsqr", "gecon", "gees",  "geesx", "geev",  "geevx", "gejsv", "gelsd",
                                                  "gelss", "gelsy", "geqp3", "gesdd", "gesvd", "gesvj", "ggev",  "heev",  "heevd",
                                                  "heevr", "heevx", "hegv",  "hseqr", "laqp2", "laqps", "pocon", "stebz", "stedc",
                                                  "stemr", "steqr", "sterf", "syev",  "syevd", "syevr", "syevx", "sygv",  "trcon"};

constexpr std::size_t samples_per_region = 16;
constexpr std::size_t max_regions = 4096;

using Samples = std::array<std::uint32_t, samples_per_region>;

/// Returns the address of the j-th sample of a region, at a multiple of 4 bytes from the region's beginning.
std::uintptr_t sample_address(const Region& region, std::size_t j) {
  const std::int64_t column = static_cast<std::int64_t>(j) * (region.columns - 1) / static_cast<std::int64_t>(samples_per_region - 1);
  const std::int64_t bytes = std::max<std::int64_t>(4, region.column_bytes + column * region.growth_bytes);
  const std::int64_t within =
      static_cast<std::int64_t>(j * 7 % samples_per_region) * (bytes - 4) / static_cast<std::int64_t>(samples_per_region - 1);
  return region.address + static_cast<std::uintptr_t>(column * region.stride_bytes + within / 4 * 4);
}

/// Returns the values at the samples; nothing if the memory is gone.
std::optional<Samples> take_samples(const Region& region) {
  Samples samples{};
  std::array<iovec, samples_per_region> from{};
  for (std::size_t j = 0; j < samples_per_region; ++j) {
    from[j] = {reinterpret_cast<void*>(sample_address(region, j)), sizeof(std::uint32_t)};
  }
  const iovec to = {samples.data(), sizeof samples};
  const ssize_t read = process_vm_readv(getpid(), &to, 1, from.data(), from.size(), 0);
  return read == static_cast<ssize_t>(sizeof samples) ? std::optional(samples) : std::nullopt;
}

/// Memory that a skipped call should have computed, with samples of its contents afterwards.
struct Uncomputed {
  Region region;
  std::uintptr_t begin = 0, end = 0;
  Samples samples{};
};

/// All uncomputed memory. Memory that the program has rewritten since is dropped; most of its samples differ.
class UncomputedData {
 public:
  void add(const Region& region) {
    const auto same = [&](const Uncomputed& known) { return known.region == region; };
    all_.erase(std::remove_if(all_.begin(), all_.end(), same), all_.end());
    if (all_.size() >= max_regions) {
      join();
    }
    if (const std::optional<Samples> samples = take_samples(region)) {
      all_.push_back({region, region.begin(), region.end(), *samples});
    }
  }

  [[nodiscard]] bool touches(const Region& region) {
    const std::uintptr_t begin = region.begin();
    const std::uintptr_t end = region.end();
    return any([&](const Uncomputed& known) { return known.begin < end && begin < known.end && known.region.overlaps(region); });
  }

  [[nodiscard]] bool contains(std::uintptr_t address) {
    return any([&](const Uncomputed& known) { return known.begin <= address && address < known.end; });
  }

 private:
  static bool rewritten(const Uncomputed& known) {
    constexpr std::size_t max_left = samples_per_region / 4;
    const std::optional<Samples> now = take_samples(known.region);
    std::size_t equal = 0;
    for (std::size_t j = 0; now && j < samples_per_region; ++j) {
      equal += (*now)[j] == known.samples[j] ? 1U : 0U;
    }
    return !now || equal < max_left;
  }

  template <class Concerned>
  bool any(Concerned concerned) {
    for (std::size_t i = 0; i < all_.size();) {
      if (!concerned(all_[i])) {
        ++i;
      } else if (rewritten(all_[i])) {
        all_.erase(all_.begin() + static_cast<std::ptrdiff_t>(i));
      } else {
        return true;
      }
    }
    return false;
  }

  /// Merges regions into the intervals that they cover, when there are too many to search.
  void join() {
    std::sort(all_.begin(), all_.end(), [](const Uncomputed& a, const Uncomputed& b) { return a.begin < b.begin; });
    std::vector<Region> intervals;
    for (const Uncomputed& known : all_) {
      if (!intervals.empty() && known.begin <= intervals.back().end()) {
        intervals.back().column_bytes = static_cast<std::int64_t>(std::max(known.end, intervals.back().end()) - intervals.back().address);
      } else {
        intervals.push_back({known.begin, static_cast<std::int64_t>(known.end - known.begin), 1, 0, 0});
      }
    }
    all_.clear();
    for (const Region& interval : intervals) {
      if (const std::optional<Samples> samples = take_samples(interval)) {
        all_.push_back({interval, interval.begin(), interval.end(), *samples});
      }
    }
  }

  std::vector<Uncomputed> all_;
};

/// Shared by the functions below. Global, because a preloaded library has no caller that could pass it.
std::mutex mutex;
UncomputedData& uncomputed() {
  static UncomputedData all;
  return all;
}

bool is_steering(const Routine& routine) {
  const auto* const end = std::end(steering_families);
  return routine.returns != Returns::nothing || std::find(std::begin(steering_families), end, routine.family) != end;
}

bool is_cheap(const Call& call, const Operands& all) {
  std::int64_t bytes = 0;
  for (const Operand& operand : all) {
    bytes += call.routine->arguments[operand.argument].kind != Kind::work ? operand.bytes() : 0;
  }
  return flops(call) <= cheap_flops_per_number * static_cast<double>(bytes) / static_cast<double>(real_bytes(call.routine->precision));
}

bool is_read(const Call& call, const Operand& operand) {
  const Argument& argument = call.routine->arguments[operand.argument];
  return argument.kind != Kind::work && argument.access != Access::write && call.address(operand.argument) != 0;
}

/// Returns whether skipping the call leaves this numeric output unset.
bool is_left_alone(const Call& call, const Operand& operand) {
  const Argument& argument = call.routine->arguments[operand.argument];
  return argument.kind == Kind::data && !argument.integer && argument.access != Access::read && argument.skipped.empty() &&
         call.address(operand.argument) != 0;
}

bool reads_uncomputed(const Call& call, const Operands& all) {
  return std::any_of(all.begin(), all.end(), [&](const Operand& operand) {
    return is_read(call, operand) &&
           std::any_of(operand.parts.begin(), operand.parts.end(), [](const Region& part) { return uncomputed().touches(part); });
  });
}

/// Replaces numbers by 1 that would be NaN, infinite or denormal in the program's own arithmetic.
template <class Real>
void make_normal(const Region& region) {
  for (std::int64_t j = 0; j < region.columns; ++j) {
    auto* const column = reinterpret_cast<Real*>(region.address + static_cast<std::uintptr_t>(j * region.stride_bytes));
    const std::int64_t count = (region.column_bytes + j * region.growth_bytes) / static_cast<std::int64_t>(sizeof(Real));
    for (std::int64_t i = 0; i < count; ++i) {
      if (!std::isnormal(column[i]) && column[i] != 0) {
        column[i] = 1;
      }
    }
  }
}

/// Writes the outputs that a skipped call must leave behind, and returns a function's value.
std::complex<double> skip(const Call& call, const Operands& all) {
  for (const Operand& operand : all) {
    if (!is_left_alone(call, operand)) {
      continue;
    }
    for (const Region& part : operand.parts) {
      real_bytes(call.routine->precision) == 4 ? make_normal<float>(part) : make_normal<double>(part);
      uncomputed().add(part);
    }
  }
  return kernel::skip(call).value;
}

void complain(const char* what) noexcept {
  static std::atomic<bool> complained{};
  if (!complained.exchange(true)) {
    std::fprintf(stderr, "flopcast: the dry run failed: %s; the calls concerned are executed\n", what);
  }
}

std::optional<Call> call_of(const char* symbol, int integer_bytes, const std::byte* arguments) {
  const std::string_view name(symbol);
  const Routine* routine = kernel::find(name.substr(0, name.size() - 1));
  return routine == nullptr
             ? std::nullopt
             : protocol::decode_call(*routine, {arguments, protocol::record_bytes(protocol::record_layout(*routine, integer_bytes))},
                                     integer_bytes);
}

protocol::Treatment decide(const char* symbol, int integer_bytes, const std::byte* arguments, double (&value)[2]) noexcept try {
  const std::optional<Call> call = call_of(symbol, integer_bytes, arguments);
  if (!call) {
    return protocol::Treatment::executed;
  }
  const std::lock_guard lock(mutex);
  const Operands all = operands(*call);
  const bool blind = reads_uncomputed(*call, all);
  const bool steering = is_steering(*call->routine);
  if (!blind && (steering || is_cheap(*call, all))) {
    return protocol::Treatment::executed;
  }
  const std::complex<double> result = skip(*call, all);
  value[0] = result.real();
  value[1] = result.imag();
  return blind && steering ? protocol::Treatment::skipped_blindly : protocol::Treatment::skipped;
} catch (const std::exception& error) {
  complain(error.what());
  return protocol::Treatment::executed;
}

protocol::Treatment decide_unnamed(void* const* words, std::size_t count) noexcept try {
  const std::lock_guard lock(mutex);
  const bool blind =
      std::any_of(words, words + count, [](void* word) { return uncomputed().contains(reinterpret_cast<std::uintptr_t>(word)); });
  return blind ? protocol::Treatment::executed_blindly : protocol::Treatment::executed;
} catch (const std::exception& error) {
  complain(error.what());
  return protocol::Treatment::executed;
}

}  // namespace
}  // namespace flopcast::preload

extern "C" [[gnu::visibility("default")]] bool flopcast_open_dry_run(flopcast::preload::DryRun* functions) {
  using namespace flopcast::preload;
  try {
    flopcast::kernel::catalogue();
    uncomputed();
  } catch (const std::exception& error) {
    complain(error.what());
    return false;
  }
  pthread_atfork([] { mutex.lock(); }, [] { mutex.unlock(); }, [] { mutex.unlock(); });
  *functions = {decide, decide_unnamed};
  return true;
}
