#include <QComboBox>
#include <QLabel>
#include <QLineEdit>
#include <QListView>
#include <QPushButton>
#include <QSignalSpy>
#include <QtTest>

#include "precision/edits/config_edit.h"
#include "support/sample_snapshot.h"
#include "support/test_main.h"
#include "widgets/controls/command_palette.h"
#include "widgets/inspector/inspector_view.h"
#include "widgets/inspector/parts/cell_table.h"
#include "widgets/inspector/quantized/group_section.h"
#include "widgets/look/text.h"
#include "widgets/words/group_words.h"
#include "widgets/words/point_choices.h"

using namespace quantscope;
using test::sampleSnapshot;

namespace {

const ObserverGroups& groupsOf(const SnapshotPtr& snapshot) {
  return snapshot->quantized->groups;
}

SnapshotPtr analysed(const PrecisionConfig& config) {
  AnalysisRequest request = test::sampleRequest("digits_mobilenet", 2);
  request.config = config;
  return test::sampleSnapshots(request).back();
}

// The first point that fits.
template <class Fits>
std::size_t pointWhere(const SnapshotPtr& snapshot, Fits fits) {
  const ObserverGroups& groups = groupsOf(snapshot);
  for (std::size_t i = 0; i < groups.points.size(); ++i) {
    if (fits(groups.points[i])) return i;
  }
  qFatal("no such point");
}

// An output that several edges share, and one of those edges.
std::size_t sharedOutput(const SnapshotPtr& snapshot) {
  return pointWhere(snapshot, [&](const QuantizationPoint& point) {
    return point.isOutput() && groupsOf(snapshot).members[point.group].size() == 3 &&
           !joinablePoints(*snapshot, groupsOf(snapshot).members[point.group][0]).empty();
  });
}

std::size_t edgeOf(const SnapshotPtr& snapshot, std::size_t output) {
  return pointWhere(snapshot, [&](const QuantizationPoint& point) {
    return !point.isOutput() && point.value == groupsOf(snapshot).points[output].value;
  });
}

struct GroupBench {
  Selection selection;
  DisplayOptions options;
  InspectorView view{{&selection, &options}};
  QSignalSpy requests{&view, &InspectorView::editRequested};

  explicit GroupBench(SnapshotPtr snapshot = sampleSnapshot()) {
    view.resize(360, 3200);
    view.show();
    view.setSnapshot(std::move(snapshot));
  }

  // Selects the layer that makes a value.
  void selectMakerOf(std::size_t output) {
    const SnapshotPtr& snapshot = view.snapshot();
    const ValueId value = groupsOf(snapshot).points[output].value;
    const LayerIndex index(*snapshot->result);
    const auto layer = index.find(snapshot->graph()[value].producer);
    selection.selectNode(snapshot->result->layers[layer.value()].node);
  }

  GroupSection& section() { return *view.findChild<GroupSection*>(); }
  CellTable& table(const char* name) {
    for (CellTable* table : section().findChildren<CellTable*>()) {
      if (table->accessibleName() == QLatin1String(name)) return *table;
    }
    qFatal("no table %s", name);
  }
  QPushButton& button(const char* title) {
    for (QPushButton* button : section().findChildren<QPushButton*>()) {
      if (button->text() == QString::fromUtf8(title)) return *button;
    }
    qFatal("no button %s", title);
  }
  HandSharing asked() { return requests.last()[0].value<ConfigEdit>().apply({}).precision->groups; }
};

QString groupCell(const CellTable& table, int row, int column) {
  return table.model()->index(row, column).data().toString();
}

}  // namespace

/// The inspector's section about who shares an observer.
class GroupSectionTest : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void listsTheMembers();
  void saysWhatTheGridIs();
  void saysThatAnEncodingSetsTheRange();
  void membersLeadToEachOther();
  void placesOfALayer();
  void inputOfTheModel();
  void isNotThereWithoutQuantization();
  void reasons();
  void parts();
  void joins();
  void takesBack();
  void onlyTheBackendShares();
  void compatiblePoints();
  void namesOfAPattern();
};

