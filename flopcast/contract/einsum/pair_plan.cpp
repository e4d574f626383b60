#include "flopcast/contract/einsum/pair_plan.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <cstdlib>
#include <limits>
#include <new>
#include <optional>
#include <utility>

#include "flopcast/contract/einsum/einsum_tensors.hpp"
#include "flopcast/contract/einsum/pair_method.hpp"
#include "flopcast/contract/einsum/strided_sum.hpp"
#include "flopcast/contract/notation/element.hpp"
#include "flopcast/contract/notation/expression_rules.hpp"
#include "flopcast/contract/notation/overlap.hpp"
#include "flopcast/contract/planner/buffer_pool.hpp"
#include "flopcast/support/division.hpp"
#include "flopcast/support/error.hpp"

namespace flopcast::contract {
namespace {

using Complex = std::complex<double>;

double elements(const std::vector<Axis>& axes) {
  double product = 1;
  for (const Axis& axis : axes) {
    product *= static_cast<double>(axis.extent);
  }
  return product;
}

bool have_equal_strides(const std::vector<Axis>& x, const std::vector<Axis>& y) {
  return std::equal(x.begin(), x.end(), y.begin(), y.end(), [](const Axis& one, const Axis& other) { return one.stride == other.stride; });
}

/// Returns the sum that computes D := alpha op(C), elementwise over all axes.
StridedSum copy_of(const std::vector<Axis>& from, const std::vector<Axis>& to, Precision precision, bool conjugate, int threads) {
  SumProblem problem{precision, {}, false, false, conjugate};
  for (std::size_t i = 0; i < to.size(); ++i) {
    problem.dimensions.push_back({to[i].extent, {from[i].stride, 0, to[i].stride}});
  }
  return StridedSum(problem, threads);
}

/// Returns the bandwidth of the smallest cache that holds `bytes`, or of memory, in bytes per second.
double bandwidth(const Environment& environment, double bytes) {
  constexpr double assumed = 1e10;  // a slow memory
  for (const CacheLevel& cache : environment.caches) {
    if (bytes <= static_cast<double>(cache.capacity_bytes) && cache.bandwidth > 0) {
      return cache.bandwidth;
    }
  }
  return environment.memory_bandwidth > 0 ? environment.memory_bandwidth : assumed;
}

constexpr std::string_view letters = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ";
constexpr int first_other = 128;  // bytes from here on are no letters
constexpr std::size_t max_indices = letters.size() + first_other;

/// Returns an index for each of at most max_indices dimensions: the label if the label is a letter, otherwise a letter that isn't taken, then
/// bytes that are no characters.
std::string indices_of(const std::vector<LabelDimension>& dimensions, bool has_letters) {
  const auto own = [has_letters](const LabelDimension& dimension) {
    const bool is_byte = has_letters && dimension.label > 0 && dimension.label < first_other;
    const auto letter = is_byte ? static_cast<char>(dimension.label) : '\0';
    return letters.find(letter) != std::string_view::npos ? letter : '\0';
  };
  std::string free(letters);
  for (const LabelDimension& dimension : dimensions) {
    free.erase(std::remove(free.begin(), free.end(), own(dimension)), free.end());
  }
  std::string indices;
  std::size_t taken = 0;
  for (const LabelDimension& dimension : dimensions) {
    if (const char letter = own(dimension); letter != '\0') {
      indices += letter;
    } else {
      indices += taken < free.size() ? free[taken] : static_cast<char>(first_other + static_cast<int>(taken - free.size()));
      ++taken;
    }
  }
  return indices;
}

/// Returns the subscripts with those labels only that a dimension has, each of them once.
Subscripts with_labels_of(const std::vector<LabelDimension>& dimensions, const Subscripts& written) {
  Subscripts kept;
  for (std::size_t i = 0; i <= written.labels.size(); ++i) {
    if (written.ellipsis == i) {
      kept.ellipsis = kept.labels.size();
    }
    const auto has_label = [&](const LabelDimension& dimension) { return dimension.label == written.labels[i]; };
    if (i < written.labels.size() && std::any_of(dimensions.begin(), dimensions.end(), has_label) &&
        std::find(kept.labels.begin(), kept.labels.end(), written.labels[i]) == kept.labels.end()) {
      kept.labels.push_back(written.labels[i]);
    }
  }
  return kept;
}

/// Returns what is left of an expression, in the labels and the order in which it is written, once other steps have dealt with conjugation
/// and with all labels but those of `dimensions`.
std::string text_of_rest(const Expression& written, const std::vector<LabelDimension>& dimensions) {
  Expression rest{{}, with_labels_of(dimensions, written.result), written.has_letters};
  for (const Subscripts& operand : written.operands) {
    rest.operands.push_back(with_labels_of(dimensions, operand));
  }
  return to_string(rest);
}

/// A buffer that goes back to its pool. Several threads may hold buffers of one pool.
class Borrowed {
 public:
  Borrowed(BufferPool& pool, std::int64_t bytes) : pool_(pool), memory_(bytes > 0 ? take(pool, bytes) : nullptr) {}
  ~Borrowed() {
    if (memory_) {
      pool_.give_back(std::move(memory_));
    }
  }
  Borrowed(const Borrowed&) = delete;
  Borrowed& operator=(const Borrowed&) = delete;
  [[nodiscard]] std::byte* at(std::int64_t offset) const { return memory_.get() + offset; }

