#include <QtTest>
#include <bit>
#include <vector>

#include "base/error.h"
#include "bench/fake_quantize_cases.h"
#include "bench/model_report_case.h"
#include "bench/reading_cases.h"
#include "bench/scalar_fake_quantize.h"
#include "support/test_main.h"

using namespace quantscope;

/// The cases of the kernels' benchmark: their answers are right, and a wrong one is seen.
class KernelCasesTest : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void initTestCase();
  void answersAreRight();
  void wrongAnswersAreSeen();
  void scalarDefinition_data();
  void scalarDefinition();

 private:
  std::vector<KernelCase> cases(std::size_t threads);

  std::vector<float> m_in;
  std::vector<float> m_out;
};

namespace {

// Five blocks: the last piece is shorter than the others.
constexpr std::size_t kBlocks = 5;
constexpr std::size_t kThreads = 2;

void runAll(KernelCase& kernel) {
  kernel.begin();
  for (std::size_t piece = 0; piece < kernel.pieces; ++piece) kernel.run(piece);
}

}  // namespace

void KernelCasesTest::initTestCase() {
  m_in.resize(kBlocks * kKernelBlock);
  m_out.resize(m_in.size());
  for (std::size_t i = 0; i < m_in.size(); ++i) {
    m_in[i] = static_cast<float>(i * 7919 % 80'021) / 10'000 - 4;
  }
}

std::vector<KernelCase> KernelCasesTest::cases(std::size_t threads) {
  const KernelArrays arrays{m_in, m_out};
  std::vector<KernelCase> cases = fakeQuantizeCases(arrays, threads);
  for (KernelCase& each : readingCases(arrays, threads)) cases.push_back(std::move(each));
  cases.push_back(modelReportCase(arrays));
  return cases;
}

void KernelCasesTest::answersAreRight() {
  const Workers workers(kThreads);
  for (KernelCase& kernel : cases(kThreads)) {
    runAll(kernel);
    try {
      kernel.check(workers);
    } catch (const Error& error) {
      QFAIL(error.what());
    }
  }
}

// What the kernels read, or what they wrote, is changed behind their backs.
void KernelCasesTest::wrongAnswersAreSeen() {
  const Workers workers(1);
  for (KernelCase& kernel : cases(1)) {
    runAll(kernel);
    const float in = m_in[0];
    m_in[0] = in > 0 ? -4.5F : 4.5F;
    bool seen = false;
    try {
      kernel.check(workers);
    } catch (const Error& error) {
      seen = QString(error.what()).contains(QString::fromStdString(kernel.name));
    }
    m_in[0] = in;
    QVERIFY2(seen, kernel.name.c_str());
  }
}

void KernelCasesTest::scalarDefinition_data() {
  QTest::addColumn<int>("type");
  QTest::addColumn<float>("x");
  QTest::addColumn<float>("expected");
  const auto row = [](const char* name, QuantType type, float x, float expected) {
    QTest::newRow(name) << static_cast<int>(type) << x << expected;
  };
  row("int8 tie to even", QuantType::Int8, 1.25F, 1);
  row("int8 saturates", QuantType::Int8, -100, -64);
  row("int4 saturates", QuantType::Int4, 100, 3.5F);
  row("e4m3 step", QuantType::Float8E4M3, 8.6F, 9);
  row("e4m3 subnormal", QuantType::Float8E4M3, 0x1.8p-10F, 0x1p-9F);
  row("e4m3 saturates", QuantType::Float8E4M3, 1000, 224);
  row("e5m2 step", QuantType::Float8E5M2, 8.6F, 8);
  row("fp16", QuantType::Float16, 1 + 0x1.8p-11F, 1 + 0x1p-10F);
  row("bf16", QuantType::BFloat16, 1 + 0x1p-8F, 1);
  row("ternary small", QuantType::Ternary, -0.25F, 0);
  row("ternary", QuantType::Ternary, -0.5F, -0.5F);
  row("binary", QuantType::Binary, -0.125F, -0.5F);
}

void KernelCasesTest::scalarDefinition() {
  QFETCH(int, type);
  QFETCH(float, x);
  QFETCH(float, expected);
  const float found =
      scalarFakeQuantize(x, Codes::of(static_cast<QuantType>(type)), Grid{0.5F, 0, 0.375F});
  QVERIFY2(std::bit_cast<std::uint32_t>(found) == std::bit_cast<std::uint32_t>(expected),
           QByteArray::number(found));
}

QUANTSCOPE_TEST(KernelCasesTest)
#include "test_kernel_cases.moc"
