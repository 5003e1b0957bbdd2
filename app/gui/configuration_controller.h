#pragma once

#include <QObject>
#include <string>
#include <vector>

#include "session.h"
#include "widgets/shell/message_bar.h"

namespace quantscope {

class WindowViews;

/// Brings what the user changes in the configuration into a session and shows it again, and says
/// what is odd about it.
class ConfigurationController : public QObject {
  Q_OBJECT

 public:
  /// All outlive it.
  ConfigurationController(Session& session, WindowViews& views, MessageBar& messages,
                          QObject* parent);

 private:
  void showRequest();
  void changeSharing(const ConfigEdit& edit);
  void tellNotices();

  Session& m_session;
  WindowViews& m_views;
  MessageBar& m_messages;
  std::vector<std::string> m_notices;  // those last told
};

}  // namespace quantscope
