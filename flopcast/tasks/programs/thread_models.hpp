#pragma once

#include <filesystem>
#include <functional>
#include <span>
#include <string>
#include <vector>

#include "flopcast/core/call.hpp"
#include "flopcast/support/run_context.hpp"
#include "flopcast/support/units.hpp"

namespace flopcast {

/// A BLAS that may compute calls in place of the program's own, and the largest number of threads that it may have.
struct OtherBlas {
  std::filesystem::path file;
  int threads = 1;
  friend bool operator==(const OtherBlas&, const OtherBlas&) = default;
};

/// The program's libraries, and the largest number of threads, for which the threads and libraries of calls are to be chosen.
struct ThreadOrder {
  std::filesystem::path blas, lapack;
  int threads = 1;
  std::string kernels = "auto";   ///< see LibraryChoice::kernels
  Seconds time_budget = 0;        ///< for measuring what the models lack
  bool varies = true;             ///< calls may have fewer threads
  std::vector<OtherBlas> others;  ///< with integers of the same width
};

/// Returns the numbers of threads among which is chosen: 1, 2, 4, ... and `most`, at least 1.
std::vector<int> thread_counts(int most);

/// Returns the letters of the distinguished flags for which a routine has entries: "NN", "NT", ... Conjugation counts as transposition.
std::vector<std::string> thread_flags(const Routine& routine);

/// Returns the calls by which a routine's models are made for these flags, without addresses.
std::vector<Call> thread_samples(const Routine& routine, const std::string& flags);

/// Returns the expected time of a call with the place-th number of threads. Places from `counts` on are ThreadTable::others; their times
/// are infinite where nothing is known.
using ThreadSeconds = std::function<Seconds(const Call& call, std::size_t place)>;

/// Returns the routine's part of a protocol::ThreadTable for these flags, with `counts` numbers of threads and `others` other choices. The
/// entry has other choices only if one of them gains at least 5 % somewhere.
std::string thread_entry(const Routine& routine, const std::string& flags, std::size_t counts, const ThreadSeconds& seconds,
                         std::size_t others = 0);

/// Returns the text of a protocol::ThreadTable by models of the libraries' routines, after measuring what they lack. It is kept in the
/// store, and the next run goes on where the time budget ended. Returns an empty text, and notes the remedy, where nothing is known yet.
/// Throws Cancelled, as Workbench does, and as Store does.
std::string thread_table(const ThreadOrder& order, const RunContext& context);

}  // namespace flopcast
