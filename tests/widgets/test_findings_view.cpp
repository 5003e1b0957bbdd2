#include <QClipboard>
#include <QComboBox>
#include <QGuiApplication>
#include <QHeaderView>
#include <QLabel>
#include <QLineEdit>
#include <QPushButton>
#include <QSignalSpy>
#include <QToolButton>
#include <QTreeView>
#include <QtTest>

#include "support/sample_snapshot.h"
#include "support/test_main.h"
#include "widgets/findings/evidence_pane.h"
#include "widgets/findings/finding_filters.h"
#include "widgets/findings/findings_model.h"
#include "widgets/findings/findings_view.h"
#include "widgets/findings/threshold_form.h"
#include "widgets/look/text.h"
#include "widgets/made_findings.h"
#include "widgets/words/finding_places.h"

using namespace quantscope;
using namespace quantscope::test;

namespace {

struct FindingsFixture {
  Selection selection;
  DisplayOptions options;
  FindingsView view{ViewContext{&selection, &options}};
  QTreeView& tree = view.tree();
  FindingsModel& model = static_cast<FindingsModel&>(*tree.model());

  explicit FindingsFixture(SnapshotPtr snapshot = snapshotWith(fourFindings())) {
    view.resize(1400, 260);
    view.setSnapshot(std::move(snapshot));
    view.show();
    QCoreApplication::processEvents();
  }

  QString chosen() const { return view.chosen() == nullptr ? QString() : text(view.chosen()->id); }
  QString listed() const {
    QStringList ids;
    for (const Finding* finding : model.listed()) ids << text(finding->id);
    return ids.join(u' ');
  }
  void click(const char* id) {
    const QRect row = tree.visualRect(model.find(std::string(id)));
    QTest::mouseClick(tree.viewport(), Qt::LeftButton, {}, row.center());
  }
  void key(Qt::Key key, Qt::KeyboardModifiers modifiers = {}) {
    QTest::keyClick(&tree, key, modifiers);
  }
  NodeId node(std::size_t layer) const { return view.snapshot()->result->layers[layer].node; }
  bool says(const QString& part) const {
    for (const QLabel* label : view.findChildren<QLabel*>()) {
      if (label->isVisible() && label->text().contains(part)) return true;
    }
    return false;
  }
  QPushButton* button(const QString& title) const {
    for (QPushButton* button : view.findChildren<QPushButton*>()) {
      if (button->isVisible() && button->text() == title) return button;
    }
    return nullptr;
  }
  template <class Widget>
  Widget& named(const QString& name) const {
    for (Widget* widget : view.findChildren<Widget*>()) {
      if (widget->accessibleName() == name) return *widget;
    }
    qFatal("no %s", qPrintable(name));
  }
};

}  // namespace

class FindingsViewTest : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void choosingSelectsLayerAndChannel();
  void theKeyboardDoesEverything();
  void dismissingGoesOn();
  void applyingAskedForByEveryWay();
  void theButtonSaysWhatComesOfIt();
  void copiesAsText();
  void emptyStatesSayWhyAndHelp();
  void aPlaceIsListedAlone();
  void choosingClearsWhatHides();
  void filtersAreFields();
  void anotherModelIsListedWhole();
  void whatLosesIsNotAppliedWithItsKind();
  void allAreAcceptedOnceTheirGainsAreKnown();
  void aHeadingFoldsByDoubleClick();
  void defaultsLeaveCalibrationAlone();
  void theChosenOneOutlivesNewGains();
  void foldedGroupsStayFolded();
  void followsTheSelection();
  void sentencesGetTheRoom();
  void everythingHasAName();
  void stateIsKept();
};

void FindingsViewTest::choosingSelectsLayerAndChannel() {
  FindingsFixture fixture;
  QVERIFY(fixture.says(QStringLiteral("Select a finding")));
  fixture.click("a1");
  QVERIFY(fixture.selection.current().node == fixture.node(2));
  QCOMPARE(fixture.selection.current().channel, 3);
  QVERIFY(fixture.says(QStringLiteral("Reason of a1.")));
  QVERIFY(fixture.view.findChild<EvidencePane*>()->isVisible());
  fixture.click("c1");
  QVERIFY(fixture.selection.current().node == fixture.node(0));
  QCOMPARE(fixture.selection.current().channel, -1);
  QVERIFY(fixture.button(QStringLiteral("Apply")) == nullptr);
}

