import { z } from 'zod'
import { listOf } from './list'
import { text } from './text'

const setting = (description: string) => text.optional().meta({ description })

const settingsField = z
  .strictObject({
    id: text.describe(
      'Column id. The column must not have a formula, nor references or attachments.',
    ),
    label: setting('Question, at most 200 characters; empty for the label of the column'),
    help: setting('Explanation below the question, at most 1,000 characters'),
    required: z.boolean().optional().describe('Whether the form cannot be sent without a value'),
    multiline: z.boolean().optional().describe('Whether a text may have several lines'),
  })
  .meta({ id: 'FormSettingsField', description: 'Question of a form as it is set up' })

/** What a form asks, as its editors set it up. */
export const formSettings = z
  .strictObject({
    title: setting('Heading, at most 200 characters; empty for the name of the view'),
    description: setting('Introduction, at most 5,000 characters'),
    submit: setting('Text of the button, at most 50 characters; empty for the usual one'),
    message: setting('Shown once the form was sent, at most 2,000 characters'),
    again: z.boolean().optional().describe('Whether the form is offered again once it was sent'),
    fields: listOf(settingsField, { min: 0, max: 200 })
      .optional()
      .describe('Questions in order; each column at most once'),
  })
  .meta({ id: 'FormSettings', description: 'Set-up of a form' })

/** What was entered in a form. */
export const formRow = z.strictObject({
  fields: z.record(z.string(), z.unknown()).meta({
    description:
      'Values by column id: text, numbers, `true` and `false`, dates as `2026-03-01`, dates with times as `2026-03-01T09:30`, choices, and lists of choices. Fields without an answer are absent or null.',
    example: { Name: 'Ada', Guests: 2 },
  }),
})

const formField = z
  .object({
    id: z.string().describe('Column id, by which the value is sent'),
    label: z.string().describe('Question'),
    help: z.string().describe('Explanation; empty for none'),
    required: z
      .boolean()
      .describe('Whether a value is needed; a required field of type `Bool` must be true'),
    type: z
      .enum(['Text', 'Numeric', 'Int', 'Bool', 'Date', 'DateTime', 'Choice', 'ChoiceList'])
      .describe('Type of the value'),
    multiline: z.boolean().describe('Whether a text may have several lines'),
    choices: z
      .array(z.string())
      .optional()
      .describe('Only values of a `Choice` or `ChoiceList`; absent for other types'),
    timeZone: z
      .string()
      .optional()
      .describe('Time zone of a `DateTime` that is sent without an offset; absent for other types'),
    percent: z
      .literal(true)
      .optional()
      .describe(
        'Present for a number that people read as a percentage: the value 0.5 is shown as 50 %',
      ),
  })
  .meta({ id: 'FormField', description: 'Question of a form' })

/** A form as people see it. */
export const form = z
  .object({
    title: z.string().describe('Heading'),
    description: z.string().describe('Introduction; empty for none'),
    submit: z.string().describe('Text of the button; empty for the usual one'),
    message: z.string().describe('Shown once the form was sent; empty for the usual text'),
    again: z.boolean().describe('Whether the form is offered again once it was sent'),
    fields: z.array(formField).describe('Questions in order'),
  })
  .meta({ id: 'Form', description: 'Form with what is needed to fill it in' })

const link = z
  .object({
    key: z.string().describe('Secret by which the form is read and sent without signing in'),
    url: z.string().describe('Address of the page of the form'),
    createdAt: z.iso.datetime().describe('Since when the link works'),
  })
  .meta({ id: 'FormLink', description: 'Link by which everyone who has it can use a form' })

/** The link of a form. */
export const formLink = z.object({
  link: link.nullable().describe('The link; null for a form that is not shared'),
})

/** How a form gets its link. */
export const newFormLink = z.strictObject({
  renew: z
    .boolean()
    .default(false)
    .describe('True to replace a link that exists, which then no longer works'),
})

/** Path parameters of the form of a key. */
export const formKeyParams = z.object({
  formKey: text.meta({
    description: 'Key of the form',
    example: 'q1Zk8bUY0m3vJcWl7xTn2pRs5dGhE6aF',
  }),
})
