import type { ServerCall } from '@sheaf/auth/server-call'
import { ImportServiceService } from '@sheaf/protos/sheaf/document_data/v1/import'
import { Admission } from '../admission'
import { withAdmission } from './with-admission'

type Handler = (request: unknown, call: ServerCall) => unknown

const call = { caller: { docId: 'd', userId: 1 } } as unknown as ServerCall
const limits = { writes: 8, writeBytes: 1000, reads: 8, delayMs: 100 }

it.each(Object.entries(ImportServiceService))(
  '%s under way keeps no other call of its document from a busy instance',
  async (name, { responseStream }) => {
    const admission = new Admission(limits, { meanMs: 200 })
    let end = () => {}
    const ended = new Promise<void>((resolve) => (end = resolve))
    const handlers = {
      [name]: responseStream
        ? async function* () {
            yield 'progress'
            await ended
          }
        : () => ended,
    }
    const served = withAdmission(admission, ImportServiceService, handlers)
    const answer = (served as Record<string, Handler>)[name]?.({}, call)
    if (responseStream) await (answer as AsyncGenerator).next()
    expect(admission.running).toBe(0)
    admission.enter({ kind: 'read', userId: 2, docId: 'd', bytes: 0 })()
    end()
    if (responseStream) await (answer as AsyncGenerator).next()
    else await answer
  },
)
