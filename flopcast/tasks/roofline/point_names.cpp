#include "flopcast/tasks/roofline/point_names.hpp"

#include <algorithm>
#include <filesystem>
#include <sstream>

#include "flopcast/support/units.hpp"

namespace flopcast {

using roofline::Point;

namespace {

/// Returns the routine and its sizes, with flags if asked for; for a program, its command without the directory.
std::string short_name(const Point& point, bool with_flags) {
  if (point.level.empty()) {  // a program, or a call of an unknown place
    const std::size_t end = point.name.find(' ');
    const std::string file = std::filesystem::path(point.name.substr(0, end)).filename();
    if (point.name.find('=') == std::string::npos) {
      return file + (end == std::string::npos ? "" : point.name.substr(end));
    }
  }
  std::istringstream words(point.name);
  std::string word, name;
  words >> name;
  name = std::filesystem::path(name).filename();
  while (words >> word) {
    const std::size_t equals = word.find('=');
    const std::string key = word.substr(0, equals), value = equals == std::string::npos ? word : word.substr(equals + 1);
    const bool is_detail = key.starts_with("ld") || key.starts_with("inc") || key == "alpha" || key == "beta";
    const bool is_size = value.find_first_not_of("0123456789") == std::string::npos;
    name += !is_detail && (is_size || with_flags) ? ' ' + word : "";
  }
  return name;
}

}  // namespace

std::vector<std::string> point_names(const std::vector<Point>& points, int threads, const std::string& precision) {
  constexpr std::size_t longest = 60;
  std::vector<std::string> names;
  for (const Point& point : points) {
    const std::string brief = short_name(point, false), whole = short_name(point, true);
    const bool is_ambiguous = std::any_of(points.begin(), points.end(), [&](const Point& other) {
      return short_name(other, false) == brief && short_name(other, true) != whole;
    });
    std::string name = is_ambiguous ? whole : brief;
    if (name.size() > longest) {
      name.resize(longest - 3);
      name += "...";
    }
    name += point.threads != threads ? ", " + counted(point.threads, "thread") : "";
    name += point.precision != precision ? ", " + point.precision : "";
    names.push_back(name);
  }
  return names;
}

}  // namespace flopcast
