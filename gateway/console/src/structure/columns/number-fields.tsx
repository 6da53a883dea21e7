import type { ReactNode } from 'react'
import { CheckField, SelectField, TextField } from '../../components/field'
import { exampleOf } from '../../formats/cell'
import { readCurrency } from '../../formats/number'
import { withOption, type WidgetOptions } from '../../formats/widget-options'

interface NumberFieldsProps {
  readonly type: string
  readonly options: WidgetOptions
  readonly onChange: (options: WidgetOptions) => void
}

const modes = [
  ['', 'Plain'],
  ['decimal', 'With thousands separators'],
  ['currency', 'Currency'],
  ['percent', 'Percent'],
  ['scientific', 'Scientific'],
] as const

const MAX_DECIMALS = 20
const NO_CURRENCY = ['', 'None'] as const
/** What a column gets that is made one of amounts. */
const FIRST_CURRENCY = 'USD'
/** Those of most amounts come first. */
const COMMON = ['EUR', 'USD', 'GBP', 'JPY', 'CNY', 'INR', 'CHF', 'CAD', 'AUD']

/** The format of numbers. */
export function NumberFields({ type, options, onChange }: NumberFieldsProps): ReactNode {
  const mode = modes.find(([name]) => name === options.numMode)?.[0] ?? ''
  const currency = readCurrency(options.currency)
  const set = (key: string, value: unknown) => onChange(withOption(options, key, value))
  const setMode = (name: string) => {
    const next = withOption(options, 'numMode', name || undefined)
    onChange(name === 'currency' ? withOption(next, 'currency', currency ?? FIRST_CURRENCY) : next)
  }
  const setDecimals = (text: string) => {
    const count = /^\d+$/.test(text) ? Math.min(Number(text), MAX_DECIMALS) : undefined
    onChange(withOption(withOption(options, 'decimals', count), 'maxDecimals', count))
  }
  const isNegative = options.numSign === 'parens'
  const sample = (mode === 'percent' ? 0.1234 : 1234.5) * (isNegative ? -1 : 1)
  return (
    <>
      <SelectField
        label="Format"
        hint={`Example: ${exampleOf(type, options, type === 'Int' ? Math.trunc(sample) : sample)}`}
        value={mode}
        options={modes}
        onChange={({ target }) => setMode(target.value)}
      />
      {mode === 'currency' && (
        <SelectField
          label="Currency"
          value={currency ?? ''}
          options={currencies(currency)}
          onChange={({ target }) => set('currency', target.value || undefined)}
        />
      )}
      <TextField
        label="Decimals"
        hint="As many as the number has, if empty."
        inputMode="numeric"
        maxLength={2}
        value={typeof options.decimals === 'number' ? options.decimals : ''}
        onChange={({ target }) => setDecimals(target.value)}
      />
      <CheckField
        label="Negative numbers in parentheses"
        checked={isNegative}
        onChange={({ target }) => set('numSign', target.checked ? 'parens' : undefined)}
      />
    </>
  )
}

function currencies(current: string | undefined): readonly (readonly [string, string])[] {
  const names = new Intl.DisplayNames(undefined, { type: 'currency', fallback: 'code' })
  const own = current === undefined ? [] : [current]
  const codes = new Set([...COMMON, ...own, ...Intl.supportedValuesOf('currency')])
  return [
    NO_CURRENCY,
    ...[...codes].map((code) => [code, `${code} – ${names.of(code) ?? code}`] as const),
  ]
}
