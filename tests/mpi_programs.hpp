#pragma once

#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <string>

/// Running MPI programs in tests; FLOPCAST_MPIRUN_OPENMPI and FLOPCAST_MPIRUN_MPICH say where the launchers are.
namespace flopcast::tests {

inline std::string contents(const std::filesystem::path& file) {
  std::ostringstream text;
  text << std::ifstream(file).rdbuf();
  return text.str();
}

/// mpirun of `mpi` with what it needs to start more processes than there are cores, as root too; empty if it isn't installed.
inline std::string launcher([[maybe_unused]] const std::string& mpi) {
#ifdef FLOPCAST_MPIRUN_OPENMPI
  if (mpi == "openmpi") {
    return "OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1 OMPI_MCA_rmaps_base_oversubscribe=1 OMPI_MCA_mpi_yield_when_idle=1 "
           "OMPI_MCA_hwloc_base_binding_policy=none " FLOPCAST_MPIRUN_OPENMPI " --oversubscribe -n ";
  }
#endif
#ifdef FLOPCAST_MPIRUN_MPICH
  if (mpi == "mpich") {
    return FLOPCAST_MPIRUN_MPICH " -n ";
  }
#endif
  return "";
}

/// Runs programs in a folder of its own.
class MpiPrograms : public testing::Test {
 protected:
  struct Result {
    int exit_code = 0;
    std::string out, err;
  };

  void SetUp() override {
    std::string name = (std::filesystem::temp_directory_path() / "flopcast-test-XXXXXX").string();
    ASSERT_NE(mkdtemp(name.data()), nullptr);
    folder_ = name;
  }
  void TearDown() override {
    if (!folder_.empty()) {
      std::filesystem::remove_all(folder_);
    }
  }

  /// Ends a command that hangs after `seconds`. Open MPI keeps its session in TMPDIR: two that begin at once in the same one may fail.
  Result run(const std::string& command, int seconds = 60) const {
    const std::string folder = folder_.string();
    const std::string line = "cd " + folder + " && TMPDIR=" + folder + " OPENBLAS_NUM_THREADS=1 timeout " + std::to_string(seconds) +
                             " env " + command + " >out 2>err </dev/null";
    const int status = std::system(line.c_str());
    return {WEXITSTATUS(status), contents(folder_ / "out"), contents(folder_ / "err")};
  }

  std::filesystem::path folder_;
};

}  // namespace flopcast::tests
