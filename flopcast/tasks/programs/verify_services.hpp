#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "flopcast/core/call.hpp"
#include "flopcast/core/environment.hpp"
#include "flopcast/support/units.hpp"
#include "flopcast/tasks/programs/advice.hpp"

namespace flopcast {

/// Number of wrong calls of a routine after which its other calls are skipped.
inline constexpr std::int64_t max_findings = 3;

/// Libraries that are verified together: a BLAS with its kernels and threads, and a LAPACK on top.
struct VerifySubject {
  std::string blas, lapack;
  std::string setting;  ///< variable that selects other kernels, such as "OPENBLAS_CORETYPE=Haswell"; empty: none
  int threads = 1;
};

/// The calls of one launch, in the order of their verification.
struct VerifyCalls {
  const std::vector<Call>& calls;
  std::int64_t first = 0;         ///< calls before this one are skipped
  std::set<std::string> skipped;  ///< routines that are skipped, because enough of their calls were wrong
  std::uint64_t seed = 1;         ///< call i has operands of this seed + i
};

/// The result of a launch.
struct VerifyOutcome {
  std::int64_t next = 0;   ///< index of the first call that isn't verified
  std::int64_t calls = 0;  ///< calls that the library has, and that were made
  double largest_share = 0;
  std::optional<LibraryIdentity> blas, lapack;
  std::vector<WrongCall> findings;
  std::string failure;  ///< why the libraries can't be used
};

/// The surroundings of a verification.
struct VerifyServices {
  std::function<Seconds()> clock;
  /// Verifies calls in a child process until `stops` returns true. A call that ends the process, or doesn't return, is a finding.
  std::function<VerifyOutcome(const VerifySubject&, const VerifyCalls&, const std::function<bool()>& stops)> launch;
  std::function<std::optional<Verification>()> kept;  ///< state of an interrupted verification
  std::function<void(const Verification*)> keep;      ///< keeps the state; null: there is none any more
  std::string cpu;
};

/// Returns the services of this machine.
VerifyServices this_verify_services(const Workbench& bench, const VerifyRequest& request, const std::vector<VerifySubject>& subjects);

/// Returns calls of a recording, each kind of arguments once, those with few flops first.
std::vector<Call> calls_of_recording(const std::string& recording, const RunContext& context);

/// Does what the public function does, with the given services.
Verification verify_libraries(const VerifyRequest& request, const std::vector<VerifySubject>& subjects, const VerifyServices& services,
                              const RunContext& context);

}  // namespace flopcast
