#include <algorithm>
#include <cstddef>
#include <string>
#include <vector>

#include "flopcast/contract/notation/expression.hpp"
#include "flopcast/contract/notation/expression_rules.hpp"
#include "flopcast/contract/notation/utf8.hpp"
#include "flopcast/support/error.hpp"

namespace flopcast::contract {
namespace {

/// A character that isn't blank, and its place in the text, from 1 on.
struct Character {
  char32_t value = 0;
  std::size_t position = 0;
};

/// A part of the characters, [begin, end).
struct ExpressionPart {
  std::size_t begin = 0, end = 0;
  [[nodiscard]] bool empty() const { return begin == end; }
};

constexpr std::u32string_view conj = U"conj(";

class Parser {
 public:
  explicit Parser(std::string_view text) : text_(text) {
    std::size_t position = 0;
    for (std::size_t at = 0; at < text.size();) {
      ++position;
      const std::optional<CodePoint> next = code_point_at(text, at);
      if (!next) {
        throw bad_input("expression '{}': byte \\x{:02x} at position {} isn't UTF-8; a label is a letter or a Unicode character",
                        visible(text_), static_cast<unsigned char>(text[at]), position);
      }
      const bool is_blank = next->value == U' ' || (next->value >= U'\t' && next->value <= U'\r');
      if (!is_blank) {
        characters_.push_back({next->value, position});
      }
      at += next->bytes;
    }
  }

  Expression parse() {
    const ExpressionPart all{0, characters_.size()};
    return find(U"_", all) < all.end || find(U":=", all) < all.end ? formula(all) : list(all);
  }

  /// Returns the names of the tensors of a formula in the order in which they were read, the result's last; empty for other notations.
  [[nodiscard]] const std::vector<std::string>& names() const { return names_; }

 private:
  [[nodiscard]] char32_t at(std::size_t i) const { return i < characters_.size() ? characters_[i].value : U'\0'; }
  [[nodiscard]] bool stands_at(std::u32string_view word, std::size_t i) const {
    for (std::size_t k = 0; k < word.size(); ++k) {
      if (at(i + k) != word[k]) {
        return false;
      }
    }
    return true;
  }
  /// Returns the first place of `word` in a part, or the part's end.
  [[nodiscard]] std::size_t find(std::u32string_view word, const ExpressionPart& part) const {
    for (std::size_t i = part.begin; i + word.size() <= part.end; ++i) {
      if (stands_at(word, i)) {
        return i;
      }
    }
    return part.end;
  }

  /// Returns an error at character `i`; `expected` says what may stand there.
  [[nodiscard]] Error unexpected(std::size_t i, std::string_view tensor, std::string_view expected) const {
    if (i >= characters_.size()) {
      return bad_input("expression '{}' ends within {}; expected {}", visible(text_), tensor, expected);
    }
    return bad_input("expression '{}': unexpected '{}' at position {} in {}; expected {}", visible(text_), visible(at(i)),
                     characters_[i].position, tensor, expected);
  }

  /// Reads labels and at most one ellipsis.
  [[nodiscard]] Subscripts subscripts(const ExpressionPart& part, const std::string& tensor) const {
    Subscripts result;
    for (std::size_t i = part.begin; i < part.end; ++i) {
      if (at(i) == U'.') {
        if (result.ellipsis) {
          throw unexpected(i, tensor, "one ellipsis at most");
        }
        if (i + 3 > part.end || !stands_at(U"...", i)) {
          throw unexpected(i, tensor, "an ellipsis of three points '...'");
        }
        result.ellipsis = result.labels.size();
        i += 2;
      } else if (is_label(at(i))) {
        result.labels.push_back(static_cast<Label>(at(i)));
      } else {
        throw unexpected(i, tensor, "a label (a letter or a Unicode character), '...' or ','");
      }
    }
    return result;
  }

  /// Reads `ai`, `conj(ai)` or `conj(conj(ai))`.
  [[nodiscard]] Subscripts term(ExpressionPart part, const std::string& tensor) const {
    bool conjugated = false;
    while (stands_at(conj, part.begin) && part.begin < part.end) {
      if (at(part.end - 1) != U')') {
        throw unexpected(part.end, tensor, "')'");
      }
      part = {part.begin + conj.size(), part.end - 1};
      conjugated = !conjugated;
    }
    Subscripts result = subscripts(part, tensor);
    result.conjugated = conjugated;
    return result;
  }

