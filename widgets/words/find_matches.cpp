#include "widgets/words/find_matches.h"

#include "export/layer_words.h"
#include "widgets/look/text.h"

namespace quantscope {
namespace {

class Search {
 public:
  Search(const AnalysisSnapshot& snapshot, const LayerFindings& findings, const QString& words)
      : m_snapshot(snapshot), m_findings(findings), m_words(words) {}

  std::vector<SearchMatch> run() {
    const std::vector<LayerResult>& layers = m_snapshot.result->layers;
    addFindings(m_findings.ofNoLayer());
    addValues(m_snapshot.graph().inputs());
    for (std::size_t i = 0; i < layers.size(); ++i) {
      if (matches(layers[i])) {
        add(layers[i].node, {}, {});
      } else {
        addFindings(m_findings.of(i));
      }
    }
    addValues(m_snapshot.graph().outputs());
    return std::move(m_matches);
  }

 private:
  bool holds(const std::string& words) const {
    return text(words).contains(m_words, Qt::CaseInsensitive);
  }

  bool matches(const LayerResult& layer) const {
    return holds(layer.name) || holds(layerOps(layer)) || holds(layer.fusedOps) ||
           holds(layer.scope);
  }

  void add(NodeId node, ValueId value, const std::string& finding) {
    SearchMatch& match = m_matches.emplace_back();
    match.selected.node = node;
    match.selected.value = value;
    match.finding = finding;
  }

  void addValues(std::span<const ValueId> values) {
    for (const ValueId value : values) {
      if (holds(m_snapshot.graph()[value].name)) add({}, value, {});
    }
  }

  void addFindings(std::span<const std::size_t> findings) {
    for (const std::size_t i : findings) {
      const Finding& finding = m_snapshot.detected->findings[i];
      const bool found = holds(finding.text) ||
                         detectorTitle(finding.detector).contains(m_words, Qt::CaseInsensitive);
      if (found) add(finding.node, {}, finding.id);
    }
  }

  const AnalysisSnapshot& m_snapshot;
  const LayerFindings& m_findings;
  const QString& m_words;
  std::vector<SearchMatch> m_matches;
};

}  // namespace

std::vector<SearchMatch> findMatches(const AnalysisSnapshot& snapshot,
                                     const LayerFindings& findings, const QString& words) {
  return words.isEmpty() ? std::vector<SearchMatch>() : Search(snapshot, findings, words).run();
}

}  // namespace quantscope
