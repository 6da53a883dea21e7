import type { Cell, DocumentSettings } from '../column-type'
import { EXACT_DIGITS, isHeldExactly, isInRange } from '../numbers/exact-number'
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

const MAX_INT = 2 ** 31 - 1
const integer = /^(?:0|-?[1-9]\d*)$/
// An exponent alone does not make a number: 12E4 is as likely a code.
const decimal = /^-?(?:0|[1-9]\d*)(?:\.\d+(?:[eE][+-]?\d+)?)?$/
const leadingZero = /^[^\d]*0\d/

/** How numbers of a column are written, from the strictest way to the most lenient. */
const numberForms = ['whole', 'decimal', 'local'] as const

/**
 * Finds the type of a column from all of its values, which come one by one. Unlike a guess from the first values, it
 * takes a type only when every value that is not blank is written that way, so that no value changes its meaning: codes
 * with leading zeros, long digit strings and text with blanks around it make a Text column.
 */
export class TypeSurvey {
  private isBool = true
  /** Index in `numberForms`; beyond its end when the values are no numbers. */
  private numbers = 0
  private dates: readonly DateForm[] = DATE_FORMS
  private hasTimes = false
  private sawBlank = false
  private sawValue = false
  /** Which ways of writing numbers were seen, of those that are not told apart by how strict they are. */
  private readonly marks = { currency: false, percent: false, grouped: false, plain: false }
  private hasPoint = false
  private timed: Cell = null

  constructor(private readonly settings: DocumentSettings) {}

  /** Takes one value into account; dates come as the API codes them. */
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

  /** The type that suits all values seen; undefined when all were blank. */
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

  /** `50` and `50%`, or `50` and `$50`, mean different things, which one format of the column cannot show. */
  private guessMarked(): ColumnGuess {
    const { currency, percent, plain } = this.marks
    if ([currency, percent, plain].filter(Boolean).length > 1) return { type: 'Text' }
    return { type: 'Numeric', ...optionsOf(numberOptions(this.marks, this.hasPoint)) }
  }

  private guessDate(): ColumnGuess {
    const [form, ...others] = this.dates
    // 01/02/2024 may be of January or of February when no other value tells.
    if (!form || others.some(({ order }) => order !== form.order)) return { type: 'Text' }
    const { dateFormat } = form
    if (!this.hasTimes) return { type: 'Date', ...optionsOf({ dateFormat }) }
    const timeFormat = timeFormatOf([this.timed])
    const type = `DateTime:${this.settings.timezone}`
    return { type, ...optionsOf({ dateFormat, timeFormat }) }
  }

  private fitsNumber(cell: Cell): boolean {
    const form = numberForms[this.numbers]
    if (typeof cell !== 'string' && typeof cell !== 'number') return false
    const isPlain =
      form === 'whole' ? isWhole(cell) : typeof cell === 'number' || isExactNumber(cell)
    if (isPlain) this.marks.plain = true
    return isPlain || (form === 'local' && this.fitsLocal(String(cell)))
  }

  private fitsLocal(text: string): boolean {
    if (text !== text.trim() || leadingZero.test(text)) return false
    if (text.replace(/\D/g, '').length > EXACT_DIGITS) return false
    const reading = readLocalNumber(text, { settings: this.settings, widgetOptions: {} })
    // What is written in no special way did not fit before, and must not as such.
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
      // A date by itself, not by how it is written: it suits the first form alone.
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
  return typeof cell === 'number' ? isInt(cell) : integer.test(cell) && isInt(Number(cell))
}

function isInt(value: number): boolean {
  return Number.isInteger(value) && Math.abs(value) <= MAX_INT && !Object.is(value, -0)
}

/** True for a decimal number that a double holds without loss. */
function isExactNumber(text: string): boolean {
  if (!decimal.test(text)) return false
  const value = Number(text)
  if (Object.is(value, -0)) return false
  return /[.eE]/.test(text) ? isHeldExactly(text) : Number.isSafeInteger(value)
}

function optionsOf(options: Record<string, unknown> | undefined): { widgetOptions?: string } {
  return options ? { widgetOptions: JSON.stringify(options) } : {}
}