void FindingsViewTest::theKeyboardDoesEverything() {
  FindingsFixture fixture;
  QSignalSpy graph(&fixture.selection, &Selection::graphRequested);
  QSignalSpy applied(&fixture.view, &FindingsView::applyRequested);
  QSignalSpy dismissed(&fixture.view, &FindingsView::dismissRequested);
  fixture.tree.setFocus();
  fixture.view.activateWindow();
  QVERIFY(QTest::qWaitForWindowActive(&fixture.view));
  fixture.click("a1");
  fixture.key(Qt::Key_Return);
  QCOMPARE(graph.count(), 1);
  // What is selected no more is selected anew.
  fixture.selection.clear();
  fixture.key(Qt::Key_Return);
  QCOMPARE(graph.count(), 2);
  QVERIFY(fixture.selection.current().node == fixture.node(2));
  fixture.key(Qt::Key_A);
  QCOMPARE(applied.count(), 1);
  fixture.key(Qt::Key_Down);  // the heading
  fixture.key(Qt::Key_Down);
  QCOMPARE(fixture.chosen(), QStringLiteral("b1"));
  fixture.key(Qt::Key_Up);
  fixture.key(Qt::Key_Up);
  QCOMPARE(fixture.chosen(), QStringLiteral("a1"));
  fixture.key(Qt::Key_A, Qt::ShiftModifier);
  QCOMPARE(applied.count(), 2);
  fixture.key(Qt::Key_Delete);
  QCOMPARE(dismissed.count(), 1);
  QCOMPARE(dismissed[0][0].value<std::string>(), std::string("a1"));
}

void FindingsViewTest::dismissingGoesOn() {
  FindingsFixture fixture;
  Dismissed dismissed;
  QObject::connect(&fixture.view, &FindingsView::dismissRequested, &fixture.view,
                   [&](const std::string& id, bool aside) {
                     aside ? void(dismissed.insert(id)) : void(dismissed.erase(id));
                     fixture.view.setDismissed(dismissed);
                   });
  fixture.view.choose("b1");
  fixture.button(QStringLiteral("Dismiss"))->click();
  QCOMPARE(fixture.listed(), QStringLiteral("a1 b2 c1"));
  QCOMPARE(fixture.chosen(), QStringLiteral("b2"));
  QVERIFY(fixture.selection.current().node == fixture.node(5));
  fixture.view.choose("c1");
  fixture.button(QStringLiteral("Dismiss"))->click();
  QCOMPARE(fixture.chosen(), QStringLiteral("b2"));
  FindingsQuery query;
  query.withDismissed = true;
  fixture.view.setQuery(query);
  QCOMPARE(fixture.listed(), QStringLiteral("a1 b1 b2 c1"));
  fixture.view.choose("b1");
  fixture.button(QStringLiteral("Bring Back"))->click();
  QVERIFY(dismissed == Dismissed{"c1"});
  QCOMPARE(fixture.chosen(), QStringLiteral("b1"));
}

void FindingsViewTest::applyingAskedForByEveryWay() {
  FindingsFixture fixture;
  QSignalSpy applied(&fixture.view, &FindingsView::applyRequested);
  QSignalSpy acceptAll(&fixture.view, &FindingsView::acceptAllRequested);
  fixture.view.choose("a1");
  fixture.button(QStringLiteral("Apply"))->click();
  auto changes = applied[0][0].value<std::vector<ConfigChange>>();
  QCOMPARE(changes.size(), std::size_t{1});
  QCOMPARE(changes[0].node, fixture.view.snapshot()->result->layers[2].name);
  fixture.button(QStringLiteral("Apply All 2"))->click();
  changes = applied[1][0].value<std::vector<ConfigChange>>();
  QCOMPARE(changes.size(), std::size_t{2});
  QCOMPARE(changes[1].node, fixture.view.snapshot()->result->layers[5].name);
  // A single one of its kind has nobody to go along.
  fixture.view.choose("b1");
  QVERIFY(fixture.button(QStringLiteral("Apply")) != nullptr);
  QVERIFY(fixture.button(QStringLiteral("Apply All 1")) == nullptr);
  fixture.button(QStringLiteral("Apply What Helps"))->click();
  QCOMPARE(acceptAll.count(), 1);
}

