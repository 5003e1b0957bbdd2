#include <QHeaderView>
#include <QLabel>
#include <QTableView>
#include <QtTest>

#include "support/test_main.h"
#include "ui/workbench.h"
#include "widgets/findings/evidence_pane.h"
#include "widgets/findings/findings_view.h"

using namespace quantscope;
using namespace quantscope::test;

/// What is alike looks alike, and what is to be read can be read.
class LooksTest : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void theTitleOfEvidenceIsWhole();
  void jobsAndLogHaveTheSameHeader();
};

namespace {

QTableView& tableCalled(const Workbench& bench, const char* name) {
  for (QTableView* table : bench->findChildren<QTableView*>()) {
    if (table->accessibleName() == QLatin1String(name)) return *table;
  }
  qFatal("no table %s", name);
}

bool isWhole(const QLabel& label) {
  const QRect words = label.fontMetrics().boundingRect(
      label.contentsRect(), Qt::TextWordWrap | Qt::AlignLeft, label.text());
  return label.contentsRect().width() >= words.width() &&
         label.contentsRect().height() >= words.height() &&
         label.visibleRegion().boundingRect() == label.rect();
}

// Its background and its line below, without the words.
QImage edgeOf(QTableView& table) {
  const QImage header = table.horizontalHeader()->grab().toImage();
  return header.copy(header.width() - 4, 0, 2, header.height());
}

}  // namespace

void LooksTest::theTitleOfEvidenceIsWhole() {
  const Workbench bench;
  bench->resize(1100, 700);
  bench.panel("findings").raise();
  auto& findings = bench.view<FindingsView>();
  const EvidencePane& evidence = *findings.findChild<EvidencePane*>();
  int seen = 0;
  for (const Finding& finding : bench->session().snapshot()->detected->findings) {
    findings.choose(finding.id);
    QCoreApplication::processEvents();
    if (!evidence.isVisible()) continue;
    const QLabel& title = *evidence.findChild<QLabel*>(QString(), Qt::FindDirectChildrenOnly);
    QVERIFY2(isWhole(title), qPrintable(title.text()));
    ++seen;
  }
  QVERIFY(seen > 0);
}

void LooksTest::jobsAndLogHaveTheSameHeader() {
  const Workbench bench;
  QImage edge;
  for (const auto& [panel, table] : {std::pair("jobs", "Jobs"), std::pair("log", "Log")}) {
    bench.panel(panel).show();
    bench.panel(panel).raise();
    QTRY_VERIFY(tableCalled(bench, table).isVisible());
    QTableView& shown = tableCalled(bench, table);
    const QImage own = edgeOf(shown);
    if (!edge.isNull()) QCOMPARE(own, edge);
    edge = own;
  }
  const QHeaderView& jobs = *tableCalled(bench, "Jobs").horizontalHeader();
  const QHeaderView& log = *tableCalled(bench, "Log").horizontalHeader();
  QCOMPARE(log.height(), jobs.height());
  QCOMPARE(log.font(), jobs.font());
  QCOMPARE(log.defaultAlignment(), jobs.defaultAlignment());
  QCOMPARE(log.highlightSections(), jobs.highlightSections());
  QCOMPARE(log.stretchLastSection(), jobs.stretchLastSection());
  for (const QHeaderView* header : {&jobs, &log}) {
    for (int column = 0; column < header->count(); ++column) {
      const QVariant own =
          header->model()->headerData(column, Qt::Horizontal, Qt::TextAlignmentRole);
      QVERIFY(!own.isValid() || own.toInt() == static_cast<int>(jobs.defaultAlignment()));
    }
  }
}

QUANTSCOPE_TEST(LooksTest)
#include "test_looks.moc"
