#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <vector>

#include "base/job_context.h"
#include "detectors/detector.h"
#include "precision/edits/type_choices.h"

namespace quantscope {

/// A change that may be worth making.
struct CandidateEdit {
  enum class Source : std::uint8_t {
    Finding,  ///< suggested by findings
    Layer,    ///< a wider type for one layer
    Region,   ///< float for layers that belong together
  };
  Source source = Source::Finding;
  std::string what;                   ///< "set /conv2 to float"
  std::vector<ConfigChange> changes;  ///< of findings; else `edit` holds
  ConfigEdit edit;                    ///< of the configuration that the search starts from
  std::vector<std::string> nodes;     ///< lead the layers of the change
  std::vector<std::string> findings;  ///< ids of those that suggest it
  std::set<std::string> floats = {};  ///< nodes that are set to float where the search starts
  /// By the lead of a fused pattern of that place: its other nodes.
  using Followers = std::map<std::string, std::vector<std::string>>;
  std::shared_ptr<const Followers> followers = {};

  /// The edit on a configuration that other candidates may have changed.
  ConfigEdit editOn(const Configuration& config, const Engine& engine) const;

 private:
  bool isFloatSince(const std::string& node, const Configuration& config) const;
};

/// The candidates: the suggestions of all findings whose id is not in `aside`; for every layer the
/// next wider type that the backend runs, and float; float for all layers of an operator type, of a
/// scope, and for all before or behind a layer. Each leads to another configuration, and none
/// changes a layer that a finding in `aside` is about.
std::vector<CandidateEdit> findCandidateEdits(const std::shared_ptr<const Engine>& engine,
                                              const Configuration& config,
                                              const std::shared_ptr<const QuantizedModel>& model,
                                              const DetectorReport& report,
                                              const std::set<std::string>& aside, JobContext& job);

}  // namespace quantscope
