/** A question of a form, as the API describes it. */
export interface Question {
  /** Column id. */
  readonly id: string
  readonly label: string
  readonly help: string
  readonly required: boolean
  readonly type: string
  /** Whether the text may have several lines. */
  readonly multiline: boolean
  readonly choices?: readonly string[]
  /** Of a DateTime. */
  readonly timeZone?: string
  /** True for a number that is entered as a percentage: 50 is the value 0.5. */
  readonly percent?: true
}

/** A form, as people see it. */
export interface ShownForm {
  readonly title: string
  readonly description: string
  readonly submit: string
  readonly message: string
  readonly again: boolean
  readonly fields: readonly Question[]
}

/** What a control holds: text, a tick, or the ticked choices. */
export type Entry = string | boolean | readonly string[]

/** Entries by the id of their question; what was never touched is absent. */
export type Entries = Readonly<Record<string, Entry>>

/** What is sent, or what is wrong with it: messages by the id of their question. */
export interface Answers {
  readonly values: Readonly<Record<string, unknown>>
  readonly faults: Readonly<Record<string, string>>
}

const INT = { min: -(2 ** 31), max: 2 ** 31 - 1 }
/** Most characters of a text; the server has the same limit. */
const MAX_TEXT = 20_000

/** Reads the entries of a form. Questions without an answer are left out of the values. */
export function readAnswers(questions: readonly Question[], entries: Entries): Answers {
  const values: [string, unknown][] = []
  const faults: [string, string][] = []
  for (const question of questions) {
    const { id } = question
    const answer = readAnswer(question, entries[id])
    if ('fault' in answer) faults.push([id, answer.fault])
    else if (answer.value !== undefined) values.push([id, answer.value])
  }
  return { values: Object.fromEntries(values), faults: Object.fromEntries(faults) }
}

type Answer = { readonly value: unknown } | { readonly fault: string }

function readAnswer(question: Question, entry: Entry | undefined): Answer {
  const { type, required } = question
  if (type === 'Bool')
    return required && entry !== true
      ? { fault: 'Tick this box to continue.' }
      : { value: entry === true }
  if (isEmpty(entry)) return required ? { fault: emptyFault(type) } : { value: undefined }
  if (typeof entry !== 'string') return { value: entry }
  const reader = question.percent ? percentReaders[type] : textReaders[type]
  return reader?.(entry.trim()) ?? { value: entry }
}

const isEmpty = (entry: Entry | undefined): boolean =>
  entry === undefined ||
  (typeof entry === 'string' ? entry.trim() === '' : entry === false) ||
  (Array.isArray(entry) && entry.length === 0)

const emptyFaults: Readonly<Record<string, string>> = {
  Choice: 'Choose an answer.',
  ChoiceList: 'Choose at least one answer.',
  Date: 'Enter a date.',
  DateTime: 'Enter a date and a time.',
}

const emptyFault = (type: string): string => emptyFaults[type] ?? 'Enter an answer.'

type TextReader = (text: string) => Answer

const textReaders: Readonly<Record<string, TextReader | undefined>> = {
  Text: (text) =>
    text.length > MAX_TEXT
      ? { fault: `Enter at most ${MAX_TEXT.toLocaleString()} characters.` }
      : { value: text },
  Numeric(text) {
    const number = readNumber(text)
    return number === undefined
      ? { fault: 'Enter a number without separators, such as 1500 or 1.5.' }
      : { value: number }
  },
  Int(text) {
    const number = readNumber(text)
    if (number === undefined || !Number.isInteger(number))
      return { fault: 'Enter a whole number, such as 1500.' }
    return readInt(number)
  },
  // Browsers have years of six digits, and Sheaf four.
  Date: (text) =>
    /^\d{4}-\d\d-\d\d$/.test(text)
      ? { value: text }
      : { fault: 'Enter a date with a year of four digits.' },
  DateTime: (text) =>
    /^\d{4}-\d\d-\d\dT\d\d:\d\d/.test(text)
      ? { value: text }
      : { fault: 'Enter a date with a year of four digits, and a time.' },
}

const readInt = (number: number): Answer =>
  number < INT.min || number > INT.max ? { fault: 'This number is too large.' } : { value: number }

/** Of numbers that are entered as percentages, with or without their sign. */
const percentReaders: Readonly<Record<string, TextReader | undefined>> = {
  Numeric(text) {
    const number = readPercentage(text)
    return number === undefined
      ? { fault: 'Enter a percentage without separators, such as 50 or 12.5.' }
      : { value: number }
  },
  Int(text) {
    const number = readPercentage(text)
    return number === undefined || !Number.isInteger(number)
      ? { fault: 'Enter a multiple of 100 percent, such as 200.' }
      : readInt(number)
  },
}

const readPercentage = (text: string) => readNumber(text.replace(/\s*%$/, ''), -2)

/**
 * Reads a number with a decimal point or a decimal comma. A comma before three digits may also separate thousands, so such a
 * text is none. The decimal point is moved by some digits to the right, since a quotient may have other digits.
 */
function readNumber(text: string, digitsMoved = 0): number | undefined {
  if (/,\d{3}$/.test(text)) return undefined
  const plain = text.replace(/^\u2212/, '-').replace(/^([-+]?\d*),(?=\d+$)/, '$1.')
  if (!/^[-+]?(\d+(\.\d*)?|\.\d+)$/.test(plain)) return undefined
  const number = Number(`${plain}e${digitsMoved}`)
  return Number.isFinite(number) ? number : undefined
}
