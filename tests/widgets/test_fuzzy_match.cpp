#include <QtTest>

#include "support/test_main.h"
#include "widgets/controls/fuzzy_match.h"

using namespace quantscope;

class FuzzyMatchTest : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void finds_data();
  void finds();
  void prefers_data();
  void prefers();
};

void FuzzyMatchTest::finds_data() {
  QTest::addColumn<QString>("pattern");
  QTest::addColumn<QString>("text");
  QTest::addColumn<QString>("positions");
  QTest::newRow("nothing asked") << ""
                                 << "Run Again"
                                 << "";
  QTest::newRow("whole word") << "run"
                              << "Run Again"
                              << "0 1 2";
  QTest::newRow("beginnings of words") << "ra"
                                       << "Run Again"
                                       << "0 4";
  QTest::newRow("spaces do not count") << "r ag"
                                       << "Run Again"
                                       << "0 4 5";
  QTest::newRow("a row beats a scattering") << "or"
                                            << "Go Forward"
                                            << "4 5";
  QTest::newRow("camel case") << "wl"
                              << "theWorstLayer"
                              << "3 8";
  QTest::newRow("wrong order") << "nur"
                               << "Run"
                               << "none";
  QTest::newRow("letter that is not there") << "runx"
                                            << "Run Again"
                                            << "none";
  QTest::newRow("empty text") << "a"
                              << ""
                              << "none";
}

void FuzzyMatchTest::finds() {
  QFETCH(QString, pattern);
  QFETCH(QString, text);
  QFETCH(QString, positions);
  const auto match = fuzzyMatch(pattern, text);
  QStringList found;
  if (match) {
    for (const int position : match->positions) found << QString::number(position);
  }
  QCOMPARE(match ? found.join(u' ') : QStringLiteral("none"), positions);
}

void FuzzyMatchTest::prefers_data() {
  QTest::addColumn<QString>("pattern");
  QTest::addColumn<QString>("better");
  QTest::addColumn<QString>("worse");
  QTest::newRow("beginning") << "gra"
                             << "Graph"
                             << "Show in Graph";
  QTest::newRow("word over middle") << "da"
                                    << "Choose Data"
                                    << "Undo and";
  QTest::newRow("row over scattering") << "lay"
                                       << "Next Worse Layer"
                                       << "Local by";
}

void FuzzyMatchTest::prefers() {
  QFETCH(QString, pattern);
  QFETCH(QString, better);
  QFETCH(QString, worse);
  const auto first = fuzzyMatch(pattern, better);
  const auto second = fuzzyMatch(pattern, worse);
  QVERIFY(first && second);
  QVERIFY2(first->score > second->score,
           qPrintable(QStringLiteral("%1 against %2").arg(first->score).arg(second->score)));
}

QUANTSCOPE_TEST(FuzzyMatchTest)
#include "test_fuzzy_match.moc"
