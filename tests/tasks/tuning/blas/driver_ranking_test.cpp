#include "flopcast/tasks/tuning/driver_ranking.hpp"

#include <gtest/gtest.h>

#include <map>
#include <string>

#include "flopcast/kernel/drivers.hpp"
#include "flopcast/machine/libraries/library.hpp"
#include "tests/resident_growth.hpp"

namespace flopcast {
namespace {

TEST(DriverMemory, IsThatOfItsExecution) {
  const machine::LibrarySet libraries = machine::LibrarySet::open("openblas-serial", "reference");
  const auto find = [&](std::string_view routine) { return libraries.function(routine); };
  const std::map<std::string, std::int64_t> orders = {{"dsyevd", 1600}, {"dgesv (identity)", 2100}, {"dgels", 2600}};
  tests::warm_up(find, orders.at("dgels"));
  std::size_t drivers = 0;
  for (const kernel::DriverRow& row : kernel::driver_rows()) {
    const auto found = orders.find(driver_name(row, Precision::d));
    if (found == orders.end()) {
      continue;
    }
    SCOPED_TRACE(found->first);
    const kernel::DriverWish wish{{{"n", found->second}, {"m", found->second}, {"nrhs", 1}}};
    const Trace asked = as_asked_for(driver_trace(driver_calls(row, Precision::d, wish)), 0, find);
    tests::expect_growth(resident_bytes(asked), [&] { tests::execute_anew(asked, find); });
    ++drivers;
  }
  EXPECT_EQ(drivers, orders.size());
}

}  // namespace
}  // namespace flopcast
