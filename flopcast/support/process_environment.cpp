#include "flopcast/support/process_environment.hpp"

#include <unistd.h>

#include <algorithm>

namespace flopcast::process {
namespace {

template <class Environment>
auto find_variable(Environment& environment, const std::string& name) {
  const std::string start = name + "=";
  return std::find_if(environment.begin(), environment.end(), [&](const std::string& entry) { return entry.rfind(start, 0) == 0; });
}

}  // namespace

std::vector<std::string> current_environment() {
  std::vector<std::string> all;
  for (char** entry = environ; *entry != nullptr; ++entry) {
    all.emplace_back(*entry);
  }
  return all;
}

std::string variable(const std::vector<std::string>& environment, const std::string& name) {
  const auto found = find_variable(environment, name);
  return found == environment.end() ? std::string() : found->substr(name.size() + 1);
}

void set_variable(std::vector<std::string>& environment, const std::string& name, const std::string& value) {
  const std::string entry = name + "=" + value;
  const auto found = find_variable(environment, name);
  if (found == environment.end()) {
    environment.push_back(entry);
  } else {
    *found = entry;
  }
}

void set_threads(std::vector<std::string>& environment, int threads) {
  for (const char* name : {"OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "BLIS_NUM_THREADS", "MKL_NUM_THREADS"}) {
    set_variable(environment, name, std::to_string(threads));
  }
}

void preload(std::vector<std::string>& environment, const std::string& library) {
  const std::string before = variable(environment, "LD_PRELOAD");
  set_variable(environment, "LD_PRELOAD", before.empty() ? library : library + ":" + before);
  // ASan ends a program at once if a library is loaded before the sanitizer's, unless this variable forbids the check.
  const std::string sanitizer = variable(environment, "ASAN_OPTIONS");
  if (sanitizer.find("verify_asan_link_order") == std::string::npos) {
    set_variable(environment, "ASAN_OPTIONS", (sanitizer.empty() ? "" : sanitizer + ":") + "verify_asan_link_order=0");
  }
}

std::vector<char*> pointers(std::vector<std::string>& strings) {
  std::vector<char*> all;
  for (std::string& text : strings) {
    all.push_back(text.data());
  }
  all.push_back(nullptr);
  return all;
}

}  // namespace flopcast::process
