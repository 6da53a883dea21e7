/** Collects the responses that a Sheaf logs, as `GET /api/docs/{docId} 200`. */
export class SeenStatuses {
  private rest = ''
  private readonly seen = new Set<string>()

  /** Reads the next part of the log. */
  add(text: string): void {
    const lines = (this.rest + text).split('\n')
    this.rest = lines.pop() ?? ''
    for (const line of lines) {
      const response = readResponse(line)
      if (response !== undefined) this.seen.add(response)
    }
  }

  /** Returns the responses seen since the last call, without repetitions. */
  take(): string[] {
    const taken = [...this.seen]
    this.seen.clear()
    return taken
  }
}

/** The logs of all Sheafs that this module registry has started; jest has one for each suite. */
const ofSuite = new Set<SeenStatuses>()

/** Creates a collection that `takeStatusesOfSuite` includes. */
export function createSeenStatuses(): SeenStatuses {
  const seen = new SeenStatuses()
  ofSuite.add(seen)
  return seen
}

/** Returns what every Sheaf of the suite has responded since the last call. */
export function takeStatusesOfSuite(): string[] {
  return [...ofSuite].flatMap((seen) => seen.take())
}

/** The status that the log has for a client which disconnected before its response. */
const CLIENT_GONE = 499

function readResponse(line: string): string | undefined {
  if (!line.includes('"msg":"request"')) return undefined
  try {
    // The standalone program writes the name of the service in front of each line.
    const entry = line.slice(line.indexOf('{'))
    const { method, route, status } = JSON.parse(entry) as Record<string, unknown>
    if (typeof route !== 'string' || !route.startsWith('/') || status === CLIENT_GONE)
      return undefined
    return `${method === 'HEAD' ? 'GET' : String(method)} ${route} ${String(status)}`
  } catch {
    // A line that a killed process did not complete.
    return undefined
  }
}
