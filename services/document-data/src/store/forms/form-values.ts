import { AppError } from '@sheaf/kit/errors'
import { shorten } from '@sheaf/kit/truncate-text'
import type { Cell } from '../../values/column-type'

/*
 * The values of a form. They come from people without an account, so that nothing is guessed or converted: a value has the
 * form of its type, or is refused.
 */

/** A question of a form, with the type of its column. */
export interface FormQuestion {
  /** Column id. */
  readonly id: string
  readonly required: boolean
  /** Name of the column type, without its argument. */
  readonly type: string
  /** Of Choice and ChoiceList. */
  readonly choices?: readonly string[]
}

/** Most characters of a text. */
const MAX_TEXT = 20_000
/** Most items of a list of choices. */
const MAX_ITEMS = 1_000
const INT = { min: -(2 ** 31), max: 2 ** 31 - 1 }
const DAY = /^\d{4}-\d\d-\d\d$/
const MOMENT =
  /^\d{4}-\d\d-\d\dT([01]\d|2[0-3]):[0-5]\d(:[0-5]\d(\.\d{1,3})?)?(Z|[+-]([01]\d|2[0-3]):[0-5]\d)?$/

/**
 * The cells of what was entered in a form, by column id; questions without an answer are left out. Throws AppError `invalid`
 * (INVALID_FORM_VALUE), naming the field, for a value that does not fit, a missing required one, and what the form does not ask.
 */
export function readFormValues(
  questions: readonly FormQuestion[],
  given: Readonly<Record<string, unknown>>,
): ReadonlyMap<string, Cell> {
  const asked = new Set(questions.map(({ id }) => id))
  const other = Object.keys(given).find((id) => !asked.has(id))
  if (other !== undefined) throw badValue(shorten(other), 'is not a field of this form')
  const cells = questions.map((question) => [question.id, readAnswer(question, given)] as const)
  return new Map(cells.flatMap(([id, cell]) => (cell === undefined ? [] : [[id, cell] as const])))
}

function readAnswer(
  question: FormQuestion,
  given: Readonly<Record<string, unknown>>,
): Cell | undefined {
  const { id, required, type } = question
  const value = Object.hasOwn(given, id) ? given[id] : undefined
  const isEmpty = value === undefined || value === null || isBlank(value)
  // A box that must be ticked asks for consent.
  if (required && (isEmpty || (type === 'Bool' && value === false)))
    throw badValue(id, 'is required')
  if (isEmpty) return undefined
  const read = readers[type]
  if (!read) throw badValue(id, 'cannot be filled in')
  const result = read(value, question)
  if ('fault' in result) throw badValue(id, result.fault)
  return result.cell
}

const isBlank = (value: unknown): boolean =>
  typeof value === 'string' ? value.trim() === '' : Array.isArray(value) && value.length === 0

type Result = { readonly cell: Cell } | { readonly fault: string }
type Reader = (value: unknown, question: FormQuestion) => Result

const readers: Readonly<Record<string, Reader | undefined>> = {
  Text: (value) =>
    typeof value === 'string' && value.length <= MAX_TEXT
      ? { cell: value }
      : { fault: `must be text of at most ${MAX_TEXT} characters` },
  Numeric: (value) =>
    typeof value === 'number' && Number.isFinite(value)
      ? { cell: value }
      : { fault: 'must be a number' },
  Int: (value) =>
    Number.isInteger(value) && Number(value) >= INT.min && Number(value) <= INT.max
      ? { cell: Number(value) }
      : { fault: `must be a whole number from ${INT.min} to ${INT.max}` },
  Bool: (value) =>
    typeof value === 'boolean' ? { cell: value } : { fault: 'must be true or false' },
  Date: (value) =>
    typeof value === 'string' && DAY.test(value) && isDay(value)
      ? { cell: value }
      : { fault: 'must be a date, such as "2026-03-01"' },
  DateTime: (value) =>
    typeof value === 'string' && MOMENT.test(value) && isDay(value.slice(0, 10))
      ? { cell: value }
      : { fault: 'must be a date and time, such as "2026-03-01T09:30"' },
  Choice: (value, { choices = [] }) =>
    typeof value === 'string' && choices.includes(value)
      ? { cell: value }
      : { fault: 'must be one of its choices' },
  ChoiceList: (value, { choices = [] }) => {
    const isList = Array.isArray(value) && value.length <= MAX_ITEMS
    return isList && value.every((item) => typeof item === 'string' && choices.includes(item))
      ? { cell: ['L', ...new Set(value as string[])] }
      : { fault: 'must be a list of its choices' }
  },
}

/** Whether a day exists. */
function isDay(text: string): boolean {
  const time = Date.parse(`${text}T00:00:00Z`)
  return !Number.isNaN(time) && new Date(time).toISOString().startsWith(text)
}

/** The error for the value of a field. */
export function badValue(field: string, fault: string): AppError {
  return new AppError('invalid', 'INVALID_FORM_VALUE', `field "${field}" ${fault}`, { field })
}
