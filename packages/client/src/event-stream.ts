/** One server-sent event. */
export interface ServerEvent {
  readonly name: string
  readonly data: string
}

/**
 * Parses the body of a response with server-sent events, whose lines end with LF or CRLF. An event that the end of the body
 * cuts off is omitted.
 * @param onBytes called when bytes arrive, also those of comments
 */
export async function* readEvents(
  body: ReadableStream<Uint8Array>,
  onBytes: () => void,
): AsyncGenerator<ServerEvent, void, undefined> {
  const reader = body.getReader()
  const decoder = new TextDecoder()
  const parser = new EventParser()
  // Joined at its end only: a change of millions of cells is one line, which arrives in thousands of chunks.
  let line: string[] = []
  try {
    for (;;) {
      const { done, value } = await reader.read()
      if (done) return
      onBytes()
      const [first = '', ...others] = decoder.decode(value, { stream: true }).split('\n')
      line.push(first)
      for (const next of others) {
        const event = parser.read(line.join(''))
        if (event) yield event
        line = [next]
      }
    }
  } finally {
    // Rejects when the connection has broken, which the loop has reported.
    reader.cancel().catch(() => {})
  }
}

/** Collects the lines of an event. */
class EventParser {
  #name = 'message'
  #data: string[] = []

  /** Returns the event that a line ends. */
  read(text: string): ServerEvent | undefined {
    const line = text.endsWith('\r') ? text.slice(0, -1) : text
    if (line === '') return this.#end()
    const [, field, value = ''] = /^([^:]*)(?:: ?(.*))?$/s.exec(line) ?? []
    if (field === 'event') this.#name = value
    else if (field === 'data') this.#data.push(value)
    return undefined
  }

  #end(): ServerEvent | undefined {
    const event = { name: this.#name, data: this.#data.join('\n') }
    const isEmpty = this.#data.length === 0
    this.#name = 'message'
    this.#data = []
    return isEmpty ? undefined : event
  }
}
