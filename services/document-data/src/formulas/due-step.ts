import type { DerivedGroup } from '../store/documents/derived-group'
import { Derivation } from './derivation'
import { DueCells } from './due-cells'
import { nextDue, type DueStep } from './next-due'

/** What a step of due cells has done. */
export interface DueOutcome {
  /** The derivation that computed them; the dependencies are those of after it. */
  readonly derivation: Derivation
  /** True when none of the cells remains due. */
  readonly isDone: boolean
}

/** Computes a step of due cells, and what depends on them, after a derivation. Undefined when none can be computed. */
export async function computeDue(
  group: DerivedGroup,
  after: Derivation,
): Promise<DueOutcome | undefined> {
  const { parts } = after
  const size = (ref: number) => Math.min(parts.sizes.of(ref), parts.limits.writeCells)
  const step = nextDue(group.connection, group.schema, size)
  if (!step) return undefined
  const write = new DueCells(group.connection).readWrite(step.seq)
  const derivation = new Derivation(group, after.newDependencies, { ...parts, write })
  return { derivation, isDone: await runStep(derivation, step) }
}

async function runStep(derivation: Derivation, { columns }: DueStep): Promise<boolean> {
  const { sizes } = derivation.parts
  if (!(await derivation.hasEvaluator())) return false
  for (const { of, rowIds } of columns) derivation.addFired(of, rowIds)
  await derivation.run()
  if (derivation.parts.signal.aborted) return false
  const done = columns.filter(({ of }) => derivation.late.isComputed(of.column.ref))
  if (done.length > 0) derivation.late.due.finishStep(done)
  derivation.refreshSchema()
  for (const column of columns) {
    const { ref } = column.of.column
    if (done.includes(column)) sizes.took(ref, column.rowIds.length, derivation.computedMs)
    else sizes.exceeded(ref)
  }
  return done.length === columns.length
}
