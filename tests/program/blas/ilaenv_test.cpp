// The exported ilaenv, compiled and linked before LAPACK.

#include <gmock/gmock.h>

#include <fmt/format.h>

#include <array>
#include <cctype>
#include <filesystem>
#include <fstream>
#include <memory>
#include <sstream>
#include <string>
#include <string_view>
#include <vector>

#include "flopcast/kernel/catalogue.hpp"
#include "flopcast/machine/libraries/installed_libraries.hpp"
#include "flopcast/program/ilaenv_source.hpp"
#include "flopcast/protocol/block_table.hpp"
#include "tests/own_folder.hpp"

namespace flopcast::program {
namespace {

namespace fs = std::filesystem;

struct Query {
  std::string name, opts;
  int n1, n2, n3, n4;
};

/// Returns queries of every routine of the catalogue, and of names that only ilaenv knows, with sizes around its limits.
std::vector<Query> queries() {
  std::vector<std::string> names = {"DGEQR",         "ZGEQR",     "SGELQ",   "CGELQ",   "DSYTRF_AA_2STAGE", "ZHETRF_AA_2STAGE",
                                    "DSYTRF_2STAGE", "DSYTRF_RK", "ZHETRF",  "DHETRF",  "ZSYTRD",           "DLAORHR_COL_GETRFNP",
                                    "ZLAUNHR_COL",   "DTRSYL3",   "CTRSYL3", "DTREVC3", "DGGHD3",           "DORGXX",
                                    "DUNGQR",        "XGEQRF",    "ILAENV",  "D",       "DGEQRFP",          "DPOTRF2",
                                    "DLATRS3",       "ZGBTRF",    "DPBTRF"};
  for (const Routine& routine : kernel::catalogue()) {
    std::string name = routine.name;
    for (char& c : name) {
      c = static_cast<char>(std::toupper(static_cast<unsigned char>(c)));
    }
    names.push_back(name);
  }
  std::vector<Query> all;
  for (const std::string& name : names) {
    for (const auto& [n1, n2, n3, n4] : {std::array{500, 500, -1, -1}, std::array{20, 30, 1, 64}, std::array{9000, 20, 1, 65},
                                         std::array{5000, 3000, 2, 65}, std::array{65, 64, 2, 10}, std::array{1000, 65, -1, 1}}) {
      all.push_back({name, "L", n1, n2, n3, n4});
    }
  }
  return all;
}

SavedTuning saved_tuning() {
  SavedTuning tuning;
  tuning.set({"dgeqrf", "", {{100, 100, {16, 2, 0}, {}, 0, false}, {1000, 1000, {48, 4, 96}, {}, 0, false}}});
  tuning.set({"dpotrf", "L", {{300, 300, {80, 2, 0}, {}, 0, false}}});
  tuning.set({"zgetrf", "U", {{300, 300, {20, 2, 0}, {}, 0, false}}});
  tuning.set({"zgetrf", "", {{300, 300, {40, 2, 0}, {}, 0, false}, {900, 100, {56, 2, 8}, {}, 0, false}}});
  return tuning;
}

/// Programs in a folder of their own that are linked to the reference LAPACK.
class ExportedIlaenv : public ::testing::TestWithParam<SourceLanguage> {
 protected:
  void SetUp() override {
    std::ofstream file(folder_.path() / "queries");
    for (const Query& query : queries()) {
      file << query.name << ' ' << query.opts << ' ' << query.n1 << ' ' << query.n2 << ' ' << query.n3 << ' ' << query.n4 << '\n';
    }
  }

  /// Returns the command that compiles the source in this file.
  static std::string compile(const std::string& file) {
    return file.ends_with(".c") ? FLOPCAST_C_COMPILER " -std=c99 -Wall -Wextra -Wpedantic -Werror -O1 -c " + file
                                : FLOPCAST_FORTRAN_COMPILER " -std=f2008 -Wall -Wextra -Werror -O1 -c " + file;
  }

  /// Compiles the source for `tuning file` and links it with the program before `libraries`. Returns what the program prints.
  std::string answers(const SavedTuning& tuning, const std::string& libraries) {
    const std::string file = GetParam() == SourceLanguage::fortran ? "ilaenv.f90" : "ilaenv.c";
    std::ofstream(folder_.path() / file) << ilaenv_source(tuning, GetParam()).text;
    return printed(compile(file) + " && mv ilaenv.o own.o", "own.o " + libraries);
  }
  /// Returns what the program prints with LAPACK's own ilaenv.
  std::string own_answers(const std::string& libraries) { return printed("true", libraries); }

