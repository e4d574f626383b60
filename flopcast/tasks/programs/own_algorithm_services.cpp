#include "flopcast/tasks/programs/own_algorithm_services.hpp"

#include <fmt/ranges.h>

#include <algorithm>
#include <optional>
#include <utility>

#include "flopcast/machine/cpu/other_load.hpp"
#include "flopcast/machine/cpu/topology.hpp"
#include "flopcast/model/on_demand.hpp"
#include "flopcast/model/store.hpp"
#include "flopcast/program/launch.hpp"
#include "flopcast/program/program_libraries.hpp"
#include "flopcast/program/program_recording.hpp"
#include "flopcast/support/child_process.hpp"
#include "flopcast/support/process_environment.hpp"
#include "flopcast/support/scratch.hpp"
#include "flopcast/support/stopwatch.hpp"
#include "flopcast/tasks/programs/candidate_ranking.hpp"
#include "flopcast/tasks/programs/opened_recording.hpp"
#include "flopcast/workbench/on_demand_sampling.hpp"

namespace flopcast {
namespace {

using program::ProgramEvent;
using Words = std::vector<std::string>;

/// Events of threads that followed each other.
struct Lane {
  std::vector<ProgramEvent> events;
  Seconds end = 0;
};

/// Runs programs and ranks their settings on this machine.
class ProgramRuns {
 public:
  ProgramRuns(const ProgramTuneRequest& request, const RunContext& context) : request_(request), context_(context) {}

  RecordedSetting record(const Words& command, bool dry) {
    if (!overhead_[dry ? 1 : 0]) {
      overhead_[dry ? 1 : 0] = start_of_recorder(dry);
    }
    const int exit_code = run(command, dry, request_.timeout);
    const OpenedRecording opened = opened_place();
    const program::ProgramSummary& summary = opened.file.summary();
    constexpr int killed = 137;
    RecordedSetting recorded;
    recorded.exit_code = exit_code;
    recorded.timed_out = exit_code == killed && summary.seconds >= request_.timeout;
    recorded.elapsed = std::max(0.0, summary.seconds - overhead_[dry ? 1 : 0]->delay);
    recorded.start_deviation = overhead_[dry ? 1 : 0]->deviation;
    recorded.parts = parts_of(opened.file, recorded.elapsed);
    if (dry) {  // the calls of other runs took longer, too
      for (CandidatePart& part : recorded.parts) {
        part.own_seconds *= share_of_core(summary);
      }
    }
    recorded.calls = calls_of(opened.file);
    return recorded;
  }

  CandidateRanking rank(std::vector<Candidate> candidates, Seconds time_budget) {
    if (!bench_) {
      bench_.emplace(Workbench::opened(libraries_, context_));
    }
    for (Candidate& candidate : candidates) {
      for (CandidatePart& part : candidate.parts) {
        for (Call& call : part.trace.calls) {
          call.threads = libraries_.threads;
        }
      }
    }
    models_.emplace(bench_->models(bench_->store(), routines_of(candidates)));
    const auto sampled = [&](std::vector<tuning::Subject>& traces, const auto& weigh) -> const model::OnDemandModels& {
      sample_missing(traces, *bench_, bench_->store(), *models_, time_budget, "sampling kernels", context_, weigh);
      return *models_;
    };
    ranker_.emplace(std::move(candidates), CandidateServices{bench_->environment(), sampled});
    return ranker_->ranking();
  }

  CandidateRanking rank_again(std::size_t candidate, Seconds change, Seconds deviation) {
    ranker_->set_own(candidate, change, deviation);
    return ranker_->ranking();
  }

  [[nodiscard]] std::string place() const { return place_text(bench_->environment()); }

 private:
  int run(const Words& command, bool dry, Seconds limit) const {
    const machine::Topology topology = machine::detect_topology();
    return program::record_program({command, program::program_libraries("", "", command), request_.threads},
                                   {scratch_.file("run.trace"), dry, {topology.cpu, topology.cores}, false, true, limit});
  }

  /// Returns the latest recording. The first one with calls of a BLAS says with which libraries kernels are predicted.
  OpenedRecording opened_place() {
    OpenedRecording opened(scratch_.file("run.trace"));
    if (libraries_.blas.empty() && !opened.place.blas.empty()) {
      if (const std::string assumed = opened.complete_place(request_.threads, context_); !assumed.empty()) {
        context_.note(assumed);
      }
      libraries_ = libraries_for(opened, {});
    }
    return opened;
  }

  /// Time by which recording delays the start of a program.
  struct Start {
    Seconds delay = 0, deviation = 0;
  };

