// Loop and Scan: bodies that run over and over.

#include <QtTest>

#include "base/error.h"
#include "base/workers.h"
#include "engine/execution.h"
#include "engine/operator_case.h"
#include "support/graph_text.h"
#include "support/test_main.h"

using namespace quantscope;
using namespace quantscope::test;

namespace {

// Adds up what it scans, and collects the sums.
constexpr const char* kSumBody = R"( body={
    input state:float
    input item:float
    sum = Add(state, item)
    copy = Identity(sum)
    output sum
    output copy
  }
)";

std::string summingScan(const char* attributes) {
  return "input start:float[2]\ninput x:float[?,?]\nlast, all = Scan(start, x) @scan "
         "num_scan_inputs=1 " +
         std::string(attributes) + kSumBody;
}

std::string batchedSummingScan(const char* attributes) {
  return "input lengths:int64[2]\ninput start:float[2,1]\ninput x:float[2,3,1]\n"
         "last, all = Scan(lengths, start, x) @scan num_scan_inputs=1 " +
         std::string(attributes) + kSumBody;
}

// Two states, two scanned inputs of which one backwards, a value from outside, a choice inside.
constexpr const char* kManyStreams = R"(
  input a0:float[]
  input b0:float[]
  input x:float[3]
  input y:float[2,3]
  factor:float[]{10}
  outer = Mul(a0, factor)
  a, b, products, halves = Scan(a0, b0, x, y) num_scan_inputs=2 scan_input_axes=[0,-1] scan_input_directions=[0,1] scan_output_axes=[-1,0] scan_output_directions=[0,1] body={
    input sa:float
    input sb:float
    input ix:float
    input iy:float
    na = Add(sa, ix)
    nb = Add(sb, outer)
    product = Mul(ix, iy)
    large = Greater(ix, sb)
    half = If(large) then={
      output sb
    } else={
      negative = Neg(ix)
      output negative
    }
    output na
    output nb
    output product
    output half
  }
  output a
  output b
  output products
  output halves
)";

// Each row of x added up by an inner scan, the rows' sums collected by the loop.
constexpr const char* kNested = R"(
  input n:int64[]
  input x:float[2,3]
  zero:float[]{0}
  total, sums = Loop(n, , zero) body={
    input i:int64
    input go:bool
    input so_far:float
    row = Gather(x, i) axis=0
    sum = Scan(zero, row) num_scan_inputs=1 body={
      input state:float
      input item:float
      next = Add(state, item)
      output next
    }
    more = Add(so_far, sum)
    output go
    output more
    output sum
  }
  output total
  output sums
)";

constexpr const char* kStacked = R"(
  input n:int64[]
  input x:float[2]
  seen = Loop(n, ) body={
    input i:int64
    input go:bool
    codes = Cast(x) to=6
    output go
    output codes
  }
)";

std::string run(const std::string& text, int opset, const std::string& inputs,
                const std::string& expected) {
  const auto graph = graphFromText(text, opset);
  const Workers workers{1};
  const Engine engine(graph, workers);
  for (const NotExecutable& missing : engine.notExecutable()) return missing.reason;
  const std::vector<Tensor> tensors = tensorsFromText(inputs);
  std::vector<std::pair<ValueId, Tensor>> given;
  for (std::size_t i = 0; i < tensors.size(); ++i)
    given.emplace_back(graph->inputs()[i], tensors[i]);
  const Plan plan = planForAllValues(engine);
  Execution execution(plan, given);
  execution.run();
  const std::vector<Tensor> wanted = tensorsFromText(expected);
  for (std::size_t i = 0; i < wanted.size(); ++i) {
    const std::string difference = exactDifference(execution.value(graph->outputs()[i]), wanted[i]);
    if (!difference.empty()) return "output " + std::to_string(i) + " " + difference;
  }
  return {};
}

}  // namespace

class RepetitionsTest : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void bodiesRunOverAndOver_data();
  void bodiesRunOverAndOver();
  void everyRunShowsItsInputs();
  void whatDoesNotFitIsNamed_data();
  void whatDoesNotFitIsNamed();
};

