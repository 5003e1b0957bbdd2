#include <QAbstractButton>
#include <QAbstractItemModelTester>
#include <QFrame>
#include <QLabel>
#include <QPushButton>
#include <QSignalSpy>
#include <QtTest>

#include "support/sample_snapshot.h"
#include "support/test_main.h"
#include "widgets/copy/table_actions.h"
#include "widgets/shell/headline_bar.h"
#include "widgets/shell/headline_items.h"
#include "widgets/shell/job_history.h"
#include "widgets/shell/message_bar.h"
#include "widgets/shell/progress_strip.h"
#include "widgets/words/progress_words.h"

using namespace quantscope;
using namespace quantscope::test;

namespace {

QString texts(const std::vector<HeadlineItem>& items) {
  QStringList lines;
  for (const HeadlineItem& item : items) lines << item.text();
  return lines.join(QStringLiteral(" | "));
}

QString sentences(const MessageBar& bar) {
  QStringList lines;
  for (const Message& message : bar.messages()) lines << message.sentence;
  return lines.join(QStringLiteral(" | "));
}

}  // namespace

class ShellTest : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void theHeadlineTellsTheModel();
  void aFloatDefaultIsNoFloatNetwork();
  void theHeadlineCountsWhatIsWonAndLost();
  void theHeadlineMarksWhatIsPreliminary();
  void everyFigureHasADefinition();
  void whatHasChangedIsTheLastToGo();
  void messagesOfATopicReplaceEachOther();
  void onlyThreeMessagesAreSeen();
  void longNoticesTakeOneLine();
  void messagesLieOverTheView();
  void aRemedyRuns();
  void jobsKeepTheirOutcome();
  void aNewJobReplacesTheRunningOne();
  void theLogIsNewestFirst();
  void remainingTimeIsWords_data();
  void remainingTimeIsWords();
  void progressIsWords();
  void whatAMessageWaitsForGoesOn();
  void shortJobsShowNoProgress();
};

void ShellTest::theHeadlineTellsTheModel() {
  const QString line = texts(headlineItems(sampleSnapshot(), false));
  for (const char* part :
       {"INT8 · x86", "8 samples", "output SQNR", " dB", "agrees", "accuracy", "× smaller"}) {
    QVERIFY2(line.contains(QString::fromUtf8(part)), qPrintable(line));
  }
  // Eight labels are counted.
  QVERIFY2(line.contains(QStringLiteral("accuracy 8/8 → 8/8")), qPrintable(line));
  QVERIFY(!line.contains(QStringLiteral("partial")) && !line.contains(QStringLiteral("out of")));
}

void ShellTest::aFloatDefaultIsNoFloatNetwork() {
  auto snapshot = std::make_shared<AnalysisSnapshot>(*sampleSnapshot());
  snapshot->request.config.precision.edit([](PrecisionConfig& precision) {
    precision.defaults.float32 = true;
    precision.backend = "generic";
  });
  QVERIFY(texts(headlineItems(snapshot, false)).contains(QStringLiteral("FP32 · generic")));
  snapshot->request.config.precision.edit(
      [](PrecisionConfig& precision) { precision.nodes.emplace_back("a", defaultPrecision()); });
  QVERIFY(texts(headlineItems(snapshot, false))
              .contains(QStringLiteral("FP32 but for 1 override · generic")));
}

void ShellTest::theHeadlineCountsWhatIsWonAndLost() {
  const auto compared = [](double share) {
    auto result = std::make_shared<AnalysisResult>(*sampleSnapshot()->result);
    *result->outputs[0].accuracyQuantized = share;
    auto before = std::make_shared<AnalysisSnapshot>(*sampleSnapshot());
    before->result = result;
    return texts(headlineItems(sampleSnapshot(), false, {.snapshot = before, .name = "B"}));
  };
  QVERIFY2(compared(0.75).contains(QStringLiteral("8/8 → 8/8 ▲ +2")), qPrintable(compared(0.75)));
  QVERIFY(!compared(1).contains(QStringLiteral("8/8 → 8/8 ▲")));
}