  [[nodiscard]] Start start_of_recorder(bool dry) const {
    constexpr int runs = 3;
    constexpr double range_over_deviation = 1.693;  // of three normal values, in the mean
    constexpr Seconds limit = 10;
    const auto nothing = program_in_path("true");
    std::vector<Seconds> plain, recorded;
    for (int i = 0; nothing && i < runs; ++i) {
      ChildSetup setup;
      setup.silent = true;
      ProcessUsage usage;
      run_in_foreground(*nothing, {"true"}, process::current_environment(), setup, &usage);
      plain.push_back(usage.elapsed);
      run({"true"}, dry, limit);
      recorded.push_back(program::ProgramTraceFile(scratch_.file("run.trace")).summary().seconds);
    }
    if (!nothing) {
      return {};
    }
    const auto [least, most] = std::minmax_element(recorded.begin(), recorded.end());
    return {std::max(0.0, *least - *std::min_element(plain.begin(), plain.end())), (*most - *least) / range_over_deviation};
  }

  const ProgramTuneRequest& request_;
  const RunContext& context_;
  ScratchFolder scratch_;
  std::optional<Start> overhead_[2];  ///< delays of runs with all calls executed, and of dry ones
  machine::LibraryChoice libraries_;
  std::optional<Workbench> bench_;
  std::optional<model::OnDemandModels> models_;
  std::optional<CandidateRanker> ranker_;
};

}  // namespace

std::vector<CandidatePart> parts_of(const program::RecordedProgram& program, Seconds elapsed) {
  std::vector<Lane> threads, lanes;
  for (std::size_t t = 0; t < program.summary().threads.size(); ++t) {
    Lane& thread = threads.emplace_back();
    program.visit(t, [&](const ProgramEvent& event) {
      thread.events.push_back(event);
      thread.end = std::max(thread.end, event.start + event.seconds + event.skipping);
    });
  }
  std::erase_if(threads, [](const Lane& thread) { return thread.events.empty(); });
  std::stable_sort(threads.begin(), threads.end(),
                   [](const Lane& a, const Lane& b) { return a.events.front().start < b.events.front().start; });
  for (Lane& thread : threads) {
    const auto before = std::find_if(lanes.begin(), lanes.end(), [&](const Lane& lane) { return lane.end <= thread.events.front().start; });
    if (before == lanes.end()) {
      lanes.push_back(std::move(thread));
    } else {
      std::move(thread.events.begin(), thread.events.end(), std::back_inserter(before->events));
      before->end = thread.end;
    }
  }
  std::vector<CandidatePart> parts;
  for (const Lane& lane : lanes) {
    CandidatePart& part = parts.emplace_back(CandidatePart{program::to_trace(lane.events), elapsed});
    part.trace.measured.clear();
    for (const ProgramEvent& event : lane.events) {
      part.own_seconds -= event.described() ? event.seconds + event.skipping : event.skipping;
    }
    part.own_seconds = std::max(0.0, part.own_seconds);
  }
  return parts.empty() ? std::vector{CandidatePart{{}, elapsed}} : parts;
}

double share_of_core(const program::ProgramSummary& summary) {
  const bool is_disturbed = summary.other_cores >= machine::OtherLoad::much && summary.threads.size() <= 1;
  return is_disturbed && summary.cores_got > 0 ? std::min(1.0, summary.cores_got) : 1;
}

std::map<std::string, SameCalls> calls_of(const program::RecordedProgram& program) {
  std::map<std::string, SameCalls> all;
  for (std::size_t t = 0; t < program.summary().threads.size(); ++t) {
    program.visit(t, [&](const ProgramEvent& event) {
      if (event.described()) {
        SameCalls& same = all[fmt::format("{} {} {}", event.call.routine->name, flags(event.call), fmt::join(sizes(event.call), " "))];
        if (same.calls++ == 0) {
          same.work = flops(event.call);
          for (const Operand& operand : operands(event.call)) {
            same.work += static_cast<double>(operand.bytes());
          }
        }
      }
    });
  }
  return all;
}

ProgramTuning tune_program(const Workbench& bench, const ProgramTuneRequest& request, const RunContext& context) {
  ProgramRuns runs(request, context);
  ProgramTuneServices services;
  services.record = [&](const Words& command, bool dry) { return runs.record(command, dry); };
  services.rank = [&](std::vector<Candidate> candidates, Seconds budget) { return runs.rank(std::move(candidates), budget); };
  services.rank_again = [&](std::size_t candidate, Seconds change, Seconds deviation) {
    return runs.rank_again(candidate, change, deviation);
  };
  services.place = [&] { return runs.place(); };
  services.race = [&](const RaceRequest& race) { return race_commands(bench, race, context); };
  services.clock = [watch = Stopwatch()] { return watch.elapsed(); };
  return tune_program(request, services, context);
}

}  // namespace flopcast
