#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/time.h>
#include <unistd.h>

#include <array>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <functional>
#include <string>

#include "flopcast/cache/access_distance.hpp"
#include "flopcast/cli/shared/settings.hpp"
#include "flopcast/contract/notation/contraction.hpp"
#include "flopcast/contract/notation/expression.hpp"
#include "flopcast/core/documents.hpp"
#include "flopcast/kernel/catalogue.hpp"
#include "flopcast/kernel/parse_call.hpp"
#include "flopcast/machine/machine_file.hpp"
#include "flopcast/machine/machine_file_json.hpp"
#include "flopcast/model/artifacts.hpp"
#include "flopcast/model/model_json.hpp"
#include "flopcast/model/store.hpp"
#include "flopcast/program/program_breakdown.hpp"
#include "flopcast/program/program_timeline.hpp"
#include "flopcast/program/program_trace.hpp"
#include "flopcast/program/saved_tuning_json.hpp"
#include "flopcast/protocol/block_table.hpp"
#include "flopcast/protocol/mpi_executions.hpp"
#include "flopcast/protocol/mpi_options.hpp"
#include "flopcast/protocol/smpi_options.hpp"
#include "flopcast/protocol/thread_table.hpp"
#include "flopcast/scale/machine_description.hpp"
#include "flopcast/scale/platform.hpp"
#include "flopcast/support/error.hpp"
#include "flopcast/support/json.hpp"
#include "flopcast/tasks/comparison/quantities.hpp"
#include "flopcast/tasks/contraction/contraction.hpp"
#include "flopcast/tasks/mpi/mpi.hpp"
#include "flopcast/tasks/programs/advice.hpp"
#include "flopcast/tasks/programs/recorded_timeline.hpp"
#include "flopcast/workbench/wisdom_file.hpp"
#include "tests/mutation/mutation.hpp"
#include "tests/program/program_in_memory.hpp"
#include "tests/program/recording_file.hpp"
#include "tests/roofline/fake_roofline.hpp"

/// Whatever a file contains, a reader says what is wrong with it (an Error), and neither crashes nor takes much time or memory.
namespace flopcast {
namespace {

namespace fs = std::filesystem;
using testing::Random;

constexpr int max_seconds = 10;  // CPU time for one mutation: far more than any needs
constexpr std::int64_t max_growth_kib = 512 * 1024;

std::array<char, 128> present{};  ///< input that is being read, for the message if a signal ends the test

void tell_and_end(int number) {
  const std::size_t length = std::strlen(present.data());
  if (::write(STDERR_FILENO, present.data(), length) < 0) {
    ::_exit(1);
  }
  ::signal(number, SIG_DFL);
  ::raise(number);
}

std::int64_t peak_kib() {
  rusage usage{};
  ::getrusage(RUSAGE_SELF, &usage);
  return usage.ru_maxrss;
}

/// Prints the mutation if a signal ends the test, the clock's signal included.
class Watch {
 public:
  Watch() {
    stack_t stack{};
    stack.ss_sp = memory_.data();
    stack.ss_size = memory_.size();
    ::sigaltstack(&stack, nullptr);
    struct sigaction action {};
    action.sa_handler = tell_and_end;
    action.sa_flags = SA_ONSTACK;
    for (const int number : {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGABRT, SIGPROF}) {
      ::sigaction(number, &action, nullptr);
    }
  }
  Watch(const Watch&) = delete;
  Watch& operator=(const Watch&) = delete;
  ~Watch() { allow(0); }

  /// Ends the test if it takes more than `seconds` seconds of CPU time from now on; 0 removes the limit.
  static void allow(int seconds) {
    const itimerval limit{{0, 0}, {seconds, 0}};
    ::setitimer(ITIMER_PROF, &limit, nullptr);
  }

