#include <algorithm>
#include <array>
#include <utility>

#include "flopcast/core/documents.hpp"
#include "flopcast/roofline/compare.hpp"
#include "flopcast/roofline/roofline_schemas.hpp"
#include "flopcast/support/error.hpp"
#include "flopcast/support/fields.hpp"

namespace flopcast {

namespace roofline {

void to_json(nlohmann::json& json, const RoofName& roof) { json = to_string(roof); }
void from_json(const nlohmann::json& json, RoofName& roof) { roof = parsed_text(json, parse_roof_name); }
void to_json(nlohmann::json& json, const Difference& one);
void from_json(const nlohmann::json& json, Difference& one);

}  // namespace roofline

template <>
struct SchemaOf<roofline::RoofName> {
  static nlohmann::ordered_json make(SchemaMaker& maker) { return maker.of<std::string>(); }
};

template <>
Fields FieldTable<roofline::RoofName>::fields() {
  return {field<&T::kind>("kind of the roof: compute, bandwidth, clock, a routine or point"), field<&T::name>("name of the roof"),
          field<&T::threads>("number of threads")};
}

template <>
Fields FieldTable<roofline::Difference>::fields() {
  return {inherited_fields<T, roofline::RoofName>(),
          field<&T::before>("median in the first run").measured_in("as the roof's", Best::large),
          field<&T::after>("median in the second run").measured_in("as the roof's", Best::large),
          field<&T::ratio>("median of the second run over that of the first").measured_in("", Best::large),
          field<&T::interval>("95 % interval of the ratio").measured_in("", Best::large),
          optional_field<&T::one_sample>("one of the runs has a single sample: there is no decision")};
}

template <>
struct SchemaOf<roofline::Difference> {
  static nlohmann::ordered_json make(SchemaMaker& maker) {
    nlohmann::ordered_json difference = maker.object<roofline::Difference>();
    add_member(difference, "beyond_noise", described(maker.of<bool>(), "the runs differ by more than noise"));
    return difference;
  }
};

template <>
Fields FieldTable<roofline::RoofDrift>::fields() {
  return {field<&T::all>("bound of the change of compute and bandwidth roofs within a run, as a fraction").named("wander"),
          field<&T::by_kind>("bound of the change within a run by kind of roof").named("wander_by_kind")};
}

template <>
Fields FieldTable<roofline::Comparison>::fields() {
  return {field<&T::settings>("settings in which the runs differ"), inlined_field<&T::drift>(),
          field<&T::differences>("all roofs that both runs have"), field<&T::only_before>("roofs that only the first run has"),
          field<&T::only_after>("roofs that only the second run has")};
}

namespace roofline {

void to_json(nlohmann::json& json, const Difference& one) {
  write_fields(json = nlohmann::json::object(), one);
  json["beyond_noise"] = one.beyond_noise();
}
void from_json(const nlohmann::json& json, Difference& one) { read_fields(json, one); }

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
  nlohmann::ordered_json document = to_document(comparison, comparison_schema);
  document.update(
      nlohmann::ordered_json{{"roofs", found.roofs}, {"lower", found.lower}, {"higher", found.higher}, {"undecided", found.undecided}});
  return document.dump(2);
}

Comparison comparison_from_json(std::string_view text, const std::string& document) {
  return from_document<Comparison>(text, document, comparison_schema);
}

PublishedSchema comparison_published() {
  return published(comparison_schema, "Comparison of two rooflines", [](SchemaMaker& maker) {
    nlohmann::ordered_json comparison = maker.object<Comparison>();
    for (const auto& [name, description] :
         {std::pair("roofs", "number of roofs that both runs have"), std::pair("lower", "number of roofs that are lower in the second run"),
          std::pair("higher", "number of roofs that are higher in the second run"),
          std::pair("undecided", "number of roofs for which one of the runs has a single sample")}) {
      add_member(comparison, name, described(maker.of<std::size_t>(), description));
    }
    return comparison;
  });
}

}  // namespace roofline
}  // namespace flopcast
