import { copyFile, mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { quoteId } from '../quoting/quote'
import { DerivedGroup } from '../store/documents/derived-group'
import { readSchema, type Schema } from '../store/schema/schema'
import { openReader, openWriter, type Connection } from '../store/sqlite/connections'
import { newestVersion } from '../store/sqlite/migrations/index'
import { errorNameSql, isErrorSql } from '../values/error-cells'
import { DocumentFormulas } from './document-formulas'
import type { EvaluatorPool } from './exchange/evaluator-pool'
import { columnsOf, type ColumnOfTable } from './dependencies/formula-columns'
import { readRelations, type Relations } from './dependencies/relations'

/** The result of computing the formulas of a document again. */
export interface Recomputation {
  /** Formula columns that were compared, … */
  readonly compared: number
  /** … and those that were not: pending, stopped, or dependent on the time, on chance, on former values (PEEK), or on such a column. */
  readonly leftOut: number
  /** Why nothing was compared, as the end of a sentence; absent when something was. */
  readonly skipped?: string
  /** What differs, in words without values; empty when all results are equal. */
  readonly differences: readonly string[]
}

/** Differences that a comparison reports. */
const MAX_DIFFERENCES = 10
/** No writes wait for the results, so that a formula may take much longer than within a write. */
const LIMITS = { computeMs: 120_000, writeCells: Number.MAX_SAFE_INTEGER, compiles: false }
/** Steps without any progress after which computing is given up; smaller steps are tried in between. */
const MAX_IDLE_STEPS = 12
/** Names of functions whose results are random, or depend on when cells were computed. */
const UNSTEADY = /\b(?:random|secrets|urandom|uuid\w*|UUID|RAND|RANDBETWEEN|PEEK)\b/

/**
 * Computes all formula columns of a document file from nothing, in a temporary copy, and compares the results with the
 * stored ones. Only reads the document, which may be in use. Takes as much disk as two of the document. The evaluator
 * of `docId` in the pool stays there.
 */
export async function recomputeDocument(
  file: string,
  docId: string,
  pool: EvaluatorPool,
): Promise<Recomputation> {
  const scratch = await mkdtemp(join(tmpdir(), 'sheaf-formulas-'))
  try {
    const stored = join(scratch, 'stored.sqlite')
    const made = join(scratch, 'made.sqlite')
    if (!copyDocument(file, stored)) return skip('it has not been opened by this release')
    await copyFile(stored, made)
    const connection = openWriter(made)
    try {
      connection.db.pragma('journal_mode = MEMORY')
      connection.db.pragma('synchronous = OFF')
      connection.db.prepare('ATTACH ? AS stored').run(stored)
      return await new Recomputing(connection, docId, pool).run()
    } finally {
      connection.close()
    }
  } finally {
    await rm(scratch, { recursive: true, force: true })
  }
}

const skip = (skipped: string): Recomputation => ({
  compared: 0,
  leftOut: 0,
  skipped,
  differences: [],
})

/** Copies a document as of one moment; false when its layout is older than this release. */
function copyDocument(file: string, to: string): boolean {
  const from = openReader(file)
  try {
    if (Number(from.db.pragma('user_version', { simple: true })) < newestVersion) return false
    from.db.prepare('VACUUM INTO ?').run(to)
    return true
  } finally {
    from.close()
  }
}

/** The work on a copy, to which the copy with the stored results is attached as `stored`. */
class Recomputing {
  private schema: Schema

  constructor(
    private readonly connection: Connection,
    private readonly docId: string,
    private readonly pool: EvaluatorPool,
  ) {
    this.schema = readSchema(connection)
  }

  async run(): Promise<Recomputation> {
    const before = columnsOf(this.schema).computed
    this.clear(before)
    if (!(await this.compute())) return skip('its formulas could not be computed')
    const { byRef } = columnsOf(this.schema)
    const unsteady = this.findUnsteady(before)
    const compared = before.filter(
      ({ column }) =>
        column.pendingAfter === undefined && !column.stopped && !unsteady.has(column.ref),
    )
    const differences: string[] = []
    for (const { column } of compared) {
      const of = byRef.get(column.ref)
      if (of) differences.push(...this.compare(of, MAX_DIFFERENCES - differences.length))
    }
    return { compared: compared.length, leftOut: before.length - compared.length, differences }
  }

  /** Removes all results, and all that is known of formulas except those that are stopped. */
  private clear(columns: readonly ColumnOfTable[]): void {
    const { db } = this.connection
    for (const { table, column } of columns)
      if (!column.stopped)
        db.exec(`UPDATE ${quoteId(table.tableId)} SET ${quoteId(column.id)} = NULL`)
    // Results are compared with the data as it is.
    db.exec(`
      UPDATE _grist_Tables_column SET recalcWhen = 1 WHERE NOT isFormula;
      DELETE FROM _sheaf_due_cells;
      DELETE FROM _sheaf_lookup_uses;
      DELETE FROM _sheaf_formulas WHERE stopped IS NULL;
      UPDATE _sheaf_formulas SET relations = '{"lookups":[],"reads":[]}', volatile = 0`)
    this.schema = readSchema(this.connection)
  }

  /** Computes until no cell is pending; false when that is impossible. */
  private async compute(): Promise<boolean> {
    const formulas = new DocumentFormulas(this.docId, this.pool, LIMITS)
    // An evaluator that is there already may hold cells of another moment.
    formulas.undone()
    const { signal } = new AbortController()
    let idle = 0
    for (let state = this.pending(); state !== '[]';) {
      await formulas.derive(this.group(), () => signal)
      const next = this.pending()
      idle = next === state ? idle + 1 : 0
      if (idle >= MAX_IDLE_STEPS) return false
      state = next
    }
    return true
  }

  private pending(): string {
    return JSON.stringify(
      columnsOf(this.schema).computed.flatMap(({ column: { ref, pendingAfter, stopped } }) =>
        pendingAfter === undefined || stopped ? [] : [[ref, pendingAfter]],
      ),
    )
  }

  private group(): DerivedGroup {
    return new DerivedGroup({
      docId: this.docId,
      connection: this.connection,
      entries: () => [],
      tasks: new Set(['pending']),
      schema: () => this.schema,
      schemaChanged: () => {
        this.connection.forget()
        this.schema = readSchema(this.connection)
      },
      // The copy has no use for a log.
      beginEntry: () => {},
      extendEntry: () => {},
      noteDue: () => {},
    })
  }

  /** Refs of the columns whose results may differ from one computation to the next. */
  private findUnsteady(before: readonly ColumnOfTable[]): Set<number> {
    const { computed, byRef } = columnsOf(this.schema)
    const wasStopped = new Set(
      before.flatMap(({ column: { ref, stopped } }) => (stopped ? [ref] : [])),
    )
    const unsteady = new Set(
      [...before, ...computed]
        .filter(
          ({ column: { ref, isVolatile, stopped, formula } }) =>
            isVolatile || UNSTEADY.test(formula) || (stopped && !wasStopped.has(ref)),
        )
        .map(({ column }) => column.ref),
    )
    const relations = [...readRelations(this.connection)].filter(([ref]) => byRef.has(ref))
    for (let size = -1; size < unsteady.size;) {
      size = unsteady.size
      for (const [ref, known] of relations)
        if (readColumns(known).some((read) => unsteady.has(read))) unsteady.add(ref)
    }
    return unsteady
  }

  private compare({ table, column }: ColumnOfTable, limit: number): string[] {
    const from = quoteId(table.tableId)
    const cell = quoteId(column.id)
    const [made, stored] = [`m.${cell}`, `s.${cell}`]
    return this.connection
      .pluck<number>(
        `SELECT m.id FROM main.${from} m JOIN stored.${from} s ON s.id = m.id
         WHERE ${resultSql(made)} IS NOT ${resultSql(stored)} OR typeof(${made}) <> typeof(${stored})
         ORDER BY m.id LIMIT ${Math.max(0, limit)}`,
      )
      .all()
      .map((row) => `column "${column.id}" of row ${row} of table "${table.tableId}"`)
  }
}

/** A result for comparison: the message of an error depends on the version of Python, and imported errors have none. */
function resultSql(cell: string): string {
  return `iif(${isErrorSql(cell)},char(1)||${errorNameSql(cell)},${cell})`
}

/** Refs of the columns that a formula reads. */
function readColumns({ lookups, reads }: Relations): number[] {
  return [
    ...lookups.flatMap(({ keys }) => keys),
    ...reads.flatMap(({ path, columnRef }) =>
      columnRef === undefined ? path : [...path, columnRef],
    ),
  ]
}