void GroupSectionTest::listsTheMembers() {
  GroupBench bench;
  const SnapshotPtr snapshot = sampleSnapshot();
  const std::size_t output = sharedOutput(snapshot);
  bench.selectMakerOf(output);
  QVERIFY(bench.section().isVisible());
  const CellTable& members = bench.table("Members");
  const std::vector<std::size_t>& expected =
      groupsOf(snapshot).members[groupsOf(snapshot).points[output].group];
  QCOMPARE(members.model()->rowCount(), static_cast<int>(expected.size()));
  for (std::size_t i = 0; i < expected.size(); ++i) {
    const QuantizationPoint& point = groupsOf(snapshot).points[expected[i]];
    const QString shown = groupCell(members, static_cast<int>(i), 0);
    QCOMPARE(members.model()->index(static_cast<int>(i), 0).data(Qt::ToolTipRole).toString(),
             pointTitle(snapshot->graph(), point));
    // Scopes that all have in common, and the value that the row above has named, go without
    // saying.
    const PointName name = pointName(snapshot->graph(), point);
    QVERIFY2(
        shown.startsWith(point.isOutput() ? QStringLiteral("output of ") : QStringLiteral("→ ")),
        qPrintable(shown));
    const QString last = text(point.isOutput() ? name.producer : name.consumer);
    QVERIFY2(last.endsWith(shown.section(u' ', -1)), qPrintable(shown));
    QCOMPARE(groupCell(members, static_cast<int>(i), 1),
             point.isOutput() ? QStringLiteral("observer") : QStringLiteral("reuses the output's"));
  }
}

void GroupSectionTest::saysWhatTheGridIs() {
  GroupBench bench;
  const SnapshotPtr snapshot = sampleSnapshot();
  const std::size_t output = sharedOutput(snapshot);
  bench.selectMakerOf(output);
  const QuantParams& params =
      snapshot->quantized->groupParams[groupsOf(snapshot).points[output].group].value();
  QStringList facts;
  const CellTable& grid = bench.table("Grid");
  for (int row = 0; row < grid.model()->rowCount(); ++row) {
    facts << groupCell(grid, row, 0) + u' ' + groupCell(grid, row, 1);
  }
  const Range range = params.representable(params.grids.at(0));
  QVERIFY2(facts.contains(QStringLiteral("scale ") + shortText(params.grids[0].scale)),
           qPrintable(facts.join(u'|')));
  QVERIFY(
      facts.contains(QStringLiteral("zero point ") + QString::number(params.grids[0].zeroPoint)));
  QVERIFY(facts.contains(QStringLiteral("representable ") + shortText(range.low) +
                         QStringLiteral(" … ") + shortText(range.high)));
  QVERIFY(facts.contains(QStringLiteral("range found by min/max")));
}

void GroupSectionTest::saysThatAnEncodingSetsTheRange() {
  AnalysisRequest request = test::sampleRequest("digits_mobilenet", 2);
  request.config = parseConfiguration(R"({"quantscope": 1, "encodings":
      {"/stem/conv/Conv": {"type": "uint8", "scale": [0.05], "zero_point": [0]}}})",
                                      "config");
  const SnapshotPtr snapshot = test::sampleSnapshots(request).back();
  const std::size_t encoded = pointWhere(snapshot, [&](const QuantizationPoint& point) {
    return point.isOutput() && pointName(snapshot->graph(), point).producer.starts_with("/stem/");
  });
  QCOMPARE(rangeSourceWords(*snapshot, groupsOf(snapshot).points[encoded].group),
           QStringLiteral("set by an encoding"));
}

void GroupSectionTest::membersLeadToEachOther() {
  GroupBench bench;
  const SnapshotPtr snapshot = sampleSnapshot();
  const std::size_t output = sharedOutput(snapshot);
  bench.selectMakerOf(output);
  CellTable& members = bench.table("Members");
  Q_EMIT members.rowActivated(1);
  const QuantizationPoint& edge =
      groupsOf(snapshot)
          .points[groupsOf(snapshot).members[groupsOf(snapshot).points[output].group][1]];
  QCOMPARE(bench.selection.current().node, edge.consumer);
  QCOMPARE(bench.selection.current().value, edge.value);
  // The edge is what is shown now, not the consumer's output.
  QCOMPARE(bench.table("Members").model()->rowCount(), 3);
  QCOMPARE(bench.table("Members").content().marked, 1);
}

void GroupSectionTest::placesOfALayer() {
  GroupBench bench;
  const SnapshotPtr snapshot = sampleSnapshot();
  const NodeId add = snapshot->result
                         ->layers[static_cast<std::size_t>(
                             std::ranges::find(snapshot->result->layers, "Add", &LayerResult::op) -
                             snapshot->result->layers.begin())]
                         .node;
  bench.selection.selectNode(add);
  auto& place = *bench.section().findChild<QComboBox*>();
  QCOMPARE(place.count(), 3);
  QCOMPARE(place.itemText(0), QStringLiteral("Output"));
  const ValueId second = snapshot->graph()[add].inputs[1];
  QCOMPARE(place.itemText(2),
           QStringLiteral("Edge from ") + text(producerName(snapshot->graph(), second)));
  QVERIFY(place.isVisible());
  place.setCurrentIndex(2);
  const CellTable& members = bench.table("Members");
  const QString title =
      members.model()->index(members.content().marked, 0).data(Qt::ToolTipRole).toString();
  QVERIFY2(title.endsWith(QStringLiteral("→ ") + text(snapshot->graph()[add].name)),
           qPrintable(title));
  // It stays over another result of the same selection.
  bench.view.setSnapshot(std::make_shared<AnalysisSnapshot>(*snapshot));
  QCOMPARE(place.currentIndex(), 2);
  bench.selection.selectNode(snapshot->result->layers[0].node);
  bench.selection.selectNode(add);
  QCOMPARE(place.currentIndex(), 0);
}

