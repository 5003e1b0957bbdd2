#pragma once

#include <QObject>
#include <vector>

#include "gain_probe.h"

namespace quantscope {

class WindowViews;

/// Has the other types of the selected layers and the overrides of the configuration tried while
/// the machine is idle, and shows what they gain.
class GainsController : public QObject {
  Q_OBJECT

 public:
  /// Both outlive it.
  GainsController(Session& session, WindowViews& views, QObject* parent);

 private:
  std::vector<Configuration> typesToTry();
  std::vector<Configuration> overridesToTry() const;

  Session& m_session;
  WindowViews& m_views;
  std::vector<std::size_t> m_places;  // of the types that are tried, in wholeTypes()
  GainProbe m_types;
  GainProbe m_overrides;
};

}  // namespace quantscope
