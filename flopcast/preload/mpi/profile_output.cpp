#include "flopcast/preload/mpi/profile_output.hpp"

#include <fcntl.h>
#include <mpi.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <exception>
#include <fstream>
#include <iterator>
#include <memory>
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
#include "flopcast/support/error.hpp"
#include "flopcast/support/json.hpp"

namespace flopcast::preload::mpi {
namespace {

using nlohmann::json;

/// Returns the document as text, with a replacement character for bytes that aren't UTF-8.
std::string dumped(const json& document) { return document.dump(-1, ' ', false, json::error_handler_t::replace); }

json costs_document(const path::Costs& costs, double divisor = 1) {
  json document;
  for (const path::Metric& metric : path::metrics) {
    document[metric.name] = costs.*metric.value / divisor;
  }
  return document;
}

const char* kind_name(selective::KernelKind kind) {
  switch (kind) {
    case selective::KernelKind::computation: return "computation";
    case selective::KernelKind::communication: return "communication";
    case selective::KernelKind::region: return "region";
  }
  throw internal_error("unknown kind of kernel {}", static_cast<unsigned>(kind));
}

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

void append_kernel(Text& text, const selective::Kernel& kernel, const RegionNames& regions) {
  append(text, R"({"kernel":)");
  append_string(text, kernel_name(kernel.key, regions));
  fmt::format_to(std::back_inserter(text), R"(,"kind":"{}","routine":)", kind_name(kernel.key.kind));
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

json spent_document(const selective::TimeSpent& spent, double divisor) {
  json document;
  for (const selective::SpentPart& part : selective::spent_parts) {
    document[part.name] = spent.*part.value / divisor;
  }
  return document;
}

json traffic_document(const Traffic& traffic) {
  return {{"messages", traffic.messages}, {"bytes", traffic.bytes}, {"largest_bytes", traffic.largest_bytes}};
}

json processes_document(const std::vector<ProcessFacts>& processes) {
  json all = json::array();
  for (const ProcessFacts& process : processes) {
    json document = costs_document(process.own);
    document["rank"] = all.size();
    document["host"] = process.host.data();
    document["on_path_seconds"] = process.on_path;
    document["cpu_seconds"] = process.lost.cpu;
    document["without_core_seconds"] = process.lost.without_core;
    document["program_without_core_seconds"] = process.lost.program_without_core;
    document["blocked_seconds"] = process.lost.blocked;
    if (const Wait& wait = process.longest_wait; wait.routine < routine_names.size()) {
      document["longest_wait"] = {{"routine", routine_names[wait.routine]},
                                  {"awaited_rank", wait.awaited == Wait::nobody ? json() : json(wait.awaited)},
                                  {"seconds", wait.seconds}};
    }
    all.push_back(std::move(document));
  }
  return all;
}

json tools_document() {
  json all = json::array();
  for (const OtherTool& tool : other_tools()) {
    all.push_back({{"library", tool.library}, {"functions", tool.functions}, {"unseen_functions", tool.unseen}});
  }
  return all;
}

json head_document(const protocol::MpiOptions& options, const ProfileFacts& facts) {
  json calls = json::array();
  for (const CallSequence& sequence : facts.calls) {
    calls.push_back({sequence.calls, fmt::format("{:016x}", sequence.hash)});
  }
  return {{"schema", "flopcast-mpi-profile-1"},
          {"mpi", library_version()},
          {"ranks", facts.ranks},
          {"where", where_times_hold(facts.ranks, facts.cpu_clock)},
          {"clock", facts.cpu_clock ? "cpu" : "wall"},
          {"granted_cpus", facts.granted_cpus},
          {"policy", selective::to_string(options.policy)},
          {"tolerance", options.precision.tolerance},
          {"confidence", options.precision.confidence},
          {"elapsed_seconds", facts.elapsed},
          {"path_complete", facts.complete},
          {"sessions", facts.sessions},
          {"spawned_processes", facts.spawned},
          {"bypassing_messages", facts.bypassing},
          {"prefixed_calls", facts.prefixed != 0},
          {"simultaneous_calls", facts.simultaneous},
          {"message_model", {{"latency_seconds", facts.messages.latency}, {"bytes_per_second", facts.messages.bytes_per_second}}},
          {"path", costs_document(facts.longest.along)},
          {"longest", costs_document(facts.longest.longest)},
          {"per_process", costs_document(facts.max)},
          {"volumetric", costs_document(facts.sum, facts.ranks)},
          {"processes", processes_document(facts.processes)},
          {"prediction_error_seconds", facts.prediction_error},
          {"program_variance", facts.program_variance},
          {"pace", {{"taken_seconds", facts.pace.taken}, {"expected_seconds", facts.pace.expected}}},
          {"spent", spent_document(facts.spent, facts.ranks)},
          {"own_messages", traffic_document(facts.traffic)},
          {"other_tools", tools_document()},
          {"calls", std::move(calls)}};
}

/// Appends the profile as JSON: its head in one piece, then the kernels with `separator` between them.
void append_profile_text(Text& text, const protocol::MpiOptions& options, const ProfileFacts& facts,
                         const PageVector<selective::Kernel>& kernels, const RegionNames& regions, std::string_view separator) {
  constexpr std::size_t usual_kernel = 340;  // bytes
  const std::string head = dumped(head_document(options, facts));
  text.reserve(text.size() + head.size() + kernels.size() * usual_kernel);
  append(text, std::string_view(head).substr(0, head.size() - 1));  // without its closing brace
  append(text, R"(,"kernels":[)");
  bool is_first = true;
  for (const selective::Kernel& kernel : kernels) {
    if (kernel.executed.count + kernel.skipped > 0) {  // other kernels are known from an earlier run
      append(text, is_first ? separator.substr(1) : separator);
      append_kernel(text, kernel, regions);
      is_first = false;
    }
  }
  append(text, "]}");
}

selective::KernelKind kind_named(const json& name) {
  for (const selective::KernelKind kind :
       {selective::KernelKind::computation, selective::KernelKind::communication, selective::KernelKind::region}) {
    if (name == kind_name(kind)) {
      return kind;
    }
  }
  throw bad_input("'{}' is no kind of kernel", name.dump());
}

std::optional<selective::PriorKernel> prior_kernel(const json& document, RegionNames& regions) {
  const std::optional<selective::KernelKey> key =
      key_of(kind_named(document.at("kind")), member<std::string>(document, "routine"), regions);
  const json& executed = document.contains("in_context") ? document.at("in_context") : document.at("executed");
  selective::PriorKernel prior;
  prior.times.count = member<std::int64_t>(executed, "count");
  prior.times.mean = member<double>(executed, "mean");
  prior.times.squares = member<double>(executed, "variance") * static_cast<double>(std::max<std::int64_t>(prior.times.count - 1, 0));
  prior.along = member<std::int64_t>(document.at("along"), "count");
  prior.flops = member_or(document, "flops", 0.0);
  if (!key || prior.times.count < 0 || prior.times.mean < 0 || prior.times.squares < 0) {
    return std::nullopt;
  }
  prior.key = *key;
  prior.key.words = member<decltype(prior.key.words)>(document, "words");
  prior.key.size_count = std::clamp<std::int64_t>(member_or(document, "size_count", std::int64_t{0}), 0, std::ssize(prior.key.words));
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
    std::ifstream stream(file);
    const json profile = json::parse(stream);
    for (const json& document : profile.at("kernels")) {
      if (const std::optional<selective::PriorKernel> prior =
              member_or(document, "where", where) == where ? prior_kernel(document, regions) : std::nullopt) {
        all.push_back(*prior);
      }
    }
    return all;
  } catch (const std::exception& error) {
    std::fprintf(stderr, "flopcast: can't read the prior profile %s: %s. The run goes on without it\n", file.c_str(), error.what());
    return {};
  }
}

void append_beginning(const protocol::MpiOptions& options, std::size_t number) noexcept {
  try {
    append_line(options, fmt::format("{{\"execution\":{},\"begun\":true}}\n", number));
  } catch (const std::exception& error) {
    std::fprintf(stderr, "flopcast: can't write results: %s\n", error.what());
  }
}

void append_profile(const protocol::MpiOptions& options, std::size_t number, const ProfileFacts& facts,
                    const PageVector<selective::Kernel>& kernels, const RegionNames& regions) noexcept {
  try {
    Text line;
    fmt::format_to(std::back_inserter(line), R"({{"execution":{},"profile":)", number);
    append_profile_text(line, options, facts, kernels, regions, ",");
    append(line, "}\n");
    append_line(options, {line.data(), line.size()});
  } catch (const std::exception& error) {
    std::fprintf(stderr, "flopcast: can't write results: %s\n", error.what());
  }
}

void write_profile_file(const protocol::MpiOptions& options, const ProfileFacts& facts, const PageVector<selective::Kernel>& kernels,
                        const RegionNames& regions) noexcept {
  try {
    Text text;
    append_profile_text(text, options, facts, kernels, regions, ",\n");
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
