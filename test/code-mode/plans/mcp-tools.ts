import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { ToolSpec } from '@toolgen/runtime'
import { apiDeclarations } from '@toolgen/runtime/code-mode'
import { exampleOf } from '@toolgen/runtime/schema'

/** A tool as an MCP server lists it. */
interface ListedTool {
  readonly name: string
  readonly description?: string
  readonly inputSchema: ToolSpec['arguments']
  readonly outputSchema?: ToolSpec['result']
}

/** Returns the specs of the tools of all captured MCP servers. */
export function mcpSpecs(dataFolder: string): readonly ToolSpec[] {
  return readdirSync(join(dataFolder, 'mcp')).flatMap((file) => {
    const { tools }: { readonly tools: readonly ListedTool[] } = JSON.parse(
      readFileSync(join(dataFolder, 'mcp', file), 'utf8'),
    )
    const toolset = file.replace(/\.json$/, '')
    return tools.map(({ name, description = '', inputSchema, outputSchema = true }) => ({
      id: `${toolset}.${name}` as const,
      toolset,
      name,
      namespace: 'default',
      toolName: name,
      title: name,
      description,
      tags: [],
      arguments: inputSchema,
      result: outputSchema,
      examples: [],
      serverOwned: [],
      annotations: {},
      hash: '',
    }))
  })
}

/** Returns declarations of `count` tools, and programs of 30 lines that call five of them. The number selects the program. */
export function mcpDeclarations(
  dataFolder: string,
  count: number,
): { readonly text: string; readonly code: (number: number) => string } {
  const all = mcpSpecs(dataFolder)
  // All sets of tools contain the called tools.
  const called = Array.from({ length: 5 }, (_, at) => all[Math.floor((at * all.length) / 5)]).filter(
    (each) => each !== undefined,
  )
  const step = (all.length - 1) / Math.max(1, count - called.length)
  const others = Array.from({ length: count - called.length }, (_, at) => all[Math.floor(at * step)])
  const chosen = new Set([...called, ...others])
  const filled = new Set([...chosen, ...all.filter((each) => !chosen.has(each)).slice(0, count - chosen.size)])
  const specs = all.filter((each) => filled.has(each))
  const { text, functions } = apiDeclarations(specs)
  const calls = called.map((each) => {
    const { path = '', signature = '' } = functions[specs.indexOf(each)] ?? {}
    const args = JSON.stringify(exampleOf(each.arguments) ?? {})
    return `${path}(${signature.includes('(args') ? args : ''})`
  })
  return { text, code: (number) => programOf(calls, number) }
}

/** Returns a program of 30 lines. */
function programOf(calls: readonly string[], number: number): string {
  const lines = [
    `const limit = ${number + 1}`,
    'const sizes: number[] = []',
    'const texts = new Map<string, string>()',
    'const measure = (name: string, value: unknown): void => {',
    "  const text = JSON.stringify(value) ?? ''",
    '  texts.set(name, text)',
    '  sizes.push(text.length)',
    '}',
    ...calls.map((call, at) => `const result${at} = await ${call}`),
    ...calls.map((_, at) => `measure('result${at}', result${at})`),
    'const total = sizes.reduce((sum, size) => sum + size, 0)',
    'const largest = Math.max(...sizes)',
    'const names = [...texts.keys()].filter((name) => (texts.get(name)?.length ?? 0) > limit)',
    'const summary = names.map((name) => {',
    "  const text = texts.get(name) ?? ''",
    '  return { name, start: text.slice(0, 80), size: text.length }',
    '})',
    "if (total === 0) throw new Error('The results are empty.')",
    'for (const { name, size } of summary) {',
    '  if (size === largest) console.log(`${name} is the largest result: ${size}`)',
    '}',
    'return { total, largest, summary: summary.sort((a, b) => b.size - a.size).slice(0, limit) }',
  ]
  return lines.join('\n')
}
