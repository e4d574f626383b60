#include "flopcast/contract/algorithms/algorithm.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cctype>
#include <vector>

namespace flopcast::contract {
namespace {

/// The element type's name and the routine letter of a precision.
struct Words {
  std::string element, letter;
  bool complex;
};

Words words(Precision precision, Language language) {
  const bool cpp = language == Language::cpp;
  switch (precision) {
    case Precision::s: return {"float", "s", false};
    case Precision::d: return {"double", "d", false};
    case Precision::c: return {cpp ? "std::complex<float>" : "float complex", "c", true};
    case Precision::z: break;
  }
  return {cpp ? "std::complex<double>" : "double complex", "z", true};
}

/// Returns the name of the counter of an index's loop. Capital indices get an underscore, because capitals name the tensors and `I` is a
/// macro of C's complex numbers.
std::string counter(char index) {
  return std::isupper(static_cast<unsigned char>(index)) != 0 ? fmt::format("{}_", index) : std::string(1, index);
}

/// Writes one algorithm as a function.
class EmittedFunction {
 public:
  EmittedFunction(const Algorithm& algorithm, const Contraction& contraction, Language language)
      : algorithm_(algorithm),
        contraction_(contraction),
        cpp_(language == Language::cpp),
        words_(words(contraction.precision, language)),
        kernel_(kernel_call(algorithm, contraction)) {}

  std::string text() {
    line("/* {}: {}", algorithm_.name(), to_string(contraction_.notation()) + " */");
    line("int {}({}const {} *A, const {} *B, {} *C)", function_name(algorithm_), size_parameters(), words_.element, words_.element,
         words_.element);
    line("{{");
    ++depth_;
    open_buffers();
    clear_result();
    if (words_.complex && algorithm_.kernel != BlasKernel::axpy && algorithm_.kernel != BlasKernel::dot) {
      line("const {} one = 1;", words_.element);
    }
    nest(0);
    close_buffers();
    line("return 0;");
    --depth_;
    line("}}");
    return text_;
  }

 private:
  template <class... Args>
  void line(fmt::format_string<Args...> format, Args&&... args) {
    text_ += std::string(4 * depth_, ' ') + fmt::format(format, std::forward<Args>(args)...) + '\n';
  }

  [[nodiscard]] std::string size_type() const { return cpp_ ? "std::size_t" : "size_t"; }

  [[nodiscard]] std::string size_parameters() const {
    std::vector<std::string> all;
    for (const char index : contraction_.tensor(Operand::c).indices + contraction_.indices(IndexRole::contracted)) {
      all.push_back(fmt::format("{} n_{}, ", size_type(), index));
    }
    return fmt::format("{}", fmt::join(all, ""));
  }

  /// Returns a dense tensor's stride as a product of sizes, or a user-defined stride as a number.
  [[nodiscard]] std::string stride(const Tensor& tensor, char index) const {
    const std::size_t i = tensor.indices.find(index);
    for (const bool from_front : {true, false}) {
      const std::string inner = from_front ? tensor.indices.substr(0, i) : tensor.indices.substr(i + 1);
      if (is_dense(tensor, from_front)) {
        std::vector<std::string> factors;
        for (const char factor : inner) {
          factors.push_back(fmt::format("n_{}", factor));
        }
        return factors.empty() ? "1" : fmt::format("{}", fmt::join(factors, " * "));
      }
    }
    return fmt::format("{}", tensor.strides[i]);
  }

  [[nodiscard]] bool is_dense(const Tensor& tensor, bool from_front) const {
    std::int64_t stride = 1;
    for (std::size_t step = 0; step < tensor.indices.size(); ++step) {
      const std::size_t i = from_front ? step : tensor.indices.size() - 1 - step;
      if (tensor.strides[i] != stride) {
        return false;
      }
      stride *= std::max<std::int64_t>(1, contraction_.extent(tensor.indices[i]));
    }
    return true;
  }

  /// Returns the offset of the present slice, such as `c * n_i * n_b`. `along` holds the indices that have loops.
  [[nodiscard]] std::string offset(const Tensor& tensor, const std::string& along) const {
    std::vector<std::string> terms;
    for (const char index : tensor.indices) {
      if (along.find(index) != std::string::npos) {
        const std::string by = stride(tensor, index);
        terms.push_back(by == "1" ? counter(index) : fmt::format("{} * {}", counter(index), by));
      }
    }
    return fmt::format("{}", fmt::join(terms, " + "));
  }

  [[nodiscard]] std::string element(Operand operand, const std::string& along) const {
    const std::string where = offset(contraction_.tensor(operand), along);
    return fmt::format("{}[{}]", letter(operand), where.empty() ? "0" : where);
  }

  [[nodiscard]] std::string slice(Operand operand) const {
    if (algorithm_.copy_of(operand) != nullptr) {
      return fmt::format("{}_copy", letter(operand));
    }
    const std::string where = offset(contraction_.tensor(operand), algorithm_.loops);
    return where.empty() ? std::string(1, letter(operand)) : fmt::format("&{}[{}]", letter(operand), where);
  }

