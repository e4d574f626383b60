#include "flopcast/tasks/mpi/profile.hpp"

#include "flopcast/support/error.hpp"
#include "flopcast/support/json.hpp"

namespace flopcast {

using nlohmann::json;

double number(const json& document, const char* name) { return member<double>(document, name); }

double mpi_coverage(const json& profile) {
  Seconds kernels = 0;
  for (const json& kernel : profile.at("kernels")) {
    kernels += number(kernel.at("along"), "seconds");
  }
  const Seconds path = number(profile.at("path"), "seconds");
  return path > 0 ? kernels / path : 0;
}

std::string processes(std::int64_t count) { return counted(count, "process"); }

Seconds parse_patience(const std::string& text) {
  const Seconds patience = text == "none" ? 0 : parse_duration(text, "--patience");
  if (text != "none" && !(patience > 0)) {
    throw usage_error("--patience: '{}' is no duration above 0 such as 60s, nor none", text);
  }
  return patience;
}

}  // namespace flopcast
