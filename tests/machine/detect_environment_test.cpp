#include "flopcast/support/error.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <fstream>

#include "flopcast/machine/detect_environment.hpp"
#include "flopcast/machine/libraries/library_identity.hpp"
#include "flopcast/machine/machine_file_json.hpp"

namespace flopcast::machine {
namespace {

namespace fs = std::filesystem;

Topology two_cores() {
  Topology topology;
  topology.cpu = "Some CPU (family 6, model 207, stepping 2)";
  topology.cores = 2;
  topology.caches = {{1, 49152, 64, 12, 1}, {2, 2097152, 64, 16, 1}};
  return topology;
}

LibraryIdentity openblas() { return {"openblas", "/somewhere/libopenblas.so.0", "0.3.21", "SkylakeX", "serial", "build-id:1234"}; }

MachineMeasurement measurement() {
  MachineMeasurement made;
  made.cpu = two_cores().cpu;
  made.sweep.triad = {{4096, 1e-11}, {8192, 2e-11}};
  made.sweep.chase = {{4096, 1e-9}};
  made.sweep.parallel_chase = {{4096, 2e-10}};
  made.sweep.huge_pages = true;
  made.hierarchy.levels = {{"L1", 49152, 45056, 53248, 49152, 64, 12, 4e11, 1.5e-9}};
  made.hierarchy.patterns = {{50000, 48000, 0}};
  made.hierarchy.memory_bandwidth = 1.6e10;
  made.hierarchy.memory_latency = 1e-7;
  made.bandwidth_shares = std::vector<BandwidthShare>{{2, 0.9, 0.7}};
  made.peaks = {{library_key(openblas()), 8e10}};
  made.peak_moments = {{library_key(openblas()), 2}};
  made.dgemm_rates = {{library_key(openblas()), 7e10}};
  return made;
}

/// Measurement in a directory of the test's own, because other tests run at the same time.
class KeptMeasurement : public ::testing::Test {
 protected:
  void SetUp() override {
    std::string pattern = (fs::temp_directory_path() / "flopcast_machine_test.XXXXXX").string();
    directory_ = ::mkdtemp(pattern.data());
  }
  void TearDown() override { fs::remove_all(directory_); }

