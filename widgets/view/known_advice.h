#pragma once

#include <memory>
#include <optional>
#include <set>
#include <string>

#include "jobs/advise.h"

namespace quantscope {

/// What is known so far of what to do about a result, measured.
struct KnownAdvice {
  std::shared_ptr<const AnalysisResult> of;
  Configuration config;            ///< that the result is of
  std::set<std::string> aside;     ///< ids of findings that are not followed
  std::optional<NextChange> next;  ///< nothing where no single change helps
  std::optional<Advice> all;       ///< absent until it is known
};

using KnownAdvicePtr = std::shared_ptr<const KnownAdvice>;

}  // namespace quantscope
