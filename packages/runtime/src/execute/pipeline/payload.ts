import { CodecError } from '../../codec/codec-error.js'
import { cloneJson } from '../../codec/json/clone.js'
import type { Decoded } from '../../contract/codec.js'
import type { Issue } from '../../contract/issue.js'
import type { ToolRequest } from '../../contract/tool-request.js'
import { FIXED_MESSAGES } from '../failure/reasons.js'
import { ToolFailure } from '../failure/tool-failure.js'
import type { BoundTool, OwnedField } from '../tool/bound-tool.js'
import { issuesOfModel } from './adapter-faults.js'
import { checkIssues } from './check.js'
import { withServerOwned } from './server-owned.js'

/**
 * From a request to what the executor sees: decoded, server-owned fields filled, checked. Each attempt gets a copy of
 * its own, so that what one does to its payload is not seen by the next.
 *
 * @throws {ToolFailure} `invalid_arguments` with every issue of the model, or `internal` when the caller's own values
 * or the payload adapter's are wrong.
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

/** The same where nothing has to be waited for; `undefined` where an adapter or a check is asked, or arguments are invalid. */
export function presentPayload(tool: BoundTool, request: DecodedRequest): { readonly payload: unknown } | undefined {
  if (tool.check !== undefined) return undefined
  const decoded = request.decodedNow()
  if (decoded?.ok !== true) return undefined
  return { payload: withServerOwned(cloneJson(decoded.value), tool.serverOwned, request) }
}

/** A request whose decoded arguments the tool runs with. */
interface DecodedRequest extends Pick<ToolRequest, 'arguments' | 'meta' | 'json'> {
  decoded(): Promise<Decoded<unknown>>
  decodedNow(): Decoded<unknown> | undefined
}

/** What to tell of arguments that do not decode: the model is not blamed for what the payload adapter did. */
export async function invalidArguments(
  tool: BoundTool,
  request: Pick<ToolRequest, 'arguments' | 'json'>,
  issues: readonly Issue[],
): Promise<ToolFailure> {
  const adapted = await request.json()
  const faults = issuesOfModel(tool, { sent: request.arguments, adapted, issues })
  return faults.length > 0 ? invalid(faults) : adapterFailure(issues)
}

function invalid(issues: readonly Issue[]): ToolFailure {
  return new ToolFailure(FIXED_MESSAGES.invalid_arguments, { reason: 'invalid_arguments', issues })
}

function adapterFailure(issues: readonly Issue[]): ToolFailure {
  const message = 'The arguments were changed on the way to this tool, and it does not take them any more.'
  return new ToolFailure(message, { reason: 'internal', cause: new CodecError(issues) })
}

/** The server-owned field that an issue is about: nothing that a model could correct. */
function ownerOf(issue: Issue, fields: readonly OwnedField[]): OwnedField | undefined {
  const first = issue.path.split('/')[1]?.replaceAll('~1', '/').replaceAll('~0', '~')
  return fields.find((field) => field.field === first)
}
