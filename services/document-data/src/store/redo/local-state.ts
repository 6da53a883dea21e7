/**
 * The tables of a document file that redo does not make, each with the reason. All other tables of a file are
 * made from its base and its log, and `compareDocuments` compares them. Outside of tables, automatic indexes
 * and the tables of kept orders are local as well: queries build and drop them.
 */
export const localState: Readonly<Record<string, string>> = {
  _sheaf_log: 'the log is what redo reads',
  _sheaf_state: 'the epoch and the publishing marks belong to this copy of the document',
  _sheaf_replies: 'replies to idempotency keys change no content',
  _sheaf_formulas: 'relations and progress of formulas follow from computing them again',
  _sheaf_lookup_uses: 'keys that formulas look up follow from computing them again',
  _sheaf_indexes: 'automatic indexes follow from the queries of this copy',
  _sheaf_orders:
    'orders that are kept follow from the sorts of this copy, as do their tables _sheaf_order_…',
  _sheaf_files: 'numbers of contents are local; contents are compared by their hash',
  _sheaf_file_chunks: 'chunks are compared as the contents of attachments',
  _sheaf_attachments: 'links are compared by the hash of the content',
}
