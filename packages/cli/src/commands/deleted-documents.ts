import { InvalidArgumentError, type Command } from 'commander'
import type { DeletedDocument } from '@sheaf/protos/sheaf/directory/v1/documents'
import type { Moment } from '@sheaf/protos/sheaf/document_data/v1/options'
import { openDeletedDocuments } from '../instances/deleted-documents'
import type { CliSettings } from '../settings'
import { readOperatorTarget } from '../target'
import { formatTable, type Terminal } from '../terminal'

interface Environment {
  readonly settings: CliSettings
  readonly terminal: Terminal
}

interface UndeleteOptions {
  workspace: number
  asOf?: Moment
  name?: string
}

/** Adds `documents deleted` and `documents undelete`, for the operator. */
export function addDeletedDocumentsCommands(documents: Command, environment: Environment): void {
  const { settings, terminal } = environment
  documents
    .command('deleted')
    .description('list the documents that were deleted for good and can be restored, latest first')
    .option('--json', 'print each as a line of JSON')
    .action(async ({ json }: { json?: boolean }) => {
      await using opened = openDeletedDocuments(await readOperatorTarget(settings))
      const found: DeletedDocument[] = []
      for await (const document of opened.list())
        if (json) terminal.out(JSON.stringify(document))
        else found.push(document)
      if (!json) terminal.out(formatDeleted(found))
    })

  documents
    .command('undelete')
    .description('make a new document of one that was deleted for good')
    .argument('<document>', 'UUID of the deleted document')
    .requiredOption('--workspace <id>', 'id of the workspace of the new document', readId)
    .option(
      '--as-of <moment>',
      'seq of a change, or a time by RFC 3339 (default: its end)',
      readMoment,
    )
    .option('--name <name>', 'name of the new document (default: the former one)')
    .addHelpText(
      'after',
      `
Examples:
  ${settings.invocation} documents undelete ID --workspace 12
  ${settings.invocation} documents undelete ID --workspace 12 --as-of 2026-03-01T09:30:00Z`,
    )
    .action(async (docId: string, { workspace: workspaceId, asOf, name = '' }: UndeleteOptions) => {
      await using opened = openDeletedDocuments(await readOperatorTarget(settings))
      const undeletion = { docId: docId.toLowerCase(), workspaceId, asOf, name }
      terminal.out(await opened.undelete(undeletion))
    })
}

function readId(text: string): number {
  if (/^[1-9]\d{0,9}$/.test(text)) return Number(text)
  throw new InvalidArgumentError('It must be a positive integer.')
}

const TIME = /^\d{4}-\d\d-\d\dT\d\d:\d\d(:\d\d(\.\d+)?)?(Z|[+-]\d\d:\d\d)$/

function readMoment(text: string): Moment {
  if (/^[1-9]\d{0,14}$/.test(text)) return { moment: { $case: 'seq', value: Number(text) } }
  const time = TIME.test(text) ? Date.parse(text) : NaN
  if (!Number.isNaN(time)) return { moment: { $case: 'time', value: time } }
  throw new InvalidArgumentError('It must be the seq of a change, or a time by RFC 3339.')
}

function formatDeleted(found: readonly DeletedDocument[]): string {
  const rows = found.map((document) => [
    document.docId,
    document.name,
    String(document.orgId),
    `${document.workspaceId} ${document.workspaceName}`.trim(),
    document.deletedAt,
    document.deletedByEmail,
    document.keptUntil,
  ])
  return formatTable(['DOCUMENT', 'NAME', 'SITE', 'WORKSPACE', 'DELETED', 'BY', 'KEPT UNTIL'], rows)
}
