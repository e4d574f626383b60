#include <gmock/gmock.h>

#include <algorithm>
#include <memory>
#include <string>
#include <vector>

#include "flopcast/kernel/catalogue.hpp"
#include "flopcast/kernel/parse_call.hpp"
#include "flopcast/measure/placed_call.hpp"
#include "flopcast/support/error.hpp"
#include "tests/tasks/programs/moody_library.hpp"
#include "tests/tasks/programs/recorded_in_memory.hpp"

namespace flopcast::tests {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::SizeIs;

/// Diagnoses recordings with libraries on a synthetic machine.
class Doctor : public RecordedInMemory {
 protected:
  Doctor() { place_.blas = "openblas-pthread"; }

  /// Adds calls that take as long as the synthetic machine needs for them.
  void add_work() {
    for (int i = 0; i < 40; ++i) {
      const std::int64_t order = 100 + 10 * (i % 8);
      add(1, order, synthetic_seconds(product(order)) / speed(place_.blas, place_.threads.value_or(1)));
    }
  }

  /// Adds a call like the first ones of add_work() that takes longer by far.
  void add_long_first_call() { add(1, 100, 30 * synthetic_seconds(product(100))); }

  /// Returns how much faster than one thread of a slow library these threads of a library are on two CPUs.
  [[nodiscard]] double speed(const std::string& blas, int threads) const {
    const bool is_slow = blas == "reference" || blas.find("slow") != std::string::npos;
    return (is_slow ? 1.0 : 3.0) * (threads == 1 ? 1.0 : threads == 2 ? two_threads_ : 0.6);
  }

  DoctorServices here() {
    DoctorServices services;
    services.what_if.open = [this](const machine::LibraryChoice& libraries, bool own_kernels) {
      const double misread = facts_->misread_kernels && !own_kernels ? 0.5 : 1;
      return std::make_unique<MoodyLibrary>(machine_, misread * speed(libraries.blas, libraries.threads), libraries.threads);
    };
    services.what_if.require_usable = [](const WhatIf&, const machine::LibraryChoice&) {};
    services.what_if.has_one_thread = [](const std::string&) { return false; };
    services.what_if.is_here = [](const program::RecordedPlace&) { return true; };
    services.what_if.cpus = cpus_;
    services.fast_blas = [](int) { return "openblas-pthread"; };
    services.peak = [](const program::RecordedPlace&) { return program::PeakRate{7e10, "a dgemm"}; };
    return services;
  }

  /// Services on which nothing can be predicted.
  static DoctorServices elsewhere() {
    DoctorServices services;
    services.what_if.is_here = [](const program::RecordedPlace&) { return false; };
    services.what_if.has_one_thread = [](const std::string&) { return false; };
    services.what_if.cpus = 2;
    return services;
  }

  double two_threads_ = 1.8;  ///< how much faster two threads are than one
  MoodyMachine machine_{7};
};

TEST_F(Doctor, FindingsComeByFallingGain) {
  cpus_ = 2;
  place_.threads = 1;
  add_long_first_call();
  add_work();
  const ProgramDiagnosis diagnosis = diagnose(facts(), 1, here(), {});
  ASSERT_THAT(diagnosis.findings, SizeIs(2));
  EXPECT_EQ(diagnosis.findings[0].cause, FindingCause::threads_unused);
  EXPECT_EQ(diagnosis.findings[1].cause, FindingCause::first_calls);
  EXPECT_GT(diagnosis.findings[0].gain.low, 0);
}

TEST_F(Doctor, NothingIsPredictedForAProgramWhoseTimeIsItsOwn) {
  place_.threads = 1;
  add_work();
  trace_.summary.seconds *= 1000;
  const ProgramDiagnosis diagnosis = diagnose(facts(), 1, here(), {});
  EXPECT_THAT(diagnosis.findings, IsEmpty());
  EXPECT_THAT(diagnosis.examined, IsEmpty());
}

TEST_F(Doctor, ALibraryThatCannotBeOpenedIsSaid) {
  place_.threads = 1;
  add_work();
  DoctorServices services = here();
  services.what_if.require_usable = [](const WhatIf&, const machine::LibraryChoice&) { throw bad_input("its integers are others"); };
  const ProgramDiagnosis diagnosis = diagnose(facts(), 1, services, {});
  EXPECT_THAT(diagnosis.findings, IsEmpty());
  EXPECT_THAT(diagnosis.examined, ::testing::Each(HasSubstr("its integers are others")));
}

TEST_F(Doctor, AnotherMachinesRecordingHasItsRecordedFindings) {
  add(1, 500, 1.0);
  add(20, 500, 0.01);
  const ProgramDiagnosis diagnosis = diagnose(facts(), 1, elsewhere(), {});
  EXPECT_THAT(diagnosis.findings, SizeIs(1));
  EXPECT_THAT(diagnosis.examined, ElementsAre(HasSubstr("aren't here")));
  EXPECT_EQ(program_diagnosis_from_json(to_json(diagnosis)), diagnosis);
}

TEST_F(Doctor, ADryRunIsRefused) {
  add(20, 500, 0.01);
  trace_.summary.dry_run = true;
  EXPECT_THROW(diagnose(facts(), 1, elsewhere(), {}), Error);
}

/// Recordings of eigenproblems whose synthetic times are in proportion to the drivers' operations.
class DoctorOfDrivers : public Doctor {
 protected:
  /// Adds calls of a driver that take `factor` times as long as on random matrices.
  void add_eigenproblems(const std::string& routine, double factor = 1) {
    place_.threads = 1;
    cpus_ = 1;
    trace_.summary.names = {routine};
    const Call call = measure::with_addresses(kernel::parse_call(kernel::require(routine), {{"n", "150"}, {"jobz", "V"}}));
    for (int i = 0; i < 20; ++i) {
      add(1, 150, factor * synthetic_seconds(call) / speed(place_.blas, 1)).call = call;
    }
  }
};

TEST_F(DoctorOfDrivers, ASlowerDriverIsFoundWithTheCallOfAFasterOne) {
  add_eigenproblems("dsyev");
  const ProgramDiagnosis diagnosis = diagnose(facts(), 1, here(), {});
  ASSERT_THAT(diagnosis.findings, SizeIs(1)) << ::testing::PrintToString(diagnosis.examined);
  EXPECT_EQ(diagnosis.findings[0].cause, FindingCause::slower_driver);
  EXPECT_EQ(diagnosis.findings[0].what, "dsyev is slower than dsyevr, which does the same");
  EXPECT_THAT(diagnosis.findings[0].evidence, HasSubstr("20 calls such as dsyev jobz=V uplo=L n=150"));
  EXPECT_THAT(diagnosis.findings[0].remedy, HasSubstr("scipy.linalg.eigh(a, driver='evr'), or dsyevr in C"));
  EXPECT_THAT(diagnosis.findings[0].remedy, HasSubstr("'flopcast rank eigh n=150 --precision d'"));
  EXPECT_NEAR(diagnosis.findings[0].gain.high, diagnosis.findings[0].seconds * (1 - 10.0 / 27), 0.2 * diagnosis.findings[0].seconds);
}

TEST_F(DoctorOfDrivers, TheFastestDriverIsNoFinding) {
  add_eigenproblems("dsyevr");
  const ProgramDiagnosis diagnosis = diagnose(facts(), 1, here(), {});
  EXPECT_THAT(diagnosis.findings, IsEmpty());
  EXPECT_THAT(diagnosis.examined, ::testing::Contains(HasSubstr("dsyevd in place of dsyevr")));
}

TEST_F(DoctorOfDrivers, MatricesThatAreQuickWorkForTheDriverAreNoFinding) {
  add_eigenproblems("dsyev", 0.3);
  EXPECT_THAT(diagnose(facts(), 1, here(), {}).findings, IsEmpty());
}

using Illness = FindingCause;

/// A recording with two illnesses at once. Both are found, and nothing that the recording hasn't.
class TwoIllnesses : public Doctor, public ::testing::WithParamInterface<std::vector<Illness>> {
 protected:
  [[nodiscard]] bool has(Illness illness) const { return std::count(GetParam().begin(), GetParam().end(), illness) > 0; }

