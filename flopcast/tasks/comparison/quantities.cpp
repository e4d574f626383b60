#include "flopcast/tasks/comparison/quantities.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <functional>
#include <iterator>
#include <utility>

#include "flopcast/core/kernel_model.hpp"
#include "flopcast/core/sample.hpp"
#include "flopcast/kernel/catalogue.hpp"
#include "flopcast/model/model_json.hpp"
#include "flopcast/support/error.hpp"
#include "flopcast/support/json.hpp"
#include "flopcast/support/units.hpp"

namespace flopcast {

using nlohmann::json;

const std::vector<DocumentKind>& comparable_kinds() {
  static const std::vector<DocumentKind> all = {
      {"flopcast-race-1", {{"commands[name]", "elapsed_seconds", "elapsed_seconds_interval"}}},
      {"flopcast-tune-3",
       {{"parts[routine flags]/decisions[sizes]", "chosen.seconds", "chosen.interval"},
        {"parts[routine flags]/decisions[sizes]", "validation.chosen_seconds", "", "measured"}}},
      {"flopcast-tune-lapack-3",
       {{"routines[routine flags]/decisions[sizes]", "chosen.seconds", "chosen.interval"},
        {"routines[routine flags]/decisions[sizes]", "validation.chosen_seconds", "", "measured"}}},
      {"flopcast-rank-3", {{"places[blas threads]/decisions[sizes]/ranking[variant]", "seconds", "interval"}}},
      {"flopcast-predict-2", {{"predictions[algorithm sizes blocks]", "seconds", "interval"}}},
      {"flopcast-trace-summary-1", {{"", "all.seconds", "", "all kernels"}, {"kernels[kernel]", "seconds"}}},
      {"flopcast-recording-1",
       {{"", "seconds", "", "program"},
        {"", "call_seconds", "", "BLAS and LAPACK"},
        {"", "own_code_seconds", "", "own code"},
        {"routines[routine]", "seconds"}}},
      {"flopcast-program-profile-2",
       {{"", "seconds", "", "program"},
        {"", "all.seconds", "", "BLAS and LAPACK"},
        {"", "own_code_seconds", "", "own code"},
        {"routines[routine]", "seconds"},
        {"what_if[what_if]", "predicted_seconds", "interval", "predicted"}}},
      {"flopcast-diagnosis-1",
       {{"", "seconds", "", "program"}, {"", "call_seconds", "", "BLAS and LAPACK"}, {"", "own_code_seconds", "", "own code"}}},
      {"flopcast-scale-1",
       {{"", "seconds", "seconds_interval", "program"},
        {"", "call_seconds", "", "BLAS and LAPACK"},
        {"", "own_code_seconds", "own_code_seconds_interval", "own code"},
        {"kernels[routine flags sizes]", "seconds", "seconds_interval"}}},
      {"flopcast-program-tuning-1",
       {{"configurations[configuration]", "predicted_seconds", "predicted_seconds_interval", "predicted"},
        {"configurations[configuration]", "executed_seconds", "", "executed"},
        {"race.commands[name]", "elapsed_seconds", "elapsed_seconds_interval", "raced"}}},
      {"flopcast-samples-3", {{"samples[call cache]", "statistics.median", "statistics.median_interval_95"}}},
      {"flopcast-model-1", {}},
      {"flopcast-model-check-2",
       {{"kernels[key.routine key.flags key.cache]/points[sizes]", "seconds", "interval", "predicted"},
        {"kernels[key.routine key.flags key.cache]/points[sizes]", "wall_times", "", "measured"}}},
      {"flopcast-machine-2",
       {{"measured.levels[name]", "bandwidth", "", "bandwidth", "B/s"},
        {"measured.levels[name]", "latency_seconds", "", "latency"},
        {"", "measured.memory_bandwidth", "", "memory, bandwidth", "B/s"},
        {"", "measured.memory_latency_seconds", "", "memory, latency"},
        {"measured.dgemm_rates{}", "", "", "dgemm", "flop/s"},
        {"measured.peaks{}", "", "", "peak", "flop/s"}}},
      {"flopcast-contract-1",
       {{"algorithms[name]", "seconds", "interval_95", "predicted"}, {"algorithms[name]", "measured_seconds", "", "measured"}}},
      {"flopcast-contraction-1",
       {{"", "plan.seconds", "", "plan, predicted"}, {"", "times", "", "executions"}, {"steps[step]", "seconds", "", "predicted"}}},
      {"flopcast-layouts-1",
       {{"contractions[contraction]", "seconds", "", "predicted"},
        {"compared[orders]", "seconds", "", "predicted"},
        {"compared[orders]", "measured_seconds", "", "measured"}}},
      {"flopcast-mpi-profile-1",
       {{"", "elapsed_seconds", "", "program"},
        {"", "path.seconds", "", "critical path"},
        {"", "path.computation_seconds", "", "critical path, computation"},
        {"", "own_code_seconds", "", "critical path, own code"},
        {"", "path.communication_seconds", "", "critical path, communication"},
        {"", "path.idle_seconds", "", "critical path, idle"},
        {"processes[rank]", "computation_seconds", "", "computation"},
        {"kernels[kernel]", "executed", "", "one execution"}}},
      {"flopcast-mpi-tuning-1",
       {{"configurations[configuration]", "predicted_seconds", "half_width_seconds", "predicted"},
        {"configurations[configuration]", "full_path_seconds", "", "in full"}}},
      {"flopcast-mpi-simulation-1",
       {{"simulations[ranks]", "seconds"},
        {"simulations[ranks]", "path.computation_seconds", "", "computation"},
        {"simulations[ranks]", "path.communication_seconds", "", "communication"}}},
      {"flopcast-machine-description-1",
       {{"", "within_host.latency_seconds", "", "within a node, latency"},
        {"", "within_host.bytes_per_second", "", "within a node, bandwidth", "B/s"},
        {"", "between_hosts.latency_seconds", "", "between nodes, latency"},
        {"", "between_hosts.bytes_per_second", "", "between nodes, bandwidth", "B/s"}}},
      {roofline::schema, {}}};
  return all;
}

namespace {

/// Returns the member at a path such as "chosen.seconds", the object itself for an empty path; nullptr if it is missing or null.
const json* find(const json& object, std::string_view path) {
  if (path.empty()) {
    return &object;
  }
  const std::size_t dot = std::min(path.find('.'), path.size());
  const auto found = json_detail::members(object).find(std::string(path.substr(0, dot)));
  if (found == object.end() || found->is_null()) {
    return nullptr;
  }
  return at_place(found.key(), [&] { return find(*found, path.substr(std::min(dot + 1, path.size()))); });
}

}  // namespace

std::string value_text(const json& value) {
  if (value.is_string()) {
    return value.get<std::string>();
  }
  if (value.is_boolean()) {
    return value.get<bool>() ? "yes" : "no";
  }
  std::vector<std::string> parts;
  if (value.is_array()) {
    std::transform(value.begin(), value.end(), std::back_inserter(parts), value_text);
    const bool numbers = std::all_of(value.begin(), value.end(), [](const json& one) { return one.is_number(); });
    return fmt::format("{}", fmt::join(parts, numbers ? "x" : ", "));
  }
  if (value.is_object()) {
    for (const auto& [name, member] : value.items()) {
      parts.push_back(name + '=' + value_text(member));
    }
    return fmt::format("{}", fmt::join(parts, " "));
  }
  return value.is_null() ? "" : value.dump();
}

namespace {

/// Adds a part to a name unless one of them is empty.
std::string joined(const std::string& name, std::string_view part) {
  return fmt::format("{}{}{}", name, name.empty() || part.empty() ? "" : ", ", part);
}

/// A quantity's name and its parts.
struct Name {
  std::string text;
  Labels labels;

