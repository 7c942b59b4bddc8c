import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { type Exported, exportsOf } from './exports-of.js'
import { root } from './snippet-project.js'

const folder = join(root, 'packages/runtime')

interface Topic {
  readonly title: string
  /** Pages that explain these exports. */
  readonly pages: readonly string[]
  /** Matches `FILE#NAME` of its exports. */
  readonly exports: RegExp
}

/** Topics of the main entry's exports; the first match counts. */
const topics: readonly Topic[] = [
  {
    title: 'Calls and outcomes',
    pages: ['three-ways', 'errors'],
    exports:
      /^call\/(?!layer-scope|streams)|^agents\/(bound-agent|runtime)|^types\/(call\.ts#(?!Received|Unfilled|.*Descriptor)|call-options\.ts#(?!Has|Approval)|outcome\.ts#(?!.*(Suspen|Answer|Resume|Pending|Clarif|RunProgress))|errors\.ts#(?!Stop|Final|Limit)|issue|json\.ts#(?!Standard)|tool\.ts#(ToolCallMeta|MetaField|ToolId|Qualified|Provider))/,
  },
  {
    title: 'Registrations and executors',
    pages: ['services', 'executors'],
    exports:
      /^executors\/(?!mcp|function)|^call\/streams|^layers\/registration|^types\/(registration|executor|tool|call|json)\.ts/,
  },
  { title: 'Tools written by hand', pages: ['layers'], exports: /^executors\/function-tools/ },
  { title: 'Layers and what they need', pages: ['layers'], exports: /^layers\/|^types\/(layer|call-options)/ },
  {
    title: 'Runs and planners',
    pages: ['runs'],
    exports:
      /^agents\/(decisions|loop|run-handle)|^call\/layer-scope|^types\/(errors|planner\.ts#(?!Model|ResponseFormat|.*Compiler)|run\.ts#(?!.*(Telemetry|Trace)))/,
  },
  { title: 'Suspensions', pages: ['runs'], exports: /^agents\/(suspension|sign)|^types\/outcome/ },
  {
    title: 'Agents and hooks',
    pages: ['agents', 'agents-as-tools'],
    exports: /^agents\/(agent-builder|features|guards|hooks)|^types\/(agent|hook|planner\.ts#.*Compiler)/,
  },
  { title: 'Models', pages: ['models'], exports: /^agents\/model|^types\/planner/ },
  { title: 'Chat', pages: ['chat'], exports: /^chat|^types\/chat/ },
  { title: 'MCP', pages: ['mcp'], exports: /^executors\/mcp|^types\/mcp/ },
  {
    title: 'Sessions',
    pages: ['sessions', 'session-stores'],
    exports: /^sessions|^types\/session\.ts#(?!SessionUsage|Observable)/,
  },
  { title: 'Telemetry', pages: ['telemetry'], exports: /^adapters\/metrics|^types\/(metrics|run|session)/ },
  { title: 'Codecs', pages: ['json-schema', 'typed-values'], exports: /^codec|^schema|^types\/codec/ },
]

/** The page about each other entry. */
const pages: Readonly<Record<string, string>> = {
  './projections': 'projections',
  './otel': 'telemetry',
  './openai': 'models',
  './ai-sdk': 'integrations',
  './openai-agents': 'integrations',
  './langchain': 'integrations',
  './mcp': 'mcp',
  './openapi': 'imports',
  './resilience': 'resilience',
  './schema': 'json-schema',
  './session/postgres': 'session-stores',
  './testing': 'testing',
}

const head = `# Runtime reference

Everything that \`@toolgen/runtime\` and its subpaths export for applications, in a sentence each; the pages that are named tell how
it is used, and \`npm run api\` writes the whole reference with every field. What generated code imports
(\`@toolgen/runtime/codegen/v1\`) is not for applications.

The page is made from the doc comments of the sources; a test compares them.`

/** `docs/runtime.md`. */
export function runtimePage(): string {
  const main = exportsOf(join(folder, 'src'), 'index.ts')
  const strays = main.filter((each) => topicOf(each) === undefined)
  if (strays.length > 0)
    throw new Error(`no topic has ${strays.map(({ name, file }) => `${name} of ${file}`).join(', ')}`)
  const sections = topics.map((topic) => {
    const own = main.filter((each) => topicOf(each) === topic)
    return [`### ${topic.title}`, `See ${topic.pages.map(linkTo).join(' and ')}.`, tableOf(own)].join('\n\n')
  })
  const entries = subpaths().map(({ path, source }) => {
    const page = pages[path]
    if (page === undefined) throw new Error(`no page is about ${path}`)
    const title = `## @toolgen/runtime${path.slice(1)}`
    return [title, `See ${linkTo(page)}.`, tableOf(exportsOf(join(folder, 'src'), source))].join('\n\n')
  })
  return `${[head, '## @toolgen/runtime', ...sections, ...entries].join('\n\n')}\n`
}

/** The entries for applications beside the main one. */
function subpaths(): readonly { readonly path: string; readonly source: string }[] {
  const { exports } = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'))
  return Object.entries<{ readonly types?: string }>(exports)
    .filter(([path]) => !['.', './codegen/v1', './package.json'].includes(path))
    .map(([path, { types = '' }]) => ({ path, source: types.replace('./dist/', '').replace('.d.ts', '.ts') }))
}

/** Functions and classes before types, each by name. */
function tableOf(all: readonly Exported[]): string {
  const rows = [...all]
    .sort((a, b) => Number(a.isType) - Number(b.isType) || (a.name < b.name ? -1 : 1))
    .map(({ name, isType, about }) => `| ${isType ? 'type ' : ''}\`${name}\` | ${about.replaceAll('|', '\\|')} |`)
  return ['| export | |', '|---|---|', ...rows].join('\n')
}

function linkTo(page: string): string {
  const [, title = page] = /^# (.*)$/m.exec(readFileSync(join(root, `docs/${page}.md`), 'utf8')) ?? []
  return `[${title}](${page}.md)`
}

function topicOf({ file, name }: Exported): Topic | undefined {
  return topics.find(({ exports }) => exports.test(`${file}#${name}`))
}
