#include "flopcast/roofline/compare_settings.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <iterator>
#include <map>

#include "flopcast/roofline/roof_fields.hpp"
#include "flopcast/support/units.hpp"

namespace flopcast::roofline {
namespace {

std::string levels_text(const Roofline& roofline) {
  std::string text;
  for (const CacheLevel& level : roofline.levels) {
    text += fmt::format("{}{} {}", text.empty() ? "" : ", ", level.name, format_bytes(static_cast<double>(level.capacity_bytes)));
  }
  return text;
}

std::string libraries_text(const Roofline& roofline) {
  std::vector<std::string> libraries;  // each once, however many measurements it has
  for (const GemmRoof& roof : roofline.gemm) {
    std::string text = roof.library.name;
    for (const std::string& part : {roof.library.threading, roof.library.version, roof.library.kernels, roof.setting}) {
      text += part.empty() ? "" : " " + part;
    }
    if (std::find(libraries.begin(), libraries.end(), text) == libraries.end()) {
      libraries.push_back(std::move(text));
    }
  }
  return libraries.empty() ? "none" : fmt::format("{}", fmt::join(libraries, ", "));
}

std::string option_text(const nlohmann::json& value) {
  if (value.is_boolean()) {
    return value.get<bool>() ? "yes" : "no";
  }
  if (value.is_string()) {
    return value.get_ref<const std::string&>().empty() ? "not set" : value.get<std::string>();
  }
  if (value.is_array() && !value.empty()) {
    std::vector<std::string> parts;
    std::transform(value.begin(), value.end(), std::back_inserter(parts), option_text);
    return fmt::format("{}", fmt::join(parts, ", "));
  }
  return value.empty() ? "not set" : value.dump();  // null and [] count as empty, numbers don't
}

/// Returns options by name, without those that say nothing about the rates or are reported as CPUs used and affinity.
std::map<std::string, std::string> option_texts(const EffectiveOptions& options) {
  std::map<std::string, std::string> texts;
  const nlohmann::json members = options;
  for (const auto& [name, value] : members.items()) {
    if (name != "seed" && name != "time_budget" && name != "threads" && name != "affinity") {
      texts[name] = option_text(value);
    }
  }
  return texts;
}

}  // namespace

std::vector<std::string> different_settings(const Roofline& before, const Roofline& after) {
  std::vector<std::string> settings;
  const auto compare = [&settings](std::string name, const std::string& a, const std::string& b) {
    if (a != b) {
      std::replace(name.begin(), name.end(), '_', ' ');
      settings.push_back(fmt::format("{}: {}; {}", name, a, b));
    }
  };
  compare("CPU", before.cpu, after.cpu);
  compare("date", before.date, after.date);
  compare("CPUs used", fmt::format("{}", before.cpus.size()), fmt::format("{}", after.cpus.size()));
  compare("affinity", before.affinity, after.affinity);
  compare("caches", levels_text(before), levels_text(after));
  compare("libraries", libraries_text(before), libraries_text(after));
  std::map<std::string, std::array<std::string, 2>> options;
  for (const auto& [name, value] : option_texts(before.options)) {
    options[name] = {value, "not set"};
  }
  for (const auto& [name, value] : option_texts(after.options)) {
    options.try_emplace(name, std::array<std::string, 2>{"not set", ""}).first->second[1] = value;
  }
  for (const auto& [name, values] : options) {
    compare(name, values[0], values[1]);
  }
  return settings;
}

}  // namespace flopcast::roofline
