#include <gmock/gmock.h>

#include <string>
#include <vector>

#include "flopcast/algorithm/registry.hpp"
#include "flopcast/kernel/catalogue.hpp"
#include "flopcast/kernel/fill.hpp"
#include "flopcast/kernel/invoke.hpp"
#include "flopcast/machine/libraries/library.hpp"

namespace flopcast::algorithm {
namespace {

const machine::LibrarySet& libraries() {
  static const machine::LibrarySet set = machine::LibrarySet::open("openblas-serial", "reference");
  return set;
}

kernel::Function lookup(std::string_view routine) { return libraries().find(routine); }

/// A call with memory for A, tau and work, filled with safe values.
class Problem {
 public:
  Problem(const std::string& routine, std::int64_t m, std::int64_t n, char uplo = 'L') {
    call_.routine = &kernel::require(routine);
    for (std::size_t i = 0; i < call_.routine->arguments.size(); ++i) {
      const std::string& name = call_.routine->arguments[i].name;
      call_.arguments[i] = name == "m" ? m : name == "n" ? n : name == "lda" ? m + 3 : name == "lwork" ? n * 64 : name == "uplo" ? uplo : 0;
    }
    for (std::size_t i = 0; i < call_.routine->arguments.size(); ++i) {
      if (const std::string& name = call_.routine->arguments[i].name; name == "A" || name == "tau" || name == "work") {
        const std::int64_t bytes = span_elements(call_, i) * argument_element_bytes(call_, i);
        memory_.emplace_back(static_cast<std::size_t>(bytes) / sizeof(double) + 1);
        call_.arguments[i] = static_cast<std::int64_t>(reinterpret_cast<std::uintptr_t>(memory_.back().data()));
      }
    }
    kernel::fill(call_, 7);
  }
  Problem(const Problem&) = delete;
  Problem& operator=(const Problem&) = delete;

  [[nodiscard]] const Call& call() const { return call_; }
  /// Returns the result of LAPACK's routine in A, bit for bit.
  std::vector<double> by_lapack() {
    kernel::Invocation(lookup(call_.routine->name), call_).run();
    return memory_.front();
  }
  std::vector<double> by_algorithm(const BlockParameters& blocks) {
    EXPECT_EQ(execute(call_, blocks, lookup), 0);
    return memory_.front();
  }
  std::vector<double>& matrix() { return memory_.front(); }

 private:
  Call call_;
  std::vector<std::vector<double>> memory_;
};

TEST(Execute, GeqrfAgreesWithLapack) {
  for (const std::string routine : {"sgeqrf", "dgeqrf", "cgeqrf", "zgeqrf"}) {
    for (const auto& [m, n] : {std::pair<std::int64_t, std::int64_t>{300, 200}, {170, 260}, {20, 20}}) {
      EXPECT_EQ(Problem(routine, m, n).by_algorithm({32, 2, 128}), Problem(routine, m, n).by_lapack()) << routine << m << n;
    }
  }
}

TEST(Execute, PotrfAgreesWithLapack) {
  for (const std::string routine : {"spotrf", "dpotrf", "cpotrf", "zpotrf"}) {
    for (const char uplo : {'L', 'U'}) {
      EXPECT_EQ(Problem(routine, 200, 200, uplo).by_algorithm({64, 2, 0}), Problem(routine, 200, 200, uplo).by_lapack()) << routine << uplo;
    }
  }
}

TEST(Execute, PotrfTellsTheMinorThatIsNotDefinite) {
  constexpr std::size_t n = 100;
  Problem problem("dpotrf", n, n);
  problem.matrix()[70 * (n + 3 + 1)] = -1e6;

  EXPECT_EQ(execute(problem.call(), {32, 2, 0}, lookup), 71);
}

}  // namespace
}  // namespace flopcast::algorithm
