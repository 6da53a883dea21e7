import fc from 'fast-check'
import { hostileText, hostileValue } from './json-text'
import type { Operations, Schema } from './operations'

/** Names of objects in the test document; most requests refer to them. */
export const vocabulary = {
  tables: ['Plants', 'Beds'],
  columns: [
    'Name',
    'Height',
    'Count',
    'Hardy',
    'Sown',
    'Seen',
    'Kind',
    'Tags',
    'Bed',
    'Also',
    'Note',
  ],
  types: [
    'Text',
    'Numeric',
    'Int',
    'Bool',
    'Date',
    'DateTime:Europe/Paris',
    'Choice',
    'ChoiceList',
    'Ref:Beds',
    'RefList:Plants',
    'Any',
  ],
  people: [
    'dan@example.com',
    'eve@example.com',
    'you@example.com',
    'anon@getgrist.com',
    'everyone@getgrist.com',
  ],
  roles: ['owners', 'editors', 'viewers', 'members', null],
  actions: [
    'AddRecord',
    'BulkAddRecord',
    'UpdateRecord',
    'BulkUpdateRecord',
    'RemoveRecord',
    'BulkRemoveRecord',
    'AddTable',
    'AddEmptyTable',
    'RenameTable',
    'AddColumn',
    'ModifyColumn',
    'RenameColumn',
    'Calculate',
  ],
} as const

/** A text that is meaningful in the document. */
const knownText: fc.Arbitrary<string> = fc.oneof(
  fc.constantFrom(...vocabulary.columns),
  fc.constantFrom(...vocabulary.tables),
  fc.constantFrom(...vocabulary.types),
  fc.constantFrom(
    'Rose',
    '2024-02-29',
    '1.5',
    '42',
    'yes',
    'a, b',
    '["L","a"]',
    'New',
    'id',
    '-Height',
  ),
)

const rowId = fc.integer({ min: 1, max: 5 })

/** A possible cell value. */
const cell: fc.Arbitrary<unknown> = fc.oneof(
  knownText,
  fc.integer({ min: -3, max: 100 }),
  fc.double({ noDefaultInfinity: true, noNaN: true }),
  fc.boolean(),
  fc.constant(null),
  fc.tuple(fc.constant('L'), knownText),
  fc.tuple(fc.constant('L'), rowId, rowId),
)

const columnId = fc.constantFrom(...vocabulary.columns)
/** Favours one column, since the records of one request should name the same columns. */
const cells = (member: fc.Arbitrary<unknown>) =>
  fc.dictionary(fc.oneof(fc.constant('Name'), columnId), member, {
    maxKeys: 2,
    noNullPrototype: true,
  })

/** Typical values of members with these names, which their schema does not restrict to them. */
const byName: Readonly<Record<string, fc.Arbitrary<unknown>>> = {
  type: fc.constantFrom(...vocabulary.types),
  label: fc.constantFrom('Name', 'A label', 'Height'),
  formula: fc.constantFrom('', '$Height * 2', '$Hight +', 'while True: pass'),
  widgetOptions: fc.constantFrom('', '{}', '{"choices":["a","b"]}'),
  visibleCol: fc.constantFrom(0, 2, 3),
  rules: fc.constant(null),
  recalcDeps: fc.constant(null),
  filter: cells(fc.array(cell, { maxLength: 3 })),
  sort: fc.array(columnId, { maxLength: 2 }),
  require: cells(cell),
  tableId: fc.constantFrom(...vocabulary.tables),
  name: fc.constantFrom('Garden', 'A name', 'x'),
  users: fc.dictionary(
    fc.constantFrom(...vocabulary.people),
    fc.constantFrom(...vocabulary.roles),
    {
      minKeys: 1,
      maxKeys: 2,
      noNullPrototype: true,
    },
  ),
  maxInheritedRole: fc.constantFrom(...vocabulary.roles),
  colId: columnId,
}

const memberOf = (name: string, made: fc.Arbitrary<unknown>) => {
  const usual = Object.hasOwn(byName, name) ? byName[name] : undefined
  return usual ? fc.oneof({ weight: 9, arbitrary: usual }, { weight: 1, arbitrary: made }) : made
}

