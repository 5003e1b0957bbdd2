#include <QLineEdit>
#include <QPushButton>
#include <QtTest>

#include "support/test_main.h"
#include "ui/workbench.h"
#include "widgets/controls/command_palette.h"
#include "widgets/inspector/inspector_view.h"
#include "widgets/inspector/quantized/group_section.h"
#include "widgets/words/group_words.h"
#include "widgets/words/point_choices.h"

using namespace quantscope;
using namespace quantscope::test;

namespace {

struct GroupBench : Workbench {
  const AnalysisSnapshot& shown() const { return *window->session().snapshot(); }
  const ObserverGroups& groups() const { return shown().quantized->groups; }
  const HandSharing& sharing() const {
    return window->session().request().config.precision->groups;
  }
  std::size_t groupOf(std::size_t point) const { return groups().points[point].group; }
  const std::optional<QuantParams>& gridOf(std::size_t point) const {
    return shown().quantized->groupParams[groupOf(point)];
  }

  // The first edge, of a layer, whose value another layer makes and quantizes.
  std::size_t someEdge() const {
    for (std::size_t i = 0; i < groups().points.size(); ++i) {
      const QuantizationPoint& point = groups().points[i];
      if (!point.isOutput() && shown().graph()[point.value].producer.valid()) return i;
    }
    qFatal("no edge");
  }

  void select(std::size_t point) const {
    const QuantizationPoint& place = groups().points[point];
    window->session().selection().select(
        {.node = place.consumer, .scope = {}, .value = place.value});
    QCoreApplication::processEvents();
  }

  void press(const char* title) const {
    for (QPushButton* button : view<GroupSection>().findChildren<QPushButton*>()) {
      if (button->text() == QString::fromUtf8(title) && button->isVisible()) return button->click();
    }
    qFatal("no button %s in sight", title);
  }
};

}  // namespace

/// Observer groups merged and split in the window, and undone.
class ObserverGroupsTest : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void partAndUndo();
  void joinAndUndo();
  void whatContradictsIsToldAndNotDone();
};

void ObserverGroupsTest::partAndUndo() {
  const GroupBench bench;
  const std::size_t edge = bench.someEdge();
  const std::size_t members = bench.groups().members[bench.groupOf(edge)].size();
  QVERIFY(members > 1);
  bench.select(edge);
  bench.press("Split from Group");
  bench.waitForEnd();
  QCOMPARE(bench.sharing().part.size(), std::size_t{1});
  QCOMPARE(bench.groups().members[bench.groupOf(edge)].size(), std::size_t{1});
  QVERIFY(bench.action(ActionId::Undo)->text().contains("split the edge"));
  bench.press("Undo Split");
  bench.waitForEnd();
  QVERIFY(bench.sharing().empty());
  bench.action(ActionId::Undo)->trigger();
  bench.action(ActionId::Undo)->trigger();
  bench.waitForEnd();
  QVERIFY(bench.sharing().empty());
  QCOMPARE(bench.groups().members[bench.groupOf(edge)].size(), members);
  QVERIFY(!bench.action(ActionId::Undo)->isEnabled());
}

void ObserverGroupsTest::joinAndUndo() {
  const GroupBench bench;
  const std::size_t edge = bench.someEdge();
  const std::optional<QuantParams> before = bench.gridOf(edge);
  // A group of a wider range, so that the grid has to change.
  std::optional<std::size_t> wider;
  for (const std::size_t other : joinablePoints(bench.shown(), edge)) {
    if (bench.gridOf(other)->grids[0].scale > 1.5F * before->grids[0].scale) wider = other;
  }
  QVERIFY(wider.has_value());
  const QString title = pointTitle(bench.shown().graph(), bench.groups().points[*wider]);
  bench.select(edge);
  bench.press("Merge with…");
  const auto& palette =
      *bench.window->findChild<InspectorView*>()->window()->findChild<CommandPalette*>(
          QStringLiteral("points"));
  QVERIFY(palette.isVisible());
  palette.field()->setText(title);
  QTest::keyClick(palette.field(), Qt::Key_Return);
  bench.waitForEnd();
  QCOMPARE(bench.sharing().join.size(), std::size_t{1});
  QCOMPARE(bench.groupOf(edge), bench.groupOf(*wider));
  QVERIFY(bench.gridOf(edge) != before);
  QVERIFY(bench.action(ActionId::Undo)->text().contains("merge the edge"));
  bench.action(ActionId::Undo)->trigger();
  bench.waitForEnd();
  QVERIFY(bench.sharing().empty());
  QVERIFY(bench.gridOf(edge) == before);
  bench.action(ActionId::Redo)->trigger();
  bench.waitForEnd();
  QCOMPARE(bench.groupOf(edge), bench.groupOf(*wider));
}

void ObserverGroupsTest::whatContradictsIsToldAndNotDone() {
  const GroupBench bench;
  const std::size_t edge = bench.someEdge();
  const PointName name = pointName(bench.shown().graph(), bench.groups().points[edge]);
  const PointName output{name.producer, {}};
  const SnapshotPtr before = bench.window->session().snapshot();
  Q_EMIT bench.view<InspectorView>().editRequested(
      {"Contradict",
       {{.place = ConfigStep::Entry::Groups, .value = HandSharing{{{output, name}}, {name}}}}});
  QVERIFY2(bench.messages().contains("What is shared by hand splits"),
           qPrintable(bench.messages()));
  QVERIFY(bench.sharing().empty());
  QVERIFY(bench.window->session().snapshot() == before);
  QVERIFY(!bench.action(ActionId::Undo)->isEnabled());
}

QUANTSCOPE_TEST(ObserverGroupsTest)
#include "test_observer_groups.moc"