 private:
  std::array<char, 65536> memory_{};
};

using Mutate = std::function<std::string(const std::string&, Random&)>;
using Read = std::function<void(const std::string&)>;

/// Reads `count` mutations of `valid`; each may only succeed or end with an Error that isn't internal.
void try_mutations(const std::string& name, const std::string& valid, const Mutate& mutate, int count, const Read& read) {
  ASSERT_NO_THROW(read(valid)) << name;
  const Watch watch;
  const std::int64_t before = peak_kib();
  int refused = 0;
  for (int seed = 0; seed < count; ++seed) {
    Random random(static_cast<std::uint64_t>(seed));
    const std::string mutated = mutate(valid, random);
    std::snprintf(present.data(), present.size(), "\nthis signal came of %s, seed %d\n", name.c_str(), seed);
    Watch::allow(max_seconds);
    try {
      read(mutated);
    } catch (const Error& error) {
      EXPECT_NE(error.code(), ExitCode::internal) << name << ", seed " << seed << ": " << error.what();
      EXPECT_LT(std::strlen(error.what()), 4000U) << name << ", seed " << seed;
      ++refused;
    } catch (const std::exception& error) {
      ADD_FAILURE() << name << ", seed " << seed << ": " << error.what();
    }
    Watch::allow(0);
  }
  EXPECT_GT(refused, count / 50) << name << ": hardly any mutation was noticed";
  EXPECT_LT(peak_kib() - before, max_growth_kib) << name;
}

/// A test with a directory that is removed in the end.
class Mutations : public ::testing::Test {
 protected:
  Mutations() {
    std::string pattern = (fs::temp_directory_path() / "flopcast-mutation-XXXXXX").string();
    directory_ = ::mkdtemp(pattern.data());
  }
  ~Mutations() override {
    std::error_code ignored;
    fs::remove_all(directory_, ignored);
  }
  [[nodiscard]] fs::path file(const char* name) const { return directory_ / name; }
  static void write(const fs::path& path, const std::string& contents) {
    std::ofstream(path, std::ios::binary | std::ios::trunc).write(contents.data(), static_cast<std::streamsize>(contents.size()));
  }

 private:
  fs::path directory_;
};

std::string text_of(const program::Contents& bytes) { return {reinterpret_cast<const char*>(bytes.data()), bytes.size()}; }

/// Returns a recording of two threads; the first one's records are in two pieces. Live chunks are as in a recording that has no end.
std::string recording() {
  using namespace program;
  File recorded;
  Contents first;
  for (std::uint64_t i = 0; i < 6; ++i) {
    put_dpotrf(first, 10 + 30 * i, 40 + static_cast<std::int32_t>(i), 0x100000 + 0x1000 * i);
    put_ddot(first, 20 + 30 * i, 80, 0x100000, 0x500000);
  }
  Contents second;
  put_header(second, dgesvd, 300);
  put_dpotrf(second, 310, 100, 0x100000);
  Contents other;
  put_ddot(other, 15, 1000, 0x700000, 0x800000);
  put_dpotrf(other, 25, 30, 0x700000);
  recorded.add_text(protocol::ChunkKind::library, "/lib/libblas.so.3");
  recorded.add_text(protocol::ChunkKind::process, std::string_view("a.out\0x\0", 8));
  recorded.add(protocol::ChunkKind::live, 0, 0, 1, second);
  const std::uint64_t live = recorded.size() - protocol::live_bytes;
  recorded.add(protocol::ChunkKind::live, 1, 0, 0, other);
  recorded.add(protocol::ChunkKind::sealed, 0, live, 0, first);
  return text_of(recorded.bytes());
}

/// Does everything with a trace that comes before measuring.
void follow(const Trace& trace) {
  cache::AccessOptions options;
  options.line_bytes = 64;
  options.thresholds_bytes.push_back(32768);
  cache::AccessTracker tracker(trace, options);
  for (std::size_t i = 0; i < trace.calls.size(); ++i) {
    static_cast<void>(tracker.next());
  }
  static_cast<void>(flops(trace));
}

void read_recording(const fs::path& path) {
  const program::ProgramTraceFile opened(path);
  const program::ProgramBreakdown breakdown(opened, {});
  static_cast<void>(program::program_timeline(opened, breakdown, 100, 4));
  static_cast<void>(to_json(timeline_of(opened, {}, {})));
  for (const std::vector<program::ProgramEvent>& events : program::read_program_trace(path).events) {
    static_cast<void>(program::pauses(events));
    follow(program::to_trace(events));
  }
}

TEST_F(Mutations, OfRecordings) {
  const fs::path path = file("a.trace");
  try_mutations("a recording", recording(), testing::mutate_bytes, 2500, [&](const std::string& contents) {
    write(path, contents);
    read_recording(path);
  });
}

TEST_F(Mutations, OfTraces) {
  const std::string valid =
      R"({"schema": "flopcast-trace-1", "algorithm": "dpotrf", "parameters": {"n": 100, "nb": 32},
          "allocations": [{"name": "A", "bytes": 80000}, {"name": "work", "bytes": 1024}],
          "calls": [["dpotrf", "L", 32, "A+0", 100], ["dtrsm", "R", "L", "T", "N", 68, 32, 1.0, "A+0", 100, "A+256", 100],
                    ["dsyrk", "L", "N", 68, 32, -1.0, "A+256", 100, 1.0, "A+25856", 100], ["ddot", 10, "work+0", 1, "A+0", 100]],
          "measured_seconds": [1e-5, 2e-5, 3e-5, 1e-6]})";
  try_mutations("a trace", valid, testing::mutate_document, 2000,
                [](const std::string& contents) { follow(trace_from_json(parse_json(contents, "a trace"), kernel::find)); });
}

