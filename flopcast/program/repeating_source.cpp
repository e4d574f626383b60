#include "flopcast/program/repeating_source.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <cmath>
#include <complex>
#include <set>
#include <string_view>

#include "flopcast/kernel/fill.hpp"
#include "flopcast/kernel/parse_call.hpp"
#include "flopcast/support/exception.hpp"

namespace flopcast::program {
namespace {

constexpr std::uintptr_t page_bytes = 4096;

constexpr const char* begin_text = R"c( *
 * Build: cc -std=c99 -O2 calls.c -o calls -lopenblas (with other libraries: -llapack -lblas)
 * Run: ./calls [REPETITIONS [CASE]] (0 or nothing: half a second per case, all cases)
 *
 * Each case repeats one call of its kind with the recorded arguments, strides and alignment. Operands
 * have random numbers that suit the routine. Before each repetition the caches get into the state that
 * the recorded calls before it left. Columns: recorded mean of one call, the fastest repetition and the
 * median, spread of the middle half of the repetitions, and recorded mean and median times the number of
 * calls. To compare two libraries, build and run this with each of them, and divide the repeated sums in
 * the last line.
 */
#define _POSIX_C_SOURCE 200809L
#include <complex.h>
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

)c";

constexpr const char* types_text = R"c(
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
  int zero_below;                                 /* 1: zero below the diagonal */
  long long distance;                             /* bytes that the program touched since and including its last access */
};

/* Calls that are alike, and their memory: sizes, and addresses modulo a page. */
struct calls {
  const char* text;
  double count, seconds; /* recorded, all calls together */
  void (*call)(void);
  const struct operand* operands; /* the last one has no name */
  const struct block {
    long long bytes, at;
  } * blocks; /* the last one has no bytes */
};

static char* memory[16];
static INTEGER info;
static void* at(int block, long long offset) { return memory[block] + offset; }

)c";

