#include <QDir>
#include <QThread>
#include <QtTest>

#include "support/test_main.h"
#include "widgets/drawing_text.h"
#include "widgets/graph/drawing/build_drawing.h"

using namespace quantscope;

namespace {

constexpr auto kNested = R"(
input x:float[2]
a = Neg(x) @/net/first
b = Abs(a) @/net/block/0/conv
c = Exp(b) @/net/block/0/act
d = Neg(c) @/net/block/1/inner/conv
e = Abs(d) @/net/block/1/inner/act
f = Exp(e) @/net/last
)";

// The scope holds what comes before and what comes after a layer outside of it.
constexpr auto kAround = R"(
input x:float[2]
a = Neg(x) @s/a
b = Neg(a) @s/b
c = Abs(b) @other/outside
d = Exp(c) @s/d
e = Exp(d) @s/e
)";

// Each of the scopes feeds the other one.
constexpr auto kEntwined = R"(
input x:float[2]
a = Neg(x) @s/a
b = Neg(a) @s/b
c = Abs(b) @t/c
d = Abs(x) @t/d
e = Abs(d) @t/e
f = Exp(e) @s/f
g = Add(c, f) @sum
)";

constexpr auto kBranches = R"(
input x:float[2]
input c:bool[]
a = Neg(x) @net/a
r = If(c) @net/If_1 then={
  t = Abs(a) @t
  u = Abs(t) @u
  output u
} else={
  v = Exp(a) @v
  output v
}
y = Neg(r) @net/b
)";

constexpr auto kLoop = R"(
input n:int64[]
input x:float[2]
k:bool[]{1}
y = Loop(n, k, x) @loop body={
  input i:int64[]
  input go:bool[]
  input state:float[2]
  next = Abs(state) @next
  same = Identity(go) @same
  output same
  output next
}
)";

struct Wish {
  std::vector<std::string> collapsed = {};
  std::vector<std::string> open = {};
  bool constants = false;
};

DrawingOptions optionsOf(const Wish& wish, const AnalysisSnapshot& snapshot) {
  DrawingOptions options;
  options.constants = wish.constants;
  options.collapsed.insert(wish.collapsed.begin(), wish.collapsed.end());
  for (const std::string& node : wish.open) {
    options.openBodies.insert(snapshot.graph().findNode(node));
  }
  return options;
}

QString faultOf(const AnalysisSnapshot& snapshot, const DrawingOptions& options) {
  return test::firstFault(buildDrawing(snapshot, options), snapshot.result->layers.size(),
                          options.leftToRight);
}

// `blocks` scopes of `layers` layers each, in one scope beside a layer outside.
std::string manyLayers(int blocks, int layers) {
  std::string text = "input x:float[2]\nv0 = Neg(x) @outside\n";
  int last = 0;
  for (int i = 0; i < blocks * layers; ++i, ++last) {
    text += "v" + std::to_string(last + 1) + " = Abs(v" + std::to_string(last) + ") @net/" +
            std::to_string(i / layers) + "/n" + std::to_string(i) + "\n";
  }
  return text + "y = Neg(v" + std::to_string(last) + ") @tail/end";
}

}  // namespace

Q_DECLARE_METATYPE(Wish)

class BuildDrawingTest : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void nests_data();
  void nests();
  void joinsBoxes_data();
  void joinsBoxes();
  void namesWhatFlows();
  void fusedPatternIsOneBox();
  void patternThatStandsApartIsNoCycle();
  void leftToRightTurnsThePicture();
  void worksInAnyThread();
  void defaultsStayReadable();
  void collapsesAndExpandsAll();
  void revealsALayer();
  void drawsRealModels_data();
  void drawsRealModels();
};

