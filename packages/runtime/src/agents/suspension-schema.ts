import { acknowledgedOutcome } from '../call/results.js'
import { restoredError } from '../call/tool-error.js'
import { LEGAL_ACTIONS, peek, ToolFailure } from '../call/tool-failure.js'
import type { ToolTable } from '../call/tool-table.js'
import { payloadCodec } from '../codec/codecs.js'
import { deepEqual } from '../schema/json-values.js'
import type { Codec } from '../types/codec.js'
import type { Issue } from '../types/issue.js'
import type { JsonSchema, JsonSchemaObject, Mutable } from '../types/json.js'
import type {
  CallSuspension,
  ClarificationField,
  PendingCall,
  RunSuspension,
  StepSuspension,
  StoredOutcome,
  SuspendedCall,
  ToolOutcome,
} from '../types/outcome.js'

export const text = { type: 'string' } as const
export const count = { type: 'number', minimum: 0 } as const

/** The schema of an object with these fields; others are kept as they are. */
export function fields(required: JsonSchemaObject, optional: JsonSchemaObject = {}): JsonSchemaObject {
  return { type: 'object', properties: { ...required, ...optional }, required: Object.keys(required) }
}

const call: JsonSchemaObject = fields({ tool: text, toolCallId: text }, { parentToolCallId: text })
/** What a call may wait for. */
const suspensionKind: JsonSchemaObject = { enum: ['approval', 'external', 'clarification'] }
const provenance = fields(
  { tool: text, durationMs: count, attempts: count },
  { children: { type: 'array', items: call } },
)
const reason = { enum: Object.keys(LEGAL_ACTIONS) }
const issues = { type: 'array', items: fields({ path: text, message: text }) } as const
const someIssues = { ...issues, minItems: 1 }

const lacking = { type: 'array', items: fields({ path: text }, { description: text }), minItems: 1 }

/** What planners, and the question for missing fields, read of the hint of a reason beside its message. */
function ofReason(reason: string): JsonSchemaObject {
  if (reason === 'missing_fields') return { issues: someIssues, rejected: text, missing: lacking }
  if (reason === 'invalid_arguments') return { issues: someIssues, rejected: text }
  return reason === 'unknown_tool' ? { near: { type: 'array', items: text } } : {}
}

const hint = {
  anyOf: Object.entries(LEGAL_ACTIONS).map(([reason, actions]) =>
    fields(
      { reason: { const: reason }, action: { enum: actions }, message: text, tool: text, ...ofReason(reason) },
      { issues, retryAfterMs: count },
    ),
  ),
}

const acknowledgement = fields(
  { status: { const: 'streaming' }, callId: text, tool: text, message: text },
  { toolCallId: text },
)

/** What a stored completed outcome must be, as far as the runtime relies on it. */
export const completedOutcome: JsonSchemaObject = fields(
  { status: { const: 'completed' }, call, provenance, json: text },
  { data: text, acknowledgement },
)

/** What a stored failed outcome must be. */
export const failedOutcome: JsonSchemaObject = fields({
  status: { const: 'failed' },
  call,
  provenance,
  error: fields({ reason, message: text }),
  hint,
})

/** What a stored suspended outcome must be, with the schema of the run beneath it, where that is an agent's. */
export function suspendedOutcome(nested: JsonSchemaObject): JsonSchemaObject {
  const suspension = fields(
    { version: { const: 1 }, kind: suspensionKind, call, arguments: text },
    { adapted: text, prompt: text, nested },
  )
  return fields({ status: { const: 'suspended' }, call, provenance, suspension })
}

type Completed = Extract<StoredOutcome, { readonly status: 'completed' }>

/** An outcome as plain data. */
export function storedOutcome(table: Pick<ToolTable, 'find'>, outcome: ToolOutcome): StoredOutcome {
  const { call, provenance } = outcome
  switch (outcome.status) {
    case 'completed': {
      const { json, acknowledgement } = outcome
      const stored: Mutable<Completed> = { call, provenance, status: 'completed', json }
      if (acknowledgement !== undefined) return { ...stored, acknowledgement }
      const encoded = table.find(call.tool)?.tool.result.encodeValue(outcome.result.data)
      if (encoded?.ok && encoded.json !== json) stored.data = encoded.json
      return stored
    }
    case 'failed': {
      const { reason, message } = outcome.error
      return { call, provenance, status: 'failed', error: { reason, message }, hint: outcome.hint }
    }
    case 'suspended':
      return { call, provenance, status: 'suspended', suspension: outcome.suspension }
  }
}

