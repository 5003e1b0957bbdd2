#include "widgets/drawing_text.h"

#include <QStringList>
#include <algorithm>
#include <cmath>
#include <limits>
#include <map>

#include "analysis/analyze.h"
#include "base/workers.h"
#include "jobs/analysis/analyze_in_steps.h"
#include "jobs/quantize_model.h"
#include "support/graph_text.h"

namespace quantscope::test {
namespace {

constexpr std::size_t kNone = std::numeric_limits<std::size_t>::max();

const Workers& workers() {
  static const Workers instance(1);
  return instance;
}

// The innermost frame that holds the rectangle.
std::size_t frameAround(const GraphDrawing& drawing, const QRectF& rect, std::size_t except) {
  std::size_t found = kNone;
  for (std::size_t i = 0; i < drawing.frames.size(); ++i) {
    if (i == except || !drawing.frames[i].rect.contains(rect)) continue;
    if (found == kNone || drawing.frames[i].depth > drawing.frames[found].depth) found = i;
  }
  return found;
}

QString boxText(const DrawnBox& box) {
  switch (box.kind) {
    case DrawnBox::Kind::Input:
    case DrawnBox::Kind::Output:
      return "[" + box.title + "]";
    case DrawnBox::Kind::Constant:
      return "(" + box.title + ")";
    case DrawnBox::Kind::Scope:
    case DrawnBox::Kind::Body:
      return "<" + box.title + ": " + box.subtitle + ">";
    default:
      return box.title;
  }
}

class OutlineWriter {
 public:
  explicit OutlineWriter(const GraphDrawing& drawing) : m_drawing(drawing) {
    for (std::size_t i = 0; i < drawing.frames.size(); ++i) {
      m_parents.push_back(frameAround(drawing, drawing.frames[i].rect, i));
    }
    for (std::size_t i = 0; i < drawing.boxes.size(); ++i) {
      const std::size_t frame = frameAround(drawing, drawing.boxes[i].rect, kNone);
      place(frame);
      m_contents[frame] << boxText(drawing.boxes[i]);
    }
  }

  QString write() { return fill(m_contents[kNone].join(' ')); }

 private:
  // A frame stands where its first box does: as a mark that is filled in at the end.
  void place(std::size_t frame) {
    if (frame == kNone || m_contents.contains(frame)) return;
    m_contents[frame];
    place(m_parents[frame]);
    m_contents[m_parents[frame]] << mark(frame);
  }

  static QString mark(std::size_t frame) { return QString("#%1#").arg(frame); }

  QString fill(QString words) {
    for (const auto& [frame, contents] : m_contents) {
      if (frame == kNone || !words.contains(mark(frame))) continue;
      words.replace(mark(frame),
                    m_drawing.frames[frame].title + "{" + fill(contents.join(' ')) + "}");
    }
    return words;
  }

