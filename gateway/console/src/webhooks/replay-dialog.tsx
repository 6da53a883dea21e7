import type { Webhook } from '@sheaf/client'
import { useState, type ReactNode } from 'react'
import { docOf } from '../api/sheaf'
import { useApiMutation } from '../components/use-api-mutation'
import { FormDialog } from '../components/overlays/dialog'
import { SelectField, TextField } from '../components/field'
import { lastDates } from '../formats/date'
import { webhooksKey } from './webhook-queries'
import { countEvents } from './webhook-state'

interface ReplayDialogProps {
  readonly docId: string
  readonly webhook: Webhook
  readonly onClose: () => void
}

/** The part of a replay that did not fit into the queue. */
interface Remainder {
  readonly since: number
  readonly queued: number
}

/** Replays past changes. Stays open while there are more events than fit into the queue. */
export function ReplayDialog(props: ReplayDialogProps): ReactNode {
  const [remainder, setRemainder] = useState<Remainder>()
  return (
    <ReplayForm
      key={remainder?.since}
      {...props}
      remainder={remainder}
      onRemainder={setRemainder}
    />
  )
}

interface ReplayFormProps extends ReplayDialogProps {
  readonly remainder: Remainder | undefined
  readonly onRemainder: (remainder: Remainder) => void
}

function ReplayForm({
  docId,
  webhook,
  remainder,
  onRemainder,
  onClose,
}: ReplayFormProps): ReactNode {
  const missedAfter = remainder?.since ?? webhook.usage.stoppedSeq
  const [from, setFrom] = useState<'since' | 'sinceTime'>('since')
  const [since, setSince] = useState(String(missedAfter ?? ''))
  const [time, setTime] = useState('')
  const { mutate } = useApiMutation(webhooksKey(docId))
  const send = async () => {
    const start =
      from === 'since' ? { since: Number(since) } : { sinceTime: new Date(time).toISOString() }
    const { queued, nextSeq } = await mutate(
      () => docOf(docId).webhooks.replay(webhook.id, start),
      'Events queued.',
    )
    if (nextSeq === undefined) onClose()
    else onRemainder({ since: nextSeq, queued })
  }
  return (
    <FormDialog
      title="Replay changes"
      submit={remainder ? 'Continue' : 'Replay'}
      canSubmit={from === 'since' ? /^\d{1,15}$/.test(since) : time !== ''}
      staysOpen
      onClose={onClose}
      onSubmit={send}
    >
      <p className="note" role="status">
        {remainder
          ? `${countEvents(remainder.queued)} The queue is full. Continue from here when they have been sent.`
          : 'Sends the events of past changes, before pending events. Receivers may get some events twice.'}
      </p>
      <SelectField
        label="Start at"
        value={from}
        options={[
          ['since', 'Change number'],
          ['sinceTime', 'Time'],
        ]}
        onChange={({ target }) => setFrom(target.value as typeof from)}
      />
      {from === 'since' ? (
        <TextField
          label="After change"
          hint="The number of the last change not to replay; 0 for all. The history shows the numbers."
          inputMode="numeric"
          value={since}
          onChange={({ target }) => setSince(target.value.trim())}
        />
      ) : (
        <TextField
          type="datetime-local"
          label="Time"
          hint="In your local time zone."
          value={time}
          max={lastDates['datetime-local']}
          onChange={({ target }) => setTime(target.value)}
        />
      )}
    </FormDialog>
  )
}
