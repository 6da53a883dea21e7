import type { ImportOptions } from '@sheaf/client'
import type { ReactNode } from 'react'
import { CheckField, SelectField } from '../components/field'

type Options = readonly (readonly [string, string])[]

const DELIMITERS: Options = [
  [',', 'Comma'],
  [';', 'Semicolon'],
  ['\t', 'Tab'],
  ['|', 'Vertical bar'],
  [':', 'Colon'],
  [' ', 'Space'],
]
const DECIMALS: Options = [
  ['.', 'Point (1,234.5)'],
  [',', 'Comma (1.234,5)'],
]
const ENCODINGS: Options = [
  ['utf-8', 'Unicode (UTF-8)'],
  ['utf-16le', 'Unicode (UTF-16)'],
  ['utf-16be', 'Unicode (UTF-16, big-endian)'],
  ['windows-1252', 'Western European'],
  ['windows-1250', 'Central European'],
  ['windows-1251', 'Cyrillic'],
  ['windows-1253', 'Greek'],
  ['windows-1254', 'Turkish'],
  ['macintosh', 'Western European (Mac)'],
  ['shift_jis', 'Japanese'],
  ['gbk', 'Simplified Chinese'],
  ['big5', 'Traditional Chinese'],
  ['euc-kr', 'Korean'],
]

interface ReadControlsProps {
  /** How the file is read; the controls that its format has are shown. */
  readonly used: ImportOptions
  readonly onChange: (change: ImportOptions) => void
}

/** Controls of how a file is read. */
export function ReadControls({ used, onChange }: ReadControlsProps): ReactNode {
  const { delimiter, header, decimal, encoding } = used
  return (
    <div className="import-options" role="group" aria-label="How the file is read">
      {delimiter !== undefined && (
        <SelectField
          label="Delimiter"
          value={delimiter}
          options={withOption(DELIMITERS, delimiter)}
          onChange={({ target }) => onChange({ delimiter: target.value })}
        />
      )}
      {decimal !== undefined && (
        <SelectField
          label="Decimal separator"
          value={decimal}
          options={DECIMALS}
          onChange={({ target }) => onChange({ decimal: target.value === ',' ? ',' : '.' })}
        />
      )}
      {encoding !== undefined && (
        <SelectField
          label="Encoding"
          value={encoding}
          options={withOption(ENCODINGS, encoding)}
          onChange={({ target }) => onChange({ encoding: target.value })}
        />
      )}
      {header !== undefined && (
        <CheckField
          label="First row has column names"
          checked={header}
          onChange={({ target }) => onChange({ header: target.checked })}
        />
      )}
    </div>
  )
}

const withOption = (options: Options, value: string): Options =>
  options.some(([known]) => known === value) ? options : [...options, [value, value]]
