#include <gmock/gmock.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <map>
#include <ostream>
#include <set>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include <nlohmann/json.hpp>

#include "flopcast/cache/placement.hpp"
#include "flopcast/kernel/drivers.hpp"
#include "flopcast/machine/cpu/topology.hpp"
#include "flopcast/machine/detect_environment.hpp"
#include "flopcast/machine/libraries/in_child.hpp"
#include "flopcast/machine/libraries/library.hpp"
#include "flopcast/machine/libraries/library_identity.hpp"
#include "flopcast/measure/placed_call.hpp"
#include "flopcast/measure/sampler.hpp"
#include "flopcast/model/artifacts.hpp"
#include "flopcast/model/on_demand.hpp"
#include "flopcast/tasks/programs/doctor_findings.hpp"
#include "flopcast/tasks/programs/opened_recording.hpp"
#include "flopcast/tune/sampling.hpp"
#include "flopcast/workbench/kernel_choice.hpp"
#include "flopcast/workbench/workbench.hpp"
#include "tests/own_folder.hpp"

namespace flopcast::program {
namespace {

namespace fs = std::filesystem;

/// The way in which a program is run, and what the doctor finds. The shell expands the variables of IllProgram in both texts.
struct Patient {
  std::string before;            ///< variables and commands before flopcast
  std::string arguments;         ///< arguments of ill_program
  std::set<std::string> causes;  ///< without those that depend on other programs
  std::string starter = {};      ///< command behind flopcast that starts the program
};

/// An ill program and the same program in health.
struct Illness {
  std::string name;
  std::string cure;  ///< the change that makes every call of the ill program fast, as --what-if takes it; empty: other calls do
  Patient ill, healthy;
  std::string slow = {};            ///< the change that makes every call slow; empty: the recorded libraries do
  bool has_better_kernels = false;  ///< OpenBLAS's kernels for a Prescott are better than those that it chooses by itself
};
void PrintTo(const Illness& illness, std::ostream* stream) { *stream << illness.name; }

/// Programs with known illnesses on a machine whose measurements are planted. The models say that every call of an ill program takes five
/// times as long as in a run that is recorded, and a fifth of that run's time once the program is cured. That recording is what the doctor
/// reads: two runs beside other tests, whose threads wait for one another, may differ more than these times. The healthy twin is run.
class IllProgram : public testing::TestWithParam<Illness> {
 protected:
  static constexpr double ill = 5, cured = 0.2;

  void SetUp() override {
    KernelVariables::clear();
    set("FLOPCAST_HOME", own_.path().string());
    set("cpu", std::to_string(topology_.usable.front()));
    set("cpus", std::to_string(topology_.usable_cores));
    set("many", std::to_string(2 * topology_.usable_cores));
    set("openblas", folder_of("openblas-pthread"));
    set("reference", folder_of("reference"));
    set("fast", machine::default_blas());
    std::ofstream(own_.path() / "quota")
        << "unshare --user --map-root-user --mount sh -c '\n"
           "mount -t tmpfs tmpfs /sys/fs/cgroup && cd /sys/fs/cgroup && mkdir unified cpu cpu,cpuacct\n"
           "for i in . unified; do echo 100000 100000 >$i/cpu.max; done\n"
           "for i in cpu cpu,cpuacct; do for j in quota period; do echo 100000 >$i/cpu.cfs_${j}_us; done; done\n"
           "cd \"$0\" && exec \"$@\"' \"$PWD\" \"$@\"\n";
  }

  /// Runs a command of flopcast.
  tests::Result run(const std::string& command, const Patient& patient) {
    return tests::run_in(own_.path(), patient.before + " " FLOPCAST_PROGRAM " " + command);
  }

  static std::string program(const Patient& patient) { return " -- " + patient.starter + " " FLOPCAST_ILL_PROGRAM " " + patient.arguments; }

  /// Returns the causes that the doctor finds in a run of the program, or in the given recording of it.
  std::set<std::string> causes(const Patient& patient, const std::string& recording = "") {
    const std::string source = recording.empty() ? program(patient) : " --recording " + recording;
    const tests::Result found = run("doctor --json --output found.json --time-budget 0s" + source, patient);
    EXPECT_TRUE(!recording.empty() || found.out.find("done") != std::string::npos) << found.err;
    document_ = nlohmann::json::parse(tests::contents(own_.path() / "found.json"));
    std::set<std::string> all;
    for (const nlohmann::json& finding : document_.at("findings")) {
      all.insert(finding.at("cause").get<std::string>());
    }
    all.erase("other_programs");  // depends on this machine's moment
    all.erase("first_calls");     // libraries start in programs as short as these
    return all;
  }

