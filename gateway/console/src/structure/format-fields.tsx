import type { ReactNode } from 'react'
import { SelectField } from '../components/field'
import { withOption, type WidgetOptions } from '../formats/widget-options'
import { DateFields } from './date-fields'
import { NumberFields } from './number-fields'

interface FormatFieldsProps {
  /** Type with its argument. */
  readonly type: string
  readonly options: WidgetOptions
  readonly onChange: (options: WidgetOptions) => void
}

/** How the values of a column are shown. */
export function FormatFields({ type, options, onChange }: FormatFieldsProps): ReactNode {
  const [name] = type.split(':')
  switch (name) {
    case 'Text':
      return <TextFields options={options} onChange={onChange} />
    case 'Numeric':
    case 'Int':
      return <NumberFields type={type} options={options} onChange={onChange} />
    case 'Date':
    case 'DateTime':
      return <DateFields key={name} type={type} options={options} onChange={onChange} />
    default:
      return null
  }
}

const textForms = [
  ['', 'Plain text'],
  ['HyperLink', 'Link'],
  ['Markdown', 'Markdown'],
] as const

const textHints: Readonly<Record<string, string>> = {
  HyperLink: 'An address, or a text and an address after it.',
  Markdown: 'Bold and italic text, code, lists and links.',
}

function TextFields({ options, onChange }: Omit<FormatFieldsProps, 'type'>): ReactNode {
  const form = textForms.find(([widget]) => widget === options.widget)?.[0] ?? ''
  return (
    <SelectField
      label="Show as"
      hint={textHints[form]}
      value={form}
      options={textForms}
      onChange={({ target }) => onChange(withOption(options, 'widget', target.value || undefined))}
    />
  )
}
