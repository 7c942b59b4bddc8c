import type { BoundTool } from '../call/bound-tools.js'
import { newToolCall, toolSpec } from '../call/descriptors.js'
import { firstSentence } from '../call/first-sentence.js'
import { ToolFailure } from '../call/tool-failure.js'
import { payloadCodec, resultCodec } from '../codec/codecs.js'
import type { Codec } from '../types/codec.js'
import type { ExecutorRequest } from '../types/executor.js'
import type { JsonSchema } from '../types/json.js'
import type { AgentToolSpec, ToolDescriptor, ToolId } from '../types/tool.js'
import { searchToolName } from './loaded-tools.js'
import type { ToolIndex } from './tool-index.js'
import type { StoredIndexes, ToolSearchIndex } from './tool-terms.js'

/** Options of the tool `search_tools`: number of results, and generated indexes. */
export interface ToolSearchOptions extends StoredIndexes {
  /** Maximum number of tools per search, from 1 to 50. A model can request a smaller number. Default: 5. */
  readonly limit?: number
}

export const agentSearchId = 'tool_search.search_tools'

/** Disables `maxResult` (maximum size of results), because the tools that a shortened result omits would not be loaded. */
export const wholeSearches: Readonly<Record<string, undefined>> = { [searchToolName]: undefined }

const limits = { usual: 5, highest: 50 }

export function requireLimit(caller: string, { limit = limits.usual }: ToolSearchOptions): number {
  if (Number.isInteger(limit) && limit >= 1 && limit <= limits.highest) return limit
  throw new RangeError(`${caller}: \`limit\` is ${String(limit)}. Use an integer from 1 to ${limits.highest}.`)
}

export function searchToolDescriptor(
  id: ToolId,
  limit: number,
  { description, result: resultSchema }: { readonly description: string; readonly result: JsonSchema },
): ToolDescriptor {
  const payload: Codec<never, unknown> = payloadCodec({ schema: argumentsSchema(limit) })
  const result: Codec<any, unknown> = resultCodec({ schema: resultSchema }) // `any`: as hand-written tools
  const spec = toolSpec(
    {
      id,
      toolName: searchToolName,
      title: 'Search tools',
      description,
      examples: [{ query: 'refund an order' }],
      annotations: { readOnly: true, idempotent: true },
      hash: '',
    },
    payload,
    result,
  )
  return { spec, payload, result, call: (args, options) => newToolCall(spec, payload, args, options) }
}

const argumentsSchema = (limit: number): JsonSchema => ({
  type: 'object',
  properties: {
    query: {
      type: 'string',
      maxLength: 2000,
      description: 'What you want to do, in a few words. For several tasks: one short sentence for each.',
    },
    limit: { type: 'integer', minimum: 1, maximum: limit, default: limit, description: 'Maximum number of tools.' },
  },
  required: ['query'],
  additionalProperties: false,
})

export class ToolSearch {
  readonly #tools: readonly BoundTool[]
  readonly #stored: readonly ToolSearchIndex[]
  #index: Promise<ToolIndex> | undefined

  constructor(tools: readonly BoundTool[], stored: readonly ToolSearchIndex[]) {
    this.#tools = tools
    this.#stored = stored
  }

  async find(request: ExecutorRequest): Promise<readonly AgentToolSpec[]> {
    const { query, limit } = (await request.payload()) as { readonly query: string; readonly limit: number }
    if (query.trim() === '') throw new ToolFailure(emptyQuery, { action: 'correct_call' })
    this.#index ??= loadIndex(this.#tools, this.#stored)
    return (await this.#index).search(query, { limit })
  }

  get hint(): string {
    return `No tool matches. Search with other words. There are tools for:\n${toolsetsText(this.#tools)}`
  }
}

const emptyQuery = 'The query is empty. Describe the task in a few words, for example "refund an order".'

async function loadIndex(tools: readonly BoundTool[], stored: readonly ToolSearchIndex[]): Promise<ToolIndex> {
  const { ToolIndex } = await import('./tool-index.js').catch((error: unknown) => {
    throw new Error('Tools are searched with MiniSearch: run `npm install minisearch`.', { cause: error })
  })
  return new ToolIndex(tools, stored)
}

const longestList = 50

export function toolsetsText(
  tools: readonly BoundTool[],
  nameOf: (tool: BoundTool) => string = ({ id, spec }) => id.slice(0, -spec.name.length - 1),
): string {
  const toolsets = new Map<string, { count: number; readonly description: string }>()
  for (const tool of tools) {
    const name = nameOf(tool)
    const known = toolsets.get(name)
    if (known === undefined) toolsets.set(name, { count: 1, description: tool.toolsetDescription })
    else known.count += 1
  }
  const lines = [...toolsets].slice(0, longestList).map(([name, { count, description }]) => {
    const text = firstSentence(description)
    return `- ${name} (${count} ${count === 1 ? 'tool' : 'tools'})${text === '' ? '' : `: ${text}`}`
  })
  const rest = toolsets.size - lines.length
  return [...lines, ...(rest > 0 ? [`- and ${rest} more`] : [])].join('\n')
}
