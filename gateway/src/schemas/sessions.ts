import type { Session } from '@sheaf/protos/sheaf/directory/v1/sessions'
import { z } from 'zod'
import { nameBrowser } from '../sign-in/browser-name'

const time = z.string().meta({ format: 'date-time' })

/** A browser session, as its user sees it. */
export const userSession = z
  .object({
    id: z.int(),
    isCurrent: z.boolean().meta({ description: 'True for the session that asks' }),
    browser: z.string().nullable().meta({ description: 'Such as Firefox; null when not known' }),
    system: z.string().nullable().meta({ description: 'Such as Windows; null when not known' }),
    userAgent: z
      .string()
      .meta({ description: 'What the browser called itself, at most 256 characters' }),
    createdAt: time,
    lastUsedAt: time.meta({ description: 'Exact to a minute' }),
    expiresAt: time.meta({ description: 'When it ends unless it is used before' }),
  })
  .meta({ id: 'UserSession' })

/** Converts a session to JSON. */
export function toUserSession(session: Session): z.output<typeof userSession> {
  const { id, isCurrent, userAgent, createdAt, lastUsedAt, expiresAt } = session
  return { id, isCurrent, ...nameBrowser(userAgent), userAgent, createdAt, lastUsedAt, expiresAt }
}