nlohmann::json environment() {
  Environment all;
  all.cpu = "a CPU";
  all.fingerprint = "3f2a91bc77aa";
  all.caches = {{"L1", 32768, 32768, 32768}};
  return all;
}

TEST_F(Mutations, OfTuningFiles) {
  program::SavedTuning tuning;
  tuning.environment = environment().get<Environment>();
  tuning.settings = {{"OPENBLAS_CORETYPE", "Haswell"}};
  tuning.routines = {{"dgeqrf", "", {{200, 200, {32, 2, 128}, {48}, 0.01, false}, {800, 800, {64, 2, 128}, {}, 0, true}}}};
  try_mutations("a tuning file", program::to_json(tuning).dump(), testing::mutate_document, 1000, [](const std::string& contents) {
    const program::SavedTuning read = program::saved_tuning_from_json(parse_json(contents, "a tuning file"));
    static_cast<void>(program::block_table_text(read));
  });
}

TEST_F(Mutations, OfWisdom) {
  Wisdom wisdom;
  program::SavedTuning& tuning = wisdom.tunings.emplace_back();
  tuning.environment = environment().get<Environment>();
  tuning.routines = {{"dgeqrf", "", {{200, 200, {32, 2, 128}, {48}, 0.01, false}}}};
  wisdom.environments = {tuning.environment};
  wisdom.artifacts = {
      {model::artifact::kernel_choice, "a CPU /lib/libblas.so 7", {{"kernels", "Haswell"}, {"dgemm_flops_per_second", 1e9}}},
      {model::artifact::contraction_plan, "ab 3 threads 1 0123 microbench family 1", {{"m", 4}, {"kernel", "gemm"}}}};
  try_mutations("wisdom", wisdom_text(wisdom), testing::mutate_document, 1000,
                [](const std::string& contents) { static_cast<void>(wisdom_text(parse_wisdom(contents, "wisdom"))); });
}

TEST_F(Mutations, OfBlockTables) {
  const std::string valid = "DGEQRF,,200x200:32/2/128,800x800:64/2/128;DSYTRD,L,500x500:32/2/300";
  const auto table = std::make_unique<protocol::BlockTable>();
  try_mutations("a table of block sizes", valid, testing::mutate_bytes, 1000, [&](const std::string& contents) {
    if (!protocol::parse(contents.c_str(), *table)) {
      throw bad_input("no table");
    }
    const protocol::RoutineName name = protocol::routine_name("DGEQRF", 6);
    if (const protocol::RoutineBlocks* found = protocol::find(*table, name, "L", 1)) {
      static_cast<void>(protocol::nearest(*found, 300, 300));
    }
  });
}

TEST_F(Mutations, OfThreadTables) {
  const auto table = std::make_unique<protocol::ThreadTable>();
  try_mutations("a table of threads", "1,2,4;7,8,/a.so,1,2,/b.so,1;dgemm,NT,222,012012012012012012012012;dpotrf,,3,0Gg0Gg0Gg,A00112",
                testing::mutate_bytes, 1000, [&](std::string contents) {
                  if (!protocol::parse(contents.data(), *table)) {
                    throw bad_input("no table");
                  }
                  static constexpr std::int32_t sizes[protocol::max_thread_sizes] = {10, 2000, 23};
                  for (std::size_t i = 0; i < table->count; ++i) {
                    static_cast<void>(protocol::best_choice(*table, table->routines[i], sizes, 4));
                  }
                });
}

