import type { ServerCall } from '@sheaf/auth/server-call'
import type { Moment } from '@sheaf/protos/sheaf/document_data/v1/options'
import { RecordsServiceService } from '@sheaf/protos/sheaf/document_data/v1/records'
import { TablesServiceService } from '@sheaf/protos/sheaf/document_data/v1/tables'
import type { Context } from '../context'
import { withMoment } from './with-moment'

const docId = '6f1d6f0e-8d5f-4a1c-9b57-0d6a3c1f0a11'
const caller = { docId, home: 'here', userId: 1, role: 'editors' }
const call = { caller, signal: new AbortController().signal } as unknown as ServerCall
const request = { docId, options: { asOf: { moment: { $case: 'seq', value: 3 } } } }

/** A document that is written right after its moment 3 was found to be the latest. */
function contextOf() {
  const present = { name: 'present' }
  const past = { name: 'past' }
  const opened: Moment[] = []
  const open = (_: string, moment: Moment) => {
    const documents = opened.push(moment) === 1 ? present : past
    return Promise.resolve({ documents, docId, seq: 3, [Symbol.dispose]: () => {} })
  }
  const ctx = {
    home: 'here',
    documents: present,
    past: { open, findWithoutFile: () => undefined },
  } as unknown as Context
  return { ctx, opened }
}

const answerOf = ({ documents }: Context) =>
  (documents as { name?: string }).name === 'past'
    ? { from: 'past', etag: 'epoch.3' }
    : { from: 'present', etag: 'epoch.4~' }

describe('a read of the latest moment of a document that is written meanwhile', () => {
  it('is answered from the file of that moment', async () => {
    const { ctx, opened } = contextOf()
    const create = (of: Context) => ({ listTables: () => Promise.resolve(answerOf(of)) })
    const handlers = withMoment(ctx, TablesServiceService, create) as {
      listTables(of: object, call: ServerCall): Promise<unknown>
    }
    expect(await handlers.listTables(request, call)).toEqual({ from: 'past', etag: 'epoch.3' })
    expect(opened).toEqual([request.options.asOf, request.options.asOf])
  })

  it('is streamed from the file of that moment', async () => {
    const { ctx } = contextOf()
    const create = (of: Context) => ({
      async *readRecords() {
        yield await Promise.resolve(answerOf(of))
        yield { chunk: 'more' }
      },
    })
    const handlers = withMoment(ctx, RecordsServiceService, create) as {
      readRecords(of: object, call: ServerCall): AsyncIterable<unknown>
    }
    const parts: unknown[] = []
    for await (const part of handlers.readRecords(request, call)) parts.push(part)
    expect(parts).toEqual([{ from: 'past', etag: 'epoch.3' }, { chunk: 'more' }])
  })
})