  fs::path directory_;
};

TEST(Fingerprint, DependsOnCpuBuildAndKernels) {
  const Topology topology = two_cores();
  const std::string original = fingerprint(topology, openblas(), {});
  EXPECT_EQ(original, fingerprint(two_cores(), openblas(), {}));
  EXPECT_EQ(original.size(), 16U);

  LibraryIdentity other_kernels = openblas();
  other_kernels.kernels = "Haswell";
  EXPECT_NE(original, fingerprint(topology, other_kernels, {}));
  LibraryIdentity other_build = openblas();
  other_build.digest = "build-id:5678";
  EXPECT_NE(original, fingerprint(topology, other_build, {}));
  Topology other_cpu = topology;
  other_cpu.cpu = "Another CPU";
  EXPECT_NE(original, fingerprint(other_cpu, openblas(), {}));
}

TEST(Fingerprint, IgnoresLimitsOfTheProcessAndPaths) {
  Topology later = two_cores();
  later.usable = {1};
  later.usable_cores = 1;
  later.cpu_quota = 0.5;
  later.memory_bytes = 1;
  LibraryIdentity moved = openblas();
  moved.path = "/elsewhere/libopenblas.so.0";
  EXPECT_EQ(fingerprint(two_cores(), openblas(), {}), fingerprint(later, moved, {}));
}

TEST_F(KeptMeasurement, IsReadBackUnchanged) {
  const fs::path file = directory_ / "below" / "machine.json";
  write_measurement(file, measurement());
  const auto read = read_measurement(file);
  ASSERT_TRUE(read);
  EXPECT_EQ(nlohmann::json(*read), nlohmann::json(measurement()));
  EXPECT_EQ(std::distance(fs::directory_iterator(file.parent_path()), {}), 1) << "no temporary file is left";
}

TEST_F(KeptMeasurement, MayComeFromAVersionWithoutTheParallelChase) {
  nlohmann::json json = measurement();
  json.erase("parallel_chase");
  json.erase("patterns");
  const auto read = json.get<MachineMeasurement>();
  EXPECT_TRUE(read.hierarchy.patterns.empty());
  EXPECT_EQ(read.hierarchy.levels, measurement().hierarchy.levels);
}

TEST_F(KeptMeasurement, IsUsedInsteadOfMeasuring) {
  const Topology topology = two_cores();
  write_measurement(directory_ / ("machine-" + hardware_fingerprint(topology) + ".json"), measurement());
  DetectOptions options;
  options.directory = directory_;
  options.progress = [](std::int64_t, std::int64_t) -> bool { throw internal_error("it measures"); };
  EXPECT_EQ(measured_machine(topology, options).hierarchy.levels, measurement().hierarchy.levels);
  options.refresh = true;
  EXPECT_THROW(measured_machine(topology, options), Error);
}

TEST_F(KeptMeasurement, IsMeasuredAgainOnceTheMachineIsIdleIfItWasBusy) {
  const Topology topology = two_cores();
  const fs::path file = directory_ / ("machine-" + hardware_fingerprint(topology) + ".json");
  DetectOptions options;
  options.directory = directory_;
  options.progress = [](std::int64_t, std::int64_t) -> bool { throw internal_error("it measures"); };
  options.is_busy = [] { return true; };
  MachineMeasurement noisy = measurement();
  noisy.busy_cores = 1.7;
  write_measurement(file, noisy);
  EXPECT_EQ(measured_machine(topology, options), noisy);
  options.is_busy = [] { return false; };
  EXPECT_THROW(measured_machine(topology, options), Error);
  EXPECT_EQ(read_measurement(file), noisy) << "it stays until there is a new one";
  write_measurement(file, measurement());
  EXPECT_EQ(measured_machine(topology, options), measurement());
}

TEST_F(KeptMeasurement, StaysWhereNoCacheShowsLater) {
  const Topology topology = two_cores();
  int sweeps = 0;
  DetectOptions options;
  options.directory = directory_;
  options.is_busy = [] { return false; };
  options.sweep = [&] {  // as under valgrind: all working sets take as long
    ++sweeps;
    CacheSweep flat;
    for (double bytes = 4096; bytes < 1 << 28; bytes *= 2) {
      flat.triad.push_back({bytes, 1e-10});
      flat.chase.push_back({bytes, 1e-8});
    }
    return flat;
  };
  EXPECT_THAT([&] { measured_machine(topology, options); },
              ::testing::ThrowsMessage<Error>(::testing::HasSubstr("no cache shows in 16 working sets from 4 KiB to 128 MiB")));
  MachineMeasurement noisy = measurement();
  noisy.busy_cores = 1.7;
  write_measurement(directory_ / ("machine-" + hardware_fingerprint(topology) + ".json"), noisy);
  EXPECT_EQ(measured_machine(topology, options), noisy);
  EXPECT_EQ(measured_machine(topology, options), noisy);
  EXPECT_EQ(sweeps, 2) << "the process tries once";
}

TEST_F(KeptMeasurement, BandwidthSharesAreMeasuredWhenFirstAskedFor) {
  const Topology topology = two_cores();  // this process may use none of these CPUs
  const fs::path file = directory_ / ("machine-" + hardware_fingerprint(topology) + ".json");
  DetectOptions options;
  options.directory = directory_;
  write_measurement(file, measurement());
  EXPECT_EQ(measured_bandwidth_shares(topology, options), *measurement().bandwidth_shares);
  MachineMeasurement from_before = measurement();
  from_before.bandwidth_shares.reset();
  write_measurement(file, from_before);
  EXPECT_THAT(measured_bandwidth_shares(topology, options), ::testing::IsEmpty());
  ASSERT_TRUE(read_measurement(file));
  EXPECT_TRUE(read_measurement(file)->bandwidth_shares) << "that there are none is kept";
}

TEST_F(KeptMeasurement, IsIgnoredIfTruncatedOrForeign) {
  const fs::path file = directory_ / "machine.json";
  EXPECT_FALSE(read_measurement(file));
  write_measurement(file, measurement());
  fs::resize_file(file, fs::file_size(file) / 2);
  EXPECT_FALSE(read_measurement(file));
  std::ofstream(file) << R"({"schema": "flopcast-measured-machine-99"})";
  EXPECT_FALSE(read_measurement(file));
}

TEST_F(KeptMeasurement, ErrorNamesTheFileThatCannotBeWritten) {
  std::ofstream(directory_ / "file") << "in the way";
  try {
    write_measurement(directory_ / "file" / "machine.json", measurement());
    FAIL() << "a file is no directory";
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ExitCode::environment);
    EXPECT_THAT(error.what(), ::testing::HasSubstr("FLOPCAST_HOME"));
  }
}

TEST_F(KeptMeasurement, StaysInTheProcessIfItCannotBeWritten) {
  std::ofstream(directory_ / "file") << "in the way";
  std::vector<std::string> reasons;
  DetectOptions options;
  options.directory = directory_ / "file";
  options.quick = true;
  options.unkept = [&](const std::string& reason) { reasons.push_back(reason); };
  const Topology topology = detect_topology();
  EXPECT_FALSE(is_measured(topology, options.directory));
  MachineMeasurement made;
  try {
    made = measured_machine(topology, options);
  } catch (const Error& error) {
    GTEST_SKIP() << error.what();  // no cache shows on this machine now
  }
  EXPECT_THAT(reasons, ::testing::ElementsAre(::testing::HasSubstr("FLOPCAST_HOME names another directory")));
  EXPECT_TRUE(is_measured(topology, options.directory));
  options.progress = [](std::int64_t, std::int64_t) -> bool { throw internal_error("it measures"); };
  options.is_busy = [] { return true; };
  EXPECT_EQ(measured_machine(topology, options), made);
  EXPECT_EQ(reasons.size(), 1U);
  options.unkept = nullptr;
  EXPECT_THROW(keep_dgemm_rates(topology, {{"library", 1e9}}, options), Error);
}

TEST_F(KeptMeasurement, HasNoBandwidthSharesIfThreadsCannotBePinned) {
  Topology topology = two_cores();
  topology.places = {{1 << 20, 0, 0}, {(1 << 20) + 1, 1, 0}};  // no system has these CPUs
  MachineMeasurement without = measurement();
  without.bandwidth_shares.reset();
  write_measurement(directory_ / ("machine-" + hardware_fingerprint(topology) + ".json"), without);
  DetectOptions options;
  options.directory = directory_;
  EXPECT_THROW(measured_bandwidth_shares(topology, options), Error);
  EXPECT_THAT(bandwidth_shares_if_measurable(topology, options), ::testing::IsEmpty());
}

TEST(MachineDirectory, FollowsTheEnvironment) {
  setenv("FLOPCAST_HOME", "/a", 1);
  EXPECT_EQ(machine_directory(), fs::path("/a"));
  unsetenv("FLOPCAST_HOME");
  setenv("XDG_CACHE_HOME", "/b", 1);
  EXPECT_EQ(machine_directory(), fs::path("/b/flopcast"));
  unsetenv("XDG_CACHE_HOME");
  setenv("HOME", "/c", 1);
  EXPECT_EQ(machine_directory(), fs::path("/c/.cache/flopcast"));
  unsetenv("HOME");
  EXPECT_THROW(machine_directory(), Error);
}

}  // namespace
}  // namespace flopcast::machine