TEST_F(Mutations, OfOptionsOfPreloadedLibraries) {
  try_mutations("options of an MPI program", protocol::to_text(protocol::MpiOptions{}), testing::mutate_document, 300,
                [](const std::string& contents) { static_cast<void>(protocol::parse_mpi_options(contents)); });
  try_mutations("options of a simulated program", protocol::to_text(protocol::SmpiOptions{}), testing::mutate_document, 300,
                [](const std::string& contents) { static_cast<void>(protocol::parse_smpi_options(contents)); });
  const std::vector<protocol::MpiExecution> executions = {{{{"nb", "64"}}, selective::Policy::full, true},
                                                          {{{"nb", "96"}}, selective::Policy::online, false}};
  try_mutations("a list of executions", protocol::to_text(executions), testing::mutate_document, 300,
                [](const std::string& contents) { static_cast<void>(protocol::parse_mpi_executions(contents)); });
}

TEST_F(Mutations, OfRooflines) {
  const roofline::Roofline valid = roofline::fake_roofline();
  try_mutations("a roofline", to_json(valid), testing::mutate_document, 1000, [&](const std::string& contents) {
    const roofline::Roofline read = roofline::roofline_from_json(contents);
    for (const roofline::Point& point : read.points) {
      static_cast<void>(roofline::bound_of(read, point));
    }
  });
}

TEST_F(Mutations, OfComparedDocuments) {
  const std::string race =
      R"({"schema": "flopcast-race-1", "cpu": "X", "commands": [{"name": "A", "elapsed_seconds": 1.5, "elapsed_seconds_interval": [1, 2]}]})";
  for (const std::string& valid : {to_json(roofline::fake_roofline()), race}) {
    const ComparedDocument before = read_compared(valid, "before");
    try_mutations("a compared document", valid, testing::mutate_document, 500, [&](const std::string& contents) {
      const Comparison comparison = compared(before, read_compared(contents, "after"), {});
      EXPECT_EQ(comparison_from_json(to_json(comparison)), comparison);
    });
  }
}

TEST_F(Mutations, OfComparisons) {
  const std::string valid =
      R"({"schema": "flopcast-race-1", "commands": [{"name": "A", "elapsed_seconds": 1.5, "elapsed_seconds_interval": [1, 2]}]})";
  try_mutations("a comparison", to_json(compared(read_compared(valid, "before"), read_compared(valid, "after"), {})),
                testing::mutate_document, 500, [](const std::string& contents) { static_cast<void>(comparison_from_json(contents)); });
}

TEST_F(Mutations, OfDescriptionsOfMachines) {
  scale::MachineDescription machine;
  machine.hosts = 16;
  machine.cores_per_host = 4;
  machine.message_classes = {{0, 1, 0.25}, {4096, 3, 0.75}};
  try_mutations("a description of a machine", scale::to_json(machine), testing::mutate_document, 700, [](const std::string& contents) {
    const scale::MachineDescription read = scale::machine_description_from_json(contents, "a description");
    static_cast<void>(scale::platform_of(read, 8));
  });
}

TEST_F(Mutations, OfResultsOfContractions) {
  ContractionResult result{"ab,bc,cd->ad", {{"a", 2}, {"b", 3}}, Precision::d, {"", 1, 64, 96, {}, "", ""}, 8, 0, {}, 0, {}};
  result.steps = {{{"t1[ac] := operand1[ab] operand2[bc]", 3, 4, 8, 0.5}}, {{"a", 7, 3}}, false};
  const auto read = [](const std::string& contents) { static_cast<void>(contraction_result_from_json(contents)); };
  try_mutations("a plan", to_json(result), testing::mutate_document, 300, read);
  result.times = {1, 2};
  try_mutations("a run", to_json(result), testing::mutate_document, 300, read);
}

