#include <QSignalSpy>
#include <QtTest>

#include "support/sample_snapshot.h"
#include "support/test_main.h"
#include "widgets/samples/sample_reader.h"

using namespace quantscope;
using test::sampleSnapshot;

namespace {

SnapshotPtr withData(const std::string& data) {
  auto snapshot = std::make_shared<AnalysisSnapshot>(*sampleSnapshot());
  snapshot->request.data = data;
  return snapshot;
}

bool waitFor(SampleReader& reader, int sample) {
  return QTest::qWaitFor([&] { return reader.find(sample) != nullptr; }, 30'000);
}

}  // namespace

class SampleReaderTest : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void readsPicturesAndLabels();
  void newestRequestWins();
  void otherDataForgetsTheSamples();
  void errorsAreWords_data();
  void errorsAreWords();
  void withoutDataNothingHappens();
};

void SampleReaderTest::readsPicturesAndLabels() {
  SampleReader reader;
  QSignalSpy ready(&reader, &SampleReader::ready);
  reader.setSnapshot(sampleSnapshot());
  reader.request({3, 1});
  QVERIFY(reader.find(3) == nullptr);
  QVERIFY(waitFor(reader, 3));
  const SampleContent& content = *reader.find(3);
  QVERIFY(content.error.isEmpty());
  QCOMPARE(content.inputs.size(), std::size_t{1});
  QCOMPARE(content.inputs[0].picture.size(), QSize(16, 16));
  const std::vector<std::int64_t> labels = readLabels(sampleSnapshot()->request.labels);
  QCOMPARE(content.label, std::optional(labels[3]));
  QVERIFY(reader.find(1) != nullptr);
  QCOMPARE(ready.count(), 2);
  QCOMPARE(ready[0][0].toInt(), 1);
  reader.request({3, 1});
  QTest::qWait(0);
  QCOMPARE(ready.count(), 2);
}

void SampleReaderTest::newestRequestWins() {
  SampleReader reader;
  reader.setSnapshot(sampleSnapshot());
  // The data is opened and more is read before anything of this can be done.
  reader.request({0, 1, 2, 3, 4, 5, 6});
  reader.request({7});
  QVERIFY(waitFor(reader, 7));
  QVERIFY(reader.find(6) == nullptr);
}

void SampleReaderTest::otherDataForgetsTheSamples() {
  SampleReader reader;
  reader.setSnapshot(sampleSnapshot());
  reader.request({0});
  QVERIFY(waitFor(reader, 0));
  reader.setSnapshot(std::make_shared<AnalysisSnapshot>(*sampleSnapshot()));
  QVERIFY(reader.find(0) != nullptr);
  reader.setSnapshot(withData("random:3"));
  QVERIFY(reader.find(0) == nullptr);
}

void SampleReaderTest::errorsAreWords_data() {
  QTest::addColumn<QString>("data");
  QTest::addColumn<int>("sample");
  QTest::addColumn<QString>("words");
  QTest::newRow("no file") << "/nowhere/samples.npz" << 0 << "/nowhere/samples.npz";
  QTest::newRow("beyond") << "random:3" << 3 << "no sample 3";
}

void SampleReaderTest::errorsAreWords() {
  QFETCH(QString, data);
  QFETCH(int, sample);
  QFETCH(QString, words);
  SampleReader reader;
  reader.setSnapshot(withData(data.toStdString()));
  reader.request({sample});
  QVERIFY(waitFor(reader, sample));
  const QString error = reader.find(sample)->error;
  QVERIFY2(error.contains(words), qPrintable(error));
  QVERIFY(reader.find(sample)->inputs.empty());
}

void SampleReaderTest::withoutDataNothingHappens() {
  SampleReader reader;
  reader.request({0});
  reader.setSnapshot(withData({}));
  reader.request({0});
  QTest::qWait(20);
  QVERIFY(reader.find(0) == nullptr);
}

QUANTSCOPE_TEST(SampleReaderTest)
#include "test_sample_reader.moc"
