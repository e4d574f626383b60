#include "flopcast/program/repeating_source.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>

#include "flopcast/kernel/parse_call.hpp"
#include "flopcast/program/call_source.hpp"

namespace flopcast::program {
namespace {

constexpr const char* repeating_usage = R"c( *
 * Build: cc -std=c99 -O2 calls.c -o calls -lopenblas (with other libraries: -llapack -lblas)
 * Run: ./calls [REPETITIONS [CASE]] (0 or nothing: half a second per case, all cases)
 *
 * Each case repeats one call of its kind with the recorded arguments, strides and alignment. Operands
 * have random numbers that suit the routine. Before each repetition the caches get into the state that
 * the recorded calls before it left. Columns: recorded mean of one call, the fastest repetition and the
 * median, spread of the middle half of the repetitions, and recorded mean and median times the number of
 * calls. To compare two libraries, build and run this with each of them, and divide the repeated sums in
 * the last line.
)c";

constexpr const char* repeating_types = R"c(
/* Calls that are alike, and their memory. */
struct calls {
  const char* text;
  double count, seconds; /* recorded, all calls together */
  void (*call)(void);
  const struct operand* operands; /* the last one has no name */
  const struct block* blocks;     /* the last one has no bytes */
};

)c";

constexpr const char* repeating_functions = R"c(
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

static double now(void) {
  struct timespec time;
  clock_gettime(CLOCK_MONOTONIC, &time);
  return (double)time.tv_sec + 1e-9 * (double)time.tv_nsec;
}

static int compare(const void* a, const void* b) { return (*(const double*)a > *(const double*)b) - (*(const double*)a < *(const double*)b); }

/* Repeats a call and prints its times. With `wanted` 0 it is repeated for half a second, 5 times at least. Returns the median. */
static double repeat(const struct calls* c, int number, long wanted) {
  const long limit = wanted ? wanted : 1000;
  double* const times = allocate(limit * (long long)sizeof(double), 0);
  double overhead = 1;
  long long updated = 0, farthest = 0;
  long made = 0, batch = 1;
  allocate_blocks(c->blocks, 0);
  for (const struct operand* o = c->operands; o->name; ++o) {
    updated += o->use == 'u' ? o->bytes : 0;
    farthest = o->distance > farthest ? o->distance : farthest;
    if (o->use != 'w') {
      fill(o);
    }
  }
  saved = allocate(updated, 0);
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
  other_memory = allocate(other_bytes, 0);
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

/// Returns the greatest distance of an operand, in bytes.
double farthest(const RepeatedCall& repeated) {
  const auto& distances = repeated.distances_bytes;
  return distances.empty() ? 0 : static_cast<double>(*std::max_element(distances.begin(), distances.end()));
}

}  // namespace

std::string repeating_source(const std::vector<RepeatedCall>& calls, const RepeatingFrame& frame) {
  std::vector<SourceCall> made;
  std::transform(calls.begin(), calls.end(), std::back_inserter(made), [](const RepeatedCall& one) {
    return SourceCall{one.event.call, one.distances_bytes, one.remark};
  });
  std::string cases, table = "static const struct calls cases[] = {\n";
  for (std::size_t i = 0; i < calls.size(); ++i) {
    cases += case_text(made[i], i + 1);
    table += fmt::format("  {{\"{0}, operands {1} ago\", {2}, {3}, call_{4}, operands_{4}, blocks_{4}}},\n",
                         kernel::format_call(made[i].call), format_bytes(farthest(calls[i])), calls[i].calls, calls[i].seconds, i + 1);
  }
  return first_comment(frame.about, repeating_usage) +
         fmt::format("#define THREADS \"{}\" /* recorded threads of BLAS; nothing: not known */\n",
                     frame.threads > 0 ? std::to_string(frame.threads) : "") +
         declarations(made, frame.integer_bytes) + repeating_types + cases + table + "};\n" + repeating_functions;
}

}  // namespace flopcast::program