void ShellTest::theHeadlineMarksWhatIsPreliminary() {
  const std::vector<SnapshotPtr> all = sampleSnapshots(sampleRequest("digits_mobilenet", 8));
  QVERIFY(texts(headlineItems(all.front(), false)).contains(QStringLiteral("structure only")));
  const QString partial = texts(headlineItems(all[1], false));
  QVERIFY2(partial.contains(QStringLiteral("partial: 1 of 8 samples")), qPrintable(partial));
  QVERIFY(texts(headlineItems(all.back(), true)).contains(QStringLiteral("out of date")));
  QVERIFY(headlineItems(nullptr, false).empty());
}

void ShellTest::everyFigureHasADefinition() {
  for (const HeadlineItem& item : headlineItems(sampleSnapshot(), true)) {
    QVERIFY2(item.definition.size() > 20, qPrintable(item.text()));
  }
}

void ShellTest::messagesOfATopicReplaceEachOther() {
  MessageBar bar;
  bar.tell({.sentence = QStringLiteral("old"), .topic = QStringLiteral("data")});
  bar.tell({.sentence = QStringLiteral("other"), .topic = QStringLiteral("error")});
  bar.tell({.sentence = QStringLiteral("new"), .topic = QStringLiteral("data")});
  QCOMPARE(sentences(bar), QStringLiteral("new | other"));
  bar.dismiss(QStringLiteral("data"));
  QCOMPARE(sentences(bar), QStringLiteral("other"));
  bar.dismissAll();
  QVERIFY(bar.isHidden());
}

void ShellTest::onlyThreeMessagesAreSeen() {
  MessageBar bar;
  bar.show();
  for (int i = 0; i < 5; ++i) bar.tell({.sentence = QString::number(i)});
  QCOMPARE(sentences(bar), QStringLiteral("4 | 3 | 2 | 1 | 0"));
  int seen = 0;
  for (const QFrame* row : bar.findChildren<QFrame*>(QString(), Qt::FindDirectChildrenOnly)) {
    seen += row->isVisible() ? 1 : 0;
  }
  QCOMPARE(seen, 3);
}

// The whole of it is in the tooltip; what went wrong is told whole at once.
void ShellTest::longNoticesTakeOneLine() {
  const QString words = QStringLiteral("and so it goes on for quite a while ").repeated(20);
  const auto heightOf = [&](Message::Severity severity) {
    MessageBar bar;
    bar.resize(600, 40);
    bar.show();
    bar.tell({.severity = severity, .sentence = words});
    QCoreApplication::processEvents();
    bar.adjustSize();
    bar.resize(600, bar.heightForWidth(600));
    QCoreApplication::processEvents();
    bool told = false;
    for (const QLabel* label : bar.findChildren<QLabel*>())
      told |= label->toolTip().contains(words.trimmed());
    return std::pair(bar.heightForWidth(600), told);
  };
  const auto [notice, noticeTold] = heightOf(Message::Severity::Info);
  const auto [error, errorTold] = heightOf(Message::Severity::Error);
  QVERIFY2(notice < error / 2, qPrintable(QStringLiteral("%1 %2").arg(notice).arg(error)));
  QVERIFY(noticeTold);
  QVERIFY(!errorTold);
}

void ShellTest::messagesLieOverTheView() {
  QWidget view;
  view.resize(600, 300);
  auto* bar = new MessageBar;
  bar->layOver(&view);
  view.show();
  QVERIFY(!bar->isVisible());
  bar->tell({.sentence = QStringLiteral("one")});
  QTRY_VERIFY(bar->isVisible() && bar->height() > 10);
  const int single = bar->height();
  QCOMPARE(bar->geometry(), QRect(0, 300 - single, 600, single));
  bar->tell({.sentence = QStringLiteral("two")});
  QTRY_COMPARE(bar->height(), 2 * single);
  view.resize(500, 200);
  QTRY_COMPARE(bar->geometry(), QRect(0, 200 - 2 * single, 500, 2 * single));
  bar->dismissAll();
  QVERIFY(!bar->isVisible());
}