 private:
  static AlignedMemory take(BufferPool& pool, std::int64_t bytes) {
    try {
      return pool.take();
    } catch (const std::bad_alloc&) {
      throw environment_error("intermediates need {}, which aren't available; the result was not changed",
                              format_bytes(static_cast<double>(bytes)));
    }
  }

  BufferPool& pool_;
  AlignedMemory memory_;
};

/// The plan of one or two operands.
class PairPlan final : public Plan::Implementation {
 public:
  PairPlan(const SizedExpression& expression, const EinsumStrides& strides, const Machine& machine, const PlanOptions& options)
      : expression_(expression),
        options_(options),
        axes_(tensor_axes(expression, strides, options.precision, options.order)),
        form_(normal_form(expression, axes_)),
        conjugates_result_(expression.result.conjugated && is_complex_) {
    const bool conjugates_addend = (strides.conjugated_addend != conjugates_result_) && is_complex_;
    is_plain_addend_ = have_equal_strides(axes_.addend, axes_.result) && !conjugates_addend;
    addend_.emplace(copy_of(axes_.addend, axes_.result, options.precision, conjugates_addend, options.threads));
    if (form_.is_empty_result || form_.is_empty_sum) {
      return;
    }
    choose_steps(machine);
    if (flips_) {
      flipped_addend_.emplace(copy_of(axes_.addend, axes_.result, options.precision, !conjugates_addend, options.threads));
      flipped_result_.emplace(copy_of(axes_.result, axes_.result, options.precision, true, options.threads));
    }
    set_expectations(machine);
  }

  void execute(std::span<const void* const> operands, const void* c, void* d, Complex alpha, Complex beta) const override {
    check(operands, c, d, alpha, beta);
    if (form_.is_empty_result) {
      return;
    }
    if (conjugates_result_) {
      alpha = std::conj(alpha);
      beta = std::conj(beta);
    }
    if (form_.is_empty_sum || alpha == 0.0) {
      write_addend(*addend_, c, d, beta);
      return;
    }
    const Borrowed workspace(*pool_, workspace_bytes_);
    std::array<const void*, 2> sources{};
    alpha *= form_.repetitions;
    for (std::size_t t = 0; t < steps_.size(); ++t) {
      const OperandPreparation& step = steps_[t];
      sources[t] = operands[t];
      if (step.sum) {
        step.sum->run(operands[t], nullptr, workspace.at(step.offset), 1.0, 0.0);
        sources[t] = workspace.at(step.offset);
      }
      if (step.is_factor) {
        const Complex value = load(options_.precision, static_cast<const std::byte*>(sources[t]));
        alpha *= step.conjugated ? std::conj(value) : value;
      }
    }
    if (!is_complex_) {
      alpha = alpha.real();
    }
    beta = prepare_result(c, d, beta);
    if (ordered_result_) {
      multiply(sources, workspace.at(result_offset_), alpha, 0.0);
      ordered_result_->run(workspace.at(result_offset_), nullptr, d, 1.0, beta);
      return;
    }
    multiply(sources, d, flips_ ? std::conj(alpha) : alpha, beta);
    if (flips_) {
      flipped_result_->run(d, nullptr, d, 1.0, 0.0);
    }
  }

