import { readJson } from './read-json'

describe('readJson', () => {
  it.each([
    ['{"records":[{"fields":{"N":1e400}}]}', 'body.records[0].fields.N'],
    ['[-1E+0309]', 'body[0]'],
    [`{"N":${'9'.repeat(309)}}`, 'body.N'],
    [`{"N":${'9'.repeat(250)}e60}`, 'body.N'],
  ])('refuses a number that would become null, and names it: %.40s', (json, place) => {
    for (const input of [json, Buffer.from(json)])
      expect(() => readJson(input, 'body')).toThrow(
        `Invalid payload: ${place} is a number out of range`,
      )
  })

  it('keeps numbers in range, and text that looks like one out of range', () => {
    const json = `{"N":[1e308,1e-400,1e+0005,0.${'1'.repeat(400)}],"T":"1e400"}`
    expect(readJson(json, 'body')).toEqual(JSON.parse(json))
  })
})
