#include <QApplication>
#include <algorithm>
#include <csignal>
#include <cstdio>
#include <optional>
#include <span>
#include <string_view>

#include "app/gui/files/command_line.h"
#include "app/gui/window/main_window.h"
#include "base/freed_memory.h"
#include "widgets/look/icons.h"

namespace {

using namespace quantscope;

constexpr int kFailed = 1;
constexpr int kWrongUsage = 2;

void setNames() {
  QCoreApplication::setOrganizationName(QStringLiteral("quantscope"));
  QCoreApplication::setApplicationName(QStringLiteral("quantscope"));
  QCoreApplication::setApplicationVersion(QStringLiteral(QUANTSCOPE_VERSION));
}

// The exit status where the words alone decide: help, or what makes no sense.
std::optional<int> answer(const CommandLine& line) {
  if (!line.problem.isEmpty()) {
    std::fprintf(stderr, "error: %s: see `quantscope --help`\n", qPrintable(line.problem));
    return kWrongUsage;
  }
  if (line.help.isEmpty()) return std::nullopt;
  std::fputs(qPrintable(line.help), stdout);
  return 0;
}

// Qt would abort with advice about plugins.
bool hasDisplay(int argc, char** argv) {
  const auto isSet = [](const char* name) { return !qEnvironmentVariableIsEmpty(name); };
  const std::span words(argv, static_cast<std::size_t>(argc));
  return isSet("DISPLAY") || isSet("WAYLAND_DISPLAY") || isSet("QT_QPA_PLATFORM") ||
         std::ranges::count(words, std::string_view("-platform")) > 0;
}

int runWithoutDisplay(int argc, char** argv) {
  const QCoreApplication application(argc, argv);
  setNames();
  if (const auto status = answer(parseCommandLine(QCoreApplication::arguments()))) return *status;
  std::fputs(
      "error: there is no display to open a window on: start it from a desktop, or analyse with "
      "`quantscope-cli analyze`\n",
      stderr);
  return kFailed;
}

}  // namespace

int main(int argc, char** argv) {
  // A write beyond a limit is an error like that on a full disk, which cleans up.
  std::signal(SIGXFSZ, SIG_IGN);
  keepFreedMemory();
  if (!hasDisplay(argc, argv)) return runWithoutDisplay(argc, argv);
  const QApplication application(argc, argv);
  setNames();
  QApplication::setApplicationDisplayName(QStringLiteral("Quantscope"));
  QApplication::setDesktopFileName(QStringLiteral("quantscope"));

  const CommandLine line = parseCommandLine(QApplication::arguments());
  if (const auto status = answer(line)) return *status;
  QApplication::setWindowIcon(programIcon());
  Appearance::instance().apply();
  if (line.theme) Appearance::instance().overrideChoice(*line.theme);
  openWindows(line, desktopDialogs());
  return QApplication::exec();
}
