// Permitted imports between folders. Type-only imports count as well, since they couple folders in the same
// way.
'use strict'

const rule = (name, comment, from, to) => ({ name, comment, severity: 'error', from, to })

/** The root folder of a package, captured as `$1`. */
const anyPackage = '^((?:packages|services)/[^/]+|gateway(?:/console)?|protos|tests|bench)/'
const isTest = '\\.test\\.ts$|^(services/[^/]+|packages/[^/]+|gateway)/tests/'

/**
 * The folders of each source tree in dependency order: each folder imports only those listed before it, so no
 * cycles can form. Files next to the folders are named with their extension.
 */
const halls = {
  'packages/kit/src': `
    backoff.ts config.ts near-miss.ts setting-names.ts errors.ts payload-error.ts truncate-text.ts json-search.ts version.ts make-folder.ts
    log-limit.ts log-output.ts logger.ts fair-share.ts fair-queue.ts grouped-calls.ts wait-for-drain.ts
    telemetry tls.ts nats.ts nats-stream.ts postgres rpc multiplex grpc lifecycle.ts`,
  'services/directory/src': `
    access config.ts db/migrations db credential-use.ts leases metrics.ts outbox context.ts
    handlers maintenance.ts service.ts main.ts`,
  'services/document-data/src': `
    file-names.ts identifiers.ts quoting json values export formats query store moments replication processes evaluator formulas sql bodies changes import
    admission.ts event-loop-delay.ts write-trace.ts formula-metrics.ts presence.ts metrics.ts open-replication.ts documents.ts key-writes.ts config.ts directory-clients.ts context.ts heartbeat.ts
    handlers check.ts service.ts main.ts`,
  'services/document-data/src/values': `
    unknown-type.ts column-type.ts numbers tagged-text.ts list-storage.ts dates python-text.ts column-types
    column-types.ts upload-time.ts convert-value.ts guessing error-cells.ts logged-cells.ts`,
  'services/document-data/src/store': `
    sqlite/migrations sqlite log schema indexes reads document.ts document-access.ts
    views structure records forms batch attachments redo past integrity revert feed compare exports workers documents`,
  'services/document-data/src/replication': `
    objects record-body.ts file-position.ts home-lease.ts peer-copies.ts redo-tail.ts document-copies.ts opening.ts
    snapshot-jobs.ts leaving-documents.ts adoption.ts release.ts format-migration.ts document-heads.ts local-documents.ts deleted-documents.ts resting-files.ts replicated-documents.ts homes`,
  'services/document-data/src/replication/objects': `
    object-store.ts in-turn.ts folder-store.ts s3-store.ts open-objects.ts reported-store.ts stored-files.ts kept-contents.ts`,
  'services/document-data/src/replication/homes': `
    lease-thread.ts lease-thread-program.ts not-replicated.ts adoptions.ts hand-overs.ts balanced-documents.ts
    home-balance.ts open-homes.ts`,
  'packages/document-log/src': `
    migrations schema.ts append-error.ts append-statement.ts statement-error.ts log-connection.ts
    append-lane.ts record-appender.ts log-database.ts heads.ts deleted-heads.ts`,
  'packages/formula-text/src': `
    formula-tree.ts call-arguments.ts scopes.ts value-type.ts inference.ts name-uses.ts rename.ts
    unknown-names.ts`,
  'packages/client/src': `
    errors.ts retry-policy.ts cancellation.ts idempotency-key.ts call-options.ts http-request.ts xhr-transport.ts transport.ts connection.ts
    document-types.ts selection.ts groups.ts resources.ts change.ts presence.ts dry-run.ts batch.ts columns.ts views.ts table.ts event-stream.ts change-feed.ts
    attachments.ts imports.ts webhooks.ts history.ts document.ts workspaces.ts documents.ts sheaf.ts index.ts`,
  'services/webhook/src': `
    matching targets db/migrations db document-calls.ts webhooks
    config.ts notifier.ts metrics.ts context.ts changes delivery handlers service.ts main.ts`,
  'gateway/src': `
    access limits clients sign-in metrics.ts config.ts context.ts schemas
    http document-types routing documents comparison pages openapi middleware mcp routes app.ts service.ts main.ts`,
  'packages/cli/src': `
    cli-error.ts operator.ts settings.ts run-file.ts target.ts sheaf.ts workspace.ts backup terminal.ts progress-bar.ts doctor
    import csv load sign-in-link.ts webhooks instances history mcp commands program.ts main.ts`,
  'bench/src': `
    load process-usage.ts target.ts statistics.ts workloads.ts in-turn.ts machine.ts options.ts report.ts
    formulas modes optimizations plain profile-preload.ts measures.ts main.ts`,
  'gateway/console/src': `
    api components components/overlays session layout access sample formats form public-form import sites reference document-context live presence undo writes/table writes/storage writes writes/unsaved home
    cells/editing cells/choice cells/date cells/reference cells/attachments cells formulas structure/choices structure/columns structure
    grid/rows grid/view grid/groups grid/moves grid/filter grid/clipboard grid/composition grid/ranges grid/arrangement grid/grouping grid/views grid/columns grid/presence grid/search grid/row-panel grid/live-rows grid/editing grid/formula-bar grid/header-menu grid/row-commands grid board form-editor history profile past webhooks document palette styles
    app.tsx main.tsx form-main.tsx`,
}

