import type { Moment } from '@sheaf/protos/sheaf/document_data/v1/options'
import { z } from 'zod'

/** What a moment must be, as the end of a sentence. */
export const MOMENT_FORM = 'must be the seq of a change, or a time by RFC 3339'

const SEQ = /^[1-9]\d{0,14}$/
const time = z.iso.datetime({ offset: true })

/** Parses a moment: the seq of a change, or a time by RFC 3339; undefined for anything else. */
export function parseMoment(text: string): Moment | undefined {
  if (SEQ.test(text)) return { moment: { $case: 'seq', value: Number(text) } }
  // In a query that is not encoded, the plus sign of an offset stands for a space.
  const parsed = time.safeParse(text.replace(/ (?=\d\d:\d\d$)/, '+'))
  return parsed.success ? { moment: { $case: 'time', value: Date.parse(parsed.data) } } : undefined
}

/** A moment of a document in a body. */
export const moment = z
  .union([z.number(), z.string()])
  .refine((given) => parseMoment(String(given)) !== undefined, MOMENT_FORM)
  .meta({
    description: 'A moment: the `seq` of a change, or a time by RFC 3339',
    example: '2026-11-24T09:30:00Z',
  })
