/** The address of Sheaf and the key of the agent. */
interface Endpoint {
  readonly url: string
  readonly key: string
}

/** Longer than the server takes for any response. */
const TIMEOUT_MS = 120_000

/** Messages on their way at the same time; further ones wait. */
const MAX_CONCURRENT = 8

const PARSE_ERROR = -32_700
const INTERNAL_ERROR = -32_603
const VERSION = 'io.modelcontextprotocol/protocolVersion'

/** What the relay has to know of a message. */
interface Message {
  readonly id?: string | number | null
  readonly method?: unknown
  readonly params?: {
    readonly name?: unknown
    readonly uri?: unknown
    readonly _meta?: Readonly<Record<string, unknown>>
  }
}

/**
 * Sends messages of the Model Context Protocol, one in each line, to Sheaf, and passes its answers to `write`, one in each
 * line. Failures are answered as errors, since nobody reads what a program for agents starts. Resolves when the input has
 * ended and all messages are answered.
 */
export async function relayMessages(
  lines: AsyncIterable<string>,
  write: (line: string) => void,
  endpoint: Endpoint,
): Promise<void> {
  const pending = new Set<Promise<void>>()
  for await (const line of lines) {
    if (line.trim() === '') continue
    const message = parse(line)
    if (!message) {
      write(errorLine(null, PARSE_ERROR, 'the line is not a JSON object'))
      continue
    }
    const sent: Promise<void> = relay(message, line, endpoint).then((answer) => {
      pending.delete(sent)
      if (answer !== undefined) write(answer)
    })
    pending.add(sent)
    if (pending.size >= MAX_CONCURRENT) await Promise.race(pending)
  }
  await Promise.all(pending)
}

function parse(line: string): Message | undefined {
  try {
    const value: unknown = JSON.parse(line)
    const isObject = typeof value === 'object' && value !== null && !Array.isArray(value)
    return isObject ? value : undefined
  } catch {
    return undefined
  }
}

/**
 * Returns the answer to a message; undefined for a notification. Never throws. JSON-RPC answers some messages with a body of
 * its own beside an HTTP error, which the client of the REST API would not return.
 */
async function relay(
  message: Message,
  body: string,
  { url, key }: Endpoint,
): Promise<string | undefined> {
  const { id } = message
  try {
    const response = await fetch(`${url}/mcp`, {
      method: 'POST',
      headers: {
        ...protocolHeaders(message),
        authorization: `Bearer ${key}`,
        'content-type': 'application/json',
        accept: 'application/json, text/event-stream',
      },
      body,
      signal: AbortSignal.timeout(TIMEOUT_MS),
      // With 'error' the fetch of Node 20 no longer ends a response in time once garbage was collected.
      redirect: 'manual',
    })
    const text = await response.text()
    return id === undefined ? undefined : answerLine(id, response.status, text)
  } catch (error) {
    if (id === undefined) return undefined
    return errorLine(id, INTERNAL_ERROR, `no response from ${url}: ${reasonOf(error)}`)
  }
}

/** Over HTTP, version 2026-07-28 repeats in headers what a message is about. */
function protocolHeaders({ method, params }: Message): Record<string, string> {
  const version = params?._meta?.[VERSION]
  if (typeof version !== 'string' || typeof method !== 'string') return {}
  const name = params?.name ?? params?.uri
  return {
    'mcp-protocol-version': version,
    'mcp-method': method,
    ...(typeof name === 'string' && { 'mcp-name': name }),
  }
}

/** An answer of JSON-RPC is passed on; a refusal of the request itself becomes one. */
function answerLine(id: Message['id'], status: number, text: string): string {
  try {
    const answer = JSON.parse(text) as {
      readonly jsonrpc?: string
      readonly error?: string
      readonly details?: object
    }
    if (answer.jsonrpc !== undefined) return JSON.stringify(answer)
    if (typeof answer.error === 'string')
      return errorLine(id, INTERNAL_ERROR, answer.error, answer.details)
  } catch {
    // Not from Sheaf.
  }
  return errorLine(id, INTERNAL_ERROR, `unexpected response ${status}: is the URL that of Sheaf?`)
}

function errorLine(id: Message['id'], code: number, message: string, data?: object): string {
  return JSON.stringify({ jsonrpc: '2.0', id: id ?? null, error: { code, message, data } })
}

/** Why a request got no response, as a code such as `ECONNREFUSED` if there is one. */
function reasonOf(error: unknown): string {
  const { message, cause } = error as Error & { cause?: Error & { code?: string } }
  return cause?.code ?? cause?.message ?? message
}
