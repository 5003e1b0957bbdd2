#include <QDockWidget>
#include <QDoubleSpinBox>
#include <QLineEdit>
#include <QMenu>
#include <QPushButton>
#include <QSignalSpy>
#include <QToolButton>
#include <QTreeView>
#include <QtTest>
#include <algorithm>
#include <map>

#include "analysis/errors/worst_output.h"
#include "app/gui/controllers/advice_controller.h"
#include "detectors/changes/apply_changes.h"
#include "jobs/analysis/advise.h"
#include "precision/config/layer_alone.h"
#include "support/test_main.h"
#include "ui/workbench.h"
#include "widgets/findings/evidence_pane.h"
#include "widgets/findings/findings_model.h"
#include "widgets/findings/findings_view.h"
#include "widgets/findings/threshold_form.h"
#include "widgets/graph/graph_view.h"
#include "widgets/graph/painting/finding_badge.h"
#include "widgets/inspector/network/next_change_section.h"
#include "widgets/look/text.h"

using namespace quantscope;
using namespace quantscope::test;

namespace {

// Advice is measured in idle time.
constexpr int kGainsPatienceMs = 120'000;

/// The workbench with per-tensor weights, which the detectors have much to say about.
struct FindingsBench : Workbench {
  FindingsBench() {
    PrecisionConfig config = *window->session().request().config.precision;
    config.defaults.weight.granularity = Granularity{};
    window->session().setConfig(config, QStringLiteral("set weights to per tensor"));
    waitForEnd();
  }

  FindingsView& findings() const { return view<FindingsView>(); }
  FindingsModel& model() const { return static_cast<FindingsModel&>(*findings().tree().model()); }
  std::size_t listed() const { return model().listed().size(); }
  const std::vector<Finding>& all() const {
    return window->session().snapshot()->detected->findings;
  }
  const Configuration& config() const { return window->session().request().config; }
  bool lists(const std::string& id) const { return model().find(id).isValid(); }

  // The first one of a detector with a change to apply.
  const Finding& first(const std::string& detector) const {
    for (const Finding* finding : model().listed()) {
      if (finding->detector == detector && finding->suggestion &&
          !finding->suggestion->changes.empty())
        return *finding;
    }
    qFatal("no finding of %s", detector.c_str());
  }
  std::size_t count(const std::string& detector) const {
    return static_cast<std::size_t>(std::ranges::count(all(), detector, &Finding::detector));
  }
  void click(const Finding& finding) const {
    QTreeView& tree = findings().tree();
    const QModelIndex row = model().find(finding.id);
    tree.scrollTo(row);
    QTest::mouseClick(tree.viewport(), Qt::LeftButton, {}, tree.visualRect(row).center());
  }
  void press(const QString& title) const {
    for (QAbstractButton* button : findings().findChildren<QAbstractButton*>()) {
      if (button->isVisible() && button->text() == title) return button->click();
    }
    qFatal("no button %s", qPrintable(title));
  }
  std::size_t badge(std::size_t layer) const {
    const std::size_t box = scene().boxOfLayer(layer).value();
    return canvas().content().looks->boxes[box].findings.count;
  }
  std::size_t layerOf(const Finding& finding) const {
    return LayerIndex(*window->session().snapshot()->result).find(finding.node).value();
  }
};

}  // namespace

class FindingsTest : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void choosingShowsItEverywhere();
  void applyingIsUndone();
  void applyingAllOfAKind();
  void acceptingAll();
  void whereNothingHelpsNothingChanges();
  void theBestNextChange();
  void whoAsksForSomethingElseIsNotOverrun();
  void goingToTheLayerShowsTheGraph();
  void everyActionStandsInTheMenu();
  void dismissingIsUndone();
  void thresholdsNeedNoNewRun();
  void aBadgeListsItsFindings();
  void searchGoesToAFinding_data();
  void searchGoesToAFinding();
  void goingFromFindingToFinding();
  void gainsComeWithTheEndOfTheJob();
  void bottomPanelsSpanTheWindow();
};

void FindingsTest::choosingShowsItEverywhere() {
  const FindingsBench window;
  QVERIFY(window.bringUp(Spot::Graph));
  // Some are only worth a word once it is known that they help.
  window.action(ActionId::Run)->trigger();
  window.waitForGains();
  // The first of every sort of evidence.
  std::map<Evidence, Finding> sorts;
  for (const Finding& finding : window.all()) sorts.emplace(finding.evidence, finding);
  sorts.erase(Evidence::None);
  QVERIFY(sorts.size() > 1);
  for (const auto& [evidence, finding] : sorts) {
    window.findings().choose(window.all().back().id);
    window.click(finding);
    const Selected& selected = window->session().selection().current();
    QVERIFY(selected.node == finding.node);
    QCOMPARE(selected.channel,
             finding.channels.empty() ? -1 : static_cast<int>(finding.channels.front()));
    QCOMPARE(window.shownBy(Spot::Graph), std::optional(window.layerOf(finding)));
    QCOMPARE(window.shownBy(Spot::Inspector), std::optional(window.layerOf(finding)));
    auto& pane = window.view<EvidencePane>();
    QVERIFY2(pane.isVisible(), finding.id.c_str());
    QVERIFY(pane.shown()->isVisible());
  }
}

