#pragma once

#include <CLI/CLI.hpp>

#include <string>

namespace flopcast::cli {

/// CLI11's help without what readers stumble over: exclusions, types beside the values that they allow, repeated dots and blank lines,
/// lines that are longer than a terminal is wide.
class HelpFormatter : public CLI::Formatter {
 public:
  HelpFormatter() { column_width(34); }
  std::string make_option_opts(const CLI::Option* option) const override;
  std::string make_option_desc(const CLI::Option* option) const override;
  std::string make_help(const CLI::App* app, std::string name, CLI::AppFormatMode mode) const override;
};

}  // namespace flopcast::cli
