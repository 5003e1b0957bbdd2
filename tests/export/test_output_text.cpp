#include "export/output_text.h"

#include <QtTest>

#include "support/test_main.h"

using namespace quantscope;

class OutputTextTest : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void accuracy_data();
  void accuracy();
  void changesAreCountedInTheSame();
};

namespace {

OutputResult labelledOutput(double before, double after, std::uint64_t labelled) {
  OutputResult output;
  output.accuracyFloat = before;
  output.accuracyQuantized = after;
  output.labelled = labelled;
  return output;
}

}  // namespace

void OutputTextTest::accuracy_data() {
  QTest::addColumn<double>("before");
  QTest::addColumn<double>("after");
  QTest::addColumn<quint64>("labelled");
  QTest::addColumn<QString>("text");
  QTest::newRow("few") << 8 / 12.0 << 9 / 12.0 << quint64{12} << "8/12 → 9/12";
  QTest::newRow("one") << 1.0 << 0.0 << quint64{1} << "1/1 → 0/1";
  QTest::newRow("nearly many") << 98 / 99.0 << 97 / 99.0 << quint64{99} << "98/99 → 97/99";
  QTest::newRow("many") << 0.914 << 0.909 << quint64{1000} << "91.4 → 90.9 %";
  QTest::newRow("just many") << 0.99 << 0.5 << quint64{100} << "99.0 → 50.0 %";
  QTest::newRow("an older result") << 0.5 << 0.25 << quint64{0} << "50.0 → 25.0 %";
}

void OutputTextTest::accuracy() {
  QFETCH(double, before);
  QFETCH(double, after);
  QFETCH(quint64, labelled);
  QFETCH(QString, text);
  QCOMPARE(QString::fromStdString(accuracyText(labelledOutput(before, after, labelled))), text);
}

void OutputTextTest::changesAreCountedInTheSame() {
  const auto change = [](const OutputResult& now, const OutputResult& before) {
    return QString::fromStdString(accuracyChangeText(now, before));
  };
  const OutputResult few = labelledOutput(1, 0.5, 12);
  QCOMPARE(change(few, labelledOutput(1, 0.75, 12)), QString("−3"));
  QCOMPARE(change(few, few), QString());
  // Of other samples, or told in percent: percentage points.
  QCOMPARE(change(few, labelledOutput(1, 0.25, 8)), QString("+25.0"));
  const OutputResult many = labelledOutput(1, 0.5, 400);
  QCOMPARE(change(many, labelledOutput(1, 0.4975, 400)), QString("+0.3"));
  QCOMPARE(change(many, labelledOutput(1, 0.5001, 400)), QString());
  QCOMPARE(change(few, OutputResult{}), QString());
}

QUANTSCOPE_TEST(OutputTextTest)
#include "test_output_text.moc"
