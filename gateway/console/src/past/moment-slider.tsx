import { useQuery } from '@tanstack/react-query'
import { useEffect, useState, type ReactNode } from 'react'
import { Button } from '../components/button'
import { formatTime } from '../components/time'
import { authorOf, describeChange } from '../history/describe-change'
import type { Change } from '../history/history-queries'
import { useCurrentUser } from '../session/session-provider'
import { momentsQuery } from './past-queries'

interface MomentSliderProps {
  readonly docId: string
  /** The seq of the shown moment. */
  readonly seq: number
  /** The change of the shown moment; undefined until it is loaded. */
  readonly change: Change | undefined
  /** Shows another moment. The signal is aborted when one more is selected. */
  readonly onPick: (seq: number, signal: AbortSignal) => Promise<void>
}

/** A moment is read when the slider has rested for this long, because the server makes a file of each. */
const REST_MS = 300

/** Selects a moment: a slider over the changes of the document, and buttons for the neighbours. */
export function MomentSlider({ docId, seq, change, onPick }: MomentSliderProps): ReactNode {
  const { id } = useCurrentUser()
  const { data: moments } = useQuery(momentsQuery(docId))
  const [picked, setPicked] = usePicked(seq, onPick)
  const at = picked ?? seq
  const oldest = Math.min(moments?.oldest ?? seq, seq)
  const latest = Math.max(moments?.latest ?? seq, seq)
  const move = (next: number) => setPicked(Math.min(Math.max(next, oldest), latest))
  const name = `Change ${at.toLocaleString()}`
  const shown = picked === undefined ? change : undefined
  const what = shown && `${authorOf(shown, id)} ${describeChange(shown)}`
  return (
    <div className="moment-slider">
      <Button aria-disabled={at <= oldest || undefined} onClick={() => move(at - 1)}>
        Older
      </Button>
      <input
        type="range"
        aria-label="Moment"
        min={oldest}
        max={latest}
        value={at}
        aria-valuetext={shown ? `${name}, ${formatTime(shown.time)}: ${what}` : name}
        onChange={({ target }) => move(Number(target.value))}
      />
      <Button aria-disabled={at >= latest || undefined} onClick={() => move(at + 1)}>
        Newer
      </Button>
      <span className="moment-label">
        {shown ? (
          <>
            <time dateTime={shown.time}>{formatTime(shown.time)}</time> · {what}
          </>
        ) : (
          name
        )}
      </span>
    </div>
  )
}

/** The moment that was selected and is not shown yet; undefined if there is none. */
function usePicked(
  seq: number,
  onPick: MomentSliderProps['onPick'],
): readonly [number | undefined, (seq: number) => void] {
  const [picked, setPicked] = useState<number>()
  if (picked === seq) setPicked(undefined)
  useEffect(() => {
    if (picked === undefined) return
    const abort = new AbortController()
    const timer = setTimeout(() => void onPick(picked, abort.signal), REST_MS)
    return () => {
      clearTimeout(timer)
      abort.abort()
    }
  }, [picked, onPick])
  return [picked, setPicked]
}
