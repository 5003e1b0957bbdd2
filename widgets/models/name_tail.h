#pragma once

#include "widgets/look/text.h"

namespace quantscope {

/// A layer's name in a sentence: of a long one the end, where names of a model differ.
inline QString nameTail(std::string_view name) {
  constexpr qsizetype kMost = 48;
  const QString whole = text(name);
  return whole.size() <= kMost ? whole : u'…' + whole.right(kMost - 1);
}

}  // namespace quantscope
