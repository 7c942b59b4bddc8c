import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { type Exported, exportsOf } from './exports-of.js'
import { root } from './snippet-project.js'

const folder = join(root, 'packages/runtime')

/** The guides for each entry. */
const guides: Readonly<Record<string, readonly string[]>> = {
  '.': ['three-ways', 'errors', 'executors', 'layers', 'large-results', 'redaction'],
  './agents': ['runs', 'agents', 'guardrails', 'models', 'browser'],
  './chat': ['chat'],
  './sessions': ['sessions', 'session-stores', 'scaling'],
  './schema': ['json-schema', 'typed-values'],
  './metrics': ['telemetry'],
  './projections': ['projections'],
  './errors': ['errors'],
  './otel': ['telemetry'],
  './anthropic': ['model-drivers'],
  './gemini': ['model-drivers'],
  './openai': ['models', 'model-drivers'],
  './ai-sdk': ['integrations', 'model-drivers', 'browser'],
  './openai-agents': ['integrations', 'guardrails'],
  './langchain': ['integrations'],
  './secretlint': ['guardrails'],
  './mcp': ['mcp'],
  './openapi': ['openapi'],
  './code-mode': ['code-mode'],
  './tool-search': ['tool-search'],
  './resilience': ['resilience'],
  './postgres': ['session-stores'],
  './durable': ['durable'],
  './restate': ['restate'],
  './testing': ['testing'],
}

const head = `# Runtime reference

This page lists the exports of \`@toolgen/runtime\` and its subpaths, one line per export, and the fields of their interfaces. The linked guides explain how to use them.
\`npm run api\` writes the complete reference. Applications do not import \`@toolgen/runtime/codegen/v1\`: it is for generated code.

The page is generated from the doc comments of the sources; a test compares them.`

/** Returns the text of `docs/runtime.md`. */
export function runtimePage(): string {
  const sections = entries().map(({ path, source }) => {
    const links = guides[path]?.map(linkTo)
    if (links === undefined) throw new Error(`no guide is named for the entry ${path}`)
    const title = `## @toolgen/runtime${path.slice(1)}`
    const all = inOrder(exportsOf(join(folder, 'src'), source))
    return [title, `See ${links.join(', ')}.`, tableOf(all), ...all.flatMap(fieldsOf)].join('\n\n')
  })
  return `${[head, ...sections].join('\n\n')}\n`
}

/** Returns the entries for applications with their sources. */
function entries(): readonly { readonly path: string; readonly source: string }[] {
  const { exports } = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'))
  return Object.entries<{ readonly types?: string }>(exports)
    .filter(([path]) => !['./codegen/v1', './package.json'].includes(path))
    .map(([path, { types = '' }]) => ({ path, source: types.replace('./dist/', '').replace('.d.ts', '.ts') }))
}

/** Returns functions and classes before types, each by name. */
function inOrder(all: readonly Exported[]): readonly Exported[] {
  return [...all].sort((a, b) => Number(a.isType) - Number(b.isType) || (a.name < b.name ? -1 : 1))
}

function tableOf(all: readonly Exported[]): string {
  const rows = all.map(({ name, isType, about }) => `| ${isType ? 'type ' : ''}\`${name}\` | ${cell(about)} |`)
  return ['| export | description |', '|---|---|', ...rows].join('\n')
}

function fieldsOf({ name, fields }: Exported): readonly string[] {
  const rows = fields.map((field) => `| \`${field.name}\` | ${cell(field.about)} |`)
  return rows.length === 0 ? [] : [`### ${name}`, ['| field | description |', '|---|---|', ...rows].join('\n')]
}

const cell = (text: string): string => text.replaceAll('|', '\\|')

function linkTo(page: string): string {
  const [, title = page] = /^# (.*)$/m.exec(readFileSync(join(root, `docs/${page}.md`), 'utf8')) ?? []
  return `[${title}](${page}.md)`
}
