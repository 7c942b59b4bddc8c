import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'

const toolsPerFile = 25
const statuses = ['open', 'shipped', 'delivered', 'returned', 'cancelled']

const compilerOptions = {
  target: 'ES2022',
  module: 'NodeNext',
  moduleResolution: 'NodeNext',
  lib: ['ES2023'],
  types: [],
  strict: true,
  exactOptionalPropertyTypes: true,
  noUncheckedIndexedAccess: true,
  skipLibCheck: true,
  noEmit: true,
}

/**
 * Writes one design twice in `dir`: as Zod schemas alone, and as tools with the same schemas, each with a server-owned field
 * and an example. The difference between the two type-checks is the cost of `defineTool`. Modules in `dir` must be able to
 * import `zod` and `@toolgen/dsl`.
 *
 * @param {string} dir
 * @param {number} tools number of tools
 * @returns {{ schemas: string, tools: string }} the project file of each variant
 */
export function designTypeCheckCase(dir, tools) {
  const zod = "import { z } from 'zod'"
  return {
    schemas: writeProgram(join(dir, 'schemas'), tools, [zod], schemasText),
    tools: writeProgram(join(dir, 'tools'), tools, ["import { defineTool } from '@toolgen/dsl'", zod], toolText),
  }
}

function writeProgram(folder, tools, head, text) {
  mkdirSync(folder, { recursive: true })
  for (let start = 0; start < tools; start += toolsPerFile) {
    const lines = [...head]
    for (let index = start; index < Math.min(start + toolsPerFile, tools); index += 1) lines.push(...text(index))
    writeFileSync(join(folder, `part-${start / toolsPerFile}.ts`), `${lines.join('\n')}\n`)
  }
  writeFileSync(join(folder, 'package.json'), '{ "type": "module" }\n')
  const project = join(folder, 'tsconfig.json')
  writeFileSync(project, `${JSON.stringify({ compilerOptions, include: ['*.ts'] }, null, 2)}\n`)
  return project
}

function schemasText(index) {
  return [`export const payload${index} = ${payloadText(index)}`, `export const result${index} = ${resultText(index)}`]
}

function toolText(index) {
  return [
    `export const tool${index} = defineTool({`,
    `  description: 'Works on record ${index}.',`,
    `  payload: ${payloadText(index)},`,
    `  result: ${resultText(index)},`,
    "  serverOwned: { sessionId: 'sessionId' },",
    `  examples: [${exampleText(index)}],`,
    `  callHint: 'Working on {{recordId${index}}}',`,
    '})',
  ]
}

function payloadText(index) {
  const fields = [
    `recordId${index}: z.string().min(1).describe('Number of the record')`,
    'limit: z.number().int().min(1).max(100).default(20)',
    'sessionId: z.string()',
  ]
  if (index % 2 === 0) fields.push(`status: z.enum(${JSON.stringify(statuses.slice(0, 2 + (index % 4)))}).optional()`)
  if (index % 3 === 0) fields.push('range: z.object({ from: z.iso.datetime(), to: z.iso.datetime().optional() })')
  if (index % 5 === 0) fields.push('labels: z.array(z.string()).optional()')
  return `z.object({ ${fields.join(', ')} })`
}

function resultText(index) {
  const line = 'z.object({ sku: z.string(), count: z.number() })'
  const fields = [`id${index}: z.string()`, 'total: z.number()', `lines: z.array(${line})`]
  if (index % 3 === 0) fields.push('note: z.string().nullable()')
  return `z.object({ ${fields.join(', ')} })`
}

function exampleText(index) {
  const fields = [`recordId${index}: 'A-${index}'`]
  if (index % 3 === 0) fields.push("range: { from: '2026-01-01T00:00:00Z' }")
  return `{ ${fields.join(', ')} }`
}