void ShellTest::aRemedyRuns() {
  MessageBar bar;
  int runs = 0;
  bar.tell({.sentence = QStringLiteral("broken"),
            .remedies = {{QStringLiteral("Mend"), [&] {
                            ++runs;
                            bar.dismissAll();  // as a remedy does that succeeds
                          }}}});
  bar.findChild<QPushButton*>()->click();
  QTRY_COMPARE(runs, 1);
  QVERIFY(bar.messages().empty());
}

void ShellTest::jobsKeepTheirOutcome() {
  JobHistory jobs;
  const QAbstractItemModelTester tester(&jobs);
  jobs.begin(QStringLiteral("a.onnx"));
  QCOMPARE(jobs.index(0, JobHistory::Outcome).data().toString(), QStringLiteral("running"));
  QCOMPARE(jobs.index(0, JobHistory::Duration).data().toString(), QStringLiteral("–"));
  jobs.end(QStringLiteral("cancelled"));
  jobs.end(QStringLiteral("done"));  // it has ended before
  QCOMPARE(jobs.index(0, JobHistory::Outcome).data().toString(), QStringLiteral("cancelled"));
  bool isNumber = false;
  QVERIFY(jobs.index(0, JobHistory::Duration).data(kExactRole).toString().toDouble(&isNumber) >= 0);
  QVERIFY(isNumber);
}

void ShellTest::aNewJobReplacesTheRunningOne() {
  JobHistory jobs;
  const QAbstractItemModelTester tester(&jobs);
  jobs.begin(QStringLiteral("a.onnx"));
  jobs.begin(QStringLiteral("b.onnx"));
  QCOMPARE(jobs.rowCount(), 2);
  QCOMPARE(jobs.index(0, JobHistory::Title).data().toString(), QStringLiteral("b.onnx"));
  QVERIFY(
      jobs.index(1, JobHistory::Outcome).data().toString().contains(QStringLiteral("replaced")));
}

void ShellTest::theLogIsNewestFirst() {
  MessageLog log;
  const QAbstractItemModelTester tester(&log);
  log.add(QStringLiteral("Notice"), QStringLiteral("first"));
  log.add(QStringLiteral("Error"), QStringLiteral("second"));
  QCOMPARE(log.index(0, MessageLog::Words).data().toString(), QStringLiteral("second"));
  QCOMPARE(log.index(1, MessageLog::Kind).data().toString(), QStringLiteral("Notice"));
}

void ShellTest::remainingTimeIsWords_data() {
  QTest::addColumn<double>("seconds");
  QTest::addColumn<QString>("words");
  QTest::newRow("unknown") << -1.0 << "";
  QTest::newRow("almost done") << 0.1 << "1 s left";
  QTest::newRow("rounded up") << 7.2 << "8 s left";
  QTest::newRow("minutes") << 185.0 << "3 min left";
  QTest::newRow("not a number") << std::nan("") << "";
}

void ShellTest::remainingTimeIsWords() {
  QFETCH(double, seconds);
  QTEST(remainingText(std::chrono::duration<double>(seconds)), "words");
}

void ShellTest::progressIsWords() {
  Progress progress{.stage = "Calibrating", .done = 3, .total = 12};
  QCOMPARE(progressWords(progress), QStringLiteral("Calibrating: 3 of 12"));
  progress.remaining = std::chrono::seconds(8);
  QCOMPARE(progressWords(progress), QStringLiteral("Calibrating: 3 of 12, 8 s left"));
  progress.total = 0;
  progress.remaining = std::chrono::seconds(-1);
  QCOMPARE(progressWords(progress), QStringLiteral("Calibrating"));
}

