#include "precision/sharing/annotations.h"

#include "base/error.h"

namespace quantscope {

void requireKnownPoints(const std::vector<Annotation>& annotations, const Graph& graph) {
  for (const Annotation& annotation : annotations) {
    const PointName& point = annotation.point;
    const PointProblem problem = findProblem(graph, point);
    if (!problem.any()) continue;
    const std::string& node = point.isOutput() ? point.producer : point.consumer;
    throw Error(ErrorCode::InvalidConfiguration,
                describe(point) + " is annotated, but " + problem.what,
                {.file = {}, .node = node, .value = {}}, problem.remedy);
  }
}

}  // namespace quantscope
