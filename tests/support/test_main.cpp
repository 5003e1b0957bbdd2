#include "support/test_main.h"

#include <QCoreApplication>

int main(int argc, char** argv) {
  const QCoreApplication application(argc, argv);
  return quantscope::test::runRegisteredTests(argc, argv);
}
