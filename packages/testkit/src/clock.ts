import { writeFileSync } from 'node:fs'
import { join } from 'node:path'

/** The wall clock of all processes of one Sheaf, PostgreSQL and NATS excepted. */
export interface TestClock {
  /** Settings for `startSheaf` that make its processes use this clock. */
  readonly env: Readonly<Record<string, string>>
  /**
   * Sets the clock to this many milliseconds after the real time; negative values set it before. With the name of an
   * instance, sets only the clock of this one, which from then on is its own.
   */
  set(offsetMs: number, instance?: string): void
}

/** Creates a clock that equals the real one until it is set; `folder` stores its file. */
export function createTestClock(folder: string): TestClock {
  const file = join(folder, 'clock')
  const set = (offsetMs: number, instance?: string) =>
    writeFileSync(instance === undefined ? file : `${file}.${instance}`, String(offsetMs))
  set(0)
  const preload = join(__dirname, '../dist/clock-preload.js')
  return {
    env: { NODE_TEST_CLOCK: file, NODE_OPTIONS: `--require ${JSON.stringify(preload)}` },
    set,
  }
}
