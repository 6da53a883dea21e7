import { toAppError, type AppError } from '@sheaf/kit/errors'
import { Admission, type AdmissionLimits } from './admission'

describe('Admission', () => {
  const none = { meanMs: 0 }
  const limits: AdmissionLimits = { writes: 8, writeBytes: 1000, reads: 8, delayMs: 100 }
  /** Each document has a user of its own, unless one is given. */
  const userOf = (docId: string) => docId.charCodeAt(0)
  const write = (docId: string, bytes = 1, userId = userOf(docId)) =>
    ({ kind: 'write', userId, docId, bytes }) as const
  const read = (docId: string, userId = userOf(docId)) =>
    ({ kind: 'read', userId, docId, bytes: 0 }) as const

  function refusalOf(run: () => unknown): AppError | undefined {
    try {
      run()
    } catch (error) {
      return toAppError(error)
    }
    return undefined
  }

  it('takes calls on until the process has enough to do, and again when some have ended', () => {
    const admission = new Admission(limits, none)
    const leaves = [...'aabbccd'].map((docId) => admission.enter(write(docId)))
    // The last place is for a user who holds little.
    const second = refusalOf(() => admission.enter(write('d')))
    expect(second).toMatchObject({ code: 'too_many', reason: 'USER_BUSY' })
    leaves.push(admission.enter(write('e')))
    const refusal = refusalOf(() => admission.enter(write('f')))
    expect(refusal).toMatchObject({ code: 'unavailable', reason: 'SERVICE_BUSY' })
    leaves[0]?.()
    admission.enter(write('f'))
    expect(admission.running).toBe(8)
  })

  it('leaves room for other documents when one is busy', () => {
    const admission = new Admission(limits, none)
    for (let i = 0; i < 2; i++) admission.enter(write('busy'))
    const refusal = refusalOf(() => admission.enter(write('busy')))
    expect(refusal).toMatchObject({ code: 'too_many', reason: 'DOCUMENT_BUSY' })
    admission.enter(write('other'))
    admission.enter(read('busy'))
  })

  it('leaves room for other users when one is busy in many documents', () => {
    const admission = new Admission(limits, none)
    for (const docId of ['a', 'b']) admission.enter(write(docId, 1, 7))
    const refusal = refusalOf(() => admission.enter(write('c', 1, 7)))
    expect(refusal).toMatchObject({ code: 'too_many', reason: 'USER_BUSY' })
    admission.enter(write('c', 1, 8))
  })

  it('counts the bytes that writes bring along', () => {
    const admission = new Admission(limits, none)
    const leave = admission.enter(write('a', 800))
    expect(() => admission.enter(write('b', 300))).toThrow('too many concurrent requests, retry')
    expect(() => admission.enter(write('a', 100))).toThrow('this document')
    leave()
    admission.enter(write('b', 300))
  })

  it('lets a document without calls in while the event loop is late, and no other', () => {
    const delay = { meanMs: 0 }
    const admission = new Admission(limits, delay)
    admission.enter(write('busy'))
    delay.meanMs = 101
    expect(() => admission.enter(read('busy'))).toThrow('too many concurrent requests, retry')
    admission.enter(read('other'))
    delay.meanMs = 99
    admission.enter(read('busy'))
  })

  it('does not count transfers of files as calls under way, and bounds them apart', () => {
    const delay = { meanMs: 0 }
    const admission = new Admission(limits, delay)
    const transfer = { kind: 'transfer', userId: 1, docId: 'a', bytes: 0 } as const
    const leave = admission.enter(transfer)
    delay.meanMs = 101
    admission.enter(write('a'))
    admission.enter(transfer)
    expect(() => admission.enter(transfer)).toThrow('this document')
    leave()
    admission.enter(transfer)
  })

  it('tells when to try again', () => {
    const admission = new Admission({ ...limits, delayMs: 1 }, { meanMs: 1234.5 })
    admission.enter(write('a'))
    const refusal = refusalOf(() => admission.enter(write('a')))
    expect(refusal?.metadata).toEqual({ retryAfterMs: '1235' })
  })
})
