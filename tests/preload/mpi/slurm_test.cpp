#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <chrono>
#include <filesystem>
#include <fstream>
#include <string>
#include <thread>

#include <nlohmann/json.hpp>

#include "tests/mpi_programs.hpp"

namespace flopcast::preload {
namespace {

namespace fs = std::filesystem;
using nlohmann::json;
using testing::HasSubstr;
using testing::Not;

/// Programs under srun of a Slurm that consists of this machine, without authentication, started for one test.
class Slurm : public tests::MpiPrograms {
 protected:
  void SetUp() override {
    MpiPrograms::SetUp();
    if (run("sh -c 'command -v slurmctld && command -v slurmd && command -v srun'").exit_code != 0) {
      GTEST_SKIP() << "Slurm is not installed";
    }
    if (tests::launcher("openmpi").empty()) {
      GTEST_SKIP() << "Open MPI is not installed";
    }
    configure();
    for (const char* daemon : {"slurmctld", "slurmd"}) {
      start(daemon);
    }
    if (!is_up()) {
      GTEST_SKIP() << "a Slurm of our own doesn't start here: " << tests::contents(folder_ / "slurmctld.log")
                   << tests::contents(folder_ / "slurmd.log");
    }
  }
  void TearDown() override {
    for (const char* daemon : {"slurmd", "slurmctld"}) {
      const std::string file = (folder_ / daemon).string() + ".started";
      // Both daemons end after a signal, and use the folder until then.
      run("sh -c 'test -f " + file + " || exit 0; pid=$(cat " + file +
          "); kill $pid; for i in $(seq 100); do kill -0 $pid 2>/dev/null || break; sleep 0.05; done'");
    }
    MpiPrograms::TearDown();
  }

  /// Runs `words` in that many processes.
  Result srun(int processes, const std::string& words) {
    return run("SLURM_CONF=" + configuration() + " srun --mpi=pmix -n " + std::to_string(processes) + ' ' + words);
  }
  static std::string program() { return std::string(FLOPCAST_MPI_PROGRAMS) + "/work_program_openmpi"; }

 private:
  [[nodiscard]] std::string configuration() const { return (folder_ / "slurm.conf").string(); }

  void configure() const {
    const std::string folder = folder_.string();
    const int port = 20000 + 2 * static_cast<int>(getpid() % 20000);
    std::string host(256, '\0');
    gethostname(host.data(), host.size() - 1);
    host.resize(std::min(host.find('\0'), host.find('.')));
    std::ofstream(configuration()) << "ClusterName=test\nSlurmctldHost=" << host << "(127.0.0.1)\nSlurmctldPort=" << port
                                   << "\nSlurmdPort=" << port + 1 << "\nAuthType=auth/none\nCredType=cred/none\nSlurmUser=" << user()
                                   << "\nSlurmdUser=" << user() << "\nStateSaveLocation=" << folder << "\nSlurmdSpoolDir=" << folder
                                   << "\nSlurmctldPidFile=" << folder << "/slurmctld.pid\nSlurmdPidFile=" << folder
                                   << "/slurmd.pid\nSlurmctldLogFile=" << folder << "/slurmctld.log\nSlurmdLogFile=" << folder
                                   << "/slurmd.log\nProctrackType=proctrack/pgid\nTaskPlugin=task/none\nSwitchType=switch/none\n"
                                      "SelectType=select/cons_tres\nSlurmdParameters=config_overrides\nReturnToService=2\nNodeName="
                                   << host << " NodeAddr=127.0.0.1 CPUs=16 State=UNKNOWN\nPartitionName=all Nodes=" << host
                                   << " Default=YES State=UP\n";
  }
  [[nodiscard]] std::string user() const {
    std::string name = run("id -un").out;
    return name.substr(0, name.find('\n'));
  }
  void start(const std::string& daemon) const {
    run("sh -c 'SLURM_CONF=" + configuration() + " " + daemon + " -D >" + daemon + ".said 2>&1 & echo $! >" + daemon + ".started'");
  }
  [[nodiscard]] bool is_up() const {
    constexpr int tries = 100;
    for (int i = 0; i < tries; ++i) {
      if (run("SLURM_CONF=" + configuration() + " sinfo -h -o %T").out == "idle\n") {
        return true;
      }
      std::this_thread::sleep_for(std::chrono::milliseconds(100));
    }
    return false;
  }
};

// A single test, because starting and ending a Slurm takes seconds.
TEST_F(Slurm, ProcessesOfSrunHaveOneProfileTogether) {
  const Result result = srun(3, FLOPCAST_PROGRAM " mpi run --output profile.json -- " + program() + " 5");
  ASSERT_EQ(result.exit_code, 0) << result.err;
  const json profile = json::parse(tests::contents(folder_ / "profile.json"));
  EXPECT_EQ(profile.at("ranks"), 3);
  EXPECT_EQ(profile.at("per_process").at("flops"), 5 * 3 * 2e6);
  EXPECT_THAT(result.err, HasSubstr("3 processes"));
  EXPECT_EQ(result.err.find("3 processes"), result.err.rfind("3 processes")) << "said more than once";

  // Only the first process writes, and the processes share no file.
  std::ofstream(folder_ / "process.sh") << "mkdir -p process-$SLURM_PROCID && cd process-$SLURM_PROCID && TMPDIR=$PWD exec \"$@\"\n";
  const Result apart = srun(3, "sh process.sh " FLOPCAST_PROGRAM " mpi run --output profile.json -- " + program() + " 5");
  ASSERT_EQ(apart.exit_code, 0) << apart.err;
  EXPECT_EQ(json::parse(tests::contents(folder_ / "process-0/profile.json")).at("ranks"), 3);
  for (const char* other : {"process-1", "process-2"}) {
    for (const auto& entry : fs::directory_iterator(folder_ / other)) {
      EXPECT_THAT(entry.path().filename().string(), Not(HasSubstr("profile"))) << "left by " << other;
      EXPECT_THAT(entry.path().filename().string(), Not(HasSubstr("flopcast"))) << "left by " << other;
    }
  }

  const Result aborted = srun(2, FLOPCAST_PROGRAM " mpi run --output aborted.json -- " + program() + " 5 abort");
  EXPECT_NE(aborted.exit_code, 0);
  EXPECT_NE(aborted.exit_code, 124) << "it hung";
  EXPECT_FALSE(fs::exists(folder_ / "aborted.json"));
}

}  // namespace
}  // namespace flopcast::preload
