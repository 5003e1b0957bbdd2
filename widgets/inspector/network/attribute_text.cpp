#include "widgets/inspector/network/attribute_text.h"

#include <QStringList>
#include <type_traits>

#include "widgets/look/text.h"

namespace quantscope {
namespace {

QString entryText(std::int64_t entry) {
  return QString::number(entry);
}

QString entryText(float entry) {
  return QString::number(static_cast<double>(entry), 'g', 6);
}

QString entryText(const std::string& entry) {
  return text(entry);
}

QString entryText(const Tensor& entry) {
  return text(toString(entry.shape())) + u' ' + text(name(entry.type()));
}

template <class T>
QString listText(const std::vector<T>& entries, std::size_t most) {
  QStringList words;
  for (std::size_t i = 0; i < std::min(most, entries.size()); ++i) words << entryText(entries[i]);
  if (entries.size() > most) words << QStringLiteral("…");
  return u'[' + words.join(QStringLiteral(", ")) + u']';
}

}  // namespace

QString attributeText(const Attribute& attribute, std::size_t most) {
  return std::visit(
      [most](const auto& data) {
        using Data = std::decay_t<decltype(data)>;
        if constexpr (std::is_same_v<Data, std::vector<std::int64_t>> ||
                      std::is_same_v<Data, std::vector<float>> ||
                      std::is_same_v<Data, std::vector<std::string>>) {
          return listText(data, most);
        } else {
          return entryText(data);
        }
      },
      attribute.data);
}

QString typeText(const ValueType& type) {
  const QString shape = text(toString(type.shape));
  return type.element ? shape + u' ' + text(name(*type.element)) : shape;
}

}  // namespace quantscope