void RepetitionsTest::bodiesRunOverAndOver_data() {
  QTest::addColumn<std::string>("text");
  QTest::addColumn<int>("opset");
  QTest::addColumn<std::string>("inputs");
  QTest::addColumn<std::string>("expected");
  const auto row = [](const char* name, const std::string& text, const char* inputs,
                      const char* expected, int opset = 17) {
    QTest::newRow(name) << text << opset << std::string(inputs) << std::string(expected);
  };
  const char* const x = "float[2]{10, 20}; float[3,2]{1, 2, 3, 4, 5, 6}";
  row("forward", summingScan(""), x, "float[2]{19, 32}; float[3,2]{11, 22, 14, 26, 19, 32}");
  row("version 9", summingScan(""), x, "float[2]{19, 32}; float[3,2]{11, 22, 14, 26, 19, 32}", 9);
  row("version 22", summingScan(""), x, "float[2]{19, 32}; float[3,2]{11, 22, 14, 26, 19, 32}", 22);
  row("input backwards", summingScan("scan_input_directions=[1]"), x,
      "float[2]{19, 32}; float[3,2]{15, 26, 18, 30, 19, 32}");
  row("output backwards", summingScan("scan_output_directions=[1]"), x,
      "float[2]{19, 32}; float[3,2]{19, 32, 14, 26, 11, 22}");
  row("other axes", summingScan("scan_input_axes=[1] scan_output_axes=[-1]"),
      "float[2]{10, 20}; float[2,3]{1, 3, 5, 2, 4, 6}",
      "float[2]{19, 32}; float[2,3]{11, 14, 19, 22, 26, 32}");
  row("no element", summingScan("scan_output_axes=[1]"), "float[2]{10, 20}; float[0,2]{}",
      "float[2]{10, 20}; float[2,0]{}");
  // a: 1 + (2 + 7 + 3); b: 2 + 3·10; y backwards: columns 2, 1, 0; half: 2 > 2 no → −2,
  // 7 > 12 no → −7, 3 > 22 no → −3, written backwards.
  row("many streams", kManyStreams,
      "float[]{1}; float[]{2}; float[3]{2, 7, 3}; "
      "float[2,3]{1, 2, 3, 4, 5, 6}",
      "float[]{13}; float[]{32}; float[2,3]{6, 14, 3, 12, 35, 12}; float[3]{-3, -7, -2}");
  row("a branch taken inside", kManyStreams,
      "float[]{0}; float[]{5}; float[3]{6, 5, 9}; float[2,3]{0, 0, 0, 0, 0, 0}",
      "float[]{20}; float[]{5}; float[2,3]{0, 0, 0, 0, 0, 0}; float[3]{5, -5, 5}");
  row("a scan in a loop", kNested, "int64[]{2}; float[2,3]{1, 2, 3, 4, 5, 6}",
      "float[]{21}; float[2]{6, 15}");
  row("a loop that never runs", kStacked, "int64[]{0}; float[2]{1, 2}", "int32[0,2]{}");
  row("a loop that collects", kStacked, "int64[]{2}; float[2]{1, 2}", "int32[2,2]{1, 2, 1, 2}");
  const char* const batch = "int64[2]{3, 1}; float[2,1]{10, 20}; float[2,3,1]{1, 2, 3, 4, 5, 6}";
  row("a batch of sequences", batchedSummingScan(""), batch,
      "float[2,1]{16, 24}; float[2,3,1]{11, 13, 16, 24, 0, 0}", 8);
  row("a batch backwards", batchedSummingScan("directions=[1]"),
      "int64[2]{3, 2}; float[2,1]{10, 20}; float[2,3,1]{1, 2, 3, 4, 5, 6}",
      "float[2,1]{16, 29}; float[2,3,1]{13, 15, 16, 25, 29, 0}", 8);
  row("an empty sequence", batchedSummingScan(""),
      "int64[2]{0, 3}; float[2,1]{10, 20}; float[2,3,1]{1, 2, 3, 4, 5, 6}",
      "float[2,1]{10, 35}; float[2,3,1]{0, 0, 0, 24, 29, 35}", 8);
}

