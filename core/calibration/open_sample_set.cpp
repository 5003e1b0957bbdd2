#include "calibration/open_sample_set.h"

namespace quantscope {

std::shared_ptr<SampleSet> openSampleSet(const std::string& data, const Graph& graph,
                                         const SourceOptions& options, std::size_t budget) {
  const FileStamp stamp = stampOf(data);
  return std::make_shared<SampleSet>(openSamples(data, graph, options), budget, stamp);
}

}  // namespace quantscope
