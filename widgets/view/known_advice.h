#pragma once

#include <memory>
#include <optional>
#include <set>
#include <string>

#include "jobs/analysis/advise.h"

namespace quantscope {

/// The measured advice for a configuration that is known so far.
struct KnownAdvice {
  std::shared_ptr<const SampleSet> data;  ///< samples of the measurement
  Configuration config;                   ///< the configuration it is for
  std::set<std::string> aside;            ///< ids of findings that are not followed
  std::optional<NextChange> next;         ///< nothing where no single change helps
  std::optional<Advice> all;              ///< absent until it is known

  bool isAbout(const AnalysisSnapshot& snapshot) const {
    return data == snapshot.data && config == snapshot.request.config;
  }
  bool asksTheSame(const KnownAdvice& other) const {
    return data == other.data && config == other.config && aside == other.aside;
  }
};

using KnownAdvicePtr = std::shared_ptr<const KnownAdvice>;

}  // namespace quantscope
