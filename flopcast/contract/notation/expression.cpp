#include "flopcast/contract/notation/expression.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <set>
#include <utility>

#include "flopcast/contract/notation/expression_rules.hpp"
#include "flopcast/contract/notation/utf8.hpp"
#include "flopcast/support/error.hpp"
#include "flopcast/support/units.hpp"

namespace flopcast::contract {
namespace {

/// Returns the smallest label, or 0 if this is smaller. The ellipsis gets the labels below.
Label lowest_label(const Expression& expression) {
  Label lowest = 0;
  for (const Subscripts& operand : expression.operands) {
    for (const Label label : operand.labels) {
      lowest = std::min(lowest, label);
    }
  }
  return lowest;
}

/// Returns the name of a label for messages, given lowest_label().
std::string name_of(const Expression& expression, Label label, Label lowest) {
  if (label < lowest) {
    return fmt::format("axis {} of ...", lowest - label);
  }
  return expression.has_letters ? visible(static_cast<char32_t>(label)) : fmt::format("{}", label);
}

std::string to_string(const Expression& expression, const Subscripts& subscripts) {
  const Label lowest = lowest_label(expression);
  std::string text;
  for (std::size_t i = 0; i <= subscripts.labels.size(); ++i) {
    const auto append = [&](const std::string& word) { text += (expression.has_letters || text.empty() ? "" : " ") + word; };
    if (subscripts.ellipsis == i) {
      append("...");
    }
    if (i < subscripts.labels.size()) {
      append(name_of(expression, subscripts.labels[i], lowest));
    }
  }
  if (!expression.has_letters) {
    text = '[' + text + ']';
  }
  return subscripts.conjugated ? "conj(" + text + ')' : text;
}

std::string counted_axes(std::size_t count) { return count == 1 ? "1 axis" : fmt::format("{} axes", count); }

/// Returns the number of axes that an operand's ellipsis stands for. Throws bad_input if the number of axes doesn't suit the labels.
std::size_t axes_of_ellipsis(const Expression& expression, std::size_t operand, std::size_t axes) {
  const Subscripts& subscripts = expression.operands[operand];
  const std::size_t labels = subscripts.labels.size();
  if (axes < labels || (axes > labels && !subscripts.ellipsis)) {
    throw bad_input("expression '{}': {} has {} for {}; {} needed", to_string(expression), name_of_operand(operand),
                    counted(labels, "label"), counted_axes(axes), axes < labels ? "fewer labels are" : "'...' for the other axes is");
  }
  return axes - labels;
}

/// Returns the subscripts with `axes` labels of its own in place of the ellipsis.
Subscripts without_ellipsis(const Subscripts& subscripts, std::size_t axes, Label lowest) {
  Subscripts result{subscripts.labels, std::nullopt, subscripts.conjugated};
  if (subscripts.ellipsis) {
    for (std::size_t i = 0; i < axes; ++i) {  // the axis furthest to the right first
      result.labels.insert(result.labels.begin() + static_cast<std::ptrdiff_t>(*subscripts.ellipsis), lowest - 1 - static_cast<Label>(i));
    }
  }
  return result;
}

/// Adds an operand's sizes to those of all labels.
void add_extents(SizedExpression& sized, std::size_t operand) {
  const std::vector<Label>& labels = sized.operands[operand].labels;
  const std::vector<std::int64_t>& shape = sized.shapes[operand];
  for (std::size_t axis = 0; axis < labels.size(); ++axis) {
    const Label label = labels[axis];
    const std::int64_t size = shape[axis];
    if (size < 0) {
      throw bad_input("expression '{}': label {} has size {} in {}; expected 0 or more", to_string(sized.expression),
                      name_of(sized.expression, label), size, name_of_operand(operand));
    }
    const auto first = std::find(labels.begin(), labels.end(), label) - labels.begin();
    if (const std::int64_t other = shape[static_cast<std::size_t>(first)]; other != size) {
      throw bad_input("expression '{}': label {} of {} has sizes {} and {}; a diagonal needs equal sizes", to_string(sized.expression),
                      name_of(sized.expression, label), name_of_operand(operand), other, size);
    }
    const auto [place, is_new] = sized.extents.emplace(label, size);
    std::int64_t& extent = place->second;
    if (!is_new && extent != size && extent != 1 && size != 1) {
      throw bad_input("expression '{}': label {} has size {} in {}, but {} in an operand before; expected equal sizes, or 1",
                      to_string(sized.expression), name_of(sized.expression, label), size, name_of_operand(operand), extent);
    }
    extent = extent == 1 ? size : extent;
  }
}

}  // namespace

std::string name_of_operand(std::size_t number) { return fmt::format("operand {}", number + 1); }

std::string name_of(const Expression& expression, Label label) { return name_of(expression, label, lowest_label(expression)); }

Subscripts implicit_result(std::span<const Subscripts> operands) {
  std::map<Label, int> counts;
  Subscripts result;
  for (const Subscripts& operand : operands) {
    for (const Label label : operand.labels) {
      ++counts[label];
    }
    if (operand.ellipsis) {
      result.ellipsis = 0;
    }
  }
  for (const auto& [label, count] : counts) {
    if (count == 1) {
      result.labels.push_back(label);
    }
  }
  return result;
}

void check_result(const Expression& expression) {
  std::set<Label> known;
  for (const Subscripts& operand : expression.operands) {
    known.insert(operand.labels.begin(), operand.labels.end());
  }
  for (const Label label : expression.result.labels) {
    if (known.count(label) == 0) {
      throw bad_input("expression '{}': label {} of the result is in no operand; expected a label of an operand", to_string(expression),
                      expression.has_letters ? visible(static_cast<char32_t>(label)) : fmt::format("{}", label));
    }
  }
}

Expression make_expression(std::vector<Subscripts> operands, std::optional<Subscripts> result) {
  if (operands.empty()) {
    throw bad_input("an expression without operands has no meaning; expected one operand or more");
  }
  Expression expression;
  expression.result = result ? std::move(*result) : implicit_result(operands);
  expression.operands = std::move(operands);
  const auto check = [](const Subscripts& subscripts, const std::string& tensor) {
    if (subscripts.ellipsis && *subscripts.ellipsis > subscripts.labels.size()) {
      throw bad_input("the ellipsis of {} stands behind {} labels, but there are {}", tensor, *subscripts.ellipsis,
                      subscripts.labels.size());
    }
  };
  for (std::size_t i = 0; i < expression.operands.size(); ++i) {
    check(expression.operands[i], name_of_operand(i));
  }
  check(expression.result, "the result");
  check_result(expression);
  return expression;
}

std::string to_string(const Expression& expression) {
  std::string text;
  for (const Subscripts& operand : expression.operands) {
    text += (&operand == expression.operands.data() ? "" : ",") + to_string(expression, operand);
  }
  return text + "->" + to_string(expression, expression.result);
}

std::vector<std::int64_t> SizedExpression::result_shape() const {
  std::vector<std::int64_t> shape;
  for (const Label label : result.labels) {
    shape.push_back(extent(label));
  }
  return shape;
}

SizedExpression with_shapes(const Expression& expression, std::span<const std::vector<std::int64_t>> shapes) {
  if (shapes.size() != expression.operands.size()) {
    throw bad_input("expression '{}' has {}, but {} given", to_string(expression), counted(expression.operands.size(), "operand"),
                    shapes.size() == 1 ? "1 shape is" : fmt::format("{} shapes are", shapes.size()));
  }
  SizedExpression sized;
  sized.expression = expression;
  const Label lowest = lowest_label(expression);
  std::size_t most = 0;  // axes of the longest ellipsis
  for (std::size_t i = 0; i < shapes.size(); ++i) {
    const std::size_t axes = axes_of_ellipsis(expression, i, shapes[i].size());
    most = std::max(most, axes);
    sized.operands.push_back(without_ellipsis(expression.operands[i], axes, lowest));
    sized.shapes.push_back(shapes[i]);
    add_extents(sized, i);
  }
  if (most > 0 && !expression.result.ellipsis) {
    throw bad_input("expression '{}': the operands' '...' stands for {}, but the result has no '...'; expected one", to_string(expression),
                    counted_axes(most));
  }
  sized.result = without_ellipsis(expression.result, most, lowest);
  return sized;
}

SizedExpression with_extents(const Expression& expression, const std::map<Label, std::int64_t>& extents) {
  std::vector<std::vector<std::int64_t>> shapes;
  for (std::size_t i = 0; i < expression.operands.size(); ++i) {
    if (expression.operands[i].ellipsis) {
      throw bad_input("expression '{}': the axes of '...' in {} have no names, so that sizes of labels don't tell theirs; expected labels",
                      to_string(expression), name_of_operand(i));
    }
    shapes.emplace_back();
    for (const Label label : expression.operands[i].labels) {
      const auto found = extents.find(label);
      if (found == extents.end()) {
        throw bad_input("expression '{}': label {} of {} has no size", to_string(expression), name_of(expression, label),
                        name_of_operand(i));
      }
      shapes.back().push_back(found->second);
    }
  }
  return with_shapes(expression, shapes);
}

}  // namespace flopcast::contract
