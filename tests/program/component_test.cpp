#include "flopcast/program/component.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>
#include <utility>

#include "flopcast/support/error.hpp"
#include "tests/own_folder.hpp"

namespace flopcast::program {
namespace {

namespace fs = std::filesystem;

/// An installation with an empty program and an empty component, to which FLOPCAST_LIBEXEC points.
class Installation : public ::testing::Test {
 protected:
  Installation() {
    fs::create_directories(folder_.path() / "bin");
    fs::create_directories(components());
    std::ofstream(folder_.path() / "bin/flopcast") << "";
    std::ofstream(components() / "part.so") << "";
    setenv("FLOPCAST_LIBEXEC", components().c_str(), 1);
  }
  ~Installation() override { unsetenv("FLOPCAST_LIBEXEC"); }
  [[nodiscard]] fs::path components() const { return folder_.path() / "libexec/flopcast"; }

  tests::OwnFolder folder_;
};

TEST_F(Installation, ComponentsAndTheProgramAreFoundFromAnotherProgram) {
  EXPECT_EQ(find_component("part.so"), components() / "part.so");
  EXPECT_EQ(find_flopcast_program(), folder_.path() / "bin/flopcast");
  setenv("FLOPCAST_LIBEXEC", (components().string() + '/').c_str(), 1);
  EXPECT_EQ(find_flopcast_program(), folder_.path() / "bin/flopcast");
}

TEST_F(Installation, MissingPartsAreNamedWithTheFoldersSearched) {
  fs::remove(folder_.path() / "bin/flopcast");
  for (const auto& find : {+[] { static_cast<void>(find_flopcast_program()); }, +[] { static_cast<void>(find_component("other.so")); }}) {
    try {
      find();
      FAIL() << "no error";
    } catch (const Error& error) {
      EXPECT_EQ(error.code(), ExitCode::environment);
      EXPECT_THAT(error.what(), ::testing::HasSubstr("FLOPCAST_LIBEXEC"));
      EXPECT_THAT(error.what(), ::testing::HasSubstr(folder_.path().string()));
    }
  }
}

TEST_F(Installation, TheMessageNamesThePackageOfAMissingPart) {
  for (const auto& [part, package] : {std::pair("libflopcast-mpi-openmpi.so", "flopcast-mpi-openmpi."),
                                      {"flopcast-ping-pong-mpich", "flopcast-mpi-mpich."},
                                      {"libflopcast-smpi.so", "flopcast-simgrid."},
                                      {"libflopcast-tuned.so", "flopcast."}}) {
    EXPECT_THAT([&] { find_component(part); },
                ::testing::ThrowsMessage<Error>(::testing::HasSubstr(std::string("Install the package ") + package)));
  }
}

TEST_F(Installation, ProgramsOfAUsersOwnFindPartsByThePath) {
  unsetenv("FLOPCAST_LIBEXEC");
  const std::string before = std::getenv("PATH");
  setenv("PATH", (before + ":" + (components() / "../../bin").lexically_normal().string()).c_str(), 1);
  EXPECT_EQ(find_component("part.so"), components() / "part.so");
  setenv("PATH", before.c_str(), 1);
}

}  // namespace
}  // namespace flopcast::program