/**
 * The outcome that was stored.
 *
 * @throws {SuspensionError} when a result does not fit its tool any more.
 */
export function restoredOutcome(table: ToolTable, stored: StoredOutcome): ToolOutcome {
  if (stored.status === 'failed') {
    return Object.freeze({ ...stored, error: restoredError(stored.error, stored.hint) })
  }
  if (stored.status === 'suspended') return Object.freeze({ ...stored })
  const { call, provenance, json, acknowledgement } = stored
  if (acknowledgement !== undefined) return acknowledgedOutcome(call, provenance, acknowledgement)
  const result = Object.freeze({ data: dataOf(table, stored), provenance })
  return Object.freeze({ call, provenance, status: 'completed', result, json })
}

function dataOf(table: ToolTable, { call, json, data = json }: Completed): unknown {
  const tool = table.find(call.tool)?.tool
  const decoded = tool?.result.decode(data)
  if (decoded?.ok) return decoded.value
  if (tool === undefined) return plain(data, call.tool)
  throw new SuspensionError(
    'changed_result',
    `The result of the call '${call.toolCallId}' does not fit the tool '${call.tool}' any more.`,
    decoded?.ok === false ? decoded.issues : [],
  )
}

/** The result of a tool that there is no more. */
function plain(json: string, tool: string): unknown {
  try {
    return JSON.parse(json)
  } catch {
    throw new SuspensionError('invalid_form', `The suspension holds a result of '${tool}' that is no JSON.`)
  }
}

const asked = fields({ tool: text, path: text }, { description: text })

const message = fields({ role: text })

const pending = fields(
  { id: text, kind: suspensionKind, agent: text, call, arguments: text },
  { adapted: text, prompt: text },
)

const suspendedCall = fields(
  { tool: text, arguments: text, toolCallId: text, chatId: text, toolName: text },
  { parentToolCallId: text },
)

const outcome = { anyOf: [completedOutcome, failedOutcome, suspendedOutcome({ $ref: '#' })] }

const progress = fields(
  {
    turns: count,
    toolCalls: count,
    refused: count,
    promptTokens: count,
    completionTokens: count,
    elapsedMs: count,
    runStart: count,
    events: count,
    // Of the reasons to end only those of hooks and layers are kept.
    stops: { type: 'array', items: fields({ reason: { const: 'stopped' }, by: text, message: text }) },
    outcomes: { type: 'array', items: outcome },
  },
  { fields: { type: 'object' } },
)

/** What a stored suspension must be, as far as the runtime relies on it. */
const suspensionSchema: JsonSchema = {
  ...fields(
    {
      version: { const: 1 },
      id: text,
      runId: text,
      agent: text,
      kind: suspensionKind,
      messages: { type: 'array', items: message },
      calls: { type: 'array', items: suspendedCall },
      pending: { type: 'array', items: pending },
      progress,
    },
    { sessionId: text, suspendedAt: count, signature: text, question: text, fields: { type: 'array', items: asked } },
  ),
  if: { properties: { kind: { const: 'clarification' } } },
  // biome-ignore lint/suspicious/noThenProperty: a keyword of JSON Schema
  then: { required: ['question', 'fields'] },
}

const codec: Codec<never, RunSuspension> = payloadCodec({ schema: suspensionSchema, unknown: 'keep' })

/** How many faults of a form are told. */
const MAX_TOLD = 3

/**
 * Reads a suspension of an agent's run, which may come from a store. Returns a copy.
 *
 * @throws {SuspensionError} `newer_version`, `wrong_agent` or `invalid_form`, with what is wrong.
 */
export function readSuspension(given: unknown, agent: string): RunSuspension {
  const version = peek(given, 'version')
  if (typeof version === 'number' && version > 1) {
    throw new SuspensionError(
      'newer_version',
      `The suspension has the version ${version}, and this runtime knows version 1: resume it with the runtime that wrote it.`,
    )
  }
  const decoded = codec.decode(textOf(given))
  if (!decoded.ok) {
    const told = decoded.issues
      .slice(0, MAX_TOLD)
      .map(({ path, message }) => `${path === '' ? 'it' : path}: ${message}`)
    throw new SuspensionError('invalid_form', `This is no suspension of a run: ${told.join(' ')}`, decoded.issues)
  }
  requireAgent(decoded.value, agent)
  requireConsistent(decoded.value)
  return decoded.value
}

