import { writeDocument } from '../documents/conditional-requests'
import { sendBytes } from '../http/reply'
import { defineRoute, type Route } from '../routing/route'
import { appliedActions, rowActions } from '../schemas/actions'
import { docParams } from '../schemas/parameters'
import { writeQuery } from '../schemas/records'

/** Row actions, for older clients. */
export const actionRoutes: readonly Route[] = [
  defineRoute({
    method: 'post',
    path: '/api/docs/{docId}/apply',
    id: 'applyActions',
    tag: 'records',
    summary: 'Apply row actions',
    description:
      'For older clients. All actions are one change of the document, or none of them is done.',
    access: 'editors',
    conditions: 'write',
    params: docParams,
    query: writeQuery,
    body: rowActions,
    passesBytes: true,
    success: { description: 'What became of the actions', schema: appliedActions },
    async handle(exchange, input) {
      const { document, query, bytes } = input
      const request = { docId: document.docId, bodyJson: bytes, noParse: query.noparse }
      const { resultsJson, isModification, seq } = await writeDocument(
        exchange,
        input,
        (home, call, options) => home.actions.applyActions({ ...request, options }, call),
      )
      // Changes are not hashed; clients that show the hash get that of an empty list of actions.
      const head = `{"actionNum":${isModification ? seq : 0},"actionHash":null,"retValues":`
      const tail = `,"isModification":${isModification}}`
      sendBytes(exchange, Buffer.concat([Buffer.from(head), resultsJson, Buffer.from(tail)]))
    },
  }),
]
