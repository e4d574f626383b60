#include "flopcast/program/checking_source.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <iterator>
#include <limits>

#include "flopcast/kernel/parse_call.hpp"
#include "flopcast/program/call_source.hpp"
#include "flopcast/residual/product_relations.hpp"

namespace flopcast::program {
namespace {

constexpr const char* checking_usage = R"c( *
 * Build: cc -std=c99 -O2 wrong.c -o wrong -lopenblas -lm (with other libraries: -llapack -lblas -lm)
 * Run: ./wrong (all cases, with their threads and kernels) or ./wrong CASE (with those of the environment)
 *
 * Each case makes one call. All memory that the call must not read is NaN. Results of products are
 * compared in long double, and an error beyond the bound of rounding errors is WRONG. Of other results
 * sums are printed: compare these between two libraries. The exit code is 1 if a result is WRONG.
)c";

constexpr const char* checking_types = R"c(
/* A matrix of a relation: an operand as the routine takes it. */
struct matrix {
  int operand;                              /* its number; -1: the value that the function returned */
  char when, op;                            /* b, a: before or after the call. N, T, C: itself, its transpose or conjugate transpose */
  char layout;                              /* f: full, v: vector, b: band, p: packed */
  char stored, other;                       /* A, L, U: stored triangle. The other one is 0, T: the transpose, C: its conjugate */
  int is_unit;                              /* 1: the diagonal is 1 */
  long long rows, columns, stride, below, above; /* the last two: diagonals of a band */
};

/* A sum of products of up to two matrices, which vanishes in exact arithmetic. */
struct relation {
  const char* text; /* no text: the last one */
  double roundoff, tiny; /* of an element, times the number of roundings */
  int terms;
  struct term {
    double real, imaginary;
    int matrices;
    struct matrix matrix[2];
  } term[4];
};

struct calls {
  const char *text, *found, *threads, *setting;
  void (*call)(void);
  const struct operand* operands; /* the last one has no name */
  const struct block* blocks;     /* the last one has no bytes */
  const struct relation* relations;
};

)c";

constexpr const char* checking_functions = R"c(
typedef long double _Complex number;

static char* before[16]; /* the memory as it was before the call */

static number load(const void* start, char type, long long i) {
  switch (type) {
    case 's': return ((const float*)start)[i];
    case 'd': return ((const double*)start)[i];
    case 'c': return ((const float _Complex*)start)[i];
    case 'z': return ((const double _Complex*)start)[i];
    default: return ((const INTEGER*)start)[i];
  }
}

/* Returns the place of an element in its operand; -1: it isn't stored. */
static long long place(const struct matrix* m, long long i, long long j) {
  if ((m->stored == 'L' && i < j) || (m->stored == 'U' && i > j) || i - j > m->below || j - i > m->above) {
    return -1;
  }
  switch (m->layout) {
    case 'v': return m->stride < 0 ? (i + 1 - m->rows) * m->stride : i * m->stride;
    case 'b': return m->above + i - j + j * m->stride;
    case 'p': return m->stored == 'U' ? i + j * (j + 1) / 2 : i + j * (2 * m->rows - j - 1) / 2;
    default: return i + j * m->stride;
  }
}

static number element(const struct calls* c, const struct matrix* m, long long i, long long j) {
  if (m->operand < 0) {
    return result;
  }
  if (i == j && m->is_unit) {
    return 1;
  }
  const struct operand* o = c->operands + m->operand;
  const char* start = (m->when == 'b' ? before : memory)[o->block] + o->offset;
  const long long own = place(m, i, j), mirrored = own < 0 && m->other != '0' ? place(m, j, i) : -1;
  const number value = own >= 0 ? load(start, o->type, own) : mirrored >= 0 ? load(start, o->type, mirrored) : 0;
  return m->other != 'C' ? value : own < 0 ? conjl(value) : i == j && m->when == 'b' ? creall(value) : value;
}

