#include "flopcast/workbench/other_machine.hpp"

#include <fmt/format.h>

#include <set>
#include <vector>

#include "flopcast/support/error.hpp"
#include "flopcast/support/units.hpp"

namespace flopcast {
namespace {

constexpr std::size_t shown_digits = 12;  // of a fingerprint, enough to name it again

/// Returns whether `name`, as a user gives it, may mean this library.
bool is_called(const LibraryIdentity& library, const std::string& name) {
  return name.empty() || name == library.name || name == library.name + "-" + library.threading || name == library.path;
}

bool fits(const Environment& environment, const EnvironmentChoice& choice) {
  return environment.threads == choice.libraries.threads && is_called(environment.blas, choice.libraries.blas) &&
         is_called(environment.lapack, choice.libraries.lapack) && environment.fingerprint.rfind(choice.fingerprint, 0) == 0;
}

std::string library_text(const LibraryIdentity& library) {
  std::string text = library.name;
  for (const std::string& part : {library.version, library.threading, library.kernels}) {
    text += part.empty() ? "" : " " + part;
  }
  return text;
}

std::string list(const std::vector<Environment>& environments) {
  std::string text;
  for (const Environment& environment : environments) {
    text += fmt::format("\n  {}  {}, BLAS {}, LAPACK {}, {}", environment.fingerprint.substr(0, shown_digits), environment.cpu,
                        library_text(environment.blas), library_text(environment.lapack), counted(environment.threads, "thread"));
  }
  return text;
}

/// Those in which kernels were sampled.
std::vector<Environment> sampled_environments(const model::Store& store) {
  std::set<std::string> sampled;
  for (const ModelKey& key : store.sampled_keys()) {
    sampled.insert(key.library);
  }
  std::vector<Environment> environments = store.environments();
  std::erase_if(environments, [&](const Environment& environment) { return sampled.count(environment.fingerprint) == 0; });
  return environments;
}

}  // namespace

Environment sampled_environment(const model::Store& store, const EnvironmentChoice& choice) {
  const std::vector<Environment> all = sampled_environments(store);
  if (all.empty()) {
    throw bad_input("the store {} holds no samples of kernels; predict this trace on its machine first", store.path().string());
  }
  std::vector<Environment> fitting = all;
  std::erase_if(fitting, [&](const Environment& environment) { return !fits(environment, choice); });
  if (fitting.empty()) {
    throw bad_input("the store {} has no samples with these libraries and threads; it has:{}", store.path().string(), list(all));
  }
  if (fitting.size() > 1) {
    throw bad_input("samples of several environments in the store {} fit; choose one by --blas, --lapack or --environment:{}",
                    store.path().string(), list(fitting));
  }
  return fitting.front();
}

}  // namespace flopcast
