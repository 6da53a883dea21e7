import { parseFormula } from './formula-tree'
import { findUnknownNames } from './unknown-names'

const columns: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  People: { Name: '', Team: 'Teams', n: '' },
  Teams: { Title: '' },
}

/** Each unknown name as `kind table.name@offset`. */
function unknown(formula: string): string[] | undefined {
  const parsed = parseFormula(formula)
  if (!parsed) throw new Error('the formula cannot be parsed')
  const found = findUnknownNames(
    parsed,
    {
      tableId: 'People',
      schema: {
        hasTable: (tableId) => tableId in columns,
        columnType: (tableId, colId) => {
          const target = columns[tableId]?.[colId]
          return target ? { kind: 'record', tableId: target } : undefined
        },
      },
    },
    {
      hasColumn: (tableId, colId) => Object.hasOwn(columns[tableId] ?? {}, colId),
      hasName: (name) =>
        ['SUM', 'IF', 'len', 'ValueError', 'max', 'People', 'Teams', 'rec', 'table'].includes(name),
    },
  )
  return found?.map(
    ({ from, to, kind, tableId = '' }) => `${kind} ${tableId}.${formula.slice(from, to)}@${from}`,
  )
}

describe('unknown names', () => {
  it.each([
    ['$Nam', ['column People.Nam@1']],
    ["'äö' + rec.Nam", ['column People.Nam@11']],
    ['1\nSUMM($n, $Nam)', ['name .SUMM@2', 'column People.Nam@12']],
    ['$Team.Titel', ['column Teams.Titel@6']],
    [
      "Teams.lookupRecords(Titel=$n, order_by=('-Titl', 'id')).Tit",
      ['column Teams.Titel@20', 'column Teams.Titl@42', 'column Teams.Tit@56'],
    ],
    ['Teams.lookup()', ['method .lookup@6']],
    ['table.al', ['method .al@6']],
    ['[t.Titel for t in Teams.all]', ['column Teams.Titel@3']],
    ['Tems.all', ['name .Tems@0']],
    ['f"{$Nam} {SUMM(1)}"', ['column People.Nam@4', 'name .SUMM@10']],
  ])('are found in %j', (formula, wanted) => {
    expect(unknown(formula)).toEqual(wanted)
  })

  it.each([
    'rec.id + len($Team)',
    'x = 5\nx',
    'def f(a, *b, **c):\n  return a + len(b) + len(c)\nf($n)',
    'import json\njson.dumps($n)',
    '[y for y in (1, 2)]',
    'lambda rec: rec.foo',
    'try:\n  return 1\nexcept ValueError as e:\n  return e',
    '(z := $n) + z',
    'table.all',
    'SUM(Teams.all.Title)',
    'max(Teams.all).foo',
    'Teams.lookupOne(id=1).Title',
    'Teams.lookupRecords(Title="x").find.lt(1)',
    'rec.__class__',
    'match $n:\n  case {"a": q}:\n    return q\n  case [*more]:\n    return more',
  ])('are not those that may exist: %j', (formula) => {
    expect(unknown(formula)).toEqual([])
  })
})
