#include <QCheckBox>
#include <QPushButton>
#include <QtTest>

#include "app/gui/controllers/advice_controller.h"
#include "repair/named_layers.h"
#include "support/test_main.h"
#include "ui/workbench.h"
#include "widgets/inspector/inspector_view.h"
#include "widgets/repair/repair_view.h"

using namespace quantscope;
using namespace quantscope::test;

/// Repairs of some layers alone.
class RepairedLayersTest : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void ofTheSelectedLayers();
  void fromTheInspector();
  void anOfferStaysWhileItIsTicked();
};

// What is asked for changes these layers and no other one.
void RepairedLayersTest::ofTheSelectedLayers() {
  const Workbench bench("digits_mobilenet", 16);
  bench.waitForGains();
  QVERIFY(!bench.action(ActionId::RepairSelected)->isEnabled());
  const std::vector<LayerResult>& layers = bench->session().snapshot()->result->layers;
  const auto layer = std::ranges::find_if(layers, [](const LayerResult& each) {
    return each.quantized && each.weight && each.weight->type != QuantType::Float32;
  });
  bench->session().selection().selectNode(layer->node);
  QVERIFY(bench.action(ActionId::RepairSelected)->isEnabled());
  bench.action(ActionId::RepairSelected)->trigger();
  auto* repair = bench.window->findChild<RepairView*>();
  QVERIFY(repair->isVisible());
  QCOMPARE(repair->request().only, std::vector<std::string>{layer->name});
  repair->findChild<QCheckBox*>()->setChecked(false);
  QVERIFY(repair->request().only.empty());
}

void RepairedLayersTest::fromTheInspector() {
  const Workbench bench("digits_mobilenet", 16);
  bench.waitForGains();
  auto& tab = bench.view<RepairView>();
  const auto click = [&](const QString& title) {
    for (auto* button : bench.view<InspectorView>().findChildren<QPushButton*>()) {
      if (button->text() == title && button->isVisible()) return button->click();
    }
    QFAIL("no such button");
  };
  // The layers of the best next change, of which the card is.
  QTRY_VERIFY_WITH_TIMEOUT(bench->advice().advice() && bench->advice().advice()->next, 120'000);
  const NextChange next = *bench->advice().advice()->next;
  const AnalysisSnapshot& shown = *bench->session().snapshot();
  std::vector<NodeId> changed;
  for (const ConfigStep& step : next.edit.steps) {
    if (step.place == ConfigStep::Entry::Node) changed.push_back(shown.graph().findNode(step.name));
  }
  const auto expected = repairableLayers(*shown.model.engine, *shown.quantized, changed);
  click("Repair…");
  QVERIFY(tab.isVisible());
  QCOMPARE(tab.request().only, expected);
  bench->tabs().setCurrentIndex(0);
  const LayerResult& layer = bench.layer(0);
  bench->session().selection().selectNode(layer.node);
  QTest::qWait(100);  // sections out of sight follow
  click("Repair This Layer…");
  QVERIFY(tab.isVisible());
  QCOMPARE(tab.request().only, std::vector<std::string>{layer.name});
  // What is ticked stays what it was.
  auto& only = *tab.findChild<QCheckBox*>();
  bench->session().selection().clear();
  QCOMPARE(tab.request().only, std::vector<std::string>{layer.name});
  only.setChecked(false);
  QVERIFY(tab.request().only.empty());
}

// Whatever is selected meanwhile: to look at something is not to choose it.
void RepairedLayersTest::anOfferStaysWhileItIsTicked() {
  const Workbench bench("digits_mobilenet", 16);
  bench.waitForGains();
  Session& session = bench->session();
  std::vector<LayerResult> quantized;
  std::ranges::copy_if(session.snapshot()->result->layers, std::back_inserter(quantized),
                       [](const LayerResult& each) {
                         return each.weight && each.weight->type != QuantType::Float32;
                       });
  QVERIFY(quantized.size() > 2);
  session.selection().selectNode(quantized[0].node);
  bench.action(ActionId::RepairSelected)->trigger();
  auto& tab = bench.view<RepairView>();
  auto& only = *tab.findChild<QCheckBox*>();
  const QString words = only.text();
  session.selection().selectNode(quantized[1].node);
  QVERIFY(only.isChecked());
  QCOMPARE(only.text(), words);
  QCOMPARE(tab.request().only, std::vector<std::string>{quantized[0].name});
  // Without the tick it follows, and is another offer.
  only.setChecked(false);
  session.selection().selectNode(quantized[2].node);
  QVERIFY(only.isVisible() && !only.isChecked() && only.text() != words);
  only.setChecked(true);
  QCOMPARE(tab.request().only, std::vector<std::string>{quantized[2].name});
  // A layer in float cannot be repaired.
  session.precision().setType(QuantType::Float32);
  bench.waitForEnd();
  QVERIFY(!only.isChecked());
  QVERIFY(tab.request().only.empty());
}

QUANTSCOPE_TEST(RepairedLayersTest)
#include "test_repaired_layers.moc"
