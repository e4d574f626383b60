#include <string>
#include <string_view>
#include <tuple>
#include <vector>

#include <nlohmann/json.hpp>

#include "flopcast/support/fields.hpp"
#include "flopcast/support/json.hpp"
#include "flopcast/tasks/contraction/contraction_schemas.hpp"
#include "flopcast/tasks/contraction/einsum.hpp"
#include "flopcast/tasks/contraction/plan_summary_fields.hpp"

namespace flopcast {

template <>
struct FieldTable<PlannedStep> {
  using T = PlannedStep;
  static constexpr auto fields =
      std::tuple(field("step", &T::step, "such as \"t1[ac] := operand1[ab] operand2[bc]\""),
                 field("executions", &T::executions, "1, or the number of blocks for which the step is repeated"),
                 field("flops", &T::flops, "flops of all executions"), field("bytes", &T::bytes, "elements read and written"),
                 field("seconds", &T::seconds, "predicted time of all executions"));
};

template <>
struct FieldTable<BlockedLabel> {
  using T = BlockedLabel;
  static constexpr auto fields = std::tuple(field("label", &T::label), field("size", &T::size, "elements along the label"),
                                            field("block_size", &T::block_size, "elements of a block; the last block may be shorter"));
};

template <>
struct FieldTable<PlannedSteps> {
  using T = PlannedSteps;
  static constexpr auto fields =
      std::tuple(optional_field("steps", &T::steps, "pairwise contractions, sums and copies in their order"),
                 optional_field("blocks", &T::blocks, "labels that are cut into blocks, because intermediates would have no room"),
                 optional_field("is_exhaustive", &T::is_exhaustive, "no other order of the operands was left out of the search"));
};

template <>
struct FieldTable<PlannedExpression> {
  using T = PlannedExpression;
  static constexpr auto fields = std::tuple(field("expression", &T::expression, "in einsum's notation, such as \"ab,bc,cd->ad\""),
                                            field("sizes", &T::sizes, "size of each label"), field("plan", &T::plan),
                                            field("flops", &T::flops, "flops of one execution"), inlined_field(&T::steps));
};

template <>
struct FieldTable<EinsumRun> {
  using T = EinsumRun;
  static constexpr auto fields = std::tuple(
      field("expression", &T::expression, "in einsum's notation, such as \"ijx,jk->ik\""), field("sizes", &T::sizes, "size of each label"),
      field("plan", &T::plan), field("flops", &T::flops, "flops of one execution"),
      field("planning_seconds", &T::planning_seconds, "time until the plan was ready, without the time for opening the machine"),
      field("times", &T::times, "time of each execution"), field("flops_per_second", &T::flops_per_second, "rate of the median execution"),
      inlined_field(&T::steps));
};

namespace {

constexpr const char* run_schema = "flopcast-einsum-run-1";
constexpr const char* plan_schema = "flopcast-einsum-plan-1";

template <class Result>
std::string document_of(const Result& result, const char* schema) {
  nlohmann::json json = nlohmann::json::object();
  write_fields(json, result);
  json["precision"] = std::string(1, static_cast<char>(result.precision));
  json["schema"] = schema;
  return json.dump(2);
}

template <class Result>
Result result_of(std::string_view text, const char* schema) {
  static constexpr const char* document = "the expression's document";
  const nlohmann::json json = parse_json(text, document);
  return in_document(document, [&] {
    require_schema(json, document, {schema});
    Result result;
    read_fields(json, result);
    const auto precision = member<std::string>(json, "precision");
    if (precision.size() != 1 || std::string("sdcz").find(precision) == std::string::npos) {
      throw MemberError("precision", "'" + precision + "' given, expected s, d, c or z");
    }
    result.precision = static_cast<Precision>(precision.front());
    return result;
  });
}

template <class Result>
PublishedSchema schema_of(const char* schema, const char* title) {
  return published(schema, title, [](SchemaMaker& maker) {
    nlohmann::ordered_json root = maker.object<Result>();
    add_member(root, "precision", {{"enum", {"s", "d", "c", "z"}}});
    return root;
  });
}

}  // namespace

std::string to_json(const EinsumRun& run) { return document_of(run, run_schema); }
std::string to_json(const PlannedExpression& planned) { return document_of(planned, plan_schema); }

EinsumRun einsum_run_from_json(std::string_view text) { return result_of<EinsumRun>(text, run_schema); }
PlannedExpression planned_expression_from_json(std::string_view text) { return result_of<PlannedExpression>(text, plan_schema); }

std::vector<PublishedSchema> einsum_schemas() {
  return {schema_of<EinsumRun>(run_schema, "An expression that was planned and executed"),
          schema_of<PlannedExpression>(plan_schema, "Plan of an expression with its steps")};
}

}  // namespace flopcast
