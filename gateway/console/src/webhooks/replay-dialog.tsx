import { useState, type ReactNode } from 'react'
import { useApiMutation } from '../components/use-api-mutation'
import { FormDialog } from '../components/dialog'
import { SelectField, TextField } from '../components/field'
import { replay, webhooksKey, type Webhook } from './webhook-queries'
import { countEvents } from './webhook-state'

interface ReplayDialogProps {
  readonly docId: string
  readonly webhook: Webhook
  readonly onClose: () => void
}

/** What is left to replay. */
interface Rest {
  readonly since: number
  readonly queued: number
}

/** Asks from where the past is sent once more, as often as there is more of it than can wait at once. */
export function ReplayDialog(props: ReplayDialogProps): ReactNode {
  const [rest, setRest] = useState<Rest>()
  return <ReplayForm key={rest?.since} {...props} rest={rest} onRest={setRest} />
}

interface ReplayFormProps extends ReplayDialogProps {
  readonly rest: Rest | undefined
  readonly onRest: (rest: Rest) => void
}

function ReplayForm({ docId, webhook, rest, onRest, onClose }: ReplayFormProps): ReactNode {
  const missedAfter = rest?.since ?? webhook.usage.stoppedSeq
  const [from, setFrom] = useState<'since' | 'sinceTime'>('since')
  const [since, setSince] = useState(String(missedAfter ?? ''))
  const [time, setTime] = useState('')
  const { mutate } = useApiMutation(webhooksKey(docId))
  const send = async () => {
    const start =
      from === 'since' ? { since: Number(since) } : { sinceTime: new Date(time).toISOString() }
    const { queued, nextSeq } = await mutate(
      () => replay(docId, webhook.id, start),
      'What was replayed waits now.',
    )
    if (nextSeq === undefined) onClose()
    else onRest({ since: nextSeq, queued })
  }
  return (
    <FormDialog
      title="Replay changes"
      submit={rest ? 'Go on' : 'Replay'}
      canSubmit={from === 'since' ? /^\d{1,15}$/.test(since) : time !== ''}
      staysOpen
      onClose={onClose}
      onSubmit={send}
    >
      <p className="note" role="status">
        {rest
          ? `${countEvents(rest.queued)} There is no room for more now; go on from here once they are sent.`
          : 'Sends the events of changes that were made already, ahead of what waits. Receivers may get some of them a second time.'}
      </p>
      <SelectField
        label="From"
        value={from}
        options={[
          ['since', 'a change of the log on'],
          ['sinceTime', 'a time on'],
        ]}
        onChange={({ target }) => setFrom(target.value as typeof from)}
      />
      {from === 'since' ? (
        <TextField
          label="After change"
          hint="The number of the last change that is not replayed; 0 for all. The history tells the numbers."
          inputMode="numeric"
          value={since}
          onChange={({ target }) => setSince(target.value.trim())}
        />
      ) : (
        <TextField
          type="datetime-local"
          label="Time"
          hint="Where you are."
          value={time}
          onChange={({ target }) => setTime(target.value)}
        />
      )}
    </FormDialog>
  )
}
