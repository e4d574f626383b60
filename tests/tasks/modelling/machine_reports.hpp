#pragma once

#include <gtest/gtest.h>

#include <map>
#include <string>
#include <vector>

#include "flopcast/machine/libraries/library_identity.hpp"
#include "flopcast/tasks/modelling/machine_services.hpp"

namespace flopcast {

inline machine::LibraryReport fake_library(const std::string& name, double rate) {
  machine::LibraryReport report;
  report.installed = {name, "/lib/" + name + ".so", true, false};
  report.identity = {name, "/lib/" + name + ".so", "1.2", "Zen", "serial", "digest of " + name};
  report.dgemm_flops = rate;
  return report;
}

inline machine::MachineMeasurement fake_measurement(const std::string& cpu) {
  machine::MachineMeasurement found;
  found.cpu = cpu;
  found.sweep.triad = {{4096, 1e-11}, {8192, 2e-11}};
  found.sweep.chase = {{4096, 1e-9}};
  found.sweep.parallel_chase = {{4096, 5e-10}};
  found.hierarchy.levels = {{.name = "L1", .capacity_bytes = 32768, .bandwidth = 1e11}};
  found.hierarchy.patterns = {{32768, 30000, 31000}};
  found.hierarchy.memory_bandwidth = 1e10;
  found.hierarchy.memory_latency = 1e-7;
  return found;
}

/// A machine with two kinds of cores and two libraries, whose rates follow each other.
class MachineReports : public ::testing::Test {
 protected:
  MachineReports() {
    topology_.cpu = "a CPU";
    topology_.cores = 4;
    topology_.usable = {0, 1, 2, 3};
    topology_.places = {{0, 0, 0, 0}, {1, 1, 0, 0}, {2, 2, 0, 1}, {3, 3, 0, 1}};
    topology_.usable_cores = 4;
    topology_.caches = {{1, 32768, 64, 8, 1}};
    topology_.kinds = {{"performance", {0, 1}, 2, 4e9, {{1, 32768, 64, 8, 1}}}, {"efficiency", {2, 3}, 2, 3e9, {}}};
    topology_.nominal_hertz = 2.5e9;
    topology_.invariant_tsc = true;
    rates_ = {{"openblas", {10e9}}, {"blis", {8e9}}};
  }

  MachineServices services() {
    return {[this] { return topology_; },
            [this] {
              std::vector<machine::InstalledLibrary> installed;
              for (const auto& [name, unused] : rates_) {
                installed.push_back(fake_library(name, 0).installed);
              }
              return installed;
            },
            [this](const machine::InstalledLibrary& installed) {
              std::vector<double>& rates = rates_.at(installed.name);
              const double rate = rates.front();
              if (rates.size() > 1) {
                rates.erase(rates.begin());
              }
              return fake_library(installed.name, rate);
            },
            [this](const machine::Topology& topology) {
              measured_.push_back(topology.usable);
              machine::MachineMeasurement found = fake_measurement(topology.cpu);
              found.dgemm_rates = known_rates_;
              return found;
            },
            [](const machine::Topology&) {
              return std::vector<machine::BandwidthShare>{{2, 0.9, 0.6}};
            },
            [this](const machine::Topology&, const std::map<std::string, double>& rates) { kept_ = rates; },
            [] {
              return ClockReport{{1e-9, 2e-9}, {3e-9, 4e-9}, true, 2e9, 3.9e9, {0.01, 0.02, 0, 20e-6}};
            },
            [this](Seconds seconds) { paused_ += seconds; }};
  }

  static std::string key(const std::string& name) { return machine::library_key(fake_library(name, 0).identity); }

  machine::Topology topology_;
  std::map<std::string, std::vector<double>> rates_;  ///< rates that inspections of each library find; the last one stays
  std::map<std::string, double> known_rates_, kept_;
  std::vector<std::vector<int>> measured_;
  Seconds paused_ = 0;
};

}  // namespace flopcast
