import { AppError } from '@sheaf/kit/errors'
import { shorten } from '@sheaf/kit/truncate-text'
import { unknownColumn } from '../../query/filter'
import type { Column, Table } from '../schema/schema'
import { isObject, keyOf, nameOf, parseStored } from './view-columns'

/*
 * What a view of type `form` asks for. It is stored like filters and columns: columns by their refs, so that it follows
 * renames, and a column that has gone, or that a form cannot fill any more, is left out.
 */

/** A question of a form. */
export interface FormField {
  /** Column id. */
  readonly id: string
  /** Shown instead of the label of the column; empty for that one. */
  readonly label: string
  readonly help: string
  readonly required: boolean
  /** Whether the text may have several lines. */
  readonly multiline: boolean
}

/** What a form shows, and which columns it fills. Empty texts stand for those that every form has. */
export interface FormSettings {
  /** Empty for the name of the view. */
  readonly title: string
  readonly description: string
  /** Text of the button. */
  readonly submit: string
  /** Shown once it was sent. */
  readonly message: string
  /** Whether it can be filled in again after it was sent. */
  readonly again: boolean
  readonly fields: readonly FormField[]
}

/** The settings of a form that has none yet. */
export const emptyForm: FormSettings = {
  title: '',
  description: '',
  submit: '',
  message: '',
  again: false,
  fields: [],
}

/** Most characters of the texts of a form. */
const LENGTHS = { title: 200, description: 5_000, submit: 50, message: 2_000 } as const
/** Most characters of the texts of a field. */
const FIELD_LENGTHS = { label: 200, help: 1_000 } as const
/** Most fields of a form. */
const MAX_FIELDS = 200

/** Types of columns that a form can fill. References would show rows of other tables to everyone. */
const TYPES: ReadonlySet<string> = new Set([
  ...['Text', 'Numeric', 'Int', 'Bool', 'Date', 'DateTime', 'Choice', 'ChoiceList'],
])

/** Whether a form can fill a column. */
export function isFillable({ hidden, isFormula, type }: Column): boolean {
  return !hidden && !isFormula && TYPES.has(type.name)
}

/** A form, as it is stored. Throws AppError `invalid`, naming the part, for one that a table cannot have. */
export function storeForm(table: Table, form: unknown): string {
  if (!isObject(form)) throw badForm('form', 'must be an object')
  requireKnown(form, emptyForm, 'form')
  const fields = form.fields ?? []
  if (!Array.isArray(fields) || fields.length > MAX_FIELDS)
    throw badForm('form.fields', `must be a list of at most ${MAX_FIELDS} fields`)
  const stored = {
    ...readTexts(form, LENGTHS, 'form'),
    again: readFlag(form.again, 'form.again'),
    fields: fields.map((field: unknown, index) => storeField(table, field, index)),
  }
  const seen = new Set<string>()
  for (const [index, { column }] of stored.fields.entries()) {
    if (seen.has(column)) throw badForm(`form.fields[${index}].id`, 'must not be named twice')
    seen.add(column)
  }
  return JSON.stringify(stored)
}

const noField: FormField = { id: '', label: '', help: '', required: false, multiline: false }

function storeField(table: Table, field: unknown, index: number) {
  const path = `form.fields[${index}]`
  if (!isObject(field)) throw badForm(path, 'must be an object')
  requireKnown(field, noField, path)
  const { id } = field
  if (typeof id !== 'string') throw badForm(`${path}.id`, 'must be a column id')
  const column = table.byId.get(id)
  if (!column || column.hidden) throw unknownColumn(id, table)
  if (!isFillable(column))
    throw badForm(
      `${path}.id`,
      `names column "${shorten(id)}", which a form cannot fill: ${whyNot(column)}`,
    )
  return {
    column: keyOf(table, id),
    ...readTexts(field, FIELD_LENGTHS, path),
    required: readFlag(field.required, `${path}.required`),
    multiline: readFlag(field.multiline, `${path}.multiline`),
  }
}

const whyNot = ({ isFormula, formula, type }: Column): string =>
  isFormula && formula !== '' ? 'it has a formula' : `its type is ${type.name}`

/** A stored form; its fields are those that can be filled now. */
export function readForm(table: Table, stored: string): FormSettings {
  const form = parseStored(stored)
  if (!isObject(form)) return emptyForm
  const fields = Array.isArray(form.fields) ? form.fields.filter(isObject) : []
  return {
    ...textsOf(form, LENGTHS),
    again: form.again === true,
    fields: fields.flatMap((field) => {
      const id = nameOf(table, String(field.column))
      const column = id === undefined ? undefined : table.byId.get(id)
      if (!column || !isFillable(column)) return []
      return [
        {
          id: column.id,
          ...textsOf(field, FIELD_LENGTHS),
          required: field.required === true,
          multiline: field.multiline === true,
        },
      ]
    }),
  }
}

type Texts<T> = { readonly [name in keyof T]: string }

function readTexts<T extends Readonly<Record<string, number>>>(
  given: Readonly<Record<string, unknown>>,
  lengths: T,
  path: string,
): Texts<T> {
  const texts = Object.entries(lengths).map(([name, length]) => {
    const text = given[name] ?? ''
    if (typeof text !== 'string' || text.length > length)
      throw badForm(`${path}.${name}`, `must be text of at most ${length} characters`)
    return [name, text]
  })
  return Object.fromEntries(texts) as Texts<T>
}

function textsOf<T extends Readonly<Record<string, number>>>(
  given: Readonly<Record<string, unknown>>,
  lengths: T,
): Texts<T> {
  const texts = Object.keys(lengths).map((name) => {
    const text = given[name]
    return [name, typeof text === 'string' ? text : '']
  })
  return Object.fromEntries(texts) as Texts<T>
}

function readFlag(given: unknown, path: string): boolean {
  if (given === undefined || typeof given === 'boolean') return given ?? false
  throw badForm(path, 'must be true or false')
}

function requireKnown(given: object, known: object, path: string): void {
  const name = Object.keys(given).find((key) => !Object.hasOwn(known, key))
  if (name !== undefined)
    throw badForm(
      `${path}.${shorten(name)}`,
      `is unknown; known are ${Object.keys(known).join(', ')}`,
    )
}

function badForm(path: string, fault: string): AppError {
  return new AppError('invalid', 'BAD_FIELD', `${path} of a view ${fault}`, { field: path })
}
