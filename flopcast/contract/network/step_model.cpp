#include "flopcast/contract/network/step_model.hpp"

#include <cmath>
#include <limits>
#include <map>

namespace flopcast::contract {
namespace {

StepRole role_in(bool in_a, bool in_b, bool in_c) {
  if (in_a && in_b) {
    return in_c ? StepRole::batch : StepRole::sums;
  }
  return in_a ? StepRole::rows : StepRole::columns;
}

void add_to(PairStep& step, StepRole role, double extent) {
  switch (role) {
    case StepRole::rows: step.rows *= extent; break;
    case StepRole::columns: step.columns *= extent; break;
    case StepRole::sums:
      step.sums *= extent;
      ++step.sum_labels;
      break;
    case StepRole::batch: step.batch *= extent; break;
    case StepRole::none: break;
  }
}

}  // namespace

StepModel::StepModel(const Terms& terms, const StepCost& cost)
    : terms_(&terms),
      cost_(&cost),
      lengths_(terms.extents),
      blocks_(terms.extents.size(), 1),
      element_bytes_(static_cast<double>(element_bytes(terms.precision))),
      room_bytes_(std::numeric_limits<double>::infinity()) {}

void StepModel::set_block(int label, std::int64_t length) {
  const auto i = static_cast<std::size_t>(label);
  lengths_[i] = length;
  blocks_[i] = std::ceil(static_cast<double>(terms_->extents[i]) / static_cast<double>(length));
}

double StepModel::elements(const Labels& labels) const {
  double elements = 1;
  for (const int label : labels) {
    elements *= length(label);
  }
  return elements;
}

double StepModel::bytes(const Labels& labels) const { return element_bytes_ * elements(labels); }

double StepModel::penalty(double bytes) const {
  constexpr double of_any_excess = 100;
  return bytes <= room_bytes_ ? 1 : of_any_excess * (bytes / room_bytes_) * (bytes / room_bytes_);
}

PairStep StepModel::shape(const StepTensor& a, const StepTensor& b, const StepTensor& c) const {
  PairStep step;
  const auto role_of = [&](int label) {
    return role_in(has_label(*a.labels, label), has_label(*b.labels, label), has_label(*c.labels, label));
  };
  for (const int label : *a.labels) {
    add_to(step, role_of(label), length(label));
  }
  for (const int label : *b.labels) {
    if (!has_label(*a.labels, label)) {
      add_to(step, StepRole::columns, length(label));
    }
  }
  const auto access = [&](const StepTensor& tensor) {
    return tensor.layout == nullptr ? ElementAccess() : access_of(*tensor.layout, lengths_, role_of);
  };
  step.a = access(a);
  step.b = access(b);
  step.c = access(c);
  return step;
}

SumStep StepModel::shape(const TensorLayout& a, const Labels& result) const {
  SumStep step;
  const auto role_of = [&](int label) { return has_label(result, label) ? StepRole::rows : StepRole::sums; };
  for (const LabelAxis& axis : a.axes) {
    (has_label(result, axis.label) ? step.kept : step.summed) *= length(axis.label);
  }
  step.a = access_of(a, lengths_, role_of);
  return step;
}

Seconds StepModel::seconds(const StepTensor& a, const StepTensor& b, const StepTensor& c, bool is_output) const {
  double repetitions = 1;
  for (const int label : *a.labels) {
    repetitions *= blocks(label);
  }
  for (const int label : *b.labels) {
    repetitions *= has_label(*a.labels, label) ? 1 : blocks(label);
  }
  return repetitions * cost_->seconds(shape(a, b, c)) * (is_output ? 1 : penalty(bytes(*c.labels)));
}

Seconds StepModel::seconds_of_sum(const NetworkTerm& term) const {
  if (term.summed.empty()) {
    return 0;
  }
  double repetitions = 1;
  for (const int label : term.labels) {
    repetitions *= blocks(label);
  }
  return repetitions * cost_->seconds(shape(term.layout, term.labels));
}

std::optional<SubNetwork> SubNetwork::make(const StepModel& model, std::span<const StepTensor> tensors, const StepTensor& output,
                                           bool is_output) {
  SubNetwork sub;
  sub.model_ = &model;
  sub.is_output_ = is_output;
  sub.element_bytes_ = static_cast<double>(element_bytes(model.terms().precision));
  sub.number_of_.assign(model.terms().extents.size(), -1);
  std::map<std::vector<std::size_t>, int> numbers;  // by the tensors that have a label
  std::map<int, std::vector<std::size_t>> users;
  for (std::size_t i = 0; i < tensors.size(); ++i) {
    for (const int label : *tensors[i].labels) {
      users[label].push_back(i);
    }
  }
  for (const int label : *output.labels) {
    users[label].push_back(tensors.size());
  }
  for (const auto& [label, of_label] : users) {
    const auto [found, is_new] = numbers.emplace(of_label, static_cast<int>(numbers.size()));
    if (is_new) {
      sub.lengths_.push_back(1);
      sub.blocks_.push_back(1);
    }
    sub.number_of_[static_cast<std::size_t>(label)] = found->second;
    sub.lengths_[static_cast<std::size_t>(found->second)] *= model.length(label);
    sub.blocks_[static_cast<std::size_t>(found->second)] *= model.blocks(label);
  }
  if (numbers.size() > LabelSet::capacity) {
    return std::nullopt;
  }
  const auto set_of = [&](const Labels& labels) {
    LabelSet set;
    for (const int label : labels) {
      set.insert(static_cast<std::size_t>(sub.number_of_[static_cast<std::size_t>(label)]));
    }
    return set;
  };
  for (const StepTensor& tensor : tensors) {
    sub.terms_.push_back(set_of(*tensor.labels));
    sub.layouts_.push_back(tensor.layout);
  }
  sub.output_ = set_of(*output.labels);
  sub.output_layout_ = output.layout;
  return sub;
}

ElementAccess SubNetwork::access(const LabelledTensor& tensor, const LabelledTensor& a, const LabelledTensor& b,
                                 const LabelledTensor& c) const {
  if (tensor.layout == nullptr) {
    return {};
  }
  return access_of(*tensor.layout, model_->lengths(), [&](int label) {
    const auto number = static_cast<std::size_t>(number_of_[static_cast<std::size_t>(label)]);
    return role_in(a.labels.has(number), b.labels.has(number), c.labels.has(number));
  });
}

Seconds SubNetwork::seconds(const LabelledTensor& a, const LabelledTensor& b, const LabelledTensor& c, bool is_last, Seconds below) const {
  PairStep step;
  double repetitions = 1;
  (a.labels | b.labels).for_each([&](std::size_t label) {
    add_to(step, role_in(a.labels.has(label), b.labels.has(label), c.labels.has(label)), lengths_[label]);
    repetitions *= blocks_[label];
  });
  const bool has_limit = !(is_last && is_output_);
  const double factor = repetitions * (has_limit ? model_->penalty(step.elements_of_c() * element_bytes_) : 1);
  if (factor * model_->cost().at_least(step) >= below) {
    return std::numeric_limits<Seconds>::infinity();
  }
  step.a = access(a, a, b, c);
  step.b = access(b, a, b, c);
  step.c = access(c, a, b, c);
  const Seconds seconds = factor * model_->cost().seconds(step);
  return seconds < below ? seconds : std::numeric_limits<Seconds>::infinity();
}

}  // namespace flopcast::contract