  /// Reads `ai,ibc->abc`, `abc=ai,ibc` or `ai,ibc`.
  [[nodiscard]] Expression list(const ExpressionPart& all) const {
    ExpressionPart inputs = all, result = all;
    const std::size_t arrow = find(U"->", all), sign = find(U"=", all);
    const bool has_arrow = arrow < all.end, has_sign = sign < all.end;
    if (has_arrow && has_sign) {
      throw unexpected(std::max(arrow, sign), "the expression", "'->' or '=', not both");
    }
    if (has_arrow) {
      inputs.end = arrow;
      result.begin = arrow + 2;
    } else if (has_sign) {
      result.end = sign;
      inputs.begin = sign + 1;
    }
    Expression expression;
    for (ExpressionPart rest = inputs;;) {
      const std::size_t comma = find(U",", rest);
      expression.operands.push_back(term({rest.begin, comma}, name_of_operand(expression.operands.size())));
      if (comma == rest.end) {
        break;
      }
      rest.begin = comma + 1;
    }
    if (!has_arrow && !has_sign) {
      expression.result = implicit_result(expression.operands);
      return expression;
    }
    expression.result = subscripts(result, "the result");
    return expression;
  }

  /// Returns whether a factor with subscripts begins at `i`.
  [[nodiscard]] bool begins_factor(std::size_t i) const { return stands_at(conj, i) || at(i + 1) == U'_'; }

  /// Reads the subscripts behind `A_`, with or without braces, and moves `i` behind them.
  [[nodiscard]] Subscripts factor_subscripts(std::size_t& i, std::size_t end, const std::string& tensor) const {
    ExpressionPart part{i, i};
    if (at(i) == U'{') {
      part = {i + 1, find(U"}", {i, end})};
      if (part.end == end) {
        throw unexpected(end, tensor, "'}'");
      }
      i = part.end + 1;
    } else {
      while (i < end && at(i) != U'*' && at(i) != U')' && !begins_factor(i)) {
        ++i;
      }
      part.end = i;
      if (part.empty()) {
        throw unexpected(i, tensor, "labels behind '_'");
      }
    }
    return subscripts(part, tensor);
  }

  /// Reads one factor from `i` on, `A_ai`, `A` or `conj(A_ai)`, and moves `i` behind the factor.
  [[nodiscard]] Subscripts factor(std::size_t& i, std::size_t end, const std::string& tensor) {
    if (stands_at(conj, i) && i + conj.size() <= end) {
      i += conj.size();
      Subscripts result = factor(i, end, tensor);
      if (i >= end || at(i) != U')') {
        throw unexpected(i, tensor, "')'");
      }
      ++i;
      result.conjugated = !result.conjugated;
      return result;
    }
    if (i >= end || !is_label(at(i))) {
      throw unexpected(i, tensor, "the name of a tensor, which is one letter, such as A in A_ij");
    }
    names_.push_back(visible(at(i++)));
    if (i >= end || at(i) != U'_') {
      return {};
    }
    ++i;
    return factor_subscripts(i, end, tensor);
  }

  /// Reads `C_abc := A_ai B_ibc`, the same with `=`, or the right-hand side alone.
  [[nodiscard]] Expression formula(const ExpressionPart& all) {
    const std::size_t sign = find(U"=", all);
    const bool has_result = sign < all.end;
    Expression expression;
    for (std::size_t i = has_result ? sign + 1 : all.begin;;) {
      expression.operands.push_back(factor(i, all.end, name_of_operand(expression.operands.size())));
      if (i == all.end) {
        break;
      }
      i += at(i) == U'*' ? 1 : 0;
    }
    if (!has_result) {
      expression.result = implicit_result(expression.operands);
      return expression;
    }
    const std::size_t end = sign > all.begin && at(sign - 1) == U':' ? sign - 1 : sign;
    std::size_t i = all.begin;
    expression.result = factor(i, end, "the result");
    if (i < end || expression.result.conjugated) {
      throw unexpected(expression.result.conjugated ? all.begin : i, "the result", "one tensor, such as C_ab");
    }
    return expression;
  }

  std::string_view text_;
  std::vector<Character> characters_;
  std::vector<std::string> names_;
};

Expression checked(Parser& parser) {
  Expression expression = parser.parse();
  expression.has_letters = true;
  check_result(expression);
  return expression;
}

}  // namespace

NamedExpression parse_named_expression(std::string_view text) {
  constexpr std::size_t max_unnamed = 25;
  Parser parser(text);
  NamedExpression named{checked(parser), parser.names(), ""};
  const std::size_t count = named.expression.operands.size();
  if (named.operands.empty()) {
    if (count > max_unnamed) {
      throw bad_input("expression '{}' has {} operands without names; expected {} at most", visible(text), count, max_unnamed);
    }
    for (std::size_t i = 0; i <= count; ++i) {
      named.operands.emplace_back(1, static_cast<char>('A' + i));
    }
  }
  if (named.operands.size() == count) {
    throw bad_input("expression '{}' names no result; write one in front, as in C_ab := A_ai B_ib", visible(text));
  }
  named.result = named.operands.back();
  named.operands.pop_back();
  return named;
}

Expression parse_expression(std::string_view text) {
  Parser parser(text);
  return checked(parser);
}

}  // namespace flopcast::contract
