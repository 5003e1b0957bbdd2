#pragma once

#include <QObject>
#include <functional>
#include <memory>

#include "support/patience.h"

namespace quantscope::test {

/// Adds a test class to the program it is linked into.
class Registrar {
 public:
  explicit Registrar(std::function<std::unique_ptr<QObject>()> make);
};

/// Runs all of them, one after the other; the exit status.
int runRegisteredTests(int argc, char** argv);

}  // namespace quantscope::test

/// Once per test file, after the class: QUANTSCOPE_TEST(ShapeTest)
#define QUANTSCOPE_TEST(Class)                                \
  static const quantscope::test::Registrar kRegistrar##Class( \
      [] { return std::unique_ptr<QObject>(std::make_unique<Class>()); });
