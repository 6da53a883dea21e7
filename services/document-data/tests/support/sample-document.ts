import { createHash } from 'node:crypto'
import { ExportServiceClientImpl } from '@sheaf/protos/sheaf/document_data/v1/export'
import { openChannel } from '@sheaf/kit/grpc/client'
import type { TestInstance } from './test-instance'

/** A document with a column of every type, as it is downloaded. */
export async function exportSample({ clients, service }: TestInstance): Promise<Buffer> {
  const docId = await clients.createDocument()
  await clients.addTable(docId, 'All', types)
  await clients.add(docId, 'All', rows)
  await clients.add(docId, 'All', oddRows, true)
  await clients.remove(docId, 'All', [2])
  await using channel = openChannel({ address: service.address })
  const request = { docId, noHistory: false, template: false }
  const chunks: Uint8Array[] = []
  const call = await clients.as(docId, 'owners')
  for await (const { chunk } of new ExportServiceClientImpl(channel).exportDocument(request, call))
    chunks.push(chunk)
  return Buffer.concat(chunks)
}

const types = {
  T: 'Text',
  N: 'Numeric',
  I: 'Int',
  B: 'Bool',
  D: 'Date',
  DT: 'DateTime:Europe/Berlin',
  C: 'Choice',
  CL: 'ChoiceList',
  R: 'Ref:All',
  RL: 'RefList:All',
  A: 'Attachments',
  Any: 'Any',
}

const rows = [
  {
    T: 'ä',
    N: 1.5,
    I: 7,
    B: true,
    D: 86400,
    DT: 1700000000,
    C: 'x',
    CL: ['L', 'a', 'b'],
    R: 1,
    RL: ['L', 1, 3],
    A: ['L', 1],
    Any: ['L', 1, 'x'],
  },
  { T: 'gone' },
  { T: '', N: 2 ** 53, I: -7, CL: ['L', '"q"'], Any: true },
]
const oddRows = [
  {
    T: 'kept',
    N: 'text',
    I: 'x',
    B: 'maybe',
    D: 'some day',
    DT: 'later',
    CL: '["a"',
    R: 'who',
    RL: '\u0001',
    Any: '\u0001',
  },
  { Any: '["a"]', CL: '["a"]' },
]

/** SQL that adds an attachment with these values, each an SQL expression. */
export const attachment = (values: Record<string, string>): string => `
  INSERT INTO _grist_Attachments (id, ${Object.keys(values).join()}) VALUES (9, ${Object.values(values).join()})`

export const hashOf = (text: string): string => createHash('sha256').update(text).digest('hex')
