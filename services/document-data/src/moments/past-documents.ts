import { createHash } from 'node:crypto'
import { rm, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { AppError } from '@sheaf/kit/errors'
import { FairShare, toBusyError } from '@sheaf/kit/fair-share'
import type { Moment } from '@sheaf/protos/sheaf/document_data/v1/options'
import type { DocumentStore } from '../store/documents/document-store'
import { callEnded } from '../store/reads/record-chunks'
import { DOCUMENT_FILE } from '../store/sqlite/document-files'
import { findMoment } from './find-moment'

/** Files that are being made at most; a quarter of them for one user, or of one document. */
const MAX_MAKING = 32
const RETRY_MS = '1000'
/** Milliseconds without use after which a file is removed. */
const IDLE_MS = 10 * 60 * 1000
const SWEEP_MS = 60 * 1000

/** A document at one moment, until it is disposed of. */
export interface OpenMoment extends Disposable {
  /** The store to read it from, … */
  readonly documents: DocumentStore
  /** … and its id there. */
  readonly docId: string
  readonly seq: number
}

/** Where and how many files of former moments are kept. */
export interface PastDocumentsOptions {
  /** Folder of the files; removed with all that is in it at the start and at the end. */
  readonly folder: string
  /** Bytes of all files that are not in use, about. */
  readonly maxBytes: number
  /** Opens a store on the folder. */
  readonly openStore: () => Promise<DocumentStore>
  /** Milliseconds without use after which a file is removed; 10 minutes by default. */
  readonly idleMs?: number
}

/** Who asks for a moment. */
export interface MomentReader {
  readonly userId: number
  readonly signal: AbortSignal
}

/** A document of the past, in a file that is complete or being made. */
interface PastFile {
  /** Id in the store of the past. */
  readonly id: string
  readonly docId: string
  readonly epoch: string
  readonly seq: number
  /** Fails when the file could not be made. */
  readonly ready: Promise<void>
  isReady: boolean
  bytes: number
  users: number
  usedAt: number
}

/**
 * Documents as they were at former moments, each in a file that is made from the present one when it is asked for, and kept
 * for a while, within a budget. They can only be read.
 */
export class PastDocuments implements AsyncDisposable {
  private readonly files = new Map<string, PastFile>()
  /** Files that are being removed: one of the same moment is made only afterwards. */
  private readonly discarding = new Map<string, Promise<void>>()
  private readonly making = new FairShare(MAX_MAKING)
  private readonly sweep: NodeJS.Timeout
  private opening: Promise<DocumentStore> | undefined
  private isClosed = false

  /** Removes the files that a former process has left. */
  static async open(
    documents: DocumentStore,
    options: PastDocumentsOptions,
  ): Promise<PastDocuments> {
    await rm(options.folder, { recursive: true, force: true })
    return new PastDocuments(documents, options)
  }

  private constructor(
    private readonly documents: DocumentStore,
    private readonly options: PastDocumentsOptions,
  ) {
    const idleMs = options.idleMs ?? IDLE_MS
    this.sweep = setInterval(
      () => this.trim(Date.now() - idleMs),
      Math.min(SWEEP_MS, idleMs),
    ).unref()
  }

  /** Bytes of all files. */
  get bytes(): number {
    let sum = 0
    for (const { bytes } of this.files.values()) sum += bytes
    return sum
  }

  /**
   * Opens a document as it was at a moment; the latest one is the present document. Rejects with `not_found` for the
   * document, `invalid` for a moment that is not in its log, `too_many` or `unavailable` when too many others are being
   * made, `timeout` once the signal is aborted: the file is made nevertheless.
   */
  async open(docId: string, moment: Moment, reader: MomentReader): Promise<OpenMoment> {
    const { documents } = this
    const { epoch, seq: latest } = documents.stateOf(docId)
    const seq = documents.read<number>(docId, (doc) => findMoment(doc, moment))
    if (seq === latest) return { documents, docId, seq, [Symbol.dispose]: () => {} }
    const id = pastId(docId, epoch, seq)
    const file = this.files.get(id) ?? this.make({ id, docId, epoch, seq }, reader)
    file.users++
    const leave = () => {
      file.users--
      file.usedAt = Date.now()
      this.trim()
    }
    try {
      await untilAborted(file.ready, reader.signal)
      const store = await this.openStore()
      return { documents: store, docId: id, seq, [Symbol.dispose]: leave }
    } catch (error) {
      leave()
      throw error
    }
  }

  /**
   * The position in the log of a former moment that no file shows yet; undefined for the latest moment, and for one that
   * has a file. Throws as `open`.
   */
  findWithoutFile(docId: string, moment: Moment): number | undefined {
    const { epoch, seq: latest } = this.documents.stateOf(docId)
    const seq = this.documents.read<number>(docId, (doc) => findMoment(doc, moment))
    const isReady = this.files.get(pastId(docId, epoch, seq))?.isReady ?? false
    return seq === latest || isReady ? undefined : seq
  }

  /** Removes the files of a document that was deleted; those in use go once nobody has used them for a while. */
  forget(docId: string): void {
    for (const file of this.resting()) if (file.docId === docId) this.discard(file.id)
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.isClosed = true
    clearInterval(this.sweep)
    await Promise.allSettled([...this.files.values()].map(({ ready }) => ready))
    const store = await this.opening?.catch(() => undefined)
    await store?.[Symbol.asyncDispose]()
    await rm(this.options.folder, { recursive: true, force: true })
  }

  /** The store of the files; one that could not be opened is opened anew by the next read. */
  private openStore(): Promise<DocumentStore> {
    if (!this.opening) {
      this.opening = this.options.openStore()
      this.opening.catch(() => (this.opening = undefined))
    }
    return this.opening
  }

  private make(
    of: Pick<PastFile, 'id' | 'docId' | 'epoch' | 'seq'>,
    { userId }: MomentReader,
  ): PastFile {
    if (this.isClosed) throw new AppError('unavailable', 'DOCUMENT_CLOSED', 'the service stops')
    const holder = { user: userId, document: of.docId }
    const full = this.making.check(holder, 1)
    if (full) throw toBusyError(full, { what: 'moments of documents', retryAfterMs: RETRY_MS })
    this.making.take(holder, 1)
    const source = this.nearest(of)
    if (source) source.users++
    const ready = this.makeFile(of, source).finally(() => {
      this.making.give(holder, 1)
      if (source) source.users--
    })
    const made = { ...of, ready, isReady: false, bytes: 0, users: 0, usedAt: Date.now() }
    this.files.set(of.id, made)
    ready.then(
      () => (made.isReady = true),
      () => this.files.delete(of.id),
    )
    return made
  }

  /** The file of the next later moment of a document: there is less to undo than from the present. */
  private nearest({ docId, epoch, seq }: Pick<PastFile, 'docId' | 'epoch' | 'seq'>) {
    return [...this.files.values()]
      .filter((file) => file.isReady && file.docId === docId && file.epoch === epoch)
      .filter((file) => file.seq > seq && file.usedAt > 0)
      .sort((a, b) => a.seq - b.seq)[0]
  }

  private async makeFile(
    { id, docId, seq }: Pick<PastFile, 'id' | 'docId' | 'seq'>,
    source: PastFile | undefined,
  ): Promise<void> {
    const store = await this.openStore()
    const scratch = await store.files.createScratch()
    try {
      await this.discarding.get(id)
      const path = join(scratch, DOCUMENT_FILE)
      const [from, fromId] = source ? [store, source.id] : [this.documents, docId]
      await from.readOutside(fromId, async (later) => {
        requireRoom((await stat(later)).size, await store.lifeCycle.freeBytes())
        await store.snapshots.duplicate(later, path)
      })
      await store.snapshots.takeBack(path, seq)
      await store.files.replace(id, path)
      const file = this.files.get(id)
      if (file) file.bytes = (await stat(store.files.pathOf(id))).size
    } catch (error) {
      await store.files.discard(id)
      throw error
    } finally {
      await rm(scratch, { recursive: true, force: true })
    }
  }

  /** Removes files that are not in use: those used last before a time, and the oldest ones beyond the budget. */
  private trim(before = 0): void {
    let { bytes } = this
    for (const file of this.resting()) {
      if (file.usedAt > before && bytes <= this.options.maxBytes) return
      bytes -= file.bytes
      this.discard(file.id)
    }
  }

  /** The files that are not in use, those used longest ago first. */
  private resting(): PastFile[] {
    return [...this.files.values()]
      .filter(({ isReady, users }) => isReady && users === 0)
      .sort((a, b) => a.usedAt - b.usedAt)
  }

  /** Removes a file. One that cannot be removed stays until the next start. */
  private discard(id: string): void {
    this.files.delete(id)
    const discarding = this.openStore()
      .then((store) => store.lifeCycle.discard(id))
      .catch(() => {})
      .finally(() => this.discarding.delete(id))
    this.discarding.set(id, discarding)
  }
}

/**
 * The id of a document at a moment in the store of the past. It follows from what it names, so that a cursor of a page
 * stays valid when the file is made again.
 */
export function pastId(docId: string, epoch: string, seq: number): string {
  const hash = createHash('sha256').update(`${docId} ${epoch} ${seq}`).digest('hex')
  return hash.replace(/^(.{8})(.{4})(.{4})(.{4})(.{12}).*$/, '$1-$2-$3-$4-$5')
}

/** Throws `unavailable` unless the disk has room for a file of this size and as much again, for what is undone in it. */
function requireRoom(size: number, free: number): void {
  if (2 * size > free)
    throw new AppError('unavailable', 'DISK_FULL', 'the disk has no room for a file of that moment')
}

function untilAborted(ready: Promise<void>, signal: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    const abort = () => reject(callEnded())
    if (signal.aborted) return abort()
    signal.addEventListener('abort', abort, { once: true })
    ready.then(resolve, reject).finally(() => signal.removeEventListener('abort', abort))
  })
}
