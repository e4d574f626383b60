#include "flopcast/contract/notation/contraction.hpp"

#include <algorithm>
#include <array>
#include <cctype>
#include <cmath>
#include <limits>

#include "flopcast/contract/notation/overlap.hpp"
#include "flopcast/support/error.hpp"
#include "flopcast/support/units.hpp"

namespace flopcast::contract {
namespace {

constexpr std::int64_t largest_extent = std::numeric_limits<std::int32_t>::max();

Expression expression_of(const Notation& notation) {
  const auto subscripts = [](const std::string& indices) { return Subscripts{{indices.begin(), indices.end()}}; };
  Expression expression = make_expression({subscripts(notation.a), subscripts(notation.b)}, subscripts(notation.c));
  expression.has_letters = true;
  return expression;
}

/// Returns the reason for which a tensor is none of a contraction's, as the end of a message, or an empty text.
std::string misfit(const Expression& expression, const Subscripts& tensor, Operand operand) {
  if (tensor.ellipsis || tensor.conjugated) {
    return fmt::format(": {} {}; name every index of the plain tensor", letter(operand), tensor.conjugated ? "is conjugated" : "has '...'");
  }
  for (std::size_t i = 0; i < tensor.labels.size(); ++i) {
    const Label label = tensor.labels[i];
    if (label > 'z' || label < 'A' || std::isalpha(static_cast<unsigned char>(label)) == 0) {
      return fmt::format(": '{}' in {} is no index; an index is one of the letters a to z and A to Z", name_of(expression, label),
                         letter(operand));
    }
    if (std::find(tensor.labels.begin(), tensor.labels.begin() + static_cast<std::ptrdiff_t>(i), label) !=
        tensor.labels.begin() + static_cast<std::ptrdiff_t>(i)) {
      return fmt::format(": index {} is repeated in {}; take its diagonal first", name_of(expression, label), letter(operand));
    }
  }
  return {};
}

/// Returns the reason for which an expression is no contraction of two tensors, as the end of a message, or an empty text.
std::string misfit(const Expression& expression) {
  if (expression.operands.size() != 2) {
    return fmt::format(" has {}; it takes two", counted(expression.operands.size(), "operand"));
  }
  const std::array<const Subscripts*, 3> tensors = {&expression.operands[0], &expression.operands[1], &expression.result};
  for (const Operand operand : all_operands) {
    if (std::string reason = misfit(expression, *tensors[static_cast<std::size_t>(operand)], operand); !reason.empty()) {
      return reason;
    }
  }
  const auto has = [&](Operand operand, Label label) {
    const std::vector<Label>& labels = tensors[static_cast<std::size_t>(operand)]->labels;
    return std::find(labels.begin(), labels.end(), label) != labels.end();
  };
  for (const Operand operand : {Operand::a, Operand::b}) {
    for (const Label label : tensors[static_cast<std::size_t>(operand)]->labels) {
      if (!has(operand == Operand::a ? Operand::b : Operand::a, label) && !has(Operand::c, label)) {
        return fmt::format(": index {} is in {} only; sum over it first, or give it to another tensor", name_of(expression, label),
                           letter(operand));
      }
    }
  }
  return {};
}

std::vector<std::int64_t> dense_strides(const std::string& indices, const Extents& extents, Order order, std::int64_t element_bytes,
                                        Operand operand) {
  const std::size_t count = indices.size();
  std::vector<std::int64_t> strides(count);
  std::int64_t stride = 1;
  for (std::size_t step = 0; step < count; ++step) {
    const std::size_t i = order == Order::column_major ? step : count - 1 - step;
    strides[i] = stride;
    const std::int64_t extent = std::max<std::int64_t>(1, extents.at(indices[i]));
    if (__builtin_mul_overflow(stride, extent, &stride) || stride > std::numeric_limits<std::int64_t>::max() / element_bytes) {
      throw bad_input("{} with indices {} has more elements than 63 bits can address", letter(operand), indices);
    }
  }
  return strides;
}

std::vector<Axis> axes(const Tensor& tensor, const Extents& extents) {
  std::vector<Axis> all;
  for (std::size_t i = 0; i < tensor.indices.size(); ++i) {
    all.push_back({tensor.strides[i], extents.at(tensor.indices[i])});
  }
  return all;
}

bool is_empty(const std::vector<Axis>& axes) {
  return std::any_of(axes.begin(), axes.end(), [](const Axis& axis) { return axis.extent == 0; });
}

/// Throws unless the differences of addresses within a tensor, in bytes, fit 62 bits.
void refuse_far_strides(const std::vector<Axis>& axes, std::int64_t element_bytes, Operand operand) {
  constexpr double most = 4e18;
  double reach = 0;
  for (const Axis& axis : axes) {
    reach += std::abs(static_cast<double>(axis.stride)) * static_cast<double>(axis.extent - 1);
  }
  if (reach * static_cast<double>(element_bytes) > most) {
    throw bad_input("strides of {} reach {:.3g} elements far, more than 62 bits can address", letter(operand), reach);
  }
}

}  // namespace

char letter(Operand operand) { return "ABC"[static_cast<std::size_t>(operand)]; }

bool is_contraction(const Expression& expression) { return misfit(expression).empty(); }

Notation notation_of(const Expression& expression) {
  if (const std::string reason = misfit(expression); !reason.empty()) {
    throw bad_input("contraction '{}'{}", to_string(expression), reason);
  }
  const auto text = [](const Subscripts& tensor) { return std::string(tensor.labels.begin(), tensor.labels.end()); };
  return {text(expression.operands[0]), text(expression.operands[1]), text(expression.result)};
}

Notation parse_notation(std::string_view text) { return notation_of(parse_expression(text)); }

std::string to_string(const Notation& notation) { return notation.c + '=' + notation.a + ',' + notation.b; }

std::int64_t Tensor::stride(char index) const {
  const std::size_t i = indices.find(index);
  return i == std::string::npos ? 0 : strides[i];
}

IndexRole Contraction::role(char index) const {
  const bool in_a = tensor(Operand::a).has(index);
  const bool in_b = tensor(Operand::b).has(index);
  if (in_a && in_b) {
    return tensor(Operand::c).has(index) ? IndexRole::batch : IndexRole::contracted;
  }
  return in_a ? IndexRole::free_a : IndexRole::free_b;
}

std::string Contraction::indices(IndexRole wanted) const {
  const std::string& from = tensor(wanted == IndexRole::contracted ? Operand::a : Operand::c).indices;
  std::string found;
  std::copy_if(from.begin(), from.end(), std::back_inserter(found), [&](char index) { return role(index) == wanted; });
  return found;
}

std::string Contraction::indices() const { return indices(IndexRole::contracted) + tensor(Operand::c).indices; }

std::int64_t Contraction::elements(Operand operand) const {
  std::int64_t product = 1;
  for (const char index : tensor(operand).indices) {
    product *= extent(index);
  }
  return product;
}

Contraction make_contraction(const Notation& notation, const Extents& extents, Precision precision, Order order,
                             const std::array<std::vector<std::int64_t>, 3>& strides) {
  static_cast<void>(notation_of(expression_of(notation)));
  Contraction contraction;
  contraction.precision = precision;
  for (const char index : notation.a + notation.b) {
    const auto found = extents.find(index);
    if (found == extents.end()) {
      throw bad_input("index {} of {} has no size", index, to_string(notation));
    }
    if (found->second < 0 || found->second > largest_extent) {
      throw bad_input("size of {}: {} is out of range; 0 to {} is possible", index, found->second, largest_extent);
    }
    contraction.extents[index] = found->second;
  }
  const std::array<std::string, 3> indices = {notation.a, notation.b, notation.c};
  for (const Operand operand : all_operands) {
    const auto i = static_cast<std::size_t>(operand);
    Tensor& tensor = contraction.tensors[i];
    tensor.indices = indices[i];
    tensor.strides = dense_strides(indices[i], contraction.extents, order, element_bytes(precision), operand);
    if (!strides[i].empty()) {
      if (strides[i].size() != indices[i].size()) {
        throw bad_input("{} strides given for {}, which has {} indices", strides[i].size(), letter(operand), indices[i].size());
      }
      tensor.strides = strides[i];
    }
    const std::vector<Axis> all = axes(tensor, contraction.extents);
    if (is_empty(all)) {
      continue;
    }
    refuse_far_strides(all, element_bytes(precision), operand);
    if (operand == Operand::c && may_share_addresses(all)) {
      throw bad_input("strides of C ({}) let elements share addresses; the result would depend on the order of work",
                      fmt::join(tensor.strides, ", "));
    }
  }
  return contraction;
}

Contraction make_contraction(const Notation& notation, const Extents& extents, Precision precision, Order order) {
  return make_contraction(notation, extents, precision, order, {});
}

Contraction make_contraction(const SizedExpression& expression, const EinsumStrides& strides, Precision precision, Order order) {
  const Notation notation = notation_of(expression.expression);
  Extents extents;
  for (const auto& [label, extent] : expression.extents) {
    extents[static_cast<char>(label)] = extent;
  }
  const auto of_operand = [&](std::size_t i) { return i < strides.operands.size() ? strides.operands[i] : std::vector<std::int64_t>(); };
  return make_contraction(notation, extents, precision, order, {of_operand(0), of_operand(1), strides.result});
}

double flops(const Contraction& contraction) {
  double product = is_complex(contraction.precision) ? 8 : 2;
  for (const auto& [index, extent] : contraction.extents) {
    product *= static_cast<double>(extent);
  }
  return product;
}

}  // namespace flopcast::contract
