#include <QtTest>

#include "repair/repair_case.h"
#include "repair/scales/equalization.h"
#include "support/test_main.h"

using namespace quantscope;
using namespace quantscope::test;

/// The ways in which equalization is tried.
class EqualizationWaysTest : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void rectifiersComeWithRangesToo();
};

// Without its Clip a value reaches further, and ranges that leave that out go with it.
void EqualizationWaysTest::rectifiersComeWithRangesToo() {
  RepairCase network(kClipped, kPerTensor);
  const RepairState folded = network.folded();
  const LinearLayers layers = findLinearLayers(*folded.engine, *folded.model);
  RepairTools tools = network.tools();
  std::size_t both = 0;
  for (std::size_t way = 0; way < kEqualizationWays; ++way) {
    const RepairProposal proposal = proposeEqualization(folded, layers, tools, way);
    QVERIFY2(proposal.reason.empty() && !proposal.what.empty(), proposal.reason.c_str());
    const Overlay& overlay = proposal.overlay;
    if (overlay.rectifiers.empty() || !overlay.observer) continue;
    ++both;
    const RepairState after = withOverlay(folded, overlay, proposal.effect, tools);
    const Graph& graph = after.engine->graph();
    QCOMPARE(graph[graph.findNode("clip")].op, std::string("Relu"));
  }
  QCOMPARE(both, std::size_t{2});
}

QUANTSCOPE_TEST(EqualizationWaysTest)
#include "test_equalization_ways.moc"
