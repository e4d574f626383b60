#include "flopcast/cli/scale/tables.hpp"

#include <fmt/format.h>

#include "flopcast/cli/shared/columns.hpp"
#include "flopcast/cli/shared/command_tables.hpp"
#include "flopcast/support/units.hpp"

namespace flopcast::cli {
namespace {

using Kernel = ScaledProgram::Kernel;

std::string range_text(const Interval& interval) {
  return fmt::format("{} to {}", format_seconds(interval.low), format_seconds(interval.high));
}

Columns<Kernel> kernel_columns() {
  Columns<Kernel> columns;
  columns.show<&Kernel::routine>();
  columns.show<&Kernel::flags>();
  columns.show<&Kernel::sizes>();
  columns.show<&Kernel::recorded_calls>();
  columns.show<&Kernel::calls>();
  columns.show<&Kernel::recorded>();
  columns.show<&Kernel::seconds>();
  columns.add(interval(shown<&Kernel::interval>("seconds", "its 95 % interval")),
              [](const Kernel& kernel) { return report::Cell(kernel.interval.low, kernel.interval.high, range_text(kernel.interval)); });
  columns.show<&Kernel::extrapolated_share>("", "extrapolated");
  return columns;
}

std::string footnote_of(const ScaledProgram& scaled) {
  std::string text = fmt::format("n = {}: {} ({}, 95 %)\n", scaled.parameter, format_seconds(scaled.seconds), range_text(scaled.interval));
  text += fmt::format("outside of BLAS and LAPACK: {} of it ({}; {}), in seconds {}\n", format_percent(scaled.own_code_share),
                      format_seconds(scaled.own_code_seconds), range_text(scaled.own_code_interval), scaled.own_code_formula);
  if (scaled.resident_bytes) {
    text += fmt::format("resident memory: {} at its peak ({} to {})\n", format_bytes(static_cast<double>(*scaled.resident_bytes)),
                        format_bytes(scaled.resident_interval->low), format_bytes(scaled.resident_interval->high));
  }
  for (const ScaledProgram::Recording& one : scaled.recordings) {
    text += fmt::format("recorded n = {}: {}, {} of it outside\n", one.parameter, format_seconds(one.seconds),
                        format_seconds(one.own_code_seconds));
  }
  return text;
}

}  // namespace

report::Table scale_table(const ScaledProgram& scaled) { return kernel_columns().table(scaled.kernels, footnote_of(scaled)); }

std::vector<TableColumns> scale_tables() { return {{"scale", kernel_columns().headings()}}; }

}  // namespace flopcast::cli