void FindingsViewTest::theButtonSaysWhatComesOfIt() {
  FindingsFixture fixture;
  KnownAdvice known;
  known.data = fixture.view.snapshot()->data;
  known.config = fixture.view.snapshot()->request.config;
  known.all = Advice{
      .config = {}, .changes = {{"set /a to int16"}}, .layers = {}, .fromDb = 7.2, .toDb = 14.9};
  fixture.view.setAdvice(std::make_shared<KnownAdvice>(known));
  const QPushButton* button = fixture.view.findChild<QPushButton*>(QStringLiteral("accept-all"));
  QVERIFY2(button->text().startsWith(QStringLiteral("Apply 1 change: 7.2 → 14.9 dB")),
           qPrintable(button->text()));
  QVERIFY(button->toolTip().contains(QStringLiteral("set /a to int16")));
  known.all->fromDb = -0.1;
  fixture.view.setAdvice(std::make_shared<KnownAdvice>(known));
  QVERIFY2(button->text().startsWith(QStringLiteral("Apply 1 change: −0.1 → 14.9 dB")),
           qPrintable(button->text()));
  // Nothing helps.
  known.all->changes.clear();
  fixture.view.setAdvice(std::make_shared<KnownAdvice>(known));
  QVERIFY(!button->isEnabled());
  // Of another configuration.
  known.config.precision.edit(
      [](PrecisionConfig& config) { config.defaults.weight.type = QuantType::Int4; });
  fixture.view.setAdvice(std::make_shared<KnownAdvice>(known));
  QVERIFY(button->isEnabled());
  QCOMPARE(button->text(), QStringLiteral("Apply What Helps"));
}

void FindingsViewTest::copiesAsText() {
  FindingsFixture fixture;
  fixture.view.choose("b1");
  fixture.tree.setFocus();
  fixture.view.activateWindow();
  QVERIFY(QTest::qWaitForWindowActive(&fixture.view));
  QTest::keyClick(&fixture.tree, Qt::Key_C, Qt::ControlModifier);
  const QStringList lines = QGuiApplication::clipboard()->text().split(u'\n');
  QCOMPARE(lines.size(), 4);
  QCOMPARE(lines[0], QStringLiteral("Sentence of b1."));
  QCOMPARE(lines[1], QStringLiteral("Reason of b1."));
  QVERIFY(lines[2].startsWith(QStringLiteral("Saturation (values beyond the grid, share): 9")));
  QVERIFY2(lines[3].contains(QStringLiteral("+3.21 dB")), qPrintable(lines[3]));
}

void FindingsViewTest::emptyStatesSayWhyAndHelp() {
  FindingsFixture fixture(nullptr);
  QVERIFY(fixture.says(QStringLiteral("Open a model")));
  AnalysisRequest request = sampleRequest("digits_mobilenet", 1);
  const SnapshotPtr structure = sampleSnapshots(request).front();
  fixture.view.setSnapshot(structure);
  QSignalSpy run(&fixture.view, &FindingsView::runRequested);
  QVERIFY(fixture.says(QStringLiteral("Run the analysis")));
  fixture.button(QStringLiteral("Run"))->click();
  QCOMPARE(run.count(), 1);
  fixture.view.setRunning(true);
  QVERIFY(fixture.says(QStringLiteral("Calibrating")));
  fixture.view.setRunning(false);
  auto bare = std::make_shared<AnalysisSnapshot>(*structure);
  bare->request.data.clear();
  fixture.view.setSnapshot(bare);
  QSignalSpy data(&fixture.view, &FindingsView::dataRequested);
  QVERIFY(fixture.says(QStringLiteral("No data yet")));
  fixture.button(QStringLiteral("Choose Data…"))->click();
  QCOMPARE(data.count(), 1);
  fixture.view.setSnapshot(snapshotWith({}));
  QVERIFY(fixture.says(QStringLiteral("No findings:")));
  fixture.view.setSnapshot(snapshotWith(fourFindings()));
  QVERIFY(fixture.tree.isVisible());
  fixture.view.setDismissed({"a1", "b1", "b2", "c1"});
  QVERIFY(fixture.says(QStringLiteral("All findings are dismissed.")));
  fixture.button(QStringLiteral("Show Them"))->click();
  QCOMPARE(fixture.listed(), QStringLiteral("a1 b1 b2 c1"));
  fixture.view.setDismissed({});
  FindingsQuery query;
  query.words = QStringLiteral("nowhere");
  fixture.view.setQuery(query);
  QVERIFY(fixture.says(QStringLiteral("No finding matches")));
  fixture.button(QStringLiteral("Clear Filter"))->click();
  QCOMPARE(fixture.listed(), QStringLiteral("a1 b1 b2 c1"));
}

