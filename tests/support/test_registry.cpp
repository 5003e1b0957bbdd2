#include <QTemporaryDir>
#include <QtTest>
#include <cstdio>
#include <fstream>
#include <string>
#include <vector>

#include "kernels/simd_target.h"
#include "support/test_main.h"

namespace quantscope::test {
namespace {

std::vector<std::function<std::unique_ptr<QObject>()>>& registeredTests() {
  static std::vector<std::function<std::unique_ptr<QObject>()>> tests;
  return tests;
}

/// True for what Qt Test counts as a test though it is none.
bool isFrame(const std::string& line) {
  return line.find("::initTestCase()") != std::string::npos ||
         line.find("::cleanupTestCase()") != std::string::npos;
}

/// The arguments, and a log of its own beside what is printed. Whoever names a log gets that alone.
QStringList withLog(const QStringList& arguments, const QString& path) {
  if (arguments.contains(QStringLiteral("-o"))) return arguments;
  return arguments + QStringList{QStringLiteral("-o"), QStringLiteral("-,txt"),
                                 QStringLiteral("-o"), path + QStringLiteral(",txt")};
}

}  // namespace

TestTally tallyOf(std::istream& log) {
  TestTally tally;
  bool tells = false;
  for (std::string line; std::getline(log, line);) {
    const auto starts = [&](const char* word) { return line.starts_with(word); };
    const bool fails = starts("FAIL!") || starts("QFATAL");
    const bool another = starts("PASS") || starts("Q") || starts("SKIP") || starts("Totals");
    tells = fails || (tells && !another);
    if (tells) tally.failures += line + '\n';
    if (starts("PASS") && !isFrame(line)) ++tally.passed;
    if (starts("SKIP")) ++tally.skipped;
  }
  return tally;
}

Registrar::Registrar(std::function<std::unique_ptr<QObject>()> make) {
  registeredTests().push_back(std::move(make));
}

int runRegisteredTests(int argc, char** argv) {
  useSimdTargetOfEnvironment();
  const QTemporaryDir logs;
  const QString log = logs.filePath(QStringLiteral("class.txt"));
  const QStringList arguments = withLog(QStringList(argv, argv + argc), log);
  int failures = 0;
  TestTally all;
  for (const auto& make : registeredTests()) {
    const std::unique_ptr<QObject> test = make();
    failures += QTest::qExec(test.get(), arguments);
    std::ifstream lines(log.toStdString());
    const TestTally tally = tallyOf(lines);
    all.failures += tally.failures;
    all.passed += tally.passed;
    all.skipped += tally.skipped;
  }
  // Once more in the end: of a long output little is kept where it is looked at.
  if (!all.failures.empty()) std::printf("\n%d failed:\n%s", failures, all.failures.c_str());
  // What tests/CMakeLists.txt looks for.
  if (failures == 0 && all.allSkipped()) std::printf("\nALL SKIPPED\n");
  return failures == 0 ? 0 : 1;
}

}  // namespace quantscope::test
