#include "flopcast/contract/network/step_model.hpp"

#include <algorithm>
#include <iterator>
#include <map>
#include <utility>

namespace flopcast::contract {

TensorLayout make_layout(std::vector<LabelAxis> axes) {
  std::stable_sort(axes.begin(), axes.end(),
                   [](const LabelAxis& x, const LabelAxis& y) { return std::abs(x.stride) < std::abs(y.stride); });
  return {std::move(axes)};
}

namespace {

/// Returns a tensor's axes: labels longer than 1, with the sum of the strides of repeated labels.
std::vector<LabelAxis> axes_of(const NetworkTensor& tensor, const Network& network, const std::map<Label, int>& numbers) {
  std::vector<LabelAxis> axes;
  for (std::size_t i = 0; i < tensor.labels.size(); ++i) {
    if (network.extents.at(tensor.labels[i]) == 1) {
      continue;
    }
    const int label = numbers.at(tensor.labels[i]);
    const auto found = std::find_if(axes.begin(), axes.end(), [&](const LabelAxis& axis) { return axis.label == label; });
    if (found != axes.end()) {
      found->stride += tensor.strides[i];
    } else {
      axes.push_back({label, tensor.strides[i]});
    }
  }
  return axes;
}

Labels labels_of(const std::vector<LabelAxis>& axes) {
  Labels labels;
  for (const LabelAxis& axis : axes) {
    labels.push_back(axis.label);
  }
  std::sort(labels.begin(), labels.end());
  return labels;
}

}  // namespace

Terms terms_of(const Network& network) {
  Terms all;
  all.precision = network.precision;
  std::map<Label, int> numbers;
  for (const NetworkTensor& operand : network.operands) {
    for (const Label label : operand.labels) {
      if (network.extents.at(label) != 1 && numbers.emplace(label, static_cast<int>(all.names.size())).second) {
        all.names.push_back(label);
        all.extents.push_back(network.extents.at(label));
      }
    }
  }
  std::vector<int> uses(all.names.size(), 0);
  const std::vector<LabelAxis> output = axes_of(network.output, network, numbers);
  all.output = labels_of(output);
  all.output_layout = make_layout(output);
  for (const int label : all.output) {
    ++uses[static_cast<std::size_t>(label)];
  }
  for (const NetworkTensor& operand : network.operands) {
    const std::vector<LabelAxis> axes = axes_of(operand, network, numbers);
    all.terms.push_back({labels_of(axes), {}, make_layout(axes), operand.tensor, false});
    for (const int label : all.terms.back().labels) {
      ++uses[static_cast<std::size_t>(label)];
    }
  }
  for (NetworkTerm& term : all.terms) {
    const auto is_shared = [&](int label) { return uses[static_cast<std::size_t>(label)] > 1; };
    const auto first_summed = std::stable_partition(term.labels.begin(), term.labels.end(), is_shared);
    term.summed.assign(first_summed, term.labels.end());
    term.labels.erase(first_summed, term.labels.end());
  }
  return all;
}

Labels labels_of_product(const Terms& terms, const std::vector<int>& some) {
  Labels inside, outside = terms.output;
  for (std::size_t i = 0; i < terms.size(); ++i) {
    Labels& side = std::find(some.begin(), some.end(), static_cast<int>(i)) != some.end() ? inside : outside;
    side.insert(side.end(), terms.terms[i].labels.begin(), terms.terms[i].labels.end());
  }
  for (Labels* side : {&inside, &outside}) {
    std::sort(side->begin(), side->end());
    side->erase(std::unique(side->begin(), side->end()), side->end());
  }
  return both(inside, outside);
}

Terms part_of(const Terms& terms, const std::vector<int>& some) {
  Terms part{terms.precision, terms.names, terms.extents, {}, labels_of_product(terms, some), {}, true};
  for (const int number : some) {
    part.terms.push_back(terms.terms[static_cast<std::size_t>(number)]);
  }
  return part;
}

Labels both(const Labels& x, const Labels& y) {
  Labels result;
  std::set_intersection(x.begin(), x.end(), y.begin(), y.end(), std::back_inserter(result));
  return result;
}

Labels either(const Labels& x, const Labels& y) {
  Labels result;
  result.reserve(x.size() + y.size());
  std::set_union(x.begin(), x.end(), y.begin(), y.end(), std::back_inserter(result));
  return result;
}

Labels without(const Labels& x, const Labels& y) {
  Labels result;
  std::set_difference(x.begin(), x.end(), y.begin(), y.end(), std::back_inserter(result));
  return result;
}

bool share_labels(const Labels& x, const Labels& y) {
  for (auto i = x.begin(), j = y.begin(); i != x.end() && j != y.end();) {
    if (*i == *j) {
      return true;
    }
    *i < *j ? ++i : ++j;
  }
  return false;
}

bool has_label(const Labels& labels, int label) { return std::binary_search(labels.begin(), labels.end(), label); }

}  // namespace flopcast::contract
