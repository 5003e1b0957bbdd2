#pragma once

#include <QObject>
#include <string>
#include <vector>

#include "app/gui/session.h"
#include "widgets/shell/message_bar.h"

namespace quantscope {

class WindowViews;

/// Applies the user's changes of the configuration to a session and shows it again, and reports its
/// oddities.
class ConfigurationController : public QObject {
  Q_OBJECT

 public:
  /// All outlive it.
  ConfigurationController(Session& session, WindowViews& views, MessageBar& messages,
                          QObject* parent);

 private:
  void showRequest();
  void select(const PrecisionTarget& target);
  void changeSharing(const ConfigEdit& edit);
  void tellNotices();

  Session& m_session;
  WindowViews& m_views;
  MessageBar& m_messages;
  std::vector<std::string> m_notices;  // those last told
};

}  // namespace quantscope
