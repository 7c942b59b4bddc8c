import { mkdirSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'

/** Names of toolsets. If a name is used again, it ends with a number. */
const subjects = [
  'orders',
  'customers',
  'invoices',
  'shipments',
  'products',
  'suppliers',
  'tickets',
  'contracts',
  'payments',
  'returns',
]

/** Names of tools. */
const verbs = ['search', 'list', 'count', 'review', 'export', 'archive', 'restore', 'tag', 'compare', 'forecast']

/**
 * Writes a project: tools without nested objects, with Zod schemas; one service client for each toolset; one agent that uses
 * all toolsets; a configuration; and an application that uses the generated code (`tsconfig.consumer.json` checks it).
 */
export function writeManyTools(dir, { toolsets, toolsPerToolset }) {
  const names = Array.from({ length: toolsets }, (_, index) => numbered(subjects, index))
  const tools = Array.from({ length: toolsPerToolset }, (_, index) => numbered(verbs, index))
  const files = {
    'package.json': `${JSON.stringify({ name: 'many-tools', private: true, type: 'module' }, null, 2)}\n`,
    'tsconfig.json': tsconfig(['design', 'src/*-client.ts']),
    'tsconfig.consumer.json': tsconfig(['src', 'gen']),
    'toolgen.config.ts': config,
    'design/clients.ts': clientsModule(names),
    'design/assistant.ts': agentModule(names),
    'src/application.ts': application(names, tools),
    ...Object.fromEntries(
      names.flatMap((name) => [
        [`design/${name}.ts`, toolsetModule(name, tools)],
        [`src/${name}-client.ts`, clientModule(name, tools)],
      ]),
    ),
  }
  for (const [path, text] of Object.entries(files)) {
    mkdirSync(dirname(join(dir, path)), { recursive: true })
    writeFileSync(join(dir, path), text)
  }
}

const config = `import { defineConfig } from '@toolgen/codegen'

export default defineConfig({ design: 'design/*.ts' })
`

function tsconfig(include) {
  const compilerOptions = {
    target: 'ES2022',
    lib: ['ES2023'],
    types: [],
    module: 'NodeNext',
    strict: true,
    exactOptionalPropertyTypes: true,
    noUncheckedIndexedAccess: true,
    verbatimModuleSyntax: true,
    skipLibCheck: true,
    noEmit: true,
  }
  return `${JSON.stringify({ compilerOptions, include }, null, 2)}\n`
}

function toolsetModule(name, tools) {
  return `import { defineTool, defineToolset } from '@toolgen/dsl'
import { z } from 'zod'

export const ${name} = defineToolset('${name}', {
  description: 'Works with ${name}.',
  tools: {
${tools.map((tool) => toolText(name, tool)).join('')}  },
})
`
}

function toolText(name, tool) {
  return `    ${tool}: defineTool({
      description: 'Does ${tool} with the ${name} of one account.',
      payload: z.object({
        accountId: z.string().min(1).describe('The account that owns the ${name}'),
        status: z.enum(['open', 'closed', 'held']).optional().describe('Only ${name} in this state'),
        from: z.string().describe('First day of the period'),
        limit: z.number().int().min(1).max(100).default(20).describe('Maximum number of ${name}'),
        newestFirst: z.boolean().optional().describe('Return the newest first'),
      }),
      result: z.object({
        accountId: z.string().describe('The account that owns the ${name}'),
        found: z.number().int().describe('Number of ${name}'),
        total: z.number().describe('Sum of all amounts'),
        currency: z.string().describe('The currency of the total'),
        note: z.string().optional().describe('Remark'),
      }),
      examples: [{ accountId: 'A-1', from: '2026-01-01' }],
      callHint: 'Working on {{accountId}}',
    }),
`
}

function clientModule(name, tools) {
  const methods = tools.map((tool) => `  ${tool}(request: ${pascal(name)}Request): Promise<${pascal(name)}Response>\n`)
  return `export interface ${pascal(name)}Request {
  accountId: string
  status?: 'open' | 'closed' | 'held'
  from: string
  limit?: number
  newestFirst?: boolean
}

export interface ${pascal(name)}Response {
  accountId: string
  found: number
  total: number
  currency: string
  note?: string
  revision: number
}

export interface ${pascal(name)}Client {
${methods.join('')}}
`
}

function clientsModule(names) {
  const imports = names.map((name) => `import type { ${pascal(name)}Client } from '../src/${name}-client.js'\n`)
  const clients = names.map((name) => `export const ${name}Client = serviceClient<${pascal(name)}Client>()\n`)
  return `import { serviceClient } from '@toolgen/dsl'\n${imports.join('')}\n${clients.join('')}`
}

function agentModule(names) {
  const imports = names.map((name) => `import { ${name} } from './${name}.js'\n`)
  const uses = names.map((name) => `    fromService(${name}, clients.${name}Client),\n`)
  return `import { defineAgent, fromService } from '@toolgen/dsl'
import * as clients from './clients.js'
${imports.join('')}
export const assistant = defineAgent('assistant', {
  description: 'Works with everything.',
  uses: [
${uses.join('')}  ],
})
`
}

/** Returns an application that registers the agent and creates one call of each tool. */
function application(names, tools) {
  const imports = names.map((name) => `import * as ${name} from '../gen/toolsets/${name}/index.js'\n`)
  const calls = names.flatMap((name) =>
    tools.map((tool) => `  ${name}.new${pascal(tool)}Call({ accountId: 'A-1', from: '2026-01-01' }),\n`),
  )
  return `import type { Runtime } from '@toolgen/runtime'
import { type AssistantBinding, registerAssistant } from '../gen/agents/assistant/index.js'
${imports.join('')}
export const calls: readonly { readonly tool: string }[] = [
${calls.join('')}]

export function start(runtime: Runtime, binding: AssistantBinding): unknown {
  return registerAssistant(runtime, binding)
}
`
}

/** Returns the word at an index. If the index exceeds the list, starts again and appends a number. */
function numbered(words, index) {
  const round = Math.floor(index / words.length)
  return `${words[index % words.length]}${round === 0 ? '' : round + 1}`
}

function pascal(name) {
  return name[0].toUpperCase() + name.slice(1)
}
