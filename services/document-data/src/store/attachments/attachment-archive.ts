import { Readable } from 'node:stream'
import { waitForDrain } from '@sheaf/kit/wait-for-drain'
import { pack } from 'tar-stream'
import { ZipFile } from 'yazl'
import { archiveName } from '../../file-names'
import type { DocumentAccess } from '../document-access'
import { allAttachments } from './attachment-health'
import type { Attachment } from './attachments'
import { readContent } from './content-reads'
import type { StoredContent } from './file-contents'

/** Length of a SHA-1 in hexadecimal. */
const SHA1_LENGTH = 40

interface Entry {
  readonly name: string
  readonly time: Date
  readonly content: StoredContent
}

/** An archive in progress: accepts entries one by one while it is read. */
interface Archive {
  readonly output: AsyncIterable<Uint8Array>
  /** Resolves when the entry has been read. */
  add(entry: Entry, bytes: Readable): Promise<void>
  end(): void
  /** Ends the archive at once; its reader gets the error. */
  fail(error: Error): void
}

/** Kinds of archives. */
export type ArchiveKind = 'zip' | 'tar'

/**
 * All files of a document in an archive, piece by piece as they are taken. Files with the same name and bytes
 * are in it once; attachments whose bytes are missing are not. Throws `unavailable` when a file is removed
 * while it is read.
 */
export async function* readArchive(
  access: DocumentAccess,
  docId: string,
  kind: ArchiveKind,
): AsyncGenerator<Uint8Array> {
  const archive = kind === 'zip' ? createZip() : createTar()
  const filled = fill(archive, access, docId).catch((error: Error) => archive.fail(error))
  try {
    yield* archive.output
  } finally {
    archive.fail(new Error('the archive is not being read'))
    await filled
  }
}

async function fill(archive: Archive, access: DocumentAccess, docId: string): Promise<void> {
  for await (const entry of listEntries(allAttachments(access, docId))) {
    const bytes = Readable.from(readContent(access, docId, entry.content), { objectMode: false })
    try {
      await archive.add(entry, bytes)
    } finally {
      bytes.destroy()
    }
  }
  archive.end()
}

async function* listEntries(attachments: AsyncIterable<Attachment>): AsyncGenerator<Entry> {
  const names = new Set<string>()
  for await (const { fileIdent, fileName, timeUploaded, content } of attachments) {
    const name = archiveName(fileIdent.slice(0, SHA1_LENGTH), fileName)
    if (!content || names.has(name)) continue
    names.add(name)
    yield { name, time: new Date(timeUploaded), content }
  }
}

function createZip(): Archive {
  const zip = new ZipFile()
  const output = zip.outputStream as Readable
  let failed: Error | undefined
  // Fails the entry that is being read.
  let failEntry: (error: Error) => void = () => {}
  const fail = (error: Error) => {
    failed ??= error
    output.destroy(error)
  }
  zip.on('error', fail)
  output.once('close', () => failEntry((failed ??= new Error('the archive is closed'))))
  return {
    output,
    async add({ name, time }, bytes) {
      if (failed) throw failed
      const read = new Promise<void>((resolve, reject) => {
        bytes.once('end', resolve).once('error', reject)
        failEntry = reject
      })
      zip.addReadStream(bytes, name, { mtime: time })
      await read
    },
    end: () => zip.end(),
    fail,
  }
}

function createTar(): Archive {
  const tar = pack()
  return {
    output: tar as AsyncIterable<Uint8Array>,
    async add({ name, time, content: { size } }, bytes) {
      const entry = tar.entry({ name, size, mtime: time })
      // The reader of the archive gets the error.
      entry.on('error', () => {})
      for await (const chunk of bytes) {
        if (tar.destroyed) throw new Error('the archive is closed')
        if (!entry.write(chunk)) await waitForDrain(entry)
      }
      entry.end(null)
    },
    end: () => tar.finalize(),
    fail: (error) => tar.destroy(error),
  }
}
