import { Pin, type HomeDocument } from '@sheaf/protos/sheaf/directory/v1/homes'
import type { Finding } from './check-documents'

/** Documents of an instance that directory knows, by their UUIDs. */
export type KnownDocuments = ReadonlyMap<string, HomeDocument>

/**
 * Compares what directory knows with the files of the instance.
 * @param isReplicated true when documents that are not pinned need not have a file on this disk
 */
export function compareFiles(
  known: KnownDocuments,
  files: ReadonlySet<string>,
  isReplicated: boolean,
): Finding[] {
  const findings: Finding[] = []
  for (const [docId, { published, pin }] of known) {
    const needsFile = !isReplicated || pin !== Pin.UNSPECIFIED
    if (published && needsFile && !files.has(docId))
      findings.push({
        level: 'error',
        docId,
        message: `document ${docId}: it is visible to users but has no file`,
      })
    if (!published && files.has(docId))
      findings.push({
        level: 'note',
        docId,
        message: `document ${docId}: it is not visible to users, because its creation was interrupted`,
      })
  }
  return findings
}
