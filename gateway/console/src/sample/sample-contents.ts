import type { AnyDocument, BatchOperation, TempId } from '@sheaf/client'

const DAY_MS = 86_400_000

/** Fill colours of choices, in their order; text is dark in all of them. */
const fills = ['#B8E0C8', '#C9D7F8', '#FBE0A8', '#F6C6C1']

const people: readonly (readonly [id: TempId, name: string, role: string, since: number])[] = [
  ['$ada', 'Ada Lindgren', 'Engineering', -900],
  ['$ben', 'Ben Okafor', 'Design', -420],
  ['$chi', 'Chiara Rossi', 'Marketing', -130],
]

const projects: readonly (readonly [
  id: TempId,
  name: string,
  status: string,
  lead: TempId,
  start: number,
  budget: number,
  tags: readonly string[],
])[] = [
  ['$site', 'New website', 'Active', '$ben', -40, 18_000, ['web', 'brand']],
  ['$app', 'Mobile app', 'Active', '$ada', -20, 42_000, ['mobile']],
  ['$fair', 'Trade fair', 'Planned', '$chi', 25, 9_500, ['brand', 'event']],
  ['$move', 'Move to the new office', 'Done', '$chi', -120, 27_000, []],
]

const tasks: readonly (readonly [
  title: string,
  project: TempId,
  owner: TempId,
  due: number,
  hours: number,
  done: boolean,
])[] = [
  ['Sketch the home page', '$site', '$ben', -25, 12, true],
  ['Write the texts', '$site', '$chi', -3, 16, true],
  ['Build the pages', '$site', '$ada', 4, 30, false],
  ['Test on phones', '$site', '$ben', 9, 6, false],
  ['Choose a framework', '$app', '$ada', -12, 5, true],
  ['Sign-in screen', '$app', '$ada', 2, 14, false],
  ['Icons', '$app', '$ben', 6, 8, false],
  ['Book a stand', '$fair', '$chi', 10, 2, false],
  ['Print flyers', '$fair', '$ben', 20, 4, false],
  ['Order desks', '$move', '$chi', -60, 3, true],
]

/** Operations that replace the tables of a new document by a small planner: people, their projects and tasks. */
export function sampleContents(today: Date): BatchOperation<AnyDocument>[] {
  const midnight = Math.floor(today.getTime() / DAY_MS)
  const day = (offset: number) => ((midnight + offset) * DAY_MS) / 1000
  return [
    { op: 'addTables', tables: [peopleTable, projectsTable, tasksTable] },
    {
      op: 'addRecords',
      table: 'People',
      records: people.map(([id, Name, Role, since]) => ({
        id,
        fields: { Name, Role, Since: day(since) },
      })),
    },
    {
      op: 'addRecords',
      table: 'Projects',
      records: projects.map(([id, Name, Status, Lead, start, Budget, tags]) => ({
        id,
        fields: { Name, Status, Lead, Start: day(start), Budget, Tags: ['L', ...tags] },
      })),
    },
    {
      op: 'addRecords',
      table: 'Tasks',
      records: tasks.map(([Title, Project, Owner, due, Hours, Done]) => ({
        fields: { Title, Project, Owner, Due: day(due), Hours, Done },
      })),
    },
  ]
}

/** A view of each table that has some, by the id of the table. */
export const sampleViews = {
  Projects: [{ name: 'Active', filter: { Status: ['Active'] }, sort: ['Start'] }],
  Tasks: [{ name: 'To do', filter: { Done: [false] }, sort: ['Due'] }],
} as const

const peopleTable = {
  id: 'People',
  columns: [
    column('Name', 'Text'),
    choices('Role', 'Choice', ['Engineering', 'Design', 'Marketing']),
    column('Since', 'Date'),
    {
      id: 'OpenTasks',
      fields: {
        label: 'Open tasks',
        type: 'Int',
        isFormula: true,
        formula: 'len(Tasks.lookupRecords(Owner=$id, Done=False))',
      },
    },
  ],
}

const projectsTable = {
  id: 'Projects',
  columns: [
    column('Name', 'Text'),
    choices('Status', 'Choice', ['Active', 'Planned', 'Done']),
    column('Lead', 'Ref:People'),
    column('Start', 'Date'),
    column('Budget', 'Numeric', { numMode: 'currency', currency: 'USD', decimals: 0 }),
    choices('Tags', 'ChoiceList', ['web', 'mobile', 'brand', 'event']),
    {
      id: 'Progress',
      fields: {
        label: 'Progress',
        type: 'Numeric',
        isFormula: true,
        formula:
          'tasks = Tasks.lookupRecords(Project=$id)\nreturn len([t for t in tasks if t.Done]) / len(tasks) if tasks else 0',
        widgetOptions: JSON.stringify({ numMode: 'percent', decimals: 0 }),
      },
    },
  ],
}

const tasksTable = {
  id: 'Tasks',
  columns: [
    column('Title', 'Text'),
    column('Project', 'Ref:Projects'),
    column('Owner', 'Ref:People'),
    column('Due', 'Date'),
    column('Hours', 'Numeric'),
    column('Done', 'Bool'),
  ],
}

function column(id: string, type: string, options?: Readonly<Record<string, unknown>>) {
  const widgetOptions = options && { widgetOptions: JSON.stringify(options) }
  return { id, fields: { label: id, type, ...widgetOptions } }
}

function choices(id: string, type: 'Choice' | 'ChoiceList', names: readonly string[]) {
  const choiceOptions = Object.fromEntries(
    names.map((name, place) => [name, { fillColor: fills[place], textColor: '#1C1E20' }]),
  )
  return column(id, type, { choices: names, choiceOptions })
}
