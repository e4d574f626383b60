#include "flopcast/roofline/techniques.hpp"

#include <fmt/ranges.h>

#include <algorithm>
#include <limits>

#include "flopcast/search/exhaustive.hpp"
#include "flopcast/support/error.hpp"

namespace flopcast::roofline {

std::vector<std::string> study_techniques() {
  std::vector<std::string> names = search::technique_names();
  names.insert(names.end(), {"race", "halving"});
  return names;
}

std::string_view search_name(std::string_view technique) { return split(technique, ':').front(); }

bool searches_in_one_process(std::string_view technique) {
  const std::string_view name = search_name(technique);
  return name == "race" || name == "halving";
}

Seconds time_limit(std::string_view technique) {
  Seconds limit = std::numeric_limits<Seconds>::infinity();
  const std::vector<std::string_view> parts = split(technique, ':');
  for (std::size_t i = 1; i < parts.size(); ++i) {
    static constexpr std::string_view setting = "time=";
    if (parts[i].substr(0, setting.size()) != setting) {
      throw usage_error("technique {}: '{}' given, expected time=DURATION", parts.front(), parts[i]);
    }
    limit = parse_duration(parts[i].substr(setting.size()), fmt::format("technique {}, time", parts.front()));
    if (!(limit > 0)) {
      throw bad_input("technique {}, time: '{}' given, expected more than 0", parts.front(), parts[i].substr(setting.size()));
    }
  }
  return limit;
}

void require_technique(std::string_view text) {
  const std::string_view name = search_name(text);
  if (const std::vector<std::string> known = study_techniques(); std::find(known.begin(), known.end(), name) == known.end()) {
    throw usage_error("technique '{}' given, expected one of {}", text, fmt::join(known, ", "));
  }
  if (searches_in_one_process(text)) {
    time_limit(text);
  } else {
    search::technique(text);
  }
}

}  // namespace flopcast::roofline
