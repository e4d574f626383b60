#include <array>
#include <map>
#include <string>
#include <utility>

#include <nlohmann/json.hpp>

#include "flopcast/core/documents.hpp"
#include "flopcast/support/fields.hpp"
#include "flopcast/support/json.hpp"
#include "flopcast/tasks/contraction/contraction.hpp"
#include "flopcast/tasks/contraction/contraction_schemas.hpp"
#include "flopcast/tasks/contraction/contraction_services.hpp"
#include "flopcast/tasks/contraction/option_names.hpp"

namespace flopcast {

template <>
struct EnumNames<contract::Operand> {
  static constexpr std::array names{std::pair{contract::Operand::a, "A"}, std::pair{contract::Operand::b, "B"},
                                    std::pair{contract::Operand::c, "C"}};
};

template <>
Fields FieldTable<contract::Copy>::fields() {
  return {field<&T::operand>("operand that is copied"), field<&T::depth>("number of loops around the copy")};
}

template <>
Fields FieldTable<contract::Algorithm>::fields() {
  return {field<&T::kernel>("BLAS routine inside the loops"), field<&T::kernel_indices>("indices of the kernel, in the order of its sizes"),
          field<&T::loops>("indices of the loops around the kernel, the outermost first"),
          field<&T::copies>("operands that are copied to be contiguous")};
}

template <>
Fields FieldTable<contract::Part>::fields() {
  return {field<&T::what>("what is timed: a call of the kernel, or a copy"), field<&T::calls>("number of such calls"),
          field<&T::seconds>("time of one call")};
}

template <>
Fields FieldTable<contract::AlgorithmForecast>::fields() {
  return {field<&T::seconds>("predicted time"),
          field<&T::interval>("95 % interval of a later single run").named("interval_95").measured_in("s", Best::small),
          optional_field<&T::deviation>("standard deviation of the predicted time").measured_in("s", Best::small),
          field<&T::parts>("parts of the predicted time")};
}

template <>
Fields FieldTable<RankedAlgorithm>::fields() {
  return {inlined_field<&T::algorithm>(),
          inlined_field<&T::forecast>(),
          field<&T::flops_per_cycle>("flops of the contraction over the predicted cycles of the processor"),
          optional_field<&T::resident_bytes>("predicted peak of resident memory: operands, result, and workspace or copies; 0: not known")
              .measured_in("B", Best::small),
          field<&T::tie>("can't be distinguished from the fastest one"),
          field<&T::measured_seconds>("median of three executions on fresh memory (--validate)")};
}

template <>
Fields FieldTable<AlgorithmRanking::Options>::fields() {
  return {field<&T::stage>("stage of the prediction"), field<&T::repetitions>("timings of each benchmark"),
          field<&T::prefetched_lines>("cache lines that the processor is assumed to prefetch")};
}

template <>
Fields FieldTable<AlgorithmRanking::Cost>::fields() {
  return {field<&T::seconds>("time spent on benchmarks"), field<&T::benchmarks>("benchmarks that were run"),
          field<&T::shared>("benchmarks that another algorithm had run"), field<&T::known>("benchmarks that the store had")};
}

template <>
Fields FieldTable<AlgorithmRanking>::fields() {
  return {field<&T::environment>("machine and library"), field<&T::options>("options of the prediction"),
          field<&T::cost>("cost of the ranking"), field<&T::mean_error>("mean of |predicted / measured - 1| over executed algorithms"),
          field<&T::regret>("fraction by which the first algorithm takes longer than the fastest")};
}

namespace {

constexpr const char* algorithms_schema = "flopcast-contract-1";

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
  AlgorithmsRequest request;
  const auto text = member<std::string>(json, "contraction");
  within("contraction", [&] {
    request.expression = contract::parse_expression(text);
    static_cast<void>(contract::notation_of(request.expression));
  });
  read_member(json, "sizes", request.sizes);
  read_member(json, "strides", request.strides);
  if (request.strides.size() != contract::all_operands.size()) {
    throw MemberError("strides", "expected those of A, B and C");
  }
  read_member(json, "precision", request.precision);
  return within("sizes", [&] { return contraction_of(request); });
}

void require_depths(const contract::Algorithm& algorithm) {
  for (const contract::Copy& copy : algorithm.copies) {
    if (copy.depth > algorithm.loops.size()) {
      throw MemberError("algorithms", "a copy has more loops around it than the algorithm has");
    }
  }
}

/// Adds what follows from an algorithm's members.
void add_derived(nlohmann::json& json, const contract::Algorithm& algorithm, const contract::Contraction& contraction) {
  json["name"] = algorithm.name();
  json["kernel_calls"] = contract::kernel_calls(algorithm, contraction);
  for (std::size_t i = 0; i < algorithm.copies.size(); ++i) {
    const std::size_t depth = algorithm.copies[i].depth;
    json["copies"][i]["inside"] = depth == 0 ? "" : std::string(1, algorithm.loops[depth - 1]);
  }
}

const contract::Algorithm& algorithm_of(const RankedAlgorithm& ranked) { return ranked.algorithm; }
const contract::Algorithm& algorithm_of(const contract::Algorithm& algorithm) { return algorithm; }

/// Returns a document of algorithms. `json` has its other members.
template <class SomeAlgorithm>
std::string text_of(nlohmann::json json, const std::vector<SomeAlgorithm>& algorithms, const contract::Contraction& contraction) {
  json["schema"] = algorithms_schema;
  json["contraction"] = contract::to_string(contraction.notation());
  json["sizes"] = LabelSizes(std::map<contract::Label, std::int64_t>(contraction.extents.begin(), contraction.extents.end()));
  for (const contract::Operand operand : contract::all_operands) {
    json["strides"][std::string(1, contract::letter(operand))] = contraction.tensor(operand).strides;
  }
  json["precision"] = contraction.precision;
  json["flops"] = contract::flops(contraction);
  json["algorithms"] = algorithms;
  for (std::size_t i = 0; i < algorithms.size(); ++i) {
    add_derived(json["algorithms"][i], algorithm_of(algorithms[i]), contraction);
  }
  return json.dump(2);
}

/// Reads a document. `read` reads what isn't in all documents of algorithms.
template <class Result, class Read>
Result read_document(std::string_view text, Read&& read) {
  static constexpr const char* document = "the contraction's document";
  const nlohmann::json json = parse_json(text, document);
  return in_document(document, [&] {
    require_schema(json, document, algorithms_schema);
    Result result;
    result.contraction = read_contraction(json);
    read_member(json, "algorithms", result.algorithms);
    for (const auto& one : result.algorithms) {
      require_depths(algorithm_of(one));
    }
    read(json, result);
    return result;
  });
}

}  // namespace

