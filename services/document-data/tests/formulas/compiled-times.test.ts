import { tempDir } from '@sheaf/testkit/temp-dir'
import fc from 'fast-check'
import { timeZonePeriods } from '../../src/evaluator/time-zone-files'
import { columnsOf } from '../../src/formulas/dependencies/formula-columns'
import { addRecords } from '../../src/store/records/records'
import { removeTables } from '../../src/store/structure/table-removal'
import { addTables } from '../../src/store/structure/tables'
import type { Cell } from '../../src/values/column-type'
import { openFormulaStore, type FormulaStore } from '../support/formula-store'
import { redoRuns } from '../support/redo'
import { author, createTable } from '../support/test-store'

const ZONES = 12
const ROWS = 60
const zones = timeZonePeriods()
const numRuns = Math.ceil(redoRuns.numRuns / 160)

/** A change of the clock of a zone, by its place among all, and a time mostly close to it. */
const time = fc.tuple(
  fc.double({ min: 0, max: 1, noNaN: true }),
  fc.oneof(
    fc.constantFrom(-7_200, -3_600, -1_800, -1, 0, 1, 1_799, 3_599, 7_200),
    fc.integer({ min: -1e9, max: 1e9 }),
  ),
)
const DAY = '(DATE(2024, 3, 2) - DATE(2024, 3, 1))'

/** Formulas of a time, with the types of their columns. */
const formulas = {
  Text: [`"%s %s %s" % ($T, $T + ${DAY}, $T - ${DAY})`, 'Text'],
  Midnight: ['$T.date()', 'DateTime'],
  Next: [`$T + ${DAY}`, 'DateTime'],
  Previous: [`$T - ${DAY}`, 'Any'],
} as const

interface Zone {
  readonly name: string
  readonly cells: readonly Cell[]
}

/** One table for each zone; each formula is there as it is, and in a function, which is not compiled. */
async function fill({ store }: FormulaStore, docId: string, found: readonly Zone[]): Promise<void> {
  await store.transact(docId, author, (doc) => {
    removeTables(
      doc,
      doc.schema.tables.map(({ ref }) => ref),
    )
    found.forEach(({ name, cells }, i) => {
      const column = (id: string, formula: string, type: string) => {
        const full = type === 'DateTime' ? `DateTime:${name}` : type
        return { id, fields: { formula, isFormula: true, type: full } }
      }
      const columns = Object.entries(formulas).flatMap(([id, [formula, type]]) => [
        column(id, formula, type),
        column(`${id}InPython`, `(lambda: ${formula})()`, type),
      ])
      const times = { id: 'T', fields: { type: `DateTime:${name}` } }
      addTables(doc, [{ id: `Zone${i}`, columns: [times, ...columns] }])
      const given = new Map([['T', cells]])
      addRecords(doc, `Zone${i}`, { count: cells.length, cells: given }, { noParse: true })
    })
  })
}

/** Cells that are not those of Python, and how many were compiled. */
function compare(
  { store, formulas: running }: FormulaStore,
  docId: string,
  found: readonly Zone[],
) {
  return store.read(docId, ({ connection, schema }) => {
    const wrong = found.flatMap(({ name }, i) =>
      connection
        .prepare<Record<string, unknown>>(`SELECT * FROM "Zone${i}"`)
        .all()
        .flatMap((row) =>
          Object.keys(formulas).flatMap((id) =>
            Object.is(row[id], row[`${id}InPython`])
              ? []
              : [{ name, time: row.T, found: row[id], expected: row[`${id}InPython`] }],
          ),
        ),
    )
    const compiled = columnsOf(schema).computed.map(
      ({ column }) => running.timingOf(docId, column.ref)?.compiled ?? 0,
    )
    return { wrong, compiled: compiled.reduce((sum, cells) => sum + cells, 0) }
  })
}

it(
  'compiled formulas have the clocks of Python in all zones, also where these change',
  async () => {
    await using folder = await tempDir()
    await using opened = await openFormulaStore(folder.path, { computeMs: 15_000 })
    const docId = await createTable(opened.store, 'D', { D: 'Date' })
    const names = fc.uniqueArray(fc.constantFrom(...zones.keys()), {
      minLength: ZONES,
      maxLength: ZONES,
    })
    const places = fc.array(time, { minLength: ROWS, maxLength: ROWS })
    await fc.assert(
      fc.asyncProperty(names, places, async (found, near) => {
        const all = found.map((name): Zone => {
          const starts = (zones.get(name) ?? []).slice(1).map(({ start }) => start)
          const at = (place: number) => starts[Math.floor(place * starts.length)] ?? 0
          return { name, cells: near.map(([place, seconds]) => at(place) + seconds) }
        })
        await fill(opened, docId, all)
        const { wrong, compiled } = compare(opened, docId, all)
        expect(wrong.slice(0, 3)).toEqual([])
        expect(compiled).toBeGreaterThan(ZONES * ROWS * 3)
      }),
      { ...redoRuns, numRuns, endOnFailure: true },
    )
  },
  redoRuns.timeoutMs,
)
