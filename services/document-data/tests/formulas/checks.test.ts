import { createHash } from 'node:crypto'
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { tempDir } from '@sheaf/testkit/temp-dir'
import type { CheckedFormula } from '../../src/formulas/checks/checked-formula'
import type { FormulaCheckRequest } from '../../src/formulas/checks/check-plan'
import { Formulas } from '../../src/formulas/formulas'
import { defaultFormulaLimits } from '../../src/config'
import { addColumns as addStructure } from '../../src/store/structure/columns'
import { updateColumns } from '../../src/store/structure/column-updates'
import { computed, openFormulaStore, readRows, type FormulaStore } from '../support/formula-store'
import { addColumns, author, createTable, openStore } from '../support/test-store'

const ENDLESS = 'while True: pass\nreturn 1'

function check(
  { store, formulas }: Pick<FormulaStore, 'store' | 'formulas'>,
  request: Pick<FormulaCheckRequest, 'docId' | 'formula'> & Partial<FormulaCheckRequest>,
  { userId = 1, signal = new AbortController().signal, user = { Name: 'Ada' } } = {},
): Promise<CheckedFormula> {
  const whole = { tableId: 'T', columnId: '', type: '', isTrigger: false, rowIds: [], ...request }
  return formulas.checks.check(whole, { userId, signal, user }, (run) =>
    store.readWhile(request.docId, { userId, signal }, run),
  )
}

const valuesOf = ({ cells }: CheckedFormula) =>
  cells.map(({ json }) => JSON.parse(json.toString()) as unknown)

const errorsOf = ({ cells }: CheckedFormula) =>
  cells.map(({ error }) => error && [error.name, error.line])

async function addFormula(
  { store }: Pick<FormulaStore, 'store'>,
  docId: string,
  [id, formula, type = 'Any']: readonly [id: string, formula: string, type?: string],
): Promise<void> {
  await store.transact(docId, author, (doc) => {
    addStructure(doc, 'T', [{ id, fields: { formula, isFormula: true, type } }])
  })
}

async function newDocument(opened: FormulaStore): Promise<string> {
  const docId = await createTable(opened.store, 'T', { A: 'Int', B: 'Text' })
  await addColumns(opened.store, docId, 'T', new Map([['A', [1, 0, 3]]]))
  return docId
}

