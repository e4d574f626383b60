#pragma once

#include <gtest/gtest.h>
#include <malloc.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <string_view>
#include <vector>

#include "flopcast/core/trace.hpp"
#include "flopcast/kernel/fill.hpp"
#include "flopcast/kernel/invoke.hpp"
#include "flopcast/machine/cpu/other_load.hpp"
#include "tests/kernel/plain_call.hpp"

/// Measurements of resident memory, which predictions of it are compared with.
namespace flopcast::tests {

/// Returns by how many bytes `work` raises the peak of resident memory. The work is done in a forked child, whose peak begins with the memory
/// that the child has. Returns -1 if the child fails.
inline std::int64_t resident_growth(const std::function<void()>& work) {
  ::malloc_trim(0);  // the child would take memory again that is free in this process
  std::array<int, 2> ends{};
  if (::pipe(ends.data()) != 0) {
    return -1;
  }
  const pid_t child = ::fork();
  if (child == 0) {
    constexpr unsigned longest = 120;
    ::alarm(longest);  // ends the child if it hangs
    std::int64_t growth = -1;
    try {
      const std::int64_t before = machine::peak_resident_bytes(RUSAGE_SELF);
      work();
      growth = machine::peak_resident_bytes(RUSAGE_SELF) - before;
    } catch (...) {
      growth = -1;
    }
    ::_exit(::write(ends[1], &growth, sizeof growth) == sizeof growth ? 0 : 1);
  }
  ::close(ends[1]);
  std::int64_t growth = -1;
  if (child < 0 || ::read(ends[0], &growth, sizeof growth) != sizeof growth) {
    growth = -1;
  }
  ::close(ends[0]);
  ::waitpid(child, nullptr, 0);
  return growth;
}

/// Expects that `work` raises the peak of resident memory by `predicted` bytes, within 10 %, and that these are 50 to 200 MB.
inline void expect_growth(std::int64_t predicted, const std::function<void()>& work) {
  EXPECT_GE(predicted, 50'000'000);
  EXPECT_LE(predicted, 200'000'000);
  const std::int64_t growth = resident_growth(work);
  EXPECT_NEAR(static_cast<double>(growth) / static_cast<double>(predicted), 1, 0.1) << growth << " bytes, predicted " << predicted;
}

using FindFunction = std::function<kernel::Function(std::string_view routine)>;

/// Executes calls in memory of their own, filled before each call with numbers that suit the call. Operands begin at an allocation's base.
inline void execute_anew(const Trace& trace, const FindFunction& find) {
  std::map<std::uintptr_t, std::vector<std::byte>> memory;
  for (const Allocation& allocation : trace.allocations) {
    memory[allocation.address].resize(static_cast<std::size_t>(allocation.bytes));
  }
  for (Call call : trace.calls) {
    for (std::size_t i = 0; i < call.routine->arguments.size(); ++i) {
      if (is_operand(call.routine->arguments[i])) {
        call.arguments[i] = static_cast<std::int64_t>(reinterpret_cast<std::uintptr_t>(memory[call.address(i)].data()));
      }
    }
    kernel::fill(call, 1);
    kernel::Invocation(find(call.routine->name), call).run();
  }
}

/// Makes BLAS touch the buffers that it keeps for blocks of rows and for `n` columns, which predictions don't count.
inline void warm_up(const FindFunction& find, std::int64_t n) {
  constexpr std::int64_t m = 1024, k = 512;
  constexpr auto a = static_cast<std::int64_t>(virtual_base(0)), b = static_cast<std::int64_t>(virtual_base(1)),
                 c = static_cast<std::int64_t>(virtual_base(2));
  Trace trace;
  trace.allocations = {{"A", virtual_base(0), 8 * m * k}, {"B", virtual_base(1), 8 * k * n}, {"C", virtual_base(2), 8 * m * n}};
  trace.calls = {kernel::call("dgemm", {'N', 'N', m, n, k, a, m, b, k, c, m})};
  execute_anew(trace, find);
}

}  // namespace flopcast::tests
