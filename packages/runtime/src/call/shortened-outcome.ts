import type { ContentPart } from '../types/content.js'
import type { JsonObject, JsonText, JsonValue } from '../types/json.js'
import type { CutPart, ResultCut, ToolOutcome } from '../types/outcome.js'
import type { AgentToolSpec, MaxResult } from '../types/tool.js'
import { type CutText, cutJson, exceeds, type NextCall, utf8Bytes } from './cut-json.js'
import { estimateTokens } from './estimate-tokens.js'
import type { KeptResults } from './kept-results.js'

export const READ_RESULT = 'read_result'

type CompletedOutcome = Extract<ToolOutcome, { status: 'completed' }>

interface Shortening {
  readonly max: MaxResult
  readonly spec: AgentToolSpec
  readonly arguments: JsonText
  readonly results: KeptResults
  readonly scope: string | undefined
  readonly id: string
}

/** Application code and planners that are functions read the whole value in `result.data`. */
export function shortenedOutcome(outcome: CompletedOutcome, call: Shortening): ToolOutcome {
  const { max, spec, results, scope } = call
  const { json } = outcome
  if (!exceeds(json, max)) return withShortTexts(outcome, max)
  const value = parsed(json)
  // Only arrays count: without a long one, nothing must be kept.
  if (max.items !== undefined && cutJson({ value, max, more: () => [] }).parts.length === 0) return outcome
  const id = results.keep(scope, call.id, { json, max })
  const { text, parts } = cutJson({
    value,
    max,
    more: (part) => [...(id === undefined ? [] : [readCall(id, part)]), ...nextPage(spec, call.arguments, part)],
  })
  const cut: ResultCut = {
    max,
    before: sizeOf(json),
    after: sizeOf(text),
    parts,
    ...(id !== undefined && { id }),
  }
  const provenance = Object.freeze({ ...outcome.provenance, cut: Object.freeze(cut) })
  const shortened = Object.freeze({
    ...outcome,
    provenance,
    result: Object.freeze({ ...outcome.result, provenance }),
    json: text,
  })
  return withShortTexts(shortened, max)
}

function withShortTexts(outcome: CompletedOutcome, max: MaxResult): CompletedOutcome {
  if (max.items !== undefined || outcome.content?.some(isAddedText) !== true) return outcome
  let read = outcome.json
  const content = outcome.content.map((part) => {
    if (!isAddedText(part)) return part
    let { text } = part
    while (text !== '' && exceeds(`${read}${text}`, max)) text = text.slice(0, text.length / 2)
    read += text
    if (text === part.text) return part
    const note = `… (shortened, ${part.text.length} characters)`
    return Object.freeze({ ...part, text: `${text.replace(/[\uD800-\uDBFF]$/, '')}${note}` })
  })
  return Object.freeze({ ...outcome, content })
}

function isAddedText(part: ContentPart): part is Extract<ContentPart, { readonly type: 'text' }> {
  return part.type === 'text' && part.inResult !== true
}

function sizeOf(text: string): ResultCut['before'] {
  return { bytes: utf8Bytes(text), tokens: estimateTokens(text) }
}

/** A result is not JSON if a layer replaced the JSON. */
export function parsed(json: JsonText): JsonValue {
  try {
    return JSON.parse(json)
  } catch {
    return json
  }
}

export function readSlice(
  value: JsonValue,
  max: MaxResult,
  slice: { readonly id: string; readonly pointer: string; readonly offset: number; readonly count: number },
): CutText {
  const { id, pointer, offset, count } = slice
  return cutJson({ value, max, pointer, offset, count, isWrapped: true, more: (part) => [readCall(id, part)] })
}

function readCall(id: string, { pointer, offset = 0, shown }: CutPart): NextCall {
  return { tool: READ_RESULT, arguments: { id, ...(pointer !== '' && { pointer }), offset: offset + shown } }
}

const MAX_ARGUMENTS = 300

function nextPage(
  { paging, toolName, arguments: schema }: AgentToolSpec,
  sent: JsonText,
  part: CutPart,
): readonly NextCall[] {
  const args = parsed(sent)
  const isList = part.unit === 'items' && part.shown > 0 && part.pointer.split('/').length <= 3
  if (paging === undefined || !isList || typeof args !== 'object' || args === null || Array.isArray(args)) return []
  const { limit, offset, page, firstPage = 1, cursor } = paging
  const properties = typeof schema === 'object' ? schema.properties : undefined
  const numberOf = (name: string, otherwise: number): number => {
    const value = (args as JsonObject)[name] ?? defaultOf(properties, name)
    return typeof value === 'number' ? value : otherwise
  }
  const size = limit === undefined ? {} : { [limit]: part.shown }
  const next =
    offset !== undefined
      ? { ...size, [offset]: numberOf(offset, 0) + part.shown }
      : page !== undefined && limit !== undefined && numberOf(page, firstPage) === firstPage
        ? { ...size, [page]: firstPage + 1 }
        : // Fewer items per call: the cursor in the result then continues behind them.
          cursor !== undefined && limit !== undefined
          ? size
          : undefined
  if (next === undefined) return []
  const all = { ...(args as JsonObject), ...next }
  return JSON.stringify(all).length > MAX_ARGUMENTS ? [] : [{ tool: toolName, arguments: all }]
}

function defaultOf(properties: unknown, name: string): unknown {
  if (typeof properties !== 'object' || properties === null || !Object.hasOwn(properties, name)) return undefined
  const schema: unknown = Reflect.get(properties, name)
  return typeof schema === 'object' && schema !== null && 'default' in schema ? schema.default : undefined
}
