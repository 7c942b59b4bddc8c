import type { Codec } from '../../contract/codec.js'
import type { McpContent, McpToolResult } from '../../contract/mcp.js'
import { FIXED_MESSAGES } from '../failure/reasons.js'
import { ToolFailure } from '../failure/tool-failure.js'

/** What an answer is read by. */
export interface ReadBy {
  readonly result: Pick<Codec<never, unknown>, 'decodeValue'>
  /** Whether the server declares what the tool answers. */
  readonly declared: boolean
}

/**
 * The value in what an MCP tool answered: structured content first. Where the server declares an output schema, else the
 * JSON of its only text block. Where it declares none, the first of these that the result codec takes: the JSON of the only
 * text block if that is an object or an array, the text itself, its JSON of another kind, all blocks as `{ content }`.
 *
 * @throws {ToolFailure} `malformed_result` where there is no such value.
 */
export function readResult(answer: McpToolResult, { result, declared }: ReadBy): unknown {
  const { structuredContent } = answer
  if (structuredContent !== undefined && structuredContent !== null) return structuredContent
  const content = contentOf(answer)
  const text = onlyText(content)
  if (declared) {
    const parsed = text === undefined ? undefined : parsedJson(text)
    if (parsed === undefined) throw malformed('has an output schema, and answered neither structured content nor JSON')
    return parsed.value
  }
  const candidates = text === undefined ? [{ content }] : [...readings(text), { content }]
  return candidates.find((candidate) => result.decodeValue(candidate).ok) ?? candidates[0]
}

/**
 * The blocks of an answer.
 *
 * @throws {ToolFailure} `malformed_result` where they are no list of blocks.
 */
export function contentOf({ content = [] }: McpToolResult): readonly McpContent[] {
  if (Array.isArray(content) && content.every(isBlock)) return content
  throw malformed('answered content that is no list of blocks')
}

/** The texts among the blocks, one below the other. */
export function textOf(content: readonly McpContent[]): string {
  return content
    .map(({ type, text }) => (type === 'text' && typeof text === 'string' ? text : ''))
    .filter((text) => text !== '')
    .join('\n')
}

function isBlock(block: unknown): block is McpContent {
  return typeof block === 'object' && block !== null && 'type' in block && typeof block.type === 'string'
}

function onlyText(content: readonly McpContent[]): string | undefined {
  const [block] = content
  return content.length === 1 && block?.type === 'text' && typeof block.text === 'string' ? block.text : undefined
}

/** What a text may mean, the likeliest first: a number or a word as JSON may just as well be prose. */
function readings(text: string): readonly unknown[] {
  const parsed = parsedJson(text)
  if (parsed === undefined) return [text]
  return typeof parsed.value === 'object' && parsed.value !== null ? [parsed.value, text] : [text, parsed.value]
}

function parsedJson(text: string): { readonly value: unknown } | undefined {
  try {
    return { value: JSON.parse(text) }
  } catch {
    // Text that is no JSON is prose.
    return undefined
  }
}

function malformed(what: string): ToolFailure {
  const cause = new TypeError(`the MCP tool ${what}`)
  return new ToolFailure(FIXED_MESSAGES.malformed_result, { reason: 'malformed_result', cause })
}
