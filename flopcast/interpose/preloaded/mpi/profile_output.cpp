#include "flopcast/interpose/preloaded/mpi/profile_output.hpp"

#include <dlfcn.h>
#include <fcntl.h>
#include <mpi.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <exception>
#include <fstream>
#include <memory>
#include <optional>
#include <string>

#include <nlohmann/json.hpp>

#include "flopcast/core/error.hpp"
#include "flopcast/interpose/preloaded/mpi/kernel_keys.hpp"
#include "flopcast/interpose/preloaded/mpi/routines.hpp"
#include "flopcast/interpose/preloaded/mpi/traffic.hpp"
#include "flopcast/interpose/preloaded/next_symbol.hpp"

namespace flopcast::interpose::mpi {
namespace {

using nlohmann::json;

json costs_document(const path::Costs& costs, double divisor = 1) {
  json document;
  for (const path::Metric& metric : path::metrics) {
    document[metric.name] = costs.*metric.value / divisor;
  }
  return document;
}

const char* kind_name(path::KernelKind kind) {
  switch (kind) {
    case path::KernelKind::computation: return "computation";
    case path::KernelKind::communication: return "communication";
    case path::KernelKind::region: return "region";
  }
  throw internal_error("unknown kind of kernel {}", static_cast<unsigned>(kind));
}

json statistics_document(const path::KernelStatistics& times) {
  return {{"count", times.count},
          {"mean", times.mean},
          {"variance", times.variance()},
          {"seconds", times.mean * static_cast<double>(times.count)}};
}

json kernel_document(const path::Kernel& kernel, const RegionNames& regions) {
  json document = {{"kernel", kernel_name(kernel.key, regions)},
                   {"kind", kind_name(kernel.key.kind)},
                   {"routine", routine_of(kernel.key, regions)},
                   {"words", kernel.key.words},
                   {"along", statistics_document(kernel.along)},
                   {"executed", statistics_document(kernel.executed)},
                   {"skipped", kernel.skipped}};
  if (kernel.in_context.count > 0) {
    document["in_context"] = statistics_document(kernel.in_context);
  }
  if (kernel.flops > 0) {
    document["flops"] = kernel.flops;
  }
  return document;
}

/// `Open MPI v4.1.4`, the first words of what the library says of itself.
std::string library_version() {
  std::array<char, MPI_MAX_LIBRARY_VERSION_STRING> text{};
  int length = 0;
  PMPI_Get_library_version(text.data(), &length);
  std::string version(text.data(), static_cast<std::size_t>(length));
  version.resize(std::min(version.find_first_of(",\n"), version.size()));
  std::replace(version.begin(), version.end(), '\t', ' ');
  return version;
}

json traffic_document(const Traffic& traffic) {
  return {{"messages", traffic.messages}, {"bytes", traffic.bytes}, {"largest_bytes", traffic.largest_bytes}};
}

json document_of(const MpiOptions& options, const ProfileFacts& facts, const OwnVector<path::Kernel>& kernels, const RegionNames& regions) {
  json list = json::array();
  for (const path::Kernel& kernel : kernels) {
    if (kernel.executed.count + kernel.skipped > 0) {  // others are known from an earlier run
      list.push_back(kernel_document(kernel, regions));
    }
  }
  json calls = json::array();
  for (const CallSequence& sequence : facts.calls) {
    calls.push_back({sequence.calls, fmt::format("{:016x}", sequence.hash)});
  }
  return {{"schema", "flopcast-mpi-profile-1"},
          {"mpi", library_version()},
          {"ranks", facts.ranks},
          {"where", where_times_hold(facts.ranks, facts.cpu_clock)},
          {"clock", facts.cpu_clock ? "cpu" : "wall"},
          {"policy", path::policy_name(options.policy)},
          {"tolerance", options.precision.tolerance},
          {"confidence", options.precision.confidence},
          {"elapsed_seconds", facts.elapsed},
          {"path_complete", facts.complete},
          {"message_model", {{"latency_seconds", facts.messages.latency}, {"bytes_per_second", facts.messages.bytes_per_second}}},
          {"path", costs_document(facts.longest.along)},
          {"longest", costs_document(facts.longest.longest)},
          {"per_process", costs_document(facts.most)},
          {"volumetric", costs_document(facts.sum, facts.ranks)},
          {"prediction_error_seconds", facts.prediction_error},
          {"own_messages", traffic_document(traffic_of_all())},
          {"calls", std::move(calls)},
          {"kernels", std::move(list)}};
}

path::KernelKind kind_named(const json& name) {
  for (const path::KernelKind kind : {path::KernelKind::computation, path::KernelKind::communication, path::KernelKind::region}) {
    if (name == kind_name(kind)) {
      return kind;
    }
  }
  throw bad_input("'{}' is no kind of kernel", name.dump());
}

std::optional<path::PriorKernel> prior_kernel(const json& document, RegionNames& regions) {
  const std::optional<path::KernelKey> key = key_of(kind_named(document.at("kind")), document.at("routine").get<std::string>(), regions);
  const json& executed = document.contains("in_context") ? document.at("in_context") : document.at("executed");
  path::PriorKernel prior;
  prior.times.count = executed.at("count").get<std::int64_t>();
  prior.times.mean = executed.at("mean").get<double>();
  prior.times.squares = executed.at("variance").get<double>() * static_cast<double>(std::max<std::int64_t>(prior.times.count - 1, 0));
  prior.along = document.at("along").at("count").get<std::int64_t>();
  prior.flops = document.value("flops", 0.0);
  if (!key || prior.times.count < 0 || prior.times.mean < 0 || prior.times.squares < 0) {
    return std::nullopt;
  }
  prior.key = *key;
  prior.key.words = document.at("words").get<decltype(prior.key.words)>();
  return prior;
}

/// In one piece: whoever reads the file while it grows, or after we were killed, finds whole lines and perhaps the start of one.
void append_line(const MpiOptions& options, const json& document) {
  const std::string line = document.dump(-1, ' ', false, json::error_handler_t::replace) + '\n';
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
  std::string blas = "no BLAS";
  Dl_info library{};
  if (void* function = next_symbol("dgemm_", reinterpret_cast<const void*>(&where_times_hold));
      function != nullptr && dladdr(function, &library) != 0) {
    const std::unique_ptr<char, void (*)(void*)> path(realpath(library.dli_fname, nullptr), std::free);
    blas = path ? path.get() : library.dli_fname;
  }
  return fmt::format("{}, {} clock, {} processes, {}", library_version(), cpu_clock ? "cpu" : "wall", processes, blas);
}

OwnVector<path::PriorKernel> read_prior_kernels(const std::string& file, const std::string& where, RegionNames& regions) noexcept {
  try {
    OwnVector<path::PriorKernel> all;
    std::ifstream stream(file);
    const json profile = json::parse(stream);
    for (const json& document : profile.at("kernels")) {
      if (const std::optional<path::PriorKernel> prior =
              document.value("where", where) == where ? prior_kernel(document, regions) : std::nullopt) {
        all.push_back(*prior);
      }
    }
    return all;
  } catch (const std::exception& error) {
    std::fprintf(stderr, "flopcast: can't read the statistics in %s, goes on without: %s\n", file.c_str(), error.what());
    return {};
  }
}

void append_beginning(const MpiOptions& options, std::size_t number) noexcept {
  try {
    append_line(options, {{"execution", number}, {"begun", true}});
  } catch (const std::exception& error) {
    std::fprintf(stderr, "flopcast: can't write results: %s\n", error.what());
  }
}

void append_profile(const MpiOptions& options, std::size_t number, const ProfileFacts& facts, const OwnVector<path::Kernel>& kernels,
                    const RegionNames& regions) noexcept {
  try {
    append_line(options, {{"execution", number}, {"profile", document_of(options, facts, kernels, regions)}});
  } catch (const std::exception& error) {
    std::fprintf(stderr, "flopcast: can't write results: %s\n", error.what());
  }
}

void write_profile_file(const MpiOptions& options, const ProfileFacts& facts, const OwnVector<path::Kernel>& kernels,
                        const RegionNames& regions) noexcept {
  try {
    const std::string unfinished = options.profile + ".part";
    std::ofstream out(unfinished);
    out << document_of(options, facts, kernels, regions).dump(1, ' ', false, json::error_handler_t::replace) << '\n';
    out.close();
    if (!out || std::rename(unfinished.c_str(), options.profile.c_str()) != 0) {
      std::remove(unfinished.c_str());
      std::fprintf(stderr, "flopcast: can't write the profile to %s: %s\n", options.profile.c_str(), std::strerror(errno));
    }
  } catch (const std::exception& error) {
    std::fprintf(stderr, "flopcast: can't write the profile: %s\n", error.what());
  }
}

}  // namespace flopcast::interpose::mpi
