import { parsePointer } from '../schema/json-pointer.js'
import { parseJson } from '../schema/parse-json.js'
import type { Issue } from '../types/issue.js'
import type { JsonText } from '../types/json.js'
import type { JsonAdapter } from '../types/registration.js'
import type { ToolCallMeta } from '../types/tool.js'
import type { BoundTool } from './bound-tool.js'
import { FIXED_MESSAGES, isToolFailure, peek, ToolFailure } from './tool-failure.js'

/** The arguments after the payload adapter. */
export function adaptPayload(tool: BoundTool, json: JsonText, meta: ToolCallMeta): Promise<JsonText> {
  return adapt(tool.payloadAdapter, tool, json, meta)
}

/**
 * The encoded result after the result adapter.
 *
 * @throws {ToolFailure} the adapter's own, else `internal`: the tool has run, and what the facts of another error may
 * advise, waiting and calling again, would run it twice.
 */
export async function adaptResult(tool: BoundTool, json: JsonText, meta: ToolCallMeta): Promise<JsonText> {
  try {
    return await adapt(tool.resultAdapter, tool, json, meta)
  } catch (error) {
    if (isToolFailure(error)) throw error
    throw new ToolFailure(FIXED_MESSAGES.internal, { reason: 'internal', cause: error })
  }
}

async function adapt(
  adapter: JsonAdapter | undefined,
  tool: BoundTool,
  json: JsonText,
  meta: ToolCallMeta,
): Promise<JsonText> {
  if (adapter === undefined) return json
  const adapted: unknown = await adapter(json, { meta, tool: tool.spec, signal: meta.signal })
  if (typeof adapted === 'string') return adapted
  throw new TypeError(`an adapter of '${tool.id}' answered with something other than JSON text`)
}

/** More issues than this are not looked at. */
const MAX_ISSUES = 100

/** Arguments before and after the payload adapter, which do not decode. */
interface AdaptedArguments {
  readonly sent: JsonText
  readonly adapted: JsonText
  readonly issues: readonly Issue[]
}

/**
 * The issues of adapted arguments that are about what the model sent; the others are the adapter's own, and what they
 * quote may be known to it alone. An issue is the model's when the arguments have it before the adapter too, when a
 * field is missing that was not sent, or when it is about a name or a value that was sent, wherever it stood.
 */
export function issuesOfModel(tool: BoundTool, { sent, adapted, issues }: AdaptedArguments): readonly Issue[] {
  if (sent === adapted) return issues
  const before = tool.payload.decode(sent)
  if (before.ok) return []
  const known = new Map(before.issues.map((issue) => [issueKey(issue), issue]))
  const sentParts = partsOf(parsed(sent))
  const value = parsed(adapted)
  return issues.slice(0, MAX_ISSUES).flatMap((issue) => {
    const same = known.get(issueKey(issue))
    if (same !== undefined) return [same]
    return isAboutSent(issue, value, sentParts) ? [issue] : []
  })
}

function issueKey({ constraint, path }: Issue): string {
  return `${constraint} ${path}`
}

/** The names and the plain values of a JSON value, at any depth. */
interface Parts {
  readonly names: ReadonlySet<string>
  readonly values: ReadonlySet<unknown>
}

function partsOf(root: unknown): Parts {
  const names = new Set<string>()
  const values = new Set<unknown>()
  const waiting: unknown[] = [root]
  while (waiting.length > 0) {
    const value = waiting.pop()
    if (typeof value !== 'object' || value === null) {
      values.add(value)
      continue
    }
    for (const [name, part] of Object.entries(value)) {
      if (!Array.isArray(value)) names.add(name)
      waiting.push(part)
    }
  }
  return { names, values }
}

function isAboutSent(issue: Issue, adapted: unknown, sent: Parts): boolean {
  switch (issue.constraint) {
    case 'invalid_json':
      return false
    case 'missing_field':
      return !sent.names.has(issue.field)
    case 'unknown_field':
    case 'server_owned_field':
      return sent.names.has(issue.field)
    default: {
      const about = partsOf((parsePointer(issue.path) ?? []).reduce(peek, adapted))
      return (
        [...about.names].every((name) => sent.names.has(name)) &&
        [...about.values].every((value) => sent.values.has(value))
      )
    }
  }
}

function parsed(json: JsonText): unknown {
  const outcome = parseJson(json)
  return outcome.ok ? outcome.value : undefined
}
