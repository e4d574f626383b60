#include <pybind11/complex.h>
#include <pybind11/stl.h>

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "flopcast/algorithm/block_parameters.hpp"
#include "flopcast/program/component.hpp"
#include "flopcast/program/saved_tuning.hpp"
#include "flopcast/program/tuning_file.hpp"
#include "flopcast/python/builtin.hpp"
#include "flopcast/python/einsum_function.hpp"
#include "flopcast/python/plan_handle.hpp"
#include "flopcast/python/planner.hpp"
#include "flopcast/python/python_lock.hpp"
#include "flopcast/support/exception.hpp"
#include "flopcast/tasks/ask/ask.hpp"
#include "flopcast/tasks/programs/programs.hpp"
#include "flopcast/tasks/reporting/reporting.hpp"

namespace flopcast::python {
namespace {

namespace py = pybind11;

constexpr const char* einsum_doc =
    R"(einsum(subscripts, *operands, out=None, dtype=None, order='K', casting='safe', optimize=True, threads=None)
--

Computes Einstein's summation convention on the operands, as numpy.einsum does.

All of NumPy's notation and arguments are accepted. Beyond NumPy's notation, `conj(ij)` is a conjugated operand, and any Unicode letter
is a label. A label of size 1 stands for any size. Arrays of float32, float64, complex64 and complex128 are contracted by flopcast's
planner, others by NumPy. `threads` is the number of threads; None stands for those that NumPy's BLAS has now.

Until contractions have taken as long as opening flopcast's libraries takes, NumPy computes the larger ones. `flopcast.prepare()` opens
the libraries at once.

>>> import numpy as np
>>> import flopcast as fc
>>> a = np.arange(6.0).reshape(2, 3)
>>> fc.einsum("ij,kj->ik", a, a)
array([[ 5., 14.],
       [14., 50.]])
>>> fc.einsum("ij->j", a)
array([3., 5., 7.])
>>> fc.einsum("i,conj(i)->", np.array([1 + 1j, 2]), np.array([1j, 1]))
(3-1j)
)";

constexpr const char* planned_doc = R"(planned(subscripts, *operands, out=None, alpha=1, beta=0, threads=None)
--

Computes by a plan, or returns NotImplemented where NumPy is to compute.)";

constexpr const char* execute_doc = R"(execute(*operands, out=None, alpha=1, beta=0)
--

Executes the plan, or returns NotImplemented if the arrays don't have the planned types, shapes and strides.)";

/// Returns a context whose remarks go to the function `note` of Python, and which Ctrl-C cancels.
RunContext context_of(const py::function& note) {
  // Copies of the context are made while other Python threads run. They share the function, whose count of references Python guards.
  const std::shared_ptr<py::function> shared(new py::function(note), [](const py::function* function) {
    const WithPythonLock python;
    delete function;
  });
  RunContext context;
  context.note = [shared](const std::string& text) {
    const WithPythonLock python;
    while_python_lasts([&] { (*shared)(text); });
  };
  context.cancelled = is_interrupted;
  return keeping_if_possible(context);
}

void define_planner(py::module_& module) {
  py::class_<Planner, std::shared_ptr<Planner>>(module, "Planner")
      .def(py::init([](const py::function& note) { return std::make_shared<Planner>(context_of(note)); }), py::arg("note"))
      .def_property_readonly("is_open", &Planner::is_open)
      .def("before_fork", &Planner::before_fork, py::call_guard<WithoutPythonLock>())
      .def("after_fork_in_parent", &Planner::after_fork_in_parent)
      .def("after_fork_in_child", &Planner::after_fork_in_child)
      .def("open", &Planner::open, py::call_guard<WithoutPythonLock>())
      .def("pays", &Planner::pays, py::arg("spent"), py::arg("expected"), py::call_guard<WithoutPythonLock>())
      .def("answer", &Planner::answer, py::arg("request"), py::call_guard<WithoutPythonLock>())
      .def("plan", [](Planner& planner, const PlanWish& wish) { return std::make_shared<PlanHandle>(planner, wish); })
      .def(
          "path",
          [](Planner& planner, const PlanWish& wish, const std::string& executor) {
            return planner.path(sized_expression(wish.subscripts, wish.shapes), wish.request, executor_named(executor));
          },
          py::call_guard<WithoutPythonLock>());
}

void define_plans(py::module_& module) {
  py::class_<PlanWish>(module, "PlanWish")
      .def(py::init<>())
      .def_readwrite("subscripts", &PlanWish::subscripts)
      .def_readwrite("shapes", &PlanWish::shapes)
      .def_readwrite("strides", &PlanWish::strides)
      .def_readwrite("result_strides", &PlanWish::result_strides)
      .def_property("tensors", nullptr, [](PlanWish& wish, std::vector<int> tensors) { wish.request.tensors = std::move(tensors); })
      .def_property_readonly("threads", [](const PlanWish& wish) { return wish.request.threads; })
      .def("set", &set_option, py::arg("name"), py::arg("value"));
  py::class_<PlanHandle, std::shared_ptr<PlanHandle>>(module, "PlanHandle")
      .def_property_readonly("seconds", [](const PlanHandle& handle) { return handle.plan().seconds(); })
      .def_property_readonly("decided", [](const PlanHandle& handle) { return handle.plan().is_decided(); })
      .def_property_readonly("flops", [](const PlanHandle& handle) { return handle.plan().details().flops(); })
      .def_property_readonly("workspace_bytes", [](const PlanHandle& handle) { return handle.plan().details().workspace_bytes(); })
      .def_property_readonly("resident_bytes", [](const PlanHandle& handle) { return handle.plan().details().resident_bytes(); })
      .def_property_readonly("result_shape", [](const PlanHandle& handle) { return py::tuple(py::cast(handle.result_shape())); })
      .def("explain", [](const PlanHandle& handle) { return handle.plan().explain(); })
      .def("function", [](const std::shared_ptr<PlanHandle>& handle) {
        return make_function("execute", execute_doc, py::str("flopcast"),
                             [handle](const Arguments& arguments) { return handle->execute(arguments); });
      });
}

