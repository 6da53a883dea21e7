import {
  CellStyleModule,
  ColumnApiModule,
  ColumnAutoSizeModule,
  CustomEditorModule,
  HighlightChangesModule,
  InfiniteRowModelModule,
  ModuleRegistry,
  PinnedRowModule,
  RenderApiModule,
  RowApiModule,
  RowSelectionModule,
  RowStyleModule,
  ScrollApiModule,
  TextEditorModule,
  TooltipModule,
} from 'ag-grid-community'
import { BLOCK_ROWS } from './rows/row-blocks'
import { FocusModule } from './moves/focus-module'
import { ScaledHeightsModule } from './scrolling/scaled-heights'
import 'ag-grid-community/styles/ag-grid.css'

/** Rows drawn until the row count is known: each would be drawn once more with its cells. */
const INITIAL_ROWS = 1
/** Blocks cached by AG Grid. Others are requested from the row store again. */
const MAX_BLOCKS = 24
/** How the grid keeps blocks of rows. */
export const cacheOptions = {
  cacheBlockSize: BLOCK_ROWS,
  maxBlocksInCache: MAX_BLOCKS,
  maxConcurrentDatasourceRequests: MAX_BLOCKS * 4,
  infiniteInitialRowCount: INITIAL_ROWS,
}

/** Registers only the AG Grid modules in use, to keep the bundle small. */
export function registerModules(): void {
  ModuleRegistry.registerModules([
    CellStyleModule,
    ColumnApiModule,
    ColumnAutoSizeModule,
    CustomEditorModule,
    FocusModule,
    HighlightChangesModule,
    InfiniteRowModelModule,
    PinnedRowModule,
    RenderApiModule,
    RowApiModule,
    RowSelectionModule,
    RowStyleModule,
    ScaledHeightsModule,
    ScrollApiModule,
    TextEditorModule,
    TooltipModule,
  ])
}
