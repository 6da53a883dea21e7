import { readFileSync } from 'node:fs'

// A program to preload (`node --require`) that lets a test set the wall clock of one process. The file named
// by NODE_TEST_CLOCK contains milliseconds to add to the clock. Timers and `performance.now()` are
// unaffected, as when a real clock is set.

const READ_EVERY_MS = 10

const file = process.env.NODE_TEST_CLOCK
const RealDate = Date
let offsetMs = 0

function now(): number {
  return RealDate.now() + offsetMs
}

function readOffset(clock: string): void {
  try {
    offsetMs = Number(readFileSync(clock, 'utf8').trim() || offsetMs)
  } catch {
    offsetMs = 0
  }
}

if (file) {
  readOffset(file)
  setInterval(readOffset, READ_EVERY_MS, file).unref()
  globalThis.Date = new Proxy(RealDate, {
    construct: (target, args: unknown[], newTarget) =>
      Reflect.construct(target, args.length === 0 ? [now()] : args, newTarget) as Date,
    apply: () => new RealDate(now()).toString(),
    get: (target, name, receiver) =>
      name === 'now' ? now : (Reflect.get(target, name, receiver) as unknown),
  })
}
