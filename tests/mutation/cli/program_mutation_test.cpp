#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <functional>
#include <iterator>
#include <string>
#include <vector>

#include "flopcast/model/artifacts.hpp"
#include "flopcast/model/store.hpp"
#include "flopcast/program/saved_tuning_json.hpp"
#include "tests/cli/run_program.hpp"
#include "tests/mutation/mutation.hpp"
#include "tests/program/recording_file.hpp"
#include "tests/roofline/fake_roofline.hpp"

/// The program reads mutated files to the end or says what is wrong with them: no signal, exit code 70, hang, or memory beyond a bound.
namespace flopcast {
namespace {

namespace fs = std::filesystem;
using testing::Ended;
using testing::Random;

constexpr int mutations = 50;

class ProgramMutations : public ::testing::Test {
 protected:
  ProgramMutations() {
    std::string pattern = (fs::temp_directory_path() / "flopcast-mutation-XXXXXX").string();
    folder_ = ::mkdtemp(pattern.data());
  }
  ~ProgramMutations() override {
    std::error_code ignored;
    fs::remove_all(folder_, ignored);
  }

  [[nodiscard]] std::string file(const std::string& name) const { return (folder_ / name).string(); }

  /// Runs flopcast with a home in this test's folder, for at most 20 s and with 4 GiB of addresses.
  [[nodiscard]] Ended flopcast(const std::vector<std::string>& arguments) const {
    std::vector<std::string> words = {"bash", "-c", "ulimit -v 4194304; exec timeout -s KILL 20 \"$@\"", "bash", FLOPCAST_PROGRAM};
    words.insert(words.end(), arguments.begin(), arguments.end());
    return testing::run_program(words, "", {"FLOPCAST_HOME=" + folder_.string()});
  }

  /// Runs the command, in which FILE stands for a mutated file, on mutations of `valid`, for which it ends with `code`.
  void try_mutations(const std::vector<std::string>& command, const std::string& valid,
                     const std::function<std::string(const std::string&, Random&)>& mutate, int code = 0) const {
    const std::string mutated = file("mutated");
    std::vector<std::string> words = command;
    std::replace(words.begin(), words.end(), std::string("FILE"), mutated);
    const auto run = [&](const std::string& contents) {
      std::ofstream(mutated, std::ios::binary | std::ios::trunc).write(contents.data(), static_cast<std::streamsize>(contents.size()));
      return flopcast(words);
    };
    const Ended whole = run(valid);
    ASSERT_EQ(whole.code, code) << whole.err;
    int refused = 0;
    for (int seed = 0; seed < mutations; ++seed) {
      Random random(static_cast<std::uint64_t>(seed));
      const Ended ended = run(mutate(valid, random));
      EXPECT_THAT(ended.code, ::testing::AnyOf(0, 1, 3, 4, 5)) << command[0] << ' ' << command[1] << ", seed " << seed << ": " << ended.err;
      refused += ended.code == 3 ? 1 : 0;
    }
    EXPECT_GT(refused, 0);
  }

