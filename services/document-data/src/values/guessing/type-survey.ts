import {
  EXACT_DIGITS,
  isExactNumber,
  isInRange,
  isInt,
  isIntText,
} from '@sheaf/tabular/exact-number'
import type { Cell, DocumentSettings } from '../column-type'
import { withDecimalPoint } from '../numbers/decimal-comma'
import { readLocalNumber, type NumberReading } from '../numbers/number-text'
import {
  DATE_FORMS,
  isDate,
  isDateTime,
  numberOptions,
  timeFormatOf,
  type ColumnGuess,
  type DateForm,
} from './guess-column'

const leadingZero = /^[^\d]*0\d/

/** Number formats of a column, from the strictest to the most lenient. */
const numberForms = ['whole', 'decimal', 'local'] as const

/**
 * Infers the type of a column from a stream of all its values. Unlike a guess from the first values, a type
 * is chosen only if every non-blank value has its format, so that no value changes its meaning: codes with
 * leading zeros, long digit strings and text with surrounding blanks make a Text column.
 */
export class TypeSurvey {
  private isBool = true
  /** Index in `numberForms`; past the end if the values are not numbers. */
  private numbers = 0
  private dates: readonly DateForm[] = DATE_FORMS
  private hasTimes = false
  private sawBlank = false
  private sawValue = false
  /** Number notations seen, apart from those that strictness distinguishes. */
  private readonly marks = { currency: false, percent: false, grouped: false, plain: false }
  private hasPoint = false
  private timed: Cell = null

  /** @param decimal the decimal separator of numbers in text */
  constructor(
    private readonly settings: DocumentSettings,
    private readonly decimal: '.' | ',' = '.',
  ) {}

  /** Processes one value; dates have the type codes of the API. */
  see(cell: Cell): void {
    if (cell === null || cell === '') {
      this.sawBlank = true
      return
    }
    this.sawValue = true
    if (this.isBool) this.isBool = isTruth(cell)
    while (this.numbers < numberForms.length && !this.fitsNumber(cell)) this.numbers++
    if (this.dates.length > 0) this.narrowDates(cell)
  }

  /** Returns the type that fits all values; undefined if all were blank. */
  get guess(): ColumnGuess | undefined {
    if (!this.sawValue) return undefined
    // A Bool cell cannot be blank: it would read as false.
    if (this.isBool && !this.sawBlank) return { type: 'Bool' }
    switch (numberForms[this.numbers]) {
      case 'whole':
        return { type: 'Int' }
      case 'decimal':
        return { type: 'Numeric' }
      case 'local':
        return this.guessMarked()
      case undefined:
        return this.guessDate()
    }
  }

  /**
   * The date format that fits all values, although another may fit as well; undefined when none does. Where numbers have
   * a decimal comma, the day comes before the month.
   */
  get dateFormat(): string | undefined {
    const dayFirst = this.dates.find(({ order }) => order === 'DMY')
    const form = this.decimal === ',' ? (dayFirst ?? this.dates[0]) : this.dates[0]
    return this.sawValue ? form?.dateFormat : undefined
  }

  /** `50` and `50%`, or `50` and `$50`, have different meanings, which a single column format cannot show. */
  private guessMarked(): ColumnGuess {
    const { currency, percent, plain } = this.marks
    if ([currency, percent, plain].filter(Boolean).length > 1) return { type: 'Text' }
    return { type: 'Numeric', ...optionsOf(numberOptions(this.marks, this.hasPoint)) }
  }

  private guessDate(): ColumnGuess {
    const [form, ...others] = this.dates
    // 01/02/2024 may be in January or in February unless another value disambiguates it.
    if (!form || others.some(({ order }) => order !== form.order)) return { type: 'Text' }
    const { dateFormat } = form
    if (!this.hasTimes) return { type: 'Date', ...optionsOf({ dateFormat }) }
    const timeFormat = timeFormatOf([this.timed])
    const type = `DateTime:${this.settings.timezone}`
    return { type, ...optionsOf({ dateFormat, timeFormat }) }
  }

  private fitsNumber(given: Cell): boolean {
    const form = numberForms[this.numbers]
    if (typeof given !== 'string' && typeof given !== 'number') return false
    const isText = typeof given === 'string'
    const cell = isText && this.decimal === ',' ? withDecimalPoint(given) : given
    if (cell === undefined) return false
    const isPlain =
      form === 'whole' ? isWhole(cell) : typeof cell === 'number' || isExactNumber(cell)
    if (isPlain) this.marks.plain = true
    return isPlain || (form === 'local' && this.fitsLocal(String(cell)))
  }

  private fitsLocal(text: string): boolean {
    if (text !== text.trim() || leadingZero.test(text)) return false
    if (text.replace(/\D/g, '').length > EXACT_DIGITS) return false
    const reading = readLocalNumber(text, { settings: this.settings, widgetOptions: {} })
    // Text without currency, percent sign or grouping was already rejected as a plain number.
    if (!reading || !isInRange(text, reading.value)) return false
    const { currency, percent, grouped } = reading
    if (!(currency || percent || grouped) || (currency && percent)) return false
    this.mark(reading)
    this.hasPoint ||= text.includes('.')
    return true
  }

  private mark({ currency, percent, grouped }: NumberReading): void {
    const { marks } = this
    marks.currency ||= currency
    marks.percent ||= percent
    marks.grouped ||= grouped
    marks.plain ||= !currency && !percent
  }

  private narrowDates(cell: Cell): void {
    if (Array.isArray(cell)) {
      // A date value, as opposed to text, fits only the first format.
      this.dates = this.dates.slice(0, this.dates[0] === DATE_FORMS[0] ? 1 : 0)
      this.hasTimes ||= cell[0] === 'D'
      return
    }
    if (typeof cell !== 'string') {
      this.dates = []
      return
    }
    const withTime = (form: DateForm) => isDateTime(cell, form, this.settings.timezone)
    const left = this.dates.filter((form) => isDate(cell, form) || withTime(form))
    if (left.length > 0 && !this.hasTimes && left.every((form) => !isDate(cell, form))) {
      this.hasTimes = true
      this.timed = cell
    }
    this.dates = left
  }
}

function isTruth(cell: Cell): boolean {
  return typeof cell === 'boolean' || (typeof cell === 'string' && /^(?:true|false)$/i.test(cell))
}

function isWhole(cell: string | number): boolean {
  return typeof cell === 'number' ? isInt(cell) : isIntText(cell)
}

function optionsOf(options: Record<string, unknown> | undefined): { widgetOptions?: string } {
  return options ? { widgetOptions: JSON.stringify(options) } : {}
}