std::string to_json(const AlgorithmRanking& ranking) { return text_of(ranking, ranking.algorithms, ranking.contraction); }
std::string to_json(const AlgorithmList& list) { return text_of(nlohmann::json::object(), list.algorithms, list.contraction); }

AlgorithmRanking algorithm_ranking_from_json(std::string_view text) {
  return read_document<AlgorithmRanking>(text, [](const nlohmann::json& json, AlgorithmRanking& ranking) { read_fields(json, ranking); });
}
AlgorithmList algorithm_list_from_json(std::string_view text) {
  return read_document<AlgorithmList>(text, [](const nlohmann::json&, AlgorithmList&) {});
}

namespace {

/// Returns the schema of rankings, whose own members lists don't have.
nlohmann::ordered_json algorithms_document(SchemaMaker& maker) {
  const nlohmann::ordered_json text = maker.of<std::string>(), number = maker.of<double>(), strides = maker.of<std::vector<std::int64_t>>();
  nlohmann::ordered_json copy = maker.object<contract::Copy>();
  add_member(copy, "inside", described(text, "index of the innermost loop around the copy; empty: none"));
  nlohmann::ordered_json algorithm = maker.object<RankedAlgorithm>();
  algorithm["properties"]["copies"] = described(array_schema(copy), "operands that are copied to be contiguous");
  algorithm["required"] = maker.object<contract::Algorithm>()["required"];
  add_member(algorithm, "name", described(text, "name of the algorithm, such as \"c-gemm\""));
  add_member(algorithm, "kernel_calls", described(number, "number of calls of the kernel"));
  nlohmann::ordered_json root = maker.object<AlgorithmRanking>();
  root["required"] = nlohmann::ordered_json::array();
  add_member(root, "contraction", described(text, "notation, such as \"abc=ai,ibc\""));
  add_member(root, "sizes", described(maker.of<std::map<std::string, std::int64_t>>(), "elements along each index"));
  add_member(root, "strides",
             described(object_schema({{"A", described(strides, "strides of A")},
                                      {"B", described(strides, "strides of B")},
                                      {"C", described(strides, "strides of C")}}),
                       "in elements"));
  add_member(root, "precision", described(maker.of<Precision>(), "type of the elements"));
  add_member(root, "flops", described(number, "flops of the contraction"));
  add_member(root, "algorithms", described(array_schema(algorithm), "algorithms, of rankings the fastest first"));
  return root;
}

}  // namespace

std::vector<PublishedSchema> algorithms_schemas() {
  return {published(algorithms_schema, "BLAS-based algorithms of a contraction, ranked or listed", algorithms_document)};
}

}  // namespace flopcast
