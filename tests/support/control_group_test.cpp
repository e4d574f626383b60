#include "flopcast/support/control_group.hpp"

#include <gtest/gtest.h>

#include <unistd.h>

#include <fstream>
#include <limits>
#include <string>

namespace flopcast {
namespace {

namespace fs = std::filesystem;

constexpr std::int64_t endless = std::numeric_limits<std::int64_t>::max();
constexpr std::int64_t mebibyte = 1 << 20;

/// A folder that looks like a system's root.
class ControlGroups : public ::testing::Test {
 protected:
  void SetUp() override { fs::create_directories(root_ / "proc/self"); }
  void TearDown() override { fs::remove_all(root_); }

  void write(const std::string& file, const std::string& text) const {
    fs::create_directories((root_ / file).parent_path());
    std::ofstream(root_ / file) << text;
  }
  void version2(const std::string& mounted, const std::string& group) const {
    write("proc/self/mountinfo", "30 23 0:21 / /proc rw - proc proc rw\n31 23 0:26 " + mounted +
                                     " /sys/fs/cgroup rw,nosuid shared:4 - cgroup2 cgroup2 rw,nsdelegate\n");
    write("proc/self/cgroup", "0::" + group + "\n");
  }
  void version1(const std::string& mounted, const std::string& group) const {
    write("proc/self/mountinfo", "32 31 0:29 " + mounted + " /sys/fs/cgroup/cpu,cpuacct rw shared:9 - cgroup cgroup rw,cpu,cpuacct\n" +
                                     "33 31 0:30 " + mounted + " /sys/fs/cgroup/memory rw - cgroup cgroup rw,memory\n");
    write("proc/self/cgroup", "5:memory:" + group + "\n4:cpu,cpuacct:" + group + "\n");
  }
  [[nodiscard]] ControlGroupLimits limits() const { return control_group_limits(root_); }

 private:
  fs::path root_ = fs::path(::testing::TempDir()) / ("control-groups-" + std::to_string(::getpid()));
};

TEST_F(ControlGroups, WithoutGroupsThereIsNoLimit) {
  EXPECT_EQ(limits().cpus, 0);
  EXPECT_EQ(limits().memory_bytes, endless);
}

TEST_F(ControlGroups, OfVersion2AreLimitedByTheirParents) {
  version2("/", "/batch/job/step");
  write("sys/fs/cgroup/batch/cpu.max", "800000 100000\n");
  write("sys/fs/cgroup/batch/job/cpu.max", "200000 100000\n");
  write("sys/fs/cgroup/batch/job/step/cpu.max", "max 100000\n");
  write("sys/fs/cgroup/batch/job/memory.max", std::to_string(64 * mebibyte));
  write("sys/fs/cgroup/batch/job/memory.current", std::to_string(24 * mebibyte));
  write("sys/fs/cgroup/batch/job/memory.stat", "anon 1\nfile 2\ninactive_file " + std::to_string(4 * mebibyte) + "\n");
  write("sys/fs/cgroup/batch/job/step/memory.max", "max");
  write("sys/fs/cgroup/batch/other/cpu.max", "100000 100000\n");

  EXPECT_EQ(limits().cpus, 2);
  EXPECT_EQ(limits().cpu_group.filename(), "job") << "which its steps share";
  EXPECT_EQ(limits().memory_bytes, 44 * mebibyte);
}

TEST_F(ControlGroups, OfVersion1AreFoundByController) {
  version1("/", "/job");
  write("sys/fs/cgroup/cpu,cpuacct/cpu.cfs_quota_us", "-1\n");
  write("sys/fs/cgroup/cpu,cpuacct/cpu.cfs_period_us", "100000\n");
  write("sys/fs/cgroup/cpu,cpuacct/job/cpu.cfs_quota_us", "150000\n");
  write("sys/fs/cgroup/cpu,cpuacct/job/cpu.cfs_period_us", "100000\n");
  write("sys/fs/cgroup/memory/memory.limit_in_bytes", "9223372036854771712\n");
  write("sys/fs/cgroup/memory/memory.usage_in_bytes", "12345678\n");
  write("sys/fs/cgroup/memory/job/memory.limit_in_bytes", std::to_string(10 * mebibyte));
  write("sys/fs/cgroup/memory/job/memory.usage_in_bytes", std::to_string(12 * mebibyte));
  write("sys/fs/cgroup/memory/job/memory.stat", "cache 0\n");

  EXPECT_EQ(limits().cpus, 1.5);
  EXPECT_EQ(limits().memory_bytes, 0) << "more in use than granted";
}

TEST_F(ControlGroups, InAContainerAreFoundWhereItSeesThem) {
  write("sys/fs/cgroup/cpu.max", "300000 100000\n");
  for (const char* group : {"/", "/docker/4711", "/../../elsewhere"}) {
    version2(group[1] == 'd' ? "/docker/4711" : "/", group);
    EXPECT_EQ(limits().cpus, 3) << group;
  }
}

TEST(CpuQuota, CrowdsProcessesThatShareIt) {
  EXPECT_FALSE(is_crowded(2, 2, 2, 0));
  EXPECT_TRUE(is_crowded(3, 2, 3, 0));
  EXPECT_TRUE(is_crowded(2, 2, 2, 1));
  EXPECT_FALSE(is_crowded(2, 2, 2, 2));
  EXPECT_FALSE(is_crowded(2, 2, 1, 1)) << "one CPU for each of two groups";
  EXPECT_TRUE(is_crowded(1, 2, 1, 0.5)) << "it waits half of the time";
}

TEST(CpuQuota, IsInCpus) {
  EXPECT_EQ(parse_cpu_quota("200000 100000"), 2);
  EXPECT_EQ(parse_cpu_quota("50000 100000\n"), 0.5);
  EXPECT_EQ(parse_cpu_quota("max 100000"), 0);
  EXPECT_EQ(parse_cpu_quota(""), 0);
  EXPECT_EQ(parse_cpu_quota("100000 0"), 0);
}

}  // namespace
}  // namespace flopcast
