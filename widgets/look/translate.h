#pragma once

#include <QCoreApplication>
#include <QString>

namespace quantscope {

/// Translates sentences that are made outside of any class.
inline QString tr(const char* words) {
  return QCoreApplication::translate("Words", words);
}

}  // namespace quantscope
