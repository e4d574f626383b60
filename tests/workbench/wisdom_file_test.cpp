#include "flopcast/workbench/wisdom_file.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <stdlib.h>

#include <cstdint>
#include <fstream>
#include <string>
#include <vector>

#include "flopcast/machine/detect_environment.hpp"
#include "flopcast/model/artifacts.hpp"
#include "tests/message_of.hpp"
#include "tests/own_folder.hpp"

namespace flopcast {
namespace {

using testing::HasSubstr;
using testing::SizeIs;

constexpr const char* library = "/lib/blis/libblis.so";

WisdomMachine a_machine() {
  WisdomMachine machine;
  machine.topology.cpu = "a CPU";
  machine.topology.cores = 4;
  machine.digest = [](const std::string& path) { return path == library ? "build 1" : ""; };
  machine.bytes = [](const std::string& path) { return path == library ? std::uintmax_t{1000} : 0; };
  return machine;
}

Environment an_environment() {
  Environment environment;
  environment.cpu = "a CPU";
  environment.blas.path = environment.lapack.path = library;
  environment.blas.digest = environment.lapack.digest = "build 1";
  environment.fingerprint = machine::fingerprint(a_machine().topology, environment.blas, environment.lapack);
  return environment;
}

/// Returns a tuning file in which dgeqrf of this order has block size `nb`.
program::SavedTuning tuning(std::int64_t order, std::int64_t nb) {
  program::SavedTuning tuning;
  tuning.environment = an_environment();
  tuning.set({"dgeqrf", "", {{order, order, {nb, 2, 0}, {}, 0, false}}});
  return tuning;
}

model::Artifact kernels(const std::string& name, const std::string& chosen) {
  return {model::artifact::kernel_choice, name, {{"kernels", chosen}, {"dgemm_flops_per_second", 1e9}}};
}

TEST(WisdomFiles, ReadBackEqualWhateverTheOrderOfEntries) {
  const Wisdom wisdom = {{tuning(200, 48)}, {an_environment()}, {kernels("a CPU /a 1", "skx"), kernels("a CPU /b 1", "skx")}};
  const Wisdom turned = {{tuning(200, 48)}, {an_environment()}, {kernels("a CPU /b 1", "skx"), kernels("a CPU /a 1", "skx")}};
  EXPECT_EQ(wisdom_text(wisdom), wisdom_text(turned));
  EXPECT_EQ(parse_wisdom(wisdom_text(turned), "a file"), wisdom);
}

TEST(WisdomFiles, MistakesNameTheFileAndTheMember) {
  const auto message = [](const std::string& text) { return tests::bad_input_of([&] { parse_wisdom(text, "my.wisdom"); }); };
  EXPECT_THAT(message("{"), HasSubstr("my.wisdom"));
  EXPECT_THAT(message(R"({"schema": "flopcast-trace-1"})"), HasSubstr("flopcast-wisdom-1"));
  EXPECT_THAT(message(R"({"schema": "flopcast-wisdom-1", "tunings": [], "environments": [], "artifacts": [{"kind": 3}]})"),
              HasSubstr("kind"));
}

TEST(AddWisdom, CountsEntriesThatChangeAndKeepsTheOthers) {
  Wisdom older = {{tuning(200, 48)}, {}, {kernels("a CPU /a 1", "skx"), kernels("a CPU /b 1", "skx")}};
  const Wisdom newer = {
      {tuning(400, 64)}, {}, {kernels("a CPU /a 1", "haswell"), kernels("a CPU /b 1", "skx"), kernels("a CPU /c 1", "skx")}};
  EXPECT_EQ(add_wisdom(older, newer), 2) << "the tuning file, which is merged, and one choice of kernels; the new choice changes nothing";
  ASSERT_THAT(older.tunings, SizeIs(1));
  EXPECT_THAT(older.tunings[0].routines.at(0).points, SizeIs(2)) << "200 and 400";
  ASSERT_THAT(older.artifacts, SizeIs(3));
  EXPECT_EQ(older.artifacts[0].document.at("kernels"), "haswell");
  EXPECT_EQ(older.artifacts[2].name, "a CPU /c 1");
}

TEST(Misfits, OfEnvironmentsNameWhatDiffers) {
  EXPECT_EQ(misfit(an_environment(), a_machine()).reason, "");
  WisdomMachine machine = a_machine();
  machine.topology.cpu = "another CPU";
  EXPECT_EQ(misfit(an_environment(), machine).reason, "it is for the CPU 'a CPU', and this is 'another CPU'");
  machine = a_machine();
  machine.topology.cores = 8;
  EXPECT_THAT(misfit(an_environment(), machine).reason, HasSubstr("other cores or caches"));
  machine = a_machine();
  machine.digest = [](const std::string&) { return "build 2"; };
  EXPECT_EQ(misfit(an_environment(), machine).reason, std::string("the library ") + library + " is another build");
  machine.digest = [](const std::string&) { return ""; };
  EXPECT_EQ(misfit(an_environment(), machine).reason, std::string("there is no library ") + library);
}

TEST(Misfits, OfKernelChoicesGoByCpuAndSize) {
  const auto reason = [](const std::string& name) { return misfit(kernels(name, "skx"), {}, a_machine()).reason; };
  EXPECT_EQ(reason("a CPU /lib/blis/libblis.so 1000"), "");
  EXPECT_EQ(reason("a CPU /lib/blis/libblis.so 999"), "another build is /lib/blis/libblis.so");
  EXPECT_EQ(reason("a CPU /lib/none.so 999"), "there is no library /lib/none.so");
  EXPECT_EQ(reason("another CPU /lib/blis/libblis.so 1000"), "it is for another CPU than 'a CPU'");
}

TEST(Misfits, OfPlansAreThoseOfTheirEnvironment) {
  const Environment environment = an_environment();
  const model::Artifact plan = {model::artifact::contraction_plan, "m 4 threads 1 " + environment.fingerprint + " microbench", {}};
  EXPECT_EQ(misfit(plan, {environment}, a_machine()).reason, "");
  EXPECT_EQ(misfit(plan, {}, a_machine()).reason, "the wisdom doesn't say for which machine it is");
  WisdomMachine other = a_machine();
  other.topology.cpu = "another CPU";
  EXPECT_THAT(misfit(plan, {environment}, other).reason, HasSubstr("it is for the CPU 'a CPU'"));
}

/// The system's wisdom in a file of this test.
class SystemWisdom : public testing::Test {
 protected:
  SystemWisdom() {
    setenv("FLOPCAST_SYSTEM_WISDOM", file().c_str(), 1);
    context_.note = [this](const std::string& text) { notes_.push_back(text); };
  }
  ~SystemWisdom() override { unsetenv("FLOPCAST_SYSTEM_WISDOM"); }
  [[nodiscard]] std::string file() const { return (folder_.path() / "wisdom").string(); }

