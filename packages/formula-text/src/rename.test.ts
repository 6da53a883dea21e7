import fc from 'fast-check'
import { parseFormula } from './formula-tree'
import { renameInFormula, type Renames } from './rename'
import type { FormulaSchema, ValueType } from './value-type'

const record = (tableId: string): ValueType => ({ kind: 'record', tableId })
const records = (tableId: string): ValueType => ({ kind: 'records', tableId })

/** The columns of each table; undefined for those that hold values. */
const tables: Readonly<Record<string, Readonly<Record<string, ValueType | undefined>>>> = {
  Items: { qty: undefined, price: undefined, cat: record('Cats'), parent: record('Items') },
  Cats: { Name: undefined, Top: record('Items'), items: records('Items') },
}

function schemaOf(of: typeof tables): FormulaSchema {
  return {
    hasTable: (tableId) => Object.hasOwn(of, tableId),
    columnType: (tableId, colId) => of[tableId]?.[colId],
  }
}

const renames: Renames = {
  tables: new Map([['Items', 'Lines']]),
  columns: new Map([
    ['Items', new Map([['qty', 'amount']])],
    ['Cats', new Map([['Name', 'Title']])],
  ]),
}

/** A formula of a column of Items, after the renames. */
const renamed = (formula: string) =>
  renameInFormula(formula, { tableId: 'Items', schema: schemaOf(tables) }, renames)