describe('a check of a formula', () => {
  it('returns what a column with this formula then holds', async () => {
    await using folder = await tempDir()
    await using opened = await openFormulaStore(folder.path)
    const docId = await newDocument(opened)
    const formulas = [
      ['10 / $A', 'Numeric'],
      ['$A', 'Text'],
      ['DATE(2024, 1, $A + 1)', 'Date'],
      ['DATE(2024, 1, $A + 1)', 'Any'],
      ['T.lookupOne(A=$A)', 'Ref:T'],
      ['T.lookupRecords(A=$A)', 'RefList:T'],
      ['[$A, "x", None]', 'ChoiceList'],
      ['$A > 0', 'Bool'],
      ['$Missing', 'Any'],
      ['1 +', 'Any'],
      ['# nothing', 'Any'],
    ] as const
    for (const [index, [formula, type]] of formulas.entries()) {
      const checked = await check(opened, { docId, formula, type })
      const id = `F${index}`
      await addFormula(opened, docId, [id, formula, type])
      const rows = await readRows(opened.store, docId, 'T')
      expect([formula, valuesOf(checked)]).toEqual([formula, rows.map(({ fields }) => fields[id])])
      expect([formula, checked.cells.map(({ error }) => error?.name)]).toEqual([
        formula,
        rows.map(({ errors }) => errors?.[id]),
      ])
    }
  })

  it('of what is compiled needs no evaluator, also for a column of another type and one that reads lookups', async () => {
    await using folder = await tempDir()
    await using opened = await openFormulaStore(folder.path)
    const docId = await newDocument(opened)
    await addFormula(opened, docId, ['F', '$A + 1', 'Int'])
    expect(valuesOf(await check(opened, { docId, formula: '$F / 2' }))).toEqual([1, 0.5, 2])
    const found = 'SUM(T.lookupRecords(A=$A).F)'
    const checked = await check(opened, { docId, columnId: 'B', type: 'Text', formula: found })
    expect(valuesOf(checked)).toEqual(['2', '1', '4'])
    expect(checked).toMatchObject({ syntaxErrors: [], unknownNames: [] })
    expect(opened.formulas.checks.pool.figures.started).toBe(0)
    // What reads the column would have other cells, and errors have a line.
    expect(valuesOf(await check(opened, { docId, columnId: 'A', formula: '$F' }))).toEqual([
      null,
      null,
      null,
    ])
    expect(errorsOf(await check(opened, { docId, formula: '\n1 / $A' }))[1]).toEqual([
      'ZeroDivisionError',
      2,
    ])
    expect(opened.formulas.checks.pool.figures.started).toBe(1)
  })

  it('stores nothing', async () => {
    await using folder = await tempDir()
    await using opened = await openFormulaStore(folder.path)
    const docId = await newDocument(opened)
    await addFormula(opened, docId, ['F', '$A + 1'])
    const digests = () =>
      readdirSync(folder.path, { recursive: true, withFileTypes: true })
        .filter((entry) => entry.isFile() && !entry.name.endsWith('-shm'))
        .map(({ parentPath, name }) => join(parentPath, name))
        .sort()
        .map((path) => [path, createHash('sha256').update(readFileSync(path)).digest('hex')])
    const before = { files: digests(), ...opened.store.stateOf(docId) }
    expect(before.files.length).toBeGreaterThan(0)
    const formula = 'len(T.lookupRecords(F=$F)) + PEEK($A) + NOW().year'
    for (const columnId of ['', 'F', 'B'])
      expect((await check(opened, { docId, columnId, formula })).cells).toHaveLength(3)
    expect({ files: digests(), ...opened.store.stateOf(docId) }).toEqual(before)
  })

  it('has circles that the change would make, and leaves no trace in later checks', async () => {
    await using folder = await tempDir()
    await using opened = await openFormulaStore(folder.path)
    const docId = await newDocument(opened)
    await addFormula(opened, docId, ['F', '$A + 1'])
    await addFormula(opened, docId, ['G', '$F * 2'])
    const circle = await check(opened, { docId, columnId: 'F', formula: '$G + 1' })
    expect(errorsOf(circle)).toEqual(Array(3).fill(['CircularRefError', 1]))
    expect(valuesOf(await check(opened, { docId, formula: '$G + $F' }))).toEqual([6, 3, 12])
    const changed = await check(opened, { docId, columnId: 'F', formula: '$A + 100' })
    expect(valuesOf(changed)).toEqual([101, 100, 103])
    const counted = await check(opened, { docId, columnId: 'B', formula: 'SUM(T.all.G)' })
    expect(valuesOf(counted)).toEqual(['14', '14', '14'])
  })

  it('sees the writes before it, and computes cells that are pending', async () => {
    await using folder = await tempDir()
    await using opened = await openFormulaStore(folder.path, { writeCells: 2 })
    const { store } = opened
    const docId = await newDocument(opened)
    expect(valuesOf(await check(opened, { docId, formula: 'SUM(T.all.A)' }))).toEqual([4, 4, 4])
    await addColumns(store, docId, 'T', new Map([['A', [10]]]))
    const sum = await check(opened, { docId, formula: 'SUM(T.all.A)', rowIds: [4] })
    expect(valuesOf(sum)).toEqual([14])
    await addFormula(opened, docId, ['F', '$A * 2'])
    expect(valuesOf(await check(opened, { docId, formula: '$F + 1' }))).toEqual([3, 1, 7, 21])
    await computed(store, docId)
  })

  it('names what is unknown, and what was probably meant', async () => {
    await using folder = await tempDir()
    await using opened = await openFormulaStore(folder.path)
    const docId = await createTable(opened.store, 'Orders', {
      Price: 'Numeric',
      Self: 'Ref:Orders',
    })
    const formula = 'SUUM($Prise)\nOrders.lookupRecord(Price=1)\nOrdrs.all\n$Self.Pric'
    const { unknownNames, syntaxErrors } = await check(opened, {
      docId,
      tableId: 'Orders',
      formula,
    })
    const found = unknownNames.map(({ name, line, column, suggestion }) => [
      name,
      line,
      column,
      suggestion,
    ])
    expect(found).toEqual([
      ['SUUM', 1, 1, 'SUM'],
      ['Prise', 1, 7, 'Price'],
      ['lookupRecord', 2, 8, 'lookupRecords'],
      ['Ordrs', 3, 1, 'Orders'],
      ['Pric', 4, 7, 'Price'],
    ])
    expect(syntaxErrors).toEqual([])
  })

  it('runs a trigger formula with the value of the cell and the user, and nothing that depends on it', async () => {
    await using folder = await tempDir()
    await using opened = await openFormulaStore(folder.path)
    const docId = await newDocument(opened)
    await addFormula(opened, docId, ['F', '$A * 2'])
    const trigger = { docId, columnId: 'A', isTrigger: true }
    const checked = await check(opened, { ...trigger, formula: '(value or 0) + 10' })
    expect(valuesOf(checked)).toEqual([11, 10, 13])
    const named = await check(opened, { docId, isTrigger: true, formula: '[value, user.Name]' })
    expect(valuesOf(named)).toEqual(Array(3).fill(['L', null, 'Ada']))
    expect(named.unknownNames).toEqual([])
    const formula = await check(opened, { docId, formula: 'value', rowIds: [1] })
    expect(formula.unknownNames.map(({ name }) => name)).toEqual(['value'])
    expect(valuesOf(await check(opened, { docId, formula: '$F' }))).toEqual([2, 0, 6])
  })

  it('has the line and the message of an error', async () => {
    await using folder = await tempDir()
    await using opened = await openFormulaStore(folder.path)
    const docId = await newDocument(opened)
    const checked = await check(opened, { docId, formula: 'x = $A\n1 / x', rowIds: [2] })
    expect(checked.cells.map(({ rowId, error }) => [rowId, error])).toEqual([
      [2, { name: 'ZeroDivisionError', message: 'division by zero', line: 2 }],
    ])
    const broken = await check(opened, { docId, formula: 'x = $A\n1 / (x', rowIds: [2] })
    expect(broken.syntaxErrors).toEqual([{ line: 2, column: 5, message: "'(' was never closed" }])
    expect(errorsOf(broken)).toEqual([['SyntaxError', 2]])
  })

  it.each([
    [{ formula: '' }, 'BAD_FIELD', 'formula must not be empty'],
    [{ formula: 'x'.repeat(65_537) }, 'BAD_FIELD', 'formula must not be longer'],
    [{ tableId: 'Y' }, 'TABLE_NOT_FOUND', 'Y'],
    [{ columnId: 'Y' }, 'COLUMN_NOT_FOUND', 'Y'],
    [{ type: 'Number' }, 'UNKNOWN_COLUMN_TYPE', 'Number'],
    [{ type: 'Ref:Y' }, 'UNKNOWN_COLUMN_TYPE', 'Ref:Y'],
    [{ rowIds: [1, 9] }, 'INVALID_ROW_ID', '9'],
    [{ rowIds: Array.from({ length: 21 }, (_, i) => i + 1) }, 'BAD_FIELD', 'rowIds'],
  ])('refuses %j', async (request, reason, message) => {
    await using folder = await tempDir()
    await using opened = await openFormulaStore(folder.path)
    const docId = await newDocument(opened)
    const refused = check(opened, { docId, formula: '1', ...request })
    await expect(refused).rejects.toMatchObject({
      reason,
      message: expect.stringContaining(message) as unknown,
    })
  })
})

