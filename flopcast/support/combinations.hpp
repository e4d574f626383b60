#pragma once

#include <cstddef>
#include <limits>
#include <vector>

namespace flopcast {

/// Calls visit(chosen) for every combination of one element of each list, the last list changing fastest. `chosen[i]` is an element of
/// `lists[i]`. Without lists there is one combination, the empty one; with an empty list there is none.
template <class T, class Visit>
void for_each_combination(const std::vector<std::vector<T>>& lists, Visit&& visit) {
  std::vector<T> chosen;
  chosen.reserve(lists.size());
  const auto descend = [&](const auto& self, std::size_t depth) -> void {
    if (depth == lists.size()) {
      visit(static_cast<const std::vector<T>&>(chosen));
      return;
    }
    for (const T& value : lists[depth]) {
      chosen.push_back(value);
      self(self, depth + 1);
      chosen.pop_back();
    }
  };
  descend(descend, 0);
}

/// Returns all combinations of one element of each list, the last list changing fastest.
template <class T>
std::vector<std::vector<T>> combinations(const std::vector<std::vector<T>>& lists) {
  std::vector<std::vector<T>> all;
  for_each_combination(lists, [&](const std::vector<T>& chosen) { all.push_back(chosen); });
  return all;
}

/// Returns the number of combinations of one element of each list, or `max` if there are more.
template <class T>
std::size_t combination_count(const std::vector<std::vector<T>>& lists, std::size_t max = std::numeric_limits<std::size_t>::max()) {
  std::size_t count = 1;
  for (const std::vector<T>& list : lists) {
    if (list.empty()) {
      return 0;
    }
    count = count > max / list.size() ? max : count * list.size();
  }
  return count < max ? count : max;
}

}  // namespace flopcast
