#include "flopcast/kernel/documentation.hpp"

#include <algorithm>

#include "flopcast/support/error.hpp"

namespace flopcast::kernel {
namespace {

const char* access_text(Access access) {
  switch (access) {
    case Access::read: return "read";
    case Access::write: return "written";
    case Access::update: return "updated";
  }
  return "";
}

std::string shape_text(const Argument& argument) {
  const std::string rows = argument.rows.text();
  const std::string columns = argument.columns.text();
  switch (argument.form) {
    case Form::scalar: return "one element";
    case Form::vector: return fmt::format("vector of {}", rows);
    case Form::full: return fmt::format("matrix of ({}) x ({})", rows, columns);
    case Form::triangle: return fmt::format("triangle of order {}", rows);
    case Form::trapezoid: return fmt::format("trapezoid of ({}) x ({})", rows, columns);
    case Form::end_trapezoid: return fmt::format("trapezoid of ({}) x ({}), its diagonal ending in the last corner", rows, columns);
    case Form::hessenberg:
      return fmt::format("all {} rows of {} columns after the first, of the {} others the rows below {}", rows, argument.upper.text(),
                         columns, argument.lower.text());
    case Form::packed: return fmt::format("packed triangle of order {}", rows);
    case Form::band:
      return fmt::format("band matrix of ({}) x ({}) with {} sub- and {} super-diagonals", rows, columns, argument.lower.text(),
                         argument.upper.text());
    case Form::band_triangle: return fmt::format("triangle of order {} with {} off-diagonals, banded", rows, argument.upper.text());
    case Form::reflectors: return fmt::format("{} reflectors of length {}", columns, rows);
  }
  return "";
}

std::string argument_text(const Argument& argument) {
  const std::string usual = argument.rows.empty() ? "" : fmt::format(", usually {}", argument.rows.text());
  switch (argument.kind) {
    case Kind::flag: return fmt::format("one of {}", fmt::join(argument.values, ", "));
    case Kind::sign: return argument.values == "+-" ? "1 or -1" : fmt::format("one of {}", fmt::join(argument.values, ", "));
    case Kind::size: return "size" + usual;
    case Kind::scalar: return "number" + usual;
    case Kind::real_scalar: return "real number" + usual;
    case Kind::data: return fmt::format("{}, {}", shape_text(argument), access_text(argument.access));
    case Kind::leading_dimension: return "leading dimension";
    case Kind::increment: return "increment";
    case Kind::work_size: return fmt::format("elements of work, {} suffice", argument.rows.text());
    case Kind::work: return fmt::format("scratch space, {}", shape_text(argument));
    case Kind::pivots: return fmt::format("pivots, {}, {}", shape_text(argument), access_text(argument.access));
    case Kind::info: return "return code";
  }
  return "";
}

std::string count_text(const Expression& expression) { return expression.empty() ? "none" : expression.text(); }

}  // namespace

std::string documentation(const Routine& routine) {
  std::vector<std::string> argument_names;
  std::size_t width = 0;
  for (const Argument& argument : routine.arguments) {
    argument_names.push_back(argument.name);
    width = std::max(width, argument.name.size());
  }
  std::string text = fmt::format("{}({}): {}\n", routine.name, fmt::join(argument_names, ", "), routine.operation);
  for (const Argument& argument : routine.arguments) {
    text += fmt::format("  {:{}}  {}\n", argument.name, width, argument_text(argument));
  }
  for (const Constraint& constraint : routine.constraints) {
    text += fmt::format("  needs {}\n", constraint.text);
  }
  return text + fmt::format("  multiplications: {}\n  additions: {}\n", count_text(routine.multiplications), count_text(routine.additions));
}

}  // namespace flopcast::kernel