void FindingsTest::applyingIsUndone() {
  const FindingsBench window;
  const Configuration before = window.config();
  const Finding finding = window.first("per_channel");
  const std::size_t kind = window.count("per_channel");
  window.click(finding);
  window.press(QStringLiteral("Apply"));
  QVERIFY(window.config() ==
          editOf(before, window->session().snapshot()->graph(), finding.suggestion->changes, {})
              .apply(before));
  QVERIFY(window.config() != before);
  QVERIFY(window.action(ActionId::Undo)->text().contains(text(finding.nodeName)));
  window.waitForEnd();
  QVERIFY(!window.lists(finding.id));
  QCOMPARE(window.count("per_channel"), kind - 1);
  window.action(ActionId::Undo)->trigger();
  QVERIFY(window.config() == before);
  window.waitForEnd();
  QVERIFY(window.lists(finding.id));
}

void FindingsTest::applyingAllOfAKind() {
  const FindingsBench window;
  const Configuration before = window.config();
  const std::size_t alike = window.count("per_channel");
  QVERIFY(alike > 1);
  window.click(window.first("per_channel"));
  window.press(QStringLiteral("Apply All %1").arg(alike));
  window.waitForEnd();
  QCOMPARE(window.count("per_channel"), std::size_t{0});
  window.action(ActionId::Undo)->trigger();
  QVERIFY(window.config() == before);
}

void FindingsTest::acceptingAll() {
  const FindingsBench window;
  window.waitForGains();
  const SnapshotPtr snapshot = window->session().snapshot();
  const Configuration before = window.config();
  const auto expected = [&](const std::set<std::string>& aside) {
    AnalysisMemory memory(std::size_t{256} << 20);
    JobContext job(window->session().queue()->workers(JobTag::Priority::Edit));
    return advise(*snapshot, memory, job, aside);
  };
  const Advice all = expected({});
  QVERIFY(all.config != before);
  QVERIFY(all.toDb > all.fromDb);
  const auto* button = window.findings().findChild<QPushButton*>(QStringLiteral("accept-all"));
  const QString promise =
      QStringLiteral("Apply ") +
      text(adviceText(all, static_cast<double>(snapshot->result->summary.quantizedBytes)));
  QTRY_COMPARE_WITH_TIMEOUT(button->text(), promise, kGainsPatienceMs);
  window.press(promise);
  QVERIFY(window.config() == all.config);
  window.waitForEnd();
  // What is promised comes true.
  QCOMPARE(worstOutputSqnr(window->session().snapshot()->result->outputs), all.toDb);
  window.action(ActionId::Undo)->trigger();
  QVERIFY(window.config() == before);
  window.waitForEnd();
  // It is known already.
  QVERIFY(window->advice().advice() && window->advice().advice()->all);
  QCOMPARE(button->text(), promise);
  // What is dismissed is not followed.
  window.waitForGains();
  std::set<std::string> aside;
  for (const Finding& finding : snapshot->detected->findings) {
    window->session().setDismissed(finding.id, true);
    aside.insert(finding.id);
  }
  const QSignalSpy taken(&window->advice(), &AdviceController::allTaken);
  window.action(ActionId::AcceptAll)->trigger();
  QTRY_COMPARE_WITH_TIMEOUT(taken.count(), 1, kGainsPatienceMs);
  QVERIFY(window.config() == expected(aside).config);
}

void FindingsTest::whereNothingHelpsNothingChanges() {
  const FindingsBench window;
  const Configuration config = inFloat(window.config());
  window->session().setConfig(config, QStringLiteral("set all to float"));
  window.waitForEnd();
  const QSignalSpy taken(&window->advice(), &AdviceController::allTaken);
  window.action(ActionId::AcceptAll)->trigger();
  QTRY_COMPARE_WITH_TIMEOUT(taken.count(), 1, kGainsPatienceMs);
  QCOMPARE(taken[0][0].value<AdviceController::Outcome>(), AdviceController::Outcome::Nothing);
  QVERIFY(window.config() == config);
  QVERIFY(!window.action(ActionId::AcceptAll)->isEnabled());
  QVERIFY(!window.action(ActionId::AcceptNext)->isEnabled());
}

