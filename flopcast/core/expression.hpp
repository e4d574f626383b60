#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace flopcast {

/// A small arithmetic formula over the integer and flag arguments of a routine, as the catalogue writes them:
/// `2*m*n*k`, `side=L ? m : n`, `min(m,n)`, `(n*(n+1))/2`. Compiled once, evaluated in nanoseconds.
///
/// Grammar: numbers, argument names, `+ - * /`, unary minus, parentheses, `min(a,b)`, `max(a,b)`, and `flag=X ? a : b`. X is one or more
/// letters, any of which matches, whatever the case of the argument. Division is exact (real); integer() rounds sizes towards zero.
class Expression {
 public:
  Expression() = default;
  /// Compiles `text`; a name's value is argument number `names.index(name)`. Throws internal_error on a syntax error or an
  /// unknown name: formulae are part of the program.
  Expression(std::string_view text, std::span<const std::string_view> names);

  [[nodiscard]] bool empty() const noexcept { return program_.empty(); }
  /// `arguments[i]` holds argument i: an integer, or the character code of a flag.
  [[nodiscard]] double value(std::span<const std::int64_t> arguments) const;
  [[nodiscard]] std::int64_t integer(std::span<const std::int64_t> arguments) const;
  [[nodiscard]] const std::string& text() const noexcept { return text_; }

  friend bool operator==(const Expression& a, const Expression& b) { return a.text_ == b.text_; }

 private:
  enum class Code : std::uint8_t { number, argument, add, subtract, multiply, divide, minimum, maximum, negate, jump_unless_flag, jump };
  struct Step {
    Code code = Code::number;
    std::uint8_t argument = 0;
    std::uint32_t flags = 0;   ///< jump_unless_flag: bit i set if letter 'A'+i matches
    std::uint32_t target = 0;  ///< jumps: the step to continue with
    double number = 0;
  };
  friend class ExpressionCompiler;

  std::string text_;
  std::vector<Step> program_;
};

}  // namespace flopcast
