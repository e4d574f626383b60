#include "flopcast/program/program_libraries.hpp"

#include <gmock/gmock.h>

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "flopcast/support/error.hpp"
#include "tests/message_of.hpp"

namespace flopcast::program {
namespace {

namespace fs = std::filesystem;
using ::testing::AllOf;
using ::testing::HasSubstr;

/// A library that a test invents.
struct FakeLibrary {
  std::optional<int> integer_bytes = 4;
  std::optional<bool> is_safe = true;
  bool can_be_locked = false;
};

/// Libraries "NAME" in files /lib/NAME.so, and a program that asks for libraries by name.
class ProgramLibraries : public ::testing::Test {
 protected:
  [[nodiscard]] LibraryServices services() const {
    LibraryServices services;
    services.locate = [this](const std::string& name, machine::Role) {
      if (libraries_.count(name) == 0) {
        throw bad_input("no library {}", name);
      }
      return fs::path("/lib/" + name + ".so");
    };
    services.default_lapack = [](int integer_bytes) { return integer_bytes == 8 ? "lapack64" : "lapack"; };
    services.integer_bytes = [this](const fs::path& file) { return of(file).integer_bytes; };
    services.may_be_called_by_several_threads = [this](const fs::path& file) { return of(file).is_safe; };
    services.buffers_can_be_locked = [this](const fs::path& file) { return of(file).can_be_locked; };
    services.asked_libraries = [this](const std::string& program) {
      EXPECT_EQ(program, "program");
      return asked_;
    };
    return services;
  }
  [[nodiscard]] const FakeLibrary& of(const fs::path& file) const { return libraries_.at(file.stem().string()); }

  [[nodiscard]] LibraryFiles choose(const std::string& blas, const std::string& lapack = "") const {
    return program_libraries(blas, lapack, {"program", "argument"}, services());
  }
  [[nodiscard]] std::string refusal(const std::string& blas, const std::string& lapack = "") const {
    return tests::message_of([&] { static_cast<void>(choose(blas, lapack)); });
  }

  std::map<std::string, FakeLibrary> libraries_ = {
      {"blis", {}}, {"blis64", {8}}, {"lapack", {}}, {"lapack64", {8}}, {"unlocked", {4, false, false}}, {"lockable", {4, false, true}}};
  std::vector<std::string> asked_ = {"libblas.so.3", "libc.so.6"};
};

TEST_F(ProgramLibraries, StayTheProgramsOwnWithoutAChoice) { EXPECT_EQ(choose(""), LibraryFiles()); }

TEST_F(ProgramLibraries, ANamedBlasBringsTheLapackThatTuningTakes) {
  EXPECT_EQ(choose("blis"), (LibraryFiles{"/lib/blis.so", "/lib/lapack.so"}));
  EXPECT_EQ(choose("blis", "blis"), (LibraryFiles{"/lib/blis.so", "/lib/blis.so"}));
  EXPECT_EQ(choose("", "lapack"), (LibraryFiles{"", "/lib/lapack.so"})) << "a named LAPACK leaves the BLAS alone";
}

TEST_F(ProgramLibraries, WideIntegersAreRefusedForAProgramThatPassesNarrowOnes) {
  EXPECT_THAT(refusal("blis64"), AllOf(HasSubstr("/lib/blis64.so takes 64-bit integers"), HasSubstr("Choose a library with 32-bit")));
  EXPECT_THAT(refusal("", "lapack64"), HasSubstr("/lib/lapack64.so takes 64-bit integers"));
}

TEST_F(ProgramLibraries, AProgramBoundToAWideLibraryKeepsIt) {
  asked_ = {"libopenblas64.so.0", "libc.so.6"};
  EXPECT_THAT(refusal("blis64"), AllOf(HasSubstr("the program asks for libopenblas64.so.0"), HasSubstr("Choose no library")));
}

TEST_F(ProgramLibraries, WideIntegersAreForProgramsThatAskForThem) {
  for (const char* asked : {"libblas64.so.3", "/usr/lib/liblapack64.so.3"}) {
    asked_ = {asked};
    EXPECT_EQ(choose("blis64"), (LibraryFiles{"/lib/blis64.so", "/lib/lapack64.so", true})) << asked;
  }
}

TEST_F(ProgramLibraries, BlasAndLapackHaveIntegersOfOneWidth) {
  asked_ = {"libblas64.so.3"};
  EXPECT_THAT(refusal("blis64", "lapack"), AllOf(HasSubstr("/lib/lapack.so"), HasSubstr("32 bits"), HasSubstr("64-bit")));
  EXPECT_THAT(refusal("blis", "lapack64"), AllOf(HasSubstr("/lib/lapack64.so"), HasSubstr("Choose a LAPACK with 32-bit integers")));
}

TEST_F(ProgramLibraries, AFileThatDoesNotTellItsIntegersHasTheUsualOnes) {
  libraries_["blis"].integer_bytes = std::nullopt;
  EXPECT_EQ(choose("blis").wide, false);
}

TEST_F(ProgramLibraries, BuffersWithoutALockAreRefusedUnlessALockCanBeAdded) {
  EXPECT_THAT(refusal("unlocked"), AllOf(HasSubstr("/lib/unlocked.so"), HasSubstr("several threads"), HasSubstr("Choose another library")));
  EXPECT_THAT(refusal("blis", "unlocked"), HasSubstr("/lib/unlocked.so"));
  EXPECT_EQ(choose("lockable").blas, "/lib/lockable.so");
}

TEST_F(ProgramLibraries, AFileThatCannotBeLoadedIsRefused) {
  libraries_["blis"].is_safe = std::nullopt;
  EXPECT_THAT(refusal("blis"), AllOf(HasSubstr("/lib/blis.so can't be opened"), HasSubstr("ldd -r /lib/blis.so")));
}

TEST_F(ProgramLibraries, AnUnknownNameIsTheUsersError) {
  EXPECT_EQ(tests::bad_input_of([this] { static_cast<void>(choose("bliss")); }), "no library bliss");
}

}  // namespace
}  // namespace flopcast::program
