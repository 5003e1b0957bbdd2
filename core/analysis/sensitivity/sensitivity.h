#pragma once

#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "analysis/analyze.h"
#include "analysis/sensitivity/gradient_estimate.h"
#include "analysis/sensitivity/joined_by_hand.h"
#include "analysis/sensitivity/sweep.h"
#include "precision/config/replace_types.h"

namespace quantscope {

/// The types and the setting of a sensitivity analysis.
struct SensitivityRequest {
  enum class Around : std::uint8_t {
    Float,          ///< only the layer is quantized
    Configuration,  ///< only the layer differs from the configuration
  };
  std::vector<QuantType> types;
  Around around = Around::Float;
  PrecisionPart part = PrecisionPart::Both;

  friend bool operator==(const SensitivityRequest&, const SensitivityRequest&) = default;
};

/// One layer in one type.
struct SensitivityItem {
  std::size_t layer = 0;  ///< in the model under the configuration
  QuantType type = QuantType::Int8;
};

/// The measured effect of one item.
struct SensitivityRow {
  std::string node;  ///< the layer's leading node
  QuantType type = QuantType::Int8;
  std::vector<OutputResult> outputs;     ///< of the network
  std::optional<double> localSqnrDb;     ///< of the layer by itself, on the float run's values
  double weightBytes = 0;                ///< of its weights in that type; see WeightCost
  std::optional<double> macs;            ///< multiply-accumulates of the layer, for one sample
  std::vector<std::string> alsoInGroup;  ///< leading nodes of other layers that a group changes
  std::string refused;                   ///< why nothing was measured; empty where it was
  bool estimated = false;  ///< predicted from gradients: the outputs' SQNR, nothing else
};

/// Errors with their keys in the ErrorStore.
using FeedErrors = std::vector<std::pair<ContentId, AnyRecord>>;

/// The error at the outputs of a network for each of its quantizable layers in each of some types.
/// The numbers are those of analyze() under the configuration at hand, bit for bit, whichever items
/// are asked for together.
class Sensitivity {
 public:
  /// All must outlive it. Throws what quantizeModel() throws, and UnsupportedType where no layer
  /// can take one of the types.
  Sensitivity(const Engine& engine, const Configuration& config, const Observations& observations,
              SensitivityRequest request, SampleSet& samples, const Labels& labels,
              AnalysisMemory& memory, JobContext& job);

  /// The model under the configuration.
  const std::shared_ptr<const QuantizedModel>& configured() const { return m_whole; }
  /// All items, in the order of the layers, then of the types.
  const std::vector<SensitivityItem>& items() const { return m_items; }
  /// The item's leading node.
  NodeId leadOf(const SensitivityItem& item) const {
    return m_whole->layers[item.layer].layer.lead();
  }
  /// Its name.
  const std::string& nodeOf(const SensitivityItem& item) const;
  /// All items together, in runs of one sample set through the whole network: the share of the
  /// multiply-accumulates (of the nodes, where there are none) behind each changed layer.
  double plannedPasses() const { return m_plannedPasses; }
  /// The outputs that the items' outputs are compared with.
  std::vector<OutputResult> baseline();
  /// The errors behind some items on a part of the samples, by feed: what run() needs of these
  /// feeds, wherever it is called. Throws Cancelled.
  std::vector<FeedErrors> errorsOn(SampleSource& part, std::span<const std::size_t> items,
                                   const std::string& stage);
  /// A row for each of some items, by their places in items(). Throws Cancelled.
  std::vector<SensitivityRow> run(std::span<const std::size_t> items, const std::string& stage);
  /// Why estimate() cannot be asked; empty where it can: not around a configuration, at which the
  /// network is not smooth, and not without an output of real numbers.
  std::string whyNoEstimate() const;
  /// The same rows from gradients on a part of the samples, before anything is measured (see
  /// estimateErrors()): the SQNR of the outputs that estimableOutputs() names is predicted, the
  /// layer's own is measured; `refused` also says where no gradient is available. Throws
  /// InvalidParameters where whyNoEstimate() says something; Cancelled.
  std::vector<SensitivityRow> estimate(SampleSource& part, std::span<const std::size_t> items,
                                       const GradientEstimateSettings& settings = {});
  /// SQNR of the first float output in dB, by item, on a part of the samples; nullopt if it cannot
  /// be computed. run() reuses the measurements. Throws Cancelled.
  std::vector<std::optional<double>> firstOutputOn(SampleSource& part,
                                                   std::span<const std::size_t> items,
                                                   const std::string& stage);

 private:
  struct Variant;
  struct Prepared;

  JoinedByHand joinedWith(const SensitivityItem& item) const;
  Configuration configurationOf(const SensitivityItem& item) const;
  Variant variantOf(const SensitivityItem& item) const;
  std::vector<Variant> variantsOf(std::span<const std::size_t> places) const;
  const Prepared& prepare(std::span<const std::size_t> places);
  std::vector<std::optional<double>> localErrors(const Prepared& prepared, SampleSource& samples);
  SensitivityRow startRow(const SensitivityItem& item, const Variant& variant) const;
  std::vector<std::optional<LocalProbe>> probesOf(std::span<const Variant> variants) const;
  void findItems();

  const Engine& m_engine;
  const Configuration& m_config;
  const Observations& m_observations;
  SensitivityRequest m_request;
  SampleSet& m_samples;
  AnalysisMemory& m_memory;
  JobContext& m_job;
  ResolvedConfig m_resolved;
  std::shared_ptr<const QuantizedModel> m_whole;  // under the configuration
  std::shared_ptr<const QuantizedModel> m_base;   // the base that items differ from
  std::vector<SensitivityItem> m_items;
  double m_plannedPasses = 0;
  Sweep m_sweep;
  std::shared_ptr<const Prepared> m_prepared;  // the last one
};

}  // namespace quantscope
