#pragma once

#include <QObject>
#include <QTimer>
#include <functional>

#include "jobs/config_gains.h"
#include "session.h"

namespace quantscope {

/// Spends idle time on what will be asked next: what other configurations would gain on the result
/// that is shown. It gives way at once to anything that somebody waits for.
class GainProbe : public QObject {
  Q_OBJECT

 public:
  using Ask = std::function<std::vector<Configuration>()>;
  using Take = std::function<void(const ConfigGains&)>;

  /// `ask`: what to try; `take`: gets what is known so far. `what` tells probes of a window apart.
  /// The session outlives it.
  GainProbe(Session& session, const char* what, Ask ask, Take take, QObject* parent = nullptr);
  ~GainProbe() override;

  /// What is to be asked has changed: forgets what runs, and begins again when there is time.
  void restart();

 private:
  void start();

  Session& m_session;
  std::shared_ptr<JobQueue> m_queue;  // which may outlive the session
  Ask m_ask;
  Take m_take;
  JobTag m_tag{.name = {}, .priority = JobTag::Priority::Sweep};
  QTimer m_idle;
  int m_asked = 0;  // counts what was asked for
};

}  // namespace quantscope
