#include "flopcast/program/call_source.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <cmath>
#include <complex>
#include <set>
#include <string_view>

#include "flopcast/kernel/parse_call.hpp"
#include "flopcast/program/program_trace.hpp"
#include "flopcast/support/exception.hpp"

namespace flopcast::program {
namespace {

constexpr std::uintptr_t page_bytes = 4096;

constexpr const char* c_includes = R"c( */
#define _POSIX_C_SOURCE 200809L
#include <complex.h>
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

)c";

constexpr const char* c_types = R"c(
#ifndef PREFIX /* text around the names of routines: -DPREFIX=scipy_ -DSUFFIX=_64_ for scipy_dgemm_64_ */
#define PREFIX
#endif
#ifndef SUFFIX
#define SUFFIX _
#endif
#define PASTE(a, b, c) a##b##c
#define EXPAND(a, b, c) PASTE(a, b, c)
#define FORTRAN(routine) EXPAND(PREFIX, routine, SUFFIX)

/* An array that a call uses. */
struct operand {
  const char* name;
  char type;               /* s, d: real; c, z: complex; i: integer; p: pivots */
  char use;                /* r: read, w: written, u: updated */
  int block;               /* number of its memory ... */
  long long offset, bytes; /* ... the bytes before it there, and those that are touched */
  struct part {            /* the latter as runs of bytes, which grow from one to the next */
    long long first, length, columns, stride, growth;
  } parts[3];
  double scale, value;                            /* largest random number; value of the elements ... */
  long long count, first, step, growth, row_step; /* ... first + i*step + growth*i*(i-1)/2, or in row (i+1)*row_step */
  double increase;                                /* difference between the values of neighbouring integers */
  char other;                                     /* L, U: the elements below or above the diagonal have ... */
  double other_value;                             /* ... this value */
  uint64_t seed;                                  /* place of the first random number */
  int is_scratch;                                 /* 1: the array holds no result */
  long long distance;                             /* bytes that the program touched since and including its last access */
};

/* Memory of a call: its size, and its address modulo a page. */
struct block {
  long long bytes, at;
};

enum { page = 4096 };
static char *allocated[16], *memory[16];
static INTEGER info;
double _Complex result; /* the last value that a function returned */
static void* at(int block, long long offset) { return memory[block] + offset; }
)c";

constexpr const char* c_filling = R"c(
/* Random numbers between -1 and 1 other than 0, and signs with another period: the same as in flopcast. */
enum { number_count = 8191, sign_count = 8179 };
static double numbers[number_count], signs[sign_count];
static uint64_t next_random(uint64_t x) { return x * 48271 % 2147483647; }
static double random_number(uint64_t i) {
  if (signs[0] == 0) {
    uint64_t x = 1, y = 2;
    for (int k = 0; k < number_count; ++k) {
      numbers[k] = (2 * (double)((x = next_random(x)) >> 8) + 1) / 8388608 - 1;
    }
    for (int k = 0; k < sign_count; ++k) {
      signs[k] = (y = next_random(y)) >> 8 & 1 ? 1 : -1;
    }
  }
  return numbers[i % number_count] * signs[i % sign_count];
}

static void set(const struct operand* o, long long element, double value) {
  void* const start = at(o->block, o->offset);
  switch (o->type) {
    case 's': ((float*)start)[element] = (float)value; break;
    case 'd': ((double*)start)[element] = value; break;
    case 'c': ((float _Complex*)start)[element] = (float)value; break;
    case 'z': ((double _Complex*)start)[element] = value; break;
    default: ((INTEGER*)start)[element] = (INTEGER)value;
  }
}

typedef void visitor(const struct operand* o, char* run, long long bytes);
static void visit_runs(const struct operand* o, visitor* visit) {
  for (const struct part* p = o->parts; p < o->parts + 3; ++p) {
    for (long long j = 0; j < p->columns; ++j) {
      if (p->length + j * p->growth > 0) {
        visit(o, memory[o->block] + p->first + j * p->stride, p->length + j * p->growth);
      }
    }
  }
}

