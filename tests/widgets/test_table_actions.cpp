#include <QAction>
#include <QClipboard>
#include <QGuiApplication>
#include <QStandardItemModel>
#include <QTableView>
#include <QTreeView>
#include <QtTest>
#include <limits>
#include <nlohmann/json.hpp>

#include "support/test_main.h"
#include "widgets/copy/table_actions.h"
#include "widgets/look/text.h"

using namespace quantscope;

namespace {

QList<QStandardItem*> row(const QString& name, double exact) {
  auto* number = new QStandardItem(QString::number(exact, 'g', 2));
  number->setData(exact, kExactRole);
  return {new QStandardItem(name), number};
}

}  // namespace

class TableActionsTest : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void quotesWhereItMust_data();
  void quotesWhereItMust();
  void jsonHasNumbers();
  void namesAreNoHtml();
  void leavesOutHiddenColumns();
  void copiesSelectedRows();
  void treesAreFlattened();
};

void TableActionsTest::quotesWhereItMust_data() {
  QTest::addColumn<QString>("cell");
  QTest::addColumn<QString>("line");
  QTest::newRow("plain") << "conv"
                         << "conv,0.1234567\n";
  QTest::newRow("separator") << "a,b"
                             << "\"a,b\",0.1234567\n";
  QTest::newRow("quote") << "a\"b"
                         << "\"a\"\"b\",0.1234567\n";
  QTest::newRow("formula") << "=1+2"
                           << "'=1+2,0.1234567\n";
  QTest::newRow("figure below 0") << "-1.5"
                                  << "-1.5,0.1234567\n";
  QTest::newRow("line end") << "a\nb"
                            << "\"a\nb\",0.1234567\n";
}

void TableActionsTest::quotesWhereItMust() {
  QFETCH(QString, cell);
  QFETCH(QString, line);
  QStandardItemModel model;
  model.setHorizontalHeaderLabels({QStringLiteral("name"), QStringLiteral("figure")});
  model.appendRow(row(cell, 0.1234567));
  QTableView view;
  view.setModel(&model);
  QCOMPARE(tableText(view, {}, u','), QStringLiteral("name,figure\n") + line);
}

void TableActionsTest::jsonHasNumbers() {
  QStandardItemModel model;
  model.setHorizontalHeaderLabels({QStringLiteral("name"), QStringLiteral("figure")});
  model.appendRow(row(QStringLiteral("=a\"b"), 0.1));
  model.appendRow(row(QStringLiteral("none"), std::numeric_limits<double>::infinity()));
  QTableView view;
  view.setModel(&model);
  const auto written = nlohmann::json::parse(tableJson(view).toStdString());
  QCOMPARE(written.size(), std::size_t{2});
  QCOMPARE(written.at(0).at("name").get<std::string>(), std::string("=a\"b"));
  QCOMPARE(written.at(0).at("figure").get<double>(), 0.1);
  QCOMPARE(written.at(1).at("figure").get<std::string>(), std::string("Infinity"));
}

void TableActionsTest::namesAreNoHtml() {
  QCOMPARE(toolTipText(QStringLiteral("conv1 < conv2")), QStringLiteral("conv1 < conv2"));
  const QString shown = toolTipText(QStringLiteral("<b>conv</b>"));
  QVERIFY2(shown.contains(QStringLiteral("&lt;b&gt;conv")), qPrintable(shown));
}

void TableActionsTest::leavesOutHiddenColumns() {
  QStandardItemModel model;
  model.setHorizontalHeaderLabels({QStringLiteral("name"), QStringLiteral("figure")});
  model.appendRow(row(QStringLiteral("a"), 1));
  QTableView view;
  view.setModel(&model);
  view.hideColumn(0);
  QCOMPARE(tableText(view, {}, u'\t'), QStringLiteral("figure\n1\n"));
}

void TableActionsTest::copiesSelectedRows() {
  QStandardItemModel model;
  model.setHorizontalHeaderLabels({QStringLiteral("name"), QStringLiteral("figure")});
  for (const char* name : {"a", "b", "c"}) model.appendRow(row(QLatin1String(name), 2));
  QTableView view;
  view.setModel(&model);
  view.setSelectionBehavior(QAbstractItemView::SelectRows);
  const QList<QAction*> actions = tableActions(&view, QStringLiteral("table"));
  QGuiApplication::clipboard()->setText(QStringLiteral("before"));
  actions[0]->trigger();
  QCOMPARE(QGuiApplication::clipboard()->text(), QStringLiteral("before"));
  view.selectRow(2);
  actions[0]->trigger();
  QCOMPARE(QGuiApplication::clipboard()->text(), QStringLiteral("name\tfigure\nc\t2\n"));
  actions[1]->trigger();
  QCOMPARE(QGuiApplication::clipboard()->text(),
           QStringLiteral("name\tfigure\na\t2\nb\t2\nc\t2\n"));
}

void TableActionsTest::treesAreFlattened() {
  QStandardItemModel model;
  model.setHorizontalHeaderLabels({QStringLiteral("name"), QStringLiteral("figure")});
  const QList<QStandardItem*> parent = row(QStringLiteral("a"), 1);
  parent.front()->appendRow(row(QStringLiteral("a/b"), 2));
  model.appendRow(parent);
  model.appendRow(row(QStringLiteral("c"), 3));
  QTreeView view;
  view.setModel(&model);
  QCOMPARE(tableText(view, {}, u'\t'), QStringLiteral("name\tfigure\na\t1\na/b\t2\nc\t3\n"));
  const QList<QAction*> actions = tableActions(&view, QStringLiteral("tree"));
  view.setCurrentIndex(parent.front()->child(0)->index());
  actions[0]->trigger();
  QCOMPARE(QGuiApplication::clipboard()->text(), QStringLiteral("name\tfigure\na/b\t2\n"));
}

QUANTSCOPE_TEST(TableActionsTest)
#include "test_table_actions.moc"
