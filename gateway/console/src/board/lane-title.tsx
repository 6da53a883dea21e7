import type { ReactNode } from 'react'
import { Chip } from '../cells/choice/chips'
import { choiceStyles } from '../formats/choice-style'
import { widgetOptions } from '../formats/widget-options'
import { useBoard } from './board-context'
import type { Lane } from './lanes'

/** The title of a lane; that of a choice in its colours. */
export function LaneTitle({ lane }: { readonly lane: Lane }): ReactNode {
  const { column, titleOf } = useBoard()
  const { value } = lane
  const isChoice = column.fields.type === 'Choice' && typeof value === 'string'
  if (!isChoice) return <span className="lane-text">{titleOf(lane)}</span>
  return <Chip text={value} style={choiceStyles(widgetOptions(column)).get(value)} />
}