void FindingsTest::theBestNextChange() {
  const FindingsBench window;
  const SnapshotPtr snapshot = window->session().snapshot();
  const Configuration before = window.config();
  QTRY_VERIFY_WITH_TIMEOUT(window.action(ActionId::AcceptNext)->isEnabled(), kGainsPatienceMs);
  const NextChange next = *window->advice().advice()->next;
  auto& section = window.view<NextChangeSection>();
  QVERIFY(section.asText().contains(text(figuresText(next))));
  window.action(ActionId::AcceptNext)->trigger();
  QVERIFY(window.config() == next.edit.apply(before));
  QCOMPARE(window->session().undoStack().undoText(), text(next.edit.sentence));
  window.waitForEnd();
  QCOMPARE(worstOutputSqnr(window->session().snapshot()->result->outputs), next.toDb);
}

void FindingsTest::whoAsksForSomethingElseIsNotOverrun() {
  const FindingsBench window;
  window.waitForGains();
  const QSignalSpy taken(&window->advice(), &AdviceController::allTaken);
  window.action(ActionId::AcceptAll)->trigger();
  QVERIFY(!window.action(ActionId::AcceptAll)->isEnabled());
  Configuration other = window.config();
  other.precision.edit([](PrecisionConfig& config) {
    config.defaults.weight.observer.kind = ObserverSpec::Kind::Mse;
  });
  window->session().setConfig(other, QStringLiteral("choose another observer"));
  QCOMPARE(taken.count(), 1);
  QCOMPARE(taken[0][0].value<AdviceController::Outcome>(), AdviceController::Outcome::Overtaken);
  QVERIFY(window.config() == other);
  window.waitForEnd();
  QVERIFY(window.config() == other);
}

void FindingsTest::goingToTheLayerShowsTheGraph() {
  const FindingsBench window;
  QVERIFY(window.bringUp(Spot::Heatmap));
  window.click(window.first("per_channel"));
  QTest::keyClick(&window.findings().tree(), Qt::Key_Return);
  QVERIFY(window.view<GraphView>().isVisible());
}

void FindingsTest::everyActionStandsInTheMenu() {
  const FindingsBench window;
  QList<QAction*> inMenus;
  for (const QMenu* menu : window->findChildren<QMenu*>()) inMenus << menu->actions();
  const QList<QAction*> actions = window.findings().findingActions();
  QVERIFY(!actions.isEmpty());
  for (QAction* action : actions) QVERIFY2(inMenus.contains(action), qPrintable(action->text()));
}

void FindingsTest::dismissingIsUndone() {
  const FindingsBench window;
  QVERIFY(window.bringUp(Spot::Graph));
  const Finding finding = window.first("per_channel");
  const std::size_t layer = window.layerOf(finding);
  const std::size_t listed = window.listed();
  const std::size_t badge = window.badge(layer);
  window.click(finding);
  window.press(QStringLiteral("Dismiss"));
  QCOMPARE(window.listed(), listed - 1);
  QVERIFY(!window.lists(finding.id));
  QCOMPARE(window.badge(layer), badge - 1);
  QVERIFY(window.findings().chosen() != nullptr);
  window.action(ActionId::Undo)->trigger();
  QVERIFY(window.lists(finding.id));
  QCOMPARE(window.badge(layer), badge);
  window.action(ActionId::Redo)->trigger();
  QVERIFY(!window.lists(finding.id));
  // Another result does not bring it back.
  window.action(ActionId::Run)->trigger();
  window.waitForEnd();
  QVERIFY(!window.lists(finding.id));
}

void FindingsTest::thresholdsNeedNoNewRun() {
  const FindingsBench window;
  const SnapshotPtr before = window->session().snapshot();
  const std::size_t outliers = window.count("outlier");
  auto& ratio = *window.view<ThresholdForm>().findChild<QDoubleSpinBox*>();
  ratio.setValue(1);
  window.waitForEnd();
  const SnapshotPtr after = window->session().snapshot();
  QVERIFY(after != before);
  QVERIFY(after->observations == before->observations);
  QVERIFY(after->quantized == before->quantized);
  QVERIFY(window.count("outlier") > outliers);
  QVERIFY(window.lists(window.first("outlier").id));
  window.action(ActionId::Undo)->trigger();
  window.waitForEnd();
  QCOMPARE(window.count("outlier"), outliers);
  QVERIFY(ratio.value() != 1);
}