  [[nodiscard]] std::string explain() const override;
  [[nodiscard]] bool is_decided() const override { return !plan_ || plan_->is_decided(); }
  [[nodiscard]] Seconds seconds() const override { return seconds_ + (plan_ ? plan_->seconds() : 0); }
  [[nodiscard]] std::int64_t workspace_bytes() const override { return workspace_bytes_ + (plan_ ? plan_->workspace_bytes() : 0); }
  [[nodiscard]] std::int64_t resident_bytes() const override { return tensor_bytes(axes_, options_) + workspace_bytes(); }
  [[nodiscard]] double flops() const override { return flops_; }
  [[nodiscard]] const ContractionPlan* core() const override { return plan_ ? &*plan_ : nullptr; }

 private:
  /// The work on one operand before the contraction.
  struct OperandPreparation {
    bool conjugated = false;        ///< the contraction, or the reader of the factor, has to conjugate
    bool is_factor = false;         ///< the operand is one number, which scales the result
    std::optional<StridedSum> sum;  ///< sum or copy into the workspace
    std::int64_t offset = 0;        ///< its bytes in the workspace
    std::string what;               ///< explanation
  };
  void check(std::span<const void* const> operands, const void* c, const void* d, Complex alpha, Complex beta) const;
  void choose_steps(const Machine& machine);
  std::int64_t reserve(std::int64_t elements);
  void add_step(std::vector<LabelDimension>& dimensions, std::size_t t, Preparation preparation);
  void order_result(std::vector<LabelDimension>& dimensions, std::size_t leader);
  void make_sum(const std::vector<LabelDimension>& dimensions, std::size_t first, bool has_second);
  void make_plan(std::vector<LabelDimension> dimensions, const Machine& machine);
  void set_expectations(const Machine& machine);

  /// D := beta op(C).
  void write_addend(const StridedSum& sum, const void* c, void* d, Complex beta) const {
    if (beta == 0.0) {
      sum.clear(d);
    } else if (!(c == d && is_plain_addend_ && &sum == &*addend_ && beta == 1.0)) {
      sum.run(c, nullptr, d, beta, 0.0);
    }
  }

  /// Writes the addend to D if the contraction can't do so. Returns the factor of D for the contraction.
  Complex prepare_result(const void* c, void* d, Complex beta) const {
    if (beta == 0.0) {
      if (form_.has_diagonal) {
        addend_->clear(d);
      }
      return 0.0;
    }
    if (c == d && is_plain_addend_ && !form_.has_diagonal && !flips_) {
      return beta;
    }
    write_addend(flips_ ? *flipped_addend_ : *addend_, c, d, flips_ ? std::conj(beta) : beta);
    return 1.0;
  }

  /// D := alpha op(A) op(B) + beta D with what the steps left of A and B.
  void multiply(const std::array<const void*, 2>& sources, void* d, Complex alpha, Complex beta) const {
    if (sum_) {
      sum_->run(sources[first_], sources[1 - first_], d, alpha, beta);
      return;
    }
    const auto bytes = element_bytes(options_.precision);
    plan_->execute(static_cast<const std::byte*>(sources[in_a]) + bytes * base_[in_a],
                   static_cast<const std::byte*>(sources[in_b]) + bytes * base_[in_b], static_cast<std::byte*>(d) + bytes * base_[in_c],
                   alpha, beta);
  }

