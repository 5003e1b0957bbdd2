#include "bench/model_report_case.h"

#include <algorithm>
#include <cmath>
#include <memory>
#include <mutex>
#include <vector>

#include "calibration/observers/model_report_statistics.h"

namespace quantscope {
namespace {

// The quantile of PyTorch's outlier detector.
constexpr double kQuantile = 0.975;
constexpr std::size_t kChannels = 256;
constexpr std::size_t kInner = 16 * 16;
// 32 samples; of smaller arrays as many as there are.
constexpr std::size_t kBatch = 32 * kChannels * kInner;

ChannelLayout layoutOf(std::size_t elements) {
  return {elements / (kChannels * kInner), kChannels, kInner};
}

std::span<const float> batchOf(std::span<const float> in, std::size_t i) {
  return in.subspan(i * kBatch, std::min(kBatch, in.size() - i * kBatch));
}

std::size_t batchCount(std::size_t elements) {
  return (elements + kBatch - 1) / kBatch;
}

struct ReportRun {
  ReportRun() : statistics(kQuantile) {}

  ModelReportStatistics statistics;
  std::mutex mutex;
};

// q_1 / q_p of one channel of a batch, by the definition.
double tailRatio(std::span<const float> batch, std::size_t channel) {
  std::vector<float> elements;
  for (std::size_t row = channel; row * kInner < batch.size(); row += kChannels) {
    const auto run = batch.subspan(row * kInner, kInner);
    elements.insert(elements.end(), run.begin(), run.end());
  }
  // PyTorch's rank is a float; "lower" interpolation takes its whole part.
  const auto rank = static_cast<std::ptrdiff_t>(static_cast<float>(kQuantile) *
                                                static_cast<float>(elements.size() - 1));
  std::nth_element(elements.begin(), elements.begin() + rank, elements.end());
  const double reference = elements[static_cast<std::size_t>(rank)];
  return *std::ranges::max_element(elements) / reference;
}

void checkReport(ReportRun& run, std::span<const float> in, const std::string& name,
                 const Workers& workers) {
  const ModelReport report = run.statistics.finish(1);
  const std::size_t batches = batchCount(in.size());
  workers.forEach(kChannels, [&](std::size_t channel) {
    const TailStatistics& found = report.channels.at(channel).upper;
    double expected = 0;
    for (std::size_t i = 0; i < batches; ++i) expected += tailRatio(batchOf(in, i), channel);
    // Threads finish in any order: up to 2^20 additions of doubles may round differently.
    if (found.batches == batches && std::abs(found.ratioSum - expected) <= 0x1p-32 * expected) {
      return;
    }
    refuseKernelAnswer(name, "channel " + std::to_string(channel) + " has ratios that add up to " +
                                 std::to_string(found.ratioSum) + " instead of " +
                                 std::to_string(expected));
  });
}

}  // namespace

KernelCase modelReportCase(const KernelArrays& arrays) {
  const auto run = std::make_shared<ReportRun>();
  KernelCase result;
  result.name = "model_report/per-channel";
  result.limit = KernelLimit::Read;
  result.elements = result.computed = arrays.in.size();
  result.bytesPerElement = sizeof(float);
  result.pieces = batchCount(arrays.in.size());
  result.begin = [run] { run->statistics = ModelReportStatistics(kQuantile); };
  result.run = [run, in = arrays.in](std::size_t i) {
    const auto batch = batchOf(in, i);
    const ChannelSummary summary = summarizeChannels(batch, layoutOf(batch.size()), kQuantile);
    const std::lock_guard lock(run->mutex);
    run->statistics.fold(summary);
    run->statistics.closeBatch();
  };
  result.check = [run, in = arrays.in, name = result.name](const Workers& workers) {
    checkReport(*run, in, name, workers);
  };
  return result;
}

}  // namespace quantscope
