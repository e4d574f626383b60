#pragma once

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

namespace flopcast {

/// Adds a finding unless it is there already.
inline void add_once(std::vector<std::string>& findings, std::string finding) {
  if (std::find(findings.begin(), findings.end(), finding) == findings.end()) {
    findings.push_back(std::move(finding));
  }
}

}  // namespace flopcast
