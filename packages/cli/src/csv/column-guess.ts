import { isExactNumber, isIntText } from '@sheaf/tabular/exact-number'

/** Column types that a load can choose. */
export type GuessedType = 'Text' | 'Int' | 'Numeric' | 'Bool' | 'Date'

const isoDate = /^(\d{4})-(\d\d)-(\d\d)$/

const fits: Record<Exclude<GuessedType, 'Text'>, (text: string) => boolean> = {
  Int: isIntText,
  Numeric: isExactNumber,
  Bool: (text) => /^(?:true|false)$/i.test(text),
  Date: (text) => isoDate.test(text) && isCalendarDay(text),
}

/**
 * Guesses the type of one column from its values. A type other than Text is chosen only if every non-empty
 * value has the canonical form of that type, so that no value changes its meaning: codes with leading zeros,
 * long digit strings and text with surrounding blanks remain Text.
 */
export class ColumnGuess {
  private candidates: Exclude<GuessedType, 'Text'>[] = ['Int', 'Numeric', 'Bool', 'Date']
  private sawEmpty = false
  private sawValue = false

  /** Adds one value of the column. */
  see(text: string): void {
    if (text === '') {
      this.sawEmpty = true
      return
    }
    this.sawValue = true
    if (this.candidates.length === 0) return
    if (this.candidates.every((type) => fits[type](text))) return
    this.candidates = this.candidates.filter((type) => fits[type](text))
  }

  /** The type that fits all values so far. */
  get type(): GuessedType {
    const [best] = this.candidates
    if (!this.sawValue || best === undefined) return 'Text'
    // A Bool cell cannot be empty: it would read as false.
    return best === 'Bool' && this.sawEmpty ? 'Text' : best
  }
}

/** Converts a text to the value of a cell in a column of a guessed type. */
export function cellValue(text: string, type: GuessedType): string | number | boolean | null {
  if (type === 'Text') return text
  if (text === '') return null
  if (type === 'Bool') return text.toLowerCase() === 'true'
  if (type === 'Date') return Date.parse(text) / 1000
  return Number(text) // without loss, or its column would be Text
}

function isCalendarDay(text: string): boolean {
  const at = Date.parse(text)
  return !Number.isNaN(at) && new Date(at).toISOString().startsWith(text)
}