/* Returns op of the matrix, row after row or column after column. */
static number* dense(const struct calls* c, const struct matrix* m, int by_rows) {
  const int is_itself = m->op == 'N';
  const long long rows = is_itself ? m->rows : m->columns, columns = is_itself ? m->columns : m->rows;
  number* all = allocate(rows * columns * (long long)sizeof *all, 0);
  for (long long j = 0; j < columns; ++j) {
    for (long long i = 0; i < rows; ++i) {
      const number value = is_itself ? element(c, m, i, j) : element(c, m, j, i);
      all[by_rows ? j + i * columns : i + j * rows] = m->op == 'C' ? conjl(value) : value;
    }
  }
  return all;
}

/* Prints the largest error against its bound. Returns 1 if it is beyond. */
static int is_wrong(const struct calls* c, const struct relation* r) {
  number *left[4] = {NULL}, *right[4] = {NULL};
  long long rows = 1, columns = 1, inner[4] = {0}, roundings = 0, row = 0, column = 0;
  long double error = -1, bound = 1;
  for (int t = 0; t < r->terms; ++t) {
    const struct matrix* m = r->term[t].matrix;
    if (r->term[t].matrices > 0) {
      const struct matrix* last = m + r->term[t].matrices - 1;
      rows = m->op == 'N' ? m->rows : m->columns;
      columns = last->op == 'N' ? last->columns : last->rows;
      left[t] = dense(c, m, 1);
    }
    if (r->term[t].matrices > 1) {
      inner[t] = m->op == 'N' ? m->columns : m->rows;
      right[t] = dense(c, m + 1, 0);
    }
    roundings = inner[t] > roundings ? inner[t] : roundings;
  }
  roundings += r->terms;
  for (long long j = 0; j < columns; ++j) {
    for (long long i = 0; i < rows; ++i) {
      number sum = 0;
      long double size = 0;
      for (int t = 0; t < r->terms; ++t) {
        const number factor = (long double)r->term[t].real + (long double)r->term[t].imaginary * I;
        number product = left[t] ? right[t] ? 0 : left[t][j + i * columns] : 1;
        long double own_size = cabsl(product);
        for (long long l = 0; l < inner[t]; ++l) {
          const number x = left[t][l + i * inner[t]], y = right[t][l + j * inner[t]];
          product += x * y;
          own_size += cabsl(x) * cabsl(y);
        }
        sum += factor * product;
        size += cabsl(factor) * own_size;
      }
      const long double own_error = cabsl(sum), own_bound = (long double)roundings * (r->roundoff * size + r->tiny);
      if (!isnan(error) && !(own_error * bound <= error * own_bound)) {
        row = i, column = j, error = own_error, bound = own_bound;
      }
    }
  }
  for (int t = 0; t < r->terms; ++t) {
    free(left[t]);
    free(right[t]);
  }
  printf("   %s, element (%lld, %lld): error %.3Lg, bound %.3Lg: %s\n", r->text, row + 1, column + 1, error, bound, error <= bound ? "right" : "WRONG");
  return !(error <= bound);
}

static void copy_run(const struct operand* o, char* run, long long bytes) {
  memcpy(before[o->block] + (run - memory[o->block]), run, (size_t)bytes);
}

static long double sum_of_sizes;
static long long undefined;
static void sum_run(const struct operand* o, char* run, long long bytes) {
  const long long size = o->type == 's' ? 4 : o->type == 'z' ? 16 : o->type == 'i' || o->type == 'p' ? (long long)sizeof(INTEGER) : 8;
  for (long long i = 0; i < bytes / size; ++i) {
    const long double own = cabsl(load(run, o->type, i));
    sum_of_sizes += isnan(own) ? 0 : own;
    undefined += isnan(own) ? 1 : 0;
  }
}