describe('a rename in a formula', () => {
  it.each([
    ['columns of the row', '$qty * rec.qty', '$amount * rec.amount'],
    ['columns over references', '$cat.Name + $cat.Top.cat.Name', '$cat.Title + $cat.Top.cat.Title'],
    ['columns over lists of references', '$cat.items.cat.Name', '$cat.items.cat.Title'],
    ['tables', 'len(Items.all) + len(table.all.qty)', 'len(Lines.all) + len(table.all.amount)'],
    ['keys of lookups', 'Items.lookupOne(qty=$qty).qty', 'Lines.lookupOne(amount=$amount).amount'],
    [
      'orders of lookups',
      `Items.lookupRecords(cat=$cat, order_by=("-qty", 'price'), sort_by=r"qty")`,
      `Lines.lookupRecords(cat=$cat, order_by=("-amount", 'price'), sort_by=r"amount")`,
    ],
    [
      'neighbours, their groups and orders',
      'NEXT(rec, group_by=("qty",), order_by="""-qty""").qty + RANK(rec, order_by="qty")',
      'NEXT(rec, group_by=("amount",), order_by="""-amount""").amount + RANK(rec, order_by="amount")',
    ],
    ['found records', 'Items.all.find.ge($qty).qty', 'Lines.all.find.ge($amount).amount'],
    ['fields of VLOOKUP', 'VLOOKUP(Items, qty=5).qty', 'VLOOKUP(Lines, amount=5).amount'],
    [
      'items and slices',
      'Items.all[0].qty + Items.all[1:].qty',
      'Lines.all[0].amount + Lines.all[1:].amount',
    ],
    [
      'comprehensions',
      '[i.qty for i in Items.all if i.cat.Name] + list(c.Name for c in Cats.all)',
      '[i.amount for i in Lines.all if i.cat.Title] + list(c.Title for c in Cats.all)',
    ],
    ['loops', 'for i in Items.all:\n  return i.qty', 'for i in Lines.all:\n  return i.amount'],
    [
      'loops over references of the row',
      '[i.qty for i in $cat.items]',
      '[i.amount for i in $cat.items]',
    ],
    [
      'names of the formula',
      'top = $cat.Top\n(first := Items.all[0])\nreturn top.qty + first.qty',
      'top = $cat.Top\n(first := Lines.all[0])\nreturn top.amount + first.amount',
    ],
    [
      'names that follow references',
      'r = rec\nwhile r.parent:\n  r = r.parent\nreturn r.qty',
      'r = rec\nwhile r.parent:\n  r = r.parent\nreturn r.amount',
    ],
    ['names that begin as None', 'r = None\nr = rec\nr.qty', 'r = None\nr = rec\nr.amount'],
    [
      'choices',
      '($parent or rec).qty + (rec if 1 else $parent).qty',
      '($parent or rec).amount + (rec if 1 else $parent).amount',
    ],
    [
      'formatted strings',
      'f"{$qty:>{$qty}} $qty" + t"{rec.qty!r}"',
      'f"{$amount:>{$amount}} $qty" + t"{rec.amount!r}"',
    ],
    ['defaults of parameters', 'lambda r=$qty: r', 'lambda r=$amount: r'],
    [
      'functions of the formula',
      'def f(x):\n  return x + rec.qty\nf(1)',
      'def f(x):\n  return x + rec.amount\nf(1)',
    ],
    ['indented formulas', '  $qty;\\\n $qty', '  $amount;\\\n $amount'],
  ])('reaches %s', (_, before, after) => {
    expect(renamed(before)).toBe(after)
  })

  it.each([
    ['strings and comments', '"$qty" + "Items"  # $qty'],
    ['other columns of the same name', '$cat.qty + $Name'],
    ['parameters', '(lambda r: r.qty)(rec)'],
    ['parameters of functions', 'def f(rec):\n  return rec.qty + $qty\nf(1)'],
    ['loops over attributes of a loop', '[i.qty for c in Cats.all for i in c.items]'],
    ['results of other functions', 'max($cat.items, key=len).qty'],
    ['names that are several things', 'r = rec\nr = $cat\nr.qty'],
    ['names that follow references to another table', 'r = rec\ns = r\nr = s.cat\nr.qty + s.qty'],
    ['names that hide a table', 'Items = []\nfor Items in [1]: pass\nItems'],
    ['names that other statements bind', 'with rec as r: pass\nimport Items\nr.qty'],
    ['names of arguments', 'dict(Items=1, qty=2)'],
    ['strings with escapes', 'Cats.lookupOne(order_by="\\x4eame")'],
    ['what is not Python', '$qty +'],
    ['formulas with too many brackets', `${'('.repeat(300)}$qty${')'.repeat(300)}`],
    ['formulas that are too long', `$qty + "${'x'.repeat(60_000)}"`],
  ])('leaves %s alone', (_, formula) => {
    expect(renamed(formula)).toBe(formula)
  })

  it('exchanges names', () => {
    const columns = new Map([
      ['qty', 'price'],
      ['price', 'qty'],
    ])
    const exchange = { tables: new Map<string, string>(), columns: new Map([['Items', columns]]) }
    const context = { tableId: 'Items', schema: schemaOf(tables) }
    expect(renameInFormula('$qty - $price', context, exchange)).toBe('$price - $qty')
  })

  it('ends soon for names that depend on each other in every order', () => {
    const lines = Array.from(
      { length: 200 },
      (_, i) => `x${i} = x${i + 1} or x${i + 2} or x${i - 1}`,
    )
    const formula = [...lines, 'x199 = rec', 'x0.qty'].join('\n')
    const before = process.cpuUsage()
    renamed(formula)
    expect(process.cpuUsage(before).user).toBeLessThan(5_000_000)
  })
})