void BuildDrawingTest::nests_data() {
  QTest::addColumn<QString>("text");
  QTest::addColumn<Wish>("wish");
  QTest::addColumn<QString>("outline");

  QTest::newRow("nothing") << "" << Wish{} << "";
  QTest::newRow("no scopes") << "input x:float[2]\na = Neg(x)\nb = Abs(a)" << Wish{}
                             << "[x] Neg Abs [b]";
  QTest::newRow("scopes in scopes; what all share is no frame")
      << kNested << Wish{} << "[x] Neg block{0{Abs Exp} 1 / inner{Neg Abs}} Exp [f]";
  QTest::newRow("a card") << kNested << Wish{{"/net/block/0"}}
                          << "[x] Neg block{<0: 2 layers> 1 / inner{Neg Abs}} Exp [f]";
  QTest::newRow("a card by a name inside the merged ones")
      << kNested << Wish{{"/net/block/1"}}
      << "[x] Neg block{0{Abs Exp} <1 / inner: 2 layers>} Exp [f]";
  QTest::newRow("a card in a card")
      << kNested << Wish{{"/net/block", "/net/block/0"}} << "[x] Neg <block: 4 layers> Exp [f]";
  QTest::newRow("a scope of one layer")
      << "input x:float[2]\na = Neg(x) @s/a\nb = Abs(a) @t/b" << Wish{{"s"}} << "[x] Neg Abs [b]";
  QTest::newRow("a scope that half of the layers share")
      << "input x:float[2]\na = Neg(x) @a\nb = Neg(a) @b\nc = Abs(b) @s/c\nd = Abs(c) @s/d"
      << Wish{} << "[x] Neg Neg s{Abs Abs} [d]";
  QTest::newRow("a scope that nearly all layers share")
      << "input x:float[2]\na = Neg(x) @a\nb = Neg(a) @s/b\nc = Abs(b) @s/t/c\nd = Abs(c) @s/t/d"
      << Wish{} << "[x] Neg Neg t{Abs Abs} [d]";
  QTest::newRow("split around a layer")
      << kAround << Wish{} << "[x] s (1 of 2){Neg Neg} Abs s (2 of 2){Exp Exp} [e]";
  QTest::newRow("numbered cards") << kAround << Wish{{"s"}}
                                  << "[x] <s (1 of 2): 2 layers> Abs <s (2 of 2): 2 layers> [e]";
  QTest::newRow("entwined: one of the scopes stays whole")
      << kEntwined << Wish{} << "[x] s{Neg Neg} t{Abs Abs Abs} Exp Add [g]";
  QTest::newRow("closed bodies") << kBranches << Wish{} << "[x] [c] Neg <If_1: 3 layers> Neg [y]";
  QTest::newRow("open bodies") << kBranches << Wish{{}, {"net/If_1"}}
                               << "[x] [c] Neg If_1{then{Abs Abs} else{Exp} If} Neg [y]";
  QTest::newRow("a single body is one frame")
      << kLoop << Wish{{}, {"loop"}} << "[n] [x] Loop loop · body{Abs Identity Loop} [y]";
  QTest::newRow("constants in the frames of their readers")
      << "input x:float[2]\na = Mul(x, w:float[2]) @s/a\nb = Neg(a) @s/b\nc = Add(b, "
         "d:float[]{4.5}) "
         "@t/c"
      << Wish{{}, {}, true} << "[x] s{Mul Neg (w 2)} Add [c] (4.5)";
  QTest::newRow("cards hide constants")
      << "input x:float[2]\na = Mul(x, w:float[2]) @s/a\nb = "
         "Neg(a) @s/b\nc = Add(b, d:float[]{4.5}) @t/c"
      << Wish{{"s"}, {}, true} << "[x] <s: 2 layers> Add [c] (4.5)";
}

void BuildDrawingTest::nests() {
  QFETCH(QString, text);
  QFETCH(Wish, wish);
  QFETCH(QString, outline);
  const SnapshotPtr snapshot = test::structureFromText(text.toStdString());
  DrawingOptions options = optionsOf(wish, *snapshot);
  QCOMPARE(test::outline(buildDrawing(*snapshot, options)), outline);
  QCOMPARE(faultOf(*snapshot, options), QString());
  options.leftToRight = true;
  QCOMPARE(test::outline(buildDrawing(*snapshot, options)), outline);
  QCOMPARE(faultOf(*snapshot, options), QString());
}