/** @throws {SuspensionError} `wrong_agent` where the run is one of another agent. */
export function requireAgent({ agent }: Pick<RunSuspension, 'agent'>, name: string): void {
  if (agent === name) return
  throw new SuspensionError('wrong_agent', `The suspended run is one of the agent '${agent}', not of '${name}'.`)
}

function textOf(given: unknown): string {
  try {
    return JSON.stringify(given) ?? ''
  } catch {
    // A cycle, a bigint, a hostile getter: JSON cannot have brought it.
    throw new SuspensionError('invalid_form', 'This is no suspension of a run: it cannot be written as JSON.')
  }
}

/**
 * Requires that the parts of a suspension, and of nested ones, are about the same calls, each once, and that what is shown to
 * the approver (`kind`, `pending`, `question`, `fields`) is what the stored calls wait for.
 */
function requireConsistent(suspension: RunSuspension): void {
  const { calls, progress, messages, agent } = suspension
  const { outcomes, runStart } = progress
  const last = calls.length === 0 ? [] : outcomes.slice(-calls.length)
  const isSame = last.length === calls.length && calls.every((call, index) => isOf(call, last[index]))
  const isOnce = new Set(calls.map(({ toolCallId }) => toolCallId)).size === calls.length
  const waiting = last.flatMap((outcome) => (outcome.status === 'suspended' ? [outcome.suspension] : []))
  const before = outcomes.slice(0, outcomes.length - last.length).some(({ status }) => status === 'suspended')
  if (!isSame || !isOnce || before || (calls.length > 0 && waiting.length === 0) || runStart > messages.length) {
    throw new SuspensionError(
      'invalid_form',
      'This is no suspension of a run: its calls and their outcomes do not match.',
    )
  }
  for (const { nested } of waiting) if (nested !== undefined) requireConsistent(nested)
  const pointer = differenceFrom(
    suspension,
    stepSuspension(() => calls, last, agent),
  )
  if (pointer === undefined) return
  throw new SuspensionError(
    'invalid_form',
    `The suspension was changed: ${pointer} is not what its stored calls wait for. Resume the suspension as \`run.suspension\` returned it.`,
  )
}

/** Where a suspension differs from what its stored calls wait for; `undefined` where it does not. Unknown properties are ignored. */
function differenceFrom(suspension: RunSuspension, waits: StepSuspension | undefined): string | undefined {
  const { kind, pending } = suspension
  // A run without waiting calls asks a question of its own.
  if (waits === undefined) return kind !== 'clarification' ? '/kind' : pending.length > 0 ? '/pending' : undefined
  if (kind !== waits.kind) return '/kind'
  if (pending.length !== waits.pending.length) return '/pending'
  for (const [index, { call, ...expected }] of waits.pending.entries()) {
    const { call: ref, ...shown }: Partial<PendingCall> = pending[index] ?? {}
    const different = [...PENDING_FIELDS].find((name) => shown[name] !== expected[name])
    if (different !== undefined) return `/pending/${index}/${different}`
    if (CALL_FIELDS.some((name) => ref?.[name] !== call[name])) return `/pending/${index}/call`
  }
  if (suspension.kind !== 'clarification' || waits.kind !== 'clarification') return undefined
  if (suspension.question !== waits.question) return '/question'
  return deepEqual(suspension.fields, waits.fields) ? undefined : '/fields'
}

const PENDING_FIELDS = ['id', 'kind', 'agent', 'arguments', 'adapted', 'prompt'] as const
const CALL_FIELDS = ['tool', 'toolCallId', 'parentToolCallId'] as const

function isOf(
  { toolCallId }: RunSuspension['calls'][number],
  outcome: RunSuspension['progress']['outcomes'][number] | undefined,
): boolean {
  if (outcome === undefined || outcome.call.toolCallId !== toolCallId) return false
  if (outcome.status !== 'suspended') return true
  const { call, kind, nested } = outcome.suspension
  const isSame = CALL_FIELDS.every((name) => call[name] === outcome.call[name])
  return isSame && (nested === undefined ? kind !== 'clarification' : nested.kind === kind)
}

