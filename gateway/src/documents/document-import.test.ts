import { AppError } from '@sheaf/kit/errors'
import type { Exchange } from '../http/exchange'
import { importDocument, type Upload } from './document-import'

const OLD_MS = 60_000

/**
 * An import whose services respond as specified; `calls` are those that directory received, with their
 * tokens.
 */
function setUp(told: { home?: Error; publish?: Error; authorize?: Error; takesMs?: number }) {
  const calls: [string, string | undefined][] = []
  const warnings: unknown[] = []
  const answer = (name: string, error?: Error) =>
    function (_request: object, { token }: { token?: string }) {
      calls.push([name, token])
      return error ? Promise.reject(error) : Promise.resolve({})
    }
  const documents = {
    createDocument: () =>
      Promise.resolve({ document: { docId: 'd1', homeAddress: 'home' }, token: 'reserved' }),
    publishDocument: answer('publish', told.publish),
    discardDocument: answer('discard'),
  }
  const imports = {
    async *importDocument() {
      await Promise.resolve()
      jest.spyOn(performance, 'now').mockReturnValue(performance.now() + (told.takesMs ?? 0))
      if (told.home) throw told.home
      yield {
        part: {
          $case: 'done',
          value: { tables: [{ id: 'T', rows: 1 }], notes: ['left out: 1 page'] },
        },
      }
    },
  }
  const exchange = {
    context: {
      directory: { documents },
      documentData: { at: () => ({ imports }) },
      log: { warn: (facts: unknown) => warnings.push(facts) },
    },
    signal: new AbortController().signal,
    call: (token?: string) => ({ token }),
    authorize: () =>
      told.authorize ? Promise.reject(told.authorize) : Promise.resolve({ token: 'fresh' }),
  }
  const upload = { file: { fileName: 'a.csv' }, workspaceId: 1, title: 'a', onProgress: () => {} }
  const made = importDocument(
    exchange as unknown as Exchange,
    upload as unknown as Upload,
    Promise.resolve(),
  )
  return { made, calls, warnings }
}

afterEach(() => jest.restoreAllMocks())

describe('a document that is made of a file', () => {
  it('is published', async () => {
    const { made, calls } = setUp({})
    expect(await made).toEqual({
      docId: 'd1',
      tables: [{ id: 'T', rows: 1 }],
      notes: ['left out: 1 page'],
    })
    expect(calls).toEqual([['publish', 'reserved']])
  })

  it('is discarded when its file is refused', async () => {
    const home = new AppError('invalid', 'BAD_IMPORT_FILE', 'bad')
    const { made, calls } = setUp({ home, takesMs: OLD_MS })
    await expect(made).rejects.toBe(home)
    expect(calls).toEqual([['discard', 'fresh']])
  })

  it('is discarded when it cannot be published', async () => {
    const publish = new AppError('unavailable', 'SERVICE_UNAVAILABLE', 'gone')
    const { made, calls } = setUp({ publish })
    await expect(made).rejects.toBe(publish)
    expect(calls).toEqual([
      ['publish', 'reserved'],
      ['discard', 'reserved'],
    ])
  })

  it('fails with what was wrong with its file, also when it cannot be discarded', async () => {
    const home = new AppError('invalid', 'BAD_IMPORT_FILE', 'bad')
    const authorize = new AppError('unauthenticated', 'INVALID_API_KEY', 'no such key')
    const { made, calls, warnings } = setUp({ home, authorize, takesMs: OLD_MS })
    await expect(made).rejects.toBe(home)
    expect(calls).toEqual([])
    expect(warnings).toEqual([{ err: authorize, docId: 'd1' }])
  })
})
