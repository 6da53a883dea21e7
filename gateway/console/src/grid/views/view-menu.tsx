import type { View, ViewSettings } from '@sheaf/client'
import { useState, type ReactNode } from 'react'
import type { Column } from '../../api/resources'
import { NameDialog } from '../../components/overlays/dialog'
import { Icon } from '../../components/icon'
import { Menu } from '../../components/overlays/menu'
import type { MenuItem } from '../../components/overlays/menu-items'
import { newForm } from '../../form/form-settings'
import { boardSettings } from './board-settings'
import { copyName, MAX_NAME } from './view-settings'
import type { ChosenView } from './use-chosen-view'
import type { ViewChanges } from './use-view-changes'

interface ViewMenuProps extends Pick<ChosenView, 'views' | 'isLoading' | 'load' | 'chosen'> {
  readonly canEdit: boolean
  /** All columns of the table. */
  readonly columns: readonly Column[]
  /** Fields of a view with which the table is shown as it is now. */
  readonly settings: ViewSettings
  /** Those of them that the chosen view does not have. */
  readonly changed: ViewSettings
  readonly changes: ViewChanges
  readonly onChoose: (view: View | undefined) => void
  /** Saves what was changed in the chosen view. */
  readonly onSave: () => void
}

const loadingItem: MenuItem = { label: 'Loading views…', isDisabled: true, onSelect: () => {} }

/** The dialogs that name a view to add. */
const addDialogs = {
  grid: { title: 'New grid view', submit: 'Create' },
  board: { title: 'New board view', submit: 'Create' },
  form: { title: 'New form view', submit: 'Create' },
  save: { title: 'Save as view', submit: 'Save' },
} as const

type OpenDialog = keyof typeof addDialogs | 'rename'

/** The menu of the views of a table. */
export function ViewMenu(props: ViewMenuProps): ReactNode {
  const { views, isLoading, load, chosen, canEdit, columns } = props
  const { settings, changed, changes, onChoose } = props
  const [dialog, setDialog] = useState<OpenDialog>()
  const close = () => setDialog(undefined)
  const isChanged = Object.keys(changed).length > 0
  const choice = (label: string, view?: View): MenuItem => ({
    label,
    icon: view?.fields.type === 'board' && <Icon name="board" />,
    option: { isOn: view === chosen, isExclusive: true, closesMenu: true },
    onSelect: () => onChoose(view),
  })
  const items = [
    choice('All rows'),
    ...views.map((view) => choice(view.fields.name, view)),
    ...(isLoading ? [loadingItem] : []),
    ...(canEdit ? editorItems(props, isChanged, setDialog) : []),
  ]
  const newSettings: Readonly<Record<keyof typeof addDialogs, () => ViewSettings>> = {
    grid: () => ({ type: 'grid' }),
    board: () => boardSettings(columns),
    form: () => ({ type: 'form', form: newForm(columns) }),
    save: () => ({ ...settings, type: chosen?.fields.type ?? 'grid' }),
  }
  return (
    <>
      <Menu label="Views" items={items} align="start" onApproach={load}>
        <span className="visually-hidden">View: </span>
        <span className="view-name">{chosen?.fields.name ?? 'All rows'}</span>
        {chosen && isChanged && <span className="view-changed"> · changed</span>}
      </Menu>
      {dialog !== undefined && dialog !== 'rename' && (
        <NameDialog
          {...addDialogs[dialog]}
          maxLength={MAX_NAME}
          onClose={close}
          onName={(name) => changes.add({ ...newSettings[dialog](), name })}
        />
      )}
      {dialog === 'rename' && chosen && (
        <NameDialog
          title="Rename view"
          submit="Rename"
          initial={chosen.fields.name}
          maxLength={MAX_NAME}
          onClose={close}
          onName={(name) => changes.update(chosen, { name })}
        />
      )}
    </>
  )
}

function editorItems(
  { views, chosen, changes, onSave }: ViewMenuProps,
  isChanged: boolean,
  open: (dialog: OpenDialog) => void,
): MenuItem[] {
  const isForm = chosen?.fields.type === 'form'
  const added: MenuItem[] = [
    { label: 'New grid view…', startsGroup: true, onSelect: () => open('grid') },
    { label: 'New board view…', onSelect: () => open('board') },
    { label: 'New form view…', onSelect: () => open('form') },
    ...(isForm
      ? []
      : [{ label: 'Save as view…', startsGroup: true, onSelect: () => open('save') }]),
  ]
  if (!chosen) return added
  const duplicate = () => {
    const { position: _, name, ...settings } = chosen.fields
    const names = views.map(({ fields }) => fields.name)
    changes.add({ ...settings, name: copyName(name, names) }).catch(changes.showError)
  }
  return [
    ...added,
    { label: 'Save changes', isDisabled: !isChanged, onSelect: onSave },
    { label: 'Rename…', onSelect: () => open('rename') },
    { label: 'Duplicate', onSelect: duplicate },
    { label: 'Delete', isDanger: true, onSelect: () => changes.remove(chosen) },
  ]
}
