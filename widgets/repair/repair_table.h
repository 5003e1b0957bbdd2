#pragma once

#include <QTableWidget>
#include <map>
#include <optional>

#include "repair/recipe.h"

namespace quantscope {

/// What a step has and does beside the figures in the table, and what there is to say of it, a line
/// each; may be empty.
QString remarkWords(const StepReport& report);

/// The steps of a repair, one in each row: whether it is to be tried, and what came of it.
class RepairTable : public QTableWidget {
  Q_OBJECT

 public:
  enum Column { kStep, kHeldOut, kFitted, kLayers, kBytes, kSeconds, kVerdict, kColumns };

  /// Those from `triedByDefault` on are not chosen at first.
  RepairTable(std::vector<RepairStep> steps, std::size_t triedByDefault, QWidget* parent = nullptr);

  const std::vector<RepairStep>& steps() const { return m_all; }
  /// Only these steps are chosen, by name; empty = those that are tried by default.
  void choose(const std::vector<std::string>& steps);
  bool isChosen(std::size_t step) const;
  /// The first step that is chosen; none = no step is.
  std::optional<std::size_t> firstChosen() const;
  /// Index of the step in the row that is selected.
  std::size_t current() const;
  /// Empty = nothing was tried.
  void setReports(const std::vector<StepReport>& reports);
  /// Marks the step that runs now; none = nothing runs.
  void setRunning(const std::optional<std::size_t>& step);
  /// A stage of the progress has the name of a step, or is one of a training: that step runs.
  void followStage(const std::string& stage);
  /// Selects the first step that was kept, and brings it into view; nothing where there is none.
  void selectKept();
  /// nullptr where a step was not tried.
  const StepReport* reportOf(std::size_t step) const;

 protected:
  /// The selected step stays in sight.
  void resizeEvent(QResizeEvent* event) override;

 private:
  void setCell(int row, int column, const QString& words, const QString& tip = {});
  void showStep(int row);

  std::vector<RepairStep> m_all;  // by row
  std::size_t m_triedByDefault;   // so many of them; training takes its time
  std::map<std::string, StepReport> m_reports;
  std::optional<std::size_t> m_running;
};

}  // namespace quantscope
