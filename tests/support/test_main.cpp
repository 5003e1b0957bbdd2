#include "support/test_main.h"

#include <QCoreApplication>
#include <QtTest>
#include <vector>

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

}  // namespace quantscope::test

int main(int argc, char** argv) {
  const QCoreApplication application(argc, argv);
  int failures = 0;
  for (const auto& make : quantscope::test::registeredTests()) {
    const std::unique_ptr<QObject> test = make();
    failures += QTest::qExec(test.get(), argc, argv);
  }
  return failures == 0 ? 0 : 1;
}
