import { randomUUID } from 'node:crypto'
import { join } from 'node:path'
import { AppError } from '@sheaf/kit/errors'
import { createLogger } from '@sheaf/kit/logger'
import { tempDir, type TempDir } from '@sheaf/testkit/temp-dir'
import fc from 'fast-check'
import { defaultFormulaLimits } from '../../src/config'
import { Evaluators } from '../../src/evaluator/evaluators'
import { EvaluatorPool } from '../../src/formulas/exchange/evaluator-pool'
import type { FormulaLimits } from '../../src/formulas/formula-limits'
import { keepFormulaResults } from '../../src/import/grist/kept-results'
import { recomputeDocument } from '../../src/formulas/recompute-document'
import type { DocumentWriter } from '../../src/store/document'
import { removeTables } from '../../src/store/structure/table-removal'
import { computed, openFormulaStore, type FormulaStore } from '../support/formula-store'
import { apply, begin, beginning, edit, type Beginning, type Edit } from '../support/random-edits'
import { AppendedRecords, differencesAfterRedo, redoRuns, takeBase } from '../support/redo'
import { author } from '../support/test-store'

/** Edits that are sent together share a transaction. */
const edits = fc.array(
  fc.oneof(
    { weight: 3, arbitrary: edit.map((one) => [one]) },
    { weight: 1, arbitrary: fc.array(edit, { minLength: 2, maxLength: 4 }) },
  ),
  { minLength: 1, maxLength: 7 },
)

/** Starting documents takes most of the time of a run. */
const numRuns = Math.ceil((redoRuns.numRuns * 3) / 100)

describe('formulas after any edits', () => {
  let folder: TempDir
  let opened: FormulaStore
  let document: string | undefined
  let limits: Partial<FormulaLimits>
  const extent = { ...redoRuns, numRuns }
  const options = { ...defaultFormulaLimits, log: createLogger('test') }
  const records = new AppendedRecords()
  const processes = new Evaluators(options)
  const pool = new EvaluatorPool(1, (handlers) => processes.start(handlers))

  async function open(settings: Partial<FormulaLimits> = {}): Promise<void> {
    folder = await tempDir()
    document = undefined
    limits = { evaluators: 1, computeMs: 15_000, ...settings }
    opened = await openFormulaStore(folder.path, limits, records)
  }
  afterEach(async () => {
    await opened[Symbol.asyncDispose]()
    await folder[Symbol.asyncDispose]()
  })
  afterAll(() => pool[Symbol.dispose]())

  async function createDocument(): Promise<string> {
    const docId = randomUUID()
    await opened.store.lifeCycle.create(docId, { timezone: 'UTC', locale: 'en-US' }, author)
    return docId
  }

  /** Writes; a change that is refused is none. */
  async function write(docId: string, change: (doc: DocumentWriter) => void): Promise<void> {
    await opened.store.transact(docId, author, change).catch((error: unknown) => {
      if (!(error instanceof AppError)) throw error
    })
  }

  async function requireEqual(docId: string): Promise<void> {
    await computed(opened.store, docId)
    const file = join(folder.path, docId.slice(0, 2), docId, 'document.sqlite')
    const { differences, leftOut } = await recomputeDocument(file, docId, pool)
    expect(differences).toEqual([])
    // What PEEK reads does not make its cell dirty, so that the cell may have a former value.
    const peeks = opened.store.read(docId, ({ schema }) =>
      schema.tables.some(({ columns }) => columns.some(({ formula }) => formula.includes('PEEK'))),
    )
    if (!peeks) expect(leftOut).toBe(0)
  }

  /**
   * All runs use one document, whose tables are replaced, as starting evaluators takes most of the time; a failure
   * leaves it behind with them.
   */
  async function run(
    start: Beginning,
    groups: readonly (readonly Edit[])[],
    prepare?: (docId: string) => Promise<void>,
  ): Promise<void> {
    document ??= await createDocument()
    const docId = document
    document = undefined
    const base = takeBase(opened.store, docId)
    const count = records.of(docId).length
    await write(docId, (doc) => {
      removeTables(
        doc,
        doc.schema.tables.map(({ ref }) => ref),
      )
      begin(doc, start)
    })
    await requireEqual(docId)
    await prepare?.(docId)
    for (const group of groups) {
      await Promise.all(group.map((one) => write(docId, (doc) => apply(doc, one))))
      await requireEqual(docId)
    }
    // An import is a base of its own.
    const differences = prepare
      ? []
      : [
          ...differencesAfterRedo(opened.store, docId, base),
          ...records.differencesAfterRedo(opened.store, docId, base, count),
        ]
    expect(differences).toEqual([])
    document = docId
  }

  it(
    'have the results that a computation from nothing gives, and redo makes the same document',
    async () => {
      await open()
      await fc.assert(
        fc.asyncProperty(beginning, edits, (start, groups) => run(start, groups)),
        extent,
      )
    },
    redoRuns.timeoutMs,
  )

  it(
    'do so too when most cells are computed after the write',
    async () => {
      await open({ writeCells: 4 })
      await fc.assert(
        fc.asyncProperty(beginning, edits, (start, groups) => run(start, groups)),
        extent,
      )
    },
    redoRuns.timeoutMs,
  )

  /** What is known of formulas becomes what an import assumes. */
  async function assume(docId: string): Promise<void> {
    await write(docId, (doc) => keepFormulaResults(doc, new Set()))
    // An open document knows what it has learned.
    await opened[Symbol.asyncDispose]()
    opened = await openFormulaStore(folder.path, limits, records)
  }

  it(
    'have these results too when they were imported, so that what they depend on follows from their text',
    async () => {
      await open()
      await fc.assert(
        fc.asyncProperty(beginning, edits, (start, groups) => run(start, groups, assume)),
        extent,
      )
    },
    redoRuns.timeoutMs,
  )
})