static uint64_t next_number;
static void fill_run(const struct operand* o, char* run, long long bytes) {
  const int is_single = o->type == 's' || o->type == 'c';
  for (long long b = 0; b < bytes; b += is_single ? 4 : 8) {
    const double value = random_number(next_number++);
    is_single ? (void)(*(float*)(void*)(run + b) = (float)o->scale * (float)value) : (void)(*(double*)(void*)(run + b) = o->scale * value);
  }
}

static void fill(const struct operand* o) {
  uint64_t x = o->seed % 2147483646 + 1;
  next_number = o->seed;
  if (o->type != 'i' && o->type != 'p') {
    visit_runs(o, fill_run);
  }
  for (long long i = 0; i < o->count; ++i) {
    const long long element = o->first + i * o->step + o->growth * i * (i - 1) / 2;
    if (o->type == 'p') { /* row i changes places with itself or one that follows */
      x = next_random(x);
      set(o, element, (double)(element + 1 + (long long)x % (o->count - i)));
      continue;
    }
    for (long long j = i + 1; o->other && j < o->count; ++j) {
      set(o, element + (j - i) * (o->other == 'L' ? 1 : o->step - 1), o->other_value);
    }
    set(o, o->row_step ? element + (i + 1) * o->row_step % o->count - i : element, o->value + (double)i * o->increase);
  }
}

static void* allocate(long long bytes, int byte) {
  void* const start = malloc((size_t)bytes + 1);
  if (!start) {
    fprintf(stderr, "there is no memory for %.3g GB\n", 1e-9 * (double)bytes);
    exit(1);
  }
  return memset(start, byte, (size_t)bytes + 1);
}

/* Allocates blocks, of which the last one has no bytes. All bytes have the value `byte`. */
static void allocate_blocks(const struct block* blocks, int byte) {
  for (int b = 0; blocks[b].bytes; ++b) {
    allocated[b] = allocate(blocks[b].bytes + 2 * page, byte);
    memory[b] = allocated[b] + (page - (uintptr_t)allocated[b] % page) + blocks[b].at;
  }
}
)c";

char real_letter(const Routine& routine) { return real_bytes(routine.precision) == 4 ? 's' : 'd'; }

/// Returns the type of an argument's elements: that of struct operand in the source, or f for a flag.
char type_letter(const Routine& routine, const Argument& argument) {
  switch (argument.kind) {
    case Kind::flag: return 'f';
    case Kind::pivots: return 'p';
    case Kind::scalar: return static_cast<char>(routine.precision);
    case Kind::real_scalar: return real_letter(routine);
    case Kind::data:
    case Kind::work: return argument.integer ? 'i' : argument.real ? real_letter(routine) : static_cast<char>(routine.precision);
    default: return 'i';
  }
}

std::string c_type(char letter) {
  switch (letter) {
    case 'f': return "char";
    case 's': return "float";
    case 'd': return "double";
    case 'c': return "float _Complex";
    case 'z': return "double _Complex";
    default: return "INTEGER";
  }
}

std::string result_type(const Routine& routine) {
  switch (routine.returns) {
    case Returns::element: return c_type(static_cast<char>(routine.precision));
    case Returns::real: return c_type(routine.double_result ? 'd' : real_letter(routine));
    case Returns::integer: return c_type('i');
    default: return "void";
  }
}

std::string prototype(const Routine& routine) {
  std::vector<std::string> parameters, lengths;
  for (const Argument& argument : routine.arguments) {
    const bool changes = argument.kind == Kind::info || (is_operand(argument) && argument.access != Access::read);
    parameters.push_back(fmt::format("{}{}* {}", changes ? "" : "const ", c_type(type_letter(routine, argument)), argument.name));
    if (argument.kind == Kind::flag) {
      lengths.emplace_back("size_t");
    }
  }
  parameters.insert(parameters.end(), lengths.begin(), lengths.end());
  return fmt::format("extern {} FORTRAN({})({});\n", result_type(routine), routine.name, fmt::join(parameters, ", "));
}

