#pragma once

#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "flopcast/program/program_breakdown.hpp"
#include "flopcast/program/program_trace.hpp"
#include "flopcast/support/error.hpp"
#include "flopcast/tasks/programs/what_if_evaluation.hpp"
#include "tests/kernel/plain_call.hpp"
#include "tests/program/program_in_memory.hpp"

/// A recorded program in memory, and services with which libraries have a speed each.
namespace flopcast::tests {

/// Time per call at speed 1: the order for dpotrf and dgetrf, in seconds. Threads share this time if each of them but one has a cost.
class SpeedModels : public prediction::KernelModels {
 public:
  explicit SpeedModels(double speed, Seconds thread_cost = 0) : speed_(speed), thread_cost_(thread_cost) {}
  [[nodiscard]] model::Estimate evaluate(const Call& call, const prediction::Condition&) const override {
    const double sharing = thread_cost_ > 0 ? call.threads : 1;
    return {static_cast<double>(call.arguments[1]) / speed_ / sharing + thread_cost_ * (call.threads - 1), 0.1, call.arguments[1] > 100};
  }

 private:
  double speed_;
  Seconds thread_cost_;
};

/// The requests of the evaluation to its services.
struct ServicesLog {
  std::vector<std::string> opened;  ///< "blas threads kernels"
  std::vector<Seconds> budgets;     ///< budgets of each sampling
};

/// Decisions of a fake tuner.
struct FakeTuning {
  std::vector<tuning::Decision> decisions;
  bool cant_record = false;
};

class FakeLibraries : public WhatIfLibraries {
 public:
  FakeLibraries(const machine::LibraryChoice& libraries, const SpeedModels& models, FakeTuning tuning, ServicesLog& log)
      : models_(models), tuning_(std::move(tuning)), log_(log) {
    environment_.cpu = "a CPU";
    environment_.threads = libraries.threads;
    environment_.blas.name = libraries.blas;
    environment_.lapack.name = libraries.lapack;
  }

  [[nodiscard]] const Environment& environment() const override { return environment_; }
  const prediction::KernelModels& models(std::vector<tuning::Subject>&, Seconds budget, const std::string&) override {
    log_.budgets.push_back(budget);
    return models_;
  }
  RunDeviation run_deviation() override { return {0.02, 0}; }
  std::vector<program::TunableCall> tunable_calls(const Call& call) override {
    if (tuning_.cant_record) {
      throw environment_error("the routine can't be recorded");
    }
    const std::int64_t n = call.arguments[1];
    return {{call, {"", n, n, {32, 2, 128}}}};
  }
  std::vector<Call> kernel_calls(const Call& call, const algorithm::BlockParameters&) override { return {call}; }
  tuning::BlockSizeResult choose_blocks(std::span<const tuning::Problem> problems, Seconds budget, const std::string&) override {
    log_.budgets.push_back(budget);
    tuning::BlockSizeResult result;
    for (std::size_t i = 0; i < problems.size(); ++i) {
      result.decisions.push_back(tuning_.decisions.at(i));
    }
    return result;
  }

 private:
  Environment environment_;
  SpeedModels models_;
  FakeTuning tuning_;
  ServicesLog& log_;
};

/// Adds calls of dpotrf to a recording in memory.
class ProgramBuilder {
 public:
  ProgramBuilder() {
    trace_.summary.names = {"dpotrf"};
    trace_.summary.finished = true;
    trace_.summary.loaded = 1;
    trace_.summary.seconds = 1000;
  }
  /// Adds a call of order n to a thread. Its flags tell whether it met NaN.
  ProgramBuilder& call(std::size_t thread, std::int64_t n, Seconds start, Seconds seconds, bool met_invalid = false) {
    while (trace_.events.size() <= thread) {
      trace_.summary.threads.push_back({100, static_cast<std::uint32_t>(200 + trace_.events.size())});
      trace_.events.emplace_back();
    }
    program::ProgramEvent event;
    event.start = start;
    event.seconds = seconds;
    event.met_invalid = met_invalid;
    event.call = kernel::call("dpotrf", {'L', n, 0x100000, n});
    trace_.events[thread].push_back(event);
    return *this;
  }
  ProgramBuilder& thread_variables(program::ThreadVariables variables) {
    trace_.summary.thread_variables = std::move(variables);
    return *this;
  }
  ProgramBuilder& dry_run() {
    trace_.summary.dry_run = true;
    return *this;
  }
  [[nodiscard]] program::ProgramInMemory build() const { return program::ProgramInMemory(trace_); }

 private:
  program::ProgramTrace trace_;
};

/// Evaluates questions about a program that was recorded with "slow" at speed 1; "fast" has speed 4, "one" has one thread only.
class FakeServices {
 public:
  FakeServices() {
    services_.open = [this](const machine::LibraryChoice& libraries, bool) {
      log.opened.push_back(libraries.blas + " " + std::to_string(libraries.threads) + " " + libraries.kernels);
      return std::make_unique<FakeLibraries>(libraries, SpeedModels(speeds.at(libraries.blas), thread_cost), tuning, log);
    };
    services_.require_usable = [this](const WhatIf&, const machine::LibraryChoice& libraries) {
      if (speeds.count(libraries.blas) == 0) {
        throw bad_input("there is no library {}", libraries.blas);
      }
    };
    services_.has_one_thread = [](const std::string& blas) { return blas == "one"; };
    services_.integer_bytes = [](const std::string& blas) { return blas == "wide" ? std::optional(8) : std::nullopt; };
    services_.is_here = [this](const program::RecordedPlace&) { return is_here; };
    place.blas = "slow";
    place.threads = 1;
    options.one_thread_remedy = [](const WhatIf&) { return "Ask threads=1"; };
    options.failed = [this](const WhatIfResult& result) { failures.push_back(result.failure); };
  }

  std::vector<WhatIfResult> ask_all(const std::vector<std::string>& questions, const program::RecordedProgram& program,
                                    const RunContext& context = {}) {
    std::vector<WhatIf> parsed;
    for (const std::string& question : questions) {
      parsed.push_back(parse_what_if(question));
    }
    services_.cpus = cpus;
    const program::ProgramBreakdown breakdown(program);
    std::vector<WhatIfResult> results;
    for (WhatIfEvaluation& one : evaluate(parsed, program, breakdown, place, options, services_, context)) {
      results.push_back(std::move(one.result));
    }
    return results;
  }
  WhatIfResult ask(const std::string& question, const program::RecordedProgram& program) { return ask_all({question}, program).front(); }

  std::map<std::string, double> speeds = {{"slow", 1}, {"fast", 4}, {"one", 1}};
  double cpus = 1;
  Seconds thread_cost = 0;
  bool is_here = true;
  FakeTuning tuning;
  program::RecordedPlace place;
  EvaluationOptions options;
  ServicesLog log;
  std::vector<std::string> failures;

 private:
  WhatIfServices services_;
};

}  // namespace flopcast::tests
