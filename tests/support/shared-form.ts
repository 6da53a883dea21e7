import { randomUUID } from 'node:crypto'
import type { AccessWorld } from './access-world'

/** A new form of the shared document, with a link. */
export async function sharedForm({
  rest,
  target,
}: AccessWorld): Promise<{ viewId: number; formKey: string }> {
  const doc = `/api/docs/${target.docId}`
  const fields = { name: randomUUID(), type: 'form', form: { fields: [{ id: 'A' }] } }
  const body = { views: [{ fields }] }
  const added = await rest.owner.post<{ views: { id: number }[] }>(`${doc}/tables/T/views`, {
    body,
  })
  const viewId = added.body.views[0]?.id ?? 0
  const link = await rest.owner.post<{ link: { key: string } }>(`${doc}/forms/${viewId}/link`, {
    body: {},
  })
  return { viewId, formKey: link.body.link.key }
}
