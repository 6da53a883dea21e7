import { AppError, toAppError } from '@sheaf/kit/errors'
import { toldToClients } from './change-feed'

it('answers 409 with the oldest change, not 412, when the log was cut', () => {
  const cut = new AppError('precondition', 'CHANGES_CUT', 'gone', { oldestSeq: '7' })
  const told = toAppError(toldToClients(cut))
  expect(told).toMatchObject({
    code: 'conflict',
    reason: 'CHANGES_CUT',
    metadata: { oldestSeq: '7' },
  })
})

it('passes all other errors on as they are', () => {
  const other = new AppError('precondition', 'DOCUMENT_DELETED', 'gone')
  expect(toldToClients(other)).toBe(other)
})