constexpr const char* end_text = R"c(
/* Returns a number between -1 and 1 other than 0. */
static double random_number(void) {
  static uint64_t seed = 1;
  seed = seed * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
  return ((double)(seed >> 40) + 0.5) / 8388608 - 1;
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

static void fill_run(const struct operand* o, char* run, long long bytes) {
  const int is_single = o->type == 's' || o->type == 'c';
  for (long long b = 0; b < bytes; b += is_single ? 4 : 8) {
    const double value = o->scale * random_number();
    is_single ? (void)(*(float*)(void*)(run + b) = (float)value) : (void)(*(double*)(void*)(run + b) = value);
  }
}

static void fill(const struct operand* o) {
  if (o->type != 'i' && o->type != 'p') {
    visit_runs(o, fill_run);
  }
  for (long long i = 0; i < o->count; ++i) {
    const long long element = o->first + i * o->step + o->growth * i * (i - 1) / 2;
    if (o->type == 'p') { /* row i changes places with itself or one that follows */
      set(o, element, (double)(element + 1 + (long long)((random_number() + 1) / 2 * (double)(o->count - i))));
      continue;
    }
    for (long long j = i + 1; o->zero_below && j < o->count; ++j) {
      set(o, element + j - i, 0);
    }
    set(o, o->row_step ? element + (i + 1) * o->row_step % o->count - i : element, o->value);
  }
}

/* Saves or restores the updated operands, with whose contents every repetition begins. */
static char *saved, *saved_end;
static int restoring;
static void copy_run(const struct operand* o, char* run, long long bytes) {
  (void)o;
  memcpy(restoring ? run : saved_end, restoring ? saved_end : run, (size_t)bytes);
  saved_end += bytes;
}
static void copy_updated(const struct operand* o, int restore) {
  restoring = restore;
  for (saved_end = saved; o->name; ++o) {
    if (o->use == 'u') {
      visit_runs(o, copy_run);
    }
  }
}

static char* other_memory;    /* read in place of what the program touched between two accesses to an operand */
static long long other_bytes; /* after so many nothing of an operand is left in any cache */
static volatile char last_read;
static void read_run(const struct operand* o, char* run, long long bytes) {
  (void)o;
  for (long long b = 0; b < bytes; b += 64) {
    last_read = run[b];
  }
}

/* Returns how far back the access before the last one lies, as far as it matters. */
static long long distance(const struct operand* o) { return o && o->distance < other_bytes ? o->distance : o ? other_bytes : 0; }

/* Brings the caches into the recorded state: accesses the operands in the program's order, and other memory in between. */
static void place(const struct operand* operands) {
  const struct operand* order[17] = {NULL};
  for (const struct operand* o = operands; o->name; ++o) {
    long i = o - operands;
    for (; i > 0 && order[i - 1]->distance < o->distance; --i) {
      order[i] = order[i - 1];
    }
    order[i] = o;
  }
  for (int i = 0; order[i]; ++i) {
    visit_runs(order[i], read_run);
    read_run(NULL, other_memory, distance(order[i]) - order[i]->bytes - distance(order[i + 1]));
  }
}

static void* allocate(long long bytes) {
  void* const start = malloc((size_t)bytes + 1);
  if (!start) {
    fprintf(stderr, "there is no memory for %.3g GB\n", 1e-9 * (double)bytes);
    exit(1);
  }
  return memset(start, 0, (size_t)bytes + 1);
}

static double now(void) {
  struct timespec time;
  clock_gettime(CLOCK_MONOTONIC, &time);
  return (double)time.tv_sec + 1e-9 * (double)time.tv_nsec;
}

static int compare(const void* a, const void* b) { return (*(const double*)a > *(const double*)b) - (*(const double*)a < *(const double*)b); }

/* Repeats a call and prints its times. With `wanted` 0 it is repeated for half a second, 5 times at least. Returns the median. */
static double repeat(const struct calls* c, int number, long wanted) {
  enum { page = 4096 };
  char* allocated[16];
  const long limit = wanted ? wanted : 1000;
  double* const times = allocate(limit * (long long)sizeof(double));
  double overhead = 1;
  long long updated = 0, farthest = 0;
  long made = 0, batch = 1;
  for (int b = 0; c->blocks[b].bytes; ++b) {
    allocated[b] = allocate(c->blocks[b].bytes + 2 * page);
    memory[b] = allocated[b] + (page - (uintptr_t)allocated[b] % page) + c->blocks[b].at;
  }
  for (const struct operand* o = c->operands; o->name; ++o) {
    updated += o->use == 'u' ? o->bytes : 0;
    farthest = o->distance > farthest ? o->distance : farthest;
    if (o->use != 'w') {
      fill(o);
    }
  }
  saved = allocate(updated);
  copy_updated(c->operands, 0);
  for (int i = 0; i < 1000; ++i) { /* what reading the clock takes */
    const double start = now(), seconds = now() - start;
    overhead = seconds < overhead ? seconds : overhead;
  }
  const double begin = now();
  info = -99;
  for (int is_first = 1; made < limit && (wanted || made < 5 || now() - begin < 0.5); is_first = 0) {
    copy_updated(c->operands, 1);
    place(c->operands);
    const double start = now();
    for (long i = 0; i < batch; ++i) {
      c->call();
    }
    const double seconds = (now() - start - overhead) / (double)batch;
    if (!is_first) { /* a library starts in its first call */
      times[made++] = seconds > 0 ? seconds : 0;
    } else if (info == -99) { /* a routine of BLAS: if it is short and its operands are near, the clock is too coarse for one call */
      info = 0;
      batch = seconds < 2e-6 && farthest < 256 << 10 ? 16 : 1;
    }
  }
  qsort(times, (size_t)made, sizeof *times, compare);
  const double median = times[made / 2], spread = median > 0 ? (times[3 * made / 4] - times[made / 4]) / median : 0;
  printf("%4d %8.0f %12.6g %11.6g %11.6g %6.1f%% %12.6g %12.6g  %s%s\n", number, c->count, 1e3 * c->seconds / c->count, 1e3 * times[0],
         1e3 * median, 100 * spread, c->seconds, c->count * median, c->text, info ? "  FAILED" : "");
  fflush(stdout);
  for (int b = 0; c->blocks[b].bytes; ++b) {
    free(allocated[b]);
  }
  free(saved);
  free(times);
  return median;
}

int main(int argc, char** argv) {
  const long count = sizeof cases / sizeof *cases, wanted = argc > 1 ? atol(argv[1]) : 0, only = argc > 2 ? atol(argv[2]) : 0;
  double recorded = 0, repeated = 0;
  int failed = 0;
  if (argc > 3 || wanted < 0 || wanted > 1000000 || only < 0 || only > count) {
    fprintf(stderr, "usage: %s [REPETITIONS [CASE]]\n0 repetitions: for half a second; case: 1 to %ld, 0: all\n", argv[0], count);
    return 2;
  }
  if (*THREADS && !getenv("OMP_NUM_THREADS") && setenv("OMP_NUM_THREADS", THREADS, 1) == 0) {
    execvp(argv[0], argv); /* libraries read it at their start */
  }
  other_bytes = 64LL << 20;
#ifdef _SC_LEVEL3_CACHE_SIZE
  const long long cache = sysconf(_SC_LEVEL3_CACHE_SIZE);
  other_bytes = cache > 256LL << 20 ? 512LL << 20 : cache > 16LL << 20 ? 2 * cache : other_bytes;
#endif
  other_memory = allocate(other_bytes);
  printf("case    calls  recorded ms  fastest ms   median ms  spread   recorded s   repeated s  call\n");
  for (int i = 0; i < count; ++i) {
    if (only == 0 || only == i + 1) {
      recorded += cases[i].seconds;
      repeated += cases[i].count * repeat(&cases[i], i + 1, wanted);
      failed += info != 0;
    }
  }
  printf(" all %53s %12.6g %12.6g\n", "", recorded, repeated);
  return failed != 0;
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

std::string number_text(double value) {
  if (std::isnan(value)) {
    return "NAN";
  }
  return std::isinf(value) ? (value < 0 ? "-INFINITY" : "INFINITY") : fmt::format("{}", value);
}

std::string scalar_text(const Routine& routine, const Argument& argument, std::complex<double> value) {
  const std::string imaginary = value.imag() == 0 ? "" : fmt::format(" + {} * I", number_text(value.imag()));
  return fmt::format("&({}){{{}{}}}", c_type(type_letter(routine, argument)), number_text(value.real()), imaginary);
}

/// A call with the memory of its operands.
struct LaidOut {
  explicit LaidOut(const RepeatedCall& repeated) : real(repeated.event.call) {
    const Trace trace = to_trace({repeated.event});
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
  return fmt::format("static void call_{}(void) {{\n  {}FORTRAN({})({});\n{}}}\n", number,
                     returns ? fmt::format("volatile {} result = ", result_type(routine)) : "", routine.name, fmt::join(arguments, ", "),
                     returns ? "  (void)result;\n" : "");
}

std::string member(std::string_view name, std::int64_t value) { return value == 0 ? "" : fmt::format(", .{} = {}", name, value); }

std::string operand_text(const LaidOut& laid, const Operand& operand, std::int64_t distance) {
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
    kernel::FillPattern pattern = kernel::fill_pattern(laid.call, operand);
    if (argument.kind == Kind::pivots) {
      pattern = {0, 0, operand.bytes() / laid.call.integer_bytes, 0, 1};
      pattern.first = argument.offset.empty() ? 0 : argument.offset.integer(laid.call.values());
    }
    text += fmt::format(", .scale = {}", pattern.scale) + (pattern.value == 0 ? "" : fmt::format(", .value = {}", pattern.value));
    text += member("count", pattern.count) + member("first", pattern.first) + member("step", pattern.step);
    text += member("growth", pattern.growth) + member("row_step", pattern.row_step) + member("zero_below", pattern.zero_below ? 1 : 0);
  }
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

std::string case_text(const RepeatedCall& repeated, std::size_t number) {
  const LaidOut laid(repeated);
  std::string text = fmt::format("/* {}. {}{} */\nstatic const struct operand operands_{}[] = {{\n", number, kernel::format_call(laid.call),
                                 repeated.remark.empty() ? "" : ".\n   " + repeated.remark, number);
  std::size_t k = 0;
  for (const Operand& operand : operands(laid.call)) {
    const std::int64_t distance = repeated.distances_bytes.at(k++);
    if (laid.call.address(operand.argument) != 0) {
      text += operand_text(laid, operand, distance);
    }
  }
  text += fmt::format("  {{.name = NULL}}}};\nstatic const struct block blocks_{}[] = {{{}{{0, 0}}}};\n", number, block_texts(laid));
  return text + call_text(laid, number) + "\n";
}

/// Returns the greatest distance of an operand, in bytes.
double farthest(const RepeatedCall& repeated) {
  const auto& distances = repeated.distances_bytes;
  return distances.empty() ? 0 : static_cast<double>(*std::max_element(distances.begin(), distances.end()));
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

std::string harmless(std::string text) {
  std::replace_if(
      text.begin(), text.end(),
      [](unsigned char c) { return std::iscntrl(c) != 0 || c == '\\' || c == '*' || c == '"' || c == '\'' || c == '?'; }, ' ');
  return text;
}

std::string repeating_source(const std::vector<RepeatedCall>& calls, const RepeatingFrame& frame) {
  std::string text = "/*\n", prototypes, cases, table = "static const struct calls cases[] = {\n";
  for (const std::string& line : frame.about) {
    text += comment_lines(harmless(line));
  }
  text += begin_text + fmt::format("#define THREADS \"{}\" /* recorded threads of BLAS; nothing: not known */\n",
                                   frame.threads > 0 ? std::to_string(frame.threads) : "");
  text += fmt::format("typedef int{}_t INTEGER; /* as in the recorded library */\n", 8 * frame.integer_bytes) + types_text;
  std::set<const Routine*> declared;
  for (std::size_t i = 0; i < calls.size(); ++i) {
    const Call& call = calls[i].event.call;
    prototypes += declared.insert(call.routine).second ? prototype(*call.routine) : "";
    cases += case_text(calls[i], i + 1);
    table += fmt::format("  {{\"{0}, operands {1} ago\", {2}, {3}, call_{4}, operands_{4}, blocks_{4}}},\n", kernel::format_call(call),
                         format_bytes(farthest(calls[i])), calls[i].calls, calls[i].seconds, i + 1);
  }
  return text + prototypes + '\n' + cases + table + "};\n" + end_text;
}

}  // namespace flopcast::program
