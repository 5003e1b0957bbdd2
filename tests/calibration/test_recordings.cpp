#include "calibration/recordings.h"

#include <QtTest>
#include <numeric>

#include "base/error.h"
#include "base/workers.h"
#include "calibration/sample_subset.h"
#include "engine/execution.h"
#include "support/batch_source.h"
#include "support/graph_text.h"
#include "support/memory_source.h"
#include "support/test_main.h"

using namespace quantscope;
using namespace quantscope::test;

namespace {

// A network that runs frame by frame: h is the state that the frame before has left.
constexpr const char* kFrameByFrame = R"(
  input x:float[1,4]
  input h:float[1,6]
  c = Concat(x, h) axis=1
  z = MatMul(c, w:float[10,6])
  s = Tanh(z)
  y = MatMul(s, v:float[6,3])
  output y
  output s
)";

/// Numbers from memory.
class FrameSource : public SampleSource {
 public:
  explicit FrameSource(std::vector<Feed> feeds) : m_feeds(std::move(feeds)) {}

  std::string description() const override { return "frames"; }
  std::size_t sampleCount() const override { return m_feeds.size(); }
  std::size_t feedCount() const override { return m_feeds.size(); }
  Feed read(std::size_t index) override { return m_feeds.at(index); }

 private:
  std::vector<Feed> m_feeds;
};

/// A network and frames for it.
struct Frames {
  explicit Frames(const char* text) : graph(graphFromText(text)), engine(graph, workers) {}

  // Adds a recording; its states are off by a share of themselves.
  void record(std::size_t frames, float off) {
    const auto inputs = graph->inputs();
    Tensor state = Tensor::zeros(ElementType::Float32, {1, 6});
    const Plan plan = planForOutputs(engine);
    for (const Tensor& frame : randomSamples(Shape{1, 4}, frames, seed++)) {
      feeds.push_back({{{inputs[0], frame}, {inputs[1], state}}, feeds.size(), 1, 1, {}});
      workers.run([&] {
        Execution run(plan, feeds.back().inputs, nullptr);
        run.run();
        const Tensor next = run.value(graph->outputs()[1], Layout::Plain);
        state = Tensor(ElementType::Float32, next.shape());
        for (std::size_t i = 0; i < next.elementCount(); ++i) {
          state.mutableValues<float>()[i] = next.values<float>()[i] * (1 + off);
        }
      });
    }
  }

  std::vector<std::size_t> starts() {
    SampleSet samples(std::make_unique<FrameSource>(feeds));
    ActivationCache cache(std::size_t{1} << 20);
    JobContext job(workers);
    return recordingStarts(engine, cache, samples, job);
  }

  Workers workers{2};
  std::shared_ptr<const Graph> graph;
  Engine engine;
  std::vector<Feed> feeds;
  unsigned seed = 1;
};

std::vector<std::size_t> upTo(std::size_t count) {
  std::vector<std::size_t> numbers(count);
  std::iota(numbers.begin(), numbers.end(), std::size_t{0});
  return numbers;
}

}  // namespace

/// Samples that are frames of recordings, and which of them are held out.
class RecordingsTest : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void statesThatGoOn();
  void independentSamples();
  void anInputThatStaysTellsNothing();
  void canBeCancelled();
  void heldOut_data();
  void heldOut();
  void batchesAreHeldOutBySamples_data();
  void batchesAreHeldOutBySamples();
};

void RecordingsTest::statesThatGoOn() {
  Frames exact(kFrameByFrame);
  for (const std::size_t frames : {5U, 1U, 7U}) exact.record(frames, 0);
  QCOMPARE(exact.starts(), (std::vector<std::size_t>{0, 5, 6}));
  Frames rounded(kFrameByFrame);
  for (const std::size_t frames : {4U, 3U}) rounded.record(frames, 2e-4F);
  QCOMPARE(rounded.starts(), (std::vector<std::size_t>{0, 4}));
  Frames other(kFrameByFrame);
  other.record(4, 0.01F);
  QCOMPARE(other.starts(), upTo(4));
}

void RecordingsTest::independentSamples() {
  Frames states(kFrameByFrame);
  states.record(6, 0);
  const std::vector<Tensor> random = randomSamples(Shape{1, 6}, 6, 9);
  for (std::size_t i = 0; i < 6; ++i) states.feeds[i].inputs[1].second = random[i];
  QCOMPARE(states.starts(), upTo(6));
  // Of a classifier no input may be an output.
  Frames classifier(R"(
    input x:float[1,4]
    input h:float[1,6]
    c = Concat(x, h) axis=1
    y = MatMul(c, w:float[10,3])
    output y
  )");
  const auto inputs = classifier.graph->inputs();
  for (const Tensor& sample : randomSamples(Shape{1, 6}, 3, 5)) {
    const Tensor x = randomSamples(Shape{1, 4}, 1, 8)[0];
    classifier.feeds.push_back({{{inputs[0], x}, {inputs[1], sample}}, 0, 1, 1, {}});
  }
  QCOMPARE(classifier.starts(), upTo(3));
}