  SizedExpression expression_;
  PlanOptions options_;
  bool is_complex_ = is_complex(options_.precision);
  TensorAxes axes_;
  NormalForm form_;
  bool conjugates_result_;
  bool is_plain_addend_ = false;  ///< C has D's strides and isn't conjugated
  std::optional<StridedSum> addend_;
  std::vector<OperandPreparation> steps_;
  std::optional<StridedSum> sum_;        ///< the contraction without BLAS
  std::size_t first_ = 0;                ///< the operand that is A of sum_
  std::optional<ContractionPlan> plan_;  ///< the contraction with BLAS
  std::string planned_;                  ///< the contraction of plan_ in the labels of the expression
  std::array<std::int64_t, 3> base_{};   ///< offsets in elements of the first elements of plan_
  bool flips_ = false;                   ///< the contraction computes the conjugate of D
  std::optional<StridedSum> flipped_addend_, flipped_result_;
  std::optional<StridedSum> ordered_result_;  ///< copies the result to D from the workspace, where it has an operand's order
  std::int64_t result_offset_ = 0;            ///< the result's bytes in the workspace
  std::int64_t workspace_bytes_ = 0;
  std::unique_ptr<BufferPool> pool_ = std::make_unique<BufferPool>(0);
  Seconds seconds_ = 0;  ///< expected time, without that of plan_
  double flops_ = 0;
};

/// All conditions of a call stand here in the order of their messages: the reason why this is one function.
void PairPlan::check(std::span<const void* const> operands, const void* c, const void* d, Complex alpha, Complex beta) const {
  const auto text = [&] { return to_string(expression_.expression); };
  if (operands.size() != axes_.operands.size()) {
    throw bad_input("expression '{}' has {} operands, but {} addresses are given", text(), axes_.operands.size(), operands.size());
  }
  if (!is_complex_ && (alpha.imag() != 0 || beta.imag() != 0)) {
    throw bad_input("expression '{}' of real numbers can't be scaled by a complex alpha or beta", text());
  }
  const auto require = [&](const void* first, const std::vector<Axis>& axes, const std::string& tensor) {
    if (first == nullptr && elements(axes) > 0) {
      throw bad_input("expression '{}': the address of {} is null, but the tensor has {:.0f} elements", text(), tensor, elements(axes));
    }
  };
  const auto bytes = element_bytes(options_.precision);
  if (d == nullptr || form_.is_empty_result) {
    require(d, axes_.result, "the result");
    return;
  }
  for (std::size_t t = 0; t < operands.size() && alpha != 0.0 && !form_.is_empty_sum; ++t) {
    if (operands[t] == nullptr) {
      require(operands[t], axes_.operands[t], name_of_operand(t));
    }
    if (may_share_bytes(axes_.result, d, axes_.operands[t], operands[t], bytes)) {
      throw bad_input("expression '{}': the result overlaps {} in memory; the result needs memory of its own", text(), name_of_operand(t));
    }
  }
  if (beta != 0.0 && !(c == d && have_equal_strides(axes_.addend, axes_.result))) {
    if (c == nullptr) {
      require(c, axes_.addend, "the addend");
    }
    if (may_share_bytes(axes_.result, d, axes_.addend, c, bytes)) {
      throw bad_input("expression '{}': the result overlaps the addend in memory; expected the same address and strides, or no overlap",
                      text());
    }
  }
}

/// Reserves a part of the workspace, in whole cache lines; returns its offset in bytes.
std::int64_t PairPlan::reserve(std::int64_t elements) {
  constexpr std::int64_t line = 64;
  const std::int64_t offset = workspace_bytes_;
  workspace_bytes_ += round_up(elements * element_bytes(options_.precision), line);
  return offset;
}

/// Sums or copies operand `t` into the workspace: densely, in the order of the operand's memory, unless it is arranged.
void PairPlan::add_step(std::vector<LabelDimension>& dimensions, std::size_t t, Preparation preparation) {
  const bool arranges = preparation == Preparation::arrange;
  const auto place = [&](const LabelDimension& x) {
    return arranges ? place_of_arranged(x, dimensions, t) : std::pair{false, std::abs(x.strides[t])};
  };
  OperandPreparation& step = steps_[t];
  SumProblem problem{options_.precision, {}, false, false, step.conjugated && !arranges};
  std::vector<LabelDimension*> kept;
  for (LabelDimension& dimension : dimensions) {
    if (is_of_one(dimension, t)) {
      problem.dimensions.push_back({dimension.extent, {dimension.strides[t], 0, 0}, true});
    } else if (dimension.strides[t] != 0) {
      kept.push_back(&dimension);
    }
  }
  std::stable_sort(kept.begin(), kept.end(), [&](const LabelDimension* x, const LabelDimension* y) { return place(*x) < place(*y); });
  std::int64_t stride = 1;
  for (LabelDimension* dimension : kept) {
    problem.dimensions.push_back({dimension->extent, {dimension->strides[t], 0, stride}});
    dimension->strides[t] = stride;
    stride *= dimension->extent;
  }
  dimensions.erase(std::remove_if(dimensions.begin(), dimensions.end(), [&](const LabelDimension& x) { return is_of_one(x, t); }),
                   dimensions.end());
  step.sum.emplace(problem, options_.threads);
  step.offset = reserve(stride);
  step.conjugated = step.conjugated && arranges;
  const char* const what = arranges                                ? "copied in the order in which it is read"
                           : preparation == Preparation::conjugate ? "conjugated"
                           : step.is_factor                        ? "summed over all its labels"
                                                                   : "summed over the labels that it alone has";
  step.what = fmt::format("{}: {}, {} in the workspace", name_of_operand(t), what,
                          format_bytes(static_cast<double>(stride * element_bytes(options_.precision))));
}

/// Lets the contraction write to the workspace: densely, with the labels of operand `leader` first, in the order of its memory.
void PairPlan::order_result(std::vector<LabelDimension>& dimensions, std::size_t leader) {
  std::vector<LabelDimension*> kept;
  for (LabelDimension& dimension : dimensions) {
    if (dimension.in_result) {
      kept.push_back(&dimension);
    }
  }
  const auto place = [leader](const LabelDimension* x) {
    const bool is_led = x->strides[leader] != 0;
    return std::pair(!is_led, std::abs(x->strides[is_led ? leader : in_c]));
  };
  std::stable_sort(kept.begin(), kept.end(), [&](const LabelDimension* x, const LabelDimension* y) { return place(x) < place(y); });
  SumProblem problem{options_.precision, {}, false, false, false};
  std::int64_t stride = 1;
  for (LabelDimension* dimension : kept) {
    problem.dimensions.push_back({dimension->extent, {stride, 0, dimension->strides[in_c]}});
    dimension->strides[in_c] = stride;
    stride *= dimension->extent;
  }
  ordered_result_.emplace(problem, options_.threads);
  result_offset_ = reserve(stride);
}

void PairPlan::choose_steps(const Machine& machine) {
  std::vector<LabelDimension> dimensions = form_.dimensions;
  PairProblem problem{form_.dimensions, axes_.operands.size(), is_complex_, {}, elements(axes_.result), options_.tiles.has_value()};
  for (std::size_t t = 0; t < problem.operands; ++t) {
    problem.conjugated[t] = is_complex_ && expression_.operands[t].conjugated != conjugates_result_;
  }
  const PairMethod method = choose_method(problem);
  flips_ = method.flips;
  first_ = method.first;
  steps_.resize(problem.operands);
  for (std::size_t t = 0; t < problem.operands; ++t) {
    steps_[t].conjugated = method.conjugated[t];
    steps_[t].is_factor = method.factor == t;
    if (method.preparations[t] != Preparation::none) {
      add_step(dimensions, t, method.preparations[t]);
    }
  }
  if (method.leader) {
    order_result(dimensions, *method.leader);
  }
  if (method.needs_blas) {
    make_plan(std::move(dimensions), machine);
  } else {
    make_sum(dimensions, first_, problem.operands == 2 && !method.factor);
  }
}

/// Prepares the contraction without BLAS. Operand `first` comes first.
void PairPlan::make_sum(const std::vector<LabelDimension>& dimensions, std::size_t first, bool has_second) {
  SumProblem problem{options_.precision, {}, has_second, false, false};
  const bool first_conjugated = steps_[first].conjugated, second_conjugated = has_second && steps_[1 - first].conjugated;
  problem.conjugate_sum = first_conjugated && (second_conjugated || !has_second);
  problem.conjugate_a = first_conjugated && !problem.conjugate_sum;
  flops_ = is_complex_ ? 8 : 2;
  for (const LabelDimension& dimension : dimensions) {
    const std::array<std::int64_t, 3>& strides = dimension.strides;
    if (dimension.in_result || strides[first] != 0 || has_second) {
      problem.dimensions.push_back({dimension.extent, {strides[first], strides[1 - first], strides[in_c]}, !dimension.in_result});
      flops_ *= static_cast<double>(dimension.extent);
    }
  }
  sum_.emplace(problem, options_.threads);
}

/// Plans the contraction of what the steps left of the operands.
void PairPlan::make_plan(std::vector<LabelDimension> dimensions, const Machine& machine) {
  constexpr std::int64_t largest_extent = std::numeric_limits<std::int32_t>::max();
  if (dimensions.size() > max_indices) {
    throw bad_input("expression '{}' has {} labels of more than one value; expected {} at most", to_string(expression_.expression),
                    dimensions.size(), max_indices);
  }
  const std::string indices = indices_of(dimensions, expression_.expression.has_letters);
  Contraction contraction;
  contraction.precision = options_.precision;
  for (std::size_t i = 0; i < dimensions.size(); ++i) {
    LabelDimension& dimension = dimensions[i];
    if (dimension.extent > largest_extent) {
      throw bad_input("expression '{}': label {} has size {}; a contraction takes sizes up to {}, the largest integer of BLAS",
                      to_string(expression_.expression), name_of(expression_.expression, dimension.label), dimension.extent,
                      largest_extent);
    }
    if (dimension.strides[dimension.in_result ? in_c : in_a] < 0) {
      for (std::size_t t = 0; t < base_.size(); ++t) {
        base_[t] += (dimension.extent - 1) * dimension.strides[t];
        dimension.strides[t] = -dimension.strides[t];
      }
    }
    const char index = indices[i];
    contraction.extents[index] = dimension.extent;
    const bool is_alone = dimension.strides[in_a] == 0 && dimension.strides[in_b] == 0;
    for (std::size_t t = 0; t < contraction.tensors.size(); ++t) {
      if (t == in_c ? dimension.in_result : dimension.strides[t] != 0 || (t == in_a && is_alone)) {
        contraction.tensors[t].indices += index;
        contraction.tensors[t].strides.push_back(dimension.strides[t]);
      }
    }
  }
  flops_ = contract::flops(contraction);
  planned_ = text_of_rest(expression_.expression, dimensions);
  plan_.emplace(plan_contraction(contraction, machine, options_));
}

void PairPlan::set_expectations(const Machine& machine) {
  pool_ = std::make_unique<BufferPool>(workspace_bytes_);
  const auto seconds = [&](const StridedSum& sum) { return sum.expected_seconds(bandwidth(machine.environment, sum.moved_bytes())); };
  for (const OperandPreparation& step : steps_) {
    seconds_ += step.sum ? seconds(*step.sum) : 0;
  }
  seconds_ += sum_ ? seconds(*sum_) : 0;
  seconds_ += flips_ ? seconds(*flipped_result_) : 0;
  seconds_ += ordered_result_ ? seconds(*ordered_result_) : 0;
  seconds_ += form_.has_diagonal ? seconds(*addend_) : 0;
}

std::string PairPlan::explain() const {
  std::string text = fmt::format("{}: expected {}\n", to_string(expression_.expression), format_seconds(seconds()));
  if (form_.is_empty_result || form_.is_empty_sum) {
    return text + (form_.is_empty_result ? "  the result has no elements\n" : "  the sum is empty; the addend is scaled\n");
  }
  for (const OperandPreparation& step : steps_) {
    if (!step.what.empty()) {
      text += "  " + step.what + '\n';
    }
  }
  if (flips_) {
    text += "  the result's conjugate is computed, and conjugated in place\n";
  }
  if (ordered_result_) {
    text += "  the result is computed in the order in which an operand is read, and copied from the workspace\n";
  }
  if (form_.has_diagonal) {
    text += "  the result's diagonal is written\n";
  }
  if (sum_) {
    text += fmt::format("  {:.3g} {} without BLAS, on {} thread{}\n", sum_->terms(), steps_.size() == 2 ? "products" : "elements",
                        sum_->threads(), sum_->threads() == 1 ? "" : "s");
    return text;
  }
  const std::string of_plan = plan_->explain();  // begins with the contraction in the planner's indices, in their order
  return text + planned_ + of_plan.substr(to_string(plan_->contraction().notation()).size());
}

}  // namespace

Plan plan_pair(const SizedExpression& expression, const EinsumStrides& strides, const Machine& machine, const PlanOptions& options) {
  if (expression.operands.empty() || expression.operands.size() > 2) {
    throw bad_input("expression '{}' has {} operands; expected one or two", to_string(expression.expression), expression.operands.size());
  }
  require_possible_threads(options.threads);
  return Plan(std::make_shared<const PairPlan>(expression, strides, machine, options));
}

}  // namespace flopcast::contract
