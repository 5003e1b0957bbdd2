#include <QComboBox>
#include <QTableView>
#include <QtTest>

#include "support/test_main.h"
#include "ui/window_fixture.h"
#include "widgets/configuration/configuration_panel.h"
#include "widgets/shell/job_history.h"

using namespace quantscope;
using namespace quantscope::test;

class ConfigurationRunsTest : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void choicesAreAnalysed_data();
  void choicesAreAnalysed();
  void eachNoticeHasItsLineInTheLog();
};

void ConfigurationRunsTest::choicesAreAnalysed_data() {
  QTest::addColumn<QString>("name");
  QTest::addColumn<QString>("item");
  const auto row = [](const char* name, const char* item) {
    QTest::addRow("%s %s", name, item) << QString::fromLatin1(name) << QString::fromLatin1(item);
  };
  for (const char* type : {"FP16", "BF16", "FP8 E4M3", "FP8 E5M2", "INT4", "Ternary", "Binary"}) {
    row("weights Type", type);
    row("activations Type", type);
  }
  for (const char* backend : {"fbgemm", "qnnpack", "tensorrt", "onnxruntime", "generic"})
    row("Backend", backend);
  for (const char* observer : {"Least squared error", "KL divergence", "Max code entropy"}) {
    row("weights Observer", observer);
    row("activations Observer", observer);
  }
}

void ConfigurationRunsTest::choicesAreAnalysed() {
  QFETCH(QString, name);
  QFETCH(QString, item);
  const TestWindow window;
  window.openSample(2);
  const SnapshotPtr before = window->session().snapshot();
  for (QComboBox* box : window->findChild<ConfigurationPanel*>()->findChildren<QComboBox*>()) {
    if (box->accessibleName() == name) box->setCurrentText(item);
  }
  window.waitForEnd();
  const SnapshotPtr& after = window->session().snapshot();
  // What the backend cannot do is told, and simulated all the same.
  for (const Message& message : window->messages().messages()) {
    QVERIFY2(message.severity == Message::Severity::Info, qPrintable(message.sentence));
  }
  QVERIFY(after != before);
  QVERIFY(after->stage == AnalysisSnapshot::Stage::Complete);
  QVERIFY(toJson(after->request.config) != toJson(before->request.config));
}

void ConfigurationRunsTest::eachNoticeHasItsLineInTheLog() {
  const TestWindow window;
  window.openSample(2);
  window->session().setConfig(
      parseConfiguration(R"({"quantscope": 1, "op_types": {"LSTM": "fp32", "GRU": "fp32"}})", "c"),
      QStringLiteral("ask for what is not there"));
  window.waitForEnd();
  const QAbstractItemModel* log = nullptr;
  for (const auto* table : window->findChildren<QTableView*>()) {
    if (table->accessibleName() == QStringLiteral("Log")) log = table->model();
  }
  QVERIFY(log != nullptr && log->rowCount() >= 2);
  const auto words = [&](int row) { return log->index(row, MessageLog::Words).data().toString(); };
  QVERIFY2(words(0).contains(QStringLiteral("'op_types.LSTM'")), qPrintable(words(0)));
  QVERIFY2(words(1).contains(QStringLiteral("'op_types.GRU'")), qPrintable(words(1)));
}

QUANTSCOPE_TEST(ConfigurationRunsTest)
#include "test_configuration_runs.moc"
