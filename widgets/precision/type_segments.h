#pragma once

#include <QWidget>
#include <vector>

#include "widgets/view/precision_editor.h"

namespace quantscope {

class TypeSegment;

/// The types that what is selected can be set to, side by side; those that are chosen less behind
/// the last segment.
class TypeSegments : public QWidget {
  Q_OBJECT

 public:
  explicit TypeSegments(PrecisionEditor* editor, QWidget* parent = nullptr);

  /// Shows what the editor says now.
  void refresh();
  /// By place in wholeTypes(); those behind the last segment have none.
  const std::vector<TypeSegment*>& segments() const { return m_segments; }
  TypeSegment& more() const { return *m_more; }

 protected:
  void paintEvent(QPaintEvent* event) override;

 private:
  void openRest();
  void showGains();

  PrecisionEditor* m_editor;
  std::vector<TypeSegment*> m_segments;
  TypeSegment* m_more;
};

}  // namespace quantscope
