#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/error.h"
#include "calibration/sample_source.h"
#include "calibration/sources/model_input.h"

namespace quantscope {

/// The tensors of one model input, read one at a time.
class InputReader {
 public:
  virtual ~InputReader() = default;
  /// Sample `index` as [1, …], or the whole feed `index`, depending on Cut.
  virtual Tensor read(std::size_t index) = 0;
};

/// The way in which the data of an input is cut.
enum class Cut {
  Samples,     ///< along axis 0, which every sample keeps; put together in groups
  WholeFeeds,  ///< each tensor is what one run takes
  Constant,    ///< one tensor for every run
};

struct InputData {
  ModelInput input;
  Cut cut = Cut::Samples;
  std::size_t count = 0;  ///< of samples or feeds
  std::unique_ptr<InputReader> reader;
};

/// Puts the tensors of a model's inputs together into feeds: groups and pads samples where the
/// model has a fixed batch, converts elements, and checks shapes and numbers.
class FeedAssembler : public SampleSource {
 public:
  struct Origin {
    std::string description;
    bool synthetic = false;
    /// The remedy for a shape that does not fit.
    std::string shapeRemedy;
    bool acceptsNonFinite = false;
  };

  /// `limit`: at most this many samples. Throws Error(InvalidData or InsufficientData) if the
  /// inputs disagree in their number of samples or batch, or have none.
  FeedAssembler(Origin origin, std::vector<InputData> inputs, std::optional<std::size_t> limit);

  std::string description() const override { return m_origin.description; }
  bool synthetic() const override { return m_origin.synthetic; }
  std::size_t sampleCount() const override { return m_samples; }
  std::size_t feedCount() const override;
  Feed read(std::size_t index) override;

 private:
  std::size_t commonBatch() const;
  std::size_t commonCount(Cut cut) const;
  void countSamples();
  Tensor readInput(InputData& data, const Feed& feed, std::size_t index);
  Tensor readGroup(InputData& data, const Feed& feed);
  Tensor readOne(InputData& data, std::size_t index);
  Place placeOf(const ModelInput& input) const;

  Origin m_origin;
  std::vector<InputData> m_inputs;
  std::size_t m_batch = 1;
  std::size_t m_samples = 0;
};

}  // namespace quantscope
