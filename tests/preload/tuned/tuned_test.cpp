#include <dlfcn.h>
#include <gmock/gmock.h>

#include <cstdint>
#include <string_view>

#include "flopcast/machine/libraries/installed_libraries.hpp"
#include "flopcast/program/component.hpp"

namespace flopcast::program {
namespace {

/// The preloaded library, opened before LAPACK, as the tuner opens it to run the real routine with any block size.
class TunedLibrary {
 public:
  TunedLibrary() {
    tuned_ = dlopen(find_component("libflopcast-tuned.so").c_str(), RTLD_NOW | RTLD_GLOBAL);
    lapack_ = dlopen(machine::locate("reference", machine::Role::lapack).c_str(), RTLD_NOW | RTLD_LOCAL);
  }

  template <class Function>
  Function function(const char* name) const {
    return reinterpret_cast<Function>(dlsym(tuned_, name));
  }

  /// Returns the columns of the workspace that dgeqrf reports, which is its block size.
  [[nodiscard]] std::int32_t geqrf_block(std::int32_t n) const {
    using Geqrf = void (*)(const std::int32_t*, const std::int32_t*, double*, const std::int32_t*, double*, double*, const std::int32_t*,
                           std::int32_t*);
    const std::int32_t query = -1;
    std::int32_t info = 0;
    double nothing = 0;
    double best = 0;
    reinterpret_cast<Geqrf>(dlsym(lapack_, "dgeqrf_"))(&n, &n, &nothing, &n, &nothing, &best, &query, &info);
    return static_cast<std::int32_t>(best) / n;
  }

  /// Returns the block size of dgeqp3, whose workspace has 2 n + (n + 1) nb elements.
  [[nodiscard]] std::int32_t geqp3_block(std::int32_t n) const {
    using Geqp3 = void (*)(const std::int32_t*, const std::int32_t*, double*, const std::int32_t*, std::int32_t*, double*, double*,
                           const std::int32_t*, std::int32_t*);
    const std::int32_t query = -1;
    std::int32_t info = 0, pivot = 0;
    double nothing = 0;
    double best = 0;
    reinterpret_cast<Geqp3>(dlsym(lapack_, "dgeqp3_"))(&n, &n, &nothing, &n, &pivot, &nothing, &best, &query, &info);
    return (static_cast<std::int32_t>(best) - 2 * n) / (n + 1);
  }

  /// Returns ilaenv_'s answer to a caller.
  [[nodiscard]] std::int32_t query(std::int32_t ispec, std::string_view name) const {
    using Ilaenv = std::int32_t (*)(const std::int32_t*, const char*, const char*, const std::int32_t*, const std::int32_t*,
                                    const std::int32_t*, const std::int32_t*, std::size_t, std::size_t);
    const std::int32_t n = 1000;
    const std::int32_t none = -1;
    return function<Ilaenv>("ilaenv_")(&ispec, name.data(), " ", &n, &n, &none, &none, name.size(), 1);
  }

 private:
  void* tuned_ = nullptr;
  void* lapack_ = nullptr;
};

class Tuned : public testing::Test {
 protected:
  ~Tuned() override { clear(); }

  TunedLibrary library_;
  int (*set_block)(const char*, int, int, int) = library_.function<int (*)(const char*, int, int, int)>("flopcast_set_block");
  void (*clear)() = library_.function<void (*)()>("flopcast_clear_blocks");
  unsigned long (*queries)(const char*) = library_.function<unsigned long (*)(const char*)>("flopcast_queries");
};

TEST_F(Tuned, LapacksOwnBlockSizeHoldsUnlessSet) { EXPECT_EQ(library_.geqrf_block(1000), 32); }

TEST_F(Tuned, SetsAndClearsTheBlockSizeOfTheRealRoutine) {
  for (const int nb : {1, 17, 96}) {
    EXPECT_EQ(set_block("dgeqrf", nb, 2, 0), 0);
    EXPECT_EQ(library_.geqrf_block(1000), nb);
  }
  clear();
  EXPECT_EQ(library_.geqrf_block(1000), 32);
}

TEST_F(Tuned, AnswersNbNbminAndNx) {
  set_block("DGEQRF", 40, 4, 70);

  EXPECT_EQ(library_.query(1, "dgeqrf"), 40);
  EXPECT_EQ(library_.query(2, "DGEQRF"), 4);
  EXPECT_EQ(library_.query(3, "DGEQRF  "), 70);
}

/// Both routines query the block size of dgeqrf.
TEST_F(Tuned, DistinguishesRoutinesThatQueryUnderOneName) {
  set_block("dgeqrf", 40, 4, 70);
  EXPECT_EQ(library_.geqp3_block(1000), 32);

  set_block("dgeqp3", 24, 2, 30);
  for (int again = 0; again < 2; ++again) {
    EXPECT_EQ(library_.geqp3_block(1000), 24);
    EXPECT_EQ(library_.geqrf_block(1000), 40);
  }
}

TEST_F(Tuned, AnswersLibrariesWithIntegersOf64Bits) {
  void* lapack = dlopen(machine::locate("reference64", machine::Role::lapack).c_str(), RTLD_NOW | RTLD_LOCAL);
  ASSERT_NE(lapack, nullptr);
  const auto block = [lapack](std::int64_t n) {
    using Geqrf = void (*)(const std::int64_t*, const std::int64_t*, double*, const std::int64_t*, double*, double*, const std::int64_t*,
                           std::int64_t*);
    const std::int64_t query = -1;
    std::int64_t info = -7;
    double nothing = 0, best = 0;
    reinterpret_cast<Geqrf>(dlsym(lapack, "dgeqrf_"))(&n, &n, &nothing, &n, &nothing, &best, &query, &info);
    EXPECT_EQ(info, 0);
    return static_cast<std::int64_t>(best) / n;
  };
  EXPECT_EQ(block(1000), 32);
  set_block("dgeqrf", 17, 2, 0);
  EXPECT_EQ(block(1000), 17);
}

TEST_F(Tuned, ForwardsOtherQueries) {
  set_block("dgeqrf", 40, 4, 70);

  EXPECT_EQ(library_.query(1, "DPOTRF"), 64);
  EXPECT_EQ(library_.query(3, "DGETRI"), 0);
  EXPECT_EQ(library_.query(10, "DGEQRF"), 1);  // whether NaN can be trusted
}

TEST_F(Tuned, CountsQueries) {
  set_block("dgeqrf", 40, 4, 70);
  const unsigned long before = queries("dgeqrf");
  EXPECT_EQ(library_.geqrf_block(1000), 40);

  EXPECT_EQ(queries("dgeqrf"), before + 1);
  EXPECT_EQ(queries("dpotrf"), 0U);
}

}  // namespace
}  // namespace flopcast::program
