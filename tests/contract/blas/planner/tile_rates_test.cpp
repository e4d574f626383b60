#include "flopcast/contract/planner/contraction_plan.hpp"

#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>

#include "flopcast/contract/kernels/streaming.hpp"
#include "flopcast/machine/libraries/library.hpp"
#include "flopcast/model/artifacts.hpp"
#include "flopcast/model/store.hpp"

namespace flopcast::contract {
namespace {

FindRoutine openblas() {
  static const machine::Library library = machine::Library::open("openblas-serial");
  return [](std::string_view routine) { return library.function(routine); };
}

TEST(TileRates, AreKeptInTheStore) {
  std::string pattern = (std::filesystem::temp_directory_path() / "flopcast_rates_test.XXXXXX").string();
  const std::filesystem::path folder = ::mkdtemp(pattern.data());
  {
    model::Store store = model::Store::open(folder / "store.db");
    const TileRates first = tile_rates_in(store, "here", openblas());
    EXPECT_GT(first.of(TileKernel::gemm).per_product, 0);
    EXPECT_GT(first.of(TileKernel::panels).per_product, 0);
    EXPECT_EQ(tile_rates_in(store, "here", {}), first) << "without gemm, nothing can be timed";
    put_artifact(store, "contraction-rates-3", "here", {{"kernels", "none"}});
    EXPECT_GT(tile_rates_in(store, "here", openblas()).of(TileKernel::gemm).per_product, 0) << "unreadable rates are replaced";
  }
  std::filesystem::remove_all(folder);
}

TEST(TileRates, AssumedOnesFollowTheMachine) {
  Environment slow, fast;
  slow.peak_flops = 10e9;
  fast.peak_flops = 40e9;
  const KernelRates x = assumed_tile_rates(slow).of(TileKernel::gemm), y = assumed_tile_rates(fast).of(TileKernel::gemm);
  EXPECT_DOUBLE_EQ(x.per_product, 4 * y.per_product);
  EXPECT_DOUBLE_EQ(x.of(10, 20, 30), 4 * y.of(10, 20, 30));
}

}  // namespace
}  // namespace flopcast::contract
