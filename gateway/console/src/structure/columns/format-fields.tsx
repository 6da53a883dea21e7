import type { ReactNode } from 'react'
import { CheckField, SelectField } from '../../components/field'
import { withOption, type WidgetOptions } from '../../formats/widget-options'
import { DateFields } from './date-fields'
import { NumberFields } from './number-fields'

interface FormatFieldsProps {
  /** Type with its argument. */
  readonly type: string
  readonly options: WidgetOptions
  readonly onChange: (options: WidgetOptions) => void
}

/** How the values of a column are shown. */
export function FormatFields(props: FormatFieldsProps): ReactNode {
  return (
    <>
      <TypeFields {...props} />
      <LayoutFields {...props} />
    </>
  )
}

/** The format of the values of a type. */
function TypeFields({ type, options, onChange }: FormatFieldsProps): ReactNode {
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

const alignments = [
  ['', 'Automatic'],
  ['left', 'Left'],
  ['center', 'Centre'],
  ['right', 'Right'],
] as const

/** Types whose cells have no text to wrap. */
const UNWRAPPED = new Set(['Bool', 'Attachments'])

/** Where the values are in their cells. */
function LayoutFields({ type, options, onChange }: FormatFieldsProps): ReactNode {
  const alignment = alignments.find(([side]) => side === options.alignment)?.[0] ?? ''
  const set = (key: string, value: unknown) => onChange(withOption(options, key, value))
  return (
    <>
      <SelectField
        label="Alignment"
        value={alignment}
        options={alignments}
        onChange={({ target }) => set('alignment', target.value || undefined)}
      />
      {!UNWRAPPED.has(type) && (
        <CheckField
          label="Wrap text in medium and tall rows"
          checked={options.wrap === true}
          onChange={({ target }) => set('wrap', target.checked || undefined)}
        />
      )}
    </>
  )
}