void BuildDrawingTest::joinsBoxes_data() {
  QTest::addColumn<QString>("text");
  QTest::addColumn<Wish>("wish");
  QTest::addColumn<QString>("edges");
  QTest::newRow("across frames") << kNested << Wish{}
                                 << "x>Neg Neg>Abs Abs>Exp Exp>Neg Neg>Abs Abs>Exp Exp>f";
  QTest::newRow("to cards") << kNested << Wish{{"/net/block"}} << "x>Neg Neg>block block>Exp Exp>f";
  QTest::newRow("to closed bodies")
      << kBranches << Wish{} << "x>Neg Neg>If_1 c>If_1 If_1>Neg Neg>y";
  QTest::newRow("into open bodies")
      << kBranches << Wish{{}, {"net/If_1"}}
      << "x>Neg Neg>Abs Abs>Abs Neg>Exp c>If Abs>If Exp>If If>Neg Neg>y";
}

void BuildDrawingTest::joinsBoxes() {
  QFETCH(QString, text);
  QFETCH(Wish, wish);
  QFETCH(QString, edges);
  const SnapshotPtr snapshot = test::structureFromText(text.toStdString());
  const GraphDrawing drawing = buildDrawing(*snapshot, optionsOf(wish, *snapshot));
  const auto sorted = [](const QString& words) {
    QStringList list = words.split(' ');
    list.sort();
    return list;
  };
  QCOMPARE(sorted(test::edgeText(drawing)), sorted(edges));
}

void BuildDrawingTest::namesWhatFlows() {
  const SnapshotPtr snapshot = test::structureFromText(R"(
input x:float[4]
a, b = Split(x, k:int64[2]{2, 2}) @split
c = Mul(a, b) @product
)");
  const GraphDrawing drawing = buildDrawing(*snapshot, {});
  QCOMPARE(test::edgeText(drawing), QString("x>Split Split>Mul Mul>c"));
  const Graph& graph = snapshot->graph();
  QVERIFY(drawing.edges[1].values ==
          (std::vector<ValueId>{graph.findValue("a"), graph.findValue("b")}));
}

void BuildDrawingTest::fusedPatternIsOneBox() {
  const SnapshotPtr snapshot = test::structureFromText(R"(
input x:float[1,3,8,8]
y = Conv(x, w:float[4,3,3,3]) @net/block/conv
z = Relu(y) @net/block/relu
r = Reshape(z, s:int64[2]{1, 144}) @net/Reshape_3
)");
  const GraphDrawing drawing = buildDrawing(*snapshot, {});
  QCOMPARE(test::outline(drawing), QString("[x] Conv + ReLU Reshape [r]"));
  QVERIFY(drawing.boxes[1].kind == DrawnBox::Kind::Layer);
  QCOMPARE(drawing.boxes[1].subtitle, QString("block"));
  QVERIFY(drawing.boxes[2].kind == DrawnBox::Kind::DataMover);
  QVERIFY(drawing.boxes[2].rect.width() < drawing.boxes[1].rect.width());
  QVERIFY(drawing.boxes[2].rect.height() < drawing.boxes[1].rect.height());
}

void BuildDrawingTest::patternThatStandsApartIsNoCycle() {
  const SnapshotPtr chain = test::structureFromText(
      "input x:float[2]\na = Neg(x) @s/a\nb = Abs(a) @s/b\nc = Exp(b) @s/c");
  AnalysisResult result = *chain->result;
  result.layers[0].members.push_back(result.layers[2].node);
  result.layers.pop_back();
  AnalysisSnapshot snapshot = *chain;
  snapshot.result = std::make_shared<AnalysisResult>(result);
  const GraphDrawing drawing = buildDrawing(snapshot, {});
  QCOMPARE(test::edgeText(drawing), QString("Abs>Neg x>Neg Neg>Abs Neg>c"));
  QVERIFY(drawing.boxes[1].rect.bottom() < drawing.boxes[2].rect.top());
  const std::vector<QPointF>& upward = drawing.edges[0].points;
  QCOMPARE(upward.front().y(), drawing.boxes[2].rect.top());
  QCOMPARE(upward.back().y(), drawing.boxes[1].rect.bottom());
}

void BuildDrawingTest::leftToRightTurnsThePicture() {
  const SnapshotPtr snapshot = test::structureFromText(kNested);
  const GraphDrawing down = buildDrawing(*snapshot, {});
  DrawingOptions options;
  options.leftToRight = true;
  const GraphDrawing right = buildDrawing(*snapshot, options);
  QVERIFY(down.bounds.height() > down.bounds.width());
  QVERIFY(right.bounds.width() > right.bounds.height());
  QCOMPARE(right.boxes[1].rect.size(), down.boxes[1].rect.size());
}