void RepetitionsTest::bodiesRunOverAndOver() {
  QFETCH(std::string, text);
  QFETCH(int, opset);
  QFETCH(std::string, inputs);
  QFETCH(std::string, expected);
  try {
    const std::string difference = run(text, opset, inputs, expected);
    QVERIFY2(difference.empty(), difference.c_str());
  } catch (const std::exception& error) {
    QFAIL(error.what());
  }
}

void RepetitionsTest::everyRunShowsItsInputs() {
  const auto graph = graphFromText(summingScan(""));
  const Engine engine(graph, Workers{1});
  const Plan plan = planForAllValues(engine);
  const std::vector<Tensor> feeds =
      tensorsFromText("float[2]{10, 20}; float[3,2]{1, 2, 3, 4, 5, 6}");
  Execution execution(plan, std::vector<std::pair<ValueId, Tensor>>{
                                {graph->inputs()[0], feeds[0]}, {graph->inputs()[1], feeds[1]}});
  std::vector<float> seen;
  while (!execution.finished()) {
    execution.step();
    if (!execution.started().valid()) continue;
    QCOMPARE((*graph)[execution.started()].owner, graph->findNode("scan"));
    for (const char* name : {"state", "item"}) {
      seen.push_back(execution.value(graph->findValue(name)).values<float>()[0]);
    }
  }
  QVERIFY((seen == std::vector<float>{10, 1, 11, 3, 14, 5}));
}

void RepetitionsTest::whatDoesNotFitIsNamed_data() {
  QTest::addColumn<std::string>("text");
  QTest::addColumn<int>("opset");
  QTest::addColumn<std::string>("inputs");
  QTest::addColumn<QString>("sentence");
  const auto row = [](const char* name, const std::string& text, const char* inputs,
                      const char* sentence, int opset = 17) {
    QTest::newRow(name) << text << opset << std::string(inputs) << QString(sentence);
  };
  row("lengths", kManyStreams, "float[]{1}; float[]{2}; float[3]{2, 7, 3}; float[2,2]{1, 2, 3, 4}",
      "Scan's inputs differ in length: 3 and 2");
  row("axis", summingScan("scan_input_axes=[4]"), "float[2]{1, 2}; float[1,2]{1, 2}", "axis 4");
  row("number of axes", summingScan("scan_input_axes=[0,1]"), "float[2]{1, 2}; float[1,2]{1, 2}",
      "Scan has 1 scanned inputs but another number of axes or directions");
  row("sequence too long", batchedSummingScan(""),
      "int64[2]{4, 3}; float[2,1]{10, 20}; float[2,3,1]{1, 2, 3, 4, 5, 6}",
      "a sequence of length 4 does not fit into 3", 8);
  row("a state that grows is collected", R"(
      input start:float
      input x:float
      last, all = Scan(start, x) @scan num_scan_inputs=1 body={
        input state:float
        input item:float
        longer = Concat(state, item) axis=0
        copy = Identity(longer)
        output longer
        output copy
      })",
      "float[1]{0}; float[2,1]{1, 2}", "changes from float32[2] to float32[3]");
}

void RepetitionsTest::whatDoesNotFitIsNamed() {
  QFETCH(std::string, text);
  QFETCH(int, opset);
  QFETCH(std::string, inputs);
  QFETCH(QString, sentence);
  try {
    QFAIL(("no error: " + run(text, opset, inputs, "")).c_str());
  } catch (const Error& error) {
    QVERIFY2(QString(error.what()).contains(sentence), error.what());
    if (text.find("@scan") != std::string::npos) QCOMPARE(error.place().node, std::string("scan"));
  }
}

QUANTSCOPE_TEST(RepetitionsTest)
#include "test_repetitions.moc"
