#include "repair/repair_course.h"

#include <algorithm>

namespace quantscope {

void StepReport::follow(const RepairProposal& proposal) {
  reason = proposal.reason;
  refused = proposal.refused;
  end = proposal.end;
  for (const std::string& note : proposal.notes) {
    if (std::ranges::find(notes, note) == notes.end()) notes.push_back(note);
  }
}

std::optional<std::size_t> RepairCourse::lead(const std::vector<GivenStep>& given) const {
  if (kept.size() > given.size()) return std::nullopt;
  for (std::size_t i = 0; i < kept.size(); ++i) {
    const bool same = kept[i].step == given[i].step.name && kept[i].way == given[i].way &&
                      kept[i].only == given[i].only;
    if (!same) return std::nullopt;
  }
  return kept.size();
}

const RepairCourse* RepairCourse::closest(const RepairRequest& request) {
  const RepairCourse* best = nullptr;
  std::size_t most = 0;
  for (const auto& course : request.known) {
    const std::size_t lead = course->lead(request.given).value_or(0);
    // Of equals the newest: a training in the others may have been stopped.
    if (best != nullptr && lead < most) continue;
    best = course.get();
    most = lead;
  }
  return best;
}

}  // namespace quantscope
