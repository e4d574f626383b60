#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "flopcast/report/picture.hpp"
#include "flopcast/report/table.hpp"

namespace flopcast::report {

/// How far a reader can trust an answer.
enum class Trust : unsigned char { unknown, quiet, noisy, unusable };

/// One self-contained HTML page: headings, paragraphs, tables and pictures one after the other, for wide and narrow windows. In a narrow
/// window every row of a table is a list. The page loads nothing and follows the reader's choice of a light or dark scheme. Without script
/// pictures are SVG and tables plain; with script pictures have hover and zoom, and tables sort and filter. All texts are plain; characters
/// that HTML would read as markup are escaped.
class Page {
 public:
  explicit Page(std::string title) : title_(std::move(title)) {}

  /// Adds the heading of one of several documents on a page. The page begins with a list of the headings and answers.
  void add_part(std::string_view text, std::string_view answer);
  void add_heading(std::string_view text);
  /// Adds the answer in one sentence, set apart, and how far to trust it.
  void add_answer(std::string_view text, Trust trust);
  /// Adds a warning, set apart, for facts that the reader must know before believing the rest.
  void add_warning(std::string_view text);
  /// Adds a step of what to do now: a sentence, and the command that does it (empty: none), ready to be copied.
  void add_step(std::string_view text, std::string_view command);
  /// Adds facts as pairs of name and value, such as a date.
  void add_facts(const std::vector<std::pair<std::string, std::string>>& facts);
  /// Adds a table that sorts and filters; below it a list, which the reader opens, has the meanings of the columns.
  void add_table(const Table& table);
  /// Adds a table of secondary values, which the reader opens by a click on its title.
  void add_folded_table(std::string_view title, const Table& table);
  void add_picture(const Picture& picture);
  /// Embeds a document (JSON), which embedded_documents() and Python read back; `name` is its file's or its kind's.
  void add_document(std::string_view name, std::string_view json);

  [[nodiscard]] std::string html() const;

 private:
  std::string title_;
  std::string contents_;  ///< list of the parts
  std::string body_;
  int tables_ = 0;
  int parts_ = 0;  ///< headings within parts are one level lower
};

/// Returns the documents that a page of html() embeds, as pairs of name and JSON; nothing if `text` isn't such a page. Throws bad_input for
/// a page that is cut off.
std::vector<std::pair<std::string, std::string>> embedded_documents(std::string_view text);

/// Returns `text` escaped for HTML's content and attribute values; bytes that aren't valid UTF-8 and control characters become U+FFFD.
std::string html_escaped(std::string_view text);

}  // namespace flopcast::report
