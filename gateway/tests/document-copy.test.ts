import type { DiscardDocumentRequest } from '@sheaf/protos/sheaf/directory/v1/documents'
import { createRest } from '@sheaf/testkit/rest'
import { DOC, startStubbedGateway } from './support/stub-services'

describe('a copy of a document', () => {
  it('is discarded when its home does not create it, and not published', async () => {
    const reserved: string[] = []
    const discarded: string[] = []
    let isPublished = false
    await using system = await startStubbedGateway({
      documents: {
        createDocument: async () => {
          const made = await system.access.grantNew()
          reserved.push(made.document?.docId ?? '')
          return made
        },
        discardDocument: async ({ docId }: DiscardDocumentRequest) => {
          discarded.push(docId)
          return {}
        },
        publishDocument: async () => {
          isPublished = true
          return {}
        },
      },
    })
    // The home has no calls that export and create documents.
    const body = { workspaceId: 1, documentName: 'Copy' }
    const reply = await createRest(system.url, 'alice-key').post(`/api/docs/${DOC}/copy`, { body })
    expect(reply.status).toBeGreaterThanOrEqual(500)
    expect(reserved).toHaveLength(1)
    expect({ discarded, isPublished }).toEqual({ discarded: reserved, isPublished: false })
  })
})
