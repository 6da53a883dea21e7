import * as childProcess from 'node:child_process'
import { EventEmitter } from 'node:events'
import { orphanGuard } from './orphan-guard'

jest.mock('node:child_process', () => ({
  ...jest.requireActual<typeof childProcess>('node:child_process'),
  spawn: jest.fn(),
}))

const spawn = childProcess.spawn as unknown as jest.Mock

/** What `spawn` returns when the process has no free file descriptor. */
function newFailedShell(): EventEmitter {
  const shell = Object.assign(new EventEmitter(), { stdin: undefined, unref: () => {} })
  process.nextTick(() => shell.emit('error', new Error('spawn EMFILE')))
  return shell
}

/** A shell that runs. */
function newShell(lines: string[]) {
  const write = (line: string) => lines.push(line)
  const stdin = Object.assign(new EventEmitter(), { unref: () => {}, write, end: () => {} })
  return Object.assign(new EventEmitter(), { stdin, unref: () => {} })
}

describe('the orphan guard', () => {
  it('a process without free file descriptors starts its guard with the next child', async () => {
    const lines: string[] = []
    spawn.mockImplementationOnce(newFailedShell).mockImplementationOnce(() => newShell(lines))
    orphanGuard.add(101)
    await new Promise(setImmediate)
    orphanGuard.add(102)
    expect(lines).toEqual(['+ 101\n', '+ 102\n'])
    orphanGuard.remove(101)
    orphanGuard.remove(102)
  })
})
