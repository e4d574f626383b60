#include <map>
#include <string>

#include "flopcast/contract/einsum/einsum_tensors.hpp"
#include "flopcast/contract/notation/utf8.hpp"
#include "flopcast/support/request_types.hpp"
#include "flopcast/tasks/contraction/contraction.hpp"
#include "flopcast/tasks/contraction/option_names.hpp"

namespace flopcast {
namespace contract {

void to_json(nlohmann::json& json, const Expression& expression) { json = to_string(expression); }
void from_json(const nlohmann::json& json, Expression& expression) {
  expression = parsed_text(json, [](const std::string& text) { return parse_expression(text); });
}
void to_json(nlohmann::json& json, const Tiling& tiling) { json = to_text(tiling); }
void from_json(const nlohmann::json& json, Tiling& tiling) {
  tiling = parsed_text(json, [](const std::string& text) { return parse_tiles(text); });
}
void parse_text(std::string_view text, std::string_view what, Tiling& tiling) { tiling = parse_tiles(std::string(text), 1, what); }

}  // namespace contract

void to_json(nlohmann::json& json, const LabelSizes& sizes) {
  json = nlohmann::json::object();
  for (const auto& [label, size] : sizes) {
    json[contract::visible(static_cast<char32_t>(label))] = size;
  }
}
void from_json(const nlohmann::json& json, LabelSizes& sizes) {
  sizes.clear();
  std::map<std::string, std::int64_t> named;
  read_value(json, named);
  for (const auto& [name, size] : named) {
    const std::optional<contract::CodePoint> label = name.empty() ? std::nullopt : contract::code_point_at(name, 0);
    if (!label || label->bytes != name.size()) {
      throw MemberError("", fmt::format("'{}' is no label, which is one character", contract::visible(name)));
    }
    sizes[static_cast<contract::Label>(label->value)] = size;
  }
}

template <>
struct SchemaOf<contract::Expression> {
  static nlohmann::ordered_json make(SchemaMaker& maker) { return maker.of<std::string>(); }
};
template <>
struct SchemaOf<contract::Tiling> {
  static nlohmann::ordered_json make(SchemaMaker& maker) { return maker.of<std::string>(); }
};
template <>
struct SchemaOf<LabelSizes> {
  static nlohmann::ordered_json make(SchemaMaker& maker) { return maker.of<std::map<std::string, std::int64_t>>(); }
};

contract::SizedExpression sized(const TensorsRequest& tensors) {
  contract::SizedExpression expression = contract::with_extents(tensors.expression, tensors.sizes);
  for (const auto& [label, size] : tensors.sizes) {
    if (expression.extents.count(label) == 0) {
      throw bad_input("'{}' has a size, but is no label of {}", contract::visible(static_cast<char32_t>(label)),
                      contract::to_string(tensors.expression));
    }
  }
  return expression;
}

contract::EinsumStrides strides_of(const TensorsRequest& tensors) {
  contract::EinsumStrides strides;
  strides.operands.resize(tensors.expression.operands.size());
  for (const auto& [tensor, list] : tensors.strides) {
    contract::give_strides(strides, tensor, list, tensors.expression);
  }
  return strides;
}

/// The command line has these members as words: abc=ai,ibc a=b=c=64 i=8.
template <>
Fields FieldTable<TensorsRequest>::fields() {
  return {field<&T::expression>(
              "of any number of operands: \"ab,bc,cd->ad\", \"ii->i\", \"conj(ki),kj->ij\", \"abc=ai,ibc\", \"C_abc := A_ai B_ibc\"")
              .within(bounds::given)
              .option(""),
          optional_field<&T::sizes>("size of each label: {\"i\": 100, \"j\": 8}; files have their own").option(""),
          optional_field<&T::strides>(
              "strides in elements by operand: {\"1\": [1, 50], \"result\": [1, 64]}; one or two operands are also A and B, "
              "their result is C; missing: dense tensors in `order`")
              .within(bounds::between(-1e15, 1e15))
              .option("")};
}

namespace {

template <auto precision>
Field precision_field() {
  return optional_field<precision>("precision of the elements");
}
template <auto order>
Field order_field() {
  return optional_field<order>(
      "order of dense tensors in memory: row_major (the last index is contiguous, as in C and NumPy) or column_major");
}

}  // namespace

template <>
Fields FieldTable<PlanRequest>::fields() {
  return {
      precision_field<&T::precision>(),
      order_field<&T::order>(),
      optional_field<&T::effort>("effort of the planner: estimate (by models), microbench (time tiles of the best few), measure (execute "
                                 "the best few), or without "
                                 "files incremental (each run tries one of the best few)"),
      optional_field<&T::threads>("threads that share the contraction, around a BLAS on one thread").within(bounds::threads).option(""),
      optional_field<&T::time_budget>("time budget: for measuring candidates, and for runs that try them").within(bounds::seconds).rare(),
      optional_field<&T::fresh>("measure again what is kept from earlier runs: kernels, and choices of the planner").rare(),
      optional_field<&T::max_bytes>(
          "largest memory of the intermediates of three operands and more, such as 2GiB. Labels are cut into blocks where nothing else "
          "fits; missing: half of the available memory")
          .within(bounds::between(0, 1e18))
          .rare(),
      optional_field<&T::tiles>(
          "tiles of M, N and K instead of the planner's choice: 96x512x64 (by gemm), 96x512x64:panels or 96x512x8:streaming. Behind "
          "the kernel: another order of rows than C's (:interleaved, :interleavedA, :A), C written past the caches (:streamC), K split "
          "between threads (:splitK). Then, from the outside in, another order of the loops over tiles than nkm (:nmk). At the end: "
          "operands whose packed tiles are kept until no loop needs them again (:keepB). whole: transpose, one gemm, transpose; "
          "batch: along the batch")
          .rare()};
}

template <>
Fields FieldTable<ContractionRequest>::fields() {
  return {inherited_fields<T, TensorsRequest>(),
          optional_field<&T::operands>("paths of the operands' .npy files, in their order; missing: random numbers")
              .within(bounds::paths_if_any)
              .option("in", "read the operands from .npy files, in their order"),
          optional_field<&T::result>("path of the .npy file that takes the result of files").within(bounds::path_or_nothing).option("out"),
          optional_field<&T::execute>("execute the plan and time it; false: only describe the plan").option(""), inlined_field<&T::plan>()};
}

/// The command line has precision and order once, for planned contractions and for algorithms.
template <>
Fields FieldTable<AlgorithmsRequest>::fields() {
  return {inherited_fields<T, TensorsRequest>(), precision_field<&T::precision>().option(""), order_field<&T::order>().option(""),
          optional_field<&T::kernels>("only algorithms around these BLAS kernels").option("blas_kernels").rare(),
          optional_field<&T::algorithm>("only the algorithm of this name, such as c-gemm; empty: all")};
}

template <>
Fields FieldTable<RankAlgorithmsRequest>::fields() {
  return {inherited_fields<T, AlgorithmsRequest>(),
          optional_field<&T::all>("algorithms of all BLAS levels").option("all_levels").rare(),
          optional_field<&T::validate>("also execute what was predicted, and compare: the algorithms, on random numbers"),
          optional_field<&T::stage>(
              "part of the algorithms' cache behaviour that micro-benchmarks recreate. repeated: nothing; distance: how long ago operands "
              "were used; prefetching; failures (of prefetching); first (iterations of loops). Each of these includes those before it, and "
              "times single calls, as Peise et al. 2015 do. segments: consecutive calls are timed together")
              .rare(),
          optional_field<&T::prefetched_lines>("cache lines of an operand that prefetching has brought (Peise et al. 2015: 1)")
              .within(bounds::between(1, 1e6))
              .rare(),
          optional_field<&T::repetitions>("repetitions of each measurement: micro-benchmarks").within(bounds::between(1, 1000)).rare(),
          optional_field<&T::fresh>("measure kernels again that the store already has").option("")};
}

/// The command line has contractions and sizes as words, and shares --precision, --threads and --validate with other requests.
template <>
Fields FieldTable<LayoutsRequest>::fields() {
  return {field<&T::contractions>("contractions such as \"W_abij := V_abcd T_cdij\"; tensors of one name are one tensor")
              .within(bounds::given)
              .option(""),
          field<&T::sizes>("size of each label of all contractions: {\"i\": 10, \"a\": 40}").option(""),
          optional_field<&T::layouts>(
              "choose the order of the axes in memory of these tensors, such as T,V, by predicted time; a conversion of any other tensor "
              "counts"),
          optional_field<&T::executions>("executions of each contraction for one conversion of a tensor (--layouts)")
              .within(bounds::between(1, 1e9))
              .rare(),
          precision_field<&T::precision>().option(""),
          optional_field<&T::threads>("threads that share a contraction").within(bounds::threads).option(""),
          optional_field<&T::validate>(
              "run the orders of the eight least predicted times and the written ones on random numbers, then those that differ from the "
              "fastest in one tensor, and choose by these times. Runs of an interrupted comparison are kept: another call goes on")
              .option(""),
          optional_field<&T::time_budget>("longest time for runs (validate)").within(bounds::seconds).option("")};
}

}  // namespace flopcast
