import { z } from 'zod'

/** How many items a list may have. */
interface Bounds {
  readonly min: number
  readonly max: number
}

/**
 * A list within bounds. The upper one is checked before the items are: each item at fault costs memory, and there is
 * room for millions in a body.
 */
export function listOf<T extends z.ZodType>(
  item: T,
  { min, max }: Bounds,
): z.ZodPreprocess<z.ZodArray<T>> {
  return z.preprocess((value, context) => {
    if (Array.isArray(value) && value.length > max)
      context.addIssue({ code: 'custom', message: `has more than ${max} items` })
    return value
  }, z.array(item).min(min))
}
