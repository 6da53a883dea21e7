/** The part of a call's stream of requests that writing needs. */
interface Upload {
  write(message: Uint8Array): boolean
  on(event: 'drain' | 'status', listener: () => void): unknown
  end(): void
}

/** Writes no faster than the receiver takes it, and stops when the call has ended, whatever is left. */
export async function writeUpload(
  stream: Upload,
  messages: AsyncIterable<Uint8Array>,
): Promise<void> {
  let hasEnded = false
  let wake = () => {}
  stream.on('drain', () => wake())
  stream.on('status', () => {
    hasEnded = true
    wake()
  })
  for await (const message of messages) {
    if (hasEnded) return
    if (stream.write(message)) continue
    await new Promise<void>((resolve) => (wake = resolve))
  }
  stream.end()
}
