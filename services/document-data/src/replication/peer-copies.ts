import { setTimeout as delay } from 'node:timers/promises'
import type { SystemTokenSource } from '@sheaf/auth/system-token'
import { ChannelCache } from '@sheaf/kit/grpc/channel-cache'
import type { Logger } from '@sheaf/kit/logger'
import type { TlsFiles } from '@sheaf/kit/tls'
import type { Home, HomesService } from '@sheaf/protos/sheaf/directory/v1/homes'
import {
  BackupServiceClientImpl,
  type BackupService,
  type ReadCopyResponse,
} from '@sheaf/protos/sheaf/document_data/v1/backup'
import { writeSnapshot } from '../store/documents/adopted-file'
import type { CopySource, FoundCopy } from './file-position'

/** An instance that has not reported for this long is not asked. */
const LIVE_MS = 30_000
/** Instances that are asked for one document. */
const MOST_ASKED = 10
/** Milliseconds for the beginning of an answer, and for all of it. */
const BEGIN_MS = 2_000
const COPY_MS = 60_000

/** The files of documents on other live instances. */
export class PeerCopies implements CopySource, AsyncDisposable {
  private readonly channels: ChannelCache<BackupService>

  constructor(
    private readonly parts: {
      /** Name of this instance. */
      readonly instance: string
      readonly homes: Pick<HomesService, 'listHomes'>
      readonly systemTokens: Pick<SystemTokenSource, 'token'>
      readonly tls?: TlsFiles
      readonly log: Logger
    },
  ) {
    const create = (channel: ConstructorParameters<typeof BackupServiceClientImpl>[0]) =>
      new BackupServiceClientImpl(channel)
    this.channels = new ChannelCache<BackupService>(create, { tls: parts.tls })
  }

  async *find(docId: string): AsyncGenerator<FoundCopy> {
    for (const { name, address } of await this.listPeers()) {
      const ended = new AbortController()
      try {
        const token = await this.parts.systemTokens.token()
        const call = { token, deadline: Date.now() + COPY_MS, signal: ended.signal }
        const answers = this.channels.at(address).readCopy({ docId }, call)
        const incoming = answers[Symbol.asyncIterator]()
        const begun = await Promise.race([incoming.next(), silence(ended.signal)])
        const first = begun.done ? undefined : begun.value
        if (first?.lsn === undefined || first.term === undefined) continue
        const { lsn, term } = first
        yield {
          position: { lsn, term },
          save: (path) => writeSnapshot(path, chunksOf(incoming)),
        }
      } catch (error) {
        // Most have no file of the document.
        this.parts.log.debug({ err: error, docId, home: name }, 'an instance has no copy')
      } finally {
        ended.abort()
      }
    }
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.channels[Symbol.asyncDispose]()
  }

  private async listPeers(): Promise<Home[]> {
    const { homes, instance, systemTokens } = this.parts
    const call = { token: await systemTokens.token(), deadline: Date.now() + BEGIN_MS }
    const known = (await homes.listHomes({ withDocuments: false }, call)).homes
    // Compared with each other only: these times come from PostgreSQL's clock.
    const latest = Math.max(...known.map(({ reportedAt }) => Date.parse(reportedAt)))
    return known
      .filter(({ name, reportedAt }) => {
        return name !== instance && latest - Date.parse(reportedAt) < LIVE_MS
      })
      .slice(0, MOST_ASKED)
  }
}

/** Rejects when an instance that does not answer has had its time. */
async function silence(signal: AbortSignal): Promise<never> {
  await delay(BEGIN_MS, undefined, { signal, ref: false }).catch(() => {})
  throw new Error('the instance does not answer')
}

async function* chunksOf(incoming: AsyncIterator<ReadCopyResponse>): AsyncGenerator<Uint8Array> {
  for (let next = await incoming.next(); !next.done; next = await incoming.next())
    yield next.value.chunk
}