  void open_loop(char index) {
    line("for ({} {} = 0; {} < n_{}; ++{}) {{", size_type(), counter(index), counter(index), index, counter(index));
    ++depth_;
  }
  void close_loop() {
    --depth_;
    line("}}");
  }

  void clear_result() {
    std::string indices = contraction_.tensor(Operand::c).indices;
    std::sort(indices.begin(), indices.end(),
              [&](char x, char y) { return contraction_.tensor(Operand::c).stride(x) > contraction_.tensor(Operand::c).stride(y); });
    std::for_each(indices.begin(), indices.end(), [&](char index) { open_loop(index); });
    line("{} = 0;", element(Operand::c, indices));
    std::for_each(indices.begin(), indices.end(), [&](char) { close_loop(); });
  }

  [[nodiscard]] std::string buffer_size(Operand operand) const {
    const Tensor buffer = kernel_tensor(algorithm_, contraction_, operand);
    return fmt::format("n_{} * n_{}", buffer.indices[0], buffer.indices[1]);
  }

  void open_buffers() {
    for (const Copy& copy : algorithm_.copies) {
      const char name = letter(copy.operand);
      if (cpp_) {
        line("std::vector<{}> {}_memory;", words_.element, name);
      } else {
        line("{} *{}_copy = malloc({} * sizeof *{}_copy);", words_.element, name, buffer_size(copy.operand), name);
      }
    }
    if (algorithm_.copies.empty()) {
      return;
    }
    if (!cpp_) {
      refuse_missing_memory();
      return;
    }
    line("try {{");
    ++depth_;
    for (const Copy& copy : algorithm_.copies) {
      line("{}_memory.resize({});", letter(copy.operand), buffer_size(copy.operand));
    }
    --depth_;
    line("}} catch (const std::bad_alloc &) {{");
    line("    return 1;");
    line("}}");
    for (const Copy& copy : algorithm_.copies) {
      line("{} *const {}_copy = {}_memory.data();", words_.element, letter(copy.operand), letter(copy.operand));
    }
  }

  /// Writes the check for failed allocations. malloc of 0 bytes may return NULL, which is no failure.
  void refuse_missing_memory() {
    const bool several = algorithm_.copies.size() > 1;
    std::vector<std::string> missing;
    for (const Copy& copy : algorithm_.copies) {
      const std::string test = fmt::format("{} > 0 && {}_copy == NULL", buffer_size(copy.operand), letter(copy.operand));
      missing.push_back(several ? '(' + test + ')' : test);
    }
    line("if ({}) {{", fmt::join(missing, " || "));
    ++depth_;
    close_buffers();
    line("return 1;");
    --depth_;
    line("}}");
  }

  void close_buffers() {
    if (!cpp_) {
      for (const Copy& copy : algorithm_.copies) {
        line("free({}_copy);", letter(copy.operand));
      }
    }
  }

  void nest(std::size_t depth) {
    copies(depth, false);
    if (depth < algorithm_.loops.size()) {
      open_loop(algorithm_.loops[depth]);
      nest(depth + 1);
      close_loop();
    } else {
      kernel();
    }
    copies(depth, true);
  }

  void copies(std::size_t depth, bool back) {
    for (const Copy& copy : algorithm_.copies) {
      if (copy.depth == depth && (!back || copy.operand == Operand::c)) {
        copy_slice(copy.operand, back);
      }
    }
  }

  void copy_slice(Operand operand, bool back) {
    const Tensor buffer = kernel_tensor(algorithm_, contraction_, operand);
    const char column = buffer.indices[1];
    const std::string slice = fmt::format("&{}", element(operand, algorithm_.loops + column));
    const std::string memory = fmt::format("&{}_copy[{} * n_{}]", letter(operand), column, buffer.indices[0]);
    const std::string along = blas_int(stride(contraction_.tensor(operand), buffer.indices[0]));
    open_loop(column);
    line("cblas_{}copy({}, {}, {}, {}, {});", words_.letter, extent(buffer.indices[0]), back ? memory : slice, back ? "1" : along,
         back ? slice : memory, back ? along : "1");
    close_loop();
  }

  [[nodiscard]] static std::string blas_int(const std::string& size) {
    if (size == "1") {
      return size;
    }
    return size.find(' ') == std::string::npos ? fmt::format("(int){}", size) : fmt::format("(int)({})", size);
  }
  [[nodiscard]] std::string extent(char index) const { return blas_int(fmt::format("n_{}", index)); }
  [[nodiscard]] std::string one() const { return words_.complex ? "&one" : "1"; }