TEST_F(Mutations, OfResultsOfMpiPrograms) {
  MpiProfile profile;
  profile.processes = {{0, "here", {.time = 1}, 1}};
  profile.spent = selective::TimeSpent{.always = 1};
  profile.calls = {{5, "00ff"}};
  MpiKernel kernel;
  kernel.words = {1, 2};
  kernel.in_context = MpiTimes{4, 0.25, 0, 1};
  profile.kernels = {kernel, kernel};
  try_mutations("a profile", to_json(profile), testing::mutate_document, 700,
                [](const std::string& contents) { static_cast<void>(mpi_profile_from_json(contents)); });
  MpiTuning tuning;
  tuning.configurations.emplace_back().setting = {{"nb", "32"}};
  tuning.configurations.back().predicted = 1;
  try_mutations("a tuning", to_json(tuning), testing::mutate_document, 300,
                [](const std::string& contents) { static_cast<void>(mpi_tuning_from_json(contents)); });
  MpiSimulation simulation;
  simulation.machine = scale::MachineDescription{};
  simulation.runs.emplace_back().processes.emplace_back();
  simulation.failures = {{8, "a reason", 5}};
  try_mutations("a simulation", to_json(simulation), testing::mutate_document, 300,
                [](const std::string& contents) { static_cast<void>(mpi_simulation_from_json(contents)); });
}

TEST_F(Mutations, OfTuningsOfPrograms) {
  ProgramTuning tuning;
  tuning.configurations.emplace_back().setting = {{"nb", "32"}};
  tuning.configurations.back().predicted = 1;
  tuning.configurations.back().interval = Interval{0.5, 2};
  tuning.race = CommandRace();
  try_mutations("a tuning of a program", to_json(tuning), testing::mutate_document, 300,
                [](const std::string& contents) { static_cast<void>(program_tuning_from_json(contents)); });
  const fs::path path = file("space.json");
  const std::string space = R"({"schema": "flopcast-space-1", "name": "x", "command": ["./app", "{nb}"],
                               "parameters": {"nb": [8, 16], "ib": ["4"]}, "conditions": ["ib < nb", "nb - 2*ib != 3"]})";
  try_mutations("a space", space, testing::mutate_document, 500, [&](const std::string& contents) {
    write(path, contents);
    static_cast<void>(search::settings_of(search::read_space(path, "flopcast-space-1", false)));
  });
}

TEST_F(Mutations, OfRacesOfCommands) {
  CommandRace race;
  race.commands = {{"old", {"old"}, std::nullopt},
                   {"new", {"new", "x"}, search::ReferenceRatio{search::Verdict::slower, 1.25, Interval{1, 2}}}};
  race.remarks = {"a remark"};
  try_mutations("a race", to_json(race), testing::mutate_document, 300,
                [](const std::string& contents) { static_cast<void>(command_race_from_json(contents)); });
}

TEST_F(Mutations, OfScaledPrograms) {
  ScaledProgram scaled;
  scaled.recordings.emplace_back().seconds = 1;
  scaled.kernels.emplace_back().routine = "dgemm";
  scaled.remarks = {"a remark"};
  try_mutations("a scaled program", to_json(scaled), testing::mutate_document, 300,
                [](const std::string& contents) { static_cast<void>(scaled_program_from_json(contents)); });
}

TEST_F(Mutations, OfTimelines) {
  Timeline timeline;
  timeline.events = {{"M", "thread_name", "", std::nullopt, std::nullopt, 1, 2, {.name = "main thread"}},
                     {"X", "dgemm", "blas", 0.5, 2.25, 1, 2, {.flags = "NN", .sizes = {{"m", 3}}, .flops = 9}}};
  timeline.about.warnings = {"a warning"};
  try_mutations("a timeline", to_json(timeline), testing::mutate_document, 300,
                [](const std::string& contents) { static_cast<void>(timeline_from_json(contents)); });
}

TEST_F(Mutations, OfVerifications) {
  Verification verification;
  verification.libraries.emplace_back();
  verification.libraries.back().findings = {{"dgemm m=1 n=1 k=1", "C - (alpha op(A) op(B) + beta C)", 1, 1e-16, 1, true}};
  verification.not_compared = {"latrd"};
  try_mutations("a verification", to_json(verification), testing::mutate_document, 300,
                [](const std::string& contents) { static_cast<void>(verification_from_json(contents)); });
}

TEST_F(Mutations, OfMeasuredMachines) {
  machine::MachineMeasurement measurement;
  measurement.cpu = "a CPU";
  measurement.sweep.triad = {{4096, 1e11}, {65536, 5e10}};
  measurement.sweep.chase = {{4096, 1e-9}, {65536, 4e-9}};
  measurement.hierarchy.levels = {{"L1", 32768, 32768, 32768}};
  measurement.hierarchy.memory_bandwidth = 1e10;
  measurement.peaks = {{"digest 1.0 Haswell", 3e10}};
  try_mutations("a measured machine", nlohmann::json(measurement).dump(), testing::mutate_document, 300, [](const std::string& contents) {
    static_cast<void>(in_document("a machine", [&] { return parse_json(contents, "a machine").get<machine::MachineMeasurement>(); }));
  });
}

