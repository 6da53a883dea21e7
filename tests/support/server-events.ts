/** An event as a client sees it. */
export interface ServerEvent {
  readonly id: string
  readonly event: string
  readonly data: unknown
}

/** A stream of server-sent events. */
export interface ServerEvents {
  readonly response: Response
  /** Grows as they come. */
  readonly events: readonly ServerEvent[]
  /** Settles when the stream has ended. */
  readonly ended: Promise<unknown>
  /** The positions of the changes among them. */
  seqs(): number[]
  close(): void
}

/** Opens a stream of server-sent events. */
export async function openServerEvents(
  url: string,
  key: string | undefined,
  headers: Record<string, string> = {},
): Promise<ServerEvents> {
  const gone = new AbortController()
  const response = await fetch(url, {
    headers: {
      ...(key !== undefined && { authorization: `Bearer ${key}` }),
      accept: 'text/event-stream',
      ...headers,
    },
    signal: gone.signal,
  })
  const events: ServerEvent[] = []
  const read = async () => {
    let text = ''
    for await (const bytes of response.body as unknown as AsyncIterable<Uint8Array>) {
      text += Buffer.from(bytes).toString()
      for (let end = text.indexOf('\n\n'); end >= 0; end = text.indexOf('\n\n')) {
        const lines = new Map(
          text
            .slice(0, end)
            .split('\n')
            .map((line) => [line.slice(0, line.indexOf(':')), line.slice(line.indexOf(':') + 2)]),
        )
        text = text.slice(end + 2)
        if (lines.has('data'))
          events.push({
            id: lines.get('id') ?? '',
            event: lines.get('event') ?? '',
            data: JSON.parse(lines.get('data') ?? ''),
          })
      }
    }
  }
  const ended = response.ok ? read() : response.text()
  ended.catch(() => {})
  return {
    response,
    events,
    ended,
    seqs: () => events.flatMap(({ event, id }) => (event === 'change' ? [Number(id)] : [])),
    close: () => gone.abort(),
  }
}
