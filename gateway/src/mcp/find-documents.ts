import { z } from 'zod'
import { listOrgs, listWorkspaces } from '../documents/workspace-listing'
import type { Exchange } from '../http/exchange'
import type { listedWorkspace } from '../schemas/workspaces'
import { ANSWER_BYTES, cursorAt, readPosition, takeFitting } from './answer-budget'
import { defineTool, type Tool } from './tool'

type Listed = z.output<typeof listedWorkspace>

/** Finds the documents of the caller. */
export const findDocuments: Tool = defineTool({
  name: 'find_documents',
  title: 'Find documents',
  description:
    'Lists the documents that you can access, with their ids, which all other tools take as docId. `query` narrows the list by a part of the name.',
  schema: z.strictObject({
    query: z.string().max(200).optional().describe('Part of the name of the document, in any case'),
    cursor: z.string().optional().describe('`nextCursor` of the previous answer'),
  }),
  async run({ exchange }, { query = '', cursor }) {
    const wanted = query.toLowerCase()
    const start = readPosition(cursor)
    const all = await listDocuments(exchange)
    const found = all.filter(({ name }) => name.toLowerCase().includes(wanted))
    const { items, next } = takeFitting(found, start, ANSWER_BYTES)
    return JSON.stringify({ documents: items, nextCursor: cursorAt(next) })
  },
})

async function listDocuments(exchange: Exchange) {
  const found = []
  for (const { id, name: site } of await listOrgs(exchange)) {
    const org = { org: String(id), site: exchange.site }
    const json = await listWorkspaces(exchange, { org, removed: false })
    for (const { name: workspace, docs } of JSON.parse(json.toString()) as Listed[])
      for (const { uuid, name, access, updatedAt } of docs)
        found.push({ docId: uuid, name, workspace, site, access, updatedAt })
  }
  return found
}
