#pragma once

#include <QPushButton>
#include <QTableWidget>

#include "engine/execution.h"
#include "ui/workbench.h"
#include "widgets/repair/repair_view.h"

namespace quantscope::test {

/// The workbench under per-tensor weights, with the tab of repairs open.
struct RepairBench : Workbench {
  RepairBench() : Workbench("digits_mobilenet", 16) {
    waitForGains();
    Configuration config = window->session().request().config;
    config.precision.edit(
        [](PrecisionConfig& precision) { precision.defaults.weight.granularity = Granularity(); });
    window->session().setConfig(config, QStringLiteral("per tensor"));
    waitForGains();
    action(ActionId::Repair)->trigger();
    repair = window->findChild<RepairView*>();
    steps = repair->findChild<QTableWidget*>();
  }
  void choose(const QStringList& names) const {
    for (int row = 0; row < steps->rowCount(); ++row) {
      const bool on = names.contains(steps->item(row, 0)->text());
      steps->item(row, 0)->setCheckState(on ? Qt::Checked : Qt::Unchecked);
    }
  }
  QPushButton& button(const QString& title) const {
    for (auto* each : repair->findChildren<QPushButton*>()) {
      if (each->text() == title) return *each;
    }
    qFatal("no button %s", qPrintable(title));
  }

  RepairView* repair = nullptr;
  QTableWidget* steps = nullptr;
};

/// The first output for a feed; `applied`: null = of the float network.
inline Tensor outputOf(const AnalysisSnapshot& snapshot, const Feed& feed,
                       const AppliedQuantization* applied) {
  const Graph& graph = snapshot.graph();
  const ValueId output = graph.outputs()[0];
  const std::vector<ValueId> inputs(graph.inputs().begin(), graph.inputs().end());
  const Plan plan(*snapshot.model.engine, {inputs, {output}, {output}});
  Execution execution(plan, feed.inputs, applied, feed.batch);
  while (!execution.finished()) execution.step();
  return toFloat32(toLayout(execution.value(output), Layout::Plain));
}

}  // namespace quantscope::test
