#pragma once

#include <QObject>

#include "app/gui/window/actions.h"
#include "idle_probe.h"
#include "widgets/guide/guide_panel.h"

namespace quantscope {

class AdviceController;
class CausesController;
class Comparison;
class ExportController;
class FindingsController;

/// Updates the guide's steps, and runs their actions.
class GuideController : public QObject {
  Q_OBJECT

 public:
  /// All outlive the controller.
  struct Parts {
    Session& session;
    GuidePanel& panel;
    Actions& actions;
    FindingsController& findings;
    AdviceController& advice;
    CausesController& causes;
    ExportController& exports;
    Comparison& comparison;
  };

  GuideController(const Parts& parts, QObject* parent);

 private:
  // The outputs' figures before the first edit.
  struct Start {
    std::shared_ptr<const SampleSet> data;
    Configuration config;
    std::optional<double> worstDb;
    double bytes = 0;
  };

  void refresh();
  void show();
  bool canBeSeen() const { return m_parts.panel.isVisible() && m_parts.panel.isEnabled(); }
  WorkDone work() const;
  const Start* start() const;
  void noteStart();
  IdleProbe::Work measureStart(const SnapshotPtr& shown);
  GuidePanel::StepActions actions() const;
  ActionId fix() const;
  GuidePanel::Action fixingAction() const;
  void act(ProcedureStage stage);
  void compareWithStart();

  Parts m_parts;
  std::optional<Start> m_start;
  QTimer m_soon;  // several things change together
  IdleProbe m_probe;
};

}  // namespace quantscope
