#include <QComboBox>
#include <QDockWidget>
#include <QPushButton>
#include <QTableView>
#include <QToolButton>
#include <QTreeView>
#include <QtTest>

#include "support/onnx_bytes.h"
#include "support/test_main.h"
#include "support/write_file.h"
#include "ui/workbench.h"
#include "widgets/configuration/configuration_panel.h"
#include "widgets/shell/headline_bar.h"
#include "widgets/shell/progress_strip.h"

using namespace quantscope;
using namespace quantscope::test;

namespace {

constexpr std::size_t kManySamples = 300;

QPushButton* remedyButton(const TestWindow& window, const QString& title) {
  for (QPushButton* button : window->messages().findChildren<QPushButton*>()) {
    if (button->isVisible() && button->text().remove(u'&') == title) return button;
  }
  return nullptr;
}

QComboBox& configurationField(const TestWindow& window, const QString& name) {
  for (QComboBox* box : window->findChild<ConfigurationPanel*>()->findChildren<QComboBox*>()) {
    if (box->accessibleName() == name) return *box;
  }
  qFatal("no field %s", qPrintable(name));
}

// An input whose values, times a million, are taken for places in a list of two.
std::string modelThatFailsAtANode() {
  OnnxGraph graph{
      .nodes = {{"Mul", {"x", "large"}, {"far"}, "stretch", {}, ""},
                {"Cast", {"far"}, {"place"}, "round", {onnxAttribute("to", kInt64)}, ""},
                {"Gather", {"list", "place"}, {"y"}, "look-up", {}, ""}},
      .inputs = {"x"},
      .outputs = {"y"},
      .initializers = {onnxFloats("large", {1}, {1e6F}), onnxFloats("list", {2}, {1, 2})},
      .functions = {}};
  return onnxModel(graph);
}

}  // namespace

class RunningTest : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void cancellingKeepsTheLastGoodResult_data();
  void cancellingKeepsTheLastGoodResult();
  void cancellingOtherDataBringsTheLastResultBack();
  void aFailureIsMendedByChoosingData();
  void aFailureIsMendedByTryingAgain();
  void aFailureLeadsToItsNode();
  void theConfigurationPanelIsUndoneAndRedone();
  void hiddenViewsDoNotCompute();
};

void RunningTest::cancellingKeepsTheLastGoodResult_data() {
  QTest::addColumn<QString>("where");
  QTest::newRow("toolbar") << "toolbar";
  QTest::newRow("status line") << "status";
  QTest::newRow("menu") << "menu";
}

void RunningTest::cancellingKeepsTheLastGoodResult() {
  QFETCH(QString, where);
  const Workbench window("digits_mobilenet", kManySamples);
  const SnapshotPtr before = window->session().snapshot();
  QVERIFY(window.click(Spot::Layers, 3));
  const QSignalSpy cancelled(&window->session().controller(), &AnalysisController::cancelled);
  // Pressed as soon as there is progress to be seen.
  const auto press = [&] {
    if (where == QStringLiteral("menu")) return window.action(ActionId::Cancel)->trigger();
    QWidget* bar = where == QStringLiteral("toolbar") ? static_cast<QWidget*>(&window->toolBar())
                                                      : window->findChild<ProgressStrip*>();
    for (QToolButton* button : bar->findChildren<QToolButton*>()) {
      if (button->accessibleName() == QStringLiteral("Cancel")) button->click();
    }
  };
  const QMetaObject::Connection first =
      connect(&window->session().controller(), &AnalysisController::progressChanged, this, press);
  PrecisionConfig config = *window->session().request().config.precision;
  config.defaults.weight.granularity = Granularity{};
  window->session().setConfig(config, QStringLiteral("set weights to per tensor"));
  QVERIFY(window.action(ActionId::Cancel)->isEnabled());
  window.waitForEnd();
  disconnect(first);
  QCOMPARE(cancelled.count(), 1);
  QVERIFY(window->session().snapshot() == before);
  for (const Spot spot :
       {Spot::Graph, Spot::Heatmap, Spot::Layers, Spot::Ranges, Spot::Outline, Spot::Inspector}) {
    QCOMPARE(window.shownBy(spot), std::optional(std::size_t{3}));
  }
  const QString headline = headlineText(window->headline().items());
  QVERIFY2(headline.contains(QStringLiteral("out of date")), qPrintable(headline));
  QVERIFY(!window.action(ActionId::Cancel)->isEnabled());
  // What was asked for is still asked for.
  window.action(ActionId::Run)->trigger();
  window.waitForEnd();
  QVERIFY(window->session().snapshot()->result->scheme != before->result->scheme);
  QVERIFY(!window->session().stale());
}

void RunningTest::cancellingOtherDataBringsTheLastResultBack() {
  const Workbench window;
  AnalysisController& controller = window->session().controller();
  const SnapshotPtr before = controller.snapshot();
  bool half = false;
  const QMetaObject::Connection first =
      connect(&controller, &AnalysisController::snapshotChanged, this, [&] {
        half = half || controller.snapshot()->stage == AnalysisSnapshot::Stage::Partial;
        if (half) controller.cancel();
      });
  AnalysisRequest request = window->session().request();
  request.data = "random:20000";
  request.source.samples = 20000;
  window->session().setData(request);
  window.waitForEnd();
  disconnect(first);
  QVERIFY(half);
  QVERIFY(controller.snapshot() == before);
  QVERIFY(window->session().stale());
}

