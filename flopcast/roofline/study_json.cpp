#include "flopcast/roofline/study_json.hpp"

#include "flopcast/support/fields.hpp"

namespace flopcast {

template <>
struct FieldTable<roofline::StudyRun> {
  using T = roofline::StudyRun;
  static constexpr auto fields =
      std::tuple(field("technique", &T::technique), field("trial", &T::trial),
                 field("finished", &T::finished, "for techniques of paper 003, in their order"), field("leader", &T::leader),
                 optional_field("rate", &T::rate, "rate of the leader as measured by the search; 0: unknown (halving)"),
                 field("seconds", &T::seconds), field("evaluations", &T::evaluations),
                 optional_field("settled", &T::settled, "false: a search in one process ended because its time was used up"),
                 field("complete", &T::complete));
};

template <>
struct SchemaOf<roofline::FinishedTrial> {
  static nlohmann::ordered_json make(SchemaMaker& maker) {
    return described(maker.of<std::array<double, 2>>(), "number of the configuration, rate in flop/s");
  }
};

nlohmann::ordered_json SchemaOf<roofline::StudyState>::make(SchemaMaker& maker) {
  const nlohmann::ordered_json judged =
      described(maker.of<std::vector<std::array<double, 2>>>(), "number of the configuration, judged rate");
  return object_schema({{"runs", maker.of<std::vector<roofline::StudyRun>>()}, {"judged", judged}});
}

}  // namespace flopcast

namespace flopcast::roofline {

void to_json(nlohmann::json& json, const FinishedTrial& trial) { json = {trial.configuration, trial.rate}; }

void from_json(const nlohmann::json& json, FinishedTrial& trial) { trial = {element<std::size_t>(json, 0), element<double>(json, 1)}; }

void to_json(nlohmann::json& json, const StudyState& state) {
  nlohmann::json judged = nlohmann::json::array();
  for (const auto& [configuration, rate] : state.judged) {
    judged.push_back({configuration, rate});
  }
  json = {{"runs", state.runs}, {"judged", judged}};
}

void from_json(const nlohmann::json& json, StudyState& state) {
  state = {};
  read_member(json, "runs", state.runs);
  for_each_element(json, "judged",
                   [&state](const nlohmann::json& judged) { state.judged[element<std::size_t>(judged, 0)] = element<double>(judged, 1); });
}

}  // namespace flopcast::roofline
