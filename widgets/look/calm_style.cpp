#include "widgets/look/calm_style.h"

#include <QAbstractItemView>
#include <QAbstractScrollArea>
#include <QApplication>
#include <QComboBox>
#include <QListView>
#include <QPainter>
#include <QStyleFactory>
#include <QStyleOption>
#include <QStyledItemDelegate>
#include <QTabBar>
#include <algorithm>

#include "widgets/look/calm_shapes.h"
#include "widgets/look/icons.h"
#include "widgets/look/theme.h"

namespace quantscope {
namespace {

constexpr int kScrollBar = 12;
constexpr int kMinHandle = 28;

// A scroll bar has no arrows: the handle runs along the whole length.
QRect handleRect(const QStyleOptionSlider& bar) {
  const bool upright = bar.orientation == Qt::Vertical;
  const int length = upright ? bar.rect.height() : bar.rect.width();
  const int range = bar.maximum - bar.minimum;
  const double share =
      static_cast<double>(bar.pageStep) / (static_cast<double>(range) + bar.pageStep);
  const int handle = range <= 0 ? length
                                : std::clamp(static_cast<int>(length * share),
                                             std::min(kMinHandle, length), length);
  const int position = QStyle::sliderPositionFromValue(bar.minimum, bar.maximum, bar.sliderPosition,
                                                       length - handle, bar.upsideDown);
  return upright ? QRect(0, position, bar.rect.width(), handle)
                 : QRect(position, 0, handle, bar.rect.height());
}

QString elidedChoice(const QStyle& style, const QStyleOptionComboBox& box, const QWidget* widget) {
  const QRect field =
      style.subControlRect(QStyle::CC_ComboBox, &box, QStyle::SC_ComboBoxEditField, widget);
  const int icon = box.currentIcon.isNull() ? 0 : box.iconSize.width() + 4;
  return box.fontMetrics.elidedText(box.currentText, Qt::ElideRight, field.width() - icon - 2);
}

}  // namespace

CalmStyle::CalmStyle() : QProxyStyle(QStyleFactory::create(QStringLiteral("Fusion"))) {}

int CalmStyle::pixelMetric(PixelMetric metric, const QStyleOption* option,
                           const QWidget* widget) const {
  switch (metric) {
    case PM_ScrollBarExtent:
      return kScrollBar;
    case PM_ScrollBarSliderMin:
      return kMinHandle;
    case PM_ToolBarIconSize:
      return 18;
    case PM_ToolBarItemSpacing:
      return 4;
    case PM_ToolBarItemMargin:
      return 6;
    case PM_ToolBarFrameWidth:
      return 0;
    case PM_ToolBarSeparatorExtent:
      return 13;
    case PM_DockWidgetSeparatorExtent:
    case PM_SplitterWidth:
      return 5;
    case PM_DockWidgetTitleMargin:
      return 6;
    case PM_DockWidgetFrameWidth:
      return 0;
    case PM_TabBarTabHSpace:
      return 28;
    case PM_TabBarTabVSpace:
      return 14;
    case PM_TabBarTabShiftVertical:
    case PM_TabBarTabShiftHorizontal:
    case PM_TabBarBaseOverlap:
      return 0;
    case PM_ButtonShiftHorizontal:
    case PM_ButtonShiftVertical:
      return 0;
    case PM_TitleBarButtonIconSize:
      return 14;
    case PM_HeaderMargin:
      return 6;
    default:
      return QProxyStyle::pixelMetric(metric, option, widget);
  }
}

int CalmStyle::styleHint(StyleHint hint, const QStyleOption* option, const QWidget* widget,
                         QStyleHintReturn* returned) const {
  switch (hint) {
    case SH_EtchDisabledText:
    case SH_DitherDisabledText:
      return 0;
    case SH_ToolTipLabel_Opacity:
      return 255;
    case SH_ScrollBar_LeftClickAbsolutePosition:
      return 0;
    case SH_ComboBox_Popup:
      return 0;
    case SH_TabBar_PreferNoArrows:
      return 0;
    case SH_DockWidget_ButtonsHaveFrame:
    case SH_DialogButtonBox_ButtonsHaveIcons:
      return 0;
    default:
      return QProxyStyle::styleHint(hint, option, widget, returned);
  }
}

void CalmStyle::drawPrimitive(PrimitiveElement element, const QStyleOption* option,
                              QPainter* painter, const QWidget* widget) const {
  const CalmShapes shapes(*painter, *option);
  switch (element) {
    case PE_PanelButtonTool:
      return shapes.toolButton();
    case PE_PanelButtonCommand:
      return shapes.pushButton();
    case PE_FrameDefaultButton:
      return;
    case PE_IndicatorCheckBox:
    case PE_IndicatorItemViewItemCheck:
      return shapes.checkBox();
    case PE_PanelLineEdit:
      return shapes.field(*this, widget);
    case PE_FrameLineEdit:
      return shapes.fieldFrame();
    case PE_FrameFocusRect:
      return shapes.focusRing();
    case PE_IndicatorToolBarSeparator:
      return shapes.toolBarSeparator();
    case PE_FrameTabBarBase:
      return shapes.tabBarBase();
    case PE_FrameTabWidget:
    case PE_PanelStatusBar:
    case PE_FrameStatusBarItem:
    case PE_FrameDockWidget:
    case PE_IndicatorTabTearLeft:
    case PE_IndicatorTabTearRight:
      return;
    case PE_PanelTipLabel:
      return shapes.tip();
    case PE_Frame:
      return shapes.frame();
    case PE_PanelItemViewRow:
    case PE_PanelItemViewItem:
      return shapes.viewItem();
    case PE_IndicatorDockWidgetResizeHandle:
      return shapes.handle();
    default:
      return QProxyStyle::drawPrimitive(element, option, painter, widget);
  }
}

void CalmStyle::drawControl(ControlElement element, const QStyleOption* option, QPainter* painter,
                            const QWidget* widget) const {
  const CalmShapes shapes(*painter, *option);
  switch (element) {
    case CE_ToolBar:
      return shapes.bar();
    case CE_TabBarTabShape:
      return shapes.tab();
    case CE_HeaderSection:
    case CE_HeaderEmptyArea:
      return shapes.headerSection();
    case CE_DockWidgetTitle:
      return shapes.dockTitle(*this, widget);
    case CE_Splitter:
      return shapes.handle();
    case CE_ProgressBarGroove:
      return shapes.progressGroove();
    case CE_ProgressBarContents:
      return shapes.progressContents();
    case CE_MenuBarEmptyArea:
      return shapes.plain();
    case CE_ItemViewItem:
      if (const auto* item = qstyleoption_cast<const QStyleOptionViewItem*>(option)) {
        QStyleOptionViewItem calm = *item;
        calm.palette.setColor(QPalette::HighlightedText, Theme::of(item->palette).text);
        return QProxyStyle::drawControl(element, &calm, painter, widget);
      }
      return QProxyStyle::drawControl(element, option, painter, widget);
    case CE_MenuItem:
      if (const auto* item = qstyleoption_cast<const QStyleOptionMenuItem*>(option)) {
        QStyleOptionMenuItem calm = *item;
        calm.palette = CalmShapes::menuPalette(item->palette);
        return QProxyStyle::drawControl(element, &calm, painter, widget);
      }
      return QProxyStyle::drawControl(element, option, painter, widget);
    case CE_MenuBarItem:
      return shapes.menuBarItem(*this);
    case CE_ComboBoxLabel:
      if (const auto* box = qstyleoption_cast<const QStyleOptionComboBox*>(option)) {
        QStyleOptionComboBox elided = *box;
        elided.currentText = elidedChoice(*this, *box, widget);
        return QProxyStyle::drawControl(element, &elided, painter, widget);
      }
      return QProxyStyle::drawControl(element, option, painter, widget);
    case CE_ToolButtonLabel:
      if (const auto* button = qstyleoption_cast<const QStyleOptionToolButton*>(option);
          button != nullptr && button->toolButtonStyle == Qt::ToolButtonTextBesideIcon) {
        QStyleOptionToolButton apart = *button;
        apart.text.prepend(u' ');
        return QProxyStyle::drawControl(element, &apart, painter, widget);
      }
      return QProxyStyle::drawControl(element, option, painter, widget);
    case CE_PushButtonLabel:
      if (const auto* button = qstyleoption_cast<const QStyleOptionButton*>(option);
          button != nullptr && CalmShapes::isPrimary(*button)) {
        QStyleOptionButton primary = *button;
        primary.palette.setColor(QPalette::ButtonText, Theme::of(option->palette).onAccent);
        return QProxyStyle::drawControl(element, &primary, painter, widget);
      }
      return QProxyStyle::drawControl(element, option, painter, widget);
    default:
      return QProxyStyle::drawControl(element, option, painter, widget);
  }
}

void CalmStyle::drawComplexControl(ComplexControl control, const QStyleOptionComplex* option,
                                   QPainter* painter, const QWidget* widget) const {
  const CalmShapes shapes(*painter, *option);
  if (control == CC_ScrollBar) {
    if (const auto* bar = qstyleoption_cast<const QStyleOptionSlider*>(option)) {
      const bool live = bar->maximum > bar->minimum;
      return shapes.scrollBar(live ? handleRect(*bar).translated(bar->rect.topLeft()) : QRect(),
                              bar->orientation == Qt::Vertical);
    }
  }
  if (control == CC_ComboBox) {
    if (qstyleoption_cast<const QStyleOptionComboBox*>(option) != nullptr) return shapes.comboBox();
  }
  if (control == CC_SpinBox) {
    if (const auto* box = qstyleoption_cast<const QStyleOptionSpinBox*>(option)) {
      return shapes.spinBox(subControlRect(control, option, SC_SpinBoxUp, widget),
                            subControlRect(control, option, SC_SpinBoxDown, widget),
                            box->stepEnabled);
    }
  }
  QProxyStyle::drawComplexControl(control, option, painter, widget);
}

QRect CalmStyle::subControlRect(ComplexControl control, const QStyleOptionComplex* option,
                                SubControl part, const QWidget* widget) const {
  const auto* bar = qstyleoption_cast<const QStyleOptionSlider*>(option);
  if (control != CC_ScrollBar || bar == nullptr) {
    return QProxyStyle::subControlRect(control, option, part, widget);
  }
  const QRect handle = handleRect(*bar);
  const QRect whole(QPoint(), bar->rect.size());
  const bool upright = bar->orientation == Qt::Vertical;
  QRect rect;
  switch (part) {
    case SC_ScrollBarSlider:
      rect = handle;
      break;
    case SC_ScrollBarGroove:
      rect = whole;
      break;
    case SC_ScrollBarSubPage:
      rect = upright ? QRect(0, 0, whole.width(), handle.top())
                     : QRect(0, 0, handle.left(), whole.height());
      break;
    case SC_ScrollBarAddPage:
      rect =
          upright
              ? QRect(0, handle.bottom() + 1, whole.width(), whole.height() - handle.bottom() - 1)
              : QRect(handle.right() + 1, 0, whole.width() - handle.right() - 1, whole.height());
      break;
    default:
      break;
  }
  return visualRect(option->direction, bar->rect, rect.translated(bar->rect.topLeft()));
}

QSize CalmStyle::sizeFromContents(ContentsType type, const QStyleOption* option,
                                  const QSize& contents, const QWidget* widget) const {
  QSize size = QProxyStyle::sizeFromContents(type, option, contents, widget);
  constexpr int kRow = 28;
  switch (type) {
    case CT_LineEdit:
    case CT_ComboBox:
    case CT_SpinBox:
      return {size.width(), std::max(size.height(), kRow)};
    case CT_PushButton:
      return {std::max(size.width() + 8, 64), std::max(size.height(), kRow)};
    case CT_ToolButton:
      return size.grownBy({4, 2, 4, 2});
    case CT_MenuItem:
      if (const auto* item = qstyleoption_cast<const QStyleOptionMenuItem*>(option);
          item != nullptr && item->menuItemType != QStyleOptionMenuItem::Separator) {
        return {size.width() + 12, std::max(size.height() + 2, 26)};
      }
      return size;
    case CT_ItemViewItem:
      // Rows of a list, as that of an open choice, are like those of a menu.
      if (qobject_cast<const QListView*>(widget) != nullptr) {
        return {size.width(), std::max(size.height(), kRow)};
      }
      return size;
    case CT_MenuBarItem:
      return size.grownBy({2, 3, 2, 3});
    default:
      return size;
  }
}

QIcon CalmStyle::standardIcon(StandardPixmap which, const QStyleOption* option,
                              const QWidget* widget) const {
  switch (which) {
    case SP_TitleBarCloseButton:
    case SP_DockWidgetCloseButton:
    case SP_LineEditClearButton:
      return icon(QStringLiteral("close"));
    case SP_TitleBarNormalButton:
      return icon(QStringLiteral("float"));
    default:
      return QProxyStyle::standardIcon(which, option, widget);
  }
}

void CalmStyle::polish(QWidget* widget) {
  QProxyStyle::polish(widget);
  if (qobject_cast<QTabBar*>(widget) != nullptr) widget->setAttribute(Qt::WA_Hover);
  // Rows of an open choice ask the style for their size only through such a delegate.
  auto* choice = qobject_cast<QComboBox*>(widget);
  if (choice != nullptr && qobject_cast<QStyledItemDelegate*>(choice->itemDelegate()) == nullptr) {
    choice->setItemDelegate(new QStyledItemDelegate(choice));
  }
}

}  // namespace quantscope
