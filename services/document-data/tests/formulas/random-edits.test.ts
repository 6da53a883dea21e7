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
import { recomputeDocument } from '../../src/formulas/recompute-document'
import type { DocumentWriter } from '../../src/store/document'
import { removeTables } from '../../src/store/structure/table-removal'
import { computed, openFormulaStore, type FormulaStore } from '../support/formula-store'
import { apply, begin, beginning, edit, type Beginning, type Edit } from '../support/random-edits'
import { author } from '../support/test-store'

/** Edits that are sent together share a transaction. */
const edits = fc.array(
  fc.oneof(
    { weight: 3, arbitrary: edit.map((one) => [one]) },
    { weight: 1, arbitrary: fc.array(edit, { minLength: 2, maxLength: 4 }) },
  ),
  { minLength: 1, maxLength: 7 },
)

const rounds = Number(process.env.SHEAF_SOAK_ROUNDS ?? 0)
const seconds = Number(process.env.SHEAF_SOAK_SECONDS ?? 0)
/** Extent of each test: 15 documents in a usual run, 100 for each round of `make soak`. */
const extent =
  rounds > 0 ? { numRuns: rounds * 100, interruptAfterTimeLimit: seconds * 1000 } : { numRuns: 15 }

describe('results of formulas after any edits', () => {
  let folder: TempDir
  let opened: FormulaStore
  let document: string | undefined
  const options = { ...defaultFormulaLimits, log: createLogger('test') }
  const processes = new Evaluators(options)
  const pool = new EvaluatorPool(1, (handlers) => processes.start(handlers))

  async function open(settings: Partial<FormulaLimits> = {}): Promise<void> {
    folder = await tempDir()
    document = undefined
    opened = await openFormulaStore(folder.path, { evaluators: 1, computeMs: 15_000, ...settings })
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
  async function run(start: Beginning, groups: readonly (readonly Edit[])[]): Promise<void> {
    document ??= await createDocument()
    const docId = document
    document = undefined
    await write(docId, (doc) => {
      removeTables(
        doc,
        doc.schema.tables.map(({ ref }) => ref),
      )
      begin(doc, start)
    })
    await requireEqual(docId)
    for (const group of groups) {
      await Promise.all(group.map((one) => write(docId, (doc) => apply(doc, one))))
      await requireEqual(docId)
    }
    document = docId
  }

  it('are what a computation from nothing gives', async () => {
    await open()
    await fc.assert(fc.asyncProperty(beginning, edits, run), extent)
  })

  it('are so too when most cells are computed after the write', async () => {
    await open({ writeCells: 4 })
    await fc.assert(fc.asyncProperty(beginning, edits, run), extent)
  })
})
