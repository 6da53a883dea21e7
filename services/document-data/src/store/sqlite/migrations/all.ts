import { sql as init } from './001-init'
import { sql as refs } from './002-refs'
import { sql as repliesSize } from './003-replies-size'
import { sql as files } from './004-files'
import { sql as logChecksum } from './005-log-checksum'
import { sql as recordPositions } from './006-record-positions'
import { sql as formulas } from './007-formulas'
import { sql as recordTimes } from './008-record-times'
import { sql as orders } from './009-orders'
import { sql as dueCells } from './010-due-cells'
import { sql as terms } from './011-terms'
import { sql as origins } from './012-origins'
import { sql as keys } from './013-keys'
import { sql as views } from './014-views'
import { sql as viewGroups } from './015-view-groups'

/**
 * Append-only, never edited after a release; `user_version` of a file is the number of applied migrations.
 */
export const migrations: readonly string[] = [
  init,
  refs,
  repliesSize,
  files,
  logChecksum,
  recordPositions,
  formulas,
  recordTimes,
  orders,
  dueCells,
  terms,
  origins,
  keys,
  views,
  viewGroups,
]
