#include <QtTest>

#include "base/error.h"
#include "calibration/observers/observer_spec.h"
#include "support/test_main.h"

using namespace quantscope;

class ObserverSpecTest : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void parsesAndPrints_data();
  void parsesAndPrints();
  void readsTheNumbers();
  void refuses_data();
  void refuses();
  void namesWhatThereIs();
};

void ObserverSpecTest::parsesAndPrints_data() {
  QTest::addColumn<QString>("text");
  QTest::addColumn<QString>("printed");
  QTest::newRow("minmax") << "minmax"
                          << "minmax";
  QTest::newRow("moving average") << "moving-average"
                                  << "moving-average";
  QTest::newRow("constant") << "moving-average:0.1"
                            << "moving-average:0.1";
  QTest::newRow("default constant") << "moving-average:0.01"
                                    << "moving-average";
  QTest::newRow("histogram") << "histogram"
                             << "histogram";
  QTest::newRow("default bins") << "histogram:2048"
                                << "histogram";
  QTest::newRow("bins") << "histogram:512"
                        << "histogram:512";
  QTest::newRow("percentile") << "percentile:0.10:99.9"
                              << "percentile:0.1:99.9";
  QTest::newRow("mse") << "mse"
                       << "mse";
  QTest::newRow("kl") << "kl"
                      << "kl";
  QTest::newRow("entropy, the field's name of kl") << "entropy"
                                                   << "kl";
  QTest::newRow("max-code-entropy") << "max-code-entropy"
                                    << "max-code-entropy";
  QTest::newRow("whole percentile") << "percentile:0:100"
                                    << "percentile:0:100";
}

void ObserverSpecTest::parsesAndPrints() {
  QFETCH(QString, text);
  QFETCH(QString, printed);
  const ObserverSpec observer = parseObserver(text.toStdString());
  QCOMPARE(QString::fromStdString(toString(observer)), printed);
  QVERIFY(parseObserver(toString(observer)) == observer);
}

void ObserverSpecTest::readsTheNumbers() {
  QVERIFY(parseObserver("moving-average:0.25").averagingConstant == 0.25);
  QCOMPARE(parseObserver("histogram:64").bins, 64);
  QVERIFY(parseObserver("percentile:0.5:99.5").lowPercent == 0.5);
  QVERIFY(parseObserver("percentile:0.5:99.5").highPercent == 99.5);
}

void ObserverSpecTest::refuses_data() {
  QTest::addColumn<QString>("text");
  for (const char* text : {"",
                           "min-max",
                           "MINMAX",
                           "minmax:1",
                           "minmax ",
                           "moving-average:",
                           "moving-average:0",
                           "moving-average:1.1",
                           "moving-average:nan",
                           "moving-average:-0.1",
                           "moving-average:0.1:2",
                           "moving-average:0.1x",
                           "histogram:1",
                           "histogram:65537",
                           "histogram:2.5",
                           "histogram:99999999999",
                           "percentile",
                           "percentile:1",
                           "percentile:5:5",
                           "percentile:-1:50",
                           "percentile:0:101",
                           "percentile:nan:50",
                           "percentile:0:50:1",
                           ":"}) {
    QTest::addRow("%s", text) << QString(text);
  }
}

void ObserverSpecTest::refuses() {
  QFETCH(QString, text);
  QVERIFY_THROWS_EXCEPTION(Error, parseObserver(text.toStdString()));
}

void ObserverSpecTest::namesWhatThereIs() {
  try {
    parseObserver("median");
    QFAIL("accepted");
  } catch (const Error& error) {
    QVERIFY(error.code() == ErrorCode::InvalidConfiguration);
    for (const char* name : {"median", "minmax", "moving-average", "histogram", "percentile"}) {
      QVERIFY(std::string_view(error.what()).find(name) != std::string_view::npos);
    }
  }
}

QUANTSCOPE_TEST(ObserverSpecTest)
#include "test_observer_spec.moc"
