#include "repair/repair_course.h"

#include <algorithm>

namespace quantscope {
namespace {

void addNotes(const std::vector<std::string>& more, std::vector<std::string>& notes) {
  for (const std::string& note : more) {
    if (std::ranges::find(notes, note) == notes.end()) notes.push_back(note);
  }
}

}  // namespace

void StepReport::follow(const RepairProposal& proposal) {
  reason = proposal.reason;
  refused = proposal.refused;
  end = proposal.end;
  addNotes(proposal.notes, notes);
}

void StepReport::describe(const RepairProposal& proposal, std::size_t number, const StepGain& gain,
                          const MeasuredState& before, const MeasuredState& after, bool anyToFit) {
  what = proposal.what;
  refused = proposal.refused;
  end = proposal.end;
  way = number;
  nodes = proposal.nodes;
  // With those of biases that were fitted after it.
  inserted =
      after.state.engine->graph().nodes().size() - before.state.engine->graph().nodes().size();
  fittedBiases = after.fittedBiases;
  bytes = after.bytes - before.bytes;
  if (anyToFit) gainFitDb = gain.fitDb;
  gainHeldOutDb = gain.heldOutDb;
  remarks = proposal.remarks;
  for (const OutputResult& output : after.outputs.heldOut) {
    if (!output.kl) continue;
    kl = output.kl;
    top1Agreement = output.top1Agreement;
    break;
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
