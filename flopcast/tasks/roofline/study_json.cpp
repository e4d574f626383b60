#include "flopcast/roofline/study_json.hpp"

#include "flopcast/support/fields.hpp"
#include "flopcast/tasks/roofline/roofline.hpp"
#include "flopcast/tasks/roofline/roofline_task_schemas.hpp"

namespace flopcast {

template <>
struct FieldTable<roofline::StudyRow> {
  using T = roofline::StudyRow;
  static constexpr auto fields =
      std::tuple(field("technique", &T::technique),
                 field("trials", &T::trials, "number of finished trials; 0: the row is that of an unfinished trial"),
                 optional_field("begun", &T::begun, "false: there is no trial at all"),
                 field("finished_shapes", &T::finished,
                       "finished configurations of the unfinished trial; 0 for a search in one process, which begins anew"),
                 field("leader", &T::leader),
                 field("found_flops_per_second", &T::found, "rate of the leader as the search measured it, which paper 003 shows"),
                 field("flops_per_second", &T::rate, "judged rate of the leader; 0: an interrupted study hasn't judged yet"),
                 field("of_best", &T::of_best, "rate / the best rate that was judged, median over trials"), field("success", &T::success),
                 field("settled", &T::settled, "share of trials that ended by themselves, not by their time"),
                 field("seconds", &T::seconds, "median over trials"), field("evaluations", &T::evaluations),
                 field("speedup", &T::speedup, "speed-up over the technique \"Default\"; 0 if that wasn't run"));
};

template <>
struct FieldTable<GemmSearchStudy> {
  using T = GemmSearchStudy;
  static constexpr auto fields = std::tuple(field("library", &T::library), field("threads", &T::threads),
                                            field("settings", &T::settings, "environment variables with which it was measured"),
                                            field("rows", &T::rows, "one per technique"), field("state", &T::state));
};

/// The shapes are written by hand, each as [m, n, k]. Early documents of this schema lack the optional members.
template <>
struct FieldTable<RooflineStudy> {
  using T = RooflineStudy;
  static constexpr auto fields =
      std::tuple(optional_field("tolerance", &T::tolerance, "a search within this fraction of the best shape is a success"),
                 optional_field("judge_space", &T::judge_space),
                 optional_field("complete", &T::complete, "false: time was short or the study was interrupted; what was measured is kept"),
                 field("studies", &T::studies));
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

PublishedSchema roofline_study_schema() {
  return published(schema, "Comparison of searches of the best gemm", [](SchemaMaker& maker) {
    nlohmann::ordered_json root = maker.object<RooflineStudy>();
    add_member(root, "shapes", described(maker.of<std::vector<std::array<std::int64_t, 3>>>(), "[m, n, k] of each shape"));
    return root;
  });
}

}  // namespace flopcast
