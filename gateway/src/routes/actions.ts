import { writeDocument } from '../documents/conditional-requests'
import { sendBytes } from '../http/reply'
import { defineRoute, type Route } from '../routing/route'
import { actions, appliedActions } from '../schemas/actions'
import { docParams } from '../schemas/parameters'
import { writeQuery } from '../schemas/records'
import { batchRoute } from './batch'

/** Batches, and actions on rows, tables and columns for older clients. */
export const actionRoutes: readonly Route[] = [
  batchRoute,
  defineRoute({
    method: 'post',
    path: '/api/docs/{docId}/apply',
    id: 'applyActions',
    tag: 'records',
    summary: 'Apply actions',
    description:
      'For older clients; new clients should use the operations on records, tables and columns. Applies all actions as one change of the document, or none.',
    access: 'editors',
    conditions: 'write',
    params: docParams,
    query: writeQuery,
    body: actions,
    passesBytes: true,
    success: { description: 'Results of the actions', schema: appliedActions },
    async handle(exchange, input) {
      const { document, query, bytes } = input
      const request = { docId: document.docId, bodyJson: bytes, noParse: query.noparse }
      const { resultsJson, isModification, seq } = await writeDocument(
        exchange,
        input,
        (home, call, options) => home.actions.applyActions({ ...request, options }, call),
      )
      // Changes are not hashed; clients that show the hash get the value of an empty list of actions.
      const head = `{"actionNum":${isModification ? seq : 0},"actionHash":null,"retValues":`
      const tail = `,"isModification":${isModification}}`
      sendBytes(exchange, Buffer.concat([Buffer.from(head), resultsJson, Buffer.from(tail)]))
    },
  }),
]
