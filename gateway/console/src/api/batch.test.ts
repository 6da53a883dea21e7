import { createBatch } from './batch'

describe('a batch', () => {
  it('combines simultaneous requests into one, and resolves each', async () => {
    const requests: (readonly number[])[] = []
    const batch = createBatch<string>(async (keys) => {
      requests.push(keys)
      return new Map(keys.filter((key) => key !== 3).map((key) => [key, `row ${key}`]))
    })
    const found = await Promise.all([1, 2, 2, 3].map((key) => batch.load(key)))
    expect(found).toEqual(['row 1', 'row 2', 'row 2', undefined])
    expect(requests).toEqual([[1, 2, 3]])
    expect(await batch.load(1)).toBe('row 1')
    expect(requests).toHaveLength(2)
  })

  it('rejects all requests if it fails, and sends a new request afterwards', async () => {
    let isDown = true
    const batch = createBatch<string>((keys) =>
      isDown ? Promise.reject(new Error('down')) : Promise.resolve(new Map([[keys[0] ?? 0, 'up']])),
    )
    const outcomes = await Promise.allSettled([batch.load(1), batch.load(2)])
    expect(outcomes.map(({ status }) => status)).toEqual(['rejected', 'rejected'])
    isDown = false
    expect(await batch.load(1)).toBe('up')
  })
})
