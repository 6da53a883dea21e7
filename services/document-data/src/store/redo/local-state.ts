/**
 * The tables of a document file that redo need not make, each with the reason: a comparison of a document with what
 * its log makes leaves them out. All other tables of a file, with all their columns, are made from its base and its
 * log. Outside of these, automatic indexes and the tables of
 * kept orders are local as well: queries build and drop them.
 */
export const localState: Readonly<Record<string, string>> = {
  _sheaf_state:
    'redo stores publish marks, but a file keeps only the latest; restoring changes the epoch',
  _sheaf_replies: 'redo stores replies to idempotency keys, but a file removes them after 24 hours',
  _sheaf_formulas: 'relations and progress of formulas follow from computing them again',
  _sheaf_lookup_uses: 'keys that formulas look up follow from computing them again',
  _sheaf_due_cells: 'results of trigger formulas that were late are records of their own',
  _sheaf_due_writes: 'authors of the writes that these formulas belong to are not in the log',
  _sheaf_indexes: 'automatic indexes follow from the queries of this copy',
  _sheaf_orders:
    'kept orders, like their tables `_sheaf_order_…`, follow from the sorts of this copy',
  _sheaf_files: 'numbers of contents are local; contents are compared by their hash',
  _sheaf_file_chunks: 'chunks are compared as the contents of attachments',
  _sheaf_attachments: 'links are compared by the hash of the content',
}