/**
 * Returns a pattern for one entry of a tree: a file, or a folder without its subfolders that are entries
 * themselves.
 */
function roomPattern(hall, room, rooms) {
  if (/\.tsx?$/.test(room)) return `^${hall}/${room.replace('.', '\\.')}$`
  const inner = rooms.filter((other) => other.startsWith(`${room}/`))
  return `^${hall}/${room}/${inner.map((other) => `(?!${other.slice(room.length + 1)}/)`).join('')}`
}

/**
 * For each entry a rule that forbids imports of later entries, and one rule for folders that are not listed.
 */
const hallRules = Object.entries(halls).flatMap(([hall, list]) => {
  const rooms = list.trim().split(/\s+/)
  const patterns = rooms.map((room) => roomPattern(hall, room, rooms))
  const order = rooms
    .slice(0, -1)
    .map((room, index) =>
      rule(
        `order-of-${hall}`,
        `${room} imports only what stands before it in the list of rooms.`,
        { path: patterns[index], pathNot: isTest },
        { path: patterns.slice(index + 1) },
      ),
    )
  const unlisted = rule(
    `rooms-of-${hall}`,
    'A folder or file that is in no list has no place in the order yet.',
    { path: `^${hall}/`, pathNot: [isTest, ...patterns] },
    {},
  )
  return [...order, unlisted]
})

