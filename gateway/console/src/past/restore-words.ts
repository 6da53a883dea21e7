import type { RestoreScope } from './restore-plan'

/** Texts of the dialog that restores something. */
export interface RestoreWords {
  readonly title: string
  readonly submit: string
  /** A sentence that the moment continues. */
  readonly effect: string
  /** The sentence for afterwards, which the moment continues. */
  readonly restoredTo: string
  readonly explanation: string
}

/** Returns the texts of the dialog that restores something. */
export function restoreWords(scope: RestoreScope): RestoreWords {
  if (scope.kind === 'rows') return wordsForRows(scope.table.id, scope.rowIds)
  const isTable = scope.kind === 'table'
  const subject = isTable ? `Table ${scope.table.id}` : 'The document'
  return {
    title: isTable ? `Restore table ${scope.table.id}?` : 'Restore the document?',
    submit: isTable ? 'Restore table' : 'Restore document',
    effect: `${subject} becomes as it was at`,
    restoredTo: `${subject} was restored to`,
    explanation:
      'Everything changed since is undone by one new change, which can be undone too. Attachments stay as they are.',
  }
}

function wordsForRows(tableId: string, rowIds: readonly number[]): RestoreWords {
  const [first] = rowIds
  const isOne = rowIds.length === 1
  const rows = isOne ? `row ${first}` : `${rowIds.length.toLocaleString()} rows`
  const subject = `${isOne ? `Row ${first}` : rows} of ${tableId}`
  return {
    title: `Restore ${rows} of ${tableId}?`,
    submit: isOne ? 'Restore row' : 'Restore rows',
    effect: `${subject} ${isOne ? 'becomes as it was' : 'become as they were'} at`,
    restoredTo: `${subject} ${isOne ? 'was' : 'were'} restored to`,
    explanation:
      'Their cells are changed back, and deleted rows return with their ids, by one new change, which can be undone too.',
  }
}