void FindingsViewTest::aPlaceIsListedAlone() {
  FindingsFixture fixture;
  fixture.view.choose("c1");
  const QString name = text(fixture.view.snapshot()->result->layers[2].name);
  fixture.view.showPlace(placeOfLayers(*fixture.view.snapshot(), name, {2}));
  QCOMPARE(fixture.listed(), QStringLiteral("a1 b1"));
  QCOMPARE(fixture.chosen(), QStringLiteral("a1"));
  QVERIFY(fixture.selection.current().node == fixture.node(2));
  QComboBox& place = fixture.named<QComboBox>(QStringLiteral("Part of the network"));
  QCOMPARE(place.currentText(), name);
  QToolButton& clear = fixture.named<QToolButton>(QStringLiteral("Clear filter"));
  QVERIFY(clear.isVisible());
  clear.click();
  QCOMPARE(fixture.listed(), QStringLiteral("a1 b1 b2 c1"));
  QCOMPARE(place.currentText(), QStringLiteral("Everywhere"));
  QVERIFY(!clear.isVisible());
  QCOMPARE(fixture.chosen(), QStringLiteral("a1"));
}

void FindingsViewTest::choosingClearsWhatHides() {
  FindingsFixture fixture;
  FindingsQuery query;
  query.detector = "saturation";
  query.grouping = FindingGrouping::Layer;
  fixture.view.setQuery(query);
  QCOMPARE(fixture.listed(), QStringLiteral("b1"));
  fixture.view.choose("b2");
  QCOMPARE(fixture.chosen(), QStringLiteral("b2"));
  QVERIFY(!fixture.view.query().filters());
  QVERIFY(fixture.view.query().grouping == FindingGrouping::Layer);
  fixture.view.setDismissed({"c1"});
  fixture.view.choose("c1");
  QCOMPARE(fixture.chosen(), QStringLiteral("c1"));
  fixture.view.choose("no such finding");
  QCOMPARE(fixture.chosen(), QStringLiteral("c1"));
  fixture.view.choose("a1");
  fixture.view.step(1);
  QCOMPARE(fixture.chosen(), QStringLiteral("b1"));
  fixture.view.step(-5);
  QCOMPARE(fixture.chosen(), QStringLiteral("a1"));
}

void FindingsViewTest::filtersAreFields() {
  FindingsFixture fixture;
  const auto type = [&](const char* box, const char* words) {
    QTest::keyClicks(&fixture.named<QComboBox>(QString::fromLatin1(box)),
                     QString::fromLatin1(words));
  };
  type("Severity", "Warn");
  QCOMPARE(fixture.listed(), QStringLiteral("b1 b2"));
  type("Detector", "Outl");
  QCOMPARE(fixture.listed(), QStringLiteral("b2"));
  QTest::keyClick(&fixture.named<QComboBox>(QStringLiteral("Severity")), Qt::Key_Home);
  QCOMPARE(fixture.listed(), QStringLiteral("a1 b2"));
  QTest::keyClicks(&fixture.named<QLineEdit>(QStringLiteral("Filter findings")),
                   QStringLiteral("sentence b2"));
  QCOMPARE(fixture.listed(), QStringLiteral("b2"));
  fixture.named<QToolButton>(QStringLiteral("Clear filter")).click();
  QComboBox& place = fixture.named<QComboBox>(QStringLiteral("Part of the network"));
  QVERIFY(place.count() > 1);
  // Of a scope, all findings of the layers in it.
  const std::string scope = place.itemText(1).toStdString();
  place.setFocus();
  QTest::keyClick(&place, Qt::Key_Down);
  QCOMPARE(place.currentIndex(), 1);
  QVERIFY(!fixture.model.listed().empty());
  for (const Finding* finding : fixture.model.listed())
    QVERIFY(finding->nodeName.starts_with(scope));
}

