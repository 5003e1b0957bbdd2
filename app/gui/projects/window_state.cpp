#include "app/gui/projects/window_state.h"

#include <QJsonArray>
#include <QJsonDocument>
#include <QTabWidget>
#include <utility>

#include "app/gui/comparison.h"
#include "app/gui/projects/selection_names.h"
#include "app/gui/session.h"
#include "app/gui/window/window_layout.h"
#include "app/gui/window/window_views.h"
#include "widgets/graph/canvas/graph_canvas.h"
#include "widgets/graph/graph_view.h"
#include "widgets/look/text.h"
#include "widgets/repair/repair_view.h"

namespace quantscope {
namespace {

const QString kVersion = QStringLiteral("quantscope_window");
const QString kPanels = QStringLiteral("panels");
const QString kViews = QStringLiteral("views");
const QString kTab = QStringLiteral("tab");
const QString kOptions = QStringLiteral("options");
const QString kMetric = QStringLiteral("metric");
const QString kKind = QStringLiteral("kind");
const QString kStretch = QStringLiteral("stretch");
const QString kDelta = QStringLiteral("delta");
const QString kCompared = QStringLiteral("compared");
const QString kSelection = QStringLiteral("selection");
const QString kDrawing = QStringLiteral("drawing");
const QString kCollapsed = QStringLiteral("collapsed");
const QString kBodies = QStringLiteral("bodies");
const QString kCentre = QStringLiteral("centre");
const QString kScale = QStringLiteral("scale");

QString toText(const QByteArray& bytes) {
  return QString::fromLatin1(bytes.toBase64());
}

QByteArray toBytes(const QJsonValue& words) {
  return QByteArray::fromBase64(words.toString().toLatin1());
}

}  // namespace

WindowState::WindowState(Session& session, WindowViews& views, WindowLayout& layout,
                         Comparison& comparison, QObject* parent)
    : QObject(parent),
      m_session(session),
      m_views(views),
      m_layout(layout),
      m_comparison(comparison) {
  connect(&session.controller(), &AnalysisController::snapshotChanged, this,
          &WindowState::restoreSelection);
  connect(&views.graph(), &GraphView::drawn, this, &WindowState::restoreDrawing);
  connect(&session.selection(), &Selection::changed, this, &WindowState::changed);
  connect(&session.options(), &DisplayOptions::changed, this, &WindowState::changed);
  connect(&comparison, &Comparison::changed, this, &WindowState::changed);
  connect(&views.tabs(), &QTabWidget::currentChanged, this, &WindowState::changed);
  connect(&views.graph().canvas(), &GraphCanvas::viewChanged, this, &WindowState::changed);
  connect(&views.repair(), &RepairView::trainingChanged, this, &WindowState::changed);
}

QByteArray WindowState::save() const {
  QJsonObject views;
  const QHash<QString, QByteArray> states = m_views.viewStates();
  for (auto state = states.begin(); state != states.end(); ++state) {
    views[state.key()] = toText(state.value());
  }
  const DisplayOptions& options = m_session.options();
  QJsonObject json{{kVersion, 1},
                   {kPanels, toText(m_layout.panels())},
                   {kViews, views},
                   {kTab, m_views.tabs().currentIndex()},
                   {kOptions, QJsonObject{{kMetric, text(options.metric().key)},
                                          {kKind, keyOf(options.kind())},
                                          {kStretch, options.stretch()},
                                          {kDelta, options.deltaChosen()}}},
                   {kCompared, m_comparison.isKept() ? m_comparison.name() : QString()},
                   {kDrawing, saveDrawing()}};
  const SnapshotPtr& snapshot = m_session.snapshot();
  json[kSelection] = !m_selection.isEmpty() || !snapshot
                         ? m_selection
                         : toJson(m_session.selection().current(), snapshot->graph());
  return QJsonDocument(json).toJson(QJsonDocument::Compact);
}

QJsonObject WindowState::saveDrawing() const {
  GraphView& view = m_views.graph();
  const GraphCanvas& canvas = view.canvas();
  if (!m_drawing.isEmpty() || !view.snapshot() || !canvas.content().scene) return m_drawing;
  QJsonArray collapsed;
  for (const std::string& scope : view.drawingOptions().collapsed) collapsed.append(text(scope));
  QJsonArray bodies;
  for (const NodeId node : view.drawingOptions().openBodies) {
    bodies.append(text(view.snapshot()->graph()[node].name));
  }
  const QPointF centre = canvas.camera().centre();
  return {{kCollapsed, collapsed},
          {kBodies, bodies},
          {kCentre, QJsonArray{centre.x(), centre.y()}},
          {kScale, canvas.camera().scale()}};
}

void WindowState::restore(const QByteArray& state) {
  const QJsonObject json = QJsonDocument::fromJson(state).object();
  if (json[kVersion].toInt() != 1) return;
  m_selection = json[kSelection].toObject();
  m_drawing = json[kDrawing].toObject();
  m_laidOut = false;
  m_layout.setPanels(toBytes(json[kPanels]));
  QHash<QString, QByteArray> views;
  const QJsonObject states = json[kViews].toObject();
  for (auto view = states.begin(); view != states.end(); ++view) {
    views.insert(view.key(), toBytes(view.value()));
  }
  m_views.restoreViewStates(views);
  m_views.tabs().setCurrentIndex(json[kTab].toInt());
  restoreOptions(json[kOptions].toObject());
  const QString compared = json[kCompared].toString();
  if (m_comparison.names().contains(compared)) m_comparison.choose(compared);
}

void WindowState::restoreOptions(const QJsonObject& json) {
  DisplayOptions& options = m_session.options();
  const QString metric = json[kMetric].toString();
  for (std::size_t i = 0; i < metricCatalogue().size(); ++i) {
    if (metric == text(metricCatalogue()[i].key)) options.setMetricIndex(i);
  }
  options.setKind(errorKindOf(json[kKind].toString()));
  options.setStretch(json[kStretch].toBool());
  options.setDelta(json[kDelta].toBool());
}

void WindowState::forget() {
  m_selection = {};
  m_drawing = {};
  m_views.repair().forgetLayers();
}

void WindowState::restoreSelection() {
  if (m_selection.isEmpty() || !m_session.snapshot()) return;
  const QJsonObject selection = std::exchange(m_selection, {});
  m_session.selection().select(selectedFrom(selection, m_session.snapshot()->graph()));
}

// The model lays the graph out as it likes it; where that was changed, once more.
void WindowState::restoreDrawing() {
  GraphView& view = m_views.graph();
  const SnapshotPtr& snapshot = m_session.snapshot();
  const bool there =
      snapshot && view.snapshot() && view.snapshot()->model.graph == snapshot->model.graph;
  if (m_drawing.isEmpty() || !there) return;
  const DrawingOptions wanted = drawingFrom(m_drawing);
  if (!std::exchange(m_laidOut, true) && wanted != view.drawingOptions()) {
    return view.setDrawingOptions(wanted);
  }
  // Another layout is on its way, and brings a view of its own.
  if (!view.drawingIsCurrent()) return;
  const QJsonObject drawing = std::exchange(m_drawing, {});
  const QJsonArray centre = drawing[kCentre].toArray();
  const double scale = drawing[kScale].toDouble();
  if (centre.size() != 2 || !(scale > 0)) return;
  view.canvas().setView(QPointF(centre[0].toDouble(), centre[1].toDouble()), scale);
}

DrawingOptions WindowState::drawingFrom(const QJsonObject& drawing) const {
  DrawingOptions options = m_views.graph().drawingOptions();
  options.collapsed.clear();
  options.openBodies.clear();
  for (const QJsonValue& scope : drawing[kCollapsed].toArray()) {
    options.collapsed.insert(scope.toString().toStdString());
  }
  for (const QJsonValue& name : drawing[kBodies].toArray()) {
    const NodeId node = m_session.snapshot()->graph().findNode(name.toString().toStdString());
    if (node.valid()) options.openBodies.insert(node);
  }
  return options;
}

}  // namespace quantscope
