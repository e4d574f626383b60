#include "flopcast/preload/mpi/profile_output.hpp"

#include <fcntl.h>
#include <mpi.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>
#include <cstring>
#include <exception>
#include <fstream>
#include <iterator>
#include <optional>
#include <string>
#include <string_view>

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <nlohmann/json.hpp>

#include "flopcast/preload/kernels/kernel_keys.hpp"
#include "flopcast/preload/kernels/routine_list.hpp"
#include "flopcast/preload/mpi/blas_in_use.hpp"
#include "flopcast/preload/mpi/other_tools.hpp"
#include "flopcast/protocol/mpi_profile_fields.hpp"
#include "flopcast/support/error.hpp"
#include "flopcast/support/fields.hpp"

namespace flopcast::preload::mpi {
namespace {

using nlohmann::json;

/// Returns the document as text, with a replacement character for bytes that aren't UTF-8.
std::string dumped(const json& document) { return document.dump(-1, ' ', false, json::error_handler_t::replace); }

/// Text of a profile, with a line of some 300 bytes for each of possibly tens of thousands of kernels. The lines are written directly,
/// because a JSON document of them would take ten times as long.
using Text = fmt::basic_memory_buffer<char, fmt::inline_buffer_size, PageAllocator<char>>;

void append(Text& text, std::string_view part) { text.append(part.data(), part.data() + part.size()); }

void append_string(Text& text, std::string_view value) {
  const bool is_plain = std::all_of(value.begin(), value.end(), [](char c) { return c >= ' ' && c <= '~' && c != '"' && c != '\\'; });
  if (is_plain) {
    fmt::format_to(std::back_inserter(text), R"("{}")", value);
  } else {
    append(text, dumped(value));
  }
}

void append_number(Text& text, double value) {
  if (std::isfinite(value)) {
    fmt::format_to(std::back_inserter(text), "{}", value);
  } else {
    append(text, "null");
  }
}

void append_statistics(Text& text, std::string_view name, const selective::KernelStatistics& times) {
  fmt::format_to(std::back_inserter(text), R"(,"{}":{{"count":{},"mean":)", name, times.count);
  append_number(text, times.mean);
  append(text, R"(,"variance":)");
  append_number(text, times.variance());
  append(text, R"(,"seconds":)");
  append_number(text, times.mean * static_cast<double>(times.count));
  append(text, "}");
}

void append_kernel(Text& text, const selective::KernelRecord& kernel, const RegionNames& regions) {
  append(text, R"({"kernel":)");
  append_string(text, kernel_name(kernel.key, regions));
  fmt::format_to(std::back_inserter(text), R"(,"kind":"{}","routine":)", json(kernel.key.kind).get_ref<const std::string&>());
  append_string(text, routine_of(kernel.key, regions));
  fmt::format_to(std::back_inserter(text), R"(,"words":[{}])", fmt::join(kernel.key.words, ","));
  if (kernel.key.size_count > 0) {
    fmt::format_to(std::back_inserter(text), R"(,"size_count":{})", kernel.key.size_count);
  }
  append_statistics(text, "along", kernel.along);
  append_statistics(text, "executed", kernel.executed);
  if (kernel.in_context.count > 0) {
    append_statistics(text, "in_context", kernel.in_context);
  }
  if (kernel.flops > 0) {
    append(text, R"(,"flops":)");
    append_number(text, kernel.flops);
  }
  fmt::format_to(std::back_inserter(text), R"(,"skipped":{}}})", kernel.skipped);
}

/// Returns e.g. `Open MPI v4.1.4`, the first words of the library's version text.
std::string library_version() {
  std::array<char, MPI_MAX_LIBRARY_VERSION_STRING> text{};
  int length = 0;
  PMPI_Get_library_version(text.data(), &length);
  std::string version(text.data(), static_cast<std::size_t>(length));
  version.resize(std::min(version.find_first_of(",\n"), version.size()));
  std::replace(version.begin(), version.end(), '\t', ' ');
  return version;
}

MpiProcess described(int rank, const ProcessFacts& facts) {
  MpiProcess process{rank, facts.host.data(), facts.own, facts.on_path};
  process.own_code_on_path = facts.own_code_on_path;
  process.cpu = facts.lost.cpu;
  process.without_core = facts.lost.without_core;
  process.program_without_core = facts.lost.program_without_core;
  process.blocked = facts.lost.blocked;
  if (const Wait& wait = facts.longest_wait; wait.routine < routine_names.size()) {
    process.longest_wait = {routine_names[wait.routine], wait.awaited == Wait::nobody ? std::nullopt : std::optional<int>(wait.awaited),
                            wait.seconds};
  }
  return process;
}

/// Returns whether a tuning learns something from this kernel by itself, of which programs have tens of thousands. Executions in full teach
/// its times, those of `conditional` its number along the path, and others its times among its neighbours if there are new ones.
bool teaches(const selective::KernelRecord& kernel, selective::Policy policy) {
  using selective::Policy;
  return kernel.is_met() && (policy == Policy::full || policy == Policy::conditional || kernel.in_context.count > 0);
}

enum class Form { file, result };  ///< a file has all kernels that were met, a line each; a result only those that teach, in one line

/// Appends the profile as JSON: its head in one piece, then the kernels.
void append_profile_text(Text& text, const MpiProfile& profile, const PageVector<selective::KernelRecord>& kernels,
                         const RegionNames& regions, Form form) {
  constexpr std::size_t usual_kernel = 340;  // bytes
  const std::string_view separator = form == Form::file ? ",\n" : ",";
  nlohmann::ordered_json members = to_document(profile, mpi_profile_schema);
  members.erase("kernels");
  const std::string head = members.dump(-1, ' ', false, json::error_handler_t::replace);
  text.reserve(text.size() + head.size() + kernels.size() * usual_kernel);
  append(text, std::string_view(head).substr(0, head.size() - 1));  // without its closing brace
  append(text, R"(,"kernels":[)");
  bool is_first = true;
  for (const selective::KernelRecord& kernel : kernels) {
    if (form == Form::file ? kernel.is_met() : teaches(kernel, profile.policy)) {
      append(text, is_first ? separator.substr(1) : separator);
      append_kernel(text, kernel, regions);
      is_first = false;
    }
  }
  append(text, "]}");
}

std::optional<selective::PriorKernel> prior_kernel(const MpiKernel& known, RegionNames& regions) {
  const std::optional<selective::KernelKey> key = key_of(known.kind, known.routine, regions);
  selective::PriorKernel prior;
  prior.times = statistics_of(representative_times(known));
  prior.along = known.along.count;
  prior.flops = known.flops;
  if (!key || !(prior.times.mean >= 0) || !std::isfinite(prior.times.mean) || !(prior.times.squares >= 0)) {
    return std::nullopt;
  }
  prior.key = *key;
  if (known.words.size() != prior.key.words.size()) {
    throw bad_input("kernel '{}' has {} words, expected {}", known.name, known.words.size(), prior.key.words.size());
  }
  std::copy(known.words.begin(), known.words.end(), prior.key.words.begin());
  prior.key.size_count = std::clamp<std::int64_t>(known.size_count, 0, std::ssize(prior.key.words));
  return prior;
}

/// Appends a line in one write, so that a reader of the growing file finds whole lines and at most the start of one.
void append_line(const protocol::MpiOptions& options, std::string_view line) {
  const int file = open(options.results.c_str(), O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0666);
  const ssize_t written = file < 0 ? -1 : write(file, line.data(), line.size());
  if (written != static_cast<ssize_t>(line.size())) {
    std::fprintf(stderr, "flopcast: can't write results to %s: %s\n", options.results.c_str(), std::strerror(written < 0 ? errno : ENOSPC));
  }
  if (file >= 0) {
    close(file);
  }
}

}  // namespace

std::string where_times_hold(int processes, bool cpu_clock) {
  return fmt::format("{}, {} clock, {} processes, {}", library_version(), cpu_clock ? "cpu" : "wall", processes, blas_in_use());
}

PageVector<selective::PriorKernel> read_prior_kernels(const std::string& file, const std::string& where, RegionNames& regions) noexcept {
  try {
    PageVector<selective::PriorKernel> all;
    for (const MpiKernel& known : read_mpi_kernels(file).kernels) {
      if (const std::optional<selective::PriorKernel> prior =
              known.where.value_or(where) == where ? prior_kernel(known, regions) : std::nullopt) {
        all.push_back(*prior);
      }
    }
    return all;
  } catch (const std::exception& error) {
    std::fprintf(stderr, "flopcast: can't read the prior profile %s: %s. The run goes on without it\n", file.c_str(), error.what());
    return {};
  }
}

void describe_run(const protocol::MpiOptions& options, bool cpu_clock, const std::vector<ProcessFacts>& processes,
                  const std::vector<CallSequence>& calls, MpiProfile& profile) {
  profile.mpi = library_version();
  profile.ranks = static_cast<int>(processes.size());
  profile.where = where_times_hold(profile.ranks, cpu_clock);
  profile.clock = cpu_clock ? protocol::MpiClock::cpu : protocol::MpiClock::wall;
  profile.policy = options.policy;
  profile.tolerance = options.precision.tolerance;
  profile.confidence = options.precision.confidence;
  profile.other_tools = other_tools();
  for (const ProcessFacts& process : processes) {
    profile.processes.push_back(described(static_cast<int>(profile.processes.size()), process));
  }
  std::vector<Seconds> useful;
  for (const ProcessFacts& process : processes) {
    profile.own_code += process.own_code_on_path;
    useful.push_back(process.own.computation);
  }
  const bool is_real = !cpu_clock && options.policy == selective::Policy::full;
  profile.efficiencies = pop_efficiencies(useful, is_real ? profile.elapsed : profile.critical_path.time, profile.longest.computation);
  for (const CallSequence& sequence : calls) {
    profile.calls.push_back({sequence.calls, fmt::format("{:016x}", sequence.hash)});
  }
}

MpiKernelSums sums_of(const PageVector<selective::KernelRecord>& kernels) {
  MpiKernelSums sums;
  for (const selective::KernelRecord& kernel : kernels) {
    sums.add(kernel.key.kind, times_of(kernel.along), kernel.in_context.count > 0 ? kernel.in_context : kernel.executed,
             kernel.executed.count, kernel.skipped);
  }
  return sums;
}

void append_beginning(const protocol::MpiOptions& options, std::size_t number) noexcept {
  try {
    append_line(options, fmt::format("{{\"execution\":{},\"begun\":true}}\n", number));
  } catch (const std::exception& error) {
    std::fprintf(stderr, "flopcast: can't write results: %s\n", error.what());
  }
}

void append_profile(const protocol::MpiOptions& options, std::size_t number, const MpiProfile& profile,
                    const PageVector<selective::KernelRecord>& kernels, const RegionNames& regions) noexcept {
  try {
    Text line;
    fmt::format_to(std::back_inserter(line), R"({{"execution":{},"profile":)", number);
    append_profile_text(line, profile, kernels, regions, Form::result);
    append(line, "}\n");
    append_line(options, {line.data(), line.size()});
  } catch (const std::exception& error) {
    std::fprintf(stderr, "flopcast: can't write results: %s\n", error.what());
  }
}

void write_profile_file(const protocol::MpiOptions& options, const MpiProfile& profile, const PageVector<selective::KernelRecord>& kernels,
                        const RegionNames& regions) noexcept {
  try {
    Text text;
    append_profile_text(text, profile, kernels, regions, Form::file);
    append(text, "\n");  // marks the end of a complete file
    std::ofstream out(options.profile);
    out.write(text.data(), static_cast<std::streamsize>(text.size()));
    out.close();
    if (!out) {
      std::fprintf(stderr, "flopcast: can't write the profile to %s: %s\n", options.profile.c_str(), std::strerror(errno));
    }
  } catch (const std::exception& error) {
    std::fprintf(stderr, "flopcast: can't write the profile: %s\n", error.what());
  }
}

}  // namespace flopcast::preload::mpi
