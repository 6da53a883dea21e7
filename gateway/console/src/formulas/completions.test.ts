import { suggest, type FormulaNames } from './completions'

const columns: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  Orders: { Product: 'Ref:Products', Tags: 'ChoiceList', Count: 'Int' },
  Products: { Price: 'Numeric', Maker: 'RefList:Makers' },
  Makers: { Name: 'Text' },
}

const names: FormulaNames = {
  tableId: 'Orders',
  tables: Object.keys(columns),
  functions: [
    { name: 'SUM', signature: 'SUM(value1, *more_values)', description: 'returns the sum' },
    { name: 'SUMSQ', signature: 'SUMSQ(value1)', description: 'returns the sum of squares' },
  ],
  columnsOf: (tableId) =>
    Promise.resolve(
      Object.entries(columns[tableId] ?? {}).map(([id, type]) => ({
        id,
        label: id === 'Price' ? 'Unit price' : id,
        type,
      })),
    ),
}

async function labels(before: string, isExplicit = false): Promise<string[] | undefined> {
  return (await suggest(before, names, isExplicit))?.options.map(({ label }) => label)
}

describe('suggestions', () => {
  it.each([
    ['$', ['Product', 'Tags', 'Count']],
    ['1 + $Co', ['Product', 'Tags', 'Count']],
    ['rec.', ['Product', 'Tags', 'Count']],
    ['$Product.', ['Price', 'Maker']],
    ['$Product.Maker.Na', ['Name']],
    ['rec.Product.', ['Price', 'Maker']],
    ['Products.', ['all', 'lookupRecords', 'lookupOne']],
    ['table.lo', ['all', 'lookupRecords', 'lookupOne']],
    ['Products.lookupOne(', ['Price', 'Maker', 'order_by']],
    ['Products.lookupRecords(Price=$Count, ', ['Price', 'Maker', 'order_by']],
    ['Products.lookupRecords(Price=$', ['Product', 'Tags', 'Count']],
  ])('are names that fit after %j', async (before, wanted) => {
    expect(await labels(before)).toEqual(wanted)
  })

  it.each(['$Tags.', 'other.', '"$', "'it\\'s $", '# SU', 'x = 5', '1 + ', 'math.fl', '$Missing.'])(
    'are none after %j',
    async (before) => {
      expect(await labels(before)).toBeUndefined()
    },
  )

  it('are functions, tables and the record elsewhere', async () => {
    const all = ['SUM', 'SUMSQ', 'Orders', 'Products', 'Makers', 'rec', 'table']
    expect(await labels('IF(SU')).toEqual(all)
    expect(await labels('"text" + P')).toEqual(all)
    expect(await labels('', true)).toEqual(all)
    expect(await labels('Products.lookupOne(Pr')).toEqual(['Price', 'Maker', 'order_by', ...all])
  })

  it('have the arguments of a function, the type and the label of a column, and what is inserted', async () => {
    const { from, options } = (await suggest('1 + SU', names, false)) ?? { from: 0, options: [] }
    expect(from).toBe(4)
    expect(options[0]).toEqual({
      label: 'SUM',
      insert: 'SUM(',
      kind: 'function',
      detail: '(value1, *more_values)',
      info: 'returns the sum',
    })
    const keys = await suggest('Products.lookupOne(', names, false)
    expect(keys?.options[0]).toEqual({
      label: 'Price',
      insert: 'Price=',
      kind: 'column',
      detail: 'Numeric',
      info: 'Unit price',
    })
  })
})