module.exports = {
  forbidden: [
    ...hallRules,
    rule(
      'no-cycles',
      'A cycle cannot be read, tested or started from any end.',
      {},
      { circular: true },
    ),
    rule(
      'services-are-strangers',
      'Services meet through protos and a client from kit.',
      { path: '^services/([^/]+)/' },
      { path: '^services/', pathNot: '^services/$1/' },
    ),
    rule(
      'gateway-knows-no-service',
      'The gateway calls services, it does not contain them.',
      { path: '^gateway/' },
      { path: '^services/' },
    ),
    rule(
      'console-is-a-client',
      'The console runs in a browser, and knows of Sheaf what any client can, and the syntax of formulas.',
      { path: '^gateway/console/' },
      {
        path: '^(protos|services|packages/(?!(formula-text|client)/)|gateway/(?!console/)|tests|bench)/',
      },
    ),
    rule(
      'console-is-served-not-imported',
      'The gateway serves what was built of it.',
      { pathNot: '^gateway/console/' },
      { path: '^gateway/console/' },
    ),
    rule(
      'only-standalone-and-tests-hold-services',
      'Every other package must work with a service that runs elsewhere.',
      { path: '^(packages|bench)/', pathNot: '^packages/standalone/' },
      { path: '^(services|gateway)/' },
    ),
    rule(
      'standalone-is-the-top',
      'Nothing is built upon the process that starts everything.',
      { pathNot: '^(packages/standalone|tests|bench)/' },
      { path: '^packages/standalone/' },
    ),
    rule(
      'kit-is-a-leaf',
      'Kit knows no domain words.',
      { path: '^packages/kit/src/', pathNot: isTest },
      { path: '^(services|gateway|tests|bench|packages/(?!kit/))' },
    ),
    rule(
      'auth-builds-on-kit',
      'Callers, roles and key scopes are known above the wire, and below every service.',
      { path: '^packages/auth/src/', pathNot: isTest },
      { path: '^(services|gateway|tests|bench|packages/(?!(auth|kit)/))' },
    ),
    rule(
      'document-log-builds-on-kit',
      'The log knows positions and bytes, not what the records say.',
      { path: '^packages/document-log/src/', pathNot: isTest },
      { path: '^(protos|services|gateway|tests|bench|packages/(?!(document-log|kit)/))' },
    ),
    rule(
      'tabular-is-a-leaf',
      'The CLI and document-data read files and values the same way, without each other.',
      { path: '^packages/tabular/src/', pathNot: isTest },
      { path: '^(protos|services|gateway|tests|bench|packages/(?!tabular/))' },
    ),
    rule(
      'formula-text-is-a-leaf',
      'It runs in document-data and in browsers.',
      { path: '^packages/formula-text/src/', pathNot: isTest },
      {
        path: '^(protos|services|gateway|tests|bench|packages/(?!formula-text/))|^(node:)?(fs|path)$',
      },
    ),
    rule(
      'client-is-a-leaf',
      'It is published: it depends on nothing, and runs in browsers.',
      { path: '^packages/client/src/', pathNot: isTest },
      { path: '^(protos|services|gateway|tests|bench|packages/(?!client/)|node_modules)|^node:' },
    ),
    rule(
      'engines-is-a-leaf',
      'The tests start engines before anything else of ours is known to work.',
      { path: '^packages/engines/src/' },
      { path: '^(protos|services|gateway|tests|bench|packages/(?!engines/))' },
    ),
    rule(
      'protos-are-the-bottom',
      'The contract imports nothing of ours.',
      { path: '^protos/' },
      { path: '^(services|gateway|tests|bench|packages)/' },
    ),
    rule(
      'storage-knows-no-wire',
      'Tables outlive the messages that fill them.',
      { path: '^services/[^/]+/src/(db|store)/', pathNot: isTest },
      {
        path: '^protos/|/handlers/|^packages/(kit|auth)/src/|@grpc/',
        pathNot:
          '^packages/(kit/src/(errors|fair-(share|queue)|grouped-calls|truncate-text|near-miss|wait-for-drain|postgres/(database|database-dump))|auth/src/roles)\\.ts$',
      },
    ),
    rule(
      'pure-folders-stay-pure',
      'Rules that need nothing to run are tested with nothing running.',
      {
        path: '^services/[^/]+/src/(access|values|query|export|formats|matching)/',
        pathNot: isTest,
      },
      {
        path: [
          '/(db|store|handlers)/',
          '^packages/kit/src/(config|grpc|lifecycle|logger|multiplex|nats|postgres|rpc|telemetry|tls)',
          'node_modules/(better-sqlite3|pg|kysely|@grpc|@nats-io)/',
          '^(node:)?(fs|net|http|https|child_process|worker_threads)(/|$)',
        ],
      },
    ),
    rule(
      'settings-are-read-at-the-edge',
      'The parts are handed what they need, so a test can hand them something else.',
      {
        path: '^(services/[^/]+|gateway)/src/',
        pathNot: `${isTest}|/src/(main|config|context|service)\\.ts$`,
      },
      { path: '/src/config\\.ts$' },
    ),
    rule(
      'testkit-is-for-tests',
      'What runs for users must not carry what only tests need.',
      { pathNot: `${isTest}|^(tests|bench|packages/testkit)/` },
      { path: '^packages/testkit/' },
    ),
    rule(
      'sources-import-no-tests',
      'What a test exports is for tests.',
      { pathNot: `${isTest}|^tests/` },
      { path: `${isTest}|^tests/` },
    ),
    rule(
      'packages-by-name',
      'Another package is imported by its name, which its exports allow, not by a way into its folder.',
      { path: anyPackage },
      {
        path: '^(packages|services|gateway|protos|tests|bench)/',
        pathNot: '^$1/',
        dependencyTypesNot: ['aliased'],
      },
    ),
    rule(
      'no-unlisted-packages',
      'What a package imports stands in its own package.json.',
      { pathNot: isTest },
      { dependencyTypes: ['npm-no-pkg', 'npm-unknown'] },
    ),
    rule('everything-resolves', 'The import leads nowhere.', {}, { couldNotResolve: true }),
  ],
  options: {
    tsPreCompilationDeps: true,
    tsConfig: { fileName: 'tsconfig.check.json' },
    doNotFollow: { path: '(^|/)(node_modules|dist)/|^protos/gen/' },
    combinedDependencies: false,
    enhancedResolveOptions: {
      exportsFields: ['exports'],
      conditionNames: ['require', 'node', 'default', 'types'],
    },
  },
}