void GroupSectionTest::inputOfTheModel() {
  GroupBench bench;
  const SnapshotPtr snapshot = sampleSnapshot();
  const ValueId input = snapshot->graph().inputs()[0];
  bench.selection.select({.node = {}, .scope = {}, .value = input});
  QVERIFY(bench.section().isVisible());
  QVERIFY(groupCell(bench.table("Members"), 0, 0).startsWith(text(snapshot->graph()[input].name)));
  QCOMPARE(groupCell(bench.table("Members"), 0, 1), QStringLiteral("observer on the edge"));
}

void GroupSectionTest::isNotThereWithoutQuantization() {
  PrecisionConfig config;
  config.defaults.float32 = true;
  GroupBench bench(analysed(config));
  bench.selection.selectNode(bench.view.snapshot()->result->layers[0].node);
  QVERIFY(bench.section().isHidden());
}

void GroupSectionTest::reasons() {
  PrecisionConfig config;
  config.backend = "qnnpack";
  const SnapshotPtr before = analysed(config);
  const std::size_t sum = pointWhere(before, [&](const QuantizationPoint& point) {
    return !point.isOutput() && before->graph()[point.consumer].op == "Add";
  });
  const QString forced = sharingReasons(*before, groupsOf(before).points[sum].group).join(u'|');
  QVERIFY2(forced.contains("Backend qnnpack has one grid for all that goes through Add"),
           qPrintable(forced));
  QVERIFY(forced.contains("are one value"));
  const std::size_t other = joinablePoints(*before, sum).front();
  config.groups = joiningOf(*before, {}, sum, other).apply({}).precision->groups;
  const SnapshotPtr after = analysed(config);
  const QString joined = sharingReasons(*after, groupsOf(after).points[sum].group).join(u'|');
  QVERIFY2(joined.contains("Merged by hand: the edge"), qPrintable(joined));
  QCOMPARE(groupsOf(after).points[sum].group, groupsOf(after).points[other].group);
}

void GroupSectionTest::parts() {
  GroupBench bench;
  const SnapshotPtr snapshot = sampleSnapshot();
  const std::size_t output = sharedOutput(snapshot);
  bench.selectMakerOf(output);
  QVERIFY(bench.button("Split from Group").isEnabled());
  bench.button("Split from Group").click();
  QCOMPARE(bench.requests.size(), 1);
  const PointName name = pointName(snapshot->graph(), groupsOf(snapshot).points[output]);
  QVERIFY(bench.asked() == (HandSharing{{}, {name}}));
  QCOMPARE(QString::fromStdString(bench.requests.last()[0].value<ConfigEdit>().sentence),
           QStringLiteral("Split the output of %1 from its group").arg(text(name.producer)));
}

void GroupSectionTest::joins() {
  GroupBench bench;
  const SnapshotPtr snapshot = sampleSnapshot();
  const std::size_t output = sharedOutput(snapshot);
  bench.selectMakerOf(output);
  bench.button("Merge with…").click();
  auto& palette = *bench.view.findChild<CommandPalette*>();
  QVERIFY(palette.isVisible());
  const std::vector<std::size_t> choices = joinablePoints(*snapshot, output);
  QCOMPARE(palette.list()->model()->rowCount(), static_cast<int>(choices.size()));
  const std::size_t last = choices.back();
  palette.field()->setText(pointTitle(snapshot->graph(), groupsOf(snapshot).points[last]));
  QTest::keyClick(palette.field(), Qt::Key_Return);
  QCOMPARE(bench.requests.size(), 1);
  QCOMPARE(bench.asked().join.size(), std::size_t{1});
  const auto name = [&](std::size_t point) {
    return pointName(snapshot->graph(), groupsOf(snapshot).points[point]);
  };
  QVERIFY((bench.asked().join[0] == std::vector{name(output), name(last)}));
  QVERIFY(bench.asked().part.empty());
}

