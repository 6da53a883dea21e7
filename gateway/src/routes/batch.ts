import { writeDocument } from '../documents/conditional-requests'
import { sendBytes } from '../http/reply'
import { defineRoute, type Route } from '../routing/route'
import { appliedBatch, batch } from '../schemas/batch'
import { docParams } from '../schemas/parameters'
import { writeQuery } from '../schemas/records'

/** Several operations on rows, tables and columns as one write. */
export const batchRoute: Route = defineRoute({
  method: 'post',
  path: '/api/docs/{docId}/batch',
  id: 'applyBatch',
  tag: 'records',
  summary: 'Apply a batch of operations',
  description:
    'Applies all operations, in order, as one change of the document, or none. Later operations may use the temporary ids of added rows as row ids and in reference cells.',
  access: 'editors',
  conditions: 'write',
  params: docParams,
  query: writeQuery,
  body: batch,
  passesBytes: true,
  success: { description: 'Results of the operations', schema: appliedBatch },
  async handle(exchange, input) {
    const { document, query, bytes } = input
    const request = { docId: document.docId, bodyJson: bytes, noParse: query.noparse }
    const { resultJson, isModification, seq } = await writeDocument(
      exchange,
      input,
      (home, call, options) => home.actions.applyBatch({ ...request, options }, call),
    )
    const tail = Buffer.from(`,"seq":${seq},"isModification":${isModification}}`)
    // The result is a JSON object: the further properties replace its closing brace.
    sendBytes(exchange, Buffer.concat([resultJson.subarray(0, -1), tail]))
  },
})
