#pragma once

#include <filesystem>
#include <memory>
#include <string>

#include "analysis/analysis_memory.h"
#include "base/job_context.h"
#include "base/workers.h"
#include "calibration/open_samples.h"
#include "calibration/sample_set.h"
#include "jobs/load_model.h"
#include "support/graph_text.h"
#include "support/test_paths.h"

namespace quantscope::test {

/// Memory that is plenty for a bundled network.
inline constexpr std::size_t kBudget = std::size_t{128} << 20;

/// A bundled network, or the one at a path without extensions, with its first few samples, or those
/// at the path `sampled`.
struct SampleNetwork {
  explicit SampleNetwork(const std::string& name, int threads = 2, std::size_t samples = 4,
                         const std::string& sampled = {})
      : workers(threads),
        job(workers),
        path((std::filesystem::path(QUANTSCOPE_SAMPLES_DIRECTORY) / name).string()) {
    model = loadModel(path + ".onnx", job);
    SourceOptions options;
    options.samples = samples;
    data = std::make_shared<SampleSet>(
        openSamples((sampled.empty() ? path : sampled) + ".npz", *model.graph, options));
  }

  Workers workers;
  JobContext job;
  std::string path;
  LoadedModel model;
  std::shared_ptr<SampleSet> data;
};

/// A graph from text (support/graph_text.h) with random samples.
struct TextNetwork {
  TextNetwork(const char* text, std::size_t samples) : workers(2), job(workers) {
    model.graph = graphFromText(text);
    model.engine = std::make_shared<const Engine>(model.graph, workers);
    data = std::make_shared<SampleSet>(
        openSamples("random:" + std::to_string(samples), *model.graph, {}));
  }

  Workers workers;
  JobContext job;
  AnalysisMemory memory{kBudget};
  LoadedModel model;
  std::shared_ptr<SampleSet> data;
};

/// "first" has no gradient, since none passes "norm"; "second" has one.
inline constexpr const char* kPartlyWithoutGradient = R"(
  input x:float[1,6]
  w1:float[6,8]
  w2:float[8,5]
  h = MatMul(x, w1) @first
  l = LpNormalization(h) @norm
  y = MatMul(l, w2) @second
  output y
)";

}  // namespace quantscope::test
