import fc from 'fast-check'
import { columnIdFor, tableIdFor } from './identifiers'

type Make = (wish: string, taken: ReadonlySet<string>) => string

/** Derives ids for several names in one request; each id counts as taken for the next. */
function inTurn(make: Make, wishes: readonly string[], taken: readonly string[] = []): string[] {
  const used = new Set(taken.map((id) => id.toLowerCase()))
  return wishes.map((wish) => {
    const id = make(wish, used)
    used.add(id.toLowerCase())
    return id
  })
}

describe('columnIdFor', () => {
  it.each([
    ['first name', 'first_name'],
    ['2nd', 'c2nd'],
    ['Été', 'Ete'],
    ['été', 'ete'],
    ['ﬁ', 'fi'],
    ['naïve café', 'naive_cafe'],
    ['Straße', 'Stra_e'],
    ['日本語', 'A'],
    ['α', 'A'],
    ['', 'A'],
    ['$', 'A'],
    ['a-b-c', 'a_b_c'],
    ['   lead', 'lead'],
    ['_under', 'under'],
    ['__dunder__', 'dunder__'],
    ['__y__', 'y__'],
    ['x!', 'x_'],
    ['123', 'c123'],
    ['class', 'cclass'],
    ['for', 'cfor'],
    ['None', 'cNone'],
    ['True', 'cTrue'],
    ['lambda', 'clambda'],
    ['print', 'print'],
    ['id', 'id2'],
    ['ID', 'ID2'],
    ['gristHelper_x', 'gristHelper_x'],
    ['group', 'group'],
  ])('makes %j into %j', (wish, id) => {
    expect(columnIdFor(wish, new Set())).toBe(id)
  })

  it('numbers names that are taken, whatever their case', () => {
    expect(inTurn(columnIdFor, ['foo', 'Foo', 'foo2', 'foo2'])).toEqual([
      'foo',
      'Foo2',
      'foo2_2',
      'foo2_3',
    ])
    expect(
      inTurn(
        columnIdFor,
        ['first name', 'FIRST_NAME', 'First_name', 'upper', 'Upper'],
        ['first_name', 'UPPER'],
      ),
    ).toEqual(['first_name2', 'FIRST_NAME3', 'First_name4', 'upper2', 'Upper3'])
    expect(inTurn(columnIdFor, ['id', 'ID', 'manualSort'], ['manualSort'])).toEqual([
      'id2',
      'ID3',
      'manualSort2',
    ])
  })

  it('goes through the letters for names that leave nothing', () => {
    expect(inTurn(columnIdFor, ['', '?', '日本'], ['A', 'c'])).toEqual(['B', 'D', 'E'])
    const many = inTurn(
      columnIdFor,
      Array.from({ length: 300 }, () => ''),
    )
    expect(many.slice(25, 29)).toEqual(['Z', 'AA', 'AB', 'AC'])
    expect(many).not.toContain('ID')
    expect(new Set(many).size).toBe(300)
  })
})

describe('tableIdFor', () => {
  it.each([
    ['foo', 'Foo'],
    ['hello world', 'Hello_world'],
    ['123', 'T123'],
    ['2020', 'T2020'],
    ['Été', 'Ete'],
    ['class', 'Class'],
    ['for', 'For'],
    ['None', 'TNone'],
    ['True', 'TTrue'],
    ['_x', 'X'],
    ['mixedCase', 'MixedCase'],
    ['UPPER CASE', 'UPPER_CASE'],
    ['日本', 'Table1'],
    ['', 'Table1'],
    ['sqlite_master', 'TSqlite_master'],
    ['_grist_Tables', 'Grist_Tables'],
    ['_sheaf_log', 'Sheaf_log'],
  ])('makes %j into %j', (wish, id) => {
    expect(tableIdFor(wish, new Set())).toBe(id)
  })

  it('gives the ids that a whole request gave', () => {
    const wishes = [
      'pets',
      'my pets',
      '2020',
      'Été',
      'class',
      'a-b',
      '日本',
      'UPPER CASE',
      'mixedCase',
      '_x',
      'table1',
      'TABLE1',
      'Pets',
      'pets2',
      ' ',
    ]
    expect(inTurn(tableIdFor, wishes, ['Table1'])).toEqual([
      'Pets',
      'My_pets',
      'T2020',
      'Ete',
      'Class',
      'A_b',
      'Table2',
      'UPPER_CASE',
      'MixedCase',
      'X',
      'Table1_2',
      'TABLE1_3',
      'Pets2',
      'Pets2_2',
      'Table3',
    ])
  })

  it('takes long names, and cuts longer ones', () => {
    expect(tableIdFor('X'.repeat(300), new Set())).toHaveLength(300)
    expect(tableIdFor('é'.repeat(1_000_000), new Set()).length).toBeLessThanOrEqual(500)
  })
})

describe.each<[string, Make]>([
  ['columnIdFor', columnIdFor],
  ['tableIdFor', tableIdFor],
])('%s', (_name, make) => {
  const wish = fc.oneof(
    fc.string({ unit: 'binary' }),
    fc.string({ unit: fc.constantFrom(...'aAbB12_ éß-') }),
    fc.constantFrom('id', 'ID', 'class', 'None', 'Table1', '__proto__', 'constructor'),
  )
  const taken = fc.array(wish).map((ids) => new Set(ids.map((id) => id.toLowerCase())))

  it('gives a free identifier, and gives a free identifier back as it is', () => {
    fc.assert(
      fc.property(wish, taken, (text, used) => {
        const id = make(text, used)
        expect(id).toMatch(/^[a-zA-Z][a-zA-Z0-9_]*$/)
        expect(used.has(id.toLowerCase())).toBe(false)
        expect(make(id, used)).toBe(id)
      }),
      { numRuns: 2000 },
    )
  })
})
