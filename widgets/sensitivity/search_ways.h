#pragma once

#include <QWidget>

class QAction;

namespace quantscope {

class ProfilePane;

/// The two ways to search a configuration, of which one is in sight: measuring on samples, and
/// profiles, which need no data.
class SearchWays : public QWidget {
  Q_OBJECT

 public:
  enum class Way { Measured, Profiles };

  explicit SearchWays(QWidget* parent = nullptr);

  /// What is seen of a search that measures; its owner fills it.
  QWidget& measured() { return *m_measured; }
  ProfilePane& profiles() { return *m_profiles; }
  Way way() const;
  /// The user has chosen one, now or before the program was started again.
  bool chosen() const { return m_chosen; }
  void choose(Way way);
  /// Until the user chooses, a model without samples is looked at by profiles.
  void setSampled(bool sampled);

 private:
  void show(Way way);

  QAction* m_bySamples;
  QAction* m_byProfiles;
  QWidget* m_measured;
  ProfilePane* m_profiles;
  bool m_chosen = false;
};

}  // namespace quantscope
