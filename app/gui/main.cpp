#include <QApplication>
#include <cstdio>

#include "command_line.h"
#include "main_window.h"
#include "widgets/look/icons.h"

namespace {

constexpr int kWrongUsage = 2;

}  // namespace

int main(int argc, char** argv) {
  using namespace quantscope;
  QApplication application(argc, argv);
  QApplication::setOrganizationName(QStringLiteral("quantscope"));
  QApplication::setApplicationName(QStringLiteral("quantscope"));
  QApplication::setApplicationDisplayName(QStringLiteral("Quantscope"));
  QApplication::setApplicationVersion(QStringLiteral(QUANTSCOPE_VERSION));
  QApplication::setDesktopFileName(QStringLiteral("quantscope"));

  const CommandLine line = parseCommandLine(QApplication::arguments());
  if (!line.problem.isEmpty()) {
    std::fprintf(stderr, "error: %s: see `quantscope --help`\n", qPrintable(line.problem));
    return kWrongUsage;
  }
  if (!line.help.isEmpty()) {
    std::fputs(qPrintable(line.help), stdout);
    return 0;
  }
  QApplication::setWindowIcon(programIcon());
  Appearance::instance().apply();
  if (line.theme) Appearance::instance().overrideChoice(*line.theme);
  openWindows(line, desktopDialogs());
  return QApplication::exec();
}