/// Returns `einsum`, `planned`, and functions that forget all plans and count them.
py::tuple einsum_functions(const std::shared_ptr<Planner>& planner, py::object c_einsum, py::object with_blas, py::object otherwise,
                           py::object searched_axes, bool is_row_major) {
  NumpysFunctions numpy = {std::move(c_einsum), std::move(with_blas), std::move(otherwise), std::move(searched_axes)};
  const auto state = std::make_shared<EinsumFunction>(planner, std::move(numpy), is_row_major);
  return py::make_tuple(
      make_function("einsum", einsum_doc, py::str("flopcast"), [state](const Arguments& arguments) { return state->einsum(arguments); }),
      make_function("planned", planned_doc, py::str("flopcast"), [state](const Arguments& arguments) { return state->planned(arguments); }),
      py::cpp_function([state] { state->clear(); }), py::cpp_function([state] { return state->size(); }));
}

/// Labels of a tensor, and whether its complex conjugate is meant.
using Labels = std::pair<std::vector<contract::Label>, bool>;

/// Returns the labels of the operands and of the result, without ellipses.
std::pair<std::vector<Labels>, Labels> labels(const std::string& subscripts, const std::vector<std::vector<std::int64_t>>& shapes) {
  const contract::SizedExpression expression = sized_expression(subscripts, shapes);
  std::vector<Labels> operands;
  for (const contract::Subscripts& operand : expression.operands) {
    operands.emplace_back(operand.labels, operand.conjugated);
  }
  return {operands, {expression.result.labels, expression.result.conjugated}};
}

/// Returns the axes of NumPy's result of einsum in its order "K", from the outermost inwards. `strides` are those of the operands.
std::vector<std::size_t> axes_in_memory(const std::string& subscripts, const std::vector<std::vector<std::int64_t>>& shapes,
                                        const std::vector<std::vector<std::int64_t>>& strides) {
  return kept_axes(sized_expression(subscripts, shapes), strides);
}

/// Returns the tuned block size of a routine for an m x n problem, 0 if the tuning file has none. `options` are ilaenv's, such as "L".
std::int64_t block_size(const std::string& routine, std::int64_t m, std::int64_t n, const std::string& options, const std::string& file) {
  const auto blocks = tuned_block_size(program::read_tuning(file.empty() ? program::default_tuning_file() : file), routine, m, n, options);
  return blocks ? blocks->nb : 0;
}

}  // namespace
}  // namespace flopcast::python

PYBIND11_MODULE(_flopcast, module) {
  using namespace flopcast::python;
  module.doc() = "flopcast's planner and predictions in this process; for the package flopcast";
  prepare_for_end_of_python();
  py::register_exception_translator([](std::exception_ptr thrown) {
    try {
      std::rethrow_exception(std::move(thrown));
    } catch (const flopcast::Error&) {
      set_python_error();
    } catch (const flopcast::Cancelled&) {
      set_python_error();
    }
  });
  define_planner(module);
  define_plans(module);
  module.def("einsum_functions", &einsum_functions, py::arg("planner"), py::arg("c_einsum"), py::arg("with_blas"), py::arg("otherwise"),
             py::arg("searched_axes") = py::none(), py::arg("is_row_major") = false);
  module.def("result_shape", [](const std::string& subscripts, const std::vector<std::vector<std::int64_t>>& shapes) {
    return py::tuple(py::cast(sized_expression(subscripts, shapes).result_shape()));
  });
  module.def("labels", &labels, py::arg("subscripts"), py::arg("shapes"));
  module.def("axes_in_memory", &axes_in_memory, py::arg("subscripts"), py::arg("shapes"), py::arg("strides"));
  module.def(
      "overlaps_itself",
      [](const std::vector<std::int64_t>& shape, const std::vector<std::int64_t>& strides, std::int64_t element_bytes) {
        return overlaps_itself(shape, strides, element_bytes);
      },
      py::arg("shape"), py::arg("strides"), py::arg("element_bytes"));
  module.def("tuned_block_size", &block_size, py::arg("routine"), py::arg("m"), py::arg("n"), py::arg("options"), py::arg("file"));
  module.def("blas_threads", [threads = BlasThreads()] { return threads.now(); });
  module.def("needs_program", [](const std::string& request) { return flopcast::needs_own_process(request); });
  module.def("commands", [] {
    py::dict commands;
    for (const flopcast::CommandSummary& command : flopcast::commands()) {
      commands[py::str(command.name)] = py::make_tuple(command.summary, command.answer, command.own_process);
    }
    return commands;
  });
  module.def("schema", [](const std::string& name) { return flopcast::schema(name); });
  module.def("picture", [](const std::string& document) {
    return flopcast::report::picture_json(flopcast::main_picture({"the result", document}));
  });
  module.def("summary", [](const std::string& document) { return flopcast::summary_of({"the result", document}).html(); });
  module.def("page", [](const std::string& name, const std::string& document) { return flopcast::page_of({{name, document}}).html(); });
  module.def("find_program", [] { return flopcast::program::find_flopcast_program().string(); });
  module.attr("version") = flopcast::version();
}