  /// Adds a part that isn't empty. Of a value such as "dgemm m=64 n=32", the words behind the first are labels of their own.
  void add(const std::string& label, const std::string& shown, const std::string& value) {
    if (value.empty()) {
      return;
    }
    text = joined(text, shown);
    const std::vector<std::string_view> words = split(value, ' ');
    const auto is_named = [](std::string_view word) { return std::count(word.begin(), word.end(), '=') == 1; };
    if (!std::all_of(words.begin() + 1, words.end(), is_named)) {
      labels[label] = value;
      return;
    }
    for (const std::string_view word : words) {
      const std::size_t equals = word.find('=');
      labels[is_named(word) ? std::string(word.substr(0, equals)) : label] = is_named(word) ? word.substr(equals + 1) : word;
    }
  }
};

/// Returns the sizes of an element as labels: an order, or the sizes of the routine of the element around it.
Labels size_labels(const json& sizes, const Labels& around) {
  std::vector<std::int64_t> values;
  read_value(sizes, values);
  const auto routine = around.find("routine");
  return values.size() == 1 ? Labels{{"n", std::to_string(values.front())}}
                            : kernel::named_sizes(routine == around.end() ? "" : routine->second, values);
}

/// Adds the values of the members `names` of an element. A number stands behind its member's name.
void add_names(Name& name, const json& element, std::string_view names) {
  while (!names.empty()) {
    const std::size_t end = std::min(names.find(' '), names.size());
    const std::string_view member = names.substr(0, end);
    names.remove_prefix(std::min(end + 1, names.size()));
    const json* value = find(element, member);
    if (value == nullptr) {
      continue;
    }
    const std::string label(member.substr(member.rfind('.') + 1)), text = value_text(*value);
    const bool has_numbers = value->is_array() && !value->empty() && value->front().is_number_integer();
    if (!has_numbers && !value->is_object()) {
      name.add(label, value->is_number() ? fmt::format("{} {}", member, text) : text, text);
      continue;
    }
    name.text = joined(name.text, text);
    if (has_numbers) {
      name.labels.merge(size_labels(*value, name.labels));
      continue;
    }
    for (const auto& [part, of_part] : value->items()) {
      name.labels[part] = value_text(of_part);
    }
  }
}

using Use = std::function<void(const json& element, const Name& name)>;

/// Calls use(element, name) for the elements at the end of QuantitySource::lists.
void for_elements(const json& object, std::string_view lists, const Name& name, const Use& use) {
  if (lists.empty()) {
    use(object, name);
    return;
  }
  const std::size_t end = std::min(lists.find('/'), lists.size()), names = lists.find_first_of("[{");
  const std::string member(lists.substr(0, names));
  const std::string_view rest = lists.substr(std::min(end + 1, lists.size()));
  const json* list = find(object, member);
  if (list == nullptr) {
    return;
  }
  at_place(member, [&] {
    if (lists[names] == '{') {
      for (const auto& [own, value] : json_detail::members(*list).items()) {
        at_place(own, [&, &label = own, &element = value] {
          Name below = name;
          below.add("name", label, label);
          for_elements(element, rest, below, use);
        });
      }
      return;
    }
    for (std::size_t i = 0; i < json_detail::elements(*list).size(); ++i) {
      at_place(json_detail::place(i), [&] {
        Name below = name;
        add_names(below, (*list)[i], lists.substr(names + 1, end - names - 2));
        for_elements((*list)[i], rest, below, use);
      });
    }
  });
}

/// Returns the number that `value` is, the median of numbers, or the mean of statistics, with its interval; nothing without numbers.
std::optional<Quantity> quantity_of(const json& value) {
  Quantity quantity;
  if (value.is_array()) {
    std::vector<double> numbers;
    read_value(value, numbers);
    if (numbers.empty()) {
      return std::nullopt;
    }
    quantity.value = median(numbers);
    quantity.interval = median_interval(numbers);
  } else if (value.is_object()) {
    const auto count = member<std::int64_t>(value, "count");
    if (count < 1 || value.value("mean", json()).is_null()) {
      return std::nullopt;
    }
    quantity.value = member<double>(value, "mean");
    if (count > 1 && !value.value("variance", json()).is_null()) {
      quantity.interval =
          Welford{count, quantity.value, member<double>(value, "variance") * static_cast<double>(count - 1)}.mean_interval(0.95);
    }
  } else {
    quantity.value = json_detail::number(value);
  }
  return quantity;
}

std::optional<Interval> interval_of(const json& value, double middle) {
  if (value.is_number()) {
    const double half = value.get<double>();
    return Interval{middle - half, middle + half};
  }
  return json_detail::elements(value).empty() ? std::nullopt
                                              : std::optional(Interval{element<double>(value, 0), element<double>(value, 1)});
}

void add_quantities(const json& document, const QuantitySource& source, std::vector<Quantity>& all) {
  for_elements(document, source.lists, {}, [&](const json& element, Name name) {
    const json* value = find(element, source.value);
    std::optional<Quantity> quantity =
        value == nullptr ? std::nullopt : at_place(std::string(source.value), [&] { return quantity_of(*value); });
    if (!quantity) {
      return;
    }
    if (const json* interval = source.interval.empty() ? nullptr : find(element, source.interval)) {
      quantity->interval = at_place(std::string(source.interval), [&] { return interval_of(*interval, quantity->value); });
    }
    name.add("quantity", std::string(source.label), std::string(source.label));
    quantity->what = std::move(name.text);
    quantity->labels = std::move(name.labels);
    quantity->unit = source.unit;
    all.push_back(std::move(*quantity));
  });
}

Labels labels_of(const ModelKey& key, const std::vector<std::int64_t>& sizes) {
  Labels labels = kernel::named_sizes(key.routine, sizes);
  labels.merge(Labels{{"routine", key.routine},
                      {"flags", key.flags},
                      {"scalars", key.scalars},
                      {"strides", key.strides},
                      {"cache", key.cache},
                      {"threads", std::to_string(key.threads)}});
  return labels;
}

/// Returns the times that a model expects in the middle and at the upper end of its domain, with intervals from the errors of its pieces.
std::vector<Quantity> model_quantities(const model::Model& model) {
  std::vector<Quantity> all;
  for (const model::Box& box : model.domain) {
    std::vector<std::int64_t> middle, high(box.high.begin(), box.high.end());
    std::transform(box.low.begin(), box.low.end(), box.high.begin(), std::back_inserter(middle),
                   [](std::int64_t from, std::int64_t to) { return from + (to - from) / 2; });
    for (const std::vector<std::int64_t>& sizes : {middle, high}) {
      const model::Estimate estimate = evaluate(model, sizes);
      const double half = normal_quantile(0.975) * estimate.relative_error * estimate.seconds;
      Quantity& one = all.emplace_back(Quantity{fmt::format("{}, {}", to_string(model.key), fmt::join(sizes, "x")), estimate.seconds,
                                                Interval{estimate.seconds - half, estimate.seconds + half}});
      one.labels = labels_of(model.key, sizes);
    }
  }
  return all;
}

/// Returns a library as text, without its path.
std::string library_text(const json& library) {
  std::string text;
  for (const char* part : {"name", "threading", "version", "kernels"}) {
    if (const std::string value = member_or(library, part, ""); !value.empty()) {
      text += (text.empty() ? "" : " ") + value;
    }
  }
  return text;
}

/// Returns whether a value is a list of objects: results, such as the kernels of an MPI program, and no setting.
bool has_parts(const json& value) { return value.is_array() && !value.empty() && value.front().is_structured(); }

/// Returns a setting as text; lists that aren't sizes, such as block sizes to choose from, with commas.
std::string setting_text(std::string_view name, const json& value) {
  if (!value.is_array() || name == "sizes") {
    return value_text(value);
  }
  std::vector<std::string> parts;
  std::transform(value.begin(), value.end(), std::back_inserter(parts), value_text);
  return fmt::format("{}", fmt::join(parts, ", "));
}

/// Adds the members of `object` that say where and how it was made.
void add_settings(const json& object, Settings& settings) {
  for (const char* name : {"cpu", "blas", "lapack", "threads", "kernels", "affinity", "cpus", "date", "mpi", "ranks", "clock", "policy",
                           "place", "command", "parameter", "huge_pages", "expression", "contraction", "sizes"}) {
    if (const json* value = find(object, name); value != nullptr && !has_parts(*value)) {
      const bool is_library = value->is_object() && value->contains("kernels");
      settings[name == std::string_view("cpu") ? "CPU" : name] = is_library ? library_text(*value) : setting_text(name, *value);
    }
  }
}

}  // namespace

Settings settings_of(const json& document) {
  Settings settings;
  for (const char* part : {"", "environment", "recorded", "machine", "topology"}) {
    if (const json* object = find(document, part); object != nullptr && object->is_object()) {  // the machine of a simulation may be a file
      add_settings(*object, settings);
    }
  }
  for_elements(document, "places[]", {}, [&settings](const json& place, const Name&) {
    if (const json* environment = find(place, "environment")) {
      add_settings(*environment, settings);
    }
  });
  if (const json* options = find(document, "options")) {
    for (const auto& [name, value] : json_detail::members(*options).items()) {
      if (name != "seed" && name != "time_budget" && name != "reference_seconds" && name != "threads" && name != "affinity") {
        settings[name] = setting_text(name, value);
      }
    }
  }
  return settings;
}

namespace {

/// Gives the second and further quantities of a name a number.
void number_names(std::vector<Quantity>& quantities) {
  std::map<std::string, int> seen;
  for (Quantity& quantity : quantities) {
    if (const int count = ++seen[quantity.what]; count > 1) {
      quantity.what += fmt::format(" ({})", count);
      quantity.labels["number"] = std::to_string(count);
    }
  }
}

}  // namespace

std::string without_number(std::string_view schema) { return std::string(schema.substr(0, schema.rfind('-'))); }

std::string schema_of(const json& document, const std::string& name) {
  const std::string schema = document.is_object() ? member_or(document, "schema", "") : "";
  if (!schema.starts_with("flopcast-")) {
    throw bad_input("{} is no flopcast document; expected the file that a command wrote with --json --output, or a page", name);
  }
  return schema;
}

namespace {

/// Returns the kind of a document, whatever its number.
const DocumentKind& kind_of(const json& document, const std::string& name) {
  const std::string schema = schema_of(document, name);
  const auto found = std::find_if(comparable_kinds().begin(), comparable_kinds().end(),
                                  [&](const DocumentKind& kind) { return without_number(kind.schema) == without_number(schema); });
  if (found == comparable_kinds().end()) {
    throw bad_input("{} can't be compared: documents of the kind {} hold no times or rates to compare", name, schema);
  }
  return *found;
}

}  // namespace

ComparedDocument read_compared(std::string_view text, const std::string& name) {
  const json document = parse_json(text, name);
  return in_document(name, [&] {
    const DocumentKind& kind = kind_of(document, name);
    require_schema(document, name, kind.schema);
    ComparedDocument read{name, std::string(kind.schema), {}, settings_of(document)};
    if (kind.schema == roofline::schema) {
      read.quantities = roofline_quantities(roofline::roofline_from_json(text, name), read.settings);
    } else if (kind.schema == model::model_schema) {
      read.quantities = model_quantities(document.get<model::Model>());
    }
    for (const QuantitySource& source : kind.sources) {
      add_quantities(document, source, read.quantities);
    }
    std::erase_if(read.quantities, [](const Quantity& one) { return !(one.value > 1e-100 && one.value < 1e100); });  // 0: not measured
    if (read.quantities.empty()) {
      throw bad_input("{} holds no times or rates to compare", name);
    }
    number_names(read.quantities);
    return read;
  });
}

}  // namespace flopcast
