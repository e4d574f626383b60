#include <string>
#include <string_view>
#include <vector>

#include <nlohmann/json.hpp>

#include "flopcast/support/fields.hpp"
#include "flopcast/support/json.hpp"
#include "flopcast/tasks/contraction/contraction.hpp"
#include "flopcast/tasks/contraction/contraction_schemas.hpp"
#include "flopcast/tasks/contraction/option_names.hpp"

namespace flopcast {

template <>
Fields FieldTable<ConsideredTiles>::fields() {
  return {field<&T::tiles>("sizes of the tiles"), field<&T::seconds>("expected time of one execution"),
          field<&T::basis>("source of the time: \"model\", \"micro-benchmark\" or \"execution\"")};
}

template <>
Fields FieldTable<PlanSummary>::fields() {
  return {field<&T::explanation>("the choice and its reason, as text"),
          field<&T::seconds>("expected time of one execution"),
          field<&T::workspace_bytes>("bytes for packing"),
          optional_field<&T::resident_bytes>("predicted peak of resident memory: operands, result, and workspace or copies; 0: not known")
              .measured_in("B", Best::small),
          field<&T::considered>("at most 16, the chosen tiles first"),
          field<&T::loops>("order of the loops over tiles, such as \"nkm\""),
          field<&T::kept>("operands whose packed tiles are kept, such as \"AC\""),
          optional_field<&T::decided>("the choice is final; false while executions of an incremental plan try candidates")};
}

template <>
Fields FieldTable<PlannedStep>::fields() {
  return {
      field<&T::step>(
          "a product, such as t1[ac] := operand1[ab] operand2[bc]; axes stand in the expression's order, those of intermediates (t1, t2, "
          "...) by falling strides (--plan)"),
      field<&T::executions>("1, or the number of blocks for which the step is repeated (--plan)").measured_in("", Best::small),
      field<&T::flops>("flops of all executions of the step (--plan)").measured_in("flop", Best::small),
      field<&T::bytes>("bytes of the elements that all executions of the step read and write (--plan)").measured_in("B", Best::small),
      field<&T::seconds>("predicted time of all executions of the step")};
}

template <>
Fields FieldTable<BlockedLabel>::fields() {
  return {field<&T::label>("label that is cut"), field<&T::size>("elements along the label"),
          field<&T::block_size>("elements of a block; the last block may be shorter")};
}

template <>
Fields FieldTable<PlannedSteps>::fields() {
  return {optional_field<&T::steps>("pairwise contractions, sums and copies in their order"),
          optional_field<&T::blocks>("labels that are cut into blocks, because intermediates would have no room"),
          optional_field<&T::is_exhaustive>("no other order of the operands was skipped by the search")};
}

template <>
Fields FieldTable<ContractionResult>::fields() {
  return {field<&T::expression>("the contraction in einsum's notation, such as \"ijx,jk->ik\""),
          field<&T::sizes>("size of each label"),
          field<&T::precision>("type of the elements"),
          field<&T::plan>("plan of the contraction"),
          field<&T::flops>("flops of one execution"),
          optional_field<&T::planning_seconds>("time to choose the plan, without the time for opening the machine"),
          optional_field<&T::times>("time of each execution; empty for a plan that is only described").measured_in("s", Best::small),
          optional_field<&T::flops_per_second>("flops over the median time of an execution"),
          inlined_field<&T::steps>()};
}

namespace {

constexpr const char* schema = "flopcast-contraction-1";

}  // namespace

std::string to_json(const ContractionResult& result) {
  nlohmann::json json = nlohmann::json::object();
  write_fields(json, result);
  json["schema"] = schema;
  return json.dump(2);
}

ContractionResult contraction_result_from_json(std::string_view text) {
  static constexpr const char* document = "the contraction's document";
  const nlohmann::json json = parse_json(text, document);
  return in_document(document, [&] {
    require_schema(json, document, schema);
    ContractionResult result;
    read_fields(json, result);
    return result;
  });
}

std::vector<PublishedSchema> contraction_schemas() {
  return {published<ContractionResult>(schema, "Plan of an expression with its steps, and the times of its executions")};
}

}  // namespace flopcast
