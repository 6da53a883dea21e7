import { useState, type ReactNode } from 'react'
import { SelectField, TextField } from '../../components/field'
import { exampleOf } from '../../formats/cell'
import { DATE_FORMAT, formatBy, TIME_FORMAT } from '../../formats/date-format'
import { zoneOf } from '../../formats/time-zone'
import { withOption, type WidgetOptions } from '../../formats/widget-options'

interface DateFieldsProps {
  readonly type: string
  readonly options: WidgetOptions
  readonly onChange: (options: WidgetOptions) => void
}

const dateFormats = [
  'YYYY-MM-DD',
  'DD/MM/YYYY',
  'MM/DD/YYYY',
  'DD.MM.YYYY',
  'D MMM YYYY',
  'MMM D, YYYY',
  'MMMM D, YYYY',
  'dddd, D MMMM YYYY',
]
const timeFormats = ['HH:mm', 'HH:mm:ss', 'h:mma', 'h:mm A']
const CUSTOM = 'custom'
/** The choice of an empty format. */
const HIDDEN = 'hidden'
const BROWSER = 'In the language of the browser'
/** A longer one is ignored. */
const MAX_FORMAT = 100
const DAY = 86_400

/** The format of dates, and for those with a time of times. */
export function DateFields({ type, options, onChange }: DateFieldsProps): ReactNode {
  const [now] = useState(() => Math.floor(Date.now() / 1000))
  const hasTime = type.startsWith('DateTime')
  const sample = hasTime ? now : now - (now % DAY)
  const exampleIn = (format: string) => formatBy(format, sample, hasTime ? zoneOf(type) : 'UTC')
  /** What a date or time without a format is shown in, beside one with a format. */
  const besides = (other: string, format: string) =>
    hasTime && options[other] !== undefined ? `Default: ${exampleIn(format)} (${format})` : BROWSER
  const fieldOf = (key: string, label: string, formats: readonly string[], unset: string) => (
    <FormatField
      label={label}
      canHide={key === 'timeFormat'}
      formats={formats}
      unset={unset}
      exampleIn={exampleIn}
      format={options[key]}
      onChange={(format) => onChange(withOption(options, key, format))}
    />
  )
  return (
    <>
      {fieldOf('dateFormat', 'Date format', dateFormats, besides('timeFormat', DATE_FORMAT))}
      {hasTime &&
        fieldOf('timeFormat', 'Time format', timeFormats, besides('dateFormat', TIME_FORMAT))}
      <p className="note" role="status">
        Example: {exampleOf(type, options, sample)}
      </p>
    </>
  )
}

interface FormatFieldProps {
  readonly label: string
  /** True if an empty format shows nothing, rather than what no format means. */
  readonly canHide: boolean
  readonly formats: readonly string[]
  /** What no format means. */
  readonly unset: string
  readonly exampleIn: (format: string) => string
  readonly format: unknown
  readonly onChange: (format: string | undefined) => void
}

/** One of some formats, or another one. */
function FormatField(props: FormatFieldProps): ReactNode {
  const { label, canHide, formats, unset, exampleIn, format, onChange } = props
  const stored = typeof format === 'string' ? format : ''
  const isHidden = canHide && format === ''
  const [isCustom, setCustom] = useState(stored !== '' && !formats.includes(stored))
  return (
    <>
      <SelectField
        label={label}
        value={isCustom ? CUSTOM : isHidden ? HIDDEN : stored}
        options={[
          ['', unset],
          ...formats.map((item) => [item, `${exampleIn(item)} (${item})`] as const),
          ...(canHide ? [[HIDDEN, 'Hidden'] as const] : []),
          [CUSTOM, 'Custom'],
        ]}
        onChange={({ target }) => {
          setCustom(target.value === CUSTOM)
          if (target.value === HIDDEN) onChange('')
          else if (target.value !== CUSTOM) onChange(target.value || undefined)
        }}
      />
      {isCustom && (
        <TextField
          label={`Custom ${label.toLowerCase()}`}
          hint="YYYY, MM, DD, MMM, dddd, HH, mm, ss, h and a stand for parts; text in [brackets] stays."
          maxLength={MAX_FORMAT}
          value={stored}
          onChange={({ target }) => onChange(target.value || undefined)}
        />
      )}
    </>
  )
}
