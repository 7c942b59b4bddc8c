import { parsePointer, pointerSegment } from '../schema/json-pointer.js'
import { cloneJson } from '../schema/json-values.js'
import type { Decoded, Issue } from '../types/codec.js'
import type { MetaSource } from '../types/executor.js'
import type { JsonText, StandardCheck } from '../types/json.js'
import type { ToolRequest } from '../types/layer.js'
import type { JsonAdapter } from '../types/registration.js'
import type { BoundTool, OwnedField } from './bound-tools.js'
import { metaValue } from './call-context.js'
import { invalid, invalidArguments } from './invalid-arguments.js'
import { callerFailure, peek } from './tool-failure.js'

interface DecodedRequest extends Pick<ToolRequest, 'arguments' | 'meta' | 'json'> {
  decoded(): Decoded<unknown> | Promise<Decoded<unknown>>
}

/**
 * Creates a new copy for each attempt. Returns a promise only if the tool has a `payloadAdapter` or a check, or after an error, because a promise
 * makes a call several percent slower.
 *
 * @throws {ToolFailure} with the reason `invalid_arguments` and all issues that the model can correct. The reason is `internal` if a server-owned
 * field is invalid, or if `payloadAdapter` made the arguments invalid. A returned promise rejects with the same errors.
 */
export function payloadOf(tool: BoundTool, request: DecodedRequest): unknown {
  const decoded = request.decoded()
  if (decoded instanceof Promise) return decoded.then((later) => checkedPayload(tool, request, later))
  return checkedPayload(tool, request, decoded)
}

function checkedPayload(tool: BoundTool, request: DecodedRequest, decoded: Decoded<unknown>): unknown {
  if (!decoded.ok) return invalidArguments(tool, request, decoded.issues).then((failure) => Promise.reject(failure))
  const payload = withServerOwned(cloneJson(decoded.value), tool.serverOwned, request)
  return tool.check === undefined ? payload : passingPayload(tool, tool.check, payload)
}

async function passingPayload(tool: BoundTool, check: StandardCheck, payload: unknown): Promise<unknown> {
  const issues = await checkIssues(check, payload)
  if (issues.length === 0) return payload
  const ofModel = issues.filter((issue) => ownerOf(issue, tool.serverOwned) === undefined)
  if (ofModel.length > 0) throw invalid(ofModel)
  const names = [...new Set(issues.map((issue) => ownerOf(issue, tool.serverOwned)?.from))].join(', ')
  throw callerFailure(`The caller of this tool passed a value that the check of the tool rejects: ${names}.`)
}

export async function adapt(
  adapter: JsonAdapter | undefined,
  tool: BoundTool,
  json: JsonText,
  { meta }: MetaSource,
): Promise<JsonText> {
  if (adapter === undefined) return json
  const adapted: unknown = await adapter(json, { meta, tool: tool.spec, signal: meta.signal })
  if (typeof adapted === 'string') return adapted
  throw new TypeError(`An adapter of '${tool.id}' must return a string with JSON.`)
}

function ownerOf(issue: Issue, fields: readonly OwnedField[]): OwnedField | undefined {
  const [first] = parsePointer(issue.path) ?? []
  return fields.find(({ field }) => field === first)
}

/** @throws {ToolFailure} with the reason `internal` if a value of the caller is invalid. */
export function withServerOwned(decoded: unknown, fields: readonly OwnedField[], source: MetaSource): unknown {
  if (fields.length === 0) return decoded
  if (typeof decoded !== 'object' || decoded === null || Array.isArray(decoded)) {
    throw new TypeError('A payload with server-owned fields must be an object.')
  }
  const broken: string[] = []
  const filled = fields.map(({ field, from, rule }): [string, unknown] => {
    // A codec may turn a string of the meta into another type, such as a date.
    const value = rule.decodeValue(metaValue(source.meta, from))
    if (!value.ok) broken.push(`${from} (field '${field}')`)
    return [field, value.ok ? value.value : undefined]
  })
  if (broken.length > 0) {
    throw callerFailure(`The caller of this tool passed an invalid value: ${broken.join(', ')}.`)
  }
  // `Object.fromEntries` makes a key such as `__proto__` an ordinary property; assignment would call a setter.
  return Object.fromEntries([...Object.entries(decoded), ...filled])
}

/** Ignores the value that the schema returns, so a transformation in the schema has no effect. */
export async function checkIssues(check: StandardCheck, payload: unknown): Promise<readonly Issue[]> {
  const { issues } = await check['~standard'].validate(cloneJson(payload))
  // Validators may report values that do not match their declared type.
  return (issues ?? []).map((issue: unknown): Issue => {
    const message = peek(issue, 'message')
    const path = peek(issue, 'path')
    return {
      constraint: 'check_failed',
      path: Array.isArray(path) ? path.map((part) => `/${segmentOf(peek(part, 'key') ?? part)}`).join('') : '',
      message: typeof message === 'string' && message !== '' ? message : 'The value fails the check.',
    }
  })
}

function segmentOf(key: unknown): string {
  return ['string', 'number', 'symbol'].includes(typeof key) ? pointerSegment(String(key)) : '?'
}
