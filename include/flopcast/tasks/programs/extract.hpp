#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "flopcast/support/field.hpp"
#include "flopcast/support/run_context.hpp"
#include "flopcast/support/units.hpp"

/// The calls of a recorded program that matter, as a program in C.
namespace flopcast {

/// Which calls count as the worst ones.
enum class ExtractOrder : std::uint8_t {
  time,  ///< those with most time, all calls of a kind together
  rate,  ///< those with the fewest flops per second among the kinds with at least a hundredth of the time
};

struct ExtractRequest {
  std::string recording;
  std::int64_t worst = 20;
  ExtractOrder by = ExtractOrder::time;
  bool anonymous = false;
};
template <>
Fields FieldTable<ExtractRequest>::fields();

/// A program in C that repeats calls of a recorded program.
struct ExtractedCalls {
  /// Calls with the same flags, similar sizes and scalars, and operands at the same distance in the caches.
  struct Case {
    std::string call;  ///< "dgemm transa=N transb=N m=100 ..."
    std::int64_t calls = 0;
    Seconds seconds = 0;  ///< recorded time of these calls together; 0 where a dry run took none
    friend bool operator==(const Case&, const Case&) = default;
  };

  std::string source;
  std::vector<Case> cases;           ///< the worst first
  std::vector<std::string> remarks;  ///< which other calls were recorded and why they are missing, and what else the reader must know
  Seconds call_seconds = 0;          ///< recorded time of all BLAS and LAPACK calls
  friend bool operator==(const ExtractedCalls&, const ExtractedCalls&) = default;
};

/// Returns a program for C99, which needs BLAS and LAPACK only, that repeats the worst calls of a recording and prints their times. Throws
/// bad_input if the file isn't a recording, or has no call that can be repeated.
ExtractedCalls extract_calls(const ExtractRequest& request, const RunContext& context = {});

/// Converts to and from the document {"schema": "flopcast-extract-1", ...}.
std::string to_json(const ExtractedCalls& extracted);
ExtractedCalls extracted_calls_from_json(std::string_view text);

}  // namespace flopcast