describe('a check of a formula that does not end', () => {
  it('ends at its limit, while writes and checks of other documents go on', async () => {
    await using folder = await tempDir()
    await using opened = await openFormulaStore(folder.path, { computeMs: 16_000 })
    const docId = await newDocument(opened)
    const other = await newDocument(opened)
    await addFormula(opened, docId, ['F', '$A + 1'])
    await check(opened, { docId: other, formula: '1' })
    const order: string[] = []
    const endless = check(opened, { docId, formula: ENDLESS }).then((found) => {
      order.push('endless')
      return found
    })
    await addColumns(opened.store, docId, 'T', new Map([['A', [5]]])).then(() =>
      order.push('write'),
    )
    // The processes are shared by user as well.
    await check(opened, { docId: other, formula: '1' }, { userId: 2 }).then(() =>
      order.push('other check'),
    )
    expect(await endless).toMatchObject({ cells: [], stopped: 'time' })
    expect(order).toEqual(['write', 'other check', 'endless'])
    expect((await readRows(opened.store, docId, 'T')).at(-1)?.fields).toMatchObject({ F: 6 })
    expect(valuesOf(await check(opened, { docId, formula: '$F' }))).toEqual([2, 1, 4, 6])
  })

  it('ends soon after its caller has gone', async () => {
    await using folder = await tempDir()
    await using opened = await openFormulaStore(folder.path, { computeMs: 60_000 })
    const docId = await newDocument(opened)
    await check(opened, { docId, formula: '1' })
    const call = new AbortController()
    const endless = check(opened, { docId, formula: ENDLESS }, { signal: call.signal })
    const next = check(opened, { docId, formula: '2' })
    call.abort()
    await expect(endless).rejects.toMatchObject({ reason: 'CALL_ENDED' })
    expect(valuesOf(await next)).toEqual([2, 2, 2])
  })

  it('stops when it needs too much memory, or ends its process', async () => {
    await using folder = await tempDir()
    await using opened = await openFormulaStore(folder.path, { computeMs: 20_000 })
    const docId = await newDocument(opened)
    for (const formula of [
      'x = []\nwhile True: x.append("a" * 1_000_000)\nreturn 1',
      'import os\nos._exit(1)',
    ])
      expect(await check(opened, { docId, formula })).toMatchObject({
        cells: [],
        stopped: 'memory',
      })
  })
})

