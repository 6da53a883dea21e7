import { setTimeout as delay } from 'node:timers/promises'
import type { WatchPresenceResponse } from '@sheaf/protos/sheaf/document_data/v1/presence'
import type { DocumentSession } from '../routing/document-session'
import { presenceJson } from './presence-json'

/** Until presence is asked for again when it was refused: too many watch, the home has moved, or is of an older release. */
const RETRY_MS = 2_000

/**
 * Makes a session present in a document, and has the latest list of the sessions that are, until disposed of. Errors leave the list
 * as it was: access is the concern of the stream of changes beside it.
 */
export class PresenceFeed implements Disposable {
  private readonly ended = new AbortController()
  /** What was taken last. */
  private sent = ''
  private latest = ''

  /** @param onList called when there is a list to be taken */
  constructor(
    private readonly document: DocumentSession,
    private readonly sessionId: string,
    private readonly onList: () => void,
  ) {
    void this.follow()
  }

  /** Returns the latest list as JSON; undefined if it was taken already. */
  take(): string | undefined {
    if (this.latest === this.sent) return undefined
    this.sent = this.latest
    return this.latest
  }

  /** The session is no longer present. */
  [Symbol.dispose](): void {
    this.ended.abort()
  }

  private async follow(): Promise<void> {
    const { signal } = this.ended
    while (!signal.aborted) {
      await this.watch(signal).catch(() => {})
      await delay(RETRY_MS, undefined, { signal }).catch(() => {})
    }
  }

  private async watch(signal: AbortSignal): Promise<void> {
    const { document, sessionId } = this
    const request = { docId: document.docId, sessionId }
    const { lists, first } = await document.read(async (home, call) => {
      const open = home.presence.watchPresence(request, { ...call, signal })
      const lists = open[Symbol.asyncIterator]()
      return { lists, first: await lists.next() }
    })
    try {
      for (let next = first; !next.done; next = await lists.next()) this.receive(next.value)
    } finally {
      await lists.return?.()
    }
  }

  private receive({ unchanged: isUnchanged, sessions }: WatchPresenceResponse): void {
    if (isUnchanged || this.ended.signal.aborted) return
    this.latest = presenceJson(sessions)
    if (this.latest !== this.sent) this.onList()
  }
}
