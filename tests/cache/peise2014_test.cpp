#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "flopcast/algorithm/registry.hpp"
#include "flopcast/cache/access_distance.hpp"
#include "flopcast/kernel/catalogue.hpp"
#include "naive_access.hpp"

/// The examples of Peise and Bientinesi 2014, section 3, on its dgeqrf (algorithm 1): per iteration geqr2(A11, A21), larft -> W1, b copies
/// A12 -> W2, trmm(W2, A11), gemm, trmm(W2, W1), gemm(A22, A21, W2), A12 -= W2.
namespace flopcast::cache {
namespace {

constexpr std::int64_t n = 12, b = 3, element = 8;
constexpr std::int64_t a = 1 << 16, tau = 2 << 16, w1 = 3 << 16, w2 = 4 << 16;

std::int64_t at(std::int64_t row, std::int64_t column) { return a + (row + column * n) * element; }

Call call(const std::string& name, std::vector<std::int64_t> arguments) {
  Call call;
  call.routine = &kernel::require(name);
  std::size_t next = 0;
  std::int64_t scalar = 0;
  for (std::size_t i = 0; i < call.routine->arguments.size(); ++i) {
    const Kind kind = call.routine->arguments[i].kind;
    if (kind == Kind::scalar) {
      call.arguments[i] = scalar++;
    } else if (kind != Kind::info) {
      call.arguments[i] = arguments.at(next++);
    }
  }
  return call;
}

/// Adds the iteration that begins at row and column j.
void add_iteration(Trace& trace, std::int64_t j) {
  const std::int64_t rows = n - j, rest = n - j - b;
  trace.calls.push_back(call("dgeqr2", {rows, b, at(j, j), n, tau + j * element, 0}));
  trace.calls.push_back(call("dlarft", {'F', 'C', rows, b, at(j, j), n, tau + j * element, w1, b}));
  for (std::int64_t i = 0; i < b; ++i) {
    trace.calls.push_back(call("dcopy", {rest, at(j + i, j + b), n, w2 + i * rest * element, 1}));
  }
  trace.calls.push_back(call("dtrmm", {'R', 'L', 'N', 'U', rest, b, at(j, j), n, w2, rest}));
  trace.calls.push_back(call("dgemm", {'T', 'N', rest, b, rest, at(j + b, j + b), n, at(j + b, j), n, w2, rest}));
  trace.calls.push_back(call("dtrmm", {'R', 'U', 'N', 'N', rest, b, w1, b, w2, rest}));
  trace.calls.push_back(call("dgemm", {'N', 'T', rest, rest, b, at(j + b, j), n, w2, rest, at(j + b, j + b), n}));
  trace.calls.push_back(call("dtrmm", {'R', 'L', 'T', 'U', rest, b, at(j, j), n, w2, rest}));
}

Trace example() {
  Trace trace;
  trace.allocations = {{"A", a, n * n * element}, {"tau", tau, n * element}, {"W1", w1, b * b * element}, {"W2", w2, n * b * element}};
  add_iteration(trace, 0);
  add_iteration(trace, b);
  return trace;
}

TEST(Peise2014, Example2TheOperandsOfTheFirstTrmm) {
  const CallAccess trmm = access_distances(example(), {})[5];
  const std::int64_t rest = n - b;
  const std::int64_t w2_bytes = rest * b * element, a12 = b * rest * element, w1_bytes = b * (b + 1) / 2 * element, tau_bytes = b * element;
  const std::int64_t below_unit_diagonal = (n * b - b * (b + 1) / 2) * element;  // A11 and A21 as larft reads them
  // The paper says "M = {W2, A12}" for the series of copies. Kernel by kernel, the last access alone is one row of A12 and one column of
  // W2.
  EXPECT_EQ(trmm[1].distance_bytes, 2 * rest * element);
  AccessOptions by_byte;
  by_byte.thresholds_bytes = {w2_bytes + a12};
  EXPECT_EQ(access_distances(example(), by_byte)[5][1].bytes[0], w2_bytes) << "all of W2 was accessed within {W2, A12}";
  // "M = {W2, A12, W1, A11, A21, tau1}"
  EXPECT_EQ(trmm[0].distance_bytes, w2_bytes + a12 + w1_bytes + below_unit_diagonal + tau_bytes);
}

TEST(Peise2014, Example3TheOperandsOfGeqr2) {
  const Trace trace = example();
  constexpr std::size_t second = 10;  // dgeqr2 of the second iteration
  ASSERT_EQ(trace.calls[second].routine->name, "dgeqr2");
  const CallAccess geqr2 = access_distances(trace, {})[second];
  const std::int64_t rest = n - b;
  // "M = {W2, A11, A22, A21}" since the second last kernel; A11 as trmm reads it, without its unit diagonal.
  EXPECT_EQ(geqr2[0].distance_bytes, (rest * b + b * (b - 1) / 2 + rest * rest + rest * b) * element);
  // tau was never accessed before: its distance is all touched memory, and it counts as a region as large as all operands.
  const std::int64_t all = distinct_bytes(trace);
  Trace first = trace;
  first.calls.resize(second);
  EXPECT_EQ(geqr2[1].distance_bytes, distinct_bytes(first) + all);
}

TEST(Peise2014, AlgorithmsOfThisProjectAgreeWithTheNaiveScan) {
  for (const auto& [routine, order] : {std::pair{"dgeqrf", 14}, std::pair{"dpotrf", 17}}) {
    Call problem;
    problem.routine = &kernel::require(routine);
    for (std::size_t i = 0; i < problem.routine->arguments.size(); ++i) {
      const Kind kind = problem.routine->arguments[i].kind;
      problem.arguments[i] = kind == Kind::flag ? 'L' : kind == Kind::size || kind == Kind::leading_dimension ? order : 0;
    }
    const Trace trace = algorithm::record(problem, {4, 2, 0});
    AccessOptions options;
    options.start = Start::filled;
    options.thresholds_bytes = {200, 1000, 2000};
    const NaiveAccess naive(trace, options);
    const std::vector<CallAccess> fast = access_distances(trace, options);
    for (std::size_t c = 0; c < trace.calls.size(); ++c) {
      const CallAccess slow = naive.access(c);
      for (std::size_t i = 0; i < slow.size(); ++i) {
        ASSERT_EQ(fast[c][i].distance_bytes, slow[i].distance_bytes) << to_string(trace.calls[c]);
        ASSERT_EQ(fast[c][i].bytes, slow[i].bytes) << to_string(trace.calls[c]);
        ASSERT_EQ(fast[c][i].dirty, slow[i].dirty) << to_string(trace.calls[c]);
      }
    }
  }
}

}  // namespace
}  // namespace flopcast::cache
