#include "flopcast/report/progress.hpp"

#include <fmt/format.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <utility>

#include "flopcast/report/table.hpp"

namespace flopcast::report {
namespace {

constexpr std::size_t bar_width = 24;
constexpr auto quiet_time = std::chrono::seconds(1);
constexpr auto redraw_interval = std::chrono::milliseconds(100);

std::string time_left(Seconds seconds) {
  const auto whole = static_cast<std::int64_t>(std::ceil(seconds));
  if (whole < 100) {
    return fmt::format("{} s left", whole);
  }
  return whole < 6000 ? fmt::format("{} min left", (whole + 30) / 60) : fmt::format("{} h left", (whole + 1800) / 3600);
}

std::size_t terminal_width() {
  winsize size{};
  return ::ioctl(STDERR_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col > 0 ? size.ws_col : 80;
}

void write_to_terminal(const std::string& text) {
  // A closed terminal is no reason to stop measuring.
  [[maybe_unused]] const ssize_t written = ::write(STDERR_FILENO, text.data(), text.size());
}

}  // namespace

std::string progress_line(const std::string& label, std::int64_t done, std::int64_t expected, Seconds elapsed, std::size_t width) {
  const double share = expected > 0 ? std::clamp(static_cast<double>(done) / static_cast<double>(expected), 0.0, 1.0) : 0;
  const auto filled = static_cast<std::size_t>(share * static_cast<double>(bar_width));
  const std::string bar = std::string(filled, '#') + std::string(bar_width - filled, '-');
  const std::string left = share > 0 ? "  " + time_left(elapsed * (1 - share) / share) : "";
  for (const std::string& line : {fmt::format("{}  [{}]  {:.0f} %  {}/{}{}", label, bar, share * 100, done, expected, left),
                                  fmt::format("{}  {:.0f} %{}", label, share * 100, left), fmt::format("{:.0f} %{}", share * 100, left)}) {
    if (display_width(line) <= width) {
      return line;
    }
  }
  return "";
}

ProgressBar::ProgressBar(std::string label, bool enabled)
    : label_(std::move(label)), enabled_(enabled), start_(Clock::now()), last_(start_) {}

ProgressBar::~ProgressBar() {
  if (shown_) {
    write_to_terminal("\r\x1b[K");
  }
}

void ProgressBar::update(std::int64_t done, std::int64_t expected) {
  const Clock::time_point now = Clock::now();
  if (!enabled_ || now - start_ < quiet_time || now - last_ < redraw_interval) {
    return;
  }
  last_ = now;
  shown_ = true;
  const Seconds elapsed = std::chrono::duration<double>(now - start_).count();
  write_to_terminal("\r\x1b[K" + progress_line(label_, done, expected, elapsed, terminal_width() - 1));
}

}  // namespace flopcast::report
