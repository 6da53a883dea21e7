import { createIdempotencyKey } from '@sheaf/client'

const NAME = 'sheaf-unsaved'
/** How long a page may take to be reloaded. In milliseconds. */
const RELOAD_MS = 3_000

interface Message {
  readonly kind: 'opened' | 'here' | 'forget'
  readonly userId: number
  readonly page: string
}

/** What a page does when others are opened and closed, or forget the user. */
export interface PageListener {
  /** Another page of the same user has been opened. */
  readonly onOpened: () => void
  /** Another page of the same user was closed. It counts as closed for one page at a time, until the promise is resolved. */
  readonly onClosed: (page: string) => Promise<void>
  /** The user has signed out in another page, or another user has signed in. */
  readonly onForget: () => void
}

/** The pages of the console in this browser. Each holds a lock of its own for as long as it is open, however it ends. */
export class OpenPages {
  /** The name of this page. */
  readonly page = createIdempotencyKey()
  private readonly channel = new BroadcastChannel(NAME)
  private readonly followed = new Set<string>()

  constructor(
    private readonly userId: number,
    private readonly listener: PageListener,
  ) {}

  /** Resolves once other pages know this one. Rejects where the browser has no locks, which is so without HTTPS. */
  async open(): Promise<void> {
    await new Promise<void>((resolve, reject) => {
      const untilClosed = () => {
        resolve()
        return new Promise(() => {})
      }
      navigator.locks.request(lockOf(this.page), untilClosed).catch(reject)
    })
    this.channel.onmessage = ({ data }: MessageEvent<Message>) => this.receive(data)
    this.send('opened')
  }

  /**
   * Calls the listener when a page is closed; soon, if it already is. A hidden page leaves it to others for a while: the closed page
   * may have been reloaded, and is to go on itself.
   */
  follow(page: string, isPatient = true): void {
    if (page === this.page || this.followed.has(page)) return
    this.followed.add(page)
    const later = () => void setTimeout(() => this.follow(page, false), RELOAD_MS)
    const isLater = () => isPatient && document.hidden
    navigator.locks
      .request(lockOf(page), () => (isLater() ? later() : this.listener.onClosed(page)))
      .catch(() => {})
      .finally(() => this.followed.delete(page))
  }

  /** Makes the other pages of the user forget what they have. */
  forget(): void {
    this.send('forget')
  }

  private send(kind: Message['kind']): void {
    const message: Message = { kind, userId: this.userId, page: this.page }
    this.channel.postMessage(message)
  }

  private receive({ kind, userId, page }: Message): void {
    if (userId !== this.userId) {
      if (kind === 'opened') this.listener.onForget()
      return
    }
    if (kind === 'forget') return this.listener.onForget()
    this.follow(page)
    if (kind === 'here') return
    this.send('here')
    this.listener.onOpened()
  }
}

const lockOf = (page: string): string => `${NAME}/${page}`