/** Generates values that match a schema, using names from the document. */
export function createBodies({ schemas }: Operations): (schema: Schema) => fc.Arbitrary<unknown> {
  const fromSchema = (schema: Schema, depth: number): fc.Arbitrary<unknown> => {
    const name = schema.$ref?.split('/').at(-1)
    if (name !== undefined) return fromSchema(schemas[name] ?? {}, depth)
    const choices = schema.anyOf ?? schema.oneOf
    if (choices) return fc.oneof(...choices.map((choice) => fromSchema(choice, depth)))
    if (schema.enum) return fc.constantFrom(...schema.enum)
    if ('const' in schema) return fc.constant(schema.const)
    if (schema.allOf) {
      const parts = schema.allOf.map((part) => fromSchema(part, depth))
      return fc.tuple(...parts).map((made) => Object.assign({}, ...made) as unknown)
    }
    return fromType(schema, depth)
  }

  const fromType = (schema: Schema, depth: number): fc.Arbitrary<unknown> => {
    const types = [schema.type ?? []].flat()
    const made = types.map((type) => ofType[type]?.(schema, depth) ?? cell)
    return made.length > 0 ? fc.oneof(...made) : anything(schema, depth)
  }

  const anything = (schema: Schema, depth: number) =>
    schema.properties ? objects(schema, depth) : cell

  const objects = (schema: Schema, depth: number): fc.Arbitrary<unknown> => {
    if (depth > 8) return fc.constant({})
    const { properties = {}, required = [], additionalProperties } = schema
    const named = fc.record(
      Object.fromEntries(
        Object.entries(properties).map(([key, member]) => [
          key,
          memberOf(key, fromSchema(member, depth + 1)),
        ]),
      ),
      { requiredKeys: [...required], noNullPrototype: true },
    )
    if (additionalProperties === false) return named
    if (!additionalProperties && Object.keys(properties).length > 0) return named
    const member = typeof additionalProperties === 'object' ? additionalProperties : {}
    const others = cells(fromSchema(member, depth + 1))
    return fc.tuple(others, named).map(([other, own]) => ({ ...other, ...own }))
  }

  const lists = (schema: Schema, depth: number): fc.Arbitrary<unknown> => {
    if (depth > 8) return fc.constant([])
    if (schema.prefixItems) {
      return fc.tuple(...schema.prefixItems.map((item) => fromSchema(item, depth + 1)))
    }
    return fc.array(fromSchema(schema.items ?? {}, depth + 1), { minLength: 1, maxLength: 3 })
  }

  const ofType: Record<string, (schema: Schema, depth: number) => fc.Arbitrary<unknown>> = {
    object: objects,
    array: lists,
    string: () => fc.oneof(knownText, fc.constantFrom(...vocabulary.actions)),
    integer: () => fc.oneof(rowId, fc.nat(20)),
    number: () => fc.oneof(rowId, fc.double({ noDefaultInfinity: true, noNaN: true })),
    boolean: () => fc.boolean(),
    null: () => fc.constant(null),
  }

  return (schema) => fromSchema(schema, 0)
}

/**
 * Corrupts a value in one place: another value, a missing one, or an additional member with a dangerous name.
 */
export function spoil(value: unknown): fc.Arbitrary<unknown> {
  return fc
    .tuple(
      fc.infiniteStream(fc.double({ min: 0, max: 0.999, noNaN: true })),
      hostileValue,
      hostileText,
    )
    .map(([chances, other, key]) => {
      const next = () => Number(chances.next().value)
      return spoilAt(value, next, other, key)
    })
}

function spoilAt(value: unknown, next: () => number, other: unknown, key: string): unknown {
  if (typeof value !== 'object' || value === null || next() < 0.15) return other
  if (Array.isArray(value)) return spoilList(value, next, other, key)
  const names = Object.keys(value)
  const name = names[Math.floor(next() * names.length)]
  const members = value as Record<string, unknown>
  if (name === undefined || next() < 0.25) return withMember(members, key, other)
  if (next() < 0.15) return { ...members, [name]: undefined }
  return withMember(members, name, spoilAt(members[name], next, other, key))
}

function spoilList(value: readonly unknown[], next: () => number, other: unknown, key: string) {
  if (value.length === 0 || next() < 0.2) return [...value, other]
  const index = Math.floor(next() * value.length)
  return value.map((item, i) => (i === index ? spoilAt(item, next, other, key) : item))
}

/** Also works for a member called `__proto__`, which an object literal would not create. */
function withMember(members: Record<string, unknown>, name: string, member: unknown): unknown {
  return Object.fromEntries([...Object.entries(members), [name, member]])
}
