#include "flopcast/python/einsum_function.hpp"

#include <algorithm>
#include <cstdlib>
#include <numeric>
#include <set>
#include <string>
#include <utility>

#include "flopcast/contract/notation/expression.hpp"
#include "flopcast/python/python_lock.hpp"
#include "flopcast/support/error.hpp"
#include "flopcast/support/stopwatch.hpp"

namespace flopcast::python {

namespace py = pybind11;

namespace {

constexpr double numpy_rate = 1e10;       // products per second that NumPy is assumed to reach with BLAS
constexpr double naively_computed = 2e4;  // products for which NumPy's search of an order takes longer than the products

/// Returns whether the named argument `name` is text `expected`.
bool is_named(PyObject* name, const char* expected) { return PyUnicode_CompareWithASCIIString(name, expected) == 0; }

/// Gives operands that are the same array equal numbers.
std::vector<int> numbers_of(std::span<PyObject* const> operands) {
  std::vector<int> numbers;
  for (std::size_t i = 0; i < operands.size(); ++i) {
    const ArrayView own(operands[i]);
    const auto same = [&](PyObject* other) {
      const ArrayView view(other);
      return view.data() == own.data() && view.type() == own.type() && std::ranges::equal(view.shape(), own.shape()) &&
             std::ranges::equal(view.strides(), own.strides());
    };
    numbers.push_back(static_cast<int>(std::find_if(operands.begin(), operands.end(), same) - operands.begin()));
  }
  return numbers;
}

/// Returns the type that all arrays have, nothing if they differ or aren't as the CPU reads them.
std::optional<int> common_type(std::span<PyObject* const> operands, PyObject* out) {
  const int type = ArrayView(operands.front()).type();
  const auto differs = [type](PyObject* array) { return ArrayView(array).type() != type || !ArrayView(array).is_native(); };
  return std::any_of(operands.begin(), operands.end(), differs) || (out != nullptr && differs(out)) ? std::nullopt : std::optional(type);
}

/// Returns whether NumPy reads these subscripts, too.
bool is_numpys_notation(const std::string& text) {
  return std::all_of(text.begin(), text.end(), [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || std::string_view(" ,.->").find(c) != std::string_view::npos;
  });
}

std::uint64_t hash_of(PyObject* text, const Signature& signature) {
  return signature.hash() ^ static_cast<std::uint64_t>(PyObject_Hash(text));  // a text keeps its hash
}

/// Returns a text in UTF-8. Throws Python's UnicodeEncodeError for halves of surrogate pairs.
std::string text_of(PyObject* unicode) {
  Py_ssize_t bytes = 0;
  const char* const begin = PyUnicode_AsUTF8AndSize(unicode, &bytes);
  if (begin == nullptr) {
    throw py::error_already_set();
  }
  return {begin, static_cast<std::size_t>(bytes)};
}

/// Returns the number of products of elements, of all operands at once.
double products_of(const contract::SizedExpression& expression) {
  double products = 1;
  for (const auto& [label, extent] : expression.extents) {
    products *= static_cast<double>(extent);
  }
  return products;
}

/// Returns whether a label is in both operands and in the result, so that NumPy can't call BLAS.
bool has_batch(const contract::SizedExpression& expression) {
  const auto& kept = expression.result.labels;
  return std::any_of(kept.begin(), kept.end(), [&](contract::Label label) {
    return std::all_of(expression.operands.begin(), expression.operands.end(), [&](const contract::Subscripts& subscripts) {
      return std::find(subscripts.labels.begin(), subscripts.labels.end(), label) != subscripts.labels.end();
    });
  });
}

/// Returns whether NumPy may compute a contraction of two operands faster than a plan: it does few products for each number that it reads
/// or writes, or not many and all of them by BLAS.
bool may_be_faster_by_numpy(const contract::SizedExpression& expression, double products) {
  double largest = 1;
  const auto measure = [&](const contract::Subscripts& subscripts) {
    double elements = 1;
    for (const contract::Label label : std::set<contract::Label>(subscripts.labels.begin(), subscripts.labels.end())) {
      elements *= static_cast<double>(expression.extent(label));
    }
    largest = std::max(largest, elements);
  };
  std::for_each(expression.operands.begin(), expression.operands.end(), measure);
  measure(expression.result);
  constexpr double few = 2, not_many = 32;
  return expression.operands.size() == 2 && products <= (has_batch(expression) ? few : not_many) * largest;
}

bool has_repeated_labels(const contract::Subscripts& subscripts) {
  return std::set<contract::Label>(subscripts.labels.begin(), subscripts.labels.end()).size() < subscripts.labels.size();
}

/// Returns whether an expression of one operand sums nothing, so that NumPy returns a view.
bool is_view(const contract::SizedExpression& expression) {
  const auto& kept = expression.result.labels;
  const auto& labels = expression.operands.front().labels;
  return expression.operands.size() == 1 && !expression.operands.front().conjugated && !expression.result.conjugated &&
         std::all_of(labels.begin(), labels.end(), [&](auto label) { return std::find(kept.begin(), kept.end(), label) != kept.end(); });
}

/// Returns whether a plan can write to `out`: it has the result's shape, and no two of its elements share memory.
bool fits(PyObject* out, const contract::SizedExpression& expression, Precision precision) {
  const ArrayView view(out);
  return std::ranges::equal(view.shape(), expression.result_shape()) &&
         !overlaps_itself(view.shape(), view.strides(), element_bytes(precision));
}

/// Returns whether two arrays with elements of `element_bytes` bytes span common bytes.
bool may_overlap(PyObject* one, PyObject* other, std::int64_t element_bytes) {
  const MemoryBounds x = bounds_of(one, element_bytes), y = bounds_of(other, element_bytes);
  return x.first < y.last && y.first < x.last;
}

/// Returns whether an array has more elements than the memory that they span has room for: sliding windows, or a repeated element.
bool exceeds_its_memory(PyObject* array, std::int64_t element_bytes) {
  double bytes = static_cast<double>(element_bytes);
  for (const py::ssize_t size : ArrayView(array).shape()) {
    bytes *= static_cast<double>(size);
  }
  const MemoryBounds bounds = bounds_of(array, element_bytes);
  return bytes > static_cast<double>(bounds.last - bounds.first);
}

/// Returns the bytes of memory that the operands span and that a dense result takes.
double spanned_bytes(std::span<PyObject* const> operands, const contract::SizedExpression& expression, Precision precision) {
  double bytes = static_cast<double>(element_bytes(precision));
  for (const std::int64_t size : expression.result_shape()) {
    bytes *= static_cast<double>(size);
  }
  for (PyObject* operand : operands) {
    const MemoryBounds bounds = bounds_of(operand, element_bytes(precision));
    bytes += static_cast<double>(bounds.last - bounds.first);
  }
  return bytes;
}

/// Returns the strides of a dense array whose axes lie in memory as those of `array` do, in bytes.
std::vector<py::ssize_t> dense_strides_like(PyObject* array, std::int64_t element_bytes) {
  const ArrayView view(array);
  std::vector<std::size_t> axes(view.shape().size());
  std::iota(axes.rbegin(), axes.rend(), 0);
  std::ranges::stable_sort(axes, {}, [&](std::size_t axis) { return std::abs(view.strides()[axis]); });
  std::vector<std::int64_t> strides = dense_strides({view.shape().begin(), view.shape().end()}, axes);
  std::ranges::transform(strides, strides.begin(), [&](std::int64_t stride) { return stride * element_bytes; });
  return {strides.begin(), strides.end()};
}

/// Returns whether the axes of more than one element have these strides.
bool lies_as(PyObject* array, const NewResult& result) {
  const ArrayView view(array);
  for (std::size_t axis = 0; axis < result.strides.size(); ++axis) {
    if (view.shape()[axis] > 1 && view.strides()[axis] != result.strides[axis]) {
      return false;
    }
  }
  return true;
}

/// Strides of all operands along one label, in any unit; 0 in an operand that doesn't change along the label.
using StridesAlong = std::vector<std::int64_t>;

StridesAlong strides_along(const contract::SizedExpression& expression, const std::vector<std::vector<std::int64_t>>& strides,
                           contract::Label label) {
  StridesAlong along(expression.operands.size());
  const std::int64_t extent = expression.extent(label);
  for (std::size_t t = 0; t < along.size() && extent != 1; ++t) {
    const auto& labels = expression.operands[t].labels;
    for (std::size_t axis = 0; axis < labels.size(); ++axis) {
      along[t] += labels[axis] == label && expression.shapes[t][axis] == extent ? strides[t][axis] : 0;
    }
  }
  return along;
}

/// The order of two labels in memory.
enum class Nesting : std::uint8_t { unknown, inside, outside };

/// Returns how a label lies to another one that is further inside so far. Operands that have both decide; if they disagree, nothing changes.
Nesting nesting(const StridesAlong& label, const StridesAlong& other) {
  Nesting result = Nesting::unknown;
  for (std::size_t t = 0; t < label.size(); ++t) {
    if (label[t] == 0 || other[t] == 0) {
      continue;
    }
    if (std::abs(other[t]) <= std::abs(label[t])) {
      return Nesting::outside;
    }
    result = Nesting::inside;
  }
  return result;
}

}  // namespace

/// Labels are sorted by their strides in the operands. Where the strides don't tell, labels keep their order: those of the result, then those
/// that are summed.
std::vector<std::size_t> kept_axes(const contract::SizedExpression& expression, const std::vector<std::vector<std::int64_t>>& strides) {
  const std::vector<contract::Label>& kept = expression.result.labels;
  std::vector<contract::Label> labels = kept;
  for (const auto& [label, extent] : expression.extents) {
    if (std::find(kept.begin(), kept.end(), label) == kept.end()) {
      labels.push_back(label);
    }
  }
  std::vector<std::pair<contract::Label, StridesAlong>> sorted;  // from the innermost outwards
  for (auto label = labels.rbegin(); label != labels.rend(); ++label) {
    StridesAlong along = strides_along(expression, strides, *label);
    std::size_t place = sorted.size();
    for (std::size_t i = sorted.size(); i-- > 0;) {
      const Nesting found = nesting(along, sorted[i].second);
      if (found == Nesting::outside) {
        break;
      }
      place = found == Nesting::inside ? i : place;
    }
    sorted.insert(sorted.begin() + static_cast<std::ptrdiff_t>(place), {*label, std::move(along)});
  }
  std::vector<std::size_t> axes;
  for (auto label = sorted.rbegin(); label != sorted.rend(); ++label) {
    if (const auto found = std::find(kept.begin(), kept.end(), label->first); found != kept.end()) {
      axes.push_back(static_cast<std::size_t>(found - kept.begin()));
    }
  }
  return axes;
}

EinsumFunction::EinsumFunction(std::shared_ptr<Planner> planner, NumpysFunctions numpy, bool is_row_major)
    : planner_(std::move(planner)), numpy_(std::move(numpy)), is_row_major_(is_row_major) {}

/// Returns the search that a value of `optimize` names, or nothing if the order of operands isn't left to the plan.
std::optional<EinsumFunction::Search> EinsumFunction::search_named(PyObject* optimize) const {
  const auto is_text = [&](const char* name) { return PyUnicode_CheckExact(optimize) && is_named(optimize, name); };
  if (is_text("flopcast")) {
    return Search::any;
  }
  if (optimize == Py_False) {
    return Search::none;
  }
  const bool is_greedy = optimize == Py_True || is_text("greedy");
  if (numpy_.searched_axes.is_none() || !(is_greedy || is_text("optimal"))) {
    return std::nullopt;
  }
  return is_greedy ? Search::greedy : Search::optimal;
}

/// Returns the call if its arguments are a text and arrays, and nothing but `out` and `optimize` is named. A plan has an order of its own
/// unless `optimize` is a list.
std::optional<EinsumFunction::EinsumCall> EinsumFunction::plain_call(const Arguments& arguments) const {
  if (arguments.positional.size() < 2 || !PyUnicode_CheckExact(arguments.positional.front())) {
    return std::nullopt;
  }
  EinsumCall call{arguments.positional.front(), arguments.positional.subspan(1)};
  if (!std::all_of(call.operands.begin(), call.operands.end(), is_array)) {
    return std::nullopt;
  }
  for (std::size_t i = 0; i < arguments.named.size(); ++i) {
    PyObject* const name = PyTuple_GET_ITEM(arguments.names, static_cast<Py_ssize_t>(i));
    PyObject* const value = arguments.named[i];
    if (is_named(name, "out") && (value == Py_None || is_array(value))) {
      call.out = value == Py_None ? nullptr : value;
    } else if (const auto search = is_named(name, "optimize") ? search_named(value) : std::nullopt) {
      call.search = *search;
      call.names_optimize = true;
    } else {
      return std::nullopt;
    }
  }
  return call;
}

/// Adds all that a plan of the call depends on but its subscripts. Returns false if the arrays have too many axes, or `out` is read-only.
bool EinsumFunction::sign(const EinsumCall& call, Signature& signature) const {
  for (PyObject* array : call.operands) {
    if (!signature.add(array)) {
      return false;
    }
  }
  if (call.out != nullptr && !(ArrayView(call.out).is_writable() && signature.add(call.out))) {
    return false;
  }
  if (call.operands.size() > 2) {
    for (const int number : numbers_of(call.operands)) {
      signature.put(number);
    }
  }
  constexpr std::int64_t per_operand = 4096, per_search = per_operand * 1024;
  const auto operands = static_cast<std::int64_t>(call.operands.size());
  signature.put((call.out != nullptr ? -1 : 1) *
                (threads_of(call) + per_operand * operands + per_search * static_cast<std::int64_t>(call.search)));
  return true;
}

/// Returns the strides of a new result in elements, in the order in memory that NumPy's result has. Throws what Python's functions raise.
std::vector<std::int64_t> EinsumFunction::new_strides(const EinsumCall& call, const contract::SizedExpression& expression,
                                                      const std::vector<std::vector<std::int64_t>>& strides) const {
  if (is_row_major_) {
    return row_major_strides(expression.result_shape());
  }
  std::vector<std::size_t> axes;
  if (makes_numbers(call)) {
    axes = kept_axes(expression, strides);
  } else {
    py::tuple arrays(call.operands.size());
    for (std::size_t i = 0; i < call.operands.size(); ++i) {
      arrays[i] = py::handle(call.operands[i]);
    }
    const char* const optimize = call.search == Search::greedy ? "greedy" : "optimal";
    for (const py::handle axis : numpy_.searched_axes(py::handle(call.subscripts), arrays, optimize)) {
      axes.push_back(py::cast<std::size_t>(axis));
    }
  }
  std::ranges::reverse(axes);
  return dense_strides(expression.result_shape(), axes);
}

/// Sets the strides with which an expression is planned. Returns false if arrays have strides that are no multiples of an element.
bool EinsumFunction::set_strides(PlanWish& wish, const EinsumCall& call, const contract::SizedExpression& expression) const {
  for (PyObject* operand : call.operands) {
    auto own = strides_in_elements(operand, wish.request.precision);
    if (!own) {
      return false;
    }
    wish.strides.push_back(*std::move(own));
  }
  wish.result_strides = call.out != nullptr ? strides_in_elements(call.out, wish.request.precision)
                                            : std::optional(new_strides(call, expression, wish.strides));
  return wish.result_strides.has_value();
}

/// Returns the choice for an expression of a type that is planned, if no plan is needed for it.
std::optional<EinsumFunction::Choice> EinsumFunction::choose_without_plan(const EinsumCall& call,
                                                                          const contract::SizedExpression& expression, Precision precision,
                                                                          bool needs_tools) {
  const bool makes_view = is_view(expression) && call.out == nullptr;
  if (makes_view || has_repeated_labels(expression.result) || (call.out != nullptr && !fits(call.out, expression, precision))) {
    return Choice{makes_view && is_numpys_notation(text_of(call.subscripts)) ? Way::numpy : Way::elsewhere};
  }
  constexpr std::size_t most_axes = 32;  // of NumPy before version 2
  if (call.search == Search::none && expression.extents.size() > most_axes) {
    return Choice{};  // NumPy refuses these without a search, or not
  }
  const double products = products_of(expression);
  if (needs_tools && !planner_->pays(0, products / numpy_rate)) {
    return Choice{products <= naively_computed && is_numpys_notation(text_of(call.subscripts)) ? Way::numpy : Way::elsewhere, true};
  }
  return std::nullopt;
}

/// Returns the choice for an expression of a type that is planned.
EinsumFunction::Choice EinsumFunction::choose_for_type(const EinsumCall& call, Precision precision) {
  PlanWish wish = {text_of(call.subscripts), shapes_of(call.operands)};
  const contract::SizedExpression expression = sized_expression(wish.subscripts, wish.shapes);
  constexpr double few = 216;  // products that are computed without BLAS (contract/einsum)
  const double products = products_of(expression);
  const bool needs_tools = expression.operands.size() > 2 || (expression.operands.size() == 2 && products > few);
  if (std::optional<Choice> made = choose_without_plan(call, expression, precision, needs_tools)) {
    return *std::move(made);
  }
  PlanRequest& options = wish.request;
  options.precision = precision;
  options.threads = threads_of(call);
  if (!set_strides(wish, call, expression)) {
    return {};
  }
  const bool has_more_than_memory =
      std::ranges::any_of(call.operands, [&](PyObject* operand) { return exceeds_its_memory(operand, element_bytes(precision)); });
  if (call.operands.size() > 2) {
    options.tensors = numbers_of(call.operands);
    if (has_more_than_memory) {
      options.max_bytes = spanned_bytes(call.operands, expression, precision);
    }
  }
  c::OwnedPlan made = [&] {
    const WithoutPythonLock others_run;
    return planner_->plan(wish, expression.result.labels.size(), needs_tools);
  }();
  const int type = ArrayView(call.operands.front()).type();
  auto plan = std::make_shared<const PreparedExpression>(prepared(std::move(made), expression, type, precision, *wish.result_strides));
  constexpr int enough = 3;
  const bool needs_trial = plan->takes_long && may_be_faster_by_numpy(expression, products) &&
                           is_numpys_notation(text_of(call.subscripts)) && !has_more_than_memory;  // which NumPy might copy
  auto result = std::make_shared<const NewResult>(
      call.out == nullptr ? plan->result
                          : NewResult{plan->result.type, plan->result.shape, dense_strides_like(call.out, element_bytes(precision))});
  return {Way::plan, false, std::move(plan), std::move(result), needs_trial ? enough : 0};
}

EinsumFunction::Choice EinsumFunction::choose(const EinsumCall& call) {
  const std::optional<int> type = common_type(call.operands, call.out);
  const std::optional<Precision> precision = type ? precision_of(*type) : std::nullopt;
  try {
    if (precision) {
      return choose_for_type(call, *precision);
    }
    const std::string text = text_of(call.subscripts);
    const bool gains_nothing =
        (type && call.operands.size() <= 2) || products_of(sized_expression(text, shapes_of(call.operands))) <= naively_computed;
    return {gains_nothing && is_numpys_notation(text) ? Way::numpy : Way::elsewhere};
  } catch (const Error&) {
    return {};  // NumPy may be able to do it, or raises its own exception
  }
}

/// Returns the choice that is kept for the call, or null.
EinsumFunction::KeptChoice* EinsumFunction::find(const EinsumCall& call, const Signature& signature) {
  const auto bucket = entries_.find(hash_of(call.subscripts, signature));
  if (bucket == entries_.end()) {
    return nullptr;
  }
  for (KeptChoice& entry : bucket->second) {
    if ((entry.subscripts.ptr() == call.subscripts || PyUnicode_Compare(entry.subscripts.ptr(), call.subscripts) == 0) &&
        std::ranges::equal(entry.signature, signature.numbers())) {
      return &entry;
    }
  }
  return nullptr;
}

/// Returns the choice that was made for the call, or makes one.
EinsumFunction::Choice EinsumFunction::choice_for(const EinsumCall& call, const Signature& signature) {
  if (const KeptChoice* known = find(call, signature); known != nullptr && !(known->choice.until_open && planner_->pays(0, 0))) {
    return known->choice;
  }
  Choice choice = choose(call);
  if (KeptChoice* known = find(call, signature)) {
    known->choice = choice;
    return choice;
  }
  constexpr std::size_t most = 4096;
  constexpr double most_bytes = 1 << 30;
  const double bytes = choice.prepared ? choice.prepared->kept_bytes : 0;
  if (count_ >= most || bytes_ + bytes > most_bytes) {
    clear();
  }
  bytes_ += bytes;
  entries_[hash_of(call.subscripts, signature)].push_back(
      {py::reinterpret_borrow<py::object>(call.subscripts), {signature.numbers().begin(), signature.numbers().end()}, choice});
  ++count_;
  return choice;
}

/// Returns whether a new result without axes is one of NumPy's scalars, not an array.
bool EinsumFunction::makes_numbers(const EinsumCall& call) const {
  return !is_row_major_ && (call.search == Search::any || call.search == Search::none);
}

py::object EinsumFunction::computed(const PreparedExpression& plan, const EinsumCall& call) const {
  return execute(plan, call.operands, call.out, 1.0, 0.0, !makes_numbers(call));
}

/// Returns what NumPy computes by BLAS, into `out` or as a new array of the order and the class that a plan's result has.
py::object EinsumFunction::by_blas(const EinsumCall& call, PyObject* out, const NewResult& expected) const {
  std::vector<PyObject*> values = {call.subscripts};
  values.insert(values.end(), call.operands.begin(), call.operands.end());
  Arguments arguments = {values, {}, nullptr};
  const py::tuple names = py::make_tuple("out");
  if (out != nullptr) {
    values.push_back(out);
    arguments = {std::span(values).first(values.size() - 1), std::span(values).last(1), names.ptr()};
  }
  py::object result = python::call(numpy_.with_blas, arguments);
  if (out != nullptr || !is_array(result.ptr()) || ArrayView(result.ptr()).shape().size() != expected.shape.size()) {
    return result;
  }
  if (expected.shape.empty()) {
    return makes_numbers(call) ? py::object(result[py::tuple()]) : result;
  }
  if (lies_as(result.ptr(), expected)) {
    return result;
  }
  py::object ordered = new_array(expected);
  py::module_::import("numpy").attr("copyto")(ordered, result);
  return ordered;
}

/// Returns the time that NumPy takes for the call, or nothing if NumPy raises an exception. The call's own result isn't written.
std::optional<Seconds> EinsumFunction::numpys_seconds(const EinsumCall& call, const NewResult& result) const {
  try {
    const py::object scratch = call.out != nullptr ? new_array(result) : py::object();
    const Stopwatch watch;
    static_cast<void>(by_blas(call, scratch.ptr(), result));
    return watch.elapsed();
  } catch (const py::error_already_set& error) {
    if (!error.matches(PyExc_Exception)) {
      throw;  // Ctrl-C
    }
    return std::nullopt;
  }
}

/// Computes by NumPy for comparison, then by the plan. After the last trial, the call is left to NumPy from now on if NumPy was clearly
/// faster. Trials end early if the plan is far faster, or NumPy raises an exception. The first call is no trial, because then memory and
/// caches are used for the first time.
py::object EinsumFunction::tried(const EinsumCall& call, const Signature& signature, const PreparedExpression& plan,
                                 const NewResult& result) {
  const std::optional<Seconds> numpys = numpys_seconds(call, result);
  const Stopwatch of_plan;
  py::object answer = computed(plan, call);
  const Seconds plans = of_plan.elapsed();
  KeptChoice* const known = find(call, signature);
  if (known == nullptr || known->choice.prepared.get() != &plan) {
    return answer;  // another thread has cleared the choices
  }
  Choice& choice = known->choice;
  if (!numpys) {
    choice.trials = 0;
    return answer;
  }
  constexpr double clearly = 0.95, far = 0.5;
  choice.of_numpy = std::min(choice.of_numpy, *numpys);
  choice.of_plan = std::min(choice.of_plan, plans);
  choice.trials = choice.of_plan < far * choice.of_numpy ? 0 : choice.trials - 1;
  if (choice.trials == 0 && choice.of_numpy < clearly * choice.of_plan) {
    choice = {Way::with_blas, false, {}, choice.result};
  }
  return answer;
}

py::object EinsumFunction::einsum(const Arguments& arguments) {
  const std::optional<EinsumCall> plain = plain_call(arguments);
  Signature signature;
  if (!plain || !sign(*plain, signature)) {
    return call(numpy_.otherwise, arguments);
  }
  const KeptChoice* const known = find(*plain, signature);
  const bool is_first_call = known == nullptr || known->choice.until_open;
  const Choice choice = is_first_call ? choice_for(*plain, signature) : known->choice;
  if (choice.way == Way::plan) {
    try {
      constexpr std::int64_t largest_element = 16;
      const auto overlaps = [&](PyObject* operand) { return plain->out != nullptr && may_overlap(plain->out, operand, largest_element); };
      if (choice.trials > 0 && !is_first_call && std::ranges::none_of(plain->operands, overlaps)) {
        return tried(*plain, signature, *choice.prepared, *choice.result);
      }
      return computed(*choice.prepared, *plain);
    } catch (const Error&) {
      return call(numpy_.otherwise, arguments);  // a result that overlaps an operand, or no memory for packing
    }
  }
  if (choice.way == Way::with_blas) {
    return by_blas(*plain, plain->out, *choice.result);
  }
  if (choice.way == Way::elsewhere || plain->names_optimize) {
    return call(numpy_.otherwise, arguments);
  }
  if (!choice.until_open) {
    return call(numpy_.c_einsum, arguments);
  }
  const Stopwatch watch;
  py::object result = call(numpy_.c_einsum, arguments);
  static_cast<void>(planner_->pays(watch.elapsed(), 0));
  return result;
}

py::object EinsumFunction::planned(const Arguments& arguments) {
  std::complex<double> alpha = 1, beta = 0;
  Arguments plain = {arguments.positional, {}, nullptr};
  PyObject* out = nullptr;
  int threads = 0;
  for (std::size_t i = 0; i < arguments.named.size(); ++i) {
    PyObject* const name = PyTuple_GET_ITEM(arguments.names, static_cast<Py_ssize_t>(i));
    PyObject* const value = arguments.named[i];
    if (is_named(name, "out") && value != Py_None) {
      out = value;
    } else if (is_named(name, "alpha") || is_named(name, "beta")) {
      (is_named(name, "alpha") ? alpha : beta) = number_argument(name, value);
    } else if (is_named(name, "threads") && value != Py_None) {
      threads = py::cast<int>(py::handle(value));
    }
  }
  std::optional<EinsumCall> call = plain_call(plain);
  if (!call || (out != nullptr && !is_array(out))) {
    return py::reinterpret_borrow<py::object>(Py_NotImplemented);
  }
  call->out = out;
  call->threads = threads;
  Signature signature;
  const Choice choice = sign(*call, signature) ? choice_for(*call, signature) : Choice();
  if (choice.way != Way::plan) {
    return py::reinterpret_borrow<py::object>(Py_NotImplemented);
  }
  return execute(*choice.prepared, call->operands, call->out, alpha, beta);
}

}  // namespace flopcast::python
