import type { ImportOptions, ImportTarget } from '@sheaf/client'
import { CliError } from '../cli-error'
import type { ImportField } from './import-upload'

/** The options of `import`, with the names of the REST API. */
export interface ImportArguments extends ImportOptions, Partial<Omit<ImportTarget, 'columns'>> {
  readonly workspace?: number
  readonly name?: string
  /** Document to import into. */
  readonly doc?: string
  readonly columns?: ImportTarget['columns']
  readonly preview?: boolean
}

/** The fields of the form of an import. Throws CliError for options that exclude each other. */
export function importFields(given: ImportArguments): ImportField[] {
  requireConsistent(given)
  const { name, delimiter, header, decimal, encoding, types } = given
  const { table, source, columns, unknownColumns } = given
  const options = JSON.stringify({ delimiter, header, decimal, encoding, types })
  const target = table === undefined ? undefined : { table, source, columns, unknownColumns }
  return [
    ...(name === undefined || given.preview ? [] : [['name', name] as const]),
    ...(options === '{}' ? [] : [['options', options] as const]),
    ...(target && !given.preview ? [['target', JSON.stringify(target)] as const] : []),
  ]
}

function requireConsistent({ doc, workspace, name, table, ...rest }: ImportArguments): void {
  if (doc !== undefined && (workspace ?? name) !== undefined)
    throw new CliError(
      '--workspace and --name apply to a new document and cannot be combined with --doc',
      2,
    )
  if (table !== undefined && doc === undefined)
    throw new CliError('--table needs the document of the table: use --doc', 2)
  const { source, columns, unknownColumns } = rest
  if (table === undefined && (source ?? columns ?? unknownColumns) !== undefined)
    throw new CliError('--source, --columns and --unknown-columns need --table', 2)
}
