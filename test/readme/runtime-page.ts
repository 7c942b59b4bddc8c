import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { type Exported, exportsOf } from './exports-of.js'
import { root } from './snippet-project.js'

const folder = join(root, 'packages/runtime')

interface Topic {
  readonly title: string
  /** Where it is told how these are used. */
  readonly pages: readonly string[]
  /** The files that belong to it, below the sources. */
  readonly files: RegExp
}

/** What the main entry exports, by what it is about; the first topic that fits counts. */
const topics: readonly Topic[] = [
  {
    title: 'Calls and outcomes',
    pages: ['three-ways', 'errors'],
    files:
      /^execute\/(bound|call|runtime|render|result|failure|binding)|^contract\/(call|outcome|meta|retry-hint|tool-id|tool-request|service|issue|failure|effects|json)\b/,
  },
  {
    title: 'Registrations and executors',
    pages: ['services', 'executors'],
    files:
      /^execute\/(service|stream)|^contract\/(registration|executor|descriptor|spec|standard-schema)|^layer\/registr/,
  },
  { title: 'Tools written by hand', pages: ['layers'], files: /^tool\// },
  {
    title: 'Layers and what they need',
    pages: ['layers'],
    files: /^layer\/(?!run-config)|^contract\/(layer|capability)/,
  },
  {
    title: 'Runs and planners',
    pages: ['runs'],
    files:
      /^agent\/(decision|loop|run-handle)|^layer\/run-config|^contract\/(agent-run|planner|run-policy|step|stop|event)/,
  },
  { title: 'Suspensions', pages: ['runs'], files: /^agent\/suspension|^contract\/(suspension|resume)/ },
  {
    title: 'Agents and hooks',
    pages: ['agents', 'agents-as-tools'],
    files: /^agent\/builder|^hook|^contract\/(agent|hook|message-compiler)/,
  },
  { title: 'Models', pages: ['models'], files: /^agent\/model|^contract\/model/ },
  { title: 'Chat', pages: ['chat'], files: /^chat|^contract\/(chat|run-item)/ },
  { title: 'MCP', pages: ['mcp'], files: /^execute\/mcp|^contract\/mcp/ },
  { title: 'Sessions', pages: ['sessions', 'session-stores'], files: /^session|^contract\/session(-event)?\.ts/ },
  { title: 'Telemetry', pages: ['telemetry'], files: /^metrics|^contract\/(metrics|telemetry|session-usage)/ },
  { title: 'Codecs', pages: ['json-schema', 'typed-values'], files: /^codec|^contract\/codec/ },
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
  const strays = main.filter(({ file }) => !topics.some(({ files }) => files.test(file)))
  if (strays.length > 0)
    throw new Error(`no topic has ${strays.map(({ name, file }) => `${name} of ${file}`).join(', ')}`)
  const sections = topics.map((topic) => {
    const own = main.filter(({ file }) => topics.find(({ files }) => files.test(file)) === topic)
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
