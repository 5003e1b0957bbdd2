#include "widgets/precision/tensor_menu.h"

#include <QAction>
#include <utility>

#include "widgets/look/translate.h"
#include "widgets/words/configuration_words.h"

namespace quantscope {
namespace {

/// Adds the choices of one tensor.
class TensorFieldMenus {
 public:
  TensorFieldMenus(QMenu& menu, PrecisionEditor& editor, const TensorPart& part)
      : m_menu(menu), m_editor(editor), m_part(part), m_tensor(selectedTensor(editor, part)) {}

  void addAll() {
    addTypes();
    const QuantType type = m_tensor.precision.type;
    if (!isQuantized(type) || !hasScale(type)) return;
    if (weights()) addGranularities();
    if (canBeAsymmetric(type)) addSymmetry();
    if (!weights()) addModes();
    if (!isSignCode(type) && !m_tensor.precision.dynamic) addObservers();
  }

 private:
  bool weights() const { return m_part.role == TensorRole::Weight; }

  QMenu& submenu(const QString& title) {
    QMenu* inner = m_menu.addMenu(title);
    inner->setToolTipsVisible(true);
    return *inner;
  }

  // `name`: "int8", as in "set weights to int8 of"
  QAction& add(QMenu& menu, const QString& title, const QString& name, const QString& tip,
               bool chosen, const TensorFields& fields) {
    QAction* action = menu.addAction(title);
    action->setCheckable(true);
    action->setChecked(chosen);
    action->setToolTip(tip);
    QObject::connect(action, &QAction::triggered, &m_editor,
                     [&editor = m_editor, edit = m_part.edit(fields),
                      what = tr("set %1 to %2 of").arg(m_part.subject(), name)] {
                       editor.setFields(edit, what);
                     });
    return *action;
  }

  void addTypes() {
    QMenu& menu = submenu(tr("Type"));
    for (const QuantType type : tensorTypes()) {
      const bool chosen = !m_tensor.mixed.type && m_tensor.precision.type == type;
      TensorFields fields{.type = type};
      // The magnitudes of activations are observed per tensor, and floats have no scale.
      if (!weights() && (isSignCode(type) || !hasScale(type))) fields.granularity = Granularity();
      QAction& action =
          add(menu, typeTitle(type), typeTitle(type), typeDefinition(type), chosen, fields);
      const QString refusal = chosen ? QString() : tensorRefusal(m_editor, m_part, m_tensor, type);
      if (refusal.isEmpty()) continue;
      action.setEnabled(false);
      action.setToolTip(typeDefinition(type) + u'\n' + refusal + u'.');
    }
  }

  void addGranularities() {
    QMenu& menu = submenu(tr("Granularity"));
    const Granularity& now = m_tensor.precision.granularity;
    const std::pair<QString, Granularity> choices[] = {
        {tr("Per tensor"), {}},
        {tr("Per channel"), {Granularity::Kind::PerChannel, {}, 0}},
        {tr("Per group of %1").arg(kUsualGroup),
         {Granularity::Kind::PerGroup, now.axis.value_or(0), kUsualGroup}},
    };
    for (const auto& [title, granularity] : choices) {
      add(menu, title, granularityWords(granularity), {},
          !m_tensor.mixed.granularity && now == granularity, {.granularity = granularity});
    }
  }

  void addSymmetry() {
    QMenu& menu = submenu(tr("Symmetry"));
    for (const bool symmetric : {true, false}) {
      add(menu, symmetric ? tr("Symmetric") : tr("Asymmetric"),
          symmetric ? tr("symmetric") : tr("asymmetric"), {},
          !m_tensor.mixed.symmetric && m_tensor.precision.symmetric == symmetric,
          {.symmetric = symmetric});
    }
  }

  void addModes() {
    QMenu& menu = submenu(tr("Ranges"));
    for (const bool dynamic : {false, true}) {
      add(menu, dynamic ? tr("Dynamic") : tr("Static"),
          dynamic ? tr("dynamic ranges") : tr("static ranges"),
          dynamic ? tr("From each sample by itself, while it runs.")
                  : tr("From the calibration data, fixed afterwards."),
          !m_tensor.mixed.dynamic && m_tensor.precision.dynamic == dynamic, modeFields(dynamic));
    }
  }

  // An observer takes the place of a range set by hand.
  void addObservers() {
    QMenu& menu = submenu(tr("Observer"));
    for (const ObserverSpec::Kind kind : observersOf(weights())) {
      const ObserverSpec observer{.kind = kind};
      const bool same = m_tensor.precision.observer.kind == kind && !m_tensor.precision.range;
      add(menu, observerTitle(kind), observerWords(observer), observerDefinition(kind),
          same && !m_tensor.mixed.observer && !m_tensor.mixed.range,
          {.observer = observer, .range = std::optional<Range>()});
    }
  }

  QMenu& m_menu;
  PrecisionEditor& m_editor;
  const TensorPart& m_part;
  const SelectedTensor m_tensor;
};

}  // namespace

void addTensorFields(QMenu& menu, PrecisionEditor& editor, const TensorPart& part) {
  TensorFieldMenus(menu, editor, part).addAll();
}

void addTensorMenus(QMenu& menu, PrecisionEditor& editor) {
  for (const TensorPart& part : tensorParts()) {
    if (selectedTensor(editor, part).empty()) continue;
    addTensorFields(*menu.addMenu(part.title), editor, part);
  }
}

}  // namespace quantscope
