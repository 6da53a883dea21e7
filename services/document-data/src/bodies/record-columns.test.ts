import { invalidPayload, invalidRecord } from './record-columns'
import { faultOfCell } from './cell'

describe('the message of a malformed body', () => {
  it('is the statement of the chain that people understand', () => {
    const { message, metadata } = invalidRecord('body.records[0]', 'NewRecord', '.id is missing')
    expect(message).toBe('Invalid payload: body.records[0].id is missing')
    expect(metadata.userError).toBe(
      'Error: body.records[0] is not a NewRecord; body.records[0].id is missing',
    )
  })

  it('says what a cell may be, without names of types', () => {
    for (const cell of [['a'], {}]) {
      const { message } = invalidPayload(faultOfCell(cell, 'body.v[3]') ?? '')
      expect(message).toMatch(
        /^Invalid payload: body\.v\[3\] is not a cell value: it must be a number/,
      )
      expect(message).not.toMatch(/Grist|CellValue|enum/)
    }
  })

  it('is the whole of a fault that has names with semicolons', () => {
    expect(invalidPayload('body.a; b is not an array').message).toBe(
      'Invalid payload: body.a; b is not an array',
    )
  })
})
