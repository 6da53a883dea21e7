import type { ReactNode } from 'react'
import { Icon, type IconName } from '../components/icon'
import { MenuField } from '../components/menu-field'
import { typeNames } from './column-types'

const icons: Readonly<Record<string, IconName>> = {
  Text: 'text',
  Numeric: 'number',
  Int: 'integer',
  Bool: 'checkbox',
  Date: 'date',
  DateTime: 'clock',
  Choice: 'choice',
  ChoiceList: 'list',
  Ref: 'link',
  RefList: 'table',
  Attachments: 'file',
}

const iconOf = (type: string): ReactNode => <Icon name={icons[type] ?? 'any'} />

interface TypeFieldProps {
  readonly type: string
  readonly hint: ReactNode
  readonly onChange: (type: string) => void
}

/** The type of a column, without its argument. One that the console does not know is kept. */
export function TypeField({ type, hint, onChange }: TypeFieldProps): ReactNode {
  const isKnown = typeNames.some(([name]) => name === type)
  const options = isKnown ? typeNames : [...typeNames, [type, type] as const]
  return (
    <MenuField
      label="Type"
      hint={hint}
      value={type}
      options={options.map(([value, label]) => ({ value, label, icon: iconOf(value) }))}
      onChange={onChange}
    />
  )
}
