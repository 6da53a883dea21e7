import { Cancellation } from './cancellation'

const gone = new Error('gone')

it('tells functions and objects that listen, once, and the reason to who asks', () => {
  const cancellation = new Cancellation()
  const told: string[] = []
  cancellation.addEventListener('abort', () =>
    told.push(`function, ${cancellation.reason.message}`),
  )
  cancellation.addEventListener('abort', { handleEvent: () => told.push('object') })
  expect(cancellation.aborted).toBe(false)
  cancellation.abort(gone)
  cancellation.abort(new Error('late'))
  expect(cancellation).toMatchObject({ aborted: true, reason: gone })
  expect(told).toEqual(['function, gone', 'object'])
})

it('tells nothing to who has left, also when that happens while others are told', () => {
  const cancellation = new Cancellation()
  const [early, late, last] = [jest.fn(), jest.fn(), jest.fn()]
  const sendsAway = () => cancellation.removeEventListener('abort', late)
  for (const listener of [early, sendsAway, late, last])
    cancellation.addEventListener('abort', listener)
  cancellation.removeEventListener('abort', early)
  cancellation.abort(gone)
  expect(early).not.toHaveBeenCalled()
  expect(late).not.toHaveBeenCalled()
  expect(last).toHaveBeenCalledTimes(1)
})