describe('checks of formulas', () => {
  it('leave room for other documents when one has many', async () => {
    await using folder = await tempDir()
    await using opened = await openFormulaStore(folder.path)
    const docId = await newDocument(opened)
    const other = await newDocument(opened)
    const many = Array.from({ length: 8 }, (_, i) =>
      check(opened, { docId, formula: `${i}` }, { userId: i }),
    )
    const fair = check(opened, { docId: other, formula: '1' }, { userId: 9 })
    const settled = await Promise.allSettled(many)
    const refused = settled.filter(({ status }) => status === 'rejected')
    expect(refused).toHaveLength(4)
    for (const { reason } of refused as PromiseRejectedResult[])
      expect(reason).toMatchObject({ reason: 'DOCUMENT_BUSY', metadata: { retryAfterMs: '1000' } })
    expect(valuesOf(await fair)).toEqual([1, 1, 1])
    expect(opened.formulas.pool.figures.started).toBe(0)
  })

  it('are unavailable where formulas cannot be computed', async () => {
    await using folder = await tempDir()
    await using formulas = new Formulas({
      ...defaultFormulaLimits,
      start: ({ onExit }) => {
        setImmediate(() => onExit({ cause: 'start', code: null, signal: null, stderr: '' }))
        return { send: () => {}, setWorking: () => {}, kill: () => {}, residentBytes: () => 0 }
      },
    })
    await using store = await openStore(folder.path)
    const docId = await createTable(store, 'T', { A: 'Int' })
    await expect(
      check({ store, formulas }, { docId, formula: 'import math\n1' }),
    ).rejects.toMatchObject({
      code: 'unavailable',
      reason: 'FORMULAS_UNAVAILABLE',
    })
  })

  it('agree with a change of the type of a column', async () => {
    await using folder = await tempDir()
    await using opened = await openFormulaStore(folder.path)
    const docId = await newDocument(opened)
    await addFormula(opened, docId, ['F', '$A / 2', 'Numeric'])
    const checked = await check(opened, { docId, columnId: 'F', type: 'Text', formula: '$A * 1.5' })
    await opened.store.transact(docId, author, (doc) =>
      updateColumns(doc, 'T', [{ id: 'F', change: { formula: '$A * 1.5', type: 'Text' } }]),
    )
    const rows = await readRows(opened.store, docId, 'T')
    expect(valuesOf(checked)).toEqual(rows.map(({ fields }) => fields.F))
  })
})
