#pragma once

#include "export/worst_layers.h"
#include "support/sample_snapshot.h"
#include "widgets/inspector/inspector_view.h"
#include "widgets/inspector/parts/cell_table.h"
#include "widgets/inspector/parts/inspector_section.h"

namespace quantscope::test {

/// An inspector of the sample with its selection and options.
struct InspectorBench {
  Selection selection;
  DisplayOptions options;
  InspectorView view{{&selection, &options}};

  explicit InspectorBench(SnapshotPtr snapshot = sampleSnapshot(), int height = 800) {
    view.resize(360, height);
    view.show();
    view.setSnapshot(std::move(snapshot));
  }

  InspectorSection& section(const char* key) {
    return *view.findChild<InspectorSection*>(QLatin1String(key));
  }
  /// The section's first table.
  CellTable& table(const char* key) { return *section(key).findChild<CellTable*>(); }
  CellTable& table(const char* key, const char* name) {
    for (CellTable* table : section(key).findChildren<CellTable*>()) {
      if (table->accessibleName() == QLatin1String(name)) return *table;
    }
    qFatal("no table %s", name);
  }
};

/// The sample's layer with the largest error of its own.
inline const LayerResult& worstLayer() {
  const AnalysisResult& result = *sampleSnapshot()->result;
  return result.layers[worstLayers(result, &LayerResult::local, 1).at(0)];
}

inline QString cell(const CellTable& table, int row, int column) {
  return table.model()->index(row, column).data().toString();
}

}  // namespace quantscope::test