Sample sample(std::int64_t m) {
  Sample made;
  made.key = {"dtrsm", "LLNU", "1", "..", "warm", 1, "3f2a91bc77aa"};
  made.sizes = {m, 64};
  made.strides = {m, m};
  made.placement = {{4096, 1, true}};
  made.repetitions = {{1e-3, 1.01, 0.5, false}, {1.0 / 3, 1, 0.7, true}};
  made.warnings = {"was preempted"};
  return made;
}

model::Model fitted() {
  model::Model made;
  made.key = sample(8).key;
  made.generator = "refined";
  made.options.refinement.emplace().degree = 2;
  made.sizes = {"m"};
  made.domain = {{{8}, {1024}}};
  model::Piece piece;
  piece.box = made.domain[0];
  piece.polynomial = {{500}, {500}, {model::Monomial{0}, model::Monomial{1}}, {1e-3, 2e-4}};
  made.pieces = {piece};
  return made;
}

TEST_F(Mutations, OfStoredDocuments) {
  try_mutations("a model", nlohmann::json(fitted()).dump(), testing::mutate_document, 1000, [](const std::string& contents) {
    const auto read = in_document("a model", [&] { return parse_json(contents, "a model").get<model::Model>(); });
    static_cast<void>(model::evaluate(read, std::vector<std::int64_t>{100}));
    static_cast<void>(model::name(read));
  });
  try_mutations("a sample", nlohmann::json(sample(8)).dump(), testing::mutate_document, 700, [](const std::string& contents) {
    const auto read = in_document("a sample", [&] { return parse_json(contents, "a sample").get<Sample>(); });
    static_cast<void>(call_of(read, kernel::find));
  });
}

TEST_F(Mutations, OfNumPyFiles) {
  contract::Array array;
  array.shape = {2, 3};
  array.elements.assign(48, std::byte{7});
  try_mutations("a .npy file", contract::format_npy(array), testing::mutate_bytes, 1500,
                [](const std::string& contents) { static_cast<void>(contract::parse_npy(contents, "a.npy")); });
}

TEST_F(Mutations, OfConfigurationFiles) {
  const std::string valid =
      "blas = \"openblas-serial\"  # general\nthreads = 1_0\n[tune]\nnb = [16,\n 32]\nfresh = true\nnote = \"\\u00e9\\n\"\n"
      "[mpi.tune]\ntime-precision = 1e-1\na.\"b\" = 'd'\n";
  try_mutations("a configuration file", valid, testing::mutate_bytes, 1500,
                [](const std::string& text) { static_cast<void>(cli::parse_settings(text, "config.toml")); });
}

TEST_F(Mutations, OfContractions) {
  for (const char* valid : {"abc=ai,ibc", "C_abc := A_ai B_ibc", "ai,ibc->abc"}) {
    try_mutations(valid, valid, testing::mutate_bytes, 300,
                  [](const std::string& text) { static_cast<void>(contract::parse_notation(text)); });
  }
  const contract::Expression expression = contract::parse_expression("abc=ai,ibc");
  try_mutations("sizes", "a=b=8,c=300,i=24", testing::mutate_bytes, 300, [&](const std::string& text) {
    const std::vector<std::string> words = {text};
    const auto sized = contract::with_extents(expression, contract::parse_sizes(words, expression));
    static_cast<void>(contract::make_contraction(sized, {}, Precision::d, contract::Order::column_major));
  });
}

TEST_F(Mutations, OfExpressions) {
  for (const char* valid : {"conj(ai),...ib->...ab", "D_αb := conj(A_{αi}) B_ib * C", "ab=iai,ib"}) {
    try_mutations(valid, valid, testing::mutate_bytes, 500,
                  [](const std::string& text) { static_cast<void>(contract::parse_expression(text)); });
  }
  const contract::Expression expression = contract::parse_expression("aα,αb");
  try_mutations("sizes of labels", "a=α=8,b=300", testing::mutate_bytes, 300, [&](const std::string& text) {
    const std::vector<std::string> words = {text};
    static_cast<void>(contract::with_extents(expression, contract::parse_sizes(words, expression)));
  });
}

}  // namespace
}  // namespace flopcast
