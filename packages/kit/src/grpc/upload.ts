import { waitForDrain } from '../wait-for-drain'

/** The part of a call's request stream that writing uses. */
interface Upload {
  write(message: Uint8Array): boolean
  on(event: 'drain' | 'status', listener: () => void): unknown
  off(event: 'drain' | 'status', listener: () => void): unknown
  end(): void
}

/** Writes messages no faster than the receiver accepts them. Stops when the call has ended, even with messages left. */
export async function writeUpload(
  stream: Upload,
  messages: AsyncIterable<Uint8Array>,
): Promise<void> {
  let hasEnded = false
  stream.on('status', () => (hasEnded = true))
  for await (const message of messages) {
    if (hasEnded) return
    if (!stream.write(message)) await waitForDrain(stream, { endEvent: 'status' })
  }
  stream.end()
}
