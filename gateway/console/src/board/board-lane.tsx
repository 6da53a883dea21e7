import { useRef, useState, type DragEvent, type ReactNode } from 'react'
import { Button } from '../components/button'
import { ErrorNote } from '../components/states'
import { useToaster } from '../components/toast'
import { useBoard } from './board-context'
import { LaneCards } from './lane-cards'
import { LaneTitle } from './lane-title'
import type { Lane } from './lanes'
import { useIsNear } from './use-is-near'
import { useLaneRows } from './use-lane-rows'

interface LaneProps {
  readonly lane: Lane
}

/** A lane of a board, which takes cards that are dragged to it. Its rows are read once it is close to the visible part. */
export function BoardLane({ lane }: LaneProps): ReactNode {
  const { canMove, titleOf } = useBoard()
  const ref = useRef<HTMLElement>(null)
  const isNear = useIsNear(ref)
  const { isOver, ...handlers } = useDropTarget(lane)
  return (
    <section
      ref={ref}
      className={isOver ? 'board-lane over' : 'board-lane'}
      data-key={lane.key}
      aria-label={titleOf(lane)}
      {...handlers}
    >
      {isNear ? <LoadedLane lane={lane} /> : <LaneHead lane={lane} />}
      {canMove && <AddCard lane={lane} />}
    </section>
  )
}

function LoadedLane({ lane }: LaneProps): ReactNode {
  const rows = useLaneRows(lane)
  const { count, error, store } = rows
  return (
    <>
      <LaneHead lane={lane} count={count} />
      {error === undefined || count !== undefined ? null : (
        <div className="lane-error">
          <ErrorNote error={error} />
          <Button onClick={() => store.retry()}>Try again</Button>
        </div>
      )}
      <LaneCards lane={lane} rows={rows} />
    </>
  )
}

function LaneHead({ lane, count }: LaneProps & { readonly count?: number }): ReactNode {
  return (
    <header className="lane-head">
      <h2>
        <LaneTitle lane={lane} />
      </h2>
      {count !== undefined && (
        <span
          className="lane-count"
          title={`${count.toLocaleString()} ${count === 1 ? 'card' : 'cards'}`}
        >
          {count.toLocaleString()}
        </span>
      )}
    </header>
  )
}

function AddCard({ lane }: LaneProps): ReactNode {
  const { add, titleOf } = useBoard()
  const toaster = useToaster()
  const [isBusy, setBusy] = useState(false)
  const handleClick = async () => {
    setBusy(true)
    try {
      await add(lane)
    } catch (error) {
      toaster.showError(error)
    } finally {
      setBusy(false)
    }
  }
  return (
    <Button
      kind="quiet"
      className="lane-add"
      isBusy={isBusy}
      aria-label={`Add card: ${titleOf(lane)}`}
      onClick={() => void handleClick()}
    >
      + Add card
    </Button>
  )
}

/** Moves a card that is dropped on a lane. */
function useDropTarget(lane: Lane) {
  const { dragged, setDragged, move } = useBoard()
  const [isEntered, setEntered] = useState(false)
  return {
    isOver: isEntered && dragged !== undefined,
    onDragOver(event: DragEvent) {
      if (!dragged) return
      event.preventDefault()
      event.dataTransfer.dropEffect = 'move'
      setEntered(true)
    },
    onDragLeave({ currentTarget, relatedTarget }: DragEvent) {
      if (!(relatedTarget instanceof Node) || !currentTarget.contains(relatedTarget))
        setEntered(false)
    },
    onDrop(event: DragEvent) {
      setEntered(false)
      if (!dragged) return
      event.preventDefault()
      setDragged(undefined)
      move(dragged, lane, false)
    },
  }
}