/**
 * Why a suspension is not resumed:
 * - `invalid_form`: it is none, or it was changed;
 * - `newer_version`: a newer version of the runtime wrote it;
 * - `unsigned`: it has no signature, and the runtime signs suspensions;
 * - `invalid_signature`: it was changed after it was signed;
 * - `unknown_key`: it was signed with a key that the runtime does not have;
 * - `wrong_agent`: another agent's run was suspended;
 * - `wrong_session`: the run was suspended in another session;
 * - `wrong_answers`: an answer that fits no pending call, or none at all;
 * - `already_resumed`: somebody has resumed it before;
 * - `expired`: it is so old that the claims do not know whether it was resumed before;
 * - `changed_result`: a result of the run does not fit its tool any more.
 */
export type SuspensionErrorCode =
  | 'invalid_form'
  | 'newer_version'
  | 'unsigned'
  | 'invalid_signature'
  | 'unknown_key'
  | 'wrong_agent'
  | 'wrong_session'
  | 'wrong_answers'
  | 'already_resumed'
  | 'expired'
  | 'changed_result'

const CODES: ReadonlySet<unknown> = new Set<SuspensionErrorCode>([
  'invalid_form',
  'newer_version',
  'unsigned',
  'invalid_signature',
  'unknown_key',
  'wrong_agent',
  'wrong_session',
  'wrong_answers',
  'already_resumed',
  'expired',
  'changed_result',
])

/**
 * The cause of a resumed run that failed before anything was run. But for `already_resumed` the suspension is as good as
 * before.
 *
 * @example
 * if (isToolgenError(run.error?.cause, 'SuspensionError') && run.error.cause.code === 'already_resumed') return
 */
export class SuspensionError extends ToolFailure {
  override readonly name = 'SuspensionError'
  readonly code: SuspensionErrorCode
  /** What is wrong, where it is a matter of form. */
  readonly schemaIssues: readonly Issue[]

  constructor(code: SuspensionErrorCode, message: string, schemaIssues: readonly Issue[] = []) {
    super(message, { reason: 'internal', action: 'finish' })
    this.code = code
    this.schemaIssues = schemaIssues
  }
}

/** What a step waits for whose calls have these outcomes; `undefined` where none of them waits. */
export function stepSuspension(
  calls: () => readonly SuspendedCall[],
  outcomes: readonly (ToolOutcome | StoredOutcome)[],
  agent: string,
): StepSuspension | undefined {
  const pending = pendingCalls(outcomes, agent)
  if (pending.length === 0) return undefined
  const kind = (['approval', 'external'] as const).find((each) => pending.some((wait) => wait.kind === each))
  if (kind !== undefined) return { calls: calls(), kind, pending }
  const asked = pending.flatMap(({ prompt }) => prompt ?? [])
  return { calls: calls(), kind: 'clarification', question: asked.join('\n'), fields: fieldsOf(outcomes), pending }
}

/** The fields that runs beneath the calls ask for. */
function fieldsOf(outcomes: readonly (ToolOutcome | StoredOutcome)[]): readonly ClarificationField[] {
  return outcomes.flatMap((outcome) => {
    const nested = outcome.status === 'suspended' ? outcome.suspension.nested : undefined
    return nested?.kind === 'clarification' ? nested.fields : []
  })
}

/** What somebody has to answer before calls go on, in call order: their own waits, and those of runs beneath them. */
export function pendingCalls(
  outcomes: readonly (ToolOutcome | StoredOutcome)[],
  agent: string,
): readonly PendingCall[] {
  return outcomes
    .filter((outcome) => outcome.status === 'suspended')
    .flatMap(({ suspension }) => pendingOf(suspension, agent))
}

/** The id under which the wait of a call is answered: that of the call, so written that joined ids stay unique. */
export function pendingId(toolCallId: string): string {
  return toolCallId.replaceAll('~', '~0').replaceAll('/', '~1')
}

function pendingOf(
  { kind, call, arguments: sent, adapted, prompt, nested }: CallSuspension,
  agent: string,
): readonly PendingCall[] {
  const id = pendingId(call.toolCallId)
  if (nested !== undefined && nested.pending.length > 0) {
    return nested.pending.map((pending) => ({ ...pending, id: `${id}/${pending.id}` }))
  }
  const pending: Mutable<PendingCall> = { id, kind, agent: nested?.agent ?? agent, call, arguments: sent }
  if (adapted !== undefined) pending.adapted = adapted
  if (prompt !== undefined) pending.prompt = prompt
  return [pending]
}