 private:
  fs::path folder_;
};

std::string text_of(const program::Contents& bytes) { return {reinterpret_cast<const char*>(bytes.data()), bytes.size()}; }

std::string recording() {
  using namespace program;
  File recorded;
  Contents records;
  for (std::uint64_t i = 0; i < 6; ++i) {
    put_dpotrf(records, 10 + 30 * i, 40 + static_cast<std::int32_t>(i), 0x100000 + 0x1000 * i);
    put_ddot(records, 20 + 30 * i, 80, 0x100000, 0x500000);
  }
  recorded.add_text(protocol::ChunkKind::library, "/lib/libblas.so.3");
  recorded.add_text(protocol::ChunkKind::process, std::string_view("a.out\0x\0", 8));
  recorded.add(protocol::ChunkKind::live, 0, 0, 0, records);
  return text_of(recorded.bytes());
}

TEST_F(ProgramMutations, OfRecordingsShown) { try_mutations({"record", "--show", "FILE"}, recording(), testing::mutate_bytes); }

TEST_F(ProgramMutations, OfRecordingsProfiled) {
  try_mutations({"profile", "--no-peak", "--page", file("page.html"), "FILE"}, recording(), testing::mutate_bytes);
}

nlohmann::json mpi_profile() {
  const nlohmann::json costs = {{"seconds", 1.5},
                                {"computation_seconds", 1.0},
                                {"communication_seconds", 0.25},
                                {"idle_seconds", 0.25},
                                {"supersteps", 3},
                                {"words", 1000},
                                {"flops", 1e9}};
  const nlohmann::json statistics = {{"count", 4}, {"mean", 0.25}, {"variance", 1e-4}, {"seconds", 1.0}};
  const nlohmann::json kernel = {{"kernel", "dgemm 100"}, {"kind", "computation"},  {"routine", "dgemm"}, {"words", {1, 2, 3}},
                                 {"along", statistics},   {"executed", statistics}, {"skipped", 0}};
  return {{"schema", "flopcast-mpi-profile-1"},
          {"mpi", "Open MPI v4.1.4"},
          {"ranks", 2},
          {"where", "here"},
          {"clock", "wall"},
          {"policy", "full"},
          {"elapsed_seconds", 1.5},
          {"path_complete", true},
          {"message_model", {{"latency_seconds", 1e-6}, {"bytes_per_second", 1e10}}},
          {"path", costs},
          {"longest", costs},
          {"per_process", costs},
          {"volumetric", costs},
          {"own_messages", {{"messages", 1}, {"bytes", 100}, {"largest_bytes", 100}}},
          {"kernels", {kernel}}};
}

TEST_F(ProgramMutations, OfProfilesOfMpiPrograms) {
  try_mutations({"mpi", "show", "FILE"}, mpi_profile().dump(), testing::mutate_document);
}

TEST_F(ProgramMutations, OfRooflines) {
  const std::string valid = to_json(roofline::fake_roofline());
  std::ofstream(file("before.json")) << valid;
  try_mutations({"compare", file("before.json"), "FILE"}, valid, testing::mutate_document);
}

TEST_F(ProgramMutations, OfTuningFilesToRunWith) {
  program::SavedTuning tuning;
  tuning.set({"dgeqrf", "", {{50, 50, {7, 2, 0}, {}, 0}, {400, 400, {21, 2, 0}, {}, 0}}});
  try_mutations({"run", "--other-machine", "--tuning", "FILE", "--", "/bin/true"}, program::to_json(tuning).dump(),
                testing::mutate_document);
}

TEST_F(ProgramMutations, OfCallsToSample) {
  const std::string valid = R"(["dgemm m=100 n=100 k=64", "dpotrf uplo=L n=200", "ddot n=1000:3000:1000"])";
  try_mutations({"sample", "--dry-run", "--no-store", "--calls", "FILE"}, valid, testing::mutate_document);
}

TEST_F(ProgramMutations, OfSpacesOfMpiPrograms) {
  const nlohmann::json valid = {{"schema", "flopcast-mpi-space-1"},
                                {"name", "none"},
                                {"launcher", {"env", "-"}},
                                {"command", {"/bin/true", "{nb}"}},
                                {"parameters", {{"nb", {64, 96}}}}};
  constexpr int without_a_profile = 5;
  try_mutations({"mpi", "tune", "FILE"}, valid.dump(), testing::mutate_document, without_a_profile);
}

TEST_F(ProgramMutations, OfStores) {
  model::Store other = model::Store::open(file("other.db"));
  put_artifact(other, "study", "mine", {{"nb", 96}});
  std::ifstream in(file("other.db"), std::ios::binary);
  const std::string valid((std::istreambuf_iterator<char>(in)), std::istreambuf_iterator<char>());
  const std::string store = file("flopcast.db");
  for (int seed = 0; seed < mutations; ++seed) {
    Random random(static_cast<std::uint64_t>(seed));
    fs::remove(store + "-wal");
    fs::remove(store + "-shm");
    const std::string mutated = testing::mutate_bytes(valid, random);
    std::ofstream(store, std::ios::binary | std::ios::trunc).write(mutated.data(), static_cast<std::streamsize>(mutated.size()));
    const Ended ended = flopcast({"model", "list", "--other-machine"});
    EXPECT_THAT(ended.code, ::testing::AnyOf(0, 3, 4)) << "seed " << seed << ": " << ended.err;
  }
}

}  // namespace
}  // namespace flopcast
