
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/resource.h>
#include <unistd.h>

#include <atomic>
#include <fstream>
#include <functional>
#include <string>

#include <nlohmann/json.hpp>

#include "flopcast/machine/libraries/in_child.hpp"
#include "flopcast/machine/libraries/library.hpp"
#include "flopcast/support/error.hpp"
#include "tests/message_of.hpp"

namespace flopcast::machine {
namespace {

using ::testing::AnyOf;
using ::testing::HasSubstr;

constexpr Seconds limit = 60;

/// Leaves this process so much more address space than it has taken.
void limit_address_space(std::size_t mebibytes) {
  std::size_t pages = 0;
  std::ifstream("/proc/self/statm") >> pages;
  const rlim_t bytes = pages * static_cast<std::size_t>(sysconf(_SC_PAGESIZE)) + (mebibytes << 20U);
  const rlimit all = {bytes, bytes};
  setrlimit(RLIMIT_AS, &all);
}

/// Returns what opening the library in a child process says; empty if it could be opened.
std::string refusal(const std::string& library, std::size_t mebibytes) {
  try {
    in_child(
        [&] {
          limit_address_space(mebibytes);
          return Library::open(library, Role::blas).identity().name;
        },
        limit);
  } catch (const Error& error) {
    return error.what();
  }
  return "";
}

TEST(LoadLimits, ALibraryWithoutAddressSpaceForItsBuffersIsRefusedAtOnce) {
  for (const InstalledLibrary& library : installed_libraries()) {
    if (!library.name.starts_with("openblas")) {
      continue;
    }
    EXPECT_THAT(refusal(library.path, 100), HasSubstr("MiB of address space for its buffers, and would wait for them for ever"))
        << library.path;
    for (const std::size_t mebibytes : {20, 330, 360, 390}) {  // too little for the file; nearly enough for buffers of two threads
      const std::string reason = refusal(library.path, mebibytes);
      EXPECT_THAT(reason, AnyOf("", HasSubstr("(ulimit -v)"))) << library.path << ' ' << mebibytes;
    }
    EXPECT_EQ(refusal(library.path, 16384), "");
  }
}

TEST(LoadLimits, ALibraryThatCantLoadIsTriedInAChild) {
  const auto refused = [](const std::function<void()>& load) {
    return in_child(
        [&] {
          limit_address_space(4096);
          return tests::message_of([&] { require_room_for(locate("openblas", Role::blas), load); });
        },
        limit);
  };
  if (default_blas().rfind("openblas", 0) != 0) {
    GTEST_SKIP() << "OpenBLAS is not installed";
  }
  EXPECT_THAT(refused([] {
                for (std::atomic<int> i = 0;; ++i) {
                }
              }).get<std::string>(),
              HasSubstr("can't be loaded in the address space that is left (ulimit -v): it would wait for its buffers for ever"));
  EXPECT_THAT(refused([] { throw environment_error("no room"); }).get<std::string>(), HasSubstr("in a trial it no room"));
}

}  // namespace
}  // namespace flopcast::machine
