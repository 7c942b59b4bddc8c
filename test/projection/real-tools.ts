import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { toJsonSchema } from '../../packages/codegen/src/schema/to-json-schema.js'
import type { JsonSchema } from '../../packages/runtime/src/types/json.js'
import type { ToolSpec } from '../../packages/runtime/src/types/tool.js'
import { dataFolder } from '../data.js'

/** A third-party tool, with its schemas in canonical form. */
export interface RealTool {
  readonly source: string
  readonly spec: ToolSpec
}

interface GivenTool {
  readonly name: string
  readonly description?: string
  readonly parameters: unknown
  readonly result?: unknown
}

/** Returns all tools of one data set, and the names of tools with rejected schemas. */
export function realTools(kind: 'mcp' | 'bfcl' | 'sealtools' | 'tau'): { tools: RealTool[]; refused: string[] } {
  const tools: RealTool[] = []
  const refused: string[] = []
  for (const { source, tool } of given(kind)) {
    const parameters = canonical(tool.parameters)
    const result = canonical(tool.result ?? { type: 'object' })
    if (parameters === undefined || result === undefined) refused.push(`${source} ${tool.name}`)
    else tools.push({ source, spec: specOf(tool, parameters, result) })
  }
  return { tools, refused }
}

/** Returns a spec with these arguments. */
export function specOf(
  tool: Omit<GivenTool, 'parameters'>,
  parameters: JsonSchema,
  result: JsonSchema = true,
): ToolSpec {
  return {
    id: `tools.${tool.name}`,
    toolset: 'tools',
    name: tool.name,
    namespace: 'default',
    toolName: tool.name.replaceAll(/[^a-zA-Z0-9_-]/g, '_').slice(0, 64),
    title: tool.name,
    description: tool.description ?? tool.name,
    tags: [],
    arguments: parameters,
    result,
    examples: [],
    serverOwned: [],
    annotations: {},
    hash: '',
  }
}

function canonical(schema: unknown): JsonSchema | undefined {
  const { value } = toJsonSchema(schema, { io: 'input', hint: 'Root' })
  if (value === undefined) return undefined
  const { root, defs } = value
  if (typeof root === 'boolean' || defs.size === 0) return root
  return { ...root, $defs: Object.fromEntries(defs) }
}

function given(kind: 'mcp' | 'bfcl' | 'sealtools' | 'tau'): { source: string; tool: GivenTool }[] {
  const folder = dataFolder()
  if (folder === undefined) return []
  const read = (path: string): string => readFileSync(join(folder, path), 'utf8')
  const lines = (path: string): GivenTool[] =>
    read(path)
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line))
  switch (kind) {
    case 'bfcl':
      return lines('bfcl/functions.jsonl').map((tool) => ({ source: 'bfcl', tool }))
    case 'sealtools':
      return lines('sealtools/tools.jsonl').map((tool) => ({ source: 'sealtools', tool }))
    case 'tau':
      return ['tau/airline_tools.json', 'tau2/airline_tools.json', 'tau2/mock_tools.json'].flatMap((source) => {
        const list: { function: GivenTool; returnsSchema?: unknown }[] = JSON.parse(read(source))
        return list.map((one) => ({ source, tool: { ...one.function, result: one.returnsSchema } }))
      })
    case 'mcp':
      return readdirSync(join(folder, 'mcp'))
        .sort()
        .flatMap((source) => {
          const {
            tools,
          }: { tools: { name: string; description?: string; inputSchema: unknown; outputSchema?: unknown }[] } =
            JSON.parse(read(`mcp/${source}`))
          return tools.map(({ name, description, inputSchema, outputSchema }) => ({
            source,
            tool: {
              name,
              ...(description !== undefined && { description }),
              parameters: inputSchema,
              result: outputSchema,
            },
          }))
        })
  }
}
