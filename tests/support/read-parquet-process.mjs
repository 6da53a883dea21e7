// Prints columns, rows and metadata of a Parquet file as JSON: dates in milliseconds, 64-bit numbers as numbers. A process of its
// own, because WebAssembly does not return memory.

import { Blob } from 'node:buffer'
import { readFile } from 'node:fs/promises'
import { tableFromIPC } from 'apache-arrow'
import { ParquetFile, readParquet } from 'parquet-wasm'

const bytes = await readFile(process.argv[2])
const table = tableFromIPC(readParquet(bytes).intoIPCStream())
const file = await ParquetFile.fromFile(new Blob([bytes]))
const content = {
  columns: table.schema.fields.map(({ name }) => name),
  rows: table.toArray(),
  metadata: Object.fromEntries(file.metadata().fileMetadata().keyValueMetadata()),
}
const toJson = (_, value) => (typeof value === 'bigint' ? Number(value) : value)
process.stdout.write(JSON.stringify(content, toJson))
