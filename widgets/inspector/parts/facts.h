#pragma once

#include <cstddef>

#include "widgets/inspector/parts/cell_model.h"

namespace quantscope {

/// A table of two columns: name and value.
class Facts {
 public:
  Facts();

  /// Left out where the value is empty. Without a tooltip of its own the value is that.
  void add(const QString& what, const QString& value, const QString& tip = {});
  void add(const QString& what, std::size_t count, const QString& tip = {});
  void add(const QString& what, Cell value);
  CellTableContent take() { return std::move(m_table); }

 private:
  CellTableContent m_table;
};

}  // namespace quantscope
