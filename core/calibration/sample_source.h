#pragma once

#include <cstddef>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "base/content_id.h"
#include "base/ids.h"
#include "tensor/tensor.h"

namespace quantscope {

/// The inputs of one run of the model: a tensor per graph input.
///
/// Usually one sample. A model whose inputs have a fixed batch extent B > 1 takes B samples at
/// once; a short last group is padded with its last sample, and of everything the run computes
/// along the batch axis only the first `samples` entries count.
struct Feed {
  std::vector<std::pair<ValueId, Tensor>> inputs;
  std::size_t firstSample = 0;
  std::size_t samples = 1;
  std::size_t batch = 1;  ///< B; `samples` ≤ `batch`
  ContentId content;      ///< of all but `firstSample`; invalid unless a SampleSet has read it
};

/// Real (or random) inputs for a model, read one feed at a time so that memory does not grow with
/// their number.
class SampleSource {
 public:
  virtual ~SampleSource() = default;

  /// Where the data comes from, for reports: a file, a folder, "random:8".
  virtual std::string description() const = 0;
  /// True for data that was made up.
  virtual bool synthetic() const { return false; }
  virtual std::size_t sampleCount() const = 0;
  virtual std::size_t feedCount() const = 0;
  /// Reads feed `index` < feedCount(). Not thread-safe: one reader at a time, best in order.
  /// Throws InvalidData naming the input, the sample and the count for non-finite numbers, unless
  /// the source was opened to accept them.
  virtual Feed read(std::size_t index) = 0;
};

}  // namespace quantscope
