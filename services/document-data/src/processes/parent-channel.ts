import { Console } from 'node:console'
import { deserialize, serialize } from 'node:v8'
import { FrameReader, MAX_MESSAGE_BYTES, writeFrame } from './frames'

/** Messages between a program and the parent that started it as a NodeProgram. */
export interface ParentChannel<Out> {
  /** Sends a message; resolves when the operating system has accepted it. */
  send(message: Out): Promise<void>
  /** Stops receiving, so that the program ends when it has no other work. */
  close(): void
}

/**
 * Opens the channel on standard input and output. The program exits when its parent closes the channel or the
 * channel breaks.
 */
export function openParentChannel<In, Out>(onMessage: (message: In) => void): ParentChannel<Out> {
  const { stdin, stdout, stderr } = process
  // A library that prints to standard output must not corrupt the frames.
  globalThis.console = new Console(stderr)
  const reader = new FrameReader(MAX_MESSAGE_BYTES)
  stdin.on('data', (chunk: Buffer) => {
    for (const frame of reader.read(chunk)) onMessage(deserialize(frame) as In)
  })
  stdin.on('end', () => process.exit())
  for (const stream of [stdin, stdout]) stream.on('error', () => process.exit())
  return {
    send: (message) => writeFrame(stdout, serialize(message), MAX_MESSAGE_BYTES),
    close: () => stdin.destroy(),
  }
}
