#pragma once

#include <QString>
#include <QStringList>
#include <vector>

#include "widgets/tables/layer_columns.h"

namespace quantscope {

/// Selects layers by the user's text: words that must all occur in the name, the operators or the
/// precision types, and comparisons such as "sqnr<20" or "params>=1000". A layer without the
/// compared figure is left out.
class LayerFilter {
 public:
  LayerFilter() = default;
  /// A metric without "local." or "accumulated." before it is that of `kind`.
  LayerFilter(const QString& text, ErrorKind kind);

  bool accepts(const LayerResult& layer, std::size_t position) const;
  bool acceptsAll() const { return m_words.isEmpty() && m_comparisons.empty(); }
  /// The error in the text, as a sentence; empty if there is none.
  const QString& problem() const { return m_problem; }

  /// A few lines for the tooltip of a filter field.
  static QString help();

 private:
  struct Comparison {
    const LayerColumn* column;
    QString operation;
    double number;
    bool holds(double value) const;
  };
  void addTerm(const QString& term, ErrorKind kind);

  QStringList m_words;
  std::vector<Comparison> m_comparisons;
  QString m_problem;
};

}  // namespace quantscope
