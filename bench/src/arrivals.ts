import { startReceiver, type WebhookReceiver } from '@sheaf/testkit/webhook-receiver'

/** A row whose deliveries are too late by this is never coming. */
const PATIENCE_MS = 60_000

interface Wanted {
  left: number
  readonly at: number[]
  readonly resolve: (at: number[]) => void
}

/** Takes the deliveries of healthy webhooks and notes when each row came, by its `Name`, which no other row has. */
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

  /** Where webhooks post to; every path below it will do. */
  get url(): string {
    return this.receiver.url
  }

  /** When a row came, from each of so many webhooks (`performance.now()`). Throws when they do not come. */
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
