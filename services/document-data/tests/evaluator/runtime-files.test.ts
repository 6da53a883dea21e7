import files, {
  appendFile,
  mkdir,
  readdir,
  readFile,
  rename,
  rm,
  utimes,
  writeFile,
} from 'node:fs/promises'
import { join } from 'node:path'
import { diskFolder } from '../support/test-evaluator'

const stamp = /^[0-9a-f]{32}$/
const server = 'def run(read_frame, write_frame):\n    write_frame(b"{}")\n'

/** The module as a new process would load it, which has verified nothing yet. */
function freshModule(): typeof import('../../src/evaluator/runtime-files') {
  let loaded: typeof import('../../src/evaluator/runtime-files') | undefined
  jest.isolateModules(() => {
    // eslint-disable-next-line @typescript-eslint/no-require-imports
    loaded = require('../../src/evaluator/runtime-files')
  })
  return loaded!
}

describe('the files of the evaluator', () => {
  let folder: Awaited<ReturnType<typeof diskFolder>>
  let source: { cacheFolder: string; pythonFolder: string }
  beforeAll(async () => {
    folder = await diskFolder()
    source = { cacheFolder: join(folder.path, 'cache'), pythonFolder: join(folder.path, 'python') }
    await mkdir(source.pythonFolder)
    await writeFile(join(source.pythonFolder, '__init__.py'), '')
    await writeFile(join(source.pythonFolder, 'server.py'), server)
  })
  afterAll(() => folder[Symbol.asyncDispose]())
  const made = () => readdir(join(source.cacheFolder, 'formulas'))

  it('are made once by those who ask at the same time', async () => {
    const asked = [1, 2].map(() => freshModule().runtimeFiles(source))
    const [first, second] = await Promise.all(asked)
    expect(first).toEqual(second)
    expect(await made()).toEqual([expect.stringMatching(stamp)])
  })

  it('are made again when they are damaged, also by several at the same time', async () => {
    const { folder: before } = await freshModule().runtimeFiles(source)
    const snapshot = join(before, 'snapshot.bin')
    const { length } = await readFile(snapshot)
    await appendFile(snapshot, 'x')
    const asked = await Promise.all([1, 2, 3].map(() => freshModule().runtimeFiles(source)))
    expect(asked.map((found) => found.folder)).toEqual([before, before, before])
    expect(await readFile(snapshot)).toHaveLength(length)
  })

  it('are made again when another process moves them away at once', async () => {
    const { folder: before } = await freshModule().runtimeFiles(source)
    await rm(before, { recursive: true })
    const move = jest.spyOn(files, 'rename').mockImplementationOnce(async (from, to) => {
      await rename(from, to)
      await rm(to, { recursive: true })
    })
    try {
      expect((await freshModule().runtimeFiles(source)).folder).toBe(before)
      expect(move).toHaveBeenCalledTimes(2)
    } finally {
      move.mockRestore()
    }
    expect(await made()).toEqual([before.split('/').at(-1)])
  })

  it('are others when a source changes, and old ones are removed after a day without use', async () => {
    const { folder: before } = await freshModule().runtimeFiles(source)
    await utimes(before, 0, 0)
    await appendFile(join(source.pythonFolder, 'server.py'), '# changed\n')
    const { folder: after } = await freshModule().runtimeFiles(source)
    expect(after).not.toBe(before)
    expect(await made()).toEqual([after.split('/').at(-1)])
  })

  it('say what is wrong with sources that do not load, and leave nothing', async () => {
    await appendFile(join(source.pythonFolder, 'server.py'), 'import nothing_of_this_name\n')
    await expect(freshModule().runtimeFiles(source)).rejects.toThrow('nothing_of_this_name')
    expect(await made()).toHaveLength(1)
  })
})