void GroupSectionTest::takesBack() {
  GroupBench bench;
  const SnapshotPtr snapshot = sampleSnapshot();
  const std::size_t output = sharedOutput(snapshot);
  const std::size_t edge = edgeOf(snapshot, output);
  bench.selectMakerOf(output);
  QVERIFY(bench.button("Undo Merge").isHidden());
  QVERIFY(bench.button("Undo Split").isHidden());
  const PointName name = pointName(snapshot->graph(), groupsOf(snapshot).points[output]);
  const PointName other = pointName(snapshot->graph(), groupsOf(snapshot).points[edge]);
  bench.view.setSharing({{{name, other}}, {name}});
  QVERIFY(!bench.button("Undo Merge").isHidden());
  bench.button("Undo Merge").click();
  QVERIFY(bench.asked() == (HandSharing{{}, {name}}));
  bench.button("Undo Split").click();
  QVERIFY(bench.asked() == (HandSharing{{{name, other}}, {}}));
}

// A group that only a data mover makes cannot be split, and the tool tip says so.
void GroupSectionTest::onlyTheBackendShares() {
  const SnapshotPtr snapshot = sampleSnapshot();
  QuantizedModel model = *snapshot->quantized;
  std::erase_if(model.groups.links,
                [](const SharingLink& link) { return link.cause == SharingCause::SameValue; });
  const auto link = std::ranges::find_if(model.groups.links, [&](const SharingLink& each) {
    return partingOf(*snapshot, {}, each.second).has_value();
  });
  QVERIFY(link != model.groups.links.end());
  const std::size_t forced = link->second;
  auto changed = std::make_shared<AnalysisSnapshot>(*snapshot);
  changed->quantized = std::make_shared<const QuantizedModel>(model);
  QVERIFY(!partingOf(*changed, {}, forced).has_value());
  GroupBench bench(changed);
  bench.selectMakerOf(forced);
  QVERIFY(!bench.button("Split from Group").isEnabled());
  QVERIFY(bench.button("Split from Group").toolTip().contains("Backend x86 forces this sharing"));
}

void GroupSectionTest::compatiblePoints() {
  PrecisionConfig config;
  const SnapshotPtr plain = sampleSnapshot();
  const std::size_t output = sharedOutput(plain);
  const std::string name = pointName(plain->graph(), groupsOf(plain).points[output]).producer;
  for (const std::size_t other : joinablePoints(*plain, output)) {
    QVERIFY(groupsOf(plain).points[other].group != groupsOf(plain).points[output].group);
    QVERIFY(!groupsOf(plain).points[other].fixed);
  }
  // Everything else asks for another type.
  config.defaults.activation.type = QuantType::Int8;
  config.defaults.activation.symmetric = true;
  config.defaults.output = config.defaults.activation;
  const auto layer = std::ranges::find_if(plain->result->layers, [&](const LayerResult& row) {
    return plain->graph()[row.members.back()].name == name;
  });
  config.nodes = {{layer->name, defaultPrecision()}};
  const SnapshotPtr mixed = analysed(config);
  const std::size_t alone = pointWhere(mixed, [&](const QuantizationPoint& point) {
    return point.isOutput() && producerName(mixed->graph(), point.value) == name;
  });
  for (const std::size_t other : joinablePoints(*mixed, alone)) {
    QVERIFY(groupsOf(mixed).points[other].precision.type == QuantType::UInt8);
  }
  QVERIFY(joinablePoints(*mixed, alone).size() < joinablePoints(*plain, output).size());
}

void GroupSectionTest::namesOfAPattern() {
  const SnapshotPtr snapshot = sampleSnapshot();
  const auto layer = std::ranges::find_if(
      snapshot->result->layers, [](const LayerResult& row) { return row.members.size() > 1; });
  const ValueId output = snapshot->graph()[layer->members.back()].outputs[0];
  const std::size_t point = pointWhere(snapshot, [&](const QuantizationPoint& place) {
    return place.isOutput() && place.value == output;
  });
  const std::vector<PointName> names = namesOf(*snapshot, point);
  QCOMPARE(names.size(), layer->members.size());
  QCOMPARE(names[0].producer, snapshot->graph()[layer->members.back()].name);
  QCOMPARE(names[1].producer, layer->name);
  // A joining that a file names by the pattern's first node is known, and taken back.
  const HandSharing byFirst{{{names[1], {"elsewhere", {}}}}, {}};
  QVERIFY(unjoiningOf(*snapshot, byFirst, point)->apply({}).precision->groups.empty());
}

QUANTSCOPE_TEST(GroupSectionTest)
#include "test_group_section.moc"
