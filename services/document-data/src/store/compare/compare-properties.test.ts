import { tempDir, type TempDir } from '@sheaf/testkit/temp-dir'
import fc from 'fast-check'
import type { Change } from '../../../tests/support/random-changes'
import { randomWrites } from '../../../tests/support/random-writes'
import { openBase, redoRuns, takeBase, type Base } from '../../../tests/support/redo'
import { createTable, openStore, writeOrRefuse } from '../../../tests/support/test-store'
import { modelOf, PlainDocument } from '../../../tests/support/plain-document'
import type { DocumentStore } from '../documents/document-store'
import type { Operation } from '../log/log'
import type { Connection } from '../sqlite/connections'
import { differences } from './compare-parts'
import type { ComparePlan, RowPosition } from './compare-plan'

/** Each sequence is compared in both directions, as a whole and in pages. */
const extent = { ...redoRuns, numRuns: Math.ceil(redoRuns.numRuns / 4) }
const whole = { maxLogBytes: -1 }

/** The operations of a comparison, and whether there are more rows. */
function compare(
  before: Connection,
  after: Connection,
  selection: Partial<Pick<ComparePlan, 'tableRef' | 'position' | 'maxRows'>> = {},
  limits = {},
): { operations: Operation[]; hasMore: boolean } {
  const operations: Operation[] = []
  const all = { tableRef: undefined, position: undefined, maxRows: undefined, ...selection }
  const found = differences({ before, after }, all, limits)
  for (;;) {
    const { done, value } = found.next()
    if (done) return { operations, hasMore: value.hasMore }
    operations.push(...(value ?? []))
  }
}

/** The operations of all pages of a comparison. */
function comparePages(before: Connection, after: Connection, maxRows: number): Operation[] {
  const all: Operation[] = []
  let position: RowPosition | undefined
  for (;;) {
    const page = compare(before, after, { position, maxRows })
    all.push(...page.operations)
    let rows = 0
    for (const operation of page.operations) {
      if (!('rowIds' in operation)) continue
      rows += operation.rowIds.length
      const { tableRef } = operation
      const last = position?.tableRef === tableRef ? position.rowId : -Infinity
      position = { tableRef, rowId: Math.max(last, ...operation.rowIds) }
    }
    expect(rows).toBeLessThanOrEqual(maxRows)
    if (!page.hasMore) return all
    expect(rows).toBe(maxRows)
  }
}

describe('a comparison of two moments of a random sequence of writes', () => {
  let folder: TempDir
  let store: DocumentStore
  beforeAll(async () => {
    folder = await tempDir()
    store = await openStore(folder.path, { maxOpen: 4 })
  })
  afterAll(async () => {
    await store[Symbol.asyncDispose]()
    await folder[Symbol.asyncDispose]()
  })

  const write = (docId: string, change: Change) => writeOrRefuse(store, docId, change)

  /** Checks the comparison in one direction; returns the number of its operations. */
  function check(before: Connection, after: Connection): number {
    const { operations } = compare(before, after)
    const [made, expected] = [modelOf(before), modelOf(after)]
    made.apply(operations)
    expect(made.contents).toEqual(expected.contents)
    const fromWhole = compare(before, after, {}, whole).operations
    expect(operations).toEqual(fromWhole)
    const inPages = new PlainDocument(modelOf(before).tables)
    inPages.apply(comparePages(before, after, 3))
    expect(inPages.contents).toEqual(expected.contents)
    return operations.length
  }

  it(
    'leads from either moment to the other, as a whole, in pages, and when only rows that the log names are compared',
    async () => {
      let found = 0
      const run = async (list: readonly Change[], moment: number) => {
        const docId = await createTable(store, 'People', { Name: 'Text', Friend: 'Ref:People' })
        let kept: Base = takeBase(store, docId)
        for (const [i, change] of list.entries()) {
          if (i === moment % list.length) kept = takeBase(store, docId)
          await write(docId, change)
        }
        const [before, after] = [openBase(kept), openBase(takeBase(store, docId))]
        try {
          found += check(before, after) + check(after, before)
          expect(check(after, after)).toBe(0)
        } finally {
          before.close()
          after.close()
        }
        await store.lifeCycle.remove(docId)
      }
      await fc.assert(fc.asyncProperty(randomWrites(10), fc.nat(), run), extent)
      expect(found).toBeGreaterThan(100)
    },
    extent.timeoutMs,
  )
})
