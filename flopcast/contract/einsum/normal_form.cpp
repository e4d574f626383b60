#include "flopcast/contract/einsum/normal_form.hpp"

#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>

#include "flopcast/contract/einsum/sum_tiles.hpp"
#include "flopcast/contract/notation/expression_rules.hpp"
#include "flopcast/support/error.hpp"

namespace flopcast::contract {
namespace {

std::vector<std::int64_t> dense_strides(const std::vector<std::int64_t>& shape, Order order, const std::string& tensor,
                                        std::int64_t element_bytes) {
  std::vector<std::int64_t> strides(shape.size());
  std::int64_t stride = 1;
  const bool is_empty = std::find(shape.begin(), shape.end(), 0) != shape.end();
  for (std::size_t step = 0; step < shape.size(); ++step) {
    const std::size_t i = order == Order::column_major ? step : shape.size() - 1 - step;
    strides[i] = stride;
    if (!is_empty &&
        (__builtin_mul_overflow(stride, shape[i], &stride) || stride > std::numeric_limits<std::int64_t>::max() / element_bytes)) {
      throw bad_input("{} of shape ({}) has more elements than 63 bits can address", tensor, fmt::join(shape, ", "));
    }
  }
  return strides;
}

/// Throws unless the differences of addresses within a tensor, in bytes, fit 62 bits.
void refuse_far_strides(const std::vector<Axis>& axes, const std::string& tensor, std::int64_t element_bytes) {
  constexpr double most = 4e18;
  double reach = 0, elements = 1;
  for (const Axis& axis : axes) {
    reach += std::abs(static_cast<double>(axis.stride)) * static_cast<double>(std::max<std::int64_t>(0, axis.extent - 1));
    elements *= static_cast<double>(axis.extent);
  }
  if (elements > 0 && (reach * static_cast<double>(element_bytes) > most || elements > most)) {
    throw bad_input("{} has {:.3g} elements, and its strides reach {:.3g} elements far; 62 bits can't address these", tensor, elements,
                    reach);
  }
}

std::vector<Axis> axes_of(const std::vector<std::int64_t>& shape, const std::vector<std::int64_t>& given, Precision precision, Order order,
                          const std::string& tensor) {
  if (!given.empty() && given.size() != shape.size()) {
    throw bad_input("{} strides are given for {}, which has {} axes; expected one per axis", given.size(), tensor, shape.size());
  }
  const std::vector<std::int64_t> strides = given.empty() ? dense_strides(shape, order, tensor, element_bytes(precision)) : given;
  std::vector<Axis> axes;
  for (std::size_t i = 0; i < shape.size(); ++i) {
    axes.push_back({shape[i] == 1 ? 0 : strides[i], shape[i]});
  }
  refuse_far_strides(axes, tensor, element_bytes(precision));
  return axes;
}

bool has_no_elements(const std::vector<Axis>& axes) {
  return std::any_of(axes.begin(), axes.end(), [](const Axis& axis) { return axis.extent == 0; });
}

}  // namespace

TensorAxes tensor_axes(const SizedExpression& expression, const EinsumStrides& strides, Precision precision, Order order) {
  TensorAxes axes;
  const std::size_t count = expression.operands.size();
  if (!strides.operands.empty() && strides.operands.size() != count) {
    throw bad_input("strides of {} operands are given for {} operands of '{}'", strides.operands.size(), count,
                    to_string(expression.expression));
  }
  for (std::size_t i = 0; i < count; ++i) {
    axes.operands.push_back(axes_of(expression.shapes[i], strides.operands.empty() ? std::vector<std::int64_t>{} : strides.operands[i],
                                    precision, order, name_of_operand(i)));
  }
  const std::vector<std::int64_t> shape = expression.result_shape();
  axes.result = axes_of(shape, strides.result, precision, order, "the result");
  axes.addend = axes_of(shape, strides.addend.empty() ? strides.result : strides.addend, precision, order, "the addend");
  if (!has_no_elements(axes.result) && may_share_addresses(axes.result)) {
    throw bad_input("strides of the result ({}) let elements share addresses; the result would depend on the order of work",
                    fmt::join(strides.result, ", "));
  }
  return axes;
}

NormalForm normal_form(const SizedExpression& expression, const TensorAxes& axes) {
  NormalForm form;
  std::map<Label, std::size_t> places;
  std::vector<LabelDimension> all;
  const auto add = [&](const std::vector<Label>& labels, const std::vector<Axis>& tensor, std::size_t t) {
    for (std::size_t i = 0; i < labels.size(); ++i) {
      const std::int64_t extent = expression.extent(labels[i]);
      const auto [place, is_new] = places.emplace(labels[i], all.size());
      if (is_new) {
        all.push_back({labels[i], extent, {}, t == in_c});
      } else if (t == in_c && extent > 1) {
        form.has_diagonal = true;
      }
      all[place->second].strides[t] += tensor[i].extent == extent && extent > 1 ? tensor[i].stride : 0;
    }
  };
  add(expression.result.labels, axes.result, in_c);
  for (std::size_t t = 0; t < expression.operands.size(); ++t) {
    add(expression.operands[t].labels, axes.operands[t], t);
  }
  for (const LabelDimension& dimension : all) {
    (dimension.in_result ? form.is_empty_result : form.is_empty_sum) |= dimension.extent == 0;
    if (dimension.extent <= 1) {
      continue;
    }
    if (!dimension.in_result && dimension.strides[0] == 0 && dimension.strides[1] == 0) {
      form.repetitions *= static_cast<double>(dimension.extent);
    } else {
      form.dimensions.push_back(dimension);
    }
  }
  return form;
}

}  // namespace flopcast::contract
