#pragma once

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <functional>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <vector>

#include "flopcast/support/error.hpp"
#include "flopcast/tasks/roofline/roofline_machine.hpp"

namespace flopcast {

/// Two sockets with two cores each, on a clock of its own: each sample of a roof takes `sample_seconds`, a gemm its whole time budget. The
/// log has all that was asked for, in order.
class FakeMachine : public RooflineMachine {
 public:
  FakeMachine() {
    topology_.cpu = "Fake CPU";
    topology_.hardware_threads = 4;
    topology_.usable = {0, 1, 2, 3};
    topology_.places = {{0, 0, 0}, {1, 1, 0}, {2, 2, 1}, {3, 3, 1}};
    topology_.nominal_hertz = 1e9;
  }

  Seconds now() override { return now_; }
  std::string date() override { return "2026-01-02T03:04:05Z"; }
  machine::Topology topology() override { return topology_; }
  std::optional<double> cores_of_others() override { return others_; }
  std::int64_t available_memory_bytes() override { return std::int64_t{1} << 30U; }
  std::string huge_pages() override { return "never"; }
  double counter_hertz() override { return 0; }

  machine::MachineMeasurement caches(const machine::Topology&, bool, const Progress&) override {
    act("caches", 20);
    machine::MachineMeasurement measured;
    measured.hierarchy.levels = {{"L1", 32768, 32768, 32768}, {"L2", 1048576, 1048576, 1048576}};
    return measured;
  }

  std::unique_ptr<RoofLoops> start_threads(const std::vector<std::vector<int>>& cpus, const machine::MachineMeasurement&,
                                           const std::vector<machine::ReportedCache>&) override {
    act(fmt::format("threads on {}", fmt::join(cpus, " ")), 0);
    std::vector<int> threads;
    for (const std::vector<int>& team : cpus) {
      threads.push_back(static_cast<int>(team.size()));
    }
    return std::make_unique<Loops>(*this, std::move(threads));
  }

  DefaultLibraries default_libraries() override { return defaults_; }
  ChosenKernels choose_kernels(const std::string& library) override { return kernels_[library]; }

  roofline::GemmRoof search_gemm(const roofline::GemmSetup& setup, const roofline::GemmSpace& space,
                                 const roofline::GemmSearchOptions& options) override {
    searches_.push_back(options);
    act(fmt::format("{} of {} on {}", setup.routine, setup.library, fmt::join(setup.cpus, ",")),
        options.time_budget + options.confirmation_budget);
    if (refused_.count(setup.library) > 0) {
      throw bad_input("it has one thread only");
    }
    roofline::GemmRoof roof;
    roof.library.name = setup.library;
    roof.routine = setup.routine;
    roof.threads = setup.threads;
    roof.shape = space.shapes.front();
    roof.flops.samples = {14e9 * setup.threads};
    return roof;
  }

  TimedCalls time_calls(const std::vector<Call>& calls, const std::string& blas, int threads, const std::vector<CacheLevel>&) override {
    act(fmt::format("{} calls on '{}' with {} threads", calls.size(), blas, threads), 1);
    if (refused_.count(blas) > 0) {
      throw environment_error("it can't be loaded");
    }
    return {{{"call", 100, 400, threads, {{1e9}}}}, "fakeblas"};
  }

  roofline::Point recorded_program(const std::string& file) override { return {file, 100, 400, 1, {{2e9}}}; }

  /// Notes an action and lets its time pass; then `after_` may look at the log.
  void act(const std::string& what, Seconds seconds) {
    log_.push_back(what);
    now_ += seconds;
    if (after_) {
      after_(what);
    }
  }

  machine::Topology topology_;
  std::optional<double> others_ = 0;
  Seconds now_ = 100;  // any origin
  Seconds sample_seconds_ = 0.1;
  DefaultLibraries defaults_ = {"serial", "parallel"};
  std::map<std::string, ChosenKernels> kernels_;
  std::set<std::string> refused_;
  std::function<void(const std::string&)> after_;
  std::vector<std::string> log_;
  std::vector<roofline::GemmSearchOptions> searches_;

 private:
  class Loops : public RoofLoops {
   public:
    Loops(FakeMachine& machine, std::vector<int> threads) : machine_(machine), threads_(std::move(threads)) {}

    std::vector<roofline::ComputeRoof> compute(const roofline::ComputeOptions& options, const Progress& progress) override {
      std::vector<roofline::ComputeRoof> roofs;
      for (const int threads : threads_) {
        roofs.push_back({"FMA", "double", 4, 2, true, threads, {}, {}, 2});
      }
      samples(fmt::format("compute, seed {}", options.seed), options.rounds, progress, [&] {
        for (roofline::ComputeRoof& roof : roofs) {
          roof.flops.samples.push_back(16e9 * roof.threads);
          roof.clocks.push_back(1e9);
        }
      });
      return roofs;
    }

    std::vector<roofline::BandwidthRoof> bandwidth(const roofline::BandwidthOptions& options, const Progress& progress) override {
      return streams("bandwidth", options, progress);
    }
    std::vector<roofline::BandwidthRoof> triad_lengths(const roofline::BandwidthOptions& options, const Progress& progress) override {
      return streams("triad", options, progress);
    }

   private:
    std::vector<roofline::BandwidthRoof> streams(const std::string& what, const roofline::BandwidthOptions& options,
                                                 const Progress& progress) {
      std::vector<roofline::BandwidthRoof> roofs;
      for (const int threads : threads_) {
        roofs.push_back({"memory", "triad", false, threads, 100'000'000, 1.0 / 12, 1, {}});
      }
      const std::string names = options.streams.empty() ? "" : fmt::format(" of {}", fmt::join(options.streams, ","));
      samples(what + names, options.rounds, progress, [&] {
        for (roofline::BandwidthRoof& roof : roofs) {
          roof.bytes.samples.push_back(10e9);
        }
      });
      return roofs;
    }

    /// Takes one sample of every roof in each round, until `progress` ends it.
    void samples(const std::string& what, int rounds, const Progress& progress, const std::function<void()>& take) {
      int done = 0;
      do {
        machine_.now_ += machine_.sample_seconds_;
        take();
      } while (++done < rounds && progress(done, rounds));
      machine_.act(fmt::format("{}, {} of {} rounds", what, done, rounds), 0);
    }

    FakeMachine& machine_;
    std::vector<int> threads_;
  };
};

}  // namespace flopcast