  static fs::path lapack() { return machine::locate("reference", machine::Role::lapack); }
  static std::string shared() { return lapack().string() + " -l:libblas.so.3 -lgfortran -lm"; }

 private:
  std::string printed(const std::string& before, const std::string& objects) {
    const tests::Result result = tests::run_in(
        folder_.path(), before + " && " FLOPCAST_C_COMPILER " -O1 " FLOPCAST_ASKS_ILAENV " " + objects + " -o asks && ./asks <queries");
    EXPECT_EQ(result.exit_code, 0) << result.err;
    return result.out;
  }

  tests::OwnFolder folder_;
};

std::vector<std::string> lines(const std::string& text) {
  std::vector<std::string> all;
  std::istringstream stream(text);
  for (std::string line; std::getline(stream, line);) {
    all.push_back(line);
  }
  return all;
}

TEST_P(ExportedIlaenv, AnswersAsLapackWhereNothingIsTuned) {
  SavedTuning other;
  other.set({"dsyrdb", "", {{100, 100, {99, 2, 0}, {}, 0, false}}});  // a name that no query has
  const std::vector<std::string> expected = lines(own_answers(shared()));
  const std::vector<std::string> given = lines(answers(other, shared()));
  ASSERT_EQ(given.size(), expected.size());
  ASSERT_GT(given.size(), 3000U);
  for (std::size_t i = 0; i < given.size(); ++i) {
    EXPECT_EQ(given[i], expected[i]);
  }
}

TEST_P(ExportedIlaenv, GivesDgeqrfItsTunedBlockSize) {
  EXPECT_THAT(own_answers(shared()), ::testing::HasSubstr("dgeqrf takes 32\n"));
  EXPECT_THAT(answers(saved_tuning(), shared()), ::testing::HasSubstr("dgeqrf takes 48\n"));
}

TEST_P(ExportedIlaenv, TakesThePlaceOfTheOneInAnArchive) {
  const fs::path archive = lapack().parent_path() / "liblapack.a";
  if (!fs::exists(archive)) {
    GTEST_SKIP() << "no " << archive;
  }
  EXPECT_THAT(answers(saved_tuning(), archive.string() + " -l:libblas.so.3 -lgfortran -lm"), ::testing::HasSubstr("dgeqrf takes 48\n"));
}

TEST_P(ExportedIlaenv, ChoosesPointsAsThePreloadedLibraryDoes) {
  const SavedTuning tuning = saved_tuning();
  const auto table = std::make_unique<protocol::BlockTable>();
  ASSERT_TRUE(protocol::parse(block_table_text(tuning).c_str(), *table));
  const std::vector<std::string> own = lines(own_answers(shared()));
  const std::vector<std::string> given = lines(answers(tuning, shared()));
  const std::vector<Query> asked = queries();
  int tuned = 0;
  for (std::size_t i = 0; i < asked.size(); ++i) {
    const Query& query = asked[i];
    const protocol::RoutineBlocks* routine =
        protocol::find(*table, protocol::routine_name(query.name.data(), query.name.size()), query.opts.data(), query.opts.size());
    const protocol::BlockPoint* point = routine != nullptr ? protocol::nearest(*routine, query.n1, query.n2) : nullptr;
    const std::string rest = own[i].substr(own[i].find(query.name));
    EXPECT_EQ(given[i], point == nullptr ? own[i] : fmt::format("{} {} {} {}", point->nb, point->nbmin, point->nx, rest));
    tuned += point != nullptr ? 1 : 0;
  }
  EXPECT_GT(tuned, 10);
}

/// Returns C, and Fortran where there is a compiler for it.
std::vector<SourceLanguage> languages() {
  std::vector<SourceLanguage> all = {SourceLanguage::c};
  if (std::string_view(FLOPCAST_FORTRAN_COMPILER).empty()) {
    return all;
  }
  all.push_back(SourceLanguage::fortran);
  return all;
}

INSTANTIATE_TEST_SUITE_P(Languages, ExportedIlaenv, ::testing::ValuesIn(languages()));

}  // namespace
}  // namespace flopcast::program