// A part of one network is no part of another.
void FindingsViewTest::anotherModelIsListedWhole() {
  FindingsFixture fixture;
  fixture.view.showPlace(placeOfLayers(*fixture.view.snapshot(), QStringLiteral("a part"), {2}));
  QCOMPARE(fixture.listed(), QStringLiteral("a1 b1"));
  const SnapshotPtr other = sampleSnapshots(sampleRequest("digits_transformer", 2)).back();
  fixture.view.setSnapshot(other);
  QCOMPARE(fixture.model.listed().size(), other->detected->findings.size());
  QVERIFY(!fixture.view.query().filters());
  QCOMPARE(fixture.named<QComboBox>(QStringLiteral("Part of the network")).currentText(),
           QStringLiteral("Everywhere"));
}

void FindingsViewTest::whatLosesIsNotAppliedWithItsKind() {
  std::vector<MadeFinding> findings = fourFindings();
  findings[2].gainDb = -0.5;  // of the same detector as the first
  FindingsFixture fixture(snapshotWith(findings));
  fixture.view.choose("a1");
  QVERIFY(fixture.button(QStringLiteral("Apply")) != nullptr);
  QVERIFY(fixture.button(QStringLiteral("Apply All 2")) == nullptr);
}

void FindingsViewTest::allAreAcceptedOnceTheirGainsAreKnown() {
  FindingsFixture fixture;
  QPushButton& accept = *fixture.button(QStringLiteral("Apply What Helps"));
  QVERIFY(accept.isEnabled());
  fixture.view.setRunning(true);
  QVERIFY(!accept.isEnabled());
  fixture.view.setRunning(false);
  QVERIFY(accept.isEnabled());
}

void FindingsViewTest::aHeadingFoldsByDoubleClick() {
  FindingsFixture fixture;
  const QModelIndex heading = fixture.model.index(0, 0);
  Q_EMIT fixture.tree.doubleClicked(heading);
  QVERIFY(!fixture.tree.isExpanded(heading));
  Q_EMIT fixture.tree.doubleClicked(heading);
  QVERIFY(fixture.tree.isExpanded(heading));
}

void FindingsViewTest::defaultsLeaveCalibrationAlone() {
  ThresholdForm form;
  DetectorThresholds thresholds;
  thresholds.outlierRatio = 9;
  thresholds.referencePercentile = 0.9;
  form.setThresholds(thresholds);
  const QSignalSpy changed(&form, &ThresholdForm::changed);
  form.findChild<QPushButton*>()->click();
  QCOMPARE(changed.count(), 1);
  DetectorThresholds expected;
  expected.referencePercentile = 0.9;
  QVERIFY(changed[0][0].value<DetectorThresholds>() == expected);
  form.findChild<QPushButton*>()->click();
  QCOMPARE(changed.count(), 1);
}

void FindingsViewTest::theChosenOneOutlivesNewGains() {
  FindingsFixture fixture;
  fixture.view.choose("a1");
  fixture.view.setRunning(true);
  QVERIFY(fixture.says(QStringLiteral("being simulated")));
  std::vector<MadeFinding> findings = fourFindings();
  findings[0].gainDb = 2.5;
  fixture.view.setSnapshot(snapshotWith(findings));
  QCOMPARE(fixture.chosen(), QStringLiteral("a1"));
  QVERIFY(fixture.says(QStringLiteral("+2.50 dB")));
  QVERIFY(fixture.tree.selectionModel()->isSelected(fixture.model.find(std::string("a1"))));
  findings.erase(findings.begin());
  fixture.view.setSnapshot(snapshotWith(findings));
  QVERIFY(fixture.chosen() != QStringLiteral("a1"));
}

