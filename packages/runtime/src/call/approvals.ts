import { payloadCodec } from '../codec/codecs.js'
import { deepEqual, equalityKey, isFields } from '../schema/json-values.js'
import type { Approval, ApprovalRecord, ApprovalRule, RememberedApproval } from '../types/approval.js'
import type { JsonText } from '../types/json.js'
import type { ToolCallRef, ToolSpec } from '../types/tool.js'
import type { BoundTool } from './bound-tools.js'
import { shorten } from './value-text.js'

export interface ApprovalMemory {
  readonly approvals: readonly RememberedApproval[]
  /** The promise rejects if the approval cannot be stored. The call must not run after a rejection. */
  remember(approval: RememberedApproval): Promise<void>
}

export function withApproval(
  approvals: readonly RememberedApproval[],
  approval: RememberedApproval,
): readonly RememberedApproval[] {
  const scopeOf = ({ by: _, at: __, ...scope }: RememberedApproval) => scope
  return [...approvals.filter((each) => !deepEqual(scopeOf(each), scopeOf(approval))), approval]
}

export function withoutApprovals(
  approvals: readonly RememberedApproval[],
  tool: string | undefined,
): readonly RememberedApproval[] {
  return tool === undefined ? [] : approvals.filter((each) => each.tool !== tool)
}

interface DecidedCall {
  readonly tool: BoundTool
  readonly call: ToolCallRef
  readonly agent: string | undefined
  readonly arguments: unknown
  readonly memory: ApprovalMemory | undefined
  readonly now: number
}

const APPROVAL_FIELDS: ReadonlySet<string> = new Set(['decision', 'arguments', 'by', 'remember'])

/**
 * @throws {TypeError} for an approval with a wrong property, because the tool could run with unintended arguments if the runtime ignored the
 * property.
 */
export function readApproval(decision: unknown): Approval | undefined {
  if (decision === 'approve') return { decision }
  if (!isFields(decision) || decision.decision !== 'approve') return undefined
  const { arguments: edited, by, remember } = decision
  const unknown = Object.keys(decision).find((name) => !APPROVAL_FIELDS.has(name))
  if (unknown !== undefined) {
    throw invalidApproval(`unknown property '${unknown}'. The properties are ${[...APPROVAL_FIELDS].join(', ')}`)
  }
  if (by !== undefined && typeof by !== 'string') throw invalidApproval('`by` must be a string')
  if (remember !== undefined && !isRule(remember)) {
    throw invalidApproval("`remember` must be 'call', 'tool' or { fields: [...] } with at least one field")
  }
  return { decision: 'approve', arguments: edited, by, remember }
}

function isRule(value: unknown): value is ApprovalRule {
  if (value === 'call' || value === 'tool') return true
  if (!isFields(value) || Object.keys(value).length !== 1 || !Array.isArray(value.fields)) return false
  return value.fields.length > 0 && value.fields.every((field) => typeof field === 'string')
}

function invalidApproval(problem: string): TypeError {
  return new TypeError(`The approver returned an invalid approval: ${problem}.`)
}

/**
 * @throws if the changed arguments are invalid, or if the approver's rule for later calls cannot be stored. The tool must not run after this error.
 */
export async function recordApproval(
  { arguments: changed, by, remember }: Approval,
  call: DecidedCall,
): Promise<ApprovalRecord> {
  const edit = changed === undefined ? undefined : editOf(changed, call)
  const fact = { ...(by !== undefined && { by }), at: call.now }
  if (remember !== undefined) await rememberAs(remember, edit?.value ?? call.arguments, fact, call)
  return Object.freeze(edit === undefined ? fact : { ...fact, edited: edit.json })
}