// As a state that is fed with the same numbers every time, which the network happens to keep.
void RecordingsTest::anInputThatStaysTellsNothing() {
  Frames kept(R"(
    input x:float[1,4]
    input h:float[1,6]
    c = Concat(x, h) axis=1
    y = MatMul(c, w:float[10,3])
    s = Mul(h, one:float[]{1})
    output y
    output s
  )");
  kept.record(4, 0);
  const Tensor state = randomSamples(Shape{1, 6}, 1, 4)[0];
  for (Feed& feed : kept.feeds) feed.inputs[1].second = state;
  QCOMPARE(kept.starts(), upTo(4));
  const Tensor zeros = Tensor::zeros(ElementType::Float32, {1, 6});
  for (Feed& feed : kept.feeds) feed.inputs[1].second = zeros;
  QCOMPARE(kept.starts(), upTo(4));
}

void RecordingsTest::canBeCancelled() {
  Frames frames(kFrameByFrame);
  frames.record(4, 0);
  SampleSet samples(std::make_unique<FrameSource>(frames.feeds));
  ActivationCache cache(std::size_t{1} << 20);
  JobContext job(frames.workers);
  job.requestCancel();
  QVERIFY_THROWS_EXCEPTION(Cancelled, recordingStarts(frames.engine, cache, samples, job));
}

void RecordingsTest::heldOut_data() {
  using Numbers = std::vector<std::size_t>;
  QTest::addColumn<std::size_t>("samples");
  QTest::addColumn<Numbers>("starts");
  QTest::addColumn<Numbers>("heldOut");
  QTest::addColumn<std::string>("notice");
  const auto row = [](const char* what, std::size_t samples, const Numbers& starts,
                      const Numbers& heldOut, const char* notice) {
    const std::string words = "the samples are frames of ";
    const bool independent = starts.size() == samples;
    QTest::newRow(what) << samples << starts << heldOut
                        << (independent ? std::string() : words + notice);
  };
  row("too few", 3, upTo(3), {}, "");
  row("independent", 9, upTo(9), {1, 3, 5, 7}, "");
  row("many independent", 33, upTo(33), {3, 7, 11, 15, 19, 23, 27, 31}, "");
  row("one recording", 40, {0}, {30, 31, 32, 33, 34, 35, 36, 37, 38, 39},
      "one recording: its last quarter is held out");
  row("one short recording", 8, {0}, {4, 5, 6, 7}, "one recording: its last half is held out");
  row("few recordings", 32, {0, 12, 28}, {9, 10, 11, 24, 25, 26, 27, 31},
      "3 recordings: the last quarter of each is held out");
  row("two short recordings", 10, {0, 6}, {6, 7, 8, 9},
      "2 recordings: every second recording is held out");
  row("many recordings", 35, {0, 8, 16, 24, 30, 33}, {24, 25, 26, 27, 28, 29},
      "6 recordings: every fourth recording is held out");
}

void RecordingsTest::heldOut() {
  QFETCH(const std::size_t, samples);
  QFETCH(const std::vector<std::size_t>, starts);
  QFETCH(const std::vector<std::size_t>, heldOut);
  QFETCH(const std::string, notice);
  MemorySource source(ValueId(std::size_t{0}), randomSamples(Shape{1}, samples, 1));
  const HeldOutSplit split = splitHeldOut(source, starts);
  QCOMPARE(split.heldOut, heldOut);
  QCOMPARE(split.used.size(), samples - heldOut.size());
  QCOMPARE(split.recordings, starts.size() < samples ? starts.size() : 0);
  QCOMPARE(recordingNotice(split, false), notice);
}

void RecordingsTest::batchesAreHeldOutBySamples_data() {
  using Numbers = std::vector<std::size_t>;
  QTest::addColumn<std::size_t>("samples");
  QTest::addColumn<Numbers>("heldOut");
  QTest::newRow("one feed") << std::size_t{8} << Numbers{};
  QTest::newRow("two feeds") << std::size_t{16} << Numbers{1};
  QTest::newRow("three of many samples") << std::size_t{20} << Numbers{1};
  QTest::newRow("six feeds") << std::size_t{48} << Numbers{3};
}

void RecordingsTest::batchesAreHeldOutBySamples() {
  QFETCH(const std::size_t, samples);
  QFETCH(const std::vector<std::size_t>, heldOut);
  BatchSource source(ValueId(std::size_t{0}), Shape{8, 2}, samples);
  QCOMPARE(splitHeldOut(source, upTo(source.feedCount())).heldOut, heldOut);
}

QUANTSCOPE_TEST(RecordingsTest)
#include "test_recordings.moc"
