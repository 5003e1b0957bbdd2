#include "widgets/graph/graph_loader.h"

#include <exception>

#include "widgets/graph/build_drawing.h"
#include "widgets/look/text.h"

namespace quantscope {

GraphLoader::GraphLoader(QObject* parent) : QObject(parent) {
  m_thread.setMaxThreadCount(1);
}

GraphLoader::~GraphLoader() {
  m_thread.waitForDone();
}

void GraphLoader::load(const SnapshotPtr& snapshot, const DrawingOptions& options, bool byDefault,
                       const QFont& font) {
  m_newest = {snapshot, options, byDefault, font};
  ++m_number;
  m_busy = true;
  // A layout cannot be stopped half-way; the newest request follows when it is done.
  if (!m_working) start();
}

void GraphLoader::cancel() {
  m_newest = {};
  ++m_number;
  m_busy = false;
}

GraphScenePtr GraphLoader::makeScene(const Request& request) {
  DrawingOptions options = request.options;
  if (request.byDefault) {
    options = defaultOptions(*request.snapshot);
    options.leftToRight = request.options.leftToRight;
    options.constants = request.options.constants;
  }
  return std::make_shared<const GraphScene>(buildDrawing(*request.snapshot, options, request.font),
                                            options);
}

void GraphLoader::start() {
  m_working = true;
  m_thread.start([this, request = m_newest, number = m_number] {
    GraphScenePtr scene;
    QString sentence;
    try {
      scene = makeScene(request);
    } catch (const std::exception& error) {
      sentence = text(error.what());
    }
    QMetaObject::invokeMethod(this, [this, scene, sentence, number] {
      m_working = false;
      if (number != m_number) {
        if (m_newest.snapshot) start();
        return;
      }
      m_busy = false;
      if (scene) {
        Q_EMIT ready(scene);
      } else {
        Q_EMIT failed(sentence);
      }
    });
  });
}

}  // namespace quantscope
