#pragma once

#include <optional>
#include <random>

#include "precision/edits/edit_precision.h"
#include "project/document.h"

namespace quantscope::test {

/// Things that are done to the work in a window, one after the other; the same for the same seed.
class EditSteps {
 public:
  struct Step {
    std::optional<Document::Edit> edit;  ///< none: undo
  };

  explicit EditSteps(unsigned seed) : m_seed(seed), m_random(seed) {}

  /// Every edit changes something.
  Step next() {
    ++m_count;
    const std::string mark = std::to_string(m_seed) + "/" + std::to_string(m_count);
    switch (m_random() % 4) {
      case 0:
        return {};
      case 1:
        return {Dismissal{"outlier/" + mark}};
      default: {
        DetectorThresholds thresholds;
        thresholds.outlierRatio = 10 + static_cast<double>(m_count) + m_seed % 1000 * 1e-4;
        ConfigEdit edit = setThresholds(thresholds);
        edit.sentence = "set threshold " + mark;
        return {edit};
      }
    }
  }

  static void carryOut(const Step& step, Document& document) {
    step.edit ? static_cast<void>(document.apply(*step.edit)) : document.undo();
  }

 private:
  unsigned m_seed;
  std::mt19937 m_random;
  std::size_t m_count = 0;
};

}  // namespace quantscope::test