/** Expressions over the tables, with comments and space. */
const { formula } = fc.letrec<{
  expression: string
  record: string
  records: string
  formula: string
}>((tie) => {
  const gap = fc.constantFrom('', ' ', '  ')
  const join = (...parts: (string | fc.Arbitrary<string>)[]) =>
    fc
      .tuple(...parts.map((part) => (typeof part === 'string' ? fc.constant(part) : part)))
      .map((all) => all.join(''))
  const column = fc.constantFrom('qty', 'price', 'cat', 'Name', 'Top', 'items', 'amount', 'id')
  const order = fc.constantFrom('"qty"', '"-qty"', '("Name", "-qty")', '"price"', 'None')
  return {
    record: fc.oneof(
      { maxDepth: 3 },
      fc.constantFrom('rec', 'r', '$cat', '$parent', 'qty'),
      join(tie('record'), '.', fc.constantFrom('cat', 'Top', 'parent')),
      join(tie('records'), '[0]'),
      join(
        fc.constantFrom('Items', 'Cats'),
        '.lookupOne(',
        column,
        '=',
        tie('expression'),
        ', order_by=',
        order,
        ')',
      ),
      join('PREVIOUS(', tie('record'), ',', gap, 'order_by=', order, ')'),
    ),
    records: fc.oneof(
      { maxDepth: 3 },
      fc.constantFrom('Items.all', 'Cats.all', 'table.all', '$cat.items'),
      join('Items.lookupRecords(', column, '=', tie('expression'), ')'),
    ),
    expression: fc.oneof(
      { maxDepth: 3 },
      fc.constantFrom('$qty', '"$qty"', '"Items"', '1', 'x'),
      join(tie('record'), '.', column),
      join(tie('records'), '.', column),
      join('[', tie('expression'), gap, ' for r in ', tie('records'), ' if r.qty]'),
      join('(lambda r: ', tie('expression'), ')(rec)'),
      join('f"{', fc.constantFrom('$qty', 'rec.cat.Name'), '} $qty"'),
      join(tie('expression'), gap, fc.constantFrom('+', ' or ', '=='), gap, tie('expression')),
    ),
    formula: join(
      fc.constantFrom('', 'x = rec\n', 'qty = 5  # $qty\n', 'r = $cat.Top\n', 'Items = Cats\n'),
      tie('expression'),
      fc.constantFrom('', '  # Items.qty', '\n', '  '),
    ),
  }
})

const back: Renames = {
  tables: new Map([['Lines', 'Items']]),
  columns: new Map([
    ['Lines', new Map([['amount2', 'qty']])],
    ['Cats', new Map([['Title', 'Name']])],
  ]),
}
/** To names that no generated formula contains. */
const there: Renames = {
  ...renames,
  columns: new Map([...renames.columns, ['Items', new Map([['qty', 'amount2']])]]),
}
const afterwards = schemaOf({
  Lines: { amount2: undefined, price: undefined, cat: record('Cats'), parent: record('Lines') },
  Cats: { Title: undefined, Top: record('Lines'), items: records('Lines') },
})

/** Kinds of the nodes of a formula, in their order. */
function nodesOf(text: string): string[] {
  const names: string[] = []
  parseFormula(text)?.tree.iterate({ enter: ({ name }) => void names.push(name) })
  return names
}

describe('a rename in any formula', () => {
  const go = (text: string) =>
    renameInFormula(text, { tableId: 'Items', schema: schemaOf(tables) }, there)

  it('and back again leaves it as it was', () => {
    fc.assert(
      fc.property(formula, (text) => {
        const after = go(text)
        expect(renameInFormula(after, { tableId: 'Lines', schema: afterwards }, back)).toBe(text)
      }),
    )
  })

  it('changes nothing but names', () => {
    const blank = (text: string) => text.replace(/\b(qty|amount2|Name|Title|Items|Lines)\b/g, '_')
    fc.assert(
      fc.property(formula, (text) => {
        const after = go(text)
        expect(blank(after)).toBe(blank(text))
        expect(nodesOf(after)).toEqual(nodesOf(text))
        expect(after.match(/"Items"|"\$qty"| \$qty"|# .*/g)).toEqual(
          text.match(/"Items"|"\$qty"| \$qty"|# .*/g),
        )
      }),
    )
  })

  it('leaves text that is not Python alone', () => {
    const pieces = fc.constantFrom(
      '$qty',
      'Items',
      '.qty',
      '(',
      ')',
      '"',
      "'",
      'f"{',
      '}',
      '\n',
      ' ',
      ':',
      '#',
      '=',
      'for',
      'in',
      '\\',
    )
    fc.assert(
      fc.property(fc.array(pieces, { maxLength: 12 }), (parts) => {
        const text = parts.join('')
        const after = go(text)
        if (!parseFormula(text)) expect(after).toBe(text)
        else expect(parseFormula(after)).toBeDefined()
      }),
    )
  })
})
