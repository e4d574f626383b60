#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <string>

#include "tests/cli/run_program.hpp"

namespace flopcast::testing {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Not;

/// Makes a home with samples and a tuning file that nobody may write, lets `command` run there, and removes the home.
Ended in_read_only_home(const std::string& command) {
  const std::string as_nobody = ::geteuid() == 0 ? "setpriv --reuid 65534 --regid 65534 --clear-groups " : "";
  return shell(R"(home=$(mktemp -d) && trap 'chmod -R u+w "$home"; rm -r "$home"' EXIT && cp "$FLOPCAST_HOME"/machine*.json "$home" &&
                  export FLOPCAST_HOME="$home" &&
                  flopcast sample ddot n=100 --blas reference --lapack reference --quiet --output /dev/null &&
                  echo '{"schema": "flopcast-tuning-file-1", "environment": {"cpu": "a CPU", "cores": 1, "caches": [], "memory_bandwidth": 1,
                  "peak_flops_per_second": 1, "blas": {"name": "", "path": "", "version": "", "kernels": "", "threading": "", "digest": ""},
                  "lapack": {"name": "", "path": "", "version": "", "kernels": "", "threading": "", "digest": ""}, "threads": 1,
                  "affinity": "0", "fingerprint": "f"}, "settings": {}, "routines": [{"routine": "dgeqrf", "flags": "",
                  "points": [{"m": 100, "n": 100, "nb": 24, "nbmin": 2, "nx": 0}]}]}' >"$home/tuning.json" &&
                  chmod -R a-w,a+rX "$home" && export HOME=/nonexistent && cd / && )" +
               as_nobody + "env PATH=\"$PATH\" " + command);
}

TEST(ReadOnlyHome, WhateverOnlyReadsWorks) {
  for (const char* command : {"flopcast wisdom list", "flopcast wisdom export", "flopcast model list --blas reference --lapack reference",
                              "flopcast predict dpotrf n=24 --blas reference --lapack reference --time-budget 1s",
                              "flopcast env --other-machine", "flopcast run --other-machine -- true", "flopcast run -- true"}) {
    const Ended ended = in_read_only_home(command);
    EXPECT_EQ(ended.code, 0) << command << '\n' << ended.err;
  }
  EXPECT_THAT(in_read_only_home("flopcast wisdom list").out, HasSubstr("dgeqrf"));
  EXPECT_THAT(in_read_only_home("flopcast model list --blas reference --lapack reference").err, Not(HasSubstr("warning")));
  EXPECT_EQ(in_read_only_home("flopcast sample ddot n=200 --blas reference --lapack reference").code, 4) << "samples are to be kept";
}

TEST(ReadOnlyHome, ThereMayBeNoHome) {
  const std::string without = "env -u HOME -u FLOPCAST_HOME -u XDG_DATA_HOME -u XDG_CACHE_HOME FLOPCAST_SYSTEM_WISDOM= ";
  const Ended listed = shell(without + "$(command -v flopcast) wisdom list");
  EXPECT_EQ(listed.code, 0);
  EXPECT_THAT(listed.err, HasSubstr("none of FLOPCAST_HOME, XDG_DATA_HOME and HOME is set"));
  const Ended models = shell(without + "$(command -v flopcast) model list --blas reference --lapack reference");
  EXPECT_EQ(models.code, 0);
  EXPECT_THAT(models.err, AllOf(HasSubstr("warning: nothing can be kept: "), Not(HasSubstr("in this process"))));
  EXPECT_EQ(shell(without + "$(command -v flopcast) run --threads 1 -- true").code, 0);
  const Ended exported = shell(without + "$(command -v flopcast) wisdom export");
  EXPECT_EQ(exported.code, 4);
  EXPECT_THAT(exported.err, HasSubstr("none of FLOPCAST_HOME, XDG_DATA_HOME and HOME is set"));
}

}  // namespace
}  // namespace flopcast::testing
