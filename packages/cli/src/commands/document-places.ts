import { setTimeout as delay } from 'node:timers/promises'
import type { Command } from 'commander'
import { Pin, type HomeDocument } from '@sheaf/protos/sheaf/directory/v1/homes'
import { CliError } from '../cli-error'
import { openInstances, type Instances } from '../instances/instances'
import type { CliSettings } from '../settings'
import { readOperatorTarget } from '../target'
import type { Terminal } from '../terminal'

/** Attempts at documents that cannot be released, and milliseconds between two: an instance may be starting. */
const ATTEMPTS = 20
const RETRY_MS = 1_000

interface Environment {
  readonly settings: CliSettings
  readonly terminal: Terminal
}

interface ReleaseOptions {
  readonly all?: boolean
  readonly to?: string
}

/** Adds `documents move`, `documents release` and `documents adopt`, for the operator. */
export function addPlacesCommands(documents: Command, { settings, terminal }: Environment): void {
  documents
    .command('move')
    .description('move a replicated document to another instance, while it is used')
    .argument('<document>', 'UUID of the document')
    .argument('<instance>', 'name of the instance')
    .action(async (docId: string, to: string) => {
      await using opened = openInstances(await readOperatorTarget(settings))
      const from = await opened.move(docId, to)
      terminal.out(from === to ? `it is on ${to} already` : `moved from ${from} to ${to}`)
    })

  documents
    .command('release')
    .description(
      'end the replication of a document, while it is used: it is on one disk alone then',
    )
    .argument('[document]', 'UUID of the document')
    .option('--all', 'release all documents of all instances')
    .option('--to <instance>', 'move it to this instance before (default: it stays where it is)')
    .action(async (docId: string | undefined, { all, to }: ReleaseOptions) => {
      if ((docId === undefined) !== (all === true))
        throw new CliError('name one document, or give --all', 2)
      await using opened = openInstances(await readOperatorTarget(settings))
      if (docId === undefined) return releaseAll(opened, to, terminal)
      terminal.out(`it is on the disk of ${await opened.release(docId, to)} alone`)
    })

  documents
    .command('adopt')
    .description('replicate a document again that was released, while it is used')
    .argument('<document>', 'UUID of the document')
    .action(async (docId: string) => {
      await using opened = openInstances(await readOperatorTarget(settings))
      terminal.out(`it is replicated, and on ${await opened.adopt(docId)}`)
    })
}

/** Releases all documents, also those that are created meanwhile. Throws CliError when some remain replicated. */
async function releaseAll(
  instances: Instances,
  to: string | undefined,
  terminal: Terminal,
): Promise<void> {
  const failed = new Map<string, string>()
  let count = 0
  const release = async ({ docId }: HomeDocument) => {
    try {
      await instances.release(docId, to)
      count++
    } catch (error) {
      // One that was deleted meanwhile is not listed again.
      failed.set(docId, (error as Error).message)
    }
  }
  for (let attempts = ATTEMPTS; attempts > 0;) {
    const before = count
    failed.clear()
    const homes = (await instances.list()).filter(({ replicated }) => replicated)
    const passes = homes.map(async ({ name }) => {
      try {
        for await (const document of instances.listDocuments(name))
          if (!isThere(document, to === undefined || to === name)) await release(document)
      } catch (error) {
        failed.set(`the documents of ${name}`, (error as Error).message)
      }
    })
    await Promise.all(passes)
    if (failed.size === 0 && count === before) break
    // Only those in which nothing was released count.
    attempts = count === before ? attempts - 1 : ATTEMPTS
    if (failed.size > 0) await delay(RETRY_MS)
  }
  for (const [docId, fault] of failed) terminal.err(`${docId}: ${fault}`)
  const noun = count === 1 ? 'document was' : 'documents were'
  terminal.out(`${count.toLocaleString('en-US')} ${noun} released`)
  if (failed.size > 0) throw new CliError('not all documents were released: they remain replicated')
}

/** True for a document that need not be released; one that is not published is being made. */
function isThere({ published, pin }: HomeDocument, isPlace: boolean): boolean {
  return !published || (pin === Pin.LOCAL && isPlace)
}
