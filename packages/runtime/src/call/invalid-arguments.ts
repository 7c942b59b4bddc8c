import { CodecError } from '../codec/codecs.js'
import { parsePointer } from '../schema/json-pointer.js'
import { parseJson } from '../schema/parse-json.js'
import type { Issue } from '../types/codec.js'
import type { JsonText } from '../types/json.js'
import type { ToolRequest } from '../types/layer.js'
import type { BoundTool } from './bound-tools.js'
import { withoutReceived } from './tool-error.js'
import { FIXED_MESSAGES, peek, ToolFailure } from './tool-failure.js'

export async function invalidArguments(
  tool: BoundTool,
  request: Pick<ToolRequest, 'arguments' | 'json'>,
  issues: readonly Issue[],
): Promise<ToolFailure> {
  const ofModel = modelIssues(tool, request.arguments, await request.json(), issues)
  // In invalid arguments, a sensitive value can be in any field.
  const isSensitive = Object.keys(tool.sensitive?.invalidArguments ?? {}).length > 0
  if (ofModel.length > 0) return invalid(isSensitive ? ofModel.map(withoutReceived) : ofModel)
  const message = 'The payload adapter of the application made the arguments invalid.'
  return new ToolFailure(message, { reason: 'internal', cause: new CodecError(issues) })
}

export function invalid(issues: readonly Issue[]): ToolFailure {
  return new ToolFailure(FIXED_MESSAGES.invalid_arguments, { reason: 'invalid_arguments', issues })
}

const MAX_ISSUES = 100

function modelIssues(tool: BoundTool, sent: JsonText, adapted: JsonText, issues: readonly Issue[]): readonly Issue[] {
  if (sent === adapted) return issues
  const before = tool.payload.decode(sent)
  if (before.ok) return []
  const keyOf = ({ constraint, path }: Issue): string => `${constraint} ${path}`
  const known = new Map(before.issues.map((issue) => [keyOf(issue), issue]))
  const sentParts = partsOf(parsed(sent))
  const value = parsed(adapted)
  return issues.slice(0, MAX_ISSUES).flatMap((issue) => {
    const same = known.get(keyOf(issue))
    if (same !== undefined) return [same]
    return isAboutSent(issue, value, sentParts) ? [issue] : []
  })
}

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
      const { names, values } = partsOf((parsePointer(issue.path) ?? []).reduce(peek, adapted))
      return [...names].every((name) => sent.names.has(name)) && [...values].every((value) => sent.values.has(value))
    }
  }
}

function parsed(json: JsonText): unknown {
  const outcome = parseJson(json)
  return outcome.ok ? outcome.value : undefined
}