  const GraphDrawing& m_drawing;
  std::vector<std::size_t> m_parents;
  std::map<std::size_t, QStringList> m_contents;
};

bool apart(const QRectF& a, const QRectF& b) {
  return !a.intersects(b);
}

QString overlaps(const GraphDrawing& drawing) {
  const auto& boxes = drawing.boxes;
  for (std::size_t i = 0; i < boxes.size(); ++i) {
    if (!drawing.bounds.adjusted(-1e-6, -1e-6, 1e-6, 1e-6).contains(boxes[i].rect)) {
      return boxes[i].title + " is out of bounds";
    }
    for (std::size_t k = i + 1; k < boxes.size(); ++k) {
      if (!apart(boxes[i].rect, boxes[k].rect)) {
        return boxes[i].title + " overlaps " + boxes[k].title;
      }
    }
    for (const DrawnFrame& frame : drawing.frames) {
      if (apart(boxes[i].rect, frame.rect) || frame.rect.contains(boxes[i].rect)) continue;
      return boxes[i].title + " stands on the border of " + frame.title;
    }
  }
  for (const DrawnFrame& a : drawing.frames) {
    for (const DrawnFrame& b : drawing.frames) {
      if (apart(a.rect, b.rect) || a.rect.contains(b.rect) || b.rect.contains(a.rect)) continue;
      return a.title + " overlaps " + b.title;
    }
  }
  return {};
}

QString badEdges(const GraphDrawing& drawing, bool leftToRight) {
  const auto along = [&](QPointF p) { return leftToRight ? p.x() : p.y(); };
  const auto begin = [&](const QRectF& r) { return leftToRight ? r.left() : r.top(); };
  const auto end = [&](const QRectF& r) { return leftToRight ? r.right() : r.bottom(); };
  const auto same = [](double a, double b) { return std::abs(a - b) < 1e-6; };
  for (const DrawnEdge& edge : drawing.edges) {
    const DrawnBox& from = drawing.boxes[edge.from];
    const DrawnBox& to = drawing.boxes[edge.to];
    const QString name = from.title + ">" + to.title;
    if (edge.points.size() < 2) return name + " has no points";
    if (edge.values.empty()) return name + " has no values";
    if (from.kind == DrawnBox::Kind::Constant) {
      const QRectF near = to.rect.adjusted(-1, -1, 1, 1);
      if (!from.rect.adjusted(-1, -1, 1, 1).contains(edge.points.front()) ||
          !near.contains(edge.points.back())) {
        return name + " does not join its boxes";
      }
      continue;
    }
    const QPointF first = edge.points.front();
    const QPointF last = edge.points.back();
    if (!same(along(first), end(from.rect)) || !from.rect.adjusted(0, 0, 1, 1).contains(first)) {
      return name + " does not start at its box";
    }
    if (!same(along(last), begin(to.rect)) || !to.rect.adjusted(-1, -1, 1, 1).contains(last)) {
      return name + " does not end at its box";
    }
    for (std::size_t i = 1; i < edge.points.size(); ++i) {
      if (along(edge.points[i]) < along(edge.points[i - 1])) return name + " turns back";
    }
  }
  return {};
}

QString badCover(const GraphDrawing& drawing, std::size_t layers) {
  std::vector<int> seen(layers, 0);
  for (const DrawnBox& box : drawing.boxes) {
    if (!std::ranges::is_sorted(box.layers)) return box.title + " lists layers out of order";
    for (const std::size_t layer : box.layers) ++seen.at(layer);
  }
  for (std::size_t i = 0; i < layers; ++i) {
    if (seen[i] != 1) return QString("layer %1 stands %2 times").arg(i).arg(seen[i]);
  }
  return {};
}

}  // namespace

SnapshotPtr structureFromText(std::string_view text) {
  auto snapshot = std::make_shared<AnalysisSnapshot>();
  snapshot->model.graph = graphFromText(text);
  snapshot->model.engine = std::make_shared<Engine>(snapshot->model.graph, workers());
  const PrecisionConfig config;
  const Observations nothing;
  const QuantizedModel model = quantizeModel(*snapshot->model.engine, config, nothing);
  snapshot->result = std::make_shared<AnalysisResult>(
      describeLayers(*snapshot->model.engine, config, model, nothing));
  return snapshot;
}

SnapshotPtr structureFromFile(const QString& file) {
  JobContext job(workers());
  AnalysisRequest request;
  request.model = file.toStdString();
  AnalysisMemory memory(0);
  SnapshotPtr structure;
  analyzeInSteps(request, nullptr, memory, job,
                 [&](SnapshotPtr snapshot) { structure = std::move(snapshot); });
  return structure;
}

QString outline(const GraphDrawing& drawing) {
  return OutlineWriter(drawing).write();
}

QString edgeText(const GraphDrawing& drawing) {
  QStringList edges;
  for (const DrawnEdge& edge : drawing.edges) {
    edges << drawing.boxes[edge.from].title + ">" + drawing.boxes[edge.to].title;
  }
  return edges.join(' ');
}

QString firstFault(const GraphDrawing& drawing, std::size_t layers, bool leftToRight) {
  // Edges lead on from box to box (badEdges), so there can be no cycle among the boxes.
  for (const QString& fault :
       {overlaps(drawing), badEdges(drawing, leftToRight), badCover(drawing, layers)}) {
    if (!fault.isEmpty()) return fault;
  }
  return {};
}

}  // namespace quantscope::test
