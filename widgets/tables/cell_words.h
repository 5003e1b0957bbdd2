#pragma once

#include <QString>
#include <QVariant>

namespace quantscope {

/// A raw cell as it is shown: three significant digits, "–" where there is nothing.
QString cellWords(const QVariant& raw);

}  // namespace quantscope
