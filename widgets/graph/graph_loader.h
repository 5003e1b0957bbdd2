#pragma once

#include <QFont>
#include <QObject>
#include <QThreadPool>
#include <cstdint>

#include "widgets/graph/graph_scene.h"

namespace quantscope {

/// Lays graphs out in the background. The newest request wins.
class GraphLoader : public QObject {
  Q_OBJECT

 public:
  explicit GraphLoader(QObject* parent = nullptr);
  /// Waits for the layout in work.
  ~GraphLoader() override;

  /// `byDefault`: which scopes are collapsed is chosen by the model, and found in the scene.
  void load(const SnapshotPtr& snapshot, const DrawingOptions& options, bool byDefault,
            const QFont& font);
  /// Nothing is wanted any more.
  void cancel();
  bool busy() const { return m_busy; }

 Q_SIGNALS:
  void ready(const quantscope::GraphScenePtr& scene);
  void failed(const QString& sentence);

 private:
  struct Request {
    SnapshotPtr snapshot;
    DrawingOptions options;
    bool byDefault = false;
    QFont font;
  };
  void start();
  static GraphScenePtr makeScene(const Request& request);

  Request m_newest;
  std::uint64_t m_number = 0;  // of the newest request
  bool m_busy = false;         // the newest request is not answered yet
  bool m_working = false;      // a layout is in work, maybe an outdated one
  QThreadPool m_thread;
};

}  // namespace quantscope
