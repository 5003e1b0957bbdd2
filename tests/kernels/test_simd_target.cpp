#include <QtTest>

#include "base/error.h"
#include "hwy/highway.h"
#include "kernels/simd_target.h"
#include "support/test_main.h"

using namespace quantscope;

class SimdTargetTest : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void cleanup() { useSimdTargetOfEnvironment(); }
  void eachOneAlone();
  void unknownNames();
};

void SimdTargetTest::eachOneAlone() {
  useSimdTarget({});
  const std::vector<std::int64_t> all = hwy::SupportedAndGeneratedTargets();
  QVERIFY(!all.empty());
  QCOMPARE(static_cast<std::size_t>(QString::fromStdString(simdTargetNames()).count(',')) + 1,
           all.size());
  for (const std::int64_t target : all) {
    useSimdTarget(hwy::TargetName(target));
    QCOMPARE(hwy::SupportedTargets(), target);
    QCOMPARE(simdTargetNames(), std::string(hwy::TargetName(target)));
  }
  useSimdTarget({});
  QVERIFY(hwy::SupportedAndGeneratedTargets() == all);
}

void SimdTargetTest::unknownNames() {
  for (const char* name : {"sse2", "NEON", "AVX", " "}) {
    QVERIFY_THROWS_EXCEPTION(Error, useSimdTarget(name));
  }
  try {
    useSimdTarget("MMX");
    QFAIL("no CPU has kernels for it");
  } catch (const Error& error) {
    QVERIFY(QString(error.what()).contains("'MMX'"));
    QVERIFY(QString(error.what()).contains(hwy::TargetName(HWY_STATIC_TARGET)));
  }
}

QUANTSCOPE_TEST(SimdTargetTest)
#include "test_simd_target.moc"