std::string scalar_text(const Routine& routine, const Argument& argument, std::complex<double> value) {
  const std::string imaginary = value.imag() == 0 ? "" : fmt::format(" + {} * I", number_text(value.imag()));
  return fmt::format("&({}){{{}{}}}", c_type(type_letter(routine, argument)), number_text(value.real()), imaginary);
}

/// A call with the memory of its operands.
struct LaidOut {
  explicit LaidOut(const Call& of) : real(of) {
    ProgramEvent event;
    event.call = of;
    const Trace trace = to_trace({event});
    call = trace.calls.front();
    memory = trace.allocations;
  }
  [[nodiscard]] std::size_t block_of(std::uintptr_t address) const { return (address >> 40U) - 1; }
  [[nodiscard]] std::int64_t offset_of(std::uintptr_t address) const {
    return static_cast<std::int64_t>(address - virtual_base(block_of(address)));
  }

  Call real, call;
  std::vector<Allocation> memory;
};

std::string call_text(const LaidOut& laid, std::size_t number) {
  const Routine& routine = *laid.call.routine;
  std::vector<std::string> arguments, lengths;
  for (std::size_t i = 0; i < routine.arguments.size(); ++i) {
    const Argument& argument = routine.arguments[i];
    switch (argument.kind) {
      case Kind::flag:
        arguments.push_back(fmt::format("\"{}\"", laid.call.flag(i)));
        lengths.emplace_back("1");
        break;
      case Kind::scalar:
      case Kind::real_scalar:
        arguments.push_back(scalar_text(routine, argument, laid.call.scalars[static_cast<std::size_t>(laid.call.arguments[i])]));
        break;
      case Kind::data:
      case Kind::work:
      case Kind::pivots:
        arguments.push_back(laid.call.address(i) == 0
                                ? "NULL"
                                : fmt::format("at({}, {})", laid.block_of(laid.call.address(i)), laid.offset_of(laid.call.address(i))));
        break;
      case Kind::info: arguments.emplace_back("&info"); break;
      default: arguments.push_back(fmt::format("&(INTEGER){{{}}}", laid.call.arguments[i]));
    }
  }
  arguments.insert(arguments.end(), lengths.begin(), lengths.end());
  const bool returns = routine.returns != Returns::nothing;
  return fmt::format("static void call_{}(void) {{\n  {}FORTRAN({})({});\n}}\n", number, returns ? "result = " : "", routine.name,
                     fmt::join(arguments, ", "));
}

std::string member(std::string_view name, std::int64_t value) { return value == 0 ? "" : fmt::format(", .{} = {}", name, value); }

std::string number_member(std::string_view name, double value) {
  return value == 0 ? "" : fmt::format(", .{} = {}", name, number_text(value));
}

std::string operand_text(const LaidOut& laid, const Operand& operand, const SourceCall& source, std::int64_t distance) {
  const Argument& argument = laid.call.routine->arguments[operand.argument];
  const std::uintptr_t address = laid.call.address(operand.argument);
  std::vector<std::string> parts;
  for (const Region& part : operand.parts) {
    parts.push_back(fmt::format("{{{}, {}, {}, {}, {}}}", laid.offset_of(part.address), part.column_bytes, part.columns, part.stride_bytes,
                                part.growth_bytes));
  }
  const char use = argument.access == Access::read ? 'r' : argument.access == Access::write ? 'w' : 'u';
  std::string text =
      fmt::format("  {{.name = \"{}\", .type = '{}', .use = '{}'", argument.name, type_letter(*laid.call.routine, argument), use);
  text += member("block", static_cast<std::int64_t>(laid.block_of(address))) + member("offset", laid.offset_of(address));
  text += member("bytes", operand.bytes());
  text += parts.empty() ? "" : fmt::format(", .parts = {{{}}}", fmt::join(parts, ", "));
  if (use != 'w') {
    kernel::FillPattern pattern = source.pattern_of(laid.call, operand);
    if (argument.kind == Kind::pivots) {
      pattern = {.scale = 0, .count = operand.bytes() / laid.call.integer_bytes, .step = 1};
      pattern.first = argument.offset.empty() ? 0 : argument.offset.integer(laid.call.values());
    }
    text += ", .scale = " + number_text(pattern.scale) + number_member("value", pattern.value);
    text += member("count", pattern.count) + member("first", pattern.first) + member("step", pattern.step);
    text += member("growth", pattern.growth) + member("row_step", pattern.row_step) + number_member("increase", pattern.increase);
    text += pattern.other == 0 ? "" : fmt::format(", .other = '{}', .other_value = {}", pattern.other, number_text(pattern.other_value));
    text += fmt::format(", .seed = {}U", kernel::operand_seed(source.seed, operand.argument));
  }
  text += member("is_scratch", argument.kind == Kind::work ? 1 : 0);
  return text + member("distance", distance) + "},\n";
}