  tests::OwnFolder folder_;
  RunContext context_;
  std::vector<std::string> notes_;
};

TEST_F(SystemWisdom, LiesWhereTheVariableSays) {
  EXPECT_EQ(system_wisdom_file(), file());
  setenv("FLOPCAST_SYSTEM_WISDOM", "", 1);
  EXPECT_EQ(system_wisdom_file(), "");
  EXPECT_EQ(system_wisdom(context_), Wisdom());
  unsetenv("FLOPCAST_SYSTEM_WISDOM");
  EXPECT_EQ(system_wisdom_file(), "/etc/flopcast/wisdom");
}

TEST_F(SystemWisdom, OfAnotherMachineHasNoEffectAndTheReasonIsGiven) {
  std::ofstream(file()) << wisdom_text({{tuning(200, 48)}, {an_environment()}, {kernels("a CPU /a 1", "skx")}});
  EXPECT_EQ(system_wisdom(context_), Wisdom());
  EXPECT_THAT(system_tunings_misfit(context_), HasSubstr("doesn't hold here: it is for the CPU 'a CPU'"));
  EXPECT_THAT(notes_, SizeIs(0));
}

TEST_F(SystemWisdom, ThatCantBeReadIsNoted) {
  std::ofstream(file()) << "{";
  EXPECT_EQ(system_wisdom(context_), Wisdom());
  ASSERT_THAT(notes_, SizeIs(1));
  EXPECT_THAT(notes_[0], HasSubstr("warning: the system's wisdom has no effect: "));
  EXPECT_THAT(notes_[0], HasSubstr(file()));
}

}  // namespace
}  // namespace flopcast
