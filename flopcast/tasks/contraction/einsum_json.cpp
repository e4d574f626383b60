#include <string>
#include <string_view>

#include <nlohmann/json.hpp>

#include "flopcast/support/fields.hpp"
#include "flopcast/support/json.hpp"
#include "flopcast/tasks/contraction/contraction_schemas.hpp"
#include "flopcast/tasks/contraction/einsum.hpp"
#include "flopcast/tasks/contraction/plan_summary_fields.hpp"

namespace flopcast {

template <>
struct FieldTable<EinsumRun> {
  using T = EinsumRun;
  static constexpr auto fields = std::tuple(
      field("expression", &T::expression, "in einsum's notation, such as \"ijx,jk->ik\""), field("sizes", &T::sizes, "size of each label"),
      field("plan", &T::plan), field("flops", &T::flops, "flops of one execution"),
      field("planning_seconds", &T::planning_seconds, "time until the plan was ready, without the time for opening the machine"),
      field("times", &T::times, "time of each execution"), field("flops_per_second", &T::flops_per_second, "rate of the median execution"));
};

namespace {

constexpr const char* run_schema = "flopcast-einsum-run-1";

}  // namespace

std::string to_json(const EinsumRun& run) {
  nlohmann::json json = nlohmann::json::object();
  write_fields(json, run);
  json["precision"] = std::string(1, static_cast<char>(run.precision));
  json["schema"] = run_schema;
  return json.dump(2);
}

EinsumRun einsum_run_from_json(std::string_view text) {
  static constexpr const char* document = "the expression's document";
  const nlohmann::json json = parse_json(text, document);
  return in_document(document, [&] {
    require_schema(json, document, {run_schema});
    EinsumRun run;
    read_fields(json, run);
    const auto precision = member<std::string>(json, "precision");
    if (precision.size() != 1 || std::string("sdcz").find(precision) == std::string::npos) {
      throw MemberError("precision", "'" + precision + "' given, expected s, d, c or z");
    }
    run.precision = static_cast<Precision>(precision.front());
    return run;
  });
}

PublishedSchema einsum_schema() {
  return published(run_schema, "An expression that was planned and executed", [](SchemaMaker& maker) {
    nlohmann::ordered_json root = maker.object<EinsumRun>();
    add_member(root, "precision", {{"enum", {"s", "d", "c", "z"}}});
    return root;
  });
}

}  // namespace flopcast
