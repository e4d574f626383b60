#include "flopcast/python/einsum_function.hpp"

#include <algorithm>
#include <array>
#include <cstdlib>
#include <set>
#include <string>
#include <utility>

#include "flopcast/contract/einsum/expression.hpp"
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

/// Returns whether a value of `optimize` leaves the order of operands to the plan.
bool leaves_order_open(PyObject* optimize) {
  constexpr std::array names = {"greedy", "optimal", "flopcast"};
  return PyBool_Check(optimize) || (PyUnicode_CheckExact(optimize) &&
                                    std::any_of(names.begin(), names.end(), [&](const char* name) { return is_named(optimize, name); }));
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

bool fits(PyObject* out, const contract::SizedExpression& expression) {
  const std::vector<std::int64_t> shape = expression.result_shape();
  return std::ranges::equal(ArrayView(out).shape(), shape);
}

/// Strides of all operands along one label, in elements; 0 in an operand that doesn't change along the label.
using StridesAlong = std::vector<std::int64_t>;

StridesAlong strides_along(const contract::SizedExpression& expression, const contract::EinsumStrides& strides, contract::Label label) {
  StridesAlong along(expression.operands.size());
  const std::int64_t extent = expression.extent(label);
  for (std::size_t t = 0; t < along.size() && extent > 1; ++t) {
    const auto& labels = expression.operands[t].labels;
    for (std::size_t axis = 0; axis < labels.size(); ++axis) {
      along[t] += labels[axis] == label && expression.shapes[t][axis] == extent ? strides.operands[t][axis] : 0;
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

/// Returns the strides of a new result, whose axes lie in memory as NumPy's order "K" has them. Labels are sorted by their strides in the
/// operands. Where the strides don't tell, labels keep their order: those of the result, then those that are summed.
std::vector<std::int64_t> kept_order(const contract::SizedExpression& expression, const contract::EinsumStrides& strides) {
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
  for (const auto& [label, along] : sorted) {
    if (const auto found = std::find(kept.begin(), kept.end(), label); found != kept.end()) {
      axes.push_back(static_cast<std::size_t>(found - kept.begin()));
    }
  }
  return dense_strides(expression.result_shape(), axes);
}

}  // namespace

EinsumFunction::EinsumFunction(std::shared_ptr<Planner> planner, py::object c_einsum, py::object with_blas, py::object otherwise)
    : planner_(std::move(planner)), c_einsum_(std::move(c_einsum)), with_blas_(std::move(with_blas)), otherwise_(std::move(otherwise)) {}

/// Returns the call if its arguments are a text and arrays, and nothing but `out` and `optimize` is named. A plan has an order of its own
/// unless `optimize` is a list.
std::optional<EinsumFunction::Call> EinsumFunction::plain_call(const Arguments& arguments) {
  if (arguments.positional.size() < 2 || !PyUnicode_CheckExact(arguments.positional.front())) {
    return std::nullopt;
  }
  Call call{arguments.positional.front(), arguments.positional.subspan(1)};
  if (!std::all_of(call.operands.begin(), call.operands.end(), is_array)) {
    return std::nullopt;
  }
  for (std::size_t i = 0; i < arguments.named.size(); ++i) {
    PyObject* const name = PyTuple_GET_ITEM(arguments.names, static_cast<Py_ssize_t>(i));
    PyObject* const value = arguments.named[i];
    if (is_named(name, "out") && (value == Py_None || is_array(value))) {
      call.out = value == Py_None ? nullptr : value;
    } else if (is_named(name, "optimize") && leaves_order_open(value)) {
      call.names_optimize = true;
    } else {
      return std::nullopt;
    }
  }
  return call;
}

/// Adds all that a plan of the call depends on but its subscripts. Returns false if the arrays have too many axes, or `out` is read-only.
bool EinsumFunction::sign(const Call& call, Signature& signature) const {
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
  constexpr std::int64_t per_operand = 4096;
  signature.put((call.out != nullptr ? -1 : 1) * (threads_of(call) + per_operand * static_cast<std::int64_t>(call.operands.size())));
  return true;
}

contract::SizedExpression EinsumFunction::sized_expression(const Call& call) {
  return contract::with_shapes(contract::parse_expression(text_of(call.subscripts)), shapes_of(call.operands));
}

/// Returns the choice for an expression of a type that is planned.
EinsumFunction::Choice EinsumFunction::choose_for_type(const Call& call, Precision precision) {
  const contract::SizedExpression expression = sized_expression(call);
  const bool makes_view = is_view(expression) && call.out == nullptr;
  if (makes_view || has_repeated_labels(expression.result) || (call.out != nullptr && !fits(call.out, expression))) {
    return {makes_view && is_numpys_notation(text_of(call.subscripts)) ? Way::numpy : Way::elsewhere};
  }
  constexpr double few = 216;  // products that are computed without BLAS (contract/einsum)
  const double products = products_of(expression);
  const bool needs_tools = expression.operands.size() > 2 || (expression.operands.size() == 2 && products > few);
  if (needs_tools && !planner_->pays(0, products / numpy_rate)) {
    return {products <= naively_computed && is_numpys_notation(text_of(call.subscripts)) ? Way::numpy : Way::elsewhere, true};
  }
  contract::EinsumStrides strides;
  for (PyObject* operand : call.operands) {
    auto own = strides_in_elements(operand, precision);
    if (!own) {
      return {};
    }
    strides.operands.push_back(*std::move(own));
  }
  auto of_result = call.out != nullptr ? strides_in_elements(call.out, precision) : std::optional(kept_order(expression, strides));
  if (!of_result) {
    return {};
  }
  strides.result = *std::move(of_result);
  contract::ExpressionOptions options;
  options.plan.precision = precision;
  options.plan.threads = threads_of(call);
  if (call.operands.size() > 2) {
    options.tensors = numbers_of(call.operands);
  }
  const auto made = [&] {
    const WithoutPythonLock others_run;
    return needs_tools ? planner_->plan(expression, strides, options) : contract::plan_expression(expression, strides, {}, options);
  };
  const int type = ArrayView(call.operands.front()).type();
  auto plan = std::make_shared<const Prepared>(prepared(made(), expression, type, precision, strides.result));
  constexpr int enough = 3;
  const bool needs_trial = plan->takes_long && may_be_faster_by_numpy(expression, products) && is_numpys_notation(text_of(call.subscripts));
  return {Way::plan, false, std::move(plan), needs_trial ? enough : 0};
}

EinsumFunction::Choice EinsumFunction::choose(const Call& call) {
  const std::optional<int> type = common_type(call.operands, call.out);
  const std::optional<Precision> precision = type ? precision_of(*type) : std::nullopt;
  try {
    if (precision) {
      return choose_for_type(call, *precision);
    }
    const std::string text = text_of(call.subscripts);
    const bool gains_nothing = (type && call.operands.size() <= 2) || products_of(sized_expression(call)) <= naively_computed;
    return {gains_nothing && is_numpys_notation(text) ? Way::numpy : Way::elsewhere};
  } catch (const Error&) {
    return {};  // NumPy may be able to do it, or raises its own exception
  }
}

/// Returns the choice that is kept for the call, or null.
EinsumFunction::Entry* EinsumFunction::find(const Call& call, const Signature& signature) {
  const auto bucket = entries_.find(hash_of(call.subscripts, signature));
  if (bucket == entries_.end()) {
    return nullptr;
  }
  for (Entry& entry : bucket->second) {
    if ((entry.subscripts.ptr() == call.subscripts || PyUnicode_Compare(entry.subscripts.ptr(), call.subscripts) == 0) &&
        std::ranges::equal(entry.signature, signature.numbers())) {
      return &entry;
    }
  }
  return nullptr;
}

/// Returns the choice that was made for the call, or makes one.
EinsumFunction::Choice EinsumFunction::choice_for(const Call& call, const Signature& signature) {
  if (const Entry* known = find(call, signature); known != nullptr && !(known->choice.until_open && planner_->pays(0, 0))) {
    return known->choice;
  }
  Choice choice = choose(call);
  if (Entry* known = find(call, signature)) {
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

/// Computes by NumPy, then by the plan. After the last trial, the call is left to NumPy from now on if NumPy was clearly faster. Trials end
/// early if the plan is far faster. The first call is no trial, because then memory and caches are used for the first time.
py::object EinsumFunction::tried(const Call& call, const Signature& signature, const Prepared& plan, const Arguments& arguments) {
  const Stopwatch of_numpy;
  static_cast<void>(python::call(with_blas_, arguments));
  const Seconds numpys = of_numpy.elapsed();
  const Stopwatch of_plan;
  py::object result = execute(plan, call.operands, call.out);
  const Seconds plans = of_plan.elapsed();
  Entry* const known = find(call, signature);
  if (known == nullptr || known->choice.prepared.get() != &plan) {
    return result;  // another thread has cleared the choices
  }
  constexpr double clearly = 0.95, far = 0.5;
  Choice& choice = known->choice;
  choice.of_numpy = std::min(choice.of_numpy, numpys);
  choice.of_plan = std::min(choice.of_plan, plans);
  choice.trials = choice.of_plan < far * choice.of_numpy ? 0 : choice.trials - 1;
  if (choice.trials == 0 && choice.of_numpy < clearly * choice.of_plan) {
    choice = {Way::with_blas};
  }
  return result;
}

py::object EinsumFunction::einsum(const Arguments& arguments) {
  const std::optional<Call> plain = plain_call(arguments);
  Signature signature;
  if (!plain || !sign(*plain, signature)) {
    return call(otherwise_, arguments);
  }
  const Entry* const known = find(*plain, signature);
  const bool is_first_call = known == nullptr || known->choice.until_open;
  const Choice choice = is_first_call ? choice_for(*plain, signature) : known->choice;
  if (choice.way == Way::plan) {
    try {
      if (choice.trials > 0 && !is_first_call && !plain->names_optimize) {
        return tried(*plain, signature, *choice.prepared, arguments);
      }
      return execute(*choice.prepared, plain->operands, plain->out);
    } catch (const Error&) {
      return call(otherwise_, arguments);  // a result that overlaps an operand, or no memory for packing
    }
  }
  if (choice.way == Way::elsewhere || plain->names_optimize) {
    return call(otherwise_, arguments);
  }
  if (!choice.until_open) {
    return call(choice.way == Way::with_blas ? with_blas_ : c_einsum_, arguments);
  }
  const Stopwatch watch;
  py::object result = call(c_einsum_, arguments);
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
  std::optional<Call> call = plain_call(plain);
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
