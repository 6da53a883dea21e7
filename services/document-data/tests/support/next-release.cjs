// Preloaded into a process of document-data, which is then of the next release: it has one additive migration more.
const { migrations } = require('../../dist/store/sqlite/migrations/all.js')

migrations.push('CREATE TABLE _sheaf_next (id INTEGER PRIMARY KEY)')