  /// Makes the place as ill as it is to be.
  void fall_ill() {
    place_.threads = has(Illness::too_many_threads) ? 8 : has(Illness::nested_threads) ? 2 : 1;
    cpus_ = has(Illness::threads_unused) || has(Illness::too_many_threads) || has(Illness::nested_threads) ? 2 : 1;
    two_threads_ = has(Illness::nested_threads) ? 1.2 : 1.8;
    place_.blas = has(Illness::reference_blas) ? "reference" : has(Illness::several_blas) ? "/lib/libslow.so.1" : "openblas-pthread";
  }

  void add_ill_calls() {
    const Seconds work = trace_.summary.seconds;
    if (has(Illness::small_calls)) {
      add(5000, 4, std::min(work / 1e4, 2e-6));
    }
    if (has(Illness::denormals)) {
      add(1, 170, work / 3).met_denormals = true;
    }
    if (has(Illness::invalid_numbers)) {
      add(1, 170, work / 3).met_invalid = true;
    }
    if (has(Illness::other_programs)) {
      trace_.summary.cores_got = 0.5;
      trace_.summary.other_cores = 1.5;
      trace_.summary.waited_seconds = trace_.summary.seconds;
    }
  }
};

TEST_P(TwoIllnesses, AreBothFound) {
  fall_ill();
  if (has(Illness::first_calls)) {
    add_long_first_call();
  }
  add_work();
  add_ill_calls();
  if (has(Illness::several_blas)) {
    add(5, 170, trace_.summary.seconds / 40).name = 1;
    trace_.summary.names = {"dgemm (slow)", "dgemm (fast)"};
    trace_.summary.name_libraries = {"/lib/libslow.so.1", "/lib/libfast.so.1"};
  }
  if (has(Illness::nested_threads)) {
    add_thread();
    add_work();
  }
  DiagnosisFacts& all = facts();
  all.misread_kernels = has(Illness::misread_kernels);
  all.kernels = "kernels for a Haswell run on a Zen";
  std::vector<Illness> found;
  const ProgramDiagnosis diagnosis = diagnose(all, 1, here(), {});
  for (const Finding& finding : diagnosis.findings) {
    found.push_back(finding.cause);
  }
  EXPECT_THAT(found, ::testing::UnorderedElementsAreArray(GetParam())) << ::testing::PrintToString(diagnosis.examined);
}

INSTANTIATE_TEST_SUITE_P(Programs, TwoIllnesses,
                         ::testing::Values(std::vector{Illness::threads_unused, Illness::first_calls},
                                           std::vector{Illness::threads_unused, Illness::denormals},
                                           std::vector{Illness::too_many_threads, Illness::other_programs},
                                           std::vector{Illness::too_many_threads, Illness::invalid_numbers},
                                           std::vector{Illness::nested_threads, Illness::invalid_numbers},
                                           std::vector{Illness::reference_blas, Illness::small_calls},
                                           std::vector{Illness::reference_blas, Illness::denormals},
                                           std::vector{Illness::misread_kernels, Illness::small_calls},
                                           std::vector{Illness::misread_kernels, Illness::other_programs},
                                           std::vector{Illness::several_blas, Illness::invalid_numbers}));

}  // namespace
}  // namespace flopcast::tests