void FindingsTest::aBadgeListsItsFindings() {
  const FindingsBench window;
  QVERIFY(window.bringUp(Spot::Graph));
  std::size_t counted = 0;
  std::size_t ofLayers = 0;
  for (std::size_t i = 0; i < window.layerCount(); ++i) counted += window.badge(i);
  for (const Finding& finding : window.all()) ofLayers += finding.node.valid() ? 1 : 0;
  QCOMPARE(counted, ofLayers);
  const std::size_t layer = window.layerOf(window.first("per_channel"));
  window.panel("findings").hide();
  const DrawnBox& box = window.scene().boxes()[window.scene().boxOfLayer(layer).value()];
  const QRectF badge = badgeRect(box, {window.badge(layer), Severity::Info}, detailAt(1));
  window.clickDrawing(badge.center());
  QVERIFY(window.findings().isVisible());
  QCOMPARE(window.listed(), window.badge(layer));
  for (const Finding* finding : window.model().listed()) QCOMPARE(window.layerOf(*finding), layer);
  QCOMPARE(window.selectedLayer(), std::optional(layer));
  window.findings().setQuery(window.findings().query().unfiltered());
  QCOMPARE(window.listed(), window.all().size());
}

void FindingsTest::searchGoesToAFinding_data() {
  QTest::addColumn<Spot>("front");
  QTest::newRow("from the graph") << Spot::Graph;
  QTest::newRow("from the layers") << Spot::Layers;
}

void FindingsTest::searchGoesToAFinding() {
  QFETCH(Spot, front);
  const FindingsBench window;
  QVERIFY(window.bringUp(Spot::Graph));
  QVERIFY(window.bringUp(front));
  FindingsQuery query;
  query.detector = "outlier";
  window.findings().setQuery(query);
  QLineEdit* search = window->toolBar().search();
  window.action(ActionId::Find)->trigger();
  QTest::keyClicks(search, QStringLiteral("per-CHANNEL WEIGHTS"));
  QTest::keyClick(search, Qt::Key_Return);
  const Finding* chosen = window.findings().chosen();
  QVERIFY(chosen != nullptr);
  QCOMPARE(chosen->detector, std::string("per_channel"));
  QCOMPARE(window.selectedLayer(), std::optional(window.layerOf(*chosen)));
  const std::string first = chosen->id;
  QTest::keyClick(search, Qt::Key_Return);
  QVERIFY(window.findings().chosen()->id != first);
  QCOMPARE(window.findings().chosen()->detector, std::string("per_channel"));
  QTest::keyClick(search, Qt::Key_Return, Qt::ShiftModifier);
  QCOMPARE(window.findings().chosen()->id, first);
}

void FindingsTest::goingFromFindingToFinding() {
  const FindingsBench window;
  window.action(ActionId::NextFinding)->trigger();
  QCOMPARE(window.findings().chosen()->id, window.model().listed()[0]->id);
  window.action(ActionId::NextFinding)->trigger();
  QCOMPARE(window.findings().chosen()->id, window.model().listed()[1]->id);
  QVERIFY(window->session().selection().current().node == window.findings().chosen()->node);
  window.action(ActionId::PreviousFinding)->trigger();
  QCOMPARE(window.findings().chosen()->id, window.model().listed()[0]->id);
}

void FindingsTest::gainsComeWithTheEndOfTheJob() {
  const FindingsBench window;
  window.action(ActionId::Run)->trigger();
  const auto gain = [&] {
    return window.model()
        .find(window.first("per_channel").id)
        .siblingAtColumn(FindingsModel::kGain);
  };
  const auto words = [&] { return gain().data(FindingsModel::kGainTextRole).toString(); };
  // It is awaited, or on a fast machine there at once.
  QTRY_VERIFY(words() != QStringLiteral("–"));
  window.waitForGains();
  QVERIFY(window.first("per_channel").suggestion->gainDb.has_value());
  QCOMPARE(gain().data().toDouble(), *window.first("per_channel").suggestion->gainDb);
  QVERIFY2(words() != QStringLiteral("…") && words() != QStringLiteral("–"), qPrintable(words()));
}

void FindingsTest::bottomPanelsSpanTheWindow() {
  {
    const Workbench window;
    const QDockWidget& findings = *window->findChild<QDockWidget*>(QStringLiteral("findings"));
    QCOMPARE(findings.x(), 0);
    QCOMPARE(findings.width(), window->width());
    // As it was saved before, with panels at the sides down to the bottom.
    window->setCorner(Qt::BottomLeftCorner, Qt::LeftDockWidgetArea);
    window->setCorner(Qt::BottomRightCorner, Qt::RightDockWidgetArea);
    openSettings().setValue(QStringLiteral("window/panels"), window->saveState(2));
  }
  const TestWindow window(false);
  window.openSample(1);
  QCoreApplication::processEvents();
  QCOMPARE(window->findChild<QDockWidget*>(QStringLiteral("findings"))->width(), window->width());
}

QUANTSCOPE_TEST(FindingsTest)
#include "test_findings.moc"
