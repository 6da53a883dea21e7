import { createHash } from 'node:crypto'
import type { GristFile } from '@sheaf/testkit/grist-file'

/** Contents of the attachments of `gristStore`: text, and every byte. */
export const storeFiles = {
  'prices.txt': Buffer.from('Fruit 1.50 €\n'),
  'label.bin': Buffer.from(Array.from({ length: 70_000 }, (_, i) => i % 256)),
} as const

/** SHA-256 of a content, in hexadecimal. */
export const hashOf = (bytes: Uint8Array): string =>
  createHash('sha256').update(bytes).digest('hex')

const fx = (id: string, type: string, formula: string) => ({ id, type, isFormula: true, formula })

/** A document of Grist with two attachments. The results of its formulas are those that Grist had computed. */
export const gristStore: GristFile = {
  attachments: Object.entries(storeFiles).map(([name, bytes]) => ({ name, bytes })),
  tables: [
    {
      id: 'Cats',
      columns: [
        { id: 'Name', type: 'Text' },
        { id: 'Rate', type: 'Numeric' },
        fx('Sum', 'Numeric', 'SUM(Items.lookupRecords(cat=$id).total)'),
        fx('Tax', 'Numeric', '$Sum * $Rate'),
        fx('N', 'Int', 'len(Items.lookupRecords(cat=$id))'),
        fx('Top', 'Ref:Items', 'Items.lookupOne(cat=$id, order_by="-total")'),
        { id: 'Files', type: 'Attachments' },
      ],
      rows: [
        [1, 'Fruit', 0.1, 4, 0.4, 2, 1, ['L', 1, 2]],
        [2, 'Veg', 0.2, 10, 2, 1, 2, null],
      ],
    },
    {
      id: 'Items',
      columns: [
        { id: 'qty', type: 'Int' },
        { id: 'price', type: 'Numeric' },
        { id: 'cat', type: 'Ref:Cats' },
        fx('total', 'Numeric', '$qty * $price'),
        fx('label', 'Text', '"%s x%d" % ($cat.Name, $qty)'),
        fx('share', 'Numeric', '$total / $cat.Sum'),
        fx('taxed', 'Any', '$total + $total * $cat.Rate'),
      ],
      rows: [
        [1, 2, 1.5, 1, 3, 'Fruit x2', 0.75, 3.3],
        [2, 1, 10, 2, 10, 'Veg x1', 1, 12],
        [3, 4, 0.25, 1, 1, 'Fruit x4', 0.25, 1.1],
      ],
    },
    {
      id: 'Grand',
      columns: [
        { id: 'note', type: 'Text' },
        fx('all', 'Numeric', 'SUM(Cats.all.Tax)'),
        fx('best', 'Text', 'Cats.lookupOne(order_by="-Sum").Name'),
        fx('rows', 'Int', 'len(Items.all)'),
      ],
      rows: [[1, 'g', 2.4, 'Veg', 3]],
    },
  ],
}
