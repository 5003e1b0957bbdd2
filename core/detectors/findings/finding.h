#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/ids.h"
#include "precision/config/point_name.h"
#include "precision/config/precision_config.h"

namespace quantscope {

enum class Severity : std::uint8_t { Info, Warning, Critical };

/// "info", "warning", "critical".
const char* name(Severity severity);

/// The evidence for a finding; views open it, reports name it.
enum class Evidence : std::uint8_t {
  None,
  Histogram,           ///< of `Finding::value`, with the clipped part
  ChannelRanges,       ///< lowest and highest value per channel
  BatchRanges,         ///< range of each batch against that of all
  EqualizationRatios,  ///< s_c per input channel
  OutlierRatios,       ///< q100 / q_ref per channel
  LayerError,          ///< the layer's local and accumulated error
};

/// A new precision of one node, or another rule for all. An absent field does not change, so that
/// changes that different findings suggest for the same node can be combined.
struct ConfigChange {
  std::string node;  ///< empty where only `bias`, `split` or `unmerge` are meant
  std::optional<TensorPrecision> weight = {};
  std::optional<TensorPrecision> activation = {};
  std::optional<TensorPrecision> output = {};
  bool float32 = false;  ///< leave the node in float; then the other precisions do not count
  /// The node's own entry goes, so that the rules hold for it again and it may be a part of a
  /// pattern; then no precision counts.
  bool removesEntry = false;
  std::optional<BiasRule> bias = {};  ///< of the whole configuration
  /// Equalization: a factor per input channel of the node's layer; see Repairs::equalize. Empty:
  /// none.
  std::vector<double> inputFactors = {};
  /// Points that no longer share a grid: by themselves (`groups.part` of a configuration), or since
  /// they were merged by hand (`groups.join`).
  std::vector<PointName> split = {};
  std::vector<PointName> unmerge = {};
};

/// More SQNR of one output, in dB.
struct OutputGain {
  std::string output;
  double gainDb = 0;
};

/// A suggested remedy for a finding.
struct Suggestion {
  std::string text;                   ///< "Quantize the weights of 'conv1' per channel."
  std::vector<ConfigChange> changes;  ///< empty = advice that no configuration can hold
  /// Change of the SQNR of the network's worst output under this suggestion alone, in dB, from
  /// running it on the data; infinite where it becomes exact. Absent until it was simulated.
  std::optional<double> gainDb;
  /// The gain was not measured: gradients say that it is next to nothing or a loss
  /// (see simulateGains()).
  bool gainEstimated = false;
  /// The same of every output, where there are several and it was measured on all samples.
  std::vector<OutputGain> outputGains = {};
  /// Change of the bytes of all constants; absent where it cannot be applied alone.
  std::optional<double> bytes = {};
};

/// What is true of the channels of one layer among those of a finding.
struct MemberChannels {
  NodeId node;
  std::vector<std::int64_t> channels;  ///< as Finding::channels

  friend bool operator==(const MemberChannels&, const MemberChannels&) = default;
};

/// Something about a quantized network that is worth a look, with what shows it and what helps.
struct Finding {
  std::string id;        ///< "outlier/conv1": stable between runs; the same fault, the same id
  std::string detector;  ///< its name in the registry
  NodeId node;           ///< leads the layer
  std::string nodeName;
  /// Further layers that the same is true of, by the nodes that lead them, in execution order.
  std::vector<NodeId> members = {};
  /// Of the members whose channels are named, in execution order; those of the first layer are in
  /// `channels`.
  std::vector<MemberChannels> memberChannels = {};
  ValueId value;                       ///< the value of the evidence; may be none
  bool aboutWeights = false;           ///< about those of the layer rather than about `value`
  std::vector<std::int64_t> channels;  ///< ascending; empty = all, or not about channels
  double statistic = 0;
  double threshold = 0;
  Severity severity = Severity::Info;
  double confidence = 1;  ///< 0 … 1: how sure the detector is that the fault is real
  std::string text;       ///< one plain sentence
  std::string why;        ///< the mechanism behind it, for someone new to quantization
  Evidence evidence = Evidence::None;
  std::optional<Suggestion> suggestion;
  /// The fault does no harm by itself: it is reported only if acting on it improves the output.
  bool onlyIfItHelps = false;
};

/// Adds a layer to a finding's members, unless it has it already.
void addMember(Finding& finding, NodeId node);
/// The same of the layers of another finding of the detector, with its channels.
void addMembers(Finding& finding, const Finding& other);

}  // namespace quantscope
