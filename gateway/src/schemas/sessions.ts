import type { Session } from '@sheaf/protos/sheaf/directory/v1/sessions'
import { z } from 'zod'
import { nameBrowser } from '../sign-in/browser-name'

const time = z.string().meta({ format: 'date-time' })

/** A browser session, as shown to its user. */
export const userSession = z
  .object({
    id: z.int().describe('Integer id of the session'),
    isCurrent: z.boolean().meta({ description: 'True for the session of this request' }),
    browser: z
      .string()
      .nullable()
      .meta({ description: 'Browser, such as Firefox; null if unknown' }),
    system: z
      .string()
      .nullable()
      .meta({ description: 'Operating system, such as Windows; null if unknown' }),
    userAgent: z.string().meta({ description: '`User-Agent` at sign-in, at most 256 characters' }),
    createdAt: time.describe('Time of sign-in'),
    lastUsedAt: time.meta({ description: 'Accurate to one minute' }),
    expiresAt: time.meta({ description: 'Expiry time if the session is not used before' }),
  })
  .meta({ id: 'UserSession', description: 'Browser session of a user' })

/** Converts a session to its JSON. */
export function toUserSession(session: Session): z.output<typeof userSession> {
  const { id, isCurrent, userAgent, createdAt, lastUsedAt, expiresAt } = session
  return { id, isCurrent, ...nameBrowser(userAgent), userAgent, createdAt, lastUsedAt, expiresAt }
}