  /// Records the program, and plants the times of its calls and of those that cure it.
  void plant(const Illness& illness) {
    ASSERT_THAT(run("record --output ill.trace" + program(illness.ill), illness.ill).out, testing::HasSubstr("done"));
    OpenedRecording opened(own_.path() / "ill.trace");
    plant_kernels("openblas-pthread");
    plant_kernels(machine::default_blas());
    opened.complete_place({}, {});
    const auto libraries = [&](const std::string& change) {
      const std::string text = tests::run_in(own_.path(), "printf %s \"" + change + '"').out;
      return libraries_for(opened, text.empty() ? WhatIf() : parse_what_if(text));
    };
    plant_calls(opened, libraries(illness.slow), ill, true);
    if (!illness.cure.empty()) {
      plant_calls(opened, libraries(illness.cure), cured, false);
    }
  }

  tests::OwnFolder own_;
  machine::Topology topology_ = machine::detect_topology();
  nlohmann::json document_;  ///< last diagnosis

 private:
  static void set(const char* variable, const std::string& value) { setenv(variable, value.c_str(), 1); }

  static std::string folder_of(const std::string& library) { return machine::locate(library, machine::Role::blas).parent_path().string(); }

  /// Says which kernels a library chooses, and that those for a Prescott are better or worse.
  void plant_kernels(const std::string& library) {
    const fs::path file = machine::locate(library, machine::Role::blas);
    nlohmann::json choice = {{"kernels", ""}, {"dgemm_flops_per_second", 1e10}};
    if (GetParam().cure == "kernels=auto") {
      choice["kernels"] =
          machine::in_child([&] { return nlohmann::json(machine::Library::open(file.string()).identity().kernels); }, limit);
    }
    if (GetParam().has_better_kernels) {
      choice["better"] = {{"setting", "OPENBLAS_CORETYPE=Prescott"}, {"dgemm_flops_per_second", 1e11}};
    }
    model::Store store = model::Store::open();
    put_artifact(store, model::artifact::kernel_choice, library_key(file), choice);
    put_artifact(store, model::artifact::kernel_comparison, library_key(file) + " OPENBLAS_CORETYPE=Prescott ",
                 {{"had", 1e9}, {"best", 1e10}});
  }

  /// Plants caches and the peak of a library.
  void plant_machine(const LibraryIdentity& blas) {
    machine::MachineMeasurement measurement;
    measurement.cpu = topology_.cpu;
    measurement.hierarchy.levels = {{.name = "L1", .capacity_bytes = 48 << 10, .bandwidth = 100e9},
                                    {.name = "L2", .capacity_bytes = 2 << 20, .bandwidth = 50e9},
                                    {.name = "L3", .capacity_bytes = 64 << 20, .bandwidth = 25e9}};
    measurement.hierarchy.memory_bandwidth = 12e9;
    measurement.sweep.triad = measurement.sweep.chase = {{4096, 1e-11}};
    const std::string key = machine::library_key(blas);
    measurement.peaks = {{key, 7e10}};
    measurement.peak_moments = {{key, 3}};
    machine::write_measurement(own_.path() / ("machine-" + machine::hardware_fingerprint(topology_) + ".json"), measurement);
  }

  /// Plants times of the recorded calls with these libraries: `factor` times as long for their flops as recorded. With `has_cure`, calls
  /// that do the same in a better way are cured.
  void plant_calls(const OpenedRecording& opened, const machine::LibraryChoice& libraries, double factor, bool has_cure) {
    const auto plant = [&]() -> nlohmann::json {
      plant_machine(machine::LibrarySet::open(libraries.blas, libraries.lapack).blas());
      const Workbench bench = Workbench::opened(libraries, {});
      const Environment& environment = bench.environment();
      std::map<std::string, CallSum> sums;
      for (const ShapeSum& shape : opened.breakdown.shapes()) {
        sums[shape.longest.routine->name] += shape.sum;
      }
      std::vector<Sample> samples;
      for (const ThreadCalls& thread : described_calls(opened.file, opened.breakdown)) {
        const auto placements = cache::cache_state(thread.trace, environment.caches, cache::Start::filled).placements;
        for (std::size_t i = 0; i < thread.trace.calls.size(); ++i) {
          const Call& call = thread.trace.calls[i];
          const CallSum& sum = sums.at(call.routine->name);
          const Seconds recorded = sum.seconds / sum.flops * flops(call);
          add_sample(samples, call, placements[i], factor * recorded, environment);
          for (const Call& other : has_cure ? cures(call) : std::vector<Call>()) {
            add_sample(samples, other, tuning::subject_of(other, environment, true).placements[0], cured * recorded, environment);
          }
        }
      }
      bench.store().add_samples(samples);
      return {};
    };
    machine::in_child(plant, limit);  // each choice of libraries is loaded into a process of its own
  }

  /// Returns calls that do the same as an ill one.
  static std::vector<Call> cures(const Call& call) {
    std::vector<Call> all;
    if (const Call plain = with_plain_operands(call); plain.arguments != call.arguments) {
      all.push_back(plain);
    }
    for (const kernel::OtherDriver& other : kernel::other_drivers(call)) {
      if (other.call.routine->name == "dsyevd") {
        all.push_back(measure::with_addresses(other.call));
      }
    }
    return all;
  }

