#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "flopcast/support/error.hpp"

/// Parts that all programs for gnuplot share. The unit of length is 1/440 of a picture's width, so that texts are readable when a picture is as wide
/// as one column of a paper (8.5 cm).
namespace flopcast::report {

inline constexpr double canvas_width = 440;

/// Returns a string literal of gnuplot in which no character has a special meaning.
std::string gnuplot_string(std::string_view text);

/// Returns `text` in lines that are at most `widest` units wide in labels of 11 points.
std::vector<std::string> lines_of(const std::string& text, double widest);

/// Returns the commands that choose a terminal ("svg", "pngcairo", "pdfcairo") for a picture of this height, and the colours of lines.
std::string terminal_commands(std::string_view terminal, double height);

/// Returns the height of a picture's title, and the command that writes the title at the upper end of a picture of this height.
double title_height(std::string_view title);
std::string title_command(std::string_view title, double picture_height);

/// A legend at the lower end of a picture, in as many columns as fit. gnuplot's own legends have places and sizes that nobody can foresee.
class Legend {
 public:
  enum class Mark : unsigned char { line, dashed_line, points, box, none };
  struct Entry {
    std::string title;  ///< entries without a title are left out
    std::size_t color;
    Mark mark;
  };

  explicit Legend(std::vector<Entry> entries);
  [[nodiscard]] double height() const;
  /// Returns the commands for a picture of this height with the legend `above` its lower edge.
  [[nodiscard]] std::string commands(double picture_height, double above) const;

 private:
  std::vector<Entry> entries_;
  std::size_t columns_ = 1, rows_ = 0;
};

/// Returns gnuplot's standard output for `script`. Throws environment_error if gnuplot is missing or fails.
std::string run_gnuplot(const std::string& script);

/// Throws environment_error if gnuplot is missing.
void require_gnuplot();

}  // namespace flopcast::report
