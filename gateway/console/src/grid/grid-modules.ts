import {
  CellStyleModule,
  ColumnApiModule,
  ColumnAutoSizeModule,
  CustomEditorModule,
  HighlightChangesModule,
  InfiniteRowModelModule,
  ModuleRegistry,
  RenderApiModule,
  RowApiModule,
  RowSelectionModule,
  RowStyleModule,
  ScrollApiModule,
  TextEditorModule,
  TooltipModule,
} from 'ag-grid-community'
import { ScaledHeightsModule } from './scrolling/scaled-heights'
import 'ag-grid-community/styles/ag-grid.css'

/** Registers only the AG Grid modules in use, to keep the bundle small. */
export function registerModules(): void {
  ModuleRegistry.registerModules([
    CellStyleModule,
    ColumnApiModule,
    ColumnAutoSizeModule,
    CustomEditorModule,
    HighlightChangesModule,
    InfiniteRowModelModule,
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
