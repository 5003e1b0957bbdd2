#include <QtTest>

#include "support/sample_snapshot.h"
#include "support/test_main.h"
#include "widgets/graph/drawing/build_drawing.h"
#include "widgets/graph/graph_words.h"
#include "widgets/look/text.h"

using namespace quantscope;
using namespace quantscope::test;

class GraphWordsTest : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void initTestCase() { m_drawing = buildDrawing(*sampleSnapshot(), {}); }
  void aBoxTellsBothErrors();
  void anEdgeTellsShapeTypeAndRange();
  void aCardTellsTheWorst();

 private:
  GraphDrawing m_drawing;
  DisplayOptions m_options;
};

void GraphWordsTest::aBoxTellsBothErrors() {
  const LayerResult& layer = sampleSnapshot()->result->layers.front();
  const auto box = std::ranges::find_if(
      m_drawing.boxes, [](const DrawnBox& each) { return each.layers == std::vector{0UL}; });
  QVERIFY(box != m_drawing.boxes.end());
  const QString words = boxWords(*box, *sampleSnapshot(), m_options, {});
  for (const QString& part :
       {text(layer.name).toHtmlEscaped(), withUnit(layer.local->total.sqnrDb, QStringLiteral("dB")),
        withUnit(layer.accumulated->total.sqnrDb, QStringLiteral("dB")), QStringLiteral("int8")}) {
    QVERIFY2(words.contains(part), qPrintable(part + QStringLiteral(" is not in ") + words));
  }
}

void GraphWordsTest::anEdgeTellsShapeTypeAndRange() {
  const DrawnEdge& edge = m_drawing.edges.front();
  QVERIFY(!edge.values.empty());
  const Value& value = sampleSnapshot()->graph()[edge.values.front()];
  const QString words = edgeWords(edge, m_drawing.boxes, *sampleSnapshot());
  QVERIFY(words.contains(text(value.name)));
  QVERIFY(words.contains(text(toString(value.type.shape))));
  QVERIFY(words.contains(QStringLiteral("float32")));
  const Observation* seen = sampleSnapshot()->observations->find(edge.values.front());
  QVERIFY(words.contains(shortText(seen->range.high)));
}

void GraphWordsTest::aCardTellsTheWorst() {
  const AnalysisResult& result = *sampleSnapshot()->result;
  DrawnBox card;
  card.kind = DrawnBox::Kind::Scope;
  card.scope = "/block";
  double worst = std::numeric_limits<double>::infinity();
  std::string name;
  for (std::size_t i = 0; i < result.layers.size(); ++i) {
    card.layers.push_back(i);
    const auto& local = result.layers[i].local;
    if (!local || !local->total.sqnrDb || *local->total.sqnrDb >= worst) continue;
    worst = *local->total.sqnrDb;
    name = result.layers[i].name;
  }
  const QString words = boxWords(card, *sampleSnapshot(), m_options, {});
  QVERIFY(words.contains(text(name).toHtmlEscaped()));
  QVERIFY(words.contains(shortText(worst)));
}

QUANTSCOPE_TEST(GraphWordsTest)
#include "test_graph_words.moc"
