import type { ReactNode } from 'react'
import { MenuField } from '../../components/overlays/menu-field'
import { typeNames } from '../../formats/type-names'
import { TypeIcon } from './type-icon'

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
      options={options.map(([value, label]) => ({
        value,
        label,
        icon: <TypeIcon type={value} />,
      }))}
      onChange={onChange}
    />
  )
}
