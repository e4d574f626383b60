#include "flopcast/kernel/drivers.hpp"

#include <gmock/gmock.h>

#include <map>
#include <set>

#include "flopcast/kernel/catalogue.hpp"
#include "flopcast/kernel/parse_call.hpp"

namespace flopcast::kernel {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

std::vector<std::string> others(const std::string& routine, const std::map<std::string, std::string>& arguments) {
  std::vector<std::string> names;
  for (const OtherDriver& other : other_drivers(parse_call(require(routine), arguments))) {
    names.push_back(other.call.routine->name + " " + flags(other.call));
  }
  return names;
}

TEST(Drivers, HaveNamesOfTheirOwnInTheirJob) {
  for (const DriverJob& job : driver_jobs()) {
    for (const Precision precision : {Precision::s, Precision::z}) {
      std::set<std::string> names;
      std::size_t rows = 0;
      for (const DriverRow& row : driver_rows()) {
        if (row.job == job.name) {
          names.insert(driver_name(row, precision));
          ++rows;
        }
      }
      EXPECT_EQ(names.size(), rows) << job.name;
      EXPECT_GE(rows, 3U) << job.name;
    }
  }
}

TEST(Drivers, OthersDoTheSameJob) {
  EXPECT_THAT(others("dsyevd", {{"n", "9"}, {"jobz", "V"}}), ElementsAre("dsyev VL", "dsyevr VAL", "dsyevx VAL"));
  EXPECT_THAT(others("zheev", {{"n", "9"}, {"uplo", "U"}}), ElementsAre("zheevd NL", "zheevr NAL", "zheevx NAL"));
  EXPECT_THAT(others("dgelsd", {{"m", "9"}, {"n", "5"}, {"nrhs", "1"}}), ElementsAre("dgelsy "));
  EXPECT_THAT(others("dgesvd", {{"m", "9"}, {"n", "5"}, {"jobu", "S"}, {"jobvt", "S"}}), ElementsAre("dgesdd S", "dgejsv CUVRNN"));
  EXPECT_THAT(others("dgesdd", {{"m", "9"}, {"n", "9"}, {"jobz", "A"}}), ElementsAre("dgesvd SS", "dgejsv CUVRNN"));
}

TEST(Drivers, AreCalledFromSciPyAsIsWanted) {
  for (const DriverRow& row : driver_rows()) {
    if (driver_name(row, Precision::d) == "dsyevr") {
      EXPECT_EQ(driver_call_text(row, Precision::d, {}), "scipy.linalg.eigh(a, driver='evr')");
      EXPECT_EQ(driver_call_text(row, Precision::d, {{}, false, 10}), "scipy.linalg.eigvalsh(a, driver='evr', subset_by_index=[0, 9])");
    }
    if (driver_name(row, Precision::d) == "dsysv") {
      EXPECT_EQ(driver_call_text(row, Precision::d, {}), "scipy.linalg.solve(a, b, assume_a='sym')");
      EXPECT_EQ(driver_call_text(row, Precision::z, {}), "scipy.linalg.solve(a, b, assume_a='her')");
    }
    if (driver_name(row, Precision::s) == "sgejsv") {
      EXPECT_EQ(driver_call_text(row, Precision::s, {}), "scipy.linalg.lapack.sgejsv(a, joba=0, jobt=1, jobp=0)");
      EXPECT_EQ(driver_call_text(row, Precision::z, {}), "LAPACKE_zgejsv in C; SciPy has no call of it");
    }
  }
}

TEST(Drivers, CallsOfOtherWorkHaveNone) {
  EXPECT_THAT(others("dgesdd", {{"m", "9"}, {"n", "5"}, {"jobz", "A"}}), IsEmpty()) << "more vectors";
  EXPECT_THAT(others("dgesvd", {{"m", "9"}, {"n", "5"}, {"jobu", "S"}}), IsEmpty()) << "vectors of one side";
  EXPECT_THAT(others("dsyevr", {{"n", "9"}, {"range", "I"}}), IsEmpty()) << "some values";
  EXPECT_THAT(others("dgels", {{"m", "9"}, {"n", "5"}, {"nrhs", "1"}}), IsEmpty()) << "no other driver takes full rank for granted";
  EXPECT_THAT(others("dgesv", {{"n", "9"}, {"nrhs", "1"}}), IsEmpty()) << "others need symmetric matrices";
  EXPECT_THAT(others("dgemm", {{"m", "9"}, {"n", "5"}, {"k", "1"}}), IsEmpty());
}

}  // namespace
}  // namespace flopcast::kernel
