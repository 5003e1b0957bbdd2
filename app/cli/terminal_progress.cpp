#include "terminal_progress.h"

#include <unistd.h>

#include <cmath>
#include <iostream>

namespace quantscope::cli {
namespace {

constexpr std::chrono::milliseconds kRedrawInterval{100};
constexpr double kSecondsPerMinute = 60;

std::string describeSeconds(double seconds) {
  if (seconds < kSecondsPerMinute) {
    return std::to_string(static_cast<int>(std::ceil(seconds))) + " s left";
  }
  return std::to_string(static_cast<int>(std::ceil(seconds / kSecondsPerMinute))) + " min left";
}

}  // namespace

TerminalProgress::TerminalProgress(bool quiet) : m_enabled(!quiet && isatty(STDERR_FILENO) != 0) {}

TerminalProgress::~TerminalProgress() {
  clear();
}

JobContext::ProgressSink TerminalProgress::sink() {
  return [this](const Progress& progress) { show(progress); };
}

void TerminalProgress::clear() {
  if (m_shown) std::cerr << "\r\033[K" << std::flush;
  m_shown = false;
}

void TerminalProgress::show(const Progress& progress) {
  if (!m_enabled) return;
  const auto now = std::chrono::steady_clock::now();
  const bool stageBegins = progress.done == 0;
  if (!stageBegins && now - m_last < kRedrawInterval) return;
  m_last = now;
  m_shown = true;
  std::cerr << "\r\033[K" << describe(progress) << std::flush;
}

std::string describe(const Progress& progress) {
  std::string text = progress.stage;
  if (progress.total == 0) return text + " …";
  text += " " + std::to_string(progress.done) + "/" + std::to_string(progress.total);
  if (!progress.unit.empty()) text += " " + progress.unit;
  if (progress.remaining.count() >= 0) text += ", " + describeSeconds(progress.remaining.count());
  return text;
}

}  // namespace quantscope::cli
