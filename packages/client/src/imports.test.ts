import { cut, json, startServer } from '../tests/scripted-server.ts'
import { ConnectionError, Sheaf, type UploadProgress } from './index.ts'

const retry = { firstDelayMs: 1, maxDelayMs: 2 }
const file = { name: 'june.csv', data: 'Item\nApples\n' }

/** Names and contents of the parts of a form. */
const partsOf = (body = '') =>
  [...body.matchAll(/name="(\w+)"[^]*?\r\n\r\n([^]*?)\r\n--/g)].map(([, name, text]) => [
    name,
    text,
  ])

describe('an import', () => {
  it('into a document sends its fields before the file, again with the same key after a broken connection', async () => {
    const made = { tables: [{ id: 'Sales', rows: 1 }], seq: 4, notes: [] }
    await using server = await startServer(cut(), json(made))
    const doc = new Sheaf({ url: server.url, retry }).doc('d')
    const reports: UploadProgress[] = []
    const target = { table: 'Sales', columns: { Item: 'Product', Note: null } }
    const options = { header: true, decimal: ',' } as const
    const onProgress = (progress: UploadProgress) => reports.push(progress)
    expect(await doc.import(file, { options, target, onProgress, strict: true })).toEqual(made)
    const parts = [
      ['options', JSON.stringify(options)],
      ['target', JSON.stringify(target)],
      ['upload', file.data],
    ]
    expect(server.seen.map(({ url, body }) => [url, partsOf(body)])).toEqual([
      ['/api/docs/d/import', parts],
      ['/api/docs/d/import', parts],
    ])
    const [first, second] = server.seen.map(({ headers }) => headers)
    expect(first?.['idempotency-key']).toHaveLength(32)
    expect(second).toMatchObject({
      'idempotency-key': first?.['idempotency-key'],
      prefer: 'handling=strict',
    })
    expect(reports.at(-1)).toEqual({ sent: file.data.length, total: file.data.length })
  })

  it('as a new document is not repeated, and its preview is', async () => {
    await using server = await startServer(cut(), cut(), json({ format: 'csv' }))
    const { documents } = new Sheaf({ url: server.url, retry })
    const importing = documents.import(file, { workspaceId: 3, name: 'June' })
    await expect(importing).rejects.toThrow(ConnectionError)
    expect(server.seen.map(({ url }) => url)).toEqual(['/api/workspaces/3/import'])
    const previewed = await documents.previewImport(file, { workspaceId: 3, part: true })
    expect(previewed).toEqual({ format: 'csv' })
    expect(server.seen.slice(1).map(({ url, body }) => [url, partsOf(body)])).toEqual(
      Array(2).fill([
        '/api/workspaces/3/import/preview',
        [
          ['part', 'true'],
          ['upload', file.data],
        ],
      ]),
    )
  })
})
