#include "calibration/sample_set.h"

#include <QTemporaryDir>
#include <QtTest>
#include <algorithm>
#include <chrono>
#include <filesystem>
#include <fstream>

#include "base/error.h"
#include "base/job_context.h"
#include "base/workers.h"
#include "calibration/feed_loop.h"
#include "calibration/sample_subset.h"
#include "support/test_main.h"

using namespace quantscope;

namespace {

/// Samples of 16 bytes that are counted as they are read; those from `changes` on differ from the
/// second time on.
class CountedSource : public SampleSource {
 public:
  CountedSource(std::vector<float> samples, std::size_t changes, std::vector<int>& reads)
      : m_samples(std::move(samples)), m_changes(changes), m_reads(reads) {
    m_reads.assign(m_samples.size(), 0);
  }

  std::string description() const override { return m_description; }
  void describeAs(std::string description) { m_description = std::move(description); }
  std::size_t sampleCount() const override { return m_samples.size(); }
  std::size_t feedCount() const override { return m_samples.size(); }
  Feed read(std::size_t index) override {
    const bool changed = m_reads[index]++ > 0 && index >= m_changes;
    const float value = m_samples[index] + (changed ? 1.0F : 0.0F);
    return {{{ValueId(std::size_t{0}), Tensor::of<float>(Shape{4}, {value, 0, 0, 0})}},
            index,
            1,
            1,
            {}};
  }

 private:
  std::string m_description = "counted";
  std::vector<float> m_samples;
  std::size_t m_changes;
  std::vector<int>& m_reads;
};

SampleSet setOf(std::vector<float> samples, std::vector<int>& reads, std::size_t budget,
                std::size_t changes = 100) {
  return SampleSet(std::make_unique<CountedSource>(std::move(samples), changes, reads), budget);
}

}  // namespace

class SampleSetTest : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void everythingIsReadOnce();
  void whatDoesNotFitIsReadAgain();
  void progressCountsTheSamplesOfAPart();
  void aChangeIsNoticed();
  void filesThatChangeAreReadOnceMore_data();
  void filesThatChangeAreReadOnceMore();
  void equalSamplesHaveEqualIds();
};

void SampleSetTest::everythingIsReadOnce() {
  std::vector<int> reads;
  SampleSet samples = setOf({1, 2, 3}, reads, 1000);
  const Workers workers(3);
  workers.forEach(30, [&](std::size_t i) {
    const Feed feed = samples.read(i % 3);
    if (feed.firstSample != i % 3 || !feed.content.valid()) throw std::runtime_error("wrong feed");
  });
  QCOMPARE(reads, (std::vector<int>{1, 1, 1}));
}

// Those of a part keep the numbers that they have in the whole.
void SampleSetTest::progressCountsTheSamplesOfAPart() {
  std::vector<int> reads;
  SampleSet all = setOf({1, 2, 3, 4, 5, 6, 7, 8}, reads, 1000);
  SampleSubset part(all, {3, 7});
  const Workers workers(2);
  std::vector<std::size_t> done;
  JobContext job(workers, [&](const Progress& progress) { done.push_back(progress.done); });
  job.beginStage("Counting", part.sampleCount());
  forEachFeed(
      part, job, [](const Feed& feed) { return feed.samples; },
      [](const Feed& /*feed*/, std::size_t /*samples*/) {});
  QCOMPARE(done.back(), part.sampleCount());
  QVERIFY(std::ranges::max(done) <= part.sampleCount());
}

// Two of three fit: those that were read last.
void SampleSetTest::whatDoesNotFitIsReadAgain() {
  std::vector<int> reads;
  SampleSet samples = setOf({1, 2, 3}, reads, 40);
  for (const std::size_t index : {0, 1, 0, 2, 0, 1}) samples.read(index);
  QCOMPARE(reads, (std::vector<int>{1, 2, 1}));
  SampleSet none = setOf({1, 2, 3}, reads, 15);
  for (const std::size_t index : {0, 0, 1}) none.read(index);
  QCOMPARE(reads, (std::vector<int>{2, 1, 0}));
}

void SampleSetTest::aChangeIsNoticed() {
  std::vector<int> reads;
  SampleSet samples = setOf({1, 2, 3}, reads, 0, 1);
  for (const std::size_t index : {0, 1, 2, 0}) samples.read(index);
  QVERIFY_EXCEPTION_THROWN(samples.read(1), Error);
  try {
    samples.read(2);
  } catch (const Error& error) {
    QCOMPARE(error.sentence(), std::string("sample 2 has changed while it was in use"));
    QCOMPARE(error.place().file, std::string("counted"));
  }
}

void SampleSetTest::filesThatChangeAreReadOnceMore_data() {
  QTest::addColumn<std::size_t>("changes");
  QTest::addColumn<bool>("fails");
  QTest::newRow("touched alone") << std::size_t{100} << false;
  QTest::newRow("another content") << std::size_t{2} << true;
  QTest::newRow("another content of what was never read") << std::size_t{3} << false;
}

// The source stands for what lies in a file.
void SampleSetTest::filesThatChangeAreReadOnceMore() {
  QFETCH(std::size_t, changes);
  QFETCH(bool, fails);
  const QTemporaryDir folder;
  const std::filesystem::path file = folder.filePath("data").toStdString();
  std::ofstream(file) << "1";
  std::vector<int> reads;
  auto source = std::make_unique<CountedSource>(std::vector<float>{1, 2, 3, 4}, changes, reads);
  source->describeAs(file.string());
  SampleSet samples(std::move(source), 1000, stampOf(file));
  samples.read(0);
  samples.read(2);
  samples.requireUnchanged();
  QCOMPARE(reads, (std::vector<int>{1, 0, 1, 0}));
  std::filesystem::last_write_time(
      file, std::filesystem::last_write_time(file) + std::chrono::seconds(2));
  if (fails) {
    QVERIFY_EXCEPTION_THROWN(samples.requireUnchanged(), Error);
  } else {
    samples.requireUnchanged();
  }
  QCOMPARE(reads, (std::vector<int>{2, 0, 2, 0}));
}

void SampleSetTest::equalSamplesHaveEqualIds() {
  std::vector<int> reads;
  SampleSet samples = setOf({1, 2, 1}, reads, 1000);
  const ContentId id = samples.read(0).content;
  QVERIFY(id == samples.read(2).content);
  QVERIFY(id != samples.read(1).content);
}

QUANTSCOPE_TEST(SampleSetTest)
#include "test_sample_set.moc"
