#include <algorithm>
#include <cmath>
#include <cstdio>
#include <exception>
#include <numeric>
#include <optional>
#include <utility>

#include <nlohmann/json.hpp>

#include "flopcast/core/documents.hpp"
#include "flopcast/core/trace.hpp"
#include "flopcast/preload/common/next_symbol.hpp"
#include "flopcast/preload/kernels/kernel_keys.hpp"
#include "flopcast/preload/kernels/library_file.hpp"
#include "flopcast/preload/smpi/simulation.hpp"
#include "flopcast/protocol/mpi_profile_fields.hpp"
#include "flopcast/protocol/smpi_options.hpp"
#include "flopcast/support/whole_file.hpp"

namespace flopcast::preload::smpi {
namespace {

using nlohmann::json;

json statistics_document(const selective::KernelStatistics& times) {
  return {{"count", times.count}, {"mean", times.mean}, {"seconds", times.mean * static_cast<double>(times.count)}};
}

/// Returns the process that ends last. Its path is the critical one, because paths are as long as the simulated clock.
const SmpiProcess& last_to_end(const std::vector<SmpiProcess*>& processes) {
  return **std::max_element(processes.begin(), processes.end(),
                            [](const SmpiProcess* a, const SmpiProcess* b) { return a->path().length() < b->path().length(); });
}

/// Counts the kernels along the path that ends where `last` has ended, and adds the path to the timelines. Returns the time of each process's own code there.
std::vector<Seconds> follow_back(const SmpiProcess& last, const std::vector<SmpiProcess*>& processes, selective::KernelTable& kernels) {
  std::vector<Seconds> own_code(processes.size());
  Seconds end = last.path().length();
  for (std::optional<path::LogCursor> place = last.path().mark().place; place;) {
    const auto rank = static_cast<std::size_t>(place->rank);
    const std::optional<path::EventLog::Jump> jump =
        processes[rank]->path().log().walk(place->position, [&](const path::EventLog::Step& step) {
          if (step.kernel == path::EventLog::own_code) {
            own_code[rank] += step.seconds;
          } else {
            kernels[step.kernel].along.add(step.seconds);
          }
        });
    const Seconds begin = jump ? jump->time : 0;
    processes[rank]->timeline.add(mpi::Activity::on_path, begin, std::exchange(end, begin));
    place = jump ? std::optional(jump->place) : std::nullopt;
  }
  return own_code;
}

json efficiencies_document(const std::vector<SmpiProcess*>& processes, Seconds run) {
  std::vector<Seconds> useful;
  Seconds ideal_run = 0;
  for (const SmpiProcess* process : processes) {
    useful.push_back(process->path().own().computation);
    ideal_run = std::max(ideal_run, process->path().longest().computation);
  }
  return pop_efficiencies(useful, run, ideal_run);
}

json kernels_document(const selective::KernelTable& kernels, const std::vector<bool>& known) {
  const mpi::RegionNames no_regions;
  json list = json::array();
  for (std::size_t i = 0; i < kernels.kernels().size(); ++i) {
    const selective::KernelRecord& kernel = kernels.kernels()[i];
    json document = {{"kernel", mpi::kernel_name(kernel.key, no_regions)}, {"kind", kernel.key.kind},
                     {"routine", mpi::routine_of(kernel.key, no_regions)}, {"words", kernel.key.words},
                     {"all", statistics_document(kernel.executed)},        {"along", statistics_document(kernel.along)}};
    if (kernel.key.kind == selective::KernelKind::computation) {
      document["known"] = static_cast<bool>(known.at(i));
      document["flops"] = kernel.flops;
    }
    list.push_back(std::move(document));
  }
  return list;
}

MpiTimeline timelines(const std::vector<SmpiProcess*>& processes, Seconds end) {
  MpiTimeline found;
  for (const SmpiProcess* process : processes) {
    found.bin = std::max(found.bin, process->timeline.width());
  }
  const std::size_t bins = std::min(static_cast<std::size_t>(std::ceil(end / found.bin)), mpi::TimelineBins::max_bins);
  const std::size_t stride = (processes.size() + MpiTimeline::max_processes - 1) / MpiTimeline::max_processes;
  for (std::size_t rank = 0; rank < processes.size(); rank += stride) {
    processes[rank]->timeline.widen_to(found.bin);
    found.processes.push_back(processes[rank]->timeline.timeline(static_cast<int>(rank), bins));
  }
  return found;
}

std::vector<MpiWaiting> longest_waits(const std::vector<SmpiProcess*>& processes) {
  std::vector<MpiWaiting> all;
  for (const SmpiProcess* process : processes) {
    for (const auto& [place, sum] : process->waits.longest_places(MpiProfile::max_waits)) {
      all.push_back({process->rank(), place.awaited, place.kind, mpi::routine_names.at(place.routine), "", "", sum.count, sum.seconds});
    }
  }
  keep_longest(all);
  return all;
}

json processes_document(const std::vector<SmpiProcess*>& processes, const std::vector<Seconds>& own_code) {
  json list = json::array();
  for (const SmpiProcess* process : processes) {
    const path::Costs& own = process->path().own();
    list.push_back({{"seconds", process->path().length()},
                    {"computation_seconds", own.computation},
                    {"communication_seconds", own.communication},
                    {"waiting_seconds", process->waited},
                    {"own_code_on_path_seconds", own_code[list.size()]},
                    {"messages", process->messages},
                    {"message_bytes", process->message_bytes},
                    {"flops", own.flops}});
  }
  return list;
}

json trace_document(const CallList& list) {
  Trace trace;
  trace.configuration.algorithm = "program";
  trace.calls = list.calls;
  make_virtual(trace);
  return {{"trace", to_json(trace)}, {"kernels", list.kernels}};
}

json traces_document(const ResultFacts& facts) {
  json list = json::array();
  for (const SmpiProcess* process : facts.processes) {
    if (!process->trace.calls.empty()) {
      list.push_back(trace_document(process->trace));
    }
  }
  if (!facts.first_calls->calls.empty()) {
    list.push_back(trace_document(*facts.first_calls));
  }
  return list;
}

/// Returns the file of the program's library that defines `routine`; empty if none does.
std::string library_of(const std::string& routine) { return mpi::file_of(routine_of_program(routine)); }

/// Returns the file that defines those called routines that aren't in `blas`; empty if there are none.
std::string lapack_beside(const std::string& blas, const selective::KernelTable& kernels) {
  const mpi::RegionNames no_regions;
  for (const selective::KernelRecord& kernel : kernels.kernels()) {
    if (kernel.key.kind == selective::KernelKind::computation) {
      std::string library = library_of(mpi::routine_of(kernel.key, no_regions));
      if (library != blas) {
        return library;
      }
    }
  }
  return "";
}

json document_of(const ResultFacts& facts, selective::KernelTable& kernels) {
  const SmpiProcess& last = last_to_end(facts.processes);
  const bool complete = std::all_of(facts.processes.begin(), facts.processes.end(),
                                    [](const SmpiProcess* process) { return process->path().log().complete(); });
  const std::vector<Seconds> own_code = follow_back(last, facts.processes, kernels);
  const std::string blas = library_of("dgemm");
  json document = {{"schema", protocol::smpi_result_schema},
                   {"ranks", facts.processes.size()},
                   {"seconds", last.path().length()},
                   {"blas", blas},
                   {"lapack", lapack_beside(blas, kernels)},
                   {"path_complete", complete},
                   {"path", last.path().mark().along},
                   {"own_code_seconds", std::accumulate(own_code.begin(), own_code.end(), 0.0)},
                   {"efficiencies", efficiencies_document(facts.processes, last.path().length())},
                   {"timeline", timelines(facts.processes, last.path().length())},
                   {"waits", longest_waits(facts.processes)},
                   {"processes", processes_document(facts.processes, own_code)},
                   {"kernels", kernels_document(kernels, facts.known)}};
  if (facts.traces) {
    document["traces"] = traces_document(facts);
  }
  return document;
}

}  // namespace

void write_result_file(const std::string& file, const ResultFacts& facts, selective::KernelTable& kernels) noexcept {
  try {
    replace_file(file, document_of(facts, kernels).dump(-1, ' ', false, json::error_handler_t::replace) + '\n');
  } catch (const std::exception& error) {
    std::fprintf(stderr, "flopcast: can't write the simulation's result: %s\n", error.what());
  }
}

}  // namespace flopcast::preload::smpi
