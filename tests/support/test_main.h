#pragma once

#include <QObject>
#include <functional>
#include <iosfwd>
#include <memory>
#include <string>

#include "support/patience.h"

namespace quantscope::test {

/// Adds a test class to the program it is linked into.
class Registrar {
 public:
  explicit Registrar(std::function<std::unique_ptr<QObject>()> make);
};

/// What the log of a test class says.
struct TestTally {
  std::string failures;  ///< the lines that tell a failure and where it is
  int passed = 0;        ///< functions and rows of data
  int skipped = 0;       ///< likewise

  /// True where there was something to test, and none of it was.
  bool allSkipped() const { return skipped > 0 && passed == 0; }
};

/// Reads a log that Qt Test has written as text.
TestTally tallyOf(std::istream& log);

/// Runs all of them, one after the other; the exit status. Prints a line ALL SKIPPED where that is
/// what became of all tests.
int runRegisteredTests(int argc, char** argv);

}  // namespace quantscope::test

/// Once per test file, after the class: QUANTSCOPE_TEST(ShapeTest)
#define QUANTSCOPE_TEST(Class)                                \
  static const quantscope::test::Registrar kRegistrar##Class( \
      [] { return std::unique_ptr<QObject>(std::make_unique<Class>()); });
