#include "flopcast/core/routine.hpp"

#include <algorithm>
#include <array>
#include <cctype>
#include <charconv>
#include <cmath>
#include <cstddef>
#include <functional>
#include <initializer_list>
#include <utility>

#include "flopcast/support/error.hpp"

namespace flopcast {

namespace {

/// Maximum number of values on the stack of a formula.
constexpr std::size_t deepest = 16;

}  // namespace

/// Recursive descent over the grammar in the header; emits postfix steps.
class FormulaCompiler {
 public:
  FormulaCompiler(std::string_view text, std::span<const std::string_view> names) : text_(text), names_(names) {}

  std::vector<ArgumentFormula::FormulaStep> compile() {
    conditional();
    skip_space();
    if (at_ != text_.size()) {
      fail("unexpected text");
    }
    return std::move(program_);
  }

 private:
  using Code = ArgumentFormula::Code;

  [[noreturn]] void fail(std::string_view why) const { throw internal_error("formula '{}': {} at position {}", text_, why, at_); }
  void skip_space() {
    while (at_ < text_.size() && text_[at_] == ' ') {
      ++at_;
    }
  }
  bool accept(char c) {
    skip_space();
    if (at_ < text_.size() && text_[at_] == c) {
      ++at_;
      return true;
    }
    return false;
  }
  void expect(char c) {
    if (!accept(c)) {
      fail(fmt::format("expected '{}'", c));
    }
  }
  /// Appends a step that takes two numbers off the stack (one for negate, none for a jump) and leaves one.
  void emit(Code code) {
    depth_ -= code == Code::negate || code == Code::jump ? 0 : 1;
    program_.push_back({.code = code});
  }
  void push(const ArgumentFormula::FormulaStep& step) {
    if (++depth_ > deepest) {
      fail("nested too deeply");
    }
    program_.push_back(step);
  }
  std::string_view word() {
    skip_space();
    const std::size_t start = at_;
    while (at_ < text_.size() && (std::isalnum(static_cast<unsigned char>(text_[at_])) != 0 || text_[at_] == '_')) {
      ++at_;
    }
    return text_.substr(start, at_ - start);
  }
  std::uint8_t argument_index(std::string_view name) const {
    const auto found = std::find(names_.begin(), names_.end(), name);
    if (found == names_.end()) {
      fail(fmt::format("unknown argument '{}'", name));
    }
    return static_cast<std::uint8_t>(found - names_.begin());
  }

  /// Compiles `flag=X ? a : b`, or a sum. The '=' behind a name marks the test of a flag.
  void conditional() {
    const std::size_t start = at_;
    const std::string_view name = word();
    if (name.empty() || std::isdigit(static_cast<unsigned char>(name.front())) != 0 || !accept('=')) {
      at_ = start;
      sum();
      return;
    }
    std::uint32_t letters = 0;
    for (const char c : word()) {
      letters |= 1U << static_cast<unsigned>(std::toupper(static_cast<unsigned char>(c)) - 'A');
    }
    if (letters == 0) {
      fail("expected flag letters");
    }
    const std::size_t test = program_.size();
    program_.push_back({.code = Code::jump_unless_flag, .argument = argument_index(name), .flags = letters});
    expect('?');
    conditional();
    const std::size_t leave = program_.size();
    emit(Code::jump);
    expect(':');
    --depth_;  // only one of the branches leaves its number on the stack
    program_[test].target = static_cast<std::uint32_t>(program_.size());
    conditional();
    program_[leave].target = static_cast<std::uint32_t>(program_.size());
  }
  void sum() { chain(&FormulaCompiler::product, {{'+', Code::add}, {'-', Code::subtract}}); }
  void product() { chain(&FormulaCompiler::factor, {{'*', Code::multiply}, {'/', Code::divide}, {'%', Code::remainder}}); }
  /// Compiles operands that are joined by any of `operators`, from left to right.
  void chain(void (FormulaCompiler::*operand)(), std::initializer_list<std::pair<char, Code>> operators) {
    (this->*operand)();
    while (true) {
      const auto* const found = std::find_if(operators.begin(), operators.end(), [&](const auto& one) { return accept(one.first); });
      if (found == operators.end()) {
        return;
      }
      (this->*operand)();
      emit(found->second);
    }
  }
  void factor() {
    if (accept('-')) {
      factor();
      emit(Code::negate);
      return;
    }
    if (accept('(')) {
      conditional();
      expect(')');
      return;
    }
    const std::string_view name = word();
    if (name.empty()) {
      fail("expected a number, a name or '('");
    }
    if (std::isdigit(static_cast<unsigned char>(name.front())) != 0) {
      number(name);
    } else if (name == "min" || name == "max") {
      expect('(');
      conditional();
      expect(',');
      conditional();
      expect(')');
      emit(name == "min" ? Code::minimum : Code::maximum);
    } else {
      push({.code = Code::argument, .argument = argument_index(name)});
    }
  }
  void number(std::string_view digits) {
    std::int64_t value = 0;
    const auto [rest, error] = std::from_chars(digits.data(), digits.data() + digits.size(), value);
    if (error != std::errc() || rest != digits.data() + digits.size()) {
      fail("expected an integer");
    }
    push({.code = Code::number, .number = static_cast<double>(value)});
  }