void RunningTest::aFailureIsMendedByChoosingData() {
  const QTemporaryDir folder;
  const Workbench window;
  const SnapshotPtr before = window->session().snapshot();
  window.dialogs->data =
      QString::fromStdString(writeFile(folder, QStringLiteral("bad.npz"), "no archive"));
  window.action(ActionId::ChooseData)->trigger();
  window.waitForEnd();
  QVERIFY(window->messages().isVisible());
  QVERIFY(window->session().snapshot()->result == before->result);
  QVERIFY(window.bringUp(Spot::Layers));
  QCOMPARE(window.layers().model()->rowCount(), static_cast<int>(window.layerCount()));
  QPushButton* button = remedyButton(window, QStringLiteral("Choose Data…"));
  QVERIFY(button != nullptr);
  window.dialogs->data = samplePath("digits_mobilenet.npz");
  clickButton(*button);
  QTRY_VERIFY(window->session().snapshot() != before);
  window.waitForEnd();
  QVERIFY(window->session().snapshot()->stage == AnalysisSnapshot::Stage::Complete);
  QVERIFY(!window->session().stale());
  QVERIFY2(!window.messages().contains(QStringLiteral("bad.npz")), qPrintable(window.messages()));
}

void RunningTest::aFailureIsMendedByTryingAgain() {
  const QTemporaryDir folder;
  const QString model = folder.filePath(QStringLiteral("late.onnx"));
  const Workbench window;
  const SnapshotPtr before = window->session().snapshot();
  window->opener().openModel(model);
  window.waitForEnd();
  QVERIFY(window->session().snapshot() == before);
  QPushButton* button = remedyButton(window, QStringLiteral("Retry"));
  QVERIFY(button != nullptr);
  QVERIFY(QFile::copy(samplePath("digits_transformer.onnx"), model));
  clickButton(*button);
  QTRY_COMPARE(window->windowTitle(), QStringLiteral("late.onnx"));
  window.waitForEnd();
  QCOMPARE(window->session().snapshot()->result->model, std::string("late.onnx"));
  QVERIFY2(!window.messages().contains(QStringLiteral("not")), qPrintable(window.messages()));
}

void RunningTest::aFailureLeadsToItsNode() {
  const QTemporaryDir folder;
  const std::string model = writeFile(folder, QStringLiteral("far.onnx"), modelThatFailsAtANode());
  const Workbench window;
  AnalysisRequest request;
  request.model = model;
  request.data = "random:2";
  window->session().open(request);
  window.waitForEnd();
  QPushButton* button = remedyButton(window, QStringLiteral("Show Node"));
  QVERIFY2(button != nullptr, qPrintable(window.messages()));
  clickButton(*button);
  QTRY_VERIFY(window.selectedLayer().has_value());
  QCOMPARE(window.layer(*window.selectedLayer()).name, std::string("look-up"));
  QCOMPARE(window.shownBy(Spot::Outline), window.selectedLayer());
}

void RunningTest::theConfigurationPanelIsUndoneAndRedone() {
  const Workbench window;
  const std::size_t layer = window.worstLayer();
  const double perChannel = *window.layer(layer).local->total.sqnrDb;
  window.panel("configuration").raise();
  QComboBox& granularity = configurationField(window, QStringLiteral("weights Granularity"));
  QTRY_VERIFY(granularity.isVisible());
  const QString start = granularity.currentText();
  QVERIFY(start != QStringLiteral("Per tensor"));
  granularity.setCurrentIndex(granularity.findText(QStringLiteral("Per tensor")));
  QCOMPARE(granularity.currentText(), QStringLiteral("Per tensor"));
  QVERIFY(window->session().stale());
  window.waitForEnd();
  QVERIFY(!window->session().stale());
  const double perTensor = *window.layer(layer).local->total.sqnrDb;
  QVERIFY(perTensor != perChannel);
  QVERIFY(window.action(ActionId::Undo)->text().contains(QStringLiteral("per tensor")));

  window.action(ActionId::Undo)->trigger();
  QCOMPARE(granularity.currentText(), start);
  window.waitForEnd();
  QCOMPARE(*window.layer(layer).local->total.sqnrDb, perChannel);
  window.action(ActionId::Redo)->trigger();
  QCOMPARE(granularity.currentText(), QStringLiteral("Per tensor"));
  window.waitForEnd();
  QCOMPARE(*window.layer(layer).local->total.sqnrDb, perTensor);
}

void RunningTest::hiddenViewsDoNotCompute() {
  const Workbench window;
  QCOMPARE(window.heatmap().scene().rows(), 0);
  QCOMPARE(window.layers().model()->rowCount(), 0);
  QCOMPARE(window.ranges().model()->rowCount(), 0);
  QCOMPARE(window.view<GraphView>().layoutsBegun(), 1);
  window.panel("outline").hide();
  window->tabs().setCurrentIndex(3);
  QCOMPARE(window.layers().model()->rowCount(), static_cast<int>(window.layerCount()));
  const int outlineRows = window.outline().model()->rowCount();

  window->session().open(sampleRequest("digits_transformer", 1));
  window.waitForEnd();
  QCOMPARE(window.layers().model()->rowCount(), static_cast<int>(window.layerCount()));
  QCOMPARE(window.outline().model()->rowCount(), outlineRows);
  QCOMPARE(window.heatmap().scene().rows(), 0);
  QCOMPARE(window.view<GraphView>().layoutsBegun(), 1);
  window->tabs().setCurrentIndex(0);
  QCOMPARE(window.view<GraphView>().layoutsBegun(), 2);
  window->tabs().setCurrentIndex(1);
  QVERIFY(window.heatmap().scene().rows() > 0);
  window.panel("outline").show();
  window.panel("outline").raise();
  QTRY_VERIFY(window.outline().model()->rowCount() != outlineRows);
}

QUANTSCOPE_TEST(RunningTest)
#include "test_running.moc"
