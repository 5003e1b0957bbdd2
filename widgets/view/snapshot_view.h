#pragma once

#include <QByteArray>
#include <QWidget>

#include "jobs/analysis_snapshot.h"
#include "widgets/view/display_options.h"
#include "widgets/view/precision_editor.h"
#include "widgets/view/selection.h"

namespace quantscope {

/// The objects that every view of a window uses; they outlive the views.
struct ViewContext {
  Selection* selection = nullptr;
  DisplayOptions* options = nullptr;
  PrecisionEditor* precision = nullptr;  ///< null: nothing can be changed
};

/// A view of an analysis. It works only while it can be seen, that is, while it is visible and
/// enabled (a panel behind another one is disabled): what happens meanwhile is caught up with then.
/// Subclasses say how they look in the three overrides; each is called with everything before it
/// already up to date.
class SnapshotView : public QWidget {
  Q_OBJECT

 public:
  explicit SnapshotView(const ViewContext& context, QWidget* parent = nullptr);

  /// Null = no model is open.
  void setSnapshot(SnapshotPtr snapshot);
  const SnapshotPtr& snapshot() const { return m_snapshot; }
  bool canBeSeen() const { return isVisible() && isEnabled(); }

  /// How the user has arranged the view. Empty where there is nothing to arrange.
  virtual QByteArray saveState() const { return {}; }
  /// The same, whatever model is open; for the window's settings.
  virtual QByteArray saveSettings() const { return saveState(); }
  /// False where it is no state of such a view; nothing changes then.
  virtual bool restoreState(const QByteArray& /*state*/) { return false; }

 protected:
  Selection& selection() const { return *m_context.selection; }
  DisplayOptions& options() const { return *m_context.options; }
  PrecisionEditor* precision() const { return m_context.precision; }

  /// True if the view would show the same for another snapshot: it is then not updated. By default:
  /// if at most the findings differ.
  virtual bool showsTheSame(const AnalysisSnapshot& shown, const AnalysisSnapshot& next) const;
  /// There is another snapshot (maybe null), of the same model or another one.
  virtual void showSnapshot() = 0;
  /// Another metric, kind of error or scale.
  virtual void showOptions() {}
  /// Something else is selected.
  virtual void showSelection() {}

  /// True if the view shows the result that is compared with even where figures are no differences.
  virtual bool showsOther() const { return false; }

  /// Calls showOptions() and showSelection() again, now or once the view can be seen.
  void refresh() { markStale(kOptions); }

  void showEvent(QShowEvent* event) override;
  void changeEvent(QEvent* event) override;

 private:
  enum Stale : unsigned { kSnapshot = 1, kOptions = 2, kSelection = 4 };
  void markStale(unsigned what);
  void catchUp();

  ViewContext m_context;
  SnapshotPtr m_snapshot;
  unsigned m_stale = kSnapshot;
};

}  // namespace quantscope
