#include "export/pictures/graph_picture.h"

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>

#include "base/error.h"
#include "export/pictures/layer_graph.h"
#include "export/report/html_text.h"
#include "layout/graph_layout.h"

namespace quantscope {
namespace {

using Json = nlohmann::ordered_json;

constexpr LayoutBox kLayerBox{.width = 212, .height = 50};
constexpr double kPillHeight = 24;
constexpr double kLetterWidth = 7.4;  // of the page's font, in pills
constexpr double kPillPadding = 26;
constexpr double kMaxPillWidth = 220;

LayoutBox pillFor(const std::string& label) {
  const double width = kPillPadding + kLetterWidth * static_cast<double>(label.size());
  return {std::min(std::round(width), kMaxPillWidth), kPillHeight};
}

std::vector<LayoutBox> boxesOf(const AnalysisResult& result, const Graph& graph,
                               const LayerGraph& drawing) {
  std::vector<LayoutBox> boxes;
  for (const LayerResult& layer : result.layers) {
    boxes.push_back(layer.dataMover ? pillFor(layer.op) : kLayerBox);
  }
  for (const ValueId input : drawing.inputs) boxes.push_back(pillFor(graph[input].name));
  for (const ValueId output : drawing.outputs) boxes.push_back(pillFor(graph[output].name));
  return boxes;
}

// A pattern whose members stand apart can make the boxes circular though the nodes are not; the
// edges that agree with the order of execution never are.
GraphLayout layOut(const std::vector<LayoutBox>& boxes, LayerGraph& drawing) {
  try {
    return layoutGraph(boxes, drawing.edges);
  } catch (const Error&) {
    std::erase_if(drawing.edges, [&](const LayoutEdge& edge) {
      return edge.from < drawing.layers && edge.from >= edge.to;
    });
    return layoutGraph(boxes, drawing.edges);
  }
}

long rounded(double value) {
  return std::lround(value);
}

Json routeJson(const std::vector<LayoutPoint>& route) {
  Json steps = Json::array();
  long x = 0;
  long y = 0;
  for (const LayoutPoint& point : route) {
    steps.push_back(rounded(point.x) - x);
    steps.push_back(rounded(point.y) - y);
    x = rounded(point.x);
    y = rounded(point.y);
  }
  return steps;
}

std::string kindsOf(const AnalysisResult& result, const LayerGraph& drawing) {
  std::string kinds;
  for (const LayerResult& layer : result.layers) kinds += layer.dataMover ? 'M' : 'L';
  return kinds + std::string(drawing.inputs.size(), 'I') + std::string(drawing.outputs.size(), 'O');
}

}  // namespace

Json graphPicture(const AnalysisResult& result, const Graph& graph, std::size_t maxName) {
  LayerGraph drawing = layerGraph(result, graph);
  const std::vector<LayoutBox> sizes = boxesOf(result, graph, drawing);
  const GraphLayout layout = layOut(sizes, drawing);

  Json labels = Json::array();
  for (const ValueId input : drawing.inputs) {
    labels.push_back(shortened(graph[input].name, maxName));
  }
  for (const ValueId output : drawing.outputs) {
    labels.push_back(shortened(graph[output].name, maxName));
  }
  Json boxes = Json::array();
  for (std::size_t i = 0; i < sizes.size(); ++i) {
    for (const double number :
         {layout.centres[i].x, layout.centres[i].y, sizes[i].width, sizes[i].height}) {
      boxes.push_back(rounded(number));
    }
  }
  Json edges = Json::array();
  for (const LayoutEdge& edge : drawing.edges) {
    edges.push_back(edge.from);
    edges.push_back(edge.to);
  }
  Json routes = Json::array();
  for (const auto& route : layout.routes) routes.push_back(routeJson(route));
  return {{"width", rounded(layout.width)},    {"height", rounded(layout.height)},
          {"kinds", kindsOf(result, drawing)}, {"labels", std::move(labels)},
          {"boxes", std::move(boxes)},         {"edges", std::move(edges)},
          {"routes", std::move(routes)}};
}

}  // namespace quantscope