  std::string_view text_;
  std::span<const std::string_view> names_;
  std::size_t at_ = 0;
  std::size_t depth_ = 0;
  std::vector<ArgumentFormula::FormulaStep> program_;
};

ArgumentFormula::ArgumentFormula(std::string_view text, std::span<const std::string_view> names)
    : text_(text), program_(FormulaCompiler(text, names).compile()) {}

namespace {

/// Returns whether bit i of `letters` is set, where the flag is letter 'A'+i in either case.
bool matches(std::uint32_t letters, std::int64_t flag) {
  const std::int64_t letter = (flag & ~0x20) - 'A';
  return letter >= 0 && letter <= 25 && (letters >> static_cast<unsigned>(letter) & 1U) != 0;
}

}  // namespace

double ArgumentFormula::value(std::span<const std::int64_t> arguments) const {
  std::array<double, deepest> stack;  // NOLINT(cppcoreguidelines-pro-type-member-init): written before it is read
  stack[0] = 0;
  std::size_t top = 0;
  const auto binary = [&](auto operation) {
    --top;
    stack[top - 1] = operation(stack[top - 1], stack[top]);
  };
  for (std::size_t at = 0; at < program_.size(); ++at) {
    const FormulaStep& step = program_[at];
    switch (step.code) {
      case Code::number: stack[top++] = step.number; break;
      case Code::argument: stack[top++] = static_cast<double>(arguments[step.argument]); break;
      case Code::negate: stack[top - 1] = -stack[top - 1]; break;
      case Code::add: binary(std::plus<>()); break;
      case Code::subtract: binary(std::minus<>()); break;
      case Code::multiply: binary(std::multiplies<>()); break;
      case Code::divide: binary(std::divides<>()); break;
      case Code::remainder: binary([](double a, double b) { return std::fmod(a, b); }); break;
      case Code::minimum: binary([](double a, double b) { return std::min(a, b); }); break;
      case Code::maximum: binary([](double a, double b) { return std::max(a, b); }); break;
      case Code::jump: at = step.target - 1; break;
      case Code::jump_unless_flag:
        if (!matches(step.flags, arguments[step.argument])) {
          at = step.target - 1;
        }
        break;
    }
  }
  return stack[0];
}

std::int64_t ArgumentFormula::integer(std::span<const std::int64_t> arguments) const {
  if (program_.empty()) {
    return 0;
  }
  // Nearly all extents are one argument or a flag's choice of two, which need no stack.
  const FormulaStep* step = program_.data();
  const FormulaStep* const end = step + program_.size();
  if (step->code == Code::jump_unless_flag) {
    step = matches(step->flags, arguments[step->argument]) ? step + 1 : program_.data() + step->target;
  }
  if (step->code == Code::argument && (step + 1 == end || (step[1].code == Code::jump && step[1].target == program_.size()))) {
    return arguments[step->argument];
  }
  return static_cast<std::int64_t>(value(arguments));
}

}  // namespace flopcast