/// Returns the memory blocks with their addresses modulo a page.
std::string block_texts(const LaidOut& laid) {
  std::vector<std::uintptr_t> starts(laid.memory.size());
  for (const Operand& operand : operands(laid.call)) {
    if (const std::uintptr_t address = laid.call.address(operand.argument); address != 0) {
      starts[laid.block_of(address)] = laid.real.address(operand.argument) - static_cast<std::uintptr_t>(laid.offset_of(address));
    }
  }
  std::string text;
  for (std::size_t b = 0; b < starts.size(); ++b) {
    text += fmt::format("{{{}, {}}}, ", laid.memory[b].bytes, starts[b] % page_bytes);
  }
  return text;
}

/// Returns the text in lines of a comment, broken between words.
std::string comment_lines(const std::string& text) {
  constexpr std::size_t columns = 96;
  std::string lines, current = " *";
  for (const std::string_view word : split(text, ' ')) {
    if (current.size() + word.size() > columns) {
      lines += current + '\n';
      current = " *";
    }
    current += word.empty() ? "" : " " + std::string(word);
  }
  return lines + current + '\n';
}

}  // namespace

std::string number_text(double value) {
  if (std::isnan(value)) {
    return "NAN";
  }
  return std::isinf(value) ? (value < 0 ? "-INFINITY" : "INFINITY") : fmt::format("{}", value);
}

std::string first_comment(const std::vector<std::string>& about, std::string_view usage) {
  std::string text = "/*\n";
  for (const std::string& line : about) {
    text += comment_lines(harmless(line));
  }
  return text + std::string(usage) + c_includes;
}

std::string declarations(std::span<const SourceCall> calls, int integer_bytes) {
  std::string text = fmt::format("typedef int{}_t INTEGER; /* as in the recorded library */\n", 8 * integer_bytes) + c_types;
  std::set<const Routine*> declared;
  for (const SourceCall& one : calls) {
    text += declared.insert(one.call.routine).second ? prototype(*one.call.routine) : "";
  }
  return text + c_filling;
}

std::string case_text(const SourceCall& source, std::size_t number) {
  const LaidOut laid(source.call);
  std::string text = fmt::format("/* {}. {}{} */\nstatic const struct operand operands_{}[] = {{\n", number, kernel::format_call(laid.call),
                                 source.remark.empty() ? "" : ".\n   " + source.remark, number);
  std::size_t k = 0;
  for (const Operand& operand : operands(laid.call)) {
    const std::int64_t distance = source.distances_bytes.empty() ? 0 : source.distances_bytes.at(k++);
    if (laid.call.address(operand.argument) != 0) {
      text += operand_text(laid, operand, source, distance);
    }
  }
  text += fmt::format("  {{.name = NULL}}}};\nstatic const struct block blocks_{}[] = {{{}{{0, 0}}}};\n", number, block_texts(laid));
  return text + call_text(laid, number) + "\n";
}

std::string harmless(std::string text) {
  std::replace_if(
      text.begin(), text.end(),
      [](unsigned char c) { return std::iscntrl(c) != 0 || c == '\\' || c == '*' || c == '"' || c == '\'' || c == '?'; }, ' ');
  return text;
}

}  // namespace flopcast::program
