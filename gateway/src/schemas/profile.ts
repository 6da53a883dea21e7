import type { Profile as WireProfile } from '@sheaf/protos/sheaf/directory/v1/profile'
import { z } from 'zod'
import { nameText } from './text'

/** The profile of the calling user. */
export const profile = z
  .object({
    id: z.int().describe('Integer id of the user'),
    email: z.string().describe('Email address of the user'),
    loginEmail: z.string().meta({ description: 'Same as `email`' }),
    name: z.string().describe('Name of the user'),
    picture: z.string().nullable().describe('URL of a picture; null for none'),
    anonymous: z.literal(true).optional().meta({ description: 'Present for the anonymous user' }),
  })
  .meta({ id: 'Profile', description: 'Profile of a user' })

/** Body of renaming a user. */
export const newName = z.strictObject({
  name: nameText.nullish().meta({ description: 'New name. Required.' }),
})

/** Converts a profile to its JSON. */
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
