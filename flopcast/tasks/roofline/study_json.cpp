#include "flopcast/roofline/study_json.hpp"

#include "flopcast/support/fields.hpp"
#include "flopcast/tasks/roofline/roofline.hpp"

namespace flopcast {

template <>
struct FieldTable<roofline::StudyRow> {
  using T = roofline::StudyRow;
  static constexpr auto fields = std::tuple(
      field("technique", &T::technique), field("trials", &T::trials), optional_field("begun", &T::begun),
      field("finished_shapes", &T::finished), field("leader", &T::leader), field("found_flops_per_second", &T::found),
      field("flops_per_second", &T::rate), field("of_best", &T::of_best), field("success", &T::success), field("settled", &T::settled),
      field("seconds", &T::seconds), field("evaluations", &T::evaluations), field("speedup", &T::speedup));
};

template <>
struct FieldTable<GemmSearchStudy> {
  using T = GemmSearchStudy;
  static constexpr auto fields = std::tuple(field("library", &T::library), field("threads", &T::threads), field("settings", &T::settings),
                                            field("rows", &T::rows), field("state", &T::state));
};

/// The shapes are written by hand, each as [m, n, k]. Early documents of this schema lack the optional members.
template <>
struct FieldTable<RooflineStudy> {
  using T = RooflineStudy;
  static constexpr auto fields = std::tuple(optional_field("tolerance", &T::tolerance), optional_field("judge_space", &T::judge_space),
                                            optional_field("complete", &T::complete), field("studies", &T::studies));
};

namespace {

constexpr const char* schema = "flopcast-roofline-study-2";

}  // namespace

std::string to_json(const RooflineStudy& study) {
  nlohmann::ordered_json document = to_document(study, schema), shapes = nlohmann::ordered_json::array();
  for (const roofline::GemmShape& shape : study.shapes) {
    shapes.push_back({shape.m, shape.n, shape.k});
  }
  document["shapes"] = std::move(shapes);
  return document.dump(2);
}

RooflineStudy roofline_study_from_json(std::string_view text) {
  const std::string document = "the study";
  const nlohmann::json json = parse_json(text, document);
  return in_document(document, [&] {
    require_schema(json, document, {schema});
    RooflineStudy study;
    read_fields(json, study);
    for_each_element(json, "shapes", [&study](const nlohmann::json& shape) {
      study.shapes.push_back({element<std::int64_t>(shape, 0), element<std::int64_t>(shape, 1), element<std::int64_t>(shape, 2)});
    });
    return study;
  });
}

}  // namespace flopcast
