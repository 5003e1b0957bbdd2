#include <QApplication>
#include <QPushButton>
#include <QtTest>

#include "analysis/errors/worst_output.h"
#include "app/gui/comparison.h"
#include "app/gui/controllers/advice_controller.h"
#include "support/test_main.h"
#include "ui/workbench.h"
#include "widgets/export/export_dialog.h"
#include "widgets/guide/guide_panel.h"
#include "widgets/guide/guide_step.h"

using namespace quantscope;
using namespace quantscope::test;

namespace {

/// The workbench with the guide in front.
struct GuideBench : Workbench {
  GuideBench() : Workbench("digits_mobilenet", 16) {
    waitForGains();
    action(ActionId::Guide)->trigger();
    panel = window->findChild<GuidePanel*>();
  }
  std::vector<GuideStep*> steps() const {
    std::vector<GuideStep*> shown;
    for (auto* step : panel->findChildren<GuideStep*>()) {
      if (!step->isHidden()) shown.push_back(step);
    }
    return shown;
  }
  GuideStep* at(ProcedureStage stage) const { return steps()[static_cast<std::size_t>(stage)]; }
  QPushButton* button(ProcedureStage stage) const { return at(stage)->findChild<QPushButton*>(); }
  bool says(ProcedureStage stage, const QString& words) const {
    return at(stage)->accessibleDescription().contains(words);
  }
  bool done(ProcedureStage stage) const {
    return at(stage)->accessibleDescription().startsWith(QStringLiteral("Done"));
  }

  GuidePanel* panel = nullptr;
};

}  // namespace

/// The guide walks a real network from its float figures to a verified export, a click a step.
class GuideTest : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void walksToAVerifiedExport();
  void emptyWithoutAModel();
};

void GuideTest::walksToAVerifiedExport() {
  const GuideBench bench;
  QTRY_COMPARE(bench.steps().size(), std::size_t{7});
  QTRY_VERIFY(bench.done(ProcedureStage::Float));
  QTRY_VERIFY_WITH_TIMEOUT(bench.done(ProcedureStage::Parts), 60'000);
  // Which layers: one click goes there.
  bench.button(ProcedureStage::Layers)->click();
  QCOMPARE(bench.selectedLayer(), std::optional(bench.worstLayer()));
  bench.button(ProcedureStage::Parts)->click();
  QVERIFY(bench->session().selection().current().empty());
  // What helps is proposed with its figures, and applied.
  QTRY_VERIFY_WITH_TIMEOUT(bench->advice().advice() && bench->advice().advice()->all, 120'000);
  const std::optional<double> start = worstOutputSqnr(bench->session().snapshot()->result->outputs);
  QTRY_VERIFY(bench.button(ProcedureStage::Fixes)->isEnabled());
  QVERIFY(!bench.done(ProcedureStage::Fixes));
  const bool helps = !bench->advice().advice()->all->changes.empty();
  QVERIFY(helps);
  bench.button(ProcedureStage::Fixes)->click();
  QTRY_VERIFY_WITH_TIMEOUT(!bench->session().stale() && !bench->session().controller().running() &&
                               bench->session().undoStack().index() == 1,
                           60'000);
  QTRY_VERIFY(bench.done(ProcedureStage::Fixes));
  QTRY_VERIFY(bench.done(ProcedureStage::Measured));
  const std::optional<double> now = worstOutputSqnr(bench->session().snapshot()->result->outputs);
  QVERIFY(*now > *start);
  // B is what it began with, without an undo step.
  bench.button(ProcedureStage::Measured)->click();
  QTRY_VERIFY_WITH_TIMEOUT(
      bench->comparison().snapshot() &&
          bench->comparison().snapshot()->request.config == bench->session().document().start(),
      60'000);
  QCOMPARE(bench->session().undoStack().count(), 1);
  // The export says how it agrees, for this configuration only.
  QVERIFY(!bench.done(ProcedureStage::Exported));
  bench.button(ProcedureStage::Exported)->click();
  auto* dialog = bench.window->findChild<ExportDialog*>();
  QVERIFY(dialog != nullptr);
  const QTemporaryDir folder;
  ExportRequest request = dialog->request();
  request.out = folder.filePath(QStringLiteral("model.onnx")).toStdString();
  Q_EMIT dialog->exportRequested(request);
  QTRY_VERIFY_WITH_TIMEOUT(bench.done(ProcedureStage::Exported), 60'000);
  QVERIFY(bench.says(ProcedureStage::Exported, QStringLiteral("model.onnx agrees to ")));
  dialog->close();
  bench.action(ActionId::Undo)->trigger();
  QTRY_VERIFY(!bench.done(ProcedureStage::Exported));
  QTRY_VERIFY(!bench.done(ProcedureStage::Measured));
}

void GuideTest::emptyWithoutAModel() {
  const GuideBench bench;
  QTRY_COMPARE(bench.steps().size(), std::size_t{7});
  bench->session().closeModel();
  QTRY_VERIFY(bench.steps().empty());
  QVERIFY(!bench.action(ActionId::Guide)->isEnabled());
}

QUANTSCOPE_TEST(GuideTest)
#include "test_guide.moc"
