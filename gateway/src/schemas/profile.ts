import type { Profile as WireProfile } from '@sheaf/protos/sheaf/directory/v1/profile'
import { z } from 'zod'
import { nameText } from './text'

/** The profile of the calling user. */
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

/** The new name of a user. */
export const newName = z.strictObject({
  name: nameText.nullish().meta({ description: 'Required' }),
})

/** Converts a profile to JSON. */
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
