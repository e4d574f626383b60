#include "flopcast/tasks/programs/run_tuning.hpp"

#include <gmock/gmock.h>

#include <string>

#include "flopcast/tasks/programs/programs.hpp"
#include "tests/tasks/programs/runs.hpp"

namespace flopcast::tests {
namespace {

using ::testing::AllOf;
using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Key;
using ::testing::Not;
using ::testing::Pair;

TEST_F(Runs, TheTuningFilesKernelsAreSetUnlessTheUserChoseSome) {
  program::SavedTuning tuning = FakeRunServices::tuning(fake_blis, 4, 48);
  tuning.settings = {{"BLIS_ARCH_TYPE", "haswell"}};
  fake_.write(tuning);
  fake_.known = {{"openblas-pthread", "Haswell"}, {"blis", "of the tuning file's own library"}};
  EXPECT_THAT(settings().variables, AllOf(Contains(Pair("BLIS_ARCH_TYPE", "haswell")), Contains(Pair("openblas-pthread", "Haswell")),
                                          Not(Contains(Key("blis")))));
  fake_.variables["BLIS_ARCH_TYPE"] = "zen";
  EXPECT_THAT(settings().variables, Not(Contains(Key("BLIS_ARCH_TYPE"))));
  fake_.variables.clear();
  request_.kernels = "library";
  EXPECT_THAT(settings().variables, ElementsAre(Pair("FLOPCAST_BLOCKS", ::testing::_)));
  EXPECT_THAT(fake_.tried, IsEmpty());
}

TEST_F(Runs, AutomaticThreadsAreAtMostOnePerCoreOrAsTheUserSetThem) {
  request_.threads = 0;
  request_.time_budget = 7;
  EXPECT_THAT(settings().variables,
              AllOf(Contains(Pair("FLOPCAST_THREAD_TABLE", fake_.thread_table)), Contains(Pair("OMP_NUM_THREADS", "4"))));
  EXPECT_EQ(returned(), 48) << "the tuning file for four threads";
  ASSERT_FALSE(fake_.orders.empty());
  EXPECT_EQ(fake_.orders[0].threads, 4);
  EXPECT_EQ(fake_.orders[0].blas, "/lib/blis/libblas.so.3");
  EXPECT_EQ(fake_.orders[0].time_budget, 7);

  fake_.variables["BLIS_NUM_THREADS"] = "3";
  fake_.chosen = {"/lib/openblas/libblas.so.3", "/lib/lapack/liblapack.so.3"};
  run();
  ASSERT_EQ(fake_.started.size(), 1U);
  EXPECT_EQ(fake_.started[0].threads, 3);
  EXPECT_EQ(fake_.started[0].thread_table, fake_.thread_table);
  EXPECT_EQ(fake_.orders.back().threads, 3);
  EXPECT_EQ(fake_.orders.back().blas, fake_.chosen.blas);
  EXPECT_EQ(fake_.orders.back().lapack, fake_.chosen.lapack);
}

TEST_F(Runs, AutomaticThreadsAreNotChosenForOneThread) {
  request_.threads = 0;
  fake_.variables["OMP_NUM_THREADS"] = "1";
  EXPECT_THAT(settings().variables, Not(Contains(Key("FLOPCAST_THREAD_TABLE"))));
  EXPECT_THAT(notes_, Contains(HasSubstr("one thread only")));
  fake_.variables.clear();
  request_.threads = 2;
  EXPECT_THAT(settings().variables, Not(Contains(Key("FLOPCAST_THREAD_TABLE"))));
  EXPECT_THAT(fake_.orders, IsEmpty());
}

/// OpenBLAS has two builds, and the reference two widths of integers. The program's own BLAS isn't another one.
TEST_F(Runs, OtherLibrariesAreOneBuildOfEachWithIntegersOfTheSameWidth) {
  request_.blas = "auto";
  request_.threads = 0;
  fake_.programs_blas = "/lib/blis/libblas.so.3";
  fake_.installed = {{"openblas-serial", "/lib/openblas-serial/libopenblas.so", true, true},
                     {"openblas-pthread", "/lib/openblas-pthread/libopenblas.so", true, true},
                     {"blis-openmp", "/lib/blis/libblis.so", true, false},
                     {"reference", "/lib/blas/libblas.so.3", true, false},
                     {"reference", "/lib/lapack/liblapack.so.3", false, true},
                     {"reference64", "/lib/blas64/libblas64.so.3", true, false},
                     {"mkl", "/opt/a,b/libmkl_rt.so", true, true}};
  EXPECT_THAT(settings().variables, Contains(Pair("FLOPCAST_THREAD_TABLE", fake_.thread_table)));
  ASSERT_EQ(fake_.orders.size(), 1U);
  EXPECT_TRUE(fake_.orders[0].varies);
  EXPECT_THAT(fake_.orders[0].others,
              ElementsAre(OtherBlas{"/lib/openblas-pthread/libopenblas.so", 4}, OtherBlas{"/lib/blas/libblas.so.3", 1}));

  request_.threads.reset();
  run();
  EXPECT_FALSE(fake_.orders.back().varies);
  EXPECT_EQ(fake_.orders.back().threads, 4);
  EXPECT_EQ(fake_.orders.back().others, fake_.orders[0].others);
  ASSERT_EQ(fake_.started.size(), 1U);
  EXPECT_EQ(fake_.started[0].threads, std::nullopt) << "the program's own number";
  EXPECT_EQ(fake_.started[0].thread_table, fake_.thread_table);
  EXPECT_THAT(fake_.tried, IsEmpty()) << "no library is called auto";

  request_.threads = 1;
  run();
  EXPECT_EQ(fake_.orders.back().threads, 1);
  EXPECT_EQ(fake_.orders.back().others.at(0).threads, 1);
}

TEST_F(Runs, AProgramKeepsTheOnlyLibrary) {
  request_.blas = "auto";
  fake_.installed = {{"openblas-pthread", "/lib/openblas-pthread/libopenblas.so", true, true}};
  fake_.programs_blas = "/lib/openblas-serial/libopenblas.so.0";
  std::filesystem::remove(fake_.file());
  EXPECT_THAT(settings().variables, Not(Contains(Key("FLOPCAST_THREAD_TABLE"))));
  EXPECT_THAT(notes_, Contains(HasSubstr("/lib/openblas-serial/libopenblas.so.0 is the only BLAS")));
  EXPECT_EQ(run().exit_code, 0);
  EXPECT_THAT(fake_.orders, IsEmpty());
}

TEST_F(Runs, ATuningOfAnotherMachineHasNoEffectUnlessItIsWanted) {
  program::SavedTuning tuning = FakeRunServices::tuning(fake_blis, 4, 48);
  tuning.environment.cpu = "another CPU";
  fake_.write(tuning);
  for (const std::string& named : {std::string(), fake_.file()}) {
    request_.tuning = named;
    request_.other_machine = false;
    EXPECT_EQ(returned(), 0);
    EXPECT_THAT(notes_, ElementsAre(AllOf(HasSubstr("LAPACK's own block sizes"), HasSubstr(fake_.file()), HasSubstr("'another CPU'"),
                                          HasSubstr("'a CPU'"), HasSubstr("--other-machine"))));
    run();
    request_.other_machine = true;
    EXPECT_EQ(returned(), 48);
    EXPECT_THAT(notes_, IsEmpty());
  }
  EXPECT_EQ(fake_.started.size(), 2U);
}

TEST_F(Runs, TheSystemsWisdomOfAnotherMachineHasNoEffect) {
  std::filesystem::remove(fake_.file());
  fake_.system_misfit = "the system's wisdom /etc/flopcast/wisdom doesn't hold here: it is for the CPU 'another CPU'";
  EXPECT_EQ(returned(), 0);
  EXPECT_THAT(notes_, ElementsAre("the program runs with LAPACK's own block sizes, as " + fake_.system_misfit));
  fake_.known = {{"openblas-pthread", "Haswell"}};
  EXPECT_THAT(settings().variables, Contains(Pair("openblas-pthread", "Haswell")));
}

TEST_F(Runs, BlockSizesOfAnotherBuildHaveNoEffect) {
  program::SavedTuning tuning = FakeRunServices::tuning(fake_blis, 4, 48);
  tuning.environment.blas.digest = "build-id:1";
  tuning.environment.lapack = {.name = "reference", .path = "/lib/lapack/liblapack.so", .digest = "build-id:2"};
  fake_.write(tuning);
  fake_.digests = {{fake_blis, "build-id:1"}, {"/lib/lapack/liblapack.so", "build-id:2"}};
  EXPECT_EQ(returned(), 48);
  fake_.digests[fake_blis] = "build-id:3";
  EXPECT_EQ(returned(), 0);
  EXPECT_THAT(notes_, ElementsAre(AllOf(HasSubstr("/lib/blis/libblis.so is another build now than when they were tuned"),
                                        HasSubstr("'flopcast tune ROUTINE --n 200:3200 --threads 4 --save'"))));
  fake_.digests = {{fake_blis, "build-id:1"}};
  EXPECT_EQ(returned(), 0);
  EXPECT_THAT(notes_, ElementsAre(HasSubstr("they were tuned with /lib/lapack/liblapack.so, which isn't there any more")));
  fake_.system = {FakeRunServices::tuning(fake_blis, 4, 80)};
  EXPECT_EQ(returned(), 80) << "the system's hold";
  EXPECT_THAT(notes_, IsEmpty());
}

TEST_F(Runs, ADamagedTuningIsRefused) {
  for (const char* text : {"", "{", "{}", "[1, 2]"}) {
    std::ofstream(fake_.file()) << text;
    EXPECT_THAT(refusal(), HasSubstr("tuning.json")) << text;
  }
}

TEST_F(Runs, WithoutATuningTheProgramRunsAsItWould) {
  std::filesystem::remove(fake_.file());
  EXPECT_THAT(settings().variables, Not(Contains(Key("OPENBLAS_NUM_THREADS"))));
  EXPECT_THAT(notes_, ElementsAre(AllOf(HasSubstr("the program runs with LAPACK's own block sizes"),
                                        HasSubstr("make one with: flopcast tune dgeqrf --n 200:3200 --save"))));
  request_.threads = 3;
  EXPECT_THAT(settings().variables, Contains(Pair("OPENBLAS_NUM_THREADS", "3")));
  EXPECT_THAT(notes_, ElementsAre(HasSubstr("the program runs with LAPACK's own block sizes")));
  EXPECT_EQ(returned(), 0);
}

TEST_F(Runs, WithoutATuningTheChosenLibraryGetsItsBestKernels) {
  std::filesystem::remove(fake_.file());
  request_.blas = "openblas-pthread";
  fake_.chosen.blas = "/lib/openblas-pthread/libopenblas.so";
  EXPECT_THAT(settings().variables, Contains(Pair("BEST_OF", "openblas-pthread")));
  EXPECT_THAT(fake_.tried, ElementsAre("openblas-pthread"));
  EXPECT_THAT(notes_, ElementsAre(HasSubstr("BEST_OF=openblas-pthread and LAPACK's own block sizes")));
  request_.kernels = "library";
  EXPECT_THAT(settings().variables, Not(Contains(Key("BEST_OF"))));
}

TEST_F(Runs, WithoutATuningKernelsThatAreKnownAreSet) {
  std::filesystem::remove(fake_.file());
  fake_.known = {{"openblas-pthread", "Haswell"}};
  EXPECT_THAT(settings().variables, Contains(Pair("openblas-pthread", "Haswell")));
  EXPECT_THAT(fake_.tried, IsEmpty());
}

TEST_F(Runs, ATuningThatIsNamedMustBeThere) {
  request_.tuning = "no/such.json";
  request_.threads = 3;
  fake_.known = {{"openblas-pthread", "Haswell"}};
  EXPECT_THAT(refusal(), AllOf(HasSubstr("there is no tuning file no/such.json"), HasSubstr("--tuning no/such.json")));
}

/// A tuning file for two libraries, one of them with two numbers of threads.
class Places : public Runs {
 protected:
  Places() {
    program::SavedTuning tuning = FakeRunServices::tuning(fake_blis, 1, 11);
    tuning.others = {FakeRunServices::tuning(fake_blis, 4, 14), FakeRunServices::tuning("/lib/openblas-pthread/libopenblas.so", 2, 22),
                     FakeRunServices::tuning("/lib/blis-serial/libblis.so", 1, 31)};
    fake_.write(tuning);
  }
};

TEST_F(Places, TheLoadersLibraryWithAThreadPerCore) { EXPECT_EQ(returned(), 14); }

TEST_F(Places, TheThreadsThatAreAskedFor) {
  request_.threads = 1;
  EXPECT_EQ(returned(), 11);
  request_.threads = 2;
  EXPECT_EQ(returned(), 11) << "the nearest";
  EXPECT_THAT(notes_, ElementsAre(AllOf(HasSubstr("hold for 1 thread of BLAS, and 2 are expected"), HasSubstr("--threads 2 --save"))));
}

TEST_F(Places, TheThreadsOfTheUsersVariables) {
  fake_.variables["OMP_NUM_THREADS"] = "1";
  EXPECT_EQ(returned(), 11);
  fake_.variables["OPENBLAS_NUM_THREADS"] = "4";
  EXPECT_EQ(returned(), 14);
  request_.threads = 1;
  EXPECT_EQ(returned(), 11);
}

TEST_F(Places, TheLibraryCountsBeforeTheThreads) {
  request_.blas = "openblas-pthread";
  fake_.chosen.blas = "/lib/openblas-pthread/libblas.so.3";
  request_.threads = 4;
  EXPECT_EQ(returned(), 22);
}

TEST_F(Places, ALibraryWithoutThreadsHasOne) {
  request_.blas = "blis-serial";
  fake_.chosen.blas = "/lib/blis-serial/libblis.so";
  request_.threads = 4;
  EXPECT_EQ(returned(), 31);
  EXPECT_THAT(notes_, IsEmpty());
}

TEST_F(Places, ALibraryThatTheTuningLacksIsNamed) {
  request_.blas = "mkl";
  fake_.chosen.blas = "/opt/mkl/libmkl.so";
  EXPECT_EQ(returned(), 0);
  EXPECT_THAT(notes_, ElementsAre(AllOf(HasSubstr("they were tuned with /lib/blis/libblis.so, and the program loads /opt/mkl/libmkl.so"),
                                        HasSubstr("--blas mkl --threads 4 --save"))));
}

TEST_F(Runs, BlockSizesHoldForOtherBuildsOfTheLibrary) {
  program::SavedTuning tuning = FakeRunServices::tuning("/lib/openblas-serial/libopenblas.so", 1, 48);
  tuning.environment.blas.name = "openblas";
  fake_.write(tuning);
  fake_.programs_blas = "/lib/openblas-pthread/libblas.so.3";
  EXPECT_EQ(returned(), 48);
  fake_.programs_blas = "/lib/blis-serial/libblas.so.3";
  EXPECT_EQ(returned(), 0);
}

TEST_F(Places, TheLibraryThatTheProgramIsLinkedWith) {
  fake_.programs_blas = "/lib/openblas-pthread/libblas.so.3";
  EXPECT_EQ(returned(), 22);
  fake_.programs_blas = "/opt/own/libopenblas.so";
  EXPECT_EQ(returned(), 0);
  EXPECT_THAT(notes_, ElementsAre(HasSubstr("and the program loads /opt/own/libopenblas.so")));
}

/// Returns a place of the system's wisdom.
program::SavedTuning systems(const std::string& blas, int threads, std::int64_t nb) { return FakeRunServices::tuning(blas, threads, nb); }

TEST_F(Runs, TheSystemsWisdomHoldsWhereTheUserHasNone) {
  fake_.system = {systems(fake_blis, 4, 80)};
  EXPECT_EQ(returned(), 48) << "the user's own for the same library and threads";
  std::filesystem::remove(fake_.file());
  EXPECT_EQ(returned(), 80);
  EXPECT_THAT(notes_, IsEmpty());
}

TEST_F(Runs, TheSystemsWisdomCountsWhereItFitsBetterAndFillsInRoutines) {
  fake_.system = {systems(fake_blis, 2, 80)};
  request_.threads = 2;
  EXPECT_EQ(returned(), 80);
  program::SavedTuning more = systems(fake_blis, 4, 80);
  more.set({"dpotrf", "L", {{200, 200, {72, 2, 0}, {}, 0, false}}});
  fake_.system = {more};
  request_.threads = 4;
  EXPECT_EQ(returned(), 48);
  EXPECT_EQ(tuned_block_size(settings().tuning, "dpotrf", 200, 200, "L")->nb, 72);
}

TEST_F(Runs, TheSystemsWisdomTakesThePlaceOfATuningOfAnotherMachine) {
  program::SavedTuning other = FakeRunServices::tuning(fake_blis, 4, 48);
  other.environment.cpu = "another CPU";
  fake_.write(other);
  EXPECT_EQ(returned(), 0);
  fake_.system = {systems(fake_blis, 4, 80)};
  EXPECT_EQ(returned(), 80);
  request_.tuning = fake_.file();
  EXPECT_EQ(returned(), 0) << "a tuning file that the user names";
}

}  // namespace
}  // namespace flopcast::tests
