#include <QtTest>
#include <vector>

#include "kernels/simd_target.h"
#include "support/test_main.h"

namespace quantscope::test {
namespace {

std::vector<std::function<std::unique_ptr<QObject>()>>& registeredTests() {
  static std::vector<std::function<std::unique_ptr<QObject>()>> tests;
  return tests;
}

}  // namespace

Registrar::Registrar(std::function<std::unique_ptr<QObject>()> make) {
  registeredTests().push_back(std::move(make));
}

int runRegisteredTests(int argc, char** argv) {
  useSimdTargetOfEnvironment();
  int failures = 0;
  for (const auto& make : registeredTests()) {
    const std::unique_ptr<QObject> test = make();
    failures += QTest::qExec(test.get(), argc, argv);
  }
  return failures == 0 ? 0 : 1;
}

}  // namespace quantscope::test
