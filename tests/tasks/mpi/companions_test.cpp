#include "flopcast/tasks/mpi/companions.hpp"

#include <gtest/gtest.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

namespace flopcast {
namespace {

namespace fs = std::filesystem;
using TracingState = NodeProcess::TracingState;

constexpr LauncherVariables variables = {"PMI_RANK", "MPI_LOCALNRANKS"};

/// A folder that looks like /proc.
class ProcessFolder {
 public:
  ProcessFolder() {
    std::string name = (fs::temp_directory_path() / "flopcast-test-XXXXXX").string();
    folder_ = mkdtemp(name.data());
  }
  ProcessFolder(const ProcessFolder&) = delete;
  ProcessFolder& operator=(const ProcessFolder&) = delete;
  ~ProcessFolder() { fs::remove_all(folder_); }

  void add(pid_t process, pid_t parent, const std::string& program, const std::vector<std::string>& environment,
           const std::string& library = "") const {
    const fs::path own = folder_ / std::to_string(process);
    fs::create_directory(own);
    fs::create_symlink(program, own / "exe");
    std::ofstream(own / "stat") << process << " (a b) c) S " << parent << " 1 1";
    std::ofstream(own / "maps") << "7f00-7f01 r-xp 0 00:00 0 " << library << '\n';
    std::ofstream out(own / "environ", std::ios::binary);
    for (const std::string& variable : environment) {
      out << variable << '\0';
    }
  }
  [[nodiscard]] const fs::path& path() const { return folder_; }

 private:
  fs::path folder_;
};

TEST(MpiCompanions, ProcessesAreClassifiedByParentAndLoadedLibraries) {
  const ProcessFolder proc;
  proc.add(10, 1, "/usr/bin/hydra_pmi_proxy", {"HOME=/"});
  proc.add(11, 10, "/opt/bin/flopcast", {"PMI_RANK=0"});
  proc.add(12, 11, "/home/a", {"PMI_RANK=0", "FLOPCAST_MPI_OPTIONS={}"}, "/usr/lib/libmpich.so.12");
  proc.add(13, 10, "/bin/sh", {"NOT_PMI_RANK=9", "PMI_RANK=1"});
  proc.add(14, 13, "/home/b", {"PMI_RANK=1"}, "/usr/lib/libmpich.so.12");
  proc.add(20, 1, "/usr/bin/hydra_pmi_proxy", {});  // another job
  proc.add(21, 20, "/home/b", {"PMI_RANK=1"}, "/usr/lib/libmpich.so.12");
  std::vector<TracingState> states(15, TracingState::starting);
  std::size_t count = 0;
  for (const NodeProcess& each : processes_of_launcher(proc.path(), 11, variables)) {
    ASSERT_LT(each.process, 15);
    EXPECT_EQ(each.rank, each.process < 13 ? 0 : 1);
    states[static_cast<std::size_t>(each.process)] = each.state;
    ++count;
  }
  EXPECT_EQ(count, 4U);
  EXPECT_EQ(states[11], TracingState::traced);
  EXPECT_EQ(states[12], TracingState::traced);
  EXPECT_EQ(states[13], TracingState::starting);
  EXPECT_EQ(states[14], TracingState::plain);
}

TEST(MpiCompanions, WaitsUntilAllProcessesAreClassified) {
  int looks = 0;
  int naps = 0;
  const auto nap = [&] { ++naps; };
  const NodeProcess first = {0, 11, TracingState::traced, "flopcast"};
  const auto becoming = [&](TracingState state) {
    looks = 0;
    return [&looks, first, state] { return std::vector<NodeProcess>{first, {1, 13, ++looks < 4 ? TracingState::starting : state, "b"}}; };
  };
  EXPECT_FALSE(process_without_flopcast(2, becoming(TracingState::traced), nap));
  EXPECT_EQ(naps, 3);
  const std::optional<NodeProcess> plain = process_without_flopcast(2, becoming(TracingState::plain), nap);
  ASSERT_TRUE(plain);
  EXPECT_EQ(plain->rank, 1);
  EXPECT_FALSE(process_without_flopcast(2, becoming(TracingState::starting), nap))
      << "it may be no MPI program: it is not waited for forever";
  EXPECT_FALSE(process_without_flopcast(
      2, [&] { return std::vector<NodeProcess>{first}; }, nap))
      << "others can't be seen";
  const NodeProcess helper = {0, 12, TracingState::plain, "a"};
  EXPECT_FALSE(process_without_flopcast(
      1,
      [&] {
        return std::vector<NodeProcess>{helper, first};
      },
      nap))
      << "flopcast has started it";
}

}  // namespace
}  // namespace flopcast
