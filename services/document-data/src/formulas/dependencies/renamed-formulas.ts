import type { Operation, SchemaOperation } from '../../store/log/log'

/** Formulas that contain one of these may have names of columns in their results. */
const SEES_NAMES = /\*\*|__|=\s*[!:}]|\b(RECORD|getattr|hasattr|dir|vars|eval|exec)\b/

/**
 * Refs of the columns whose formulas only follow the renames of columns among these operations: wherever such a formula had
 * an old name it has the new one, so that its results stay as they are.
 */
export function findRenamedOnly(operations: readonly Operation[]): ReadonlySet<number> {
  const names = new Set<string>()
  const formulas: SchemaOperation[] = []
  for (const operation of operations) {
    if (operation.kind !== 'update_column') continue
    const colId = textIn(operation.new, 'colId')
    if (colId !== undefined) names.add(operation.column).add(colId)
    if (textIn(operation.new, 'formula') !== undefined) formulas.push(operation)
  }
  const found = new Set<number>()
  const others = new Set<number>()
  for (const { columnRef, follows, old, new: after } of formulas) {
    const [before = '', now = ''] = [textIn(old, 'formula'), textIn(after, 'formula')]
    const isSame = follows === true && !SEES_NAMES.test(now) && differsInNames(before, now, names)
    if (isSame) found.add(columnRef)
    else others.add(columnRef)
  }
  for (const ref of others) found.delete(ref)
  return found
}

/** True when all words that differ are names, and no other word is one. */
function differsInNames(before: string, now: string, names: ReadonlySet<string>): boolean {
  const [words, others] = [wordsOf(before), wordsOf(now)]
  return (
    words.length === others.length &&
    words.every((word, index) => {
      const other = others[index] ?? ''
      return word === other ? !names.has(word) : names.has(word) && names.has(other)
    })
  )
}

function wordsOf(formula: string): readonly string[] {
  return formula.match(/\w+/g) ?? []
}

function textIn(metadata: object | undefined, field: string): string | undefined {
  const value = (metadata as Record<string, unknown> | undefined)?.[field]
  return typeof value === 'string' ? value : undefined
}
