#pragma once

#include <string>
#include <variant>

#include "flopcast/tasks/reporting/reporting.hpp"

namespace flopcast::tests {

/// Returns the contents of the page about a result, made of its document.
template <class Result>
PageContents contents(const Result& result) {
  return contents_of({"result.json", to_json(result)});
}

inline const report::BarChart& bars(const PageContents& contents, std::size_t picture = 0) {
  return std::get<report::BarChart>(contents.pictures.at(picture));
}
inline const report::Figure& figure(const PageContents& contents, std::size_t picture = 0) {
  return std::get<report::Figure>(contents.pictures.at(picture));
}
inline const report::Strips& strips(const PageContents& contents, std::size_t picture = 0) {
  return std::get<report::Strips>(contents.pictures.at(picture));
}

/// Returns a race of two commands, the second of which is faster.
inline std::string race_document(const std::string& second = "B", const std::string& cpu = "a CPU") {
  const std::string times = R"("user_seconds": 1, "system_seconds": 0, "runs": 9, "outliers": 0)";
  return R"({"schema": "flopcast-race-1", "commands": [{"name": "A", "elapsed_seconds": 2, "elapsed_seconds_interval": [1.9, 2.1], )" +
         times + R"(}, {"name": ")" + second +
         R"(", "command": ["b", "x y"], "elapsed_seconds": 1, "elapsed_seconds_interval": [0.9, 1.1], "against_reference": {"verdict":)" +
         R"("faster", "ratio": 0.5, "interval": [0.4, 0.6]}, )" + times +
         R"(}], "control": {"verdict": "same", "ratio": 1, "interval": [0.99, 1.01]}, "ending": "decided", "rounds": 9, "tolerance": 0.02,)" +
         R"( "cpu": ")" + cpu + R"(", "remarks": []})";
}

}  // namespace flopcast::tests
