// Finds the cache levels of the operands of Cholesky's kernel calls from access distances alone. The caches have 48 KiB, 2 MiB and 64 MiB.
//   for      readers of the papers who ask which operands are cached
//   build    cmake --build --preset check --target example_cache_state
//   run      build/check/bin/example_cache_state 1000 64
//   read     docs/explanation/caches.md

#include <fmt/format.h>

#include <array>
#include <cstdio>
#include <map>
#include <string>

#include "flopcast/algorithm/registry.hpp"
#include "flopcast/cache/placement.hpp"
#include "flopcast/core/call.hpp"
#include "flopcast/kernel/catalogue.hpp"
#include "flopcast/kernel/parse_call.hpp"
#include "flopcast/support/error.hpp"

int main(int argc, char** argv) {
  using namespace flopcast;
  if (argc != 3) {
    fmt::print(stderr, "usage: {} N NB\n", argv[0]);
    return 2;
  }
  try {
    const Call cholesky = kernel::parse_call(kernel::require("dpotrf"), {{"n", argv[1]}, {"uplo", "L"}});
    const Trace trace = algorithm::record(cholesky, {.nb = std::stoi(argv[2])});
    const std::array<CacheLevel, 3> caches = {CacheLevel{.name = "L1", .capacity_bytes = 48 << 10},
                                              CacheLevel{.name = "L2", .capacity_bytes = 2 << 20},
                                              CacheLevel{.name = "L3", .capacity_bytes = 64 << 20}};
    const cache::CacheState state = cache::cache_state(trace, caches, cache::Start::repeated);

    std::map<std::string, std::array<double, 4>> shares;
    for (std::size_t i = 0; i < trace.calls.size(); ++i) {
      for (std::size_t level = 0; level <= caches.size(); ++level) {
        shares[trace.calls[i].routine->name][level] += static_cast<double>(state.bytes_by_level[i][level]);
      }
    }
    fmt::print("{:<8} {:>6} {:>6} {:>6} {:>6}\n", "operands", "L1", "L2", "L3", "memory");
    for (const auto& [routine, bytes] : shares) {
      const double all = bytes[0] + bytes[1] + bytes[2] + bytes[3];
      fmt::print("{:<8} {:5.1f}% {:5.1f}% {:5.1f}% {:5.1f}%\n", routine, 100 * bytes[0] / all, 100 * bytes[1] / all, 100 * bytes[2] / all,
                 100 * bytes[3] / all);
    }
  } catch (const Error& error) {
    fmt::print(stderr, "{}\n", error.what());
    return static_cast<int>(error.code());
  }
  return 0;
}
