#pragma once

#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "flopcast/report/table.hpp"

namespace flopcast::report {

/// Returns the table with a column for each name in `values` in place of the column whose heading in CSV is `heading`. Such a column has
/// several values in a cell, such as sizes, and a cell of CSV has one. `values` has the values of each row by their names, for all rows. Names that are
/// headings of the table already get `heading` and a dot before them. A table without the column stays as it is.
Table spread(Table table, std::string_view heading, const std::vector<std::map<std::string, std::string>>& values);

/// Returns spread() with the values that `member` of each element has.
template <class Element>
Table spread(Table table, std::string_view heading, const std::vector<Element>& elements,
             std::map<std::string, std::string> Element::*member) {
  std::vector<std::map<std::string, std::string>> values;
  for (const Element& element : elements) {
    values.push_back(element.*member);
  }
  return spread(std::move(table), heading, values);
}

}  // namespace flopcast::report