// It is the same message, which the log has already.
void ShellTest::whatAMessageWaitsForGoesOn() {
  MessageBar bar;
  const QSignalSpy told(&bar, &MessageBar::told);
  bar.tell({.sentence = QStringLiteral("Trying…"), .topic = QStringLiteral("a")});
  bar.setHint(QStringLiteral("a"), QStringLiteral("2 of 3"));
  bar.setHint(QStringLiteral("b"), QStringLiteral("of nothing"));
  QCOMPARE(bar.messages().size(), std::size_t{1});
  QCOMPARE(bar.messages().front().hint, QStringLiteral("2 of 3"));
  QCOMPARE(told.count(), 1);
}

void ShellTest::shortJobsShowNoProgress() {
  QWidget window;
  ProgressStrip strip(&window);
  window.show();
  strip.setRunning(true);
  QVERIFY(!strip.isVisible());
  strip.setRunning(false);
  QTest::qWait(600);
  QVERIFY(!strip.isVisible());
  strip.setRunning(true);
  QTRY_VERIFY(strip.isVisible());
  strip.setProgress(
      {.stage = "Simulating suggestion 3 of 92", .done = 1, .total = 1200, .unit = "samples"});
  QCOMPARE(strip.findChild<QLabel*>()->text(),
           QStringLiteral("Simulating suggestion 3 of 92: 1 of 1,200 samples"));
}

// In a narrow window the figures that are as they were go first.
void ShellTest::whatHasChangedIsTheLastToGo() {
  const std::vector<HeadlineItem> items{{.value = QStringLiteral("INT8 · x86 + 1 override")},
                                        {.caption = QStringLiteral("output SQNR"),
                                         .value = QStringLiteral("29.3 dB"),
                                         .sqnrDb = 29.3,
                                         .change = QStringLiteral("+0.2"),
                                         .better = 1},
                                        {.caption = QStringLiteral("agrees"),
                                         .value = QStringLiteral("100.0 %"),
                                         .change = QStringLiteral("+1.7"),
                                         .better = 1},
                                        {.caption = QStringLiteral("accuracy"),
                                         .value = QStringLiteral("53/58 → 53/58"),
                                         .change = QStringLiteral("−1"),
                                         .better = -1},
                                        {.value = QStringLiteral("274 kB, 3.24× smaller")}};
  HeadlineBar bar;
  bar.setItems(items);
  bar.show();
  QVERIFY(QTest::qWaitForWindowExposed(&bar));
  const auto figure = [&bar](const HeadlineItem& item) {
    for (auto* each : bar.findChildren<QAbstractButton*>()) {
      if (each->text() == item.text()) return each;
    }
    qFatal("no figure %s", qPrintable(item.text()));
  };
  int wanted = 0;
  for (const HeadlineItem& item : items) wanted += figure(item)->sizeHint().width();
  bar.setMinimumWidth(1);
  bar.resize(wanted + 20, bar.height());
  for (const HeadlineItem& item : items) QVERIFY(!figure(item)->isHidden());
  bar.resize(wanted - 10, bar.height());
  QVERIFY(figure(items[4])->isHidden());
  for (int i = 0; i < 4; ++i) QVERIFY(!figure(items[static_cast<std::size_t>(i)])->isHidden());
  bar.resize(wanted - figure(items[4])->sizeHint().width() - 60, bar.height());
  QVERIFY(figure(items[0])->isHidden());
  QVERIFY(!figure(items[2])->isHidden() && !figure(items[3])->isHidden());
  bar.resize(figure(items[1])->sizeHint().width() + 40, bar.height());
  QVERIFY(!figure(items[1])->isHidden() && figure(items[3])->isHidden());
}

QUANTSCOPE_TEST(ShellTest)
#include "test_shell.moc"
