import { NotFoundError, RateLimitedError, Sheaf, SheafError } from '@sheaf/client'
import { server } from '../api/session'
import { describeError } from '../components/states'
import type { ShownForm } from '../form/answers'

/** The client of people who need no account; the server ignores the session that they may have. */
const client = new Sheaf({ ...server, headers: () => ({ 'X-Requested-With': 'XMLHttpRequest' }) })

const pathOf = (key: string) => `/api/forms/${encodeURIComponent(key)}`

/** Reads a form. */
export const readForm = (key: string): Promise<ShownForm> =>
  client.request<ShownForm>({ method: 'GET', path: pathOf(key) })

/** What was entered, and the key by which a repetition adds no second row. */
export interface Sending {
  readonly fields: Readonly<Record<string, unknown>>
  readonly idempotencyKey: string
}

/** Sends what was entered. */
export async function sendForm(key: string, { fields, idempotencyKey }: Sending): Promise<void> {
  await client.request<null>({
    method: 'POST',
    path: `${pathOf(key)}/rows`,
    json: { fields },
    headers: { 'Idempotency-Key': idempotencyKey },
    isRepeatable: true,
  })
}

/** The field that the server has refused, if any. */
export function refusedField(error: unknown): string | undefined {
  const field = error instanceof SheafError ? error.details.field : undefined
  return typeof field === 'string' ? field : undefined
}

/** Says to people who do not know Sheaf what went wrong. */
export function sendFault(error: unknown): string {
  if (error instanceof NotFoundError) return 'This form is no longer open, so nothing was sent.'
  if (error instanceof RateLimitedError)
    return 'Too many answers were sent from your network. Wait a minute and try again.'
  return `${describeError(error)} Nothing that you entered is lost.`
}
