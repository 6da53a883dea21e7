import { startReceiver, type WebhookReceiver } from '@sheaf/testkit/webhook-receiver'

/** A row without its deliveries by this time counts as lost. */
const PATIENCE_MS = 60_000

interface Wanted {
  left: number
  readonly at: number[]
  readonly resolve: (at: number[]) => void
}

/** Receives the deliveries of healthy webhooks and records when each row arrived, by its unique `Name`. */
export class Arrivals implements AsyncDisposable {
  private readonly wanted = new Map<string, Wanted>()

  private constructor(private readonly receiver: WebhookReceiver) {
    receiver.answer = ({ body, at }) => {
      for (const { Name } of JSON.parse(body) as { Name: string }[]) this.note(Name, at)
      return {}
    }
  }

  /** Starts to listen on a free port. */
  static async open(): Promise<Arrivals> {
    return new Arrivals(await startReceiver())
  }

  /** Target of the webhooks; every path below it is accepted. */
  get url(): string {
    return this.receiver.url
  }

  /**
   * Returns when a row arrived from each of this many webhooks (`performance.now()`). Throws when they do not
   * arrive.
   */
  async of(name: string, webhooks: number): Promise<number[]> {
    let timer: NodeJS.Timeout | undefined
    const late = new Promise<never>((_, reject) => {
      const why = () => new Error(`${name} did not come from all of its ${webhooks} webhooks`)
      timer = setTimeout(() => reject(why()), PATIENCE_MS)
    })
    const all = new Promise<number[]>((resolve) =>
      this.wanted.set(name, { left: webhooks, at: [], resolve }),
    )
    try {
      return await Promise.race([all, late])
    } finally {
      clearTimeout(timer)
      this.wanted.delete(name)
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.receiver[Symbol.asyncDispose]()
  }

  private note(name: string, at: number): void {
    const wanted = this.wanted.get(name)
    if (!wanted) return
    wanted.at.push(at)
    if (--wanted.left === 0) wanted.resolve(wanted.at)
  }
}
