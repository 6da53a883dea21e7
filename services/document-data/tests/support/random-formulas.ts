import fc from 'fast-check'

/** Tables and columns of random formulas; any of them may be missing, which makes the formula an error. */
export const TABLES = ['T0', 'T1', 'T2'] as const
/** Names of data columns, by the type that they begin with; `*` stands for a table. */
export const DATA_COLUMNS: Readonly<Record<string, string>> = {
  K: 'Text',
  N: 'Numeric',
  I: 'Int',
  B: 'Bool',
  C: 'ChoiceList',
  R: 'Ref:*',
  L: 'RefList:*',
}
/** Names of formula columns. */
export const FORMULA_COLUMNS = ['F', 'G', 'H'] as const

const data = fc.constantFrom(...Object.keys(DATA_COLUMNS))
const column = fc.oneof(
  { weight: 3, arbitrary: data },
  { weight: 2, arbitrary: fc.constantFrom(...FORMULA_COLUMNS) },
)
const table = fc.constantFrom(...TABLES)
const literal = fc.constantFrom('0', '1', '2', '0.5', '"a"', '"b"', '""', 'None', 'True', '$id')
const sort = fc
  .oneof(
    column,
    column.map((name) => `-${name}`),
  )
  .map((name) => `"${name}"`)
const order = fc.oneof(
  fc.constant(''),
  fc.tuple(fc.constantFrom('order_by', 'sort_by'), sort).map(([by, name]) => `, ${by}=${name}`),
  fc.tuple(sort, sort).map(([a, b]) => `, order_by=(${a}, ${b})`),
)

/** Text built from parts that are random. */
export function text(
  parts: TemplateStringsArray,
  ...values: fc.Arbitrary<string>[]
): fc.Arbitrary<string> {
  return fc
    .tuple(...values)
    .map((texts) => parts.map((part, i) => part + (texts[i] ?? '')).join(''))
}

const { expression } = fc.letrec<Record<'expression' | 'criteria' | 'found', string>>((tie) => {
  const inner = tie('expression')
  return {
    expression: fc.oneof(
      { maxDepth: 2, depthIdentifier: 'formula' },
      fc.oneof(literal, text`$${column}`, text`$R.${column}`),
      text`(${inner} ${fc.constantFrom('+', '-', '*', '/', '==', '<')} ${inner})`,
      text`IF(${inner}, ${inner}, ${inner})`,
      text`(${inner} or ${inner})`,
      text`IFERROR(${inner}, ${inner})`,
      text`PEEK(${inner})`,
      text`str(${inner})`,
      text`$R.R.${column}`,
      text`$L.${column}`,
      text`SUM($L.${column})`,
      text`len($L)`,
      text`SUM(r.${column} for r in $L if r.R.${column})`,
      text`len(${tie('found')})`,
      text`SUM(${tie('found')}.${column})`,
      text`${fc.constantFrom('SUM', 'sum', 'len')}(${table}.lookupRecords(${data}=$${data}).${fc.constantFrom('N', 'I', 'F')})`,
      text`len(${table}.lookupRecords(${data}=$${data}))`,
      text`[str(r.${column}) for r in ${tie('found')}]`,
      text`${tie('found')}`,
      text`${table}.lookupOne(${tie('criteria')}${order}).${column}`,
      text`${table}.lookupOne(${tie('criteria')}${order}).R.${column}`,
      text`len(${table}.all)`,
      text`SUM(${table}.all.${column})`,
      text`[r.${column} for r in ${table}.all if r.${column} == ${inner}]`,
      text`PREVIOUS(rec, order_by=${sort}).${column}`,
      text`NEXT(rec, group_by="${data}", order_by=${sort}).${column}`,
      text`RANK(rec, order_by=${sort}, group_by="${data}")`,
    ),
    criteria: fc.oneof(
      text`${column}=${inner}`,
      text`${column}=${inner}`,
      text`C=CONTAINS(${inner})`,
      text`L=CONTAINS(${fc.constantFrom('rec', '$id', '$R', '$I')})`,
      text`C=CONTAINS(${inner}, match_empty="")`,
      text`K=${inner}, I=${inner}`,
      text`R=${fc.constantFrom('rec', '$id', '$R')}, ${fc.constantFrom('N', 'F', 'G')}=${inner}`,
      text`K=${inner}, C=CONTAINS(${inner})`,
    ),
    found: text`${table}.lookupRecords(${tie('criteria')}${order})`,
  }
})

/** A random formula. */
export const formula = expression

/** A random type of a column. */
export const columnType = fc.oneof(
  fc.constantFrom('Any', 'Any', 'Text', 'Numeric', 'Int', 'Bool', 'ChoiceList'),
  text`Ref:${table}`,
  text`RefList:${table}`,
)

/** A random cell. */
const cell = fc.constantFrom<unknown>(
  ...[null, 0, 1, 2, 3, 0.5, 2.5, true, false, '', 'a', 'b', '1', '2'],
  ...[['L', 1, 2], ['L', 2], ['L', 'a'], ['L', 'b', 'a'], ['L']],
)

/** A random cell that fits a column with this name. */
const cellsOf: Readonly<Record<string, fc.Arbitrary<unknown>>> = {
  K: fc.constantFrom('a', 'b', '', null, '1'),
  N: fc.constantFrom(0, 1, 2, 0.5, 0.1, null, 'a'),
  I: fc.constantFrom(0, 1, 2, 3, null),
  B: fc.boolean(),
  C: fc.constantFrom(['L', 'a'], ['L', 'a', 'b'], ['L', 'b'], null),
  R: fc.constantFrom(0, 1, 2, 3, 5),
  L: fc.constantFrom(['L', 1], ['L', 1, 2], ['L', 3, 2], ['L', 4], null),
}

/** Random cells of one row, by column. */
export const row = fc.oneof(
  { weight: 5, arbitrary: fc.record(cellsOf, { requiredKeys: [] }) },
  {
    weight: 1,
    arbitrary: fc.dictionary(fc.constantFrom(...Object.keys(DATA_COLUMNS), 'M'), cell, {
      maxKeys: 3,
    }),
  },
)
/** Random name of a column. */
export const columnName = fc.oneof(column, fc.constant('M'))
export { data as dataColumn, table as tableName }
