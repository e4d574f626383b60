#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "flopcast/core/call.hpp"
#include "flopcast/program/program_trace.hpp"
#include "flopcast/support/units.hpp"

/// Programs in C that repeat recorded calls.
namespace flopcast::program {

/// Calls of a recorded program that are alike, by one of them.
struct RepeatedCall {
  ProgramEvent event;  ///< the typical one, with the program's addresses
  /// Bytes that were touched since and including the last access to each operand, in the order of operands(event.call).
  std::vector<std::int64_t> distances_bytes;
  std::int64_t calls = 0;
  Seconds seconds = 0;      ///< recorded time of all calls together; 0 where none was executed
  std::string remark = {};  ///< remark about these calls for the reader; empty: there is none
};

/// The frame of such a program.
struct RepeatingFrame {
  std::vector<std::string> about;  ///< lines of the first comment: what was recorded, and what isn't repeated
  int threads = 0;                 ///< threads of BLAS; 0: not known
  int integer_bytes = 4;           ///< bytes of the library's integers, which all calls have
};

/// Returns a program for C99 that needs BLAS and LAPACK only. The program repeats the calls, with the operands of kernel::fill(), in the recorded state of the cache. The program prints the recorded and the repeated times, also their sums over all calls.
std::string repeating_source(const std::vector<RepeatedCall>& calls, const RepeatingFrame& frame);

}  // namespace flopcast::program
