import { useId, type ReactNode } from 'react'
import { Menu } from './menu'

interface MenuFieldOption {
  readonly value: string
  readonly label: string
  readonly icon: ReactNode
}

interface MenuFieldProps {
  readonly label: string
  readonly hint?: ReactNode
  readonly value: string
  readonly options: readonly MenuFieldOption[]
  readonly onChange: (value: string) => void
}

/** A select field whose options have icons. */
export function MenuField({ label, hint, value, options, onChange }: MenuFieldProps): ReactNode {
  const id = useId()
  const chosen = options.find((option) => option.value === value)
  return (
    <div
      className="field menu-field"
      role="group"
      aria-labelledby={id}
      aria-describedby={hint === undefined ? undefined : `${id}-hint`}
    >
      <span id={id} className="field-label">
        {label}
      </span>
      <Menu
        label={label}
        align="start"
        items={options.map((option) => ({
          label: option.label,
          icon: option.icon,
          option: { isOn: option.value === value, isExclusive: true, closesMenu: true },
          onSelect: () => onChange(option.value),
        }))}
      >
        {chosen?.icon}
        <span className="visually-hidden">{label}: </span>
        <span className="menu-field-value">{chosen?.label}</span>
        <span aria-hidden="true">▾</span>
      </Menu>
      {hint !== undefined && (
        <p id={`${id}-hint`} className="note">
          {hint}
        </p>
      )}
    </div>
  )
}
