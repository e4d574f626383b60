#include <algorithm>
#include <array>
#include <iterator>

#include "flopcast/roofline/compare.hpp"
#include "flopcast/support/error.hpp"
#include "flopcast/support/fields.hpp"

namespace flopcast::roofline {
namespace {

std::vector<std::string> texts(const std::vector<RoofName>& roofs) {
  std::vector<std::string> texts;
  std::transform(roofs.begin(), roofs.end(), std::back_inserter(texts), [](const RoofName& roof) { return to_string(roof); });
  return texts;
}

std::vector<RoofName> roof_names(const nlohmann::json& json, const char* member_name) {
  const auto texts = member<std::vector<std::string>>(json, member_name);
  std::vector<RoofName> roofs;
  std::transform(texts.begin(), texts.end(), std::back_inserter(roofs), [](const std::string& text) { return parse_roof_name(text); });
  return roofs;
}

}  // namespace

void to_json(nlohmann::json& json, const Difference& one) {
  json = {{"kind", one.kind},
          {"name", one.name},
          {"threads", one.threads},
          {"before", one.before},
          {"after", one.after},
          {"ratio", one.ratio},
          {"interval", {one.interval.low, one.interval.high}},
          {"one_sample", one.one_sample},
          {"beyond_noise", one.beyond_noise()}};
}

void from_json(const nlohmann::json& json, Difference& one) {
  read_member(json, "kind", one.kind);
  read_member(json, "name", one.name);
  read_member(json, "threads", one.threads);
  read_member(json, "before", one.before);
  read_member(json, "after", one.after);
  read_member(json, "ratio", one.ratio);
  const auto interval = member<std::array<double, 2>>(json, "interval");
  one.interval = {interval[0], interval[1]};
  one.one_sample = member_or(json, "one_sample", false);
}

std::string to_string(const RoofName& roof) { return fmt::format("{} {}, {}", roof.kind, roof.name, counted(roof.threads, "thread")); }

RoofName parse_roof_name(std::string_view text) {
  static constexpr std::array<std::string_view, 8> kinds = {"compute",    "bandwidth",  "clock", "dgemm",
                                                            "best dgemm", "best sgemm", "sgemm", "point"};
  const std::size_t comma = text.rfind(", "), end = text.rfind(" thread");
  const auto kind = std::find_if(kinds.begin(), kinds.end(), [text](std::string_view one) {
    return text.starts_with(one) && text.substr(one.size()).starts_with(' ');
  });
  if (kind == kinds.end() || comma == std::string_view::npos || end == std::string_view::npos || end < comma || comma <= kind->size()) {
    throw bad_input("'{}' is no name of a roof; expected one such as \"dgemm openblas serial, 2 threads\"", text);
  }
  const auto threads = parse_integer(text.substr(comma + 2, end - comma - 2), "threads of a roof", 1, 1'000'000);
  return {std::string(*kind), std::string(text.substr(kind->size() + 1, comma - kind->size() - 1)), static_cast<int>(threads)};
}

std::string to_json(const Comparison& comparison) {
  const Verdict found = verdict(comparison);
  nlohmann::ordered_json document = {{"schema", comparison_schema}};
  document.update(nlohmann::ordered_json{{"roofs", found.roofs},
                                         {"lower", found.lower},
                                         {"higher", found.higher},
                                         {"undecided", found.undecided},
                                         {"settings", comparison.settings},
                                         {"wander", comparison.wander.all},
                                         {"wander_by_kind", comparison.wander.by_kind},
                                         {"differences", nlohmann::json(comparison.differences)},
                                         {"only_before", texts(comparison.only_before)},
                                         {"only_after", texts(comparison.only_after)}});
  return document.dump(2);
}

Comparison comparison_from_json(std::string_view text, const std::string& document) {
  const nlohmann::json json = parse_json(text, document);
  return in_document(document, [&] {
    require_schema(json, document, {comparison_schema});
    Comparison comparison;
    read_member(json, "settings", comparison.settings);
    read_member(json, "wander", comparison.wander.all);
    read_member(json, "wander_by_kind", comparison.wander.by_kind);
    read_member(json, "differences", comparison.differences);
    comparison.only_before = roof_names(json, "only_before");
    comparison.only_after = roof_names(json, "only_after");
    return comparison;
  });
}

}  // namespace flopcast::roofline
