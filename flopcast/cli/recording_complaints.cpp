#include "flopcast/cli/recording_complaints.hpp"

#include <fmt/format.h>

namespace flopcast::cli {

std::string plural(std::uint64_t count, const std::string& noun) {
  const bool sibilant = noun.size() > 1 && noun.substr(noun.size() - 2) == "ss";
  return fmt::format("{} {}{}", count, noun, count == 1 ? "" : sibilant ? "es" : "s");
}

std::vector<std::string> recording_complaints(const interpose::ProgramSummary& summary, std::int64_t calls) {
  std::vector<std::string> all;
  if (summary.loaded == 0) {
    all.emplace_back("the recording library was not loaded: did the program clear its environment?");
  } else if (calls == 0 && summary.dropped == 0 && summary.damaged == 0 && summary.missing == 0) {
    all.emplace_back("no BLAS or LAPACK call was seen: the program makes none, or has these libraries linked into itself statically");
  }
  if (summary.dropped > 0) {
    all.push_back(fmt::format("{} could not be recorded, since there was no room for them in the file", plural(summary.dropped, "call")));
  }
  if (summary.damaged > 0) {
    all.push_back(fmt::format("{} of the file can't be read", plural(summary.damaged, "piece")));
  }
  if (summary.missing > 0) {
    all.push_back(fmt::format("the file is cut off: {} of it are missing", plural(summary.missing, "byte")));
  }
  if (!summary.finished) {
    all.emplace_back("the recording has no end: 'flopcast record' was killed, or still runs");
  }
  return all;
}

}  // namespace flopcast::cli
