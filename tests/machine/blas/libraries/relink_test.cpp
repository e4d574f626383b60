#include "flopcast/support/relink.hpp"

#include <gtest/gtest.h>

#include <map>
#include <string>

#include "flopcast/machine/libraries/library.hpp"
#include "flopcast/machine/libraries/library_state.hpp"
#include "flopcast/support/error.hpp"

namespace flopcast::machine {
namespace {

/// Returns the addresses that a loaded library calls, by symbol.
std::map<std::string, void*> calls_of(const LoadedFile& file) {
  std::map<std::string, void*> calls;
  for_each_binding(file.map(), [&](const Binding& binding) { calls[std::string(binding.name)] = *binding.slot; });
  return calls;
}

TEST(Relink, MakesLapackCallThisBlas) {
  std::string lapack;
  try {
    lapack = locate("reference", Role::lapack).string();
  } catch (const Error&) {
    GTEST_SKIP() << "the reference LAPACK isn't installed";
  }
  const LibrarySet libraries = LibrarySet::open("", "reference");
  auto calls = calls_of(LoadedFile(lapack, LM_ID_BASE));
  for (const char* routine : {"dgemm", "dtrsm", "dsyrk", "dgemv", "ddot", "zgemm", "idamax"}) {
    EXPECT_EQ(calls.at(routine + std::string("_")), reinterpret_cast<void*>(libraries.function(routine))) << routine;
  }
  EXPECT_EQ(calls.at("ilaenv_"), reinterpret_cast<void*>(libraries.function("ilaenv"))) << "LAPACK's own stay its own";
}

TEST(Relink, ShowsTheCallsOfALibrary) {
  const LoadedFile file(locate("libm.so.6", Role::blas).string(), LM_ID_BASE);
  int functions = 0;
  for_each_binding(file.map(), [&](const Binding& binding) {
    EXPECT_NE(binding.slot, nullptr);
    functions += binding.name.empty() ? 0 : 1;
  });
  EXPECT_GT(functions, 0);
}

}  // namespace
}  // namespace flopcast::machine
