import { z } from 'zod'
import { toPayloadError } from './validation-errors'

const schema = z.strictObject({
  name: z.string().optional(),
  fields: z.array(z.strictObject({ help: z.string().optional() })).optional(),
})

function errorOf(body: unknown) {
  const { error } = schema.safeParse(body)
  if (!error) throw new Error('the schema accepts the body')
  return toPayloadError(error, body)
}

describe('a property that a body does not have', () => {
  it('is named with its place when it is nested', () => {
    expect(errorOf({ fields: [{}, { hlp: '' }] })).toMatchObject({
      reason: 'UNKNOWN_PROPERTY',
      message: 'unrecognized property body.fields[1].hlp',
      metadata: { field: 'body.fields[1].hlp' },
    })
  })

  it('is named alone at the top, as clients of the Grist API expect', () => {
    expect(errorOf({ bogus: 1 })).toMatchObject({
      message: 'unrecognized property bogus',
      metadata: { field: 'body.bogus' },
    })
  })
})