  [[nodiscard]] MatrixView view(Operand operand) const {
    return *matrix_view(kernel_tensor(algorithm_, contraction_, operand), kernel_indices(algorithm_, contraction_, operand),
                        contraction_.extents);
  }
  /// Returns the leading dimension of a matrix. CBLAS refuses one that is 0 or below the number of rows, even if nothing is computed.
  [[nodiscard]] std::string leading_dimension(Operand operand) const {
    const Tensor tensor = kernel_tensor(algorithm_, contraction_, operand);
    const MatrixView seen = view(operand);
    if (contraction_.extent(seen.columns) <= 1 && tensor.stride(seen.columns) != seen.leading_dimension) {
      return blas_int(fmt::format("{}", seen.leading_dimension));
    }
    return blas_int(stride(tensor, seen.columns));
  }
  /// Returns the slice and the increment of a vector, separated by a comma.
  [[nodiscard]] std::string vector(Operand operand) const {
    const std::string along = kernel_indices(algorithm_, contraction_, operand);
    return fmt::format("{}, {}", slice(operand), along.empty() ? "1" : blas_int(stride(contraction_.tensor(operand), along[0])));
  }
  [[nodiscard]] std::string matrix(Operand operand) const { return fmt::format("{}, {}", slice(operand), leading_dimension(operand)); }
  /// Returns the operand that the argument of this name holds.
  [[nodiscard]] Operand holder(std::string_view argument) const {
    const int wanted = kernel_.call.routine->index(argument);
    return *std::find_if(all_operands.begin(), all_operands.end(), [&](Operand operand) { return kernel_.argument_of(operand) == wanted; });
  }
  [[nodiscard]] std::string_view transposition(std::string_view argument) const {
    const int i = kernel_.call.routine->index(argument);
    return kernel_.call.flag(static_cast<std::size_t>(i)) == 'N' ? "CblasNoTrans" : "CblasTrans";
  }

  void kernel() {
    switch (algorithm_.kernel) {
      case BlasKernel::dot: dot(); break;
      case BlasKernel::axpy: axpy(); break;
      case BlasKernel::gemv: {
        const MatrixView seen = view(holder("A"));
        line("cblas_{}gemv(CblasColMajor, {}, {}, {}, {}, {}, {}, {}, {});", words_.letter, transposition("trans"), extent(seen.rows),
             extent(seen.columns), one(), matrix(holder("A")), vector(holder("x")), one(), vector(Operand::c));
        break;
      }
      case BlasKernel::ger: {
        const MatrixView seen = view(Operand::c);
        line("cblas_{}{}(CblasColMajor, {}, {}, {}, {}, {}, {});", words_.letter, words_.complex ? "geru" : "ger", extent(seen.rows),
             extent(seen.columns), one(), vector(holder("x")), vector(holder("y")), matrix(Operand::c));
        break;
      }
      case BlasKernel::gemm: {
        const MatrixView seen = view(Operand::c);
        line("cblas_{}gemm(CblasColMajor, {}, {}, {}, {}, {}, {}, {}, {}, {}, {});", words_.letter, transposition("transa"),
             transposition("transb"), extent(seen.rows), extent(seen.columns), extent(algorithm_.kernel_indices[0]), one(),
             matrix(holder("A")), matrix(holder("B")), one(), matrix(Operand::c));
        break;
      }
    }
  }

  void dot() {
    const std::string arguments = fmt::format("{}, {}, {}", extent(algorithm_.kernel_indices[0]), vector(Operand::a), vector(Operand::b));
    const std::string result = element(Operand::c, algorithm_.loops);
    if (!words_.complex) {
      line("{} += cblas_{}dot({});", result, words_.letter, arguments);
      return;
    }
    line("{} product;", words_.element);
    line("cblas_{}dotu_sub({}, &product);", words_.letter, arguments);
    line("{} += product;", result);
  }

  void axpy() {
    const Operand vector_place = holder("x");
    const Operand factor = vector_place == Operand::a ? Operand::b : Operand::a;
    const std::string length = algorithm_.kernel_indices.empty() ? "1" : extent(algorithm_.kernel_indices[0]);
    line("cblas_{}axpy({}, {}{}, {}, {});", words_.letter, length, words_.complex ? "&" : "", element(factor, algorithm_.loops),
         vector(vector_place), vector(Operand::c));
  }

  const Algorithm& algorithm_;
  const Contraction& contraction_;
  bool cpp_;
  Words words_;
  KernelCall kernel_;
  std::string text_;
  std::size_t depth_ = 0;
};

std::string headers(const Contraction& contraction, Language language) {
  if (language == Language::cpp) {
    return "#include <cblas.h>\n\n#include <complex>\n#include <cstddef>\n#include <new>\n#include <vector>\n";
  }
  return fmt::format("#include <cblas.h>\n{}#include <stddef.h>\n#include <stdlib.h>\n",
                     is_complex(contraction.precision) ? "#include <complex.h>\n" : "");
}

}  // namespace

std::string function_name(const Algorithm& algorithm) {
  return fmt::format("contract_{}{}{}", algorithm.loops, algorithm.loops.empty() ? "" : "_", name(algorithm.kernel));
}

std::string emit(std::span<const Algorithm> algorithms, const Contraction& contraction, Language language) {
  std::string text = headers(contraction, language);
  for (const Algorithm& algorithm : algorithms) {
    text += '\n' + EmittedFunction(algorithm, contraction, language).text();
  }
  return text;
}

}  // namespace flopcast::contract
