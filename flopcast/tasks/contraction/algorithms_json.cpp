#include <array>
#include <string>
#include <utility>

#include <nlohmann/json.hpp>

#include "flopcast/core/core_schemas.hpp"
#include "flopcast/core/environment_json.hpp"
#include "flopcast/support/fields.hpp"
#include "flopcast/support/json.hpp"
#include "flopcast/tasks/contraction/contraction.hpp"
#include "flopcast/tasks/contraction/contraction_schemas.hpp"

namespace flopcast {

template <>
Fields FieldTable<contract::Part>::fields() {
  return {field<&T::what>(), field<&T::calls>(), field<&T::seconds>("time of one call")};
}

namespace {

constexpr const char* algorithms_schema = "flopcast-contract-1";
constexpr std::array<contract::Kernel, 5> all_kernels = {contract::Kernel::dot, contract::Kernel::axpy, contract::Kernel::gemv,
                                                         contract::Kernel::ger, contract::Kernel::gemm};

/// Writes the members that every document of a contraction has: its notation, sizes and strides.
void write(nlohmann::json& json, const contract::Contraction& contraction) {
  json["contraction"] = contract::to_string(contraction.notation());
  json["sizes"] = nlohmann::json::object();
  for (const auto& [index, extent] : contraction.extents) {
    json["sizes"][std::string(1, index)] = extent;
  }
  for (const contract::Operand operand : contract::all_operands) {
    json["strides"][std::string(1, contract::letter(operand))] = contraction.tensor(operand).strides;
  }
  json["precision"] = std::string(1, static_cast<char>(contraction.precision));
  json["flops"] = contract::flops(contraction);
}

/// Runs `read`; bad_input about a member's value becomes an error that names the member.
template <class Read>
decltype(auto) within(const char* name, Read&& read) {
  try {
    return read();
  } catch (const Error& error) {
    throw MemberError(name, error.what());
  }
}

contract::Contraction read_contraction(const nlohmann::json& json) {
  const auto text = member<std::string>(json, "contraction");
  const contract::Notation notation = within("contraction", [&] { return contract::parse_notation(text); });
  contract::Extents extents;
  for (const auto& [index, extent] : member<std::map<std::string, std::int64_t>>(json, "sizes")) {
    if (index.size() != 1) {
      throw MemberError("sizes", "'" + index + "' is no index");
    }
    extents[index.front()] = extent;
  }
  const auto strides = member<std::map<std::string, std::vector<std::int64_t>>>(json, "strides");
  const auto precision = member<std::string>(json, "precision");
  if (precision.size() != 1 || std::string("sdcz").find(precision) == std::string::npos) {
    throw MemberError("precision", "'" + precision + "' given, expected s, d, c or z");
  }
  std::array<std::vector<std::int64_t>, 3> all;
  for (const contract::Operand operand : contract::all_operands) {
    const auto found = strides.find(std::string(1, contract::letter(operand)));
    if (found == strides.end()) {
      throw MemberError("strides", std::string("no strides of ") + contract::letter(operand));
    }
    all[static_cast<std::size_t>(operand)] = found->second;
  }
  return within("sizes", [&] {
    return contract::make_contraction(notation, extents, static_cast<Precision>(precision.front()), contract::Order::column_major, all);
  });
}

nlohmann::json algorithm_json(const contract::Algorithm& algorithm, const contract::Contraction& contraction) {
  nlohmann::json copies = nlohmann::json::array();
  for (const contract::Copy& copy : algorithm.copies) {
    copies.push_back({{"operand", std::string(1, contract::letter(copy.operand))},
                      {"inside", copy.depth == 0 ? "" : std::string(1, algorithm.loops[copy.depth - 1])},
                      {"depth", copy.depth}});
  }
  return {{"name", algorithm.name()},
          {"kernel", contract::name(algorithm.kernel)},
          {"kernel_indices", algorithm.kernel_indices},
          {"loops", algorithm.loops},
          {"copies", std::move(copies)},
          {"kernel_calls", contract::kernel_calls(algorithm, contraction)}};
}

contract::Algorithm read_algorithm(const nlohmann::json& json) {
  contract::Algorithm algorithm;
  const auto kernel = member<std::string>(json, "kernel");
  const auto* const found =
      std::find_if(all_kernels.begin(), all_kernels.end(), [&](contract::Kernel one) { return contract::name(one) == kernel; });
  if (found == all_kernels.end()) {
    throw MemberError("kernel", "'" + kernel + "' is no kernel");
  }
  algorithm.kernel = *found;
  read_member(json, "kernel_indices", algorithm.kernel_indices);
  read_member(json, "loops", algorithm.loops);
  for_each_element(json, "copies", [&](const nlohmann::json& copy) {
    const auto operand = member<std::string>(copy, "operand");
    const std::size_t which = std::string("ABC").find(operand);
    if (operand.size() != 1 || which == std::string::npos) {
      throw MemberError("operand", "'" + operand + "' given, expected A, B or C");
    }
    const auto depth = member<std::int64_t>(copy, "depth");
    if (depth < 0 || depth > std::ssize(algorithm.loops)) {
      throw MemberError("depth", "the algorithm has fewer loops");
    }
    algorithm.copies.push_back({contract::all_operands[which], static_cast<std::size_t>(depth)});
  });
  return algorithm;
}

nlohmann::json ranked_json(const RankedAlgorithm& ranked, const contract::Contraction& contraction) {
  nlohmann::json json = algorithm_json(ranked.algorithm, contraction);
  json["seconds"] = ranked.forecast.seconds;
  json["interval_95"] = {ranked.forecast.interval.low, ranked.forecast.interval.high};
  json["deviation"] = ranked.forecast.deviation;
  json["parts"] = ranked.forecast.parts;
  json["flops_per_cycle"] = ranked.flops_per_cycle;
  json["tie"] = ranked.tie;
  if (ranked.measured_seconds) {
    json["measured_seconds"] = *ranked.measured_seconds;
  }
  return json;
}

template <class T>
std::optional<T> optional_member(const nlohmann::json& json, const char* name) {
  return json.contains(name) && !json.at(name).is_null() ? std::optional(member<T>(json, name)) : std::nullopt;
}

RankedAlgorithm read_ranked(const nlohmann::json& json) {
  const auto interval = member<std::array<double, 2>>(json, "interval_95");
  return {read_algorithm(json),
          {member<double>(json, "seconds"),
           {interval[0], interval[1]},
           member<std::vector<contract::Part>>(json, "parts"),
           member_or(json, "deviation", 0.0)},
          member<double>(json, "flops_per_cycle"),
          member<bool>(json, "tie"),
          optional_member<double>(json, "measured_seconds")};
}

std::string text_of(nlohmann::json json, const char* schema) {
  json["schema"] = schema;
  return json.dump(2);
}

/// Reads a document of this schema.
template <class Read>
auto read_document(std::string_view text, const char* schema, Read&& read) {
  static constexpr const char* document = "the contraction's document";
  const nlohmann::json json = parse_json(text, document);
  return in_document(document, [&] {
    require_schema(json, document, schema);
    return read(json);
  });
}

}  // namespace

std::string to_json(const AlgorithmRanking& ranking) {
  nlohmann::json json = nlohmann::json::object();
  write(json, ranking.contraction);
  json["environment"] = ranking.environment;
  json["options"] = {
      {"stage", contract::name(ranking.stage)}, {"repetitions", ranking.repetitions}, {"prefetched_lines", ranking.prefetched_lines}};
  json["algorithms"] = nlohmann::json::array();
  for (const RankedAlgorithm& one : ranking.algorithms) {
    json["algorithms"].push_back(ranked_json(one, ranking.contraction));
  }
  json["cost"] = {
      {"seconds", ranking.cost_seconds}, {"benchmarks", ranking.benchmarks}, {"shared", ranking.shared}, {"known", ranking.known}};
  if (ranking.mean_error) {
    json["mean_error"] = *ranking.mean_error;
  }
  if (ranking.regret) {
    json["regret"] = *ranking.regret;
  }
  return text_of(std::move(json), algorithms_schema);
}

std::string to_json(const AlgorithmList& list) {
  nlohmann::json json = nlohmann::json::object();
  write(json, list.contraction);
  json["algorithms"] = nlohmann::json::array();
  for (const contract::Algorithm& algorithm : list.algorithms) {
    json["algorithms"].push_back(algorithm_json(algorithm, list.contraction));
  }
  return text_of(std::move(json), algorithms_schema);
}

AlgorithmRanking algorithm_ranking_from_json(std::string_view text) {
  return read_document(text, algorithms_schema, [](const nlohmann::json& json) {
    AlgorithmRanking ranking;
    ranking.contraction = read_contraction(json);
    read_member(json, "environment", ranking.environment);
    const auto options = member<nlohmann::json>(json, "options");
    at_place("options", [&] {
      const auto stage = member<std::string>(options, "stage");
      ranking.stage = within("stage", [&] { return contract::parse_stage(stage == "stretches" ? "segments" : stage); });
      read_member(options, "repetitions", ranking.repetitions);
      read_member(options, "prefetched_lines", ranking.prefetched_lines);
    });
    for_each_element(json, "algorithms", [&](const nlohmann::json& one) { ranking.algorithms.push_back(read_ranked(one)); });
    const auto cost = member<nlohmann::json>(json, "cost");
    at_place("cost", [&] {
      read_member(cost, "seconds", ranking.cost_seconds);
      read_member(cost, "benchmarks", ranking.benchmarks);
      read_member(cost, "shared", ranking.shared);
      read_member(cost, "known", ranking.known);
    });
    ranking.mean_error = optional_member<double>(json, "mean_error");
    ranking.regret = optional_member<double>(json, "regret");
    return ranking;
  });
}

AlgorithmList algorithm_list_from_json(std::string_view text) {
  return read_document(text, algorithms_schema, [](const nlohmann::json& json) {
    AlgorithmList list;
    list.contraction = read_contraction(json);
    for_each_element(json, "algorithms", [&](const nlohmann::json& one) { list.algorithms.push_back(read_algorithm(one)); });
    return list;
  });
}

namespace {

/// Returns the schema of the members that every document of a contraction has.
nlohmann::ordered_json contraction_schema(SchemaMaker& maker) {
  const nlohmann::ordered_json strides = maker.of<std::vector<std::int64_t>>();
  return object_schema({{"contraction", described(maker.of<std::string>(), "notation, such as \"abc=ai,ibc\"")},
                        {"sizes", described(maker.of<std::map<std::string, std::int64_t>>(), "elements along each index")},
                        {"strides", described(object_schema({{"A", strides}, {"B", strides}, {"C", strides}}), "in elements")},
                        {"precision", {{"enum", {"s", "d", "c", "z"}}}},
                        {"flops", maker.of<double>()}});
}

nlohmann::ordered_json algorithm_schema(SchemaMaker& maker) {
  const nlohmann::ordered_json text = maker.of<std::string>(), number = maker.of<double>();
  const nlohmann::ordered_json copy =
      object_schema({{"operand", {{"enum", {"A", "B", "C"}}}}, {"inside", text}, {"depth", maker.of<int>()}});
  const std::vector<std::string> ranked = {"seconds", "interval_95", "deviation", "parts", "flops_per_cycle", "tie", "measured_seconds"};
  return object_schema({{"name", text},
                        {"kernel", {{"enum", {"dot", "axpy", "gemv", "ger", "gemm"}}}},
                        {"kernel_indices", text},
                        {"loops", described(text, "indices of the loops around the kernel, the outermost first")},
                        {"copies", array_schema(copy)},
                        {"kernel_calls", number},
                        {"seconds", described(number, "predicted time; only in rankings, as the members below")},
                        {"interval_95", maker.of<Interval>()},
                        {"deviation", number},
                        {"parts", maker.of<std::vector<contract::Part>>()},
                        {"flops_per_cycle", number},
                        {"tie", described(maker.of<bool>(), "can't be distinguished from the fastest one")},
                        {"measured_seconds", number}},
                       ranked);
}

nlohmann::ordered_json algorithms_document(SchemaMaker& maker) {
  const nlohmann::ordered_json whole = maker.of<std::int64_t>(), number = maker.of<double>();
  const nlohmann::ordered_json options =
      object_schema({{"stage", maker.of<std::string>()}, {"repetitions", whole}, {"prefetched_lines", whole}});
  const nlohmann::ordered_json cost = object_schema({{"seconds", number}, {"benchmarks", whole}, {"shared", whole}, {"known", whole}});
  nlohmann::ordered_json root = contraction_schema(maker);
  add_member(root, "algorithms", array_schema(algorithm_schema(maker)));
  add_member(root, "environment", maker.of<Environment>(), false);
  add_member(root, "options", options, false);
  add_member(root, "cost", cost, false);
  add_member(root, "mean_error", described(number, "mean of |predicted / measured - 1| over executed algorithms"), false);
  add_member(root, "regret", described(number, "fraction by which the first algorithm takes longer than the fastest"), false);
  return root;
}

}  // namespace

std::vector<PublishedSchema> algorithms_schemas() {
  return {published(algorithms_schema, "BLAS-based algorithms of a contraction, ranked or listed", algorithms_document)};
}

}  // namespace flopcast
