#include "flopcast/protocol/smpi_options.hpp"

#include <gtest/gtest.h>

#include "flopcast/support/error.hpp"

namespace flopcast::protocol {
namespace {

TEST(SmpiOptions, SurviveTheEnvironment) {
  SmpiOptions options;
  options.result = "/tmp/a b/result.json";
  options.times = "times.json";
  options.max_traced_calls = 17;
  options.eager_bytes = 4096;
  options.flops_per_second = 2.5e9;
  options.only_kernels = true;
  EXPECT_EQ(parse_smpi_options(to_text(options)), options);
}

TEST(SmpiOptions, RefuseForeignTexts) {
  EXPECT_THROW(static_cast<void>(parse_smpi_options("")), Error);
  EXPECT_THROW(static_cast<void>(parse_smpi_options("{}")), Error);
  EXPECT_THROW(static_cast<void>(parse_smpi_options(
                   R"({"result": 1, "times": "", "max_traced_calls": 0, "eager_bytes": 0, "flops_per_second": 1, "only_kernels": false})")),
               Error);
}

}  // namespace
}  // namespace flopcast::protocol
