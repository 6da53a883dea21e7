import { existsSync, readFileSync } from 'node:fs'

// A program to preload (`node --require`) that lets a test set the wall clock of one process. The file named
// by NODE_TEST_CLOCK, or for an instance with a name the file of that name beside it, if there is one, contains
// milliseconds to add to the clock. Timers and `performance.now()` are
// unaffected, as when a real clock is set.

const READ_EVERY_MS = 10

const { NODE_TEST_CLOCK: file, SHEAF_INSTANCE_NAME: instance } = process.env
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
  const own = `${file}.${instance}`
  const read = () => readOffset(existsSync(own) ? own : file)
  read()
  setInterval(read, READ_EVERY_MS).unref()
  globalThis.Date = new Proxy(RealDate, {
    construct: (target, args: unknown[], newTarget) =>
      Reflect.construct(target, args.length === 0 ? [now()] : args, newTarget) as Date,
    apply: () => new RealDate(now()).toString(),
    get: (target, name, receiver) =>
      name === 'now' ? now : (Reflect.get(target, name, receiver) as unknown),
  })
}
