#include "flopcast/kernel/entry.hpp"

#include <span>
#include <utility>

#include "flopcast/core/call.hpp"
#include "flopcast/support/error.hpp"

namespace flopcast::kernel {
namespace {

Item plain(std::string name, Kind kind) {
  Item item;
  item.argument.name = std::move(name);
  item.argument.kind = kind;
  return item;
}

Item operand(std::string name, Kind kind, Access access, OperandLayout shape) {
  Item item = plain(std::move(name), kind);
  item.argument.access = access;
  item.argument.form = shape.form;
  item.shape = std::move(shape);
  return item;
}

int flag_index(const Routine& routine, const std::string& name) {
  if (name.empty()) {
    return -1;
  }
  const int index = routine.index(name);
  if (index < 0 || routine.arguments[static_cast<std::size_t>(index)].kind != Kind::flag) {
    throw internal_error("catalogue entry {}: '{}' is not a flag of the routine", routine.name, name);
  }
  return index;
}

ArgumentFormula compile(const std::string& text, std::span<const std::string_view> names) {
  return text.empty() ? ArgumentFormula() : ArgumentFormula(text, names);
}

Constraint constraint(const std::string& text, std::span<const std::string_view> names) {
  const std::size_t relation = text.find(">=");
  if (relation == std::string::npos) {
    throw internal_error("catalogue constraint '{}' lacks the relation >=", text);
  }
  return {text, compile(fmt::format("({}) - ({})", text.substr(0, relation), text.substr(relation + 2)), names)};
}

bool gives_stride(const Argument& argument) { return argument.kind == Kind::leading_dimension || argument.kind == Kind::increment; }

/// Compiles the formulae of `shape` and finds the indices of its flags, for argument i.
void resolve(Routine& routine, std::size_t i, const OperandLayout& shape, std::span<const std::string_view> names) {
  Argument& argument = routine.arguments[i];
  argument.rows = compile(shape.rows, names);
  argument.columns = compile(shape.columns, names);
  argument.lower = compile(shape.lower, names);
  argument.upper = compile(shape.upper, names);
  argument.offset = compile(shape.offset, names);
  argument.column_offset = compile(shape.column_offset, names);
  argument.skipped = compile(shape.skipped, names);
  if (shape.uplo == "L" || shape.uplo == "U") {
    argument.fixed_uplo = shape.uplo[0];
  } else {
    argument.uplo = flag_index(routine, shape.uplo);
  }
  argument.diag = flag_index(routine, shape.diag);
  argument.storev = flag_index(routine, shape.storev);
  argument.direct = flag_index(routine, shape.direct);
  argument.stride = i + 1 < routine.arguments.size() && gives_stride(routine.arguments[i + 1]) ? static_cast<int>(i + 1) : -1;
}

}  // namespace

OperandLayout one() { return {.form = Form::scalar}; }
OperandLayout vec(std::string n) { return {.form = Form::vector, .rows = std::move(n)}; }
OperandLayout full(std::string rows, std::string columns) {
  return {.form = Form::full, .rows = std::move(rows), .columns = std::move(columns)};
}
OperandLayout triangle(std::string n, std::string uplo, std::string diag) {
  return {.form = Form::triangle, .rows = std::move(n), .uplo = std::move(uplo), .diag = std::move(diag)};
}
OperandLayout trapezoid(std::string rows, std::string columns, std::string uplo) {
  return {.form = Form::trapezoid, .rows = std::move(rows), .columns = std::move(columns), .uplo = std::move(uplo)};
}
OperandLayout end_trapezoid(std::string rows, std::string columns, std::string uplo) {
  return {.form = Form::end_trapezoid, .rows = std::move(rows), .columns = std::move(columns), .uplo = std::move(uplo)};
}
OperandLayout hessenberg(std::string low, std::string high, std::string columns) {
  return {.form = Form::hessenberg,
          .rows = high,
          .columns = std::move(columns),
          .lower = low,
          .upper = fmt::format("max(0,({}) - ({}))", high, low)};
}
OperandLayout packed(std::string n, std::string uplo, std::string diag) {
  return {.form = Form::packed, .rows = std::move(n), .uplo = std::move(uplo), .diag = std::move(diag)};
}
OperandLayout band(std::string rows, std::string columns, std::string lower, std::string upper) {
  return {.form = Form::band, .rows = std::move(rows), .columns = std::move(columns), .lower = std::move(lower), .upper = std::move(upper)};
}
OperandLayout band_triangle(std::string n, std::string off_diagonals, std::string uplo, std::string diag) {
  return {.form = Form::band_triangle,
          .rows = std::move(n),
          .upper = std::move(off_diagonals),
          .uplo = std::move(uplo),
          .diag = std::move(diag)};
}
OperandLayout reflectors(std::string length, std::string count, std::string storev, std::string direct) {
  return {.form = Form::reflectors,
          .rows = std::move(length),
          .columns = std::move(count),
          .storev = std::move(storev),
          .direct = std::move(direct)};
}

OperandLayout OperandLayout::from(std::string first, std::string first_column) const {
  OperandLayout changed = *this;
  changed.offset = std::move(first);
  changed.column_offset = std::move(first_column);
  return changed;
}

Item Item::with(Fill fill) const {
  Item changed = *this;
  changed.argument.fill = fill;
  return changed;
}
Item Item::as_real() const {
  Item changed = *this;
  changed.argument.real = true;
  return changed;
}

Item Item::as_integer() const {
  Item changed = *this;
  changed.argument.integer = true;
  return changed;
}
Item Item::skipped(double value) const { return skipped(fmt::format("{}", value)); }
Item Item::skipped(std::string formula) const {
  Item changed = *this;
  changed.shape.skipped = std::move(formula);
  return changed;
}
Item Item::at_least(std::string rows) const {
  Item changed = *this;
  changed.shape.rows = std::move(rows);
  return changed;
}
Item Item::usually(std::string formula) const { return at_least(std::move(formula)); }

Item flag(std::string name, std::string values) {
  Item item = plain(std::move(name), Kind::flag);
  item.argument.values = std::move(values);
  return item;
}

Item uplo() { return flag("uplo", "LU"); }
Item side() { return flag("side", "LR"); }
Item diag() { return flag("diag", "NU"); }
Item sign(std::string name, std::string values) {
  Item item = plain(std::move(name), Kind::sign);
  item.argument.values = std::move(values);
  return item;
}
Item size(std::string name) { return plain(std::move(name), Kind::size); }
Item scalar(std::string name) { return plain(std::move(name), Kind::scalar); }
Item real_scalar(std::string name) { return plain(std::move(name), Kind::real_scalar); }
Item in(std::string name, OperandLayout shape) { return operand(std::move(name), Kind::data, Access::read, std::move(shape)); }
Item out(std::string name, OperandLayout shape) { return operand(std::move(name), Kind::data, Access::write, std::move(shape)); }
Item update(std::string name, OperandLayout shape) { return operand(std::move(name), Kind::data, Access::update, std::move(shape)); }
Item work(std::string name, OperandLayout shape) { return operand(std::move(name), Kind::work, Access::write, std::move(shape)); }
Item pivots(std::string name, OperandLayout shape, Access access) {
  return operand(std::move(name), Kind::pivots, access, std::move(shape));
}
Item ld(std::string name) { return plain(std::move(name), Kind::leading_dimension); }
Item inc(std::string name) { return plain(std::move(name), Kind::increment); }
Item work_size(std::string name, std::string suffices) {
  Item item = plain(std::move(name), Kind::work_size);
  item.shape.rows = std::move(suffices);
  return item;
}
Item info() { return plain("info", Kind::info); }
Item work_of_size() { return work("work", vec("max(1,lwork)")); }
Item block_work(const std::string& lines) { return work_size("lwork", "max(1,512*(" + lines + "))"); }

Entry Entry::requiring(std::vector<std::string> relations) const {
  Entry changed = *this;
  changed.constraints = std::move(relations);
  return changed;
}

std::vector<Entry::Name> names(std::string_view precisions, std::string_view family) {
  std::vector<Entry::Name> all;
  for (const char letter : precisions) {
    all.push_back({letter + std::string(family), static_cast<Precision>(letter)});
  }
  return all;
}

std::vector<Routine> routines(const Entry& entry) {
  if (entry.items.size() > Call::max_arguments) {
    throw internal_error("catalogue entry {} has {} arguments, at most {} are possible", entry.family, entry.items.size(),
                         Call::max_arguments);
  }
  std::vector<Routine> all;
  for (const Entry::Name& name : entry.names) {
    Routine routine;
    routine.name = name.name;
    routine.family = entry.family;
    routine.operation = entry.operation;
    routine.precision = name.precision;
    routine.returns = entry.returns;
    routine.double_result = entry.double_result;
    std::vector<std::string_view> argument_names;
    for (const Item& item : entry.items) {
      routine.arguments.push_back(item.argument);
      argument_names.emplace_back(item.argument.name);
    }
    for (std::size_t i = 0; i < entry.items.size(); ++i) {
      resolve(routine, i, entry.items[i].shape, argument_names);
    }
    for (const std::string& text : entry.constraints) {
      routine.constraints.push_back(constraint(text, argument_names));
    }
    routine.multiplications = compile(entry.multiplications, argument_names);
    routine.additions = compile(entry.additions, argument_names);
    all.push_back(std::move(routine));
  }
  return all;
}

}  // namespace flopcast::kernel