  static void add_sample(std::vector<Sample>& samples, Call call, const Placement& placement, Seconds seconds,
                         const Environment& environment) {
    call.threads = environment.threads;
    Sample sample = measure::empty_sample(call, "placed", environment);
    sample.key = model::OnDemandModels(environment).sample_key(call);
    sample.placement = placement;
    sample.repetitions.assign(5, {.seconds = seconds});
    sample.state.session = 490000;
    if (std::find(samples.begin(), samples.end(), sample) == samples.end()) {
      samples.push_back(std::move(sample));
    }
  }

  static constexpr Seconds limit = 60;
};

TEST_P(IllProgram, HasItsIllnessesAndItsTwinHasNone) {
  const Illness& illness = GetParam();
  if (illness.ill.before.find("quota") != std::string::npos && tests::run_in(own_.path(), "sh quota true").exit_code != 0) {
    GTEST_SKIP() << "this user may not mount folders";
  }
  if (illness.cure == "threads=$cpus" && topology_.usable_cores == 1) {
    GTEST_SKIP() << "there is one core only";
  }
  plant(illness);
  EXPECT_EQ(causes(illness.ill, "ill.trace"), illness.ill.causes) << document_.dump(2);
  if (!illness.healthy.arguments.empty()) {
    EXPECT_EQ(causes(illness.healthy), illness.healthy.causes) << document_.dump(2);
  }
}

const std::string one = "LD_LIBRARY_PATH=$openblas OPENBLAS_NUM_THREADS=1", prescott = "OPENBLAS_CORETYPE=Prescott " + one,
                  reference = "LD_LIBRARY_PATH=$reference", two_blas = "healthy with=$reference/libblas.so.3 ";
const Patient healthy{one, "healthy", {}};

std::string name_of(const testing::TestParamInfo<Illness>& tested) { return tested.param.name; }

INSTANTIATE_TEST_SUITE_P(
    OneIllness, IllProgram,
    testing::Values(
        Illness{"Quota", "threads=1", {one + " sh quota", "threads=2 healthy", {"too_many_threads"}}, {one + " sh quota", "healthy", {}}},
        Illness{"Affinity",
                "threads=1",
                {one + " taskset -c $cpu", "threads=2 healthy", {"too_many_threads"}},
                {one + " taskset -c $cpu", "healthy", {}}},
        Illness{"AffinityOfTheProgramAlone",
                "threads=1",
                {one, "threads=2 healthy", {"too_many_threads"}, "taskset -c $cpu"},
                {one, "healthy", {}, "taskset -c $cpu"}},
        Illness{"Cores", "threads=$cpus", {one, "threads=$many healthy", {"too_many_threads"}}, {one, "threads=$cpus healthy", {}}},
        Illness{"NestedThreads", "threads=1", {one, "threads=2 callers", {"nested_threads"}}, {one, "callers", {}}},
        Illness{"ThreadsUnused", "threads=$cpus", {one, "healthy", {"threads_unused"}}, {one, "threads=$cpus healthy", {}}},
        Illness{"ThreadsSlow", "threads=1", {one, "threads=$cpus healthy", {"threads_slow"}}, healthy},
        Illness{"ReferenceBlas", "blas=$fast,threads=1", {reference, "healthy", {"reference_blas"}}, healthy},
        Illness{"SelectedKernels", "kernels=auto", {prescott, "healthy", {"misread_kernels"}}, healthy},
        Illness{"MisreadKernels", "kernels=auto", {one, "healthy", {"misread_kernels"}}, {prescott, "healthy", {}}, "", true},
        Illness{"SeveralBlas",
                "blas=openblas-pthread,threads=1",
                {one, two_blas, {"several_blas"}},
                {one, "healthy with=$openblas/libblas.so.3", {}},
                "blas=reference,threads=1"},
        Illness{"TransposedOperands", "", {one, "transposed", {"operand_layout"}}, healthy},
        Illness{"StridedOperands", "", {one, "strided", {"operand_layout"}}, healthy},
        Illness{"SlowerDriver", "", {one, "dsyev", {"slower_driver"}}, {one, "dsyevd", {}}}),
    name_of);

INSTANTIATE_TEST_SUITE_P(
    TwoIllnesses, IllProgram,
    testing::Values(
        Illness{"ThreadsSlowAndTransposed", "threads=1", {one, "threads=$cpus transposed", {"threads_slow", "operand_layout"}}, {}},
        Illness{"ReferenceBlasAndDenormals", "blas=$fast,threads=1", {reference, "healthy denormals", {"reference_blas", "denormals"}}, {}},
        Illness{"SelectedKernelsAndNan", "kernels=auto", {prescott, "healthy nan", {"misread_kernels", "invalid_numbers"}}, {}}),
    name_of);

}  // namespace
}  // namespace flopcast::program
