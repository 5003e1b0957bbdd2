#include <QImage>
#include <QPainter>
#include <QStyleOption>
#include <QTabBar>
#include <QtTest>
#include <algorithm>

#include "export/pictures/colour_map.h"
#include "support/test_main.h"
#include "widgets/look/calm_style.h"
#include "widgets/look/theme.h"

using namespace quantscope;

namespace {

double contrastOf(const QColor& a, const QColor& b) {
  const auto rgb = [](const QColor& colour) {
    return Colour{static_cast<std::uint8_t>(colour.red()),
                  static_cast<std::uint8_t>(colour.green()),
                  static_cast<std::uint8_t>(colour.blue())};
  };
  return contrast(rgb(a), rgb(b));
}

// `option` gets the theme's palette and all of a small image.
QImage drawn(const Theme& theme, const QColor& behind, QStyle::PrimitiveElement element,
             QStyleOption& option) {
  QImage image(20, 20, QImage::Format_RGB32);
  image.fill(behind);
  option.rect = image.rect();
  option.palette = theme.palette();
  QPainter painter(&image);
  CalmStyle().drawPrimitive(element, &option, &painter, nullptr);
  return image;
}

// A check box on a surface of the theme.
QImage checkBox(const Theme& theme, const QColor& behind, QStyle::State state) {
  QStyleOptionButton option;
  option.state = state;
  return drawn(theme, behind, QStyle::PE_IndicatorCheckBox, option);
}

// Beside the tabs of a bar.
QImage tabBarBase(const Theme& theme, QTabBar::Shape shape) {
  QStyleOptionTabBarBase option;
  option.shape = shape;
  return drawn(theme, theme.window, QStyle::PE_FrameTabBarBase, option);
}

}  // namespace

class CalmStyleTest : public QObject {
  Q_OBJECT

 private Q_SLOTS:
  void emptyCheckBoxesAreSeen_data();
  void emptyCheckBoxesAreSeen();
  void tabsHaveTheirLineAtThePage();
};

void CalmStyleTest::emptyCheckBoxesAreSeen_data() {
  QTest::addColumn<bool>("dark");
  QTest::newRow("day") << false;
  QTest::newRow("night") << true;
}

// As WCAG asks of controls: 3 : 1.
void CalmStyleTest::emptyCheckBoxesAreSeen() {
  QFETCH(bool, dark);
  const Theme& theme = dark ? Theme::night() : Theme::day();
  for (const QColor& behind : {theme.window, theme.surface, theme.raised}) {
    const QImage empty = checkBox(theme, behind, QStyle::State_Enabled | QStyle::State_Off);
    double most = 0;
    for (int x = 0; x < empty.width(); ++x) {
      most = std::max(most, contrastOf(empty.pixelColor(x, empty.height() / 2), behind));
    }
    QVERIFY2(most >= 3, qPrintable(QString::number(most)));
    QVERIFY(empty != checkBox(theme, behind, QStyle::State_Enabled | QStyle::State_On));
    QVERIFY(empty != checkBox(theme, behind, QStyle::State_Enabled | QStyle::State_NoChange));
    QVERIFY(empty != checkBox(theme, behind, QStyle::State_Off));
  }
}

void CalmStyleTest::tabsHaveTheirLineAtThePage() {
  const Theme& theme = Theme::day();
  const QImage above = tabBarBase(theme, QTabBar::RoundedNorth);
  const QImage below = tabBarBase(theme, QTabBar::RoundedSouth);
  QCOMPARE(above.pixelColor(10, 19), theme.border);
  QCOMPARE(above.pixelColor(10, 0), theme.window);
  QCOMPARE(below.pixelColor(10, 0), theme.border);
  QCOMPARE(below.pixelColor(10, 19), theme.window);
}

QUANTSCOPE_TEST(CalmStyleTest)
#include "test_calm_style.moc"
