import { readAnswers, type Entries, type Entry, type Question } from './answers'

const PREFIX = 'prefill_'

/**
 * The entries that the address of a form gives, by `prefill_<column id or question>=<value>`. Values that could not be entered
 * by hand are left out, and so are parameters that name no question.
 */
export function prefilledEntries(
  questions: readonly Question[],
  parameters: URLSearchParams,
): Entries {
  const given = new Map<string, string[]>()
  for (const [name, value] of parameters) {
    if (!name.startsWith(PREFIX)) continue
    const question = findQuestion(questions, name.slice(PREFIX.length))
    if (question) given.set(question.id, [...(given.get(question.id) ?? []), value])
  }
  return Object.fromEntries(
    questions.flatMap((question) => {
      const values = given.get(question.id)
      const entry = values && toEntry(question, values)
      return entry === undefined || isFaulty(question, entry) ? [] : [[question.id, entry]]
    }),
  )
}

function findQuestion(questions: readonly Question[], name: string): Question | undefined {
  const label = fold(name)
  return (
    questions.find(({ id }) => id === name) ?? questions.find((one) => fold(one.label) === label)
  )
}

const fold = (text: string) => text.trim().toLowerCase()

const isFaulty = (question: Question, entry: Entry): boolean =>
  readAnswers([{ ...question, required: false }], { [question.id]: entry }).faults[question.id] !==
  undefined

/** An entry as its control would hold it; undefined for values that it could not hold. */
function toEntry(question: Question, values: readonly string[]): Entry | undefined {
  if (question.type === 'ChoiceList') return toChoices(question.choices ?? [], values)
  const [first = ''] = values
  if (values.length > 1) return undefined
  return (readers[question.type] ?? toText)(first, question)
}

const readers: Readonly<
  Record<string, ((value: string, question: Question) => Entry | undefined) | undefined>
> = {
  Bool: (value) => ticks[value.toLowerCase()],
  Choice: (value, { choices = [] }) => (choices.includes(value) ? value : undefined),
  Date: (value) => (isMoment(`${value}T00:00`) ? value : undefined),
  DateTime: (value) => (isMoment(value) ? value : undefined),
}

function toText(value: string, { multiline }: Question): string | undefined {
  const text = multiline ? value.replace(/\r\n?/g, '\n') : value
  const isTyped = multiline ? /^[\P{Cc}\n\t]*$/u : /^\P{Cc}*$/u
  return isTyped.test(text) ? text : undefined
}

const ticks: Readonly<Record<string, boolean | undefined>> = {
  true: true,
  1: true,
  false: false,
  0: false,
}

/** Choices of which each value is one, or several that are separated by commas. */
function toChoices(
  choices: readonly string[],
  values: readonly string[],
): readonly string[] | undefined {
  const chosen = new Set(
    values.flatMap((value) => (choices.includes(value) ? [value] : value.split(',').map(trim))),
  )
  const known = choices.filter((choice) => chosen.has(choice))
  return known.length === chosen.size ? known : undefined
}

const trim = (text: string) => text.trim()

/** Whether a time is one that browsers show in a field for dates with times. */
function isMoment(text: string): boolean {
  if (!/^\d{4}-\d\d-\d\dT\d\d:\d\d$/.test(text)) return false
  const time = Date.parse(`${text}Z`)
  return !Number.isNaN(time) && new Date(time).toISOString().startsWith(text)
}
