import { existsSync, readdirSync, statfsSync } from 'node:fs'
import { join } from 'node:path'
import { DOCUMENT_FILE } from '../sqlite/document-files'
import { replayDocument } from '../redo/replay-document'
import { checkDocument, type CheckOptions } from './check-document'

/** With less free space than this, a busy document may fail to write at any moment. */
const LEAST_FREE_BYTES = 256 * 1024 * 1024

/** How thorough the check of a folder is. */
export interface FolderCheckOptions extends CheckOptions {
  /** Also makes each document again from its base and its log, and compares. */
  readonly replay: boolean
  /** Computes the formulas of a document again from nothing; absent when they are not to be checked. */
  readonly recompute?: (file: string, docId: string) => Promise<FormulaCheck>
}

/** The result of computing the formulas of a document again. */
export interface FormulaCheck {
  /** Number of formula columns that cannot be compared. */
  readonly leftOut: number
  /** Why nothing was compared, as the end of a sentence; absent when something was. */
  readonly skipped?: string
  /** What differs, in words without values. */
  readonly differences: readonly string[]
}

/** A finding of a check. */
export interface Finding {
  /** An error requires action; a note is informational. */
  readonly level: 'error' | 'note'
  /** The affected document; absent for the folder. */
  readonly docId?: string
  /** A sentence. */
  readonly message: string
}

/** One step of a check. */
export interface CheckStep {
  /** Number of documents in the folder, without deleted ones. */
  readonly total: number
  /**
   * Document that was checked; absent in the first step, which is about the folder, and for a document that was
   * deleted meanwhile.
   */
  readonly docId?: string
  readonly findings: readonly Finding[]
}

/**
 * Checks the folder of all documents and every document in it, step by step. Only reads; see checkDocument.
 */
export async function* checkFolder(
  root: string,
  options: FolderCheckOptions,
): AsyncGenerator<CheckStep> {
  if (!existsSync(root)) {
    yield { total: 0, findings: [note(`${root} does not exist: it has never had documents`)] }
    return
  }
  const docIds = listDocuments(root)
  yield { total: docIds.length, findings: describeFolder(root, docIds) }
  for (const docId of docIds) {
    const findings = await checkOne(folderOf(root, docId), docId, options)
    const isThere = !isTombstone(folderOf(root, docId))
    yield { total: docIds.length, ...(isThere && { docId }), findings }
  }
}

function folderOf(root: string, docId: string): string {
  return join(root, docId.slice(0, 2), docId)
}

/** True for what remains of a deleted document. */
function isTombstone(folder: string): boolean {
  return existsSync(join(folder, 'deleted')) && !existsSync(join(folder, DOCUMENT_FILE))
}

async function checkOne(
  folder: string,
  docId: string,
  options: FolderCheckOptions,
): Promise<Finding[]> {
  const file = join(folder, DOCUMENT_FILE)
  const problem = (text: string): Finding => ({
    level: 'error',
    docId,
    message: `document ${docId}: ${text}`,
  })
  try {
    const deleted = existsSync(join(folder, 'deleted'))
    if (!existsSync(file)) return deleted ? [] : [problem('its file is missing')]
    if (deleted) return [problem('it was deleted, but its file is still there')]
    const problems = checkDocument(file, options)
    // A damaged file says nothing about its log.
    if (problems.length > 0) return problems.map(problem)
    const about = (text: string) => ({ ...note(`document ${docId}: ${text}`), docId })
    const findings: Finding[] = []
    if (options.replay) {
      const { skipped, found } = await replay(folder)
      findings.push(...found.map(problem))
      if (skipped !== undefined)
        findings.push(
          note(`document ${docId}: it was not made again from its log, since ${skipped}`),
        )
    }
    if (options.recompute) {
      const { skipped, leftOut, differences } = await options.recompute(file, docId)
      findings.push(
        ...differences.map((text) => problem(`its formula gives another result: ${text}`)),
      )
      if (skipped !== undefined)
        findings.push(about(`its formulas were not checked, since ${skipped}`))
      if (leftOut > 0)
        findings.push(
          about(
            `${leftOut} formula columns were not checked: pending, stopped, or never the same twice`,
          ),
        )
    }
    return findings
  } catch (error) {
    // The service may just have deleted it.
    if (isTombstone(folder)) return []
    return [problem(`check failed: ${(error as Error).message}`)]
  }
}

/** Errors of this machine, such as a full disk or a temporary folder that cannot be written: no fault of a document. */
const ELSEWHERE = /^(?:E[A-Z]+|SQLITE_(?:FULL|IOERR|CANTOPEN|BUSY)\w*)$/

/** Makes a document again; describes what is found as the ends of sentences. Throws errors of this machine. */
async function replay(folder: string): Promise<{ skipped?: string; found: string[] }> {
  try {
    const { skipped, differences } = await replayDocument(folder)
    return { skipped, found: differences.map((text) => `its log does not make it: ${text}`) }
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException
    if (isTombstone(folder) || ELSEWHERE.test(code ?? '')) throw error
    // An error of zlib.
    if (code?.startsWith('Z_')) return { found: [`its base is damaged: ${message}`] }
    return { found: [`its log does not make it: ${message}`] }
  }
}

function listDocuments(root: string): string[] {
  return readdirSync(root)
    .filter((name) => /^[0-9a-f]{2}$/.test(name))
    .sort()
    .flatMap((name) => readdirSync(join(root, name)).sort())
    .filter((docId) => !isTombstone(folderOf(root, docId)))
}

function describeFolder(root: string, docIds: readonly string[]): Finding[] {
  const findings: Finding[] = []
  const { bavail, bsize } = statfsSync(root)
  const megabytes = Math.floor((bavail * bsize) / 1024 / 1024)
  const room = `${megabytes.toLocaleString('en-US')} MiB are free in the document folder`
  findings.push(
    bavail * bsize < LEAST_FREE_BYTES
      ? { level: 'error', message: `only ${room}: writes will soon be rejected` }
      : note(room),
  )
  const unfinished = list(join(root, 'unfinished')).length
  if (unfinished > 0)
    findings.push(
      note(
        `${unfinished} new documents are incomplete: they are being created, or will be removed at the next start`,
      ),
    )
  const known = new Set(docIds)
  const dirty = list(join(root, 'dirty'))
  if (dirty.length > 0)
    findings.push(note(`${dirty.length} documents may have changes that NATS has not confirmed`))
  for (const docId of dirty.filter((marked) => !known.has(marked)))
    findings.push(note(`document ${docId} is marked as changed, but its file is missing`))
  return findings
}

function note(message: string): Finding {
  return { level: 'note', message }
}

function list(folder: string): string[] {
  return existsSync(folder) ? readdirSync(folder) : []
}
