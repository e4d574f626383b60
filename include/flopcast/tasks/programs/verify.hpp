#pragma once

/// The request that checks whether a library's results are right.
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "flopcast/support/field.hpp"
#include "flopcast/support/run_context.hpp"
#include "flopcast/support/units.hpp"
#include "flopcast/workbench/workbench.hpp"

namespace flopcast {

/// Libraries to verify, and the calls for that.
struct VerifyRequest {
  std::string recording;              ///< recording whose calls come first; empty: none
  std::vector<std::string> blas;      ///< names or paths; "all": each installed one; empty: the default one
  std::string lapack;                 ///< name or path of the LAPACK on top; empty: the reference
  SizeList threads;                   ///< empty: 1, and the number of cores for libraries that can have threads
  bool all_kernels = false;           ///< also kernels that the library doesn't choose by itself, but flopcast may set
  std::vector<std::string> routines;  ///< routines or families, such as dgemm or gemm; empty: all
  std::int64_t rounds = 16;           ///< rounds of generated sizes, the first 8 of them at edges
  std::uint64_t seed = 1;
  Duration time_budget = 60;
  bool anonymous = false;  ///< the result has no folders
  bool fresh = false;      ///< an interrupted verification isn't resumed
};
template <>
Fields FieldTable<VerifyRequest>::fields();

/// A call whose result is wrong, or that ended the process.
struct WrongCall {
  std::string call;   ///< "dgemm transa=N transb=N m=100 ..."
  std::string fault;  ///< the relation that doesn't hold, such as "op(A) X - alpha B", or what happened instead
  double error = 0;   ///< largest error against its bound; 0 where nothing was compared
  double bound = 0;
  std::uint64_t seed = 0;  ///< seed of the operands
  bool recorded = false;   ///< a call of the recording
  friend bool operator==(const WrongCall&, const WrongCall&) = default;
};

/// A BLAS with its kernels and threads, and a LAPACK on top.
struct VerifiedLibrary {
  std::string blas, lapack;  ///< "openblas 0.3.21", "reference 3.11.0"
  std::string file;          ///< file of the BLAS
  std::string kernels;       ///< kernels that BLAS reports
  std::string setting;       ///< variable that selects them, such as "OPENBLAS_CORETYPE=Haswell"; empty: its own choice
  std::int64_t threads = 1;
  std::int64_t calls = 0;              ///< verified calls
  std::int64_t planned = 0, done = 0;  ///< calls of the request; those that are verified, or that the library lacks
  Seconds seconds = 0;                 ///< time that this took
  double largest_share = 0;            ///< largest error as a share of its bound in calls that are right
  std::vector<WrongCall> findings;
  std::string failure;  ///< why the library couldn't be verified; empty: it could
  friend bool operator==(const VerifiedLibrary&, const VerifiedLibrary&) = default;
};

/// The result of a verification.
struct Verification {
  std::vector<VerifiedLibrary> libraries;
  std::vector<std::string> not_compared;  ///< families whose calls are executed without comparison of results
  std::vector<std::string> remarks;
  bool is_complete = false;  ///< all planned calls were made
  bool interrupted = false;
  std::string cpu;
  friend bool operator==(const Verification&, const Verification&) = default;

  /// Returns whether a call is wrong.
  [[nodiscard]] bool fails() const;
};

/// Calls routines of the libraries in child processes, and compares the results with wider arithmetic. A verification that ends early keeps
/// its state in the store, and the same request goes on from there in the next call, unless a library or the recording has changed. Throws
/// bad_input for a library, routine or recording that doesn't exist.
Verification verify_libraries(const Workbench& bench, const VerifyRequest& request, const RunContext& context = {});

/// Converts to and from the document {"schema": "flopcast-verification-1", ...}.
std::string to_json(const Verification& verification);
Verification verification_from_json(std::string_view text);

}  // namespace flopcast