/* Makes the call. Returns 1 if a result is wrong. */
static int check(const struct calls* c) {
  int wrong = 0;
  allocate_blocks(c->blocks, 0xff); /* NaN */
  for (const struct operand* o = c->operands; o->name; ++o) {
    if (o->use != 'w') {
      fill(o);
    }
  }
  for (int b = 0; c->blocks[b].bytes; ++b) {
    before[b] = allocate(c->blocks[b].bytes + 2 * page, 0);
    memcpy(before[b], allocated[b], (size_t)(c->blocks[b].bytes + 2 * page));
    before[b] += memory[b] - allocated[b];
  }
  c->call();
  if (info != 0) {
    printf("   info is %lld: WRONG\n", (long long)info);
    wrong = 1;
  }
  for (const struct relation* r = c->relations; r->text; ++r) {
    wrong |= is_wrong(c, r);
  }
  for (const struct operand* o = c->operands; o->name; ++o) {
    if (o->use != 'r') {
      visit_runs(o, copy_run); /* what remains different doesn't belong to the results */
    }
  }
  for (int b = 0; c->blocks[b].bytes; ++b) {
    if (memcmp(before[b] - (memory[b] - allocated[b]), allocated[b], (size_t)(c->blocks[b].bytes + 2 * page)) != 0) {
      printf("   memory that doesn't belong to the results was changed: WRONG\n");
      wrong = 1;
    }
  }
  for (const struct operand* o = c->operands; o->name && !c->relations->text; ++o) {
    if (o->use != 'r' && !o->is_scratch) {
      sum_of_sizes = 0, undefined = 0;
      visit_runs(o, sum_run);
      printf("   %s: sum of absolute values %.17Lg, %lld undefined numbers\n", o->name, sum_of_sizes, undefined);
    }
  }
  if (!c->relations->text) {
    printf("   returned value: %.17g, %.17g\n", creal(result), cimag(result));
  }
  return wrong;
}

int main(int argc, char** argv) {
  const long count = sizeof cases / sizeof *cases, only = argc > 1 ? atol(argv[1]) : 0;
  int wrong = 0;
  if (argc > 2 || only < 0 || only > count) {
    fprintf(stderr, "usage: %s [CASE]\ncase: 1 to %ld, 0: all\n", argv[0], count);
    return 2;
  }
  if (only > 0) {
    return check(&cases[only - 1]);
  }
  for (long i = 0; i < count; ++i) {
    char command[4096];
    printf("%ld. %s\n   found: %s\n", i + 1, cases[i].text, cases[i].found);
    fflush(stdout);
    const char* const threads = cases[i].threads; /* libraries read the variables at their start */
    snprintf(command, sizeof command, "%s OMP_NUM_THREADS=%s OPENBLAS_NUM_THREADS=%s BLIS_NUM_THREADS=%s MKL_NUM_THREADS=%s exec '%s' %ld",
             cases[i].setting, threads, threads, threads, threads, argv[0], i + 1);
    const int status = system(command);
    if (WIFSIGNALED(status)) {
      printf("   the call was ended by signal %d: WRONG\n", WTERMSIG(status));
    }
    wrong |= status != 0;
  }
  return wrong;
}
)c";

/// Returns the letter of vectors, bands, packed and full matrices.
char form_letter(Form form) {
  switch (form) {
    case Form::scalar:
    case Form::vector: return 'v';
    case Form::band:
    case Form::band_triangle: return 'b';
    case Form::packed: return 'p';
    default: return 'f';
  }
}

