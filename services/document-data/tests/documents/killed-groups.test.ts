import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { tempDir } from '@sheaf/testkit/temp-dir'
import { readEntries } from '../../src/store/log/log'
import { differencesAfterRedo } from '../support/redo'
import { author, buildWorkers, createTable, openStore } from '../support/test-store'

/** Where a group is when its process is killed; `answering`: its commit is on disk, and no member is answered. */
const STAGES = [
  ...['collecting', 'applying', 'deriving', 'appending', 'committing'],
  'answering',
] as const
const WRITERS = 4

describe.each(STAGES)('a document whose process is killed while a group is %s', (stage) => {
  beforeAll(buildWorkers)

  it('holds every acknowledged write whole, and no half of any other', async () => {
    await using folder = await tempDir()
    const acknowledged = new Map<string, number>()
    let unanswered = 0
    const docId = await createIn(folder.path)
    for (const round of [0, 1, 3, 10]) {
      const wasHeld = await writeUntilHeld([folder.path, docId, stage, String(round)], acknowledged)
      expect(wasHeld).toBe(true)
      await using store = await openStore(folder.path, { workers: 0 })
      const stored = store.read(docId, ({ connection }) =>
        connection.raw<[string, number]>('SELECT A, count(*) FROM Table1 GROUP BY A').all(),
      )
      expect(stored.filter(([, count]) => count !== 3)).toEqual([])
      const names = new Set(stored.map(([name]) => name))
      expect([...acknowledged.keys()].filter((name) => !names.has(name))).toEqual([])
      // Only a group that is on disk may have more than what was acknowledged: its own writes.
      const more = names.size - acknowledged.size - unanswered
      expect(more).toBeGreaterThanOrEqual(stage === 'answering' ? 1 : 0)
      expect(more).toBeLessThanOrEqual(stage === 'answering' ? WRITERS : 0)
      unanswered += more
      const { seq } = store.stateOf(docId)
      expect(seq).toBe(2 + names.size)
      const entries = store.read(docId, ({ connection }) =>
        readEntries(connection, { after: 0, upTo: seq + 10, maxBytes: 0 }),
      )
      expect(entries.map((entry) => entry.seq)).toEqual(
        Array.from({ length: seq }, (_, index) => index + 1),
      )
      expect(differencesAfterRedo(store, docId)).toEqual([])
      await store.transact(docId, author, () => undefined)
    }
    expect(acknowledged.size).toBeGreaterThan(10)
  })
})

/** Makes a document in a store that is closed again. */
async function createIn(folder: string): Promise<string> {
  await using store = await openStore(folder, { workers: 0 })
  return createTable(store, 'Other', { A: 'Text' })
}

/** Runs writes in another process until a group is held, and kills it there; false when it ended before. */
async function writeUntilHeld(
  args: readonly string[],
  acknowledged: Map<string, number>,
): Promise<boolean> {
  const program = join(__dirname, '../support/held-writes-process.mjs')
  const child = spawn(process.execPath, [program, ...args], {
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  const ended = once(child, 'exit')
  let wasHeld = false
  for await (const line of createInterface({ input: child.stdout })) {
    const [seq, name] = line.split(' ')
    if (name !== undefined) acknowledged.set(name, Number(seq))
    else wasHeld = child.kill('SIGKILL')
  }
  await ended
  return wasHeld
}