void FindingsViewTest::foldedGroupsStayFolded() {
  FindingsFixture fixture;
  fixture.tree.collapse(fixture.model.index(1, 0));
  std::vector<MadeFinding> findings = fourFindings();
  findings.pop_back();
  fixture.view.setSnapshot(snapshotWith(findings));
  QVERIFY(fixture.tree.isExpanded(fixture.model.index(0, 0)));
  QVERIFY(!fixture.tree.isExpanded(fixture.model.index(1, 0)));
  // A group opens for what is chosen in it.
  fixture.view.choose("b1");
  QVERIFY(fixture.tree.isExpanded(fixture.model.index(1, 0)));
}

void FindingsViewTest::followsTheSelection() {
  FindingsFixture fixture;
  fixture.selection.selectNode(fixture.node(5));
  QCOMPARE(fixture.chosen(), QStringLiteral("b2"));
  fixture.selection.selectNode(fixture.node(1));
  QCOMPARE(fixture.chosen(), QString());
  QVERIFY(fixture.selection.current().node == fixture.node(1));
}

void FindingsViewTest::sentencesGetTheRoom() {
  FindingsFixture fixture;
  fixture.view.resize(2400, 260);
  QCoreApplication::processEvents();
  QVERIFY(!fixture.tree.isColumnHidden(FindingsModel::kThreshold));
  const int line = fixture.tree.visualRect(fixture.model.find(std::string("a1"))).height();
  fixture.view.resize(1000, 260);
  QCoreApplication::processEvents();
  QVERIFY(fixture.tree.isColumnHidden(FindingsModel::kStatistic));
  QVERIFY(fixture.tree.isColumnHidden(FindingsModel::kThreshold));
  QVERIFY(!fixture.tree.isColumnHidden(FindingsModel::kGain));
  QVERIFY(fixture.tree.columnWidth(FindingsModel::kSentence) >=
          fixture.tree.columnWidth(FindingsModel::kLayer));
  // A sentence that has little room has two lines.
  QVERIFY(fixture.tree.visualRect(fixture.model.find(std::string("a1"))).height() > line);
}

void FindingsViewTest::everythingHasAName() {
  FindingsFixture fixture;
  fixture.view.choose("a1");
  for (const QWidget* widget : fixture.view.findChildren<QWidget*>()) {
    const auto* button = qobject_cast<const QAbstractButton*>(widget);
    const bool field = qobject_cast<const QComboBox*>(widget) != nullptr ||
                       qobject_cast<const QTreeView*>(widget) != nullptr;
    if (button == nullptr && !field) continue;
    if (!widget->isVisible() || widget->objectName().startsWith(QStringLiteral("qt_"))) continue;
    const bool named =
        !widget->accessibleName().isEmpty() || (button != nullptr && !button->text().isEmpty());
    if (qobject_cast<const QLineEdit*>(widget->parentWidget()) != nullptr) continue;  // Qt's own
    QVERIFY2(named, widget->metaObject()->className());
    const bool told = !widget->toolTip().isEmpty() || qobject_cast<const QTreeView*>(widget);
    QVERIFY2(told, qPrintable(widget->accessibleName()));
  }
}

void FindingsViewTest::stateIsKept() {
  FindingsFixture fixture;
  FindingsQuery query;
  query.grouping = FindingGrouping::None;
  fixture.view.setQuery(query);
  fixture.tree.header()->resizeSection(FindingsModel::kLayer, 222);
  FindingsFixture other;
  QVERIFY(other.view.restoreState(fixture.view.saveState()));
  QVERIFY(other.view.query().grouping == FindingGrouping::None);
  QCOMPARE(other.tree.columnWidth(FindingsModel::kLayer), 222);
  QVERIFY(!other.view.restoreState("nothing of this kind"));
}

QUANTSCOPE_TEST(FindingsViewTest)
#include "test_findings_view.moc"
