#include "precision/config/config_diff.h"

#include <algorithm>

#include "base/number_text.h"
#include "precision/config/precision_words.h"

namespace quantscope {
namespace {

using Entry = std::pair<std::string, NodePrecision>;
using Entries = std::vector<Entry>;
using Sentences = std::vector<std::string>;

void compareText(const std::string& what, const std::string& before, const std::string& after,
                 Sentences& list) {
  if (before != after) list.push_back(what + ": " + before + " → " + after);
}

std::string wholeWords(const NodePrecision& precision) {
  if (precision.float32) return "fp32";
  return "weights " + words(precision.weight, TensorRole::Weight) + ", activations " +
         words(precision.activation, TensorRole::Activation);
}

void compare(const std::string& whose, const NodePrecision& before, const NodePrecision& after,
             Sentences& list) {
  if (before.float32 || after.float32) {
    if (before.float32 != after.float32) {
      list.push_back(whose + ": " + wholeWords(before) + " → " + wholeWords(after));
    }
    return;
  }
  const auto role = [&](TensorRole which, const TensorPrecision& a, const TensorPrecision& b,
                        const std::string& name) {
    if (a != b) list.push_back(whose + " " + name + ": " + wordsOfChange(a, b, which));
  };
  role(TensorRole::Weight, before.weight, after.weight, words(TensorRole::Weight));
  if (before.output == before.activation && after.output == after.activation) {
    role(TensorRole::Activation, before.activation, after.activation, "activations and outputs");
    return;
  }
  role(TensorRole::Activation, before.activation, after.activation, words(TensorRole::Activation));
  role(TensorRole::Output, before.output, after.output, words(TensorRole::Output));
}

const NodePrecision* find(const Entries& entries, const std::string& name) {
  const auto found = std::ranges::find(entries, name, &Entry::first);
  return found == entries.end() ? nullptr : &found->second;
}

const NodePrecision* findPattern(const PrecisionConfig& config, const NamePattern& match) {
  const auto found = std::ranges::find(config.patterns, match, &PatternPrecision::match);
  return found == config.patterns.end() ? nullptr : &found->use;
}

const NodePrecision& withoutEntry(const PrecisionConfig& config, const std::string& node) {
  if (node.size() > NamePattern::kLongest) return config.defaults;
  const auto found = std::ranges::find_if(
      config.patterns, [&](const PatternPrecision& entry) { return entry.match.matches(node); });
  return found == config.patterns.end() ? config.defaults : found->use;
}

// An entry that came or went, against what holds without it.
void compareEntry(const std::string& whose, const NodePrecision* before, const NodePrecision* after,
                  const NodePrecision& otherwise, Sentences& list) {
  const std::size_t known = list.size();
  compare(whose, before != nullptr ? *before : otherwise, after != nullptr ? *after : otherwise,
          list);
  if (list.size() > known || (before != nullptr && after != nullptr)) return;
  list.push_back(whose + (after != nullptr ? ": an entry was added" : ": the entry was removed") +
                 " that says what holds without it");
}

template <class Visit>
void forEachName(const Entries& before, const Entries& after, Visit&& visit) {
  for (const auto& [name, precision] : before) visit(name, &precision, find(after, name));
  for (const auto& [name, precision] : after) {
    if (find(before, name) == nullptr) visit(name, nullptr, &precision);
  }
}

void comparePatterns(const PrecisionConfig& before, const PrecisionConfig& after, Sentences& list) {
  const auto whose = [](const NamePattern& match) { return "names like " + match.expression(); };
  std::vector<std::string> common;
  for (const PatternPrecision& entry : before.patterns) {
    const NodePrecision* now = findPattern(after, entry.match);
    compareEntry(whose(entry.match), &entry.use, now, after.defaults, list);
    if (now != nullptr) common.push_back(entry.match.expression());
  }
  std::vector<std::string> order;
  for (const PatternPrecision& entry : after.patterns) {
    if (findPattern(before, entry.match) != nullptr) {
      order.push_back(entry.match.expression());
    } else {
      compareEntry(whose(entry.match), nullptr, &entry.use, before.defaults, list);
    }
  }
  if (order != common) list.push_back("the patterns are tried in another order");
}

std::string together(const std::vector<PointName>& points) {
  std::string text;
  for (std::size_t i = 0; i < points.size(); ++i) {
    if (i > 0) text += i + 1 == points.size() ? " and " : ", ";
    text += describe(points[i]);
  }
  return text;
}

// Visits the removed entries, then the added ones.
template <class Entry, class Visit>
void forEachChange(const std::vector<Entry>& before, const std::vector<Entry>& after,
                   Visit&& visit) {
  for (const Entry& entry : before) {
    if (std::ranges::find(after, entry) == after.end()) visit(entry, false);
  }
  for (const Entry& entry : after) {
    if (std::ranges::find(before, entry) == before.end()) visit(entry, true);
  }
}

void compareGroups(const HandSharing& before, const HandSharing& after, Sentences& list) {
  const std::size_t known = list.size();
  forEachChange(before.join, after.join, [&](const std::vector<PointName>& points, bool now) {
    list.push_back(together(points) + (now ? ": merged by hand" : ": no longer merged by hand"));
  });
  forEachChange(before.part, after.part, [&](const PointName& point, bool now) {
    list.push_back(describe(point) + (now ? ": split by hand" : ": no longer split by hand"));
  });
  if (list.size() == known && before != after) {
    list.push_back("what is merged or split by hand is listed in another order");
  }
}

// Compares the entries of two lists of named things; `say` describes the change of one, of which
// either side may be missing.
template <class Entries, class Say>
void compareNamed(const Entries& before, const Entries& after, Say&& say) {
  const auto find = [](const Entries& entries, const auto& name) {
    const auto found =
        std::ranges::find_if(entries, [&](const auto& entry) { return entry.first == name; });
    return found == entries.end() ? nullptr : &found->second;
  };
  for (const auto& [name, value] : before) say(name, &value, find(after, name));
  for (const auto& [name, value] : after) {
    if (find(before, name) == nullptr) say(name, nullptr, &value);
  }
}

using EncodingEntries = decltype(Encodings::entries);

void compareEncodings(const EncodingEntries& before, const EncodingEntries& after,
                      Sentences& list) {
  const std::size_t known = list.size();
  compareNamed(before, after, [&](const PointName& point, const Encoding* a, const Encoding* b) {
    const std::string whose = "encoding of " + describe(point) + ": ";
    if (a == nullptr || b == nullptr) {
      list.push_back(whose + (a == nullptr ? "set to " + words(*b) : "removed, was " + words(*a)));
    } else if (*a != *b) {
      list.push_back(whose + words(*a) + " → " + words(*b));
    }
  });
  if (list.size() == known && before != after) {
    list.push_back("the encodings are listed in another order");
  }
}

using Equalizations = decltype(Repairs::equalize);

void compareEqualizations(const Equalizations& before, const Equalizations& after,
                          Sentences& list) {
  const std::size_t known = list.size();
  using Factors = std::vector<float>;
  compareNamed(before, after, [&](const std::string& node, const Factors* a, const Factors* b) {
    const std::string whose = "'" + node + "' ";
    if (a == nullptr) {
      list.push_back(whose + "is equalized by " + std::to_string(b->size()) + " factors");
    } else if (b == nullptr) {
      list.push_back(whose + "is no longer equalized");
    } else if (*a != *b) {
      list.push_back(whose + "is equalized by other factors");
    }
  });
  if (list.size() == known && before != after) {
    list.push_back("what is equalized is listed in another order");
  }
}

void compareThresholds(const DetectorThresholds& before, const DetectorThresholds& after,
                       Sentences& list) {
  const auto threshold = [&](const char* name, double DetectorThresholds::*member) {
    compareText("detectors " + std::string(name), shortestText(before.*member),
                shortestText(after.*member), list);
  };
  threshold("equalization_ratio", &DetectorThresholds::equalizationRatio);
  threshold("outlier_ratio", &DetectorThresholds::outlierRatio);
  threshold("reference_percentile", &DetectorThresholds::referencePercentile);
  threshold("dynamic_tolerance", &DetectorThresholds::dynamicTolerance);
  threshold("batches_used", &DetectorThresholds::batchesUsed);
  compareText("detectors channel_axis", std::to_string(before.channelAxis),
              std::to_string(after.channelAxis), list);
}

std::string words(const std::optional<BiasRule>& bias) {
  return bias ? name(*bias) : "the backend's";
}

}  // namespace

std::vector<std::string> describeChanges(const Configuration& wholeBefore,
                                         const Configuration& wholeAfter) {
  const PrecisionConfig& before = *wholeBefore.precision;
  const PrecisionConfig& after = *wholeAfter.precision;
  Sentences list;
  compareText("backend", before.backend, after.backend, list);
  compareText("convention", name(before.convention), name(after.convention), list);
  compareText("bias", words(before.bias), words(after.bias), list);
  compareText("calibration samples", std::to_string(before.calibrationSamples),
              std::to_string(after.calibrationSamples), list);
  compareThresholds(*wholeBefore.detectors, *wholeAfter.detectors, list);
  compare("default", before.defaults, after.defaults, list);
  forEachName(before.opTypes, after.opTypes,
              [&](const std::string& op, const NodePrecision* a, const NodePrecision* b) {
                const NodePrecision& otherwise = a == nullptr ? before.defaults : after.defaults;
                compareEntry("every " + op, a, b, otherwise, list);
              });
  comparePatterns(before, after, list);
  forEachName(before.nodes, after.nodes,
              [&](const std::string& node, const NodePrecision* a, const NodePrecision* b) {
                const NodePrecision& otherwise = withoutEntry(a == nullptr ? before : after, node);
                compareEntry("'" + node + "'", a, b, otherwise, list);
              });
  compareGroups(before.groups, after.groups, list);
  compareEncodings(wholeBefore.encodings->entries, wholeAfter.encodings->entries, list);
  compareEqualizations(wholeBefore.repairs->equalize, wholeAfter.repairs->equalize, list);
  return list;
}

}  // namespace quantscope
