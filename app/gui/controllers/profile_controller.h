#pragma once

#include <QObject>

#include "app/gui/session.h"
#include "search/optimized_config.h"
#include "search/profiles/profile_prior.h"
#include "widgets/background/newest_work.h"

namespace quantscope {

class ProfilePane;
class SensitivityView;

/// Chooses types by profiles for the open model, which needs no data, while they can be seen; makes
/// them the window's configuration when asked.
class ProfileController : public QObject {
  Q_OBJECT

 public:
  /// Both outlive it.
  ProfileController(Session& session, SensitivityView& view, QObject* parent);

  /// One step that can be undone: the backend, types and rules by profiles. Exact grids go, which
  /// would beat them; the rest of the configuration stays.
  void adopt();

 private:
  struct Choice {
    OptimizedConfig found;
    std::vector<ChoiceReason> layers;  ///< those of `found` that have a type of their own
    QString failure;
  };

  /// The model that is shown is the one that is asked for.
  bool isLoaded() const;
  void follow();
  void choose();
  void forget();
  void show();
  void select(const QString& name);
  Configuration adopted() const;

  Session& m_session;
  ProfilePane& m_pane;
  std::shared_ptr<const Engine> m_engine;  // what was chosen for
  std::shared_ptr<const Choice> m_choice;  // null = not known yet
  NewestWork m_work;
};

}  // namespace quantscope
