import type { Profile as WireProfile } from '@sheaf/protos/sheaf/directory/v1/profile'
import { z } from 'zod'
import { nameText } from './text'

/** What users see of themselves. */
export const profile = z
  .object({
    id: z.int(),
    email: z.string(),
    loginEmail: z.string().meta({ description: 'The same address' }),
    name: z.string(),
    picture: z.string().nullable(),
    anonymous: z.literal(true).optional().meta({ description: 'Only for the anonymous user' }),
  })
  .meta({ id: 'Profile' })

/** What renames a user. */
export const newName = z.strictObject({
  name: nameText.nullish().meta({ description: 'Required' }),
})

/** A profile as REST shows it. */
export function toProfile(user: WireProfile): z.output<typeof profile> {
  const { id, email, name, picture, anonymous } = user
  return {
    id,
    email,
    loginEmail: email,
    name,
    picture: picture ?? null,
    ...(anonymous && { anonymous }),
  }
}
