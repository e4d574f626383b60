#include "flopcast/machine/libraries/library.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <filesystem>
#include <fstream>
#include <map>
#include <optional>
#include <thread>
#include <utility>
#include <vector>

#include "flopcast/machine/libraries/library_identity.hpp"
#include "flopcast/support/error.hpp"
#include "tests/message_of.hpp"

namespace flopcast::machine {
namespace {

using ::testing::HasSubstr;
using ::testing::MatchesRegex;
using tests::message_of;

using Dgemm = void (*)(const char*, const char*, const int*, const int*, const int*, const double*, const double*, const int*,
                       const double*, const int*, const double*, double*, const int*, std::size_t, std::size_t);

bool installed(const std::string& name, Role role) {
  for (const InstalledLibrary& library : installed_libraries()) {
    if (library.name == name && (role == Role::blas ? library.has_blas : library.has_lapack)) {
      return true;
    }
  }
  return false;
}

/// Returns [1 2; 3 4] [5 6; 7 8], column-major.
std::array<double, 4> product(const Library& library) {
  const std::array<double, 4> a = {1, 3, 2, 4}, b = {5, 7, 6, 8};
  std::array<double, 4> c{};
  const int n = 2;
  const double one = 1, zero = 0;
  reinterpret_cast<Dgemm>(library.function("dgemm"))("N", "N", &n, &n, &n, &one, a.data(), &n, b.data(), &n, &zero, c.data(), &n, 1, 1);
  return c;
}

/// Returns the last entry of the Cholesky factor of the matrix min(i, j), which is 1.
double cholesky(const LibrarySet& libraries, int n) {
  using Dpotrf = void (*)(const char*, const int*, double*, const int*, int*, std::size_t);
  std::vector<double> a(static_cast<std::size_t>(n) * static_cast<std::size_t>(n));
  for (int j = 0; j < n; ++j) {
    for (int i = 0; i < n; ++i) {
      a[static_cast<std::size_t>(i + j * n)] = std::min(i, j) + 1;
    }
  }
  int info = -1;
  reinterpret_cast<Dpotrf>(libraries.function("dpotrf"))("L", &n, a.data(), &n, &info, 1);
  EXPECT_EQ(info, 0);
  return a.back();
}

TEST(Library, SeveralLiveInOneProcessWithTheirOwnIdentities) {
  std::vector<Library> open;
  const std::map<std::string, std::string> kinds = {
      {"openblas-serial", "openblas"}, {"openblas-pthread", "openblas"}, {"blis-serial", "blis"}, {"reference", "reference"}};
  for (const auto& [name, kind] : kinds) {
    if (installed(name, Role::blas)) {
      open.push_back(Library::open(name));
      EXPECT_EQ(open.back().identity().name, kind);
      EXPECT_THAT(open.back().identity().version, MatchesRegex("[0-9]+\\.[0-9.]+"));
      EXPECT_THAT(open.back().identity().digest, MatchesRegex("(build-id|fnv):[0-9a-f]+"));
    }
  }
  if (open.size() < 2) {
    GTEST_SKIP() << "fewer than two BLAS libraries are installed";
  }
  for (std::size_t i = 0; i < open.size(); ++i) {
    EXPECT_THAT(product(open[i]), ::testing::ElementsAre(19, 43, 22, 50)) << open[i].identity().path;
    for (std::size_t j = 0; j < i; ++j) {
      EXPECT_NE(open[i].identity().path, open[j].identity().path);
      EXPECT_NE(open[i].identity().digest, open[j].identity().digest);
      EXPECT_NE(open[i].function("dgemm"), open[j].function("dgemm"));
    }
  }
}

TEST(Library, IsFoundByPathAsByName) {
  const Library by_name = Library::open(default_blas());
  const Library by_path = Library::open(by_name.identity().path);
  EXPECT_EQ(by_name.identity(), by_path.identity());
  EXPECT_EQ(by_name.function("dgemm"), by_path.function("dgemm"));
  EXPECT_EQ(by_name.function("dnonsense"), nullptr);
}

TEST(Library, SetsThreadsThroughItsOwnCall) {
  if (!installed("openblas-pthread", Role::blas) || !installed("openblas-serial", Role::blas)) {
    GTEST_SKIP() << "OpenBLAS isn't installed in both variants";
  }
  const Library threaded = Library::open("openblas-pthread");
  threaded.set_threads(2);
  EXPECT_EQ(reinterpret_cast<int (*)()>(threaded.symbol("openblas_get_num_threads"))(), 2);
  threaded.set_threads(1);
  EXPECT_EQ(reinterpret_cast<int (*)()>(threaded.symbol("openblas_get_num_threads"))(), 1);
  EXPECT_THAT(message_of([&] { threaded.set_threads(100000); }), HasSubstr("takes at most"));
  EXPECT_THAT(message_of([&] { threaded.set_threads(0); }), HasSubstr("expected at least 1"));
  EXPECT_THAT(message_of([] { Library::open("openblas-serial").set_threads(2); }), HasSubstr("has only one"));
}

TEST(Library, CanBeClosedWhileItsThreadsWaitForWork) {
  for (const char* name : {"openblas-pthread", "blis-openmp"}) {
    for (int repetition = 0; repetition < 3 && installed(name, Role::blas); ++repetition) {
      {
        const Library library = Library::open(name);
        library.set_threads(2);
        constexpr int n = 200;
        const std::vector<double> a(n * n, 1.0);
        std::vector<double> c(n * n);
        const double one = 1, zero = 0;
        reinterpret_cast<Dgemm>(library.function("dgemm"))("N", "N", &n, &n, &n, &one, a.data(), &n, a.data(), &n, &zero, c.data(), &n, 1,
                                                           1);
        EXPECT_EQ(c.back(), n);
      }
      std::this_thread::sleep_for(std::chrono::milliseconds(20));
    }
  }
}

TEST(SeveralThreads, MayNotCallOpenBlasBuiltForOne) {
  for (const auto& [name, expected] : {std::pair{"openblas-serial", false}, {"openblas-pthread", true}, {"blis-serial", true}}) {
    if (installed(name, Role::blas)) {
      const Library library = Library::open(name);
      EXPECT_EQ(may_be_called_by_several_threads(reinterpret_cast<const void*>(library.function("dgemm"))), expected) << name;
      EXPECT_EQ(library.may_be_called_by_several_threads(), expected) << name;
      EXPECT_EQ(may_be_called_by_several_threads(locate(name, Role::blas)), std::optional(expected)) << name;
      EXPECT_TRUE(expected || buffers_can_be_locked(locate(name, Role::blas))) << name;
    }
  }
  EXPECT_EQ(may_be_called_by_several_threads(std::filesystem::path("/dev/null")), std::nullopt);
}

TEST(SeveralThreads, MayCallIfTheLibraryReportsSo) {
  const auto says = [](const std::string& prefix, int parallel, const char* config) {
    static int threads;
    static const char* text;
    threads = parallel;
    text = config;
    return SymbolLookup([prefix](const std::string& name) -> void* {
      int (*const how_many)() = [] { return threads; };
      const char* (*const how_built)() = [] { return text; };
      return name == prefix + "openblas_get_parallel" ? reinterpret_cast<void*>(how_many)
             : name == prefix + "openblas_get_config" ? reinterpret_cast<void*>(how_built)
                                                      : nullptr;
    });
  };
  EXPECT_FALSE(may_be_called_by_several_threads(says("", 0, "OpenBLAS 0.3.21 SINGLE_THREADED")));
  EXPECT_FALSE(may_be_called_by_several_threads(says("scipy_", 0, "OpenBLAS 0.3.21 SINGLE_THREADED")));
  EXPECT_TRUE(may_be_called_by_several_threads(says("", 0, "OpenBLAS 0.3.21 USE_LOCKING SINGLE_THREADED")));
  EXPECT_TRUE(may_be_called_by_several_threads(says("", 1, "OpenBLAS 0.3.21 MAX_THREADS=64")));
  EXPECT_FALSE(may_be_called_by_several_threads([](const std::string& name) -> void* {
    static int buffers;
    return name == "blas_memory_alloc" ? &buffers : nullptr;  // as in GotoBLAS
  }));
}

TEST(Library, RefusesFilesThatAreNoBlas) {
  EXPECT_THAT(message_of([] { Library::open("openblass"); }), HasSubstr("no BLAS library 'openblass' is installed"));
  EXPECT_THAT(message_of([] { Library::open("libm.so.6"); }), HasSubstr("neither BLAS nor LAPACK"));
  EXPECT_THAT(message_of([] { Library::open("/nowhere/libblas.so"); }), HasSubstr("/nowhere/libblas.so can't be opened: No such file"));
  EXPECT_THAT(message_of([] { Library::open("/dev/null"); }), HasSubstr("/dev/null is no shared library"));
  const std::string text = ::testing::TempDir() + "text.so";
  std::ofstream(text) << "not a library, though longer than the header of an ELF file, which has sixty-four bytes\n";
  EXPECT_THAT(message_of([&] { Library::open(text); }), HasSubstr("it is no ELF file"));
}

TEST(Library, RefusesATruncatedFile) {
  const std::string whole = Library::open(default_blas()).identity().path;
  std::ifstream source(whole, std::ios::binary);
  std::string head(100000, '\0');
  source.read(head.data(), static_cast<std::streamsize>(head.size()));
  const std::string cut = ::testing::TempDir() + "cut.so";
  std::ofstream(cut, std::ios::binary) << head;
  EXPECT_THAT(message_of([&] { Library::open(cut); }), HasSubstr("cut off"));
}

class LibrarySetOver : public ::testing::TestWithParam<const char*> {
 protected:
  void SetUp() override {
    if (!installed("reference", Role::lapack) || !installed(GetParam(), Role::blas)) {
      GTEST_SKIP() << "not installed: " << GetParam() << " or the reference LAPACK";
    }
  }
};

TEST_P(LibrarySetOver, FindsEachRoutineInItsLibrary) {
  const LibrarySet libraries = LibrarySet::open(GetParam(), "reference");
  EXPECT_EQ(libraries.function("dgemm"), Library::open(GetParam()).function("dgemm"));
  EXPECT_EQ(libraries.lapack().name, "reference");
  EXPECT_EQ(libraries.find("dnonsense"), nullptr);
  EXPECT_THROW((void)libraries.function("dnonsense"), Error);
  EXPECT_NEAR(cholesky(libraries, 150), 1, 1e-10);
}

INSTANTIATE_TEST_SUITE_P(Installed, LibrarySetOver,
                         ::testing::Values("openblas-serial", "openblas-pthread", "blis-serial", "blis-openmp", "reference"),
                         [](const auto& parameter) {
                           std::string name = parameter.param;
                           std::replace(name.begin(), name.end(), '-', '_');
                           return name;
                         });

TEST(LibrarySet, PairsOneLapackWithSeveralBlasAtOnce) {
  std::vector<LibrarySet> sets;
  for (const char* blas : {"reference", "openblas-serial", "blis-serial", "reference"}) {
    if (installed(blas, Role::blas) && installed("reference", Role::lapack)) {
      sets.push_back(LibrarySet::open(blas, "reference"));
    }
  }
  for (const LibrarySet& set : sets) {
    EXPECT_NEAR(cholesky(set, 200), 1, 1e-10) << set.blas().path;
  }
  for (std::size_t i = 1; i < sets.size(); ++i) {
    const bool same_blas = sets[i].blas().path == sets[0].blas().path;
    EXPECT_EQ(sets[i].function("dpotrf") == sets[0].function("dpotrf"), same_blas) << sets[i].blas().path;
  }
}

TEST(LibrarySet, LapackAsksTheInterposer) {
  if (!installed("reference", Role::lapack)) {
    GTEST_SKIP() << "the reference LAPACK isn't installed";
  }
  const LibrarySet plain = LibrarySet::open("", "reference");
  const LibrarySet first = LibrarySet::open("", "reference", INTERPOSER);
  const LibrarySet second = LibrarySet::open("", "reference", INTERPOSER);
  auto* queries_of_first = static_cast<int*>(first.interposer_symbol("queries"));
  auto* queries_of_second = static_cast<int*>(second.interposer_symbol("queries"));
  ASSERT_NE(queries_of_first, nullptr);
  ASSERT_NE(queries_of_second, nullptr);
  EXPECT_EQ(plain.interposer_symbol("queries"), nullptr);
  EXPECT_EQ(first.interposer_symbol("nonsense"), nullptr);
  cholesky(plain, 150);
  EXPECT_EQ(*queries_of_first, 0);
  cholesky(first, 150);
  EXPECT_EQ(*queries_of_first, 1);
  EXPECT_EQ(*queries_of_second, 0);
  cholesky(second, 150);
  EXPECT_EQ(*queries_of_second, 1);
}

TEST(LibrarySet, TakesTheLapackInsideOfOpenBlas) {
  if (!installed("openblas-serial", Role::blas)) {
    GTEST_SKIP() << "OpenBLAS isn't installed";
  }
  const LibrarySet libraries = LibrarySet::open("openblas-serial", "openblas");
  EXPECT_EQ(libraries.lapack(), libraries.blas());
  EXPECT_NEAR(cholesky(libraries, 150), 1, 1e-10);
}

TEST(LibrarySet, RefusesALapackWithItsOwnBlas) {
  if (!installed("openblas-serial", Role::blas) || !installed("reference", Role::blas)) {
    GTEST_SKIP() << "OpenBLAS or the reference isn't installed";
  }
  EXPECT_THAT(message_of([] { (void)LibrarySet::open("reference", "openblas-serial"); }), HasSubstr("brings its own BLAS"));
}

TEST(LibrarySet, NeedsNoLapack) {
  if (!installed("reference", Role::blas)) {
    GTEST_SKIP() << "the reference BLAS isn't installed";
  }
  const LibrarySet libraries = LibrarySet::open("reference", "");
  EXPECT_NE(libraries.find("dgemm"), nullptr);
  EXPECT_EQ(libraries.lapack(), LibraryIdentity{});
  EXPECT_THAT(message_of([&] { (void)libraries.function("dgeqrf"); }), HasSubstr("none was opened"));
}

}  // namespace
}  // namespace flopcast::machine
