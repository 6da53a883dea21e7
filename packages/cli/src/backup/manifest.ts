import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { CliError } from '../cli-error'

/** File name of the manifest in a backup folder. It is written last: without it, the backup is incomplete. */
export const MANIFEST = 'manifest.json'
/** Names of the files with the tables of PostgreSQL. */
export const tableFiles = { directory: 'directory.ndjson', webhook: 'webhook.ndjson' } as const

/** A file of a backup. */
export interface BackupFile {
  /** Relative to the backup folder. */
  readonly path: string
  readonly size: number
  /** SHA-256 in hexadecimal. */
  readonly sha256: string
}

/** A document of a backup. */
export interface BackupDocument extends BackupFile {
  readonly docId: string
  /** Name of the document-data instance that stores it. */
  readonly home: string
  /** Seq of the last entry of its log. */
  readonly seq: number
}

/** Contents of a backup. */
export interface Manifest {
  /** Version of the backup format. */
  readonly format: 1
  /** Version of the Sheaf that made the backup; absent in those of older releases. */
  readonly version?: string
  /** ISO 8601 times, UTC. */
  readonly startedAt: string
  readonly finishedAt: string
  readonly counts: { readonly documents: number; readonly skipped: number; readonly bytes: number }
  readonly tables: { readonly directory: BackupFile; readonly webhook: BackupFile }
  readonly documents: readonly BackupDocument[]
  /** Documents that were permanently deleted while the backup was made. */
  readonly skipped: readonly string[]
}

/** Reads the manifest of a backup. Throws CliError when it is missing or has an unsupported format. */
export async function readManifest(folder: string): Promise<Manifest> {
  const text = await readFile(join(folder, MANIFEST), 'utf8').catch((error: { code?: string }) => {
    throw new CliError(
      error.code === 'ENOENT'
        ? `${folder} has no backup, or an interrupted one: ${MANIFEST} is missing`
        : `failed to read ${join(folder, MANIFEST)}`,
    )
  })
  let manifest: unknown
  try {
    manifest = JSON.parse(text)
  } catch {
    throw damaged()
  }
  if (!isManifest(manifest)) throw damaged()
  return manifest
}

const damaged = () =>
  new CliError(`${MANIFEST} is damaged or was written by another version of Sheaf`)

const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/

function isManifest(value: unknown): value is Manifest {
  const { format, version, tables, documents, skipped } = (value ?? {}) as Partial<Manifest>
  return (
    format === 1 &&
    (version === undefined || /^[\w.+-]{1,100}$/.test(version)) &&
    isFile(tables?.directory, tableFiles.directory) &&
    isFile(tables?.webhook, tableFiles.webhook) &&
    Array.isArray(documents) &&
    documents.every(isDocument) &&
    Array.isArray(skipped) &&
    skipped.every((docId) => UUID.test(String(docId)))
  )
}

/** Only paths that a backup generates are accepted, so that no file outside of the folder is read. */
function isFile(file: Partial<BackupFile> | undefined, path: string): boolean {
  return (
    file?.path === path &&
    Number.isSafeInteger(file.size) &&
    /^[0-9a-f]{64}$/.test(`${file.sha256}`)
  )
}

function isDocument(document: Partial<BackupDocument> | null): boolean {
  const { docId = '', home, seq } = document ?? {}
  const isNamed = UUID.test(docId) && typeof home === 'string' && Number.isSafeInteger(seq)
  return isNamed && isFile(document ?? undefined, documentPath(docId))
}

/** Path of a document in a backup. */
export const documentPath = (docId: string): string => `documents/${docId}.sqlite`
