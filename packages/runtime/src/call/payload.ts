import { CodecError } from '../codec/codecs.js'
import { parsePointer, pointerSegment } from '../schema/json-pointer.js'
import { cloneJson } from '../schema/json-values.js'
import { parseJson } from '../schema/parse-json.js'
import type { Decoded } from '../types/codec.js'
import type { MetaSource } from '../types/executor.js'
import type { Issue } from '../types/issue.js'
import type { JsonText, StandardCheck } from '../types/json.js'
import type { ToolRequest } from '../types/layer.js'
import type { JsonAdapter } from '../types/registration.js'
import type { BoundTool, OwnedField } from './bound-tool.js'
import { metaValue } from './call-meta.js'
import { FIXED_MESSAGES, peek, ToolFailure } from './tool-failure.js'

/** A request whose decoded arguments the tool runs with. */
interface DecodedRequest extends Pick<ToolRequest, 'arguments' | 'meta' | 'json'> {
  decoded(): Decoded<unknown> | Promise<Decoded<unknown>>
}

/**
 * Returns the payload that the executor receives: decoded, server-owned fields filled, checked. Each attempt has its own
 * copy.
 *
 * @throws {ToolFailure} `invalid_arguments` with every issue of the model, or `internal` if a value of the caller or of
 * the payload adapter is wrong.
 */
export async function payloadOf(tool: BoundTool, request: DecodedRequest): Promise<unknown> {
  const decoded = await request.decoded()
  if (!decoded.ok) throw await invalidArguments(tool, request, decoded.issues)
  const payload = withServerOwned(cloneJson(decoded.value), tool.serverOwned, request)
  if (tool.check === undefined) return payload
  const issues = await checkIssues(tool.check, payload)
  if (issues.length === 0) return payload
  const ofModel = issues.filter((issue) => ownerOf(issue, tool.serverOwned) === undefined)
  if (ofModel.length > 0) throw invalid(ofModel)
  const names = [...new Set(issues.map((issue) => ownerOf(issue, tool.serverOwned)?.from))].join(', ')
  throw new ToolFailure(`The caller of this tool gave a value that fails its check: ${names}.`, {
    reason: 'internal',
    action: 'finish',
  })
}

/** Returns the JSON after an adapter. */
export async function adapt(
  adapter: JsonAdapter | undefined,
  tool: BoundTool,
  json: JsonText,
  meta: MetaSource,
): Promise<JsonText> {
  if (adapter === undefined) return json
  const { signal } = meta.meta
  const adapted: unknown = await adapter(json, { meta: meta.meta, tool: tool.spec, signal })
  if (typeof adapted === 'string') return adapted
  throw new TypeError(`an adapter of '${tool.id}' answered with something other than JSON text`)
}

/** Returns the failure for arguments that do not decode. The model is not blamed for what the payload adapter did. */
export async function invalidArguments(
  tool: BoundTool,
  request: Pick<ToolRequest, 'arguments' | 'json'>,
  issues: readonly Issue[],
): Promise<ToolFailure> {
  const ofModel = modelIssues(tool, request.arguments, await request.json(), issues)
  if (ofModel.length > 0) return invalid(ofModel)
  const message = 'The arguments were changed on the way to this tool, and it does not take them any more.'
  return new ToolFailure(message, { reason: 'internal', cause: new CodecError(issues) })
}

function invalid(issues: readonly Issue[]): ToolFailure {
  return new ToolFailure(FIXED_MESSAGES.invalid_arguments, { reason: 'invalid_arguments', issues })
}

/** The server-owned field that an issue is about: nothing that a model could correct. */
function ownerOf(issue: Issue, fields: readonly OwnedField[]): OwnedField | undefined {
  const [first] = parsePointer(issue.path) ?? []
  return fields.find(({ field }) => field === first)
}

/**
 * Returns a payload with its server-owned fields filled from the meta, after the fields that the model sent.
 *
 * @throws {ToolFailure} `internal`, naming the fields, if a value of the caller breaks the rule of its field.
 */
export function withServerOwned(decoded: unknown, fields: readonly OwnedField[], { meta }: MetaSource): unknown {
  if (fields.length === 0) return decoded
  if (typeof decoded !== 'object' || decoded === null || Array.isArray(decoded)) {
    throw new TypeError('a payload with server-owned fields is an object')
  }
  const broken: string[] = []
  const filled = fields.map(({ field, from, rule }): [string, unknown] => {
    // A text of the meta may be a date to the executor.
    const value = rule.decodeValue(metaValue(meta, from))
    if (!value.ok) broken.push(`${from} (field '${field}')`)
    return [field, value.ok ? value.value : undefined]
  })
  if (broken.length > 0) {
    throw new ToolFailure(`The caller of this tool gave a value that is not allowed: ${broken.join(', ')}.`, {
      reason: 'internal',
      action: 'finish',
    })
  }
  // A key such as `__proto__` becomes an ordinary own property; assignment would call a setter.
  return Object.fromEntries([...Object.entries(decoded), ...filled])
}

/** Passes a copy of a payload to the application's own schema. The result of the schema is ignored. */
export async function checkIssues(check: StandardCheck, payload: unknown): Promise<readonly Issue[]> {
  const { issues } = await check['~standard'].validate(cloneJson(payload))
  // A validator may report anything, whatever its type promises.
  return (issues ?? []).map((issue: unknown): Issue => {
    const message = peek(issue, 'message')
    const path = peek(issue, 'path')
    return {
      constraint: 'check_failed',
      path: Array.isArray(path) ? path.map((part) => `/${segment(peek(part, 'key') ?? part)}`).join('') : '',
      message: typeof message === 'string' && message !== '' ? message : 'The value does not pass the check.',
    }
  })
}

function segment(key: unknown): string {
  return typeof key === 'string' || typeof key === 'number' || typeof key === 'symbol'
    ? pointerSegment(String(key))
    : '?'
}

/** Maximum number of issues of adapted arguments that are attributed. */
const MAX_ISSUES = 100

/**
 * Returns the issues of adapted arguments that are about what the model sent; what the others quote may be known to the
 * adapter alone. An issue is the model's if the arguments have it before the adapter too, if a field is missing that was
 * not sent, or if it is about a name or a value that was sent, wherever it was.
 */
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
      const { names, values } = partsOf((parsePointer(issue.path) ?? []).reduce(peek, adapted))
      return [...names].every((name) => sent.names.has(name)) && [...values].every((value) => sent.values.has(value))
    }
  }
}

function parsed(json: JsonText): unknown {
  const outcome = parseJson(json)
  return outcome.ok ? outcome.value : undefined
}
