#include "widgets/graph/build_drawing.h"

#include "export/layer_graph.h"
#include "export/layer_words.h"
#include "layout/graph_layout.h"
#include "widgets/look/text.h"

namespace quantscope {

GraphDrawing buildDrawing(const AnalysisSnapshot& snapshot, const DrawingOptions& /*options*/) {
  const AnalysisResult& result = *snapshot.result;
  const Graph& graph = snapshot.graph();
  const LayerGraph layers = layerGraph(result, graph);
  GraphDrawing drawing;
  std::vector<LayoutBox> sizes;
  for (std::size_t i = 0; i < layers.boxes(); ++i) {
    DrawnBox box;
    LayoutBox size{184, 56};
    if (i < layers.layers) {
      const LayerResult& layer = result.layers[i];
      box.kind = layer.dataMover ? DrawnBox::Kind::DataMover : DrawnBox::Kind::Layer;
      if (layer.dataMover) size = {112, 24};
      box.title = text(layerOps(layer));
      box.subtitle = text(shortName(layer.name));
      box.layers = {i};
      box.scope = layer.scope;
    } else {
      const std::size_t index = i - layers.layers;
      const bool input = index < layers.inputs.size();
      box.kind = input ? DrawnBox::Kind::Input : DrawnBox::Kind::Output;
      box.value = input ? layers.inputs[index] : layers.outputs[index - layers.inputs.size()];
      box.title = text(graph[box.value].name);
      size = {152, 32};
    }
    sizes.push_back(size);
    drawing.boxes.push_back(box);
  }
  const GraphLayout layout = layoutGraph(sizes, layers.edges);
  for (std::size_t i = 0; i < sizes.size(); ++i) {
    drawing.boxes[i].rect =
        QRectF(layout.centres[i].x - sizes[i].width / 2, layout.centres[i].y - sizes[i].height / 2,
               sizes[i].width, sizes[i].height);
  }
  for (std::size_t i = 0; i < layers.edges.size(); ++i) {
    DrawnEdge edge{
        .from = layers.edges[i].from, .to = layers.edges[i].to, .values = {}, .points = {}};
    for (const LayoutPoint& point : layout.routes[i]) edge.points.emplace_back(point.x, point.y);
    drawing.edges.push_back(std::move(edge));
  }
  drawing.bounds = QRectF(0, 0, layout.width, layout.height);
  return drawing;
}

}  // namespace quantscope