/// Returns the initializer of a struct matrix. `arguments` are those in the order of the table of operands. The struct's members stand in
/// one list, each with its condition: the reason why this is one function.
std::string matrix_text(const Call& call, const residual::MatrixReference& of, const std::vector<std::size_t>& arguments) {
  if (of.name.empty()) {
    return "{-1, 'a', 'N', 'v', 'A', '0', 0, 1, 1, 1, 1, 1}";
  }
  const auto i = static_cast<std::size_t>(call.routine->index(of.name));
  const Argument& argument = call.routine->arguments[i];
  const auto value = [&](const ArgumentFormula& formula, std::int64_t otherwise) {
    return formula.empty() ? otherwise : formula.integer(call.values());
  };
  const bool is_vector = form_letter(argument.form) == 'v', is_band = form_letter(argument.form) == 'b';
  const bool is_triangle = argument.form == Form::triangle || argument.form == Form::packed || argument.form == Form::band_triangle;
  const char uplo = argument.uplo >= 0 ? call.flag(static_cast<std::size_t>(argument.uplo)) : argument.fixed_uplo;
  const std::int64_t rows = argument.form == Form::scalar ? 1 : value(argument.rows, 1),
                     columns = is_vector ? 1 : value(argument.columns, rows);
  const std::int64_t width = value(argument.upper, 0);
  const std::int64_t below = !is_band ? rows : argument.form == Form::band ? value(argument.lower, 0) : uplo == 'L' ? width : 0;
  const std::int64_t above = !is_band ? columns : argument.form == Form::band ? width : uplo == 'L' ? 0 : width;
  const std::int64_t stride = argument.stride >= 0 ? call.arguments[static_cast<std::size_t>(argument.stride)] : 1;
  const bool is_unit = argument.diag >= 0 && call.flag(static_cast<std::size_t>(argument.diag)) == 'U';
  return fmt::format("{{{}, '{}', '{}', '{}', '{}', '{}', {}, {}, {}, {}, {}, {}}}",
                     std::find(arguments.begin(), arguments.end(), i) - arguments.begin(), of.when == residual::When::before ? 'b' : 'a',
                     of.op, form_letter(argument.form),
                     of.stored != 0 ? of.stored
                     : is_triangle  ? uplo
                                    : 'A',
                     of.other, is_unit ? 1 : 0, rows, columns, stride, below, above);
}

std::string relations_text(const Call& call, std::size_t number) {
  std::vector<std::size_t> arguments;
  for (const Operand& operand : operands(call)) {
    arguments.push_back(operand.argument);
  }
  const bool single = real_bytes(call.routine->precision) == 4;
  // As in residual::check_call(): a complex product and sum has four roundings.
  const double roundoff = (single ? std::numeric_limits<float>::epsilon() : std::numeric_limits<double>::epsilon()) / 2 *
                          (is_complex(call.routine->precision) ? 4 : 1);
  const double tiny = single ? std::numeric_limits<float>::min() : std::numeric_limits<double>::min();
  std::string text = fmt::format("static const struct relation relations_{}[] = {{\n", number);
  for (const residual::ProductRelation& relation : residual::product_relations(call)) {
    text += fmt::format("  {{.text = \"{}\", .roundoff = {}, .tiny = {}, .terms = {}, .term = {{\n", relation.text,
                        relation.safety * roundoff, relation.safety > 0 ? tiny : 0, relation.terms.size());
    for (const residual::ProductRelation::Term& term : relation.terms) {
      std::vector<std::string> matrices;
      std::transform(term.matrices.begin(), term.matrices.end(), std::back_inserter(matrices),
                     [&](const residual::MatrixReference& of) { return matrix_text(call, of, arguments); });
      text += fmt::format("    {{.real = {}, .imaginary = {}, .matrices = {}", number_text(term.factor.real()),
                          number_text(term.factor.imag()), matrices.size());
      text += matrices.empty() ? "},\n" : fmt::format(", .matrix = {{{}}}}},\n", fmt::join(matrices, ", "));
    }
    text += "  }},\n";
  }
  return text + "  {.text = NULL}};\n";
}

}  // namespace

std::string checking_source(const std::vector<CheckedCall>& calls, const std::vector<std::string>& about, int integer_bytes) {
  std::vector<SourceCall> made;
  std::transform(calls.begin(), calls.end(), std::back_inserter(made), [](const CheckedCall& one) {
    return SourceCall{one.call, {}, one.found, one.seed, residual::operand_pattern};
  });
  std::string cases, table = "static const struct calls cases[] = {\n";
  for (std::size_t i = 0; i < calls.size(); ++i) {
    cases += case_text(made[i], i + 1) + relations_text(calls[i].call, i + 1) + '\n';
    table += fmt::format("  {{\"{0}\", \"{1}\", \"{2}\", \"{3}\", call_{4}, operands_{4}, blocks_{4}, relations_{4}}},\n",
                         kernel::format_call(calls[i].call), calls[i].found, calls[i].threads, calls[i].setting, i + 1);
  }
  return first_comment(about, checking_usage) + declarations(made, integer_bytes) + checking_types + cases + table + "};\n" +
         checking_functions;
}

}  // namespace flopcast::program