function editOf(
  changed: unknown,
  { tool, arguments: decoded }: DecidedCall,
): { readonly value: unknown; readonly json: JsonText } | undefined {
  const problem = editProblem(tool, changed)
  if (problem !== undefined) {
    throw new TypeError(
      `The approver changed the arguments of '${tool.id}' to invalid ones: ${problem} Return all arguments, as the schema of the tool describes them.`,
    )
  }
  const encoded = editCodec(tool).encodeValue(changed)
  if (!encoded.ok || equalityKey(encoded.value) === equalityKey(decoded)) return undefined
  return encoded
}

export function editProblem(tool: BoundTool, changed: unknown): string | undefined {
  const encoded = editCodec(tool).encodeValue(changed)
  if (encoded.ok) return undefined
  return shorten(
    encoded.issues.map(({ path, message }) => (path === '' ? message : `${path}: ${message}`)).join(' '),
    300,
  )
}

// Also validates the arguments of hand-written tools, whose own codec accepts any JSON.
function editCodec({ spec, serverOwned }: BoundTool): Pick<ReturnType<typeof payloadCodec>, 'encodeValue'> {
  return payloadCodec({ schema: spec.arguments, serverOwned: serverOwned.map(({ field }) => field) })
}

async function rememberAs(
  rule: ApprovalRule,
  approved: unknown,
  fact: Pick<ApprovalRecord, 'by' | 'at'>,
  { call: { tool }, agent, memory }: DecidedCall,
): Promise<void> {
  if (memory === undefined) {
    throw new TypeError(
      `The approver of '${tool}' returned \`remember\`, but the call has no session that can remember it. Call the tool in a session, or omit \`remember\`.`,
    )
  }
  const of = { tool, ...(agent !== undefined && { agent }), ...fact }
  if (rule === 'tool') return memory.remember({ ...of, rule })
  if (rule === 'call') return memory.remember({ ...of, rule, arguments: equalityKey(approved) })
  const missing = rule.fields.find((field) => !isFields(approved) || !Object.hasOwn(approved, field))
  if (missing !== undefined) {
    throw new TypeError(
      `The approver of '${tool}' returned \`remember\` with the field '${missing}', which the arguments do not have. Name fields of the arguments.`,
    )
  }
  const fields = rule.fields.map((field) => [field, equalityKey(Object(approved)[field])] as const)
  return memory.remember({ ...of, rule: 'fields', fields: Object.fromEntries(fields) })
}

export function rememberedApproval({
  call: { tool },
  agent,
  memory,
  arguments: decoded,
}: Omit<DecidedCall, 'tool' | 'now'>): ApprovalRecord | undefined {
  const covers = (approval: RememberedApproval): boolean => {
    if (approval.tool !== tool || approval.agent !== agent) return false
    if (approval.rule === 'tool') return true
    if (approval.rule === 'call') return approval.arguments === equalityKey(decoded)
    return Object.entries(approval.fields).every(
      ([field, key]) => isFields(decoded) && Object.hasOwn(decoded, field) && equalityKey(decoded[field]) === key,
    )
  }
  const found = memory?.approvals.find(covers)
  if (found === undefined) return undefined
  const { by, at } = found
  return Object.freeze({ ...(by !== undefined && { by }), at, remembered: true })
}

/** `undefined` means that every call needs an approval. */
export function confirmationCondition({
  arguments: schema,
  confirmation,
}: Pick<ToolSpec, 'arguments' | 'confirmation'>): ((decoded: unknown) => boolean) | undefined {
  const when = confirmation?.when
  if (when === undefined) return undefined
  // The condition describes JSON, but decoded arguments can contain dates, for example.
  const sent = payloadCodec({ schema, unknown: 'keep' })
  const condition = payloadCodec({ schema: when, unknown: 'keep' })
  return (decoded) => {
    const encoded = sent.encodeValue(decoded)
    if (!encoded.ok) return true
    const matched = condition.decode(encoded.json)
    // Arguments that are nested too deep for the condition need an approval too.
    return matched.ok || matched.issues.some(({ constraint }) => constraint === 'too_deep')
  }
}