void BuildDrawingTest::worksInAnyThread() {
  const SnapshotPtr snapshot = test::structureFromText(kNested);
  GraphDrawing drawing;
  const std::unique_ptr<QThread> thread(
      QThread::create([&] { drawing = buildDrawing(*snapshot, {}); }));
  thread->start();
  QVERIFY(thread->wait());
  const GraphDrawing here = buildDrawing(*snapshot, {});
  QCOMPARE(test::outline(drawing), test::outline(here));
  for (std::size_t i = 0; i < here.boxes.size(); ++i) {
    QCOMPARE(drawing.boxes[i].rect, here.boxes[i].rect);
  }
}

void BuildDrawingTest::defaultsStayReadable() {
  const SnapshotPtr few = test::structureFromText(manyLayers(3, 100));
  QVERIFY(defaultOptions(*few).collapsed.empty());
  const SnapshotPtr many = test::structureFromText(manyLayers(5, 100));
  QCOMPARE(test::outline(buildDrawing(*many, defaultOptions(*many))),
           QString("[x] Neg net{<0: 100 layers> <1: 100 layers> <2: 100 layers> <3: 100 layers> "
                   "<4: 100 layers>} Neg [y]"));
  const SnapshotPtr branches = test::structureFromText(kBranches);
  QVERIFY(defaultOptions(*branches).openBodies.empty());
}

void BuildDrawingTest::collapsesAndExpandsAll() {
  const SnapshotPtr snapshot = test::structureFromText(kNested);
  QVERIFY(allScopes(*snapshot) ==
          (std::set<std::string>{"/net/block", "/net/block/0", "/net/block/1/inner"}));
  const DrawingOptions collapsed = collapseAll({}, *snapshot);
  QCOMPARE(test::outline(buildDrawing(*snapshot, collapsed)),
           QString("[x] Neg <block: 4 layers> Exp [f]"));
  QVERIFY(expandAll(collapsed) == DrawingOptions{});
}

void BuildDrawingTest::revealsALayer() {
  const SnapshotPtr nested = test::structureFromText(kNested);
  const DrawingOptions opened = revealing(collapseAll({}, *nested), *nested, 1);
  QCOMPARE(test::outline(buildDrawing(*nested, opened)),
           QString("[x] Neg block{0{Abs Exp} <1 / inner: 2 layers>} Exp [f]"));

  const SnapshotPtr branches = test::structureFromText(kBranches);
  QCOMPARE(branches->result->layers[1].name, std::string("net/If_1/then/t"));
  QCOMPARE(test::outline(buildDrawing(*branches, revealing({}, *branches, 1))),
           QString("[x] [c] Neg If_1{then{Abs Abs} else{Exp} If} Neg [y]"));
}

void BuildDrawingTest::drawsRealModels_data() {
  QTest::addColumn<QString>("model");
  for (const char* model : {"silero_vad", "basic_pitch_nmp", "magika_v3_3", "gtcrn"}) {
    QTest::newRow(model) << model;
  }
}

void BuildDrawingTest::drawsRealModels() {
  QFETCH(QString, model);
  const QString folder = qEnvironmentVariable("QUANTSCOPE_MODELS");
  if (folder.isEmpty()) QSKIP("QUANTSCOPE_MODELS names no folder with models");
  const SnapshotPtr snapshot = test::structureFromFile(folder + "/" + model + ".onnx");
  DrawingOptions open;
  for (const Block& block : snapshot->graph().blocks()) {
    if (block.owner.valid()) open.openBodies.insert(block.owner);
  }
  for (const DrawingOptions& options :
       {defaultOptions(*snapshot), DrawingOptions{}, collapseAll({}, *snapshot), open,
        collapseAll(open, *snapshot)}) {
    for (const bool constants : {false, true}) {
      DrawingOptions wished = options;
      wished.constants = constants;
      QCOMPARE(faultOf(*snapshot, wished), QString());
    }
  }
}

QUANTSCOPE_TEST(BuildDrawingTest)
#include "test_build_drawing.moc"
