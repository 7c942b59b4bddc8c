import type { ToolTable } from '../call/served-tool.js'
import { LEGAL_ACTIONS, peek, ToolFailure } from '../call/tool-failure.js'
import { payloadCodec } from '../codec/codecs.js'
import { pointerSegment } from '../schema/json-pointer.js'
import { deepEqual, isFields } from '../schema/json-values.js'
import type { Codec, Issue } from '../types/codec.js'
import type { JsonSchema, JsonSchemaObject } from '../types/json.js'
import type {
  CallSuspension,
  PendingCall,
  RunSuspension,
  StepSuspension,
  StoredOutcome,
  SuspendedCall,
  SuspensionSigner,
  ToolOutcome,
} from '../types/outcome.js'

export const text = { type: 'string' } as const
export const count = { type: 'number', minimum: 0 } as const

/** Returns the schema of an object with these properties; other properties are allowed. */
export function fields(required: JsonSchemaObject, optional: JsonSchemaObject = {}): JsonSchemaObject {
  return { type: 'object', properties: { ...required, ...optional }, required: Object.keys(required) }
}

export function arrayOf(items: JsonSchemaObject, minItems: number = 0): JsonSchemaObject {
  return { type: 'array', items, minItems }
}

const callRefSchema: JsonSchemaObject = fields({ tool: text, toolCallId: text }, { parentToolCallId: text })
const suspensionKind: JsonSchemaObject = { enum: ['approval', 'external', 'clarification'] }
const provenance = fields({ tool: text, durationMs: count, attempts: count }, { children: arrayOf(callRefSchema) })
const issue = fields({ path: text, message: text })

/** Properties of a hint that planners, and the question for missing fields, read. */
const ofReason: Readonly<Record<string, JsonSchemaObject>> = {
  missing_fields: {
    issues: arrayOf(issue, 1),
    rejected: text,
    missing: arrayOf(fields({ path: text }, { description: text }), 1),
  },
  invalid_arguments: { issues: arrayOf(issue, 1), rejected: text },
  unknown_tool: { near: arrayOf(text) },
}

const hint = {
  anyOf: Object.entries(LEGAL_ACTIONS).map(([reason, actions]) =>
    fields(
      { reason: { const: reason }, action: { enum: actions }, message: text, tool: text, ...ofReason[reason] },
      { issues: arrayOf(issue), retryAfterMs: count },
    ),
  ),
}

const acknowledgement = fields(
  { status: { const: 'streaming' }, callId: text, tool: text, message: text },
  { toolCallId: text },
)

/** Schema of a stored completed outcome, as far as the runtime relies on it. */
export const completedOutcome: JsonSchemaObject = fields(
  { status: { const: 'completed' }, call: callRefSchema, provenance, json: text },
  { data: text, acknowledgement },
)

/** Schema of a stored failed outcome. */
export const failedOutcome: JsonSchemaObject = fields({
  status: { const: 'failed' },
  call: callRefSchema,
  provenance,
  error: fields({ reason: { enum: Object.keys(LEGAL_ACTIONS) }, message: text }),
  hint,
})

/** Schema of a stored suspended outcome, with the schema of its nested run. */
export function suspendedOutcome(nested: JsonSchemaObject): JsonSchemaObject {
  const suspension = fields(
    { version: { const: 1 }, kind: suspensionKind, call: callRefSchema, arguments: text },
    { adapted: text, prompt: text, nested },
  )
  return fields({ status: { const: 'suspended' }, call: callRefSchema, provenance, suspension })
}

/** Returns a positive finite number, and 0 for anything else that a clock or a planner of the application has returned. */
export function amount(value: unknown): number {
  return typeof value === 'number' && Number.isFinite(value) && value > 0 ? value : 0
}

/** Returns an outcome as plain data. */
export function storedOutcome(table: Pick<ToolTable, 'find'>, outcome: ToolOutcome): StoredOutcome {
  const { call, provenance } = outcome
  switch (outcome.status) {
    case 'completed': {
      const { status, json, acknowledgement } = outcome
      if (acknowledgement !== undefined) return { call, provenance, status, json, acknowledgement }
      const encoded = table.find(call.tool)?.tool.result.encodeValue(outcome.result.data)
      const isOther = encoded?.ok && encoded.json !== json
      return { call, provenance, status, json, ...(isOther && { data: encoded.json }) }
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
 * Code of a {@link SuspensionError}:
 * - `invalid_form`: it is not a suspension, or it was changed;
 * - `newer_version`: a newer version of the runtime wrote it;
 * - `unsigned`: it has no signature, and the runtime signs suspensions;
 * - `invalid_signature`: it was changed after it was signed;
 * - `unknown_key`: it was signed with a key that the runtime does not have;
 * - `wrong_agent`: another agent's run was suspended;
 * - `wrong_session`: the run was suspended in another session;
 * - `wrong_answers`: an answer fits no pending call, or there is no answer;
 * - `already_resumed`: the suspension was resumed before;
 * - `expired`: it is so old that the claims do not know whether it was resumed before;
 * - `changed_result`: a result of the run does not fit its tool any more.
 */
type SuspensionErrorCode =
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

/**
 * Cause of a resumed run that failed before anything was run. The suspension can be used again, unless the code is
 * `already_resumed`.
 *
 * @example
 * if (isToolgenError(run.error?.cause, 'SuspensionError') && run.error.cause.code === 'already_resumed') return
 */
export class SuspensionError extends ToolFailure {
  override readonly name = 'SuspensionError'
  readonly code: SuspensionErrorCode
  /** Issues of a value that does not fit its schema. */
  readonly schemaIssues: readonly Issue[]

  constructor(code: SuspensionErrorCode, message: string, schemaIssues: readonly Issue[] = []) {
    super(message, { reason: 'internal', action: 'finish' })
    this.code = code
    this.schemaIssues = schemaIssues
  }
}

type AnyOutcome = ToolOutcome | StoredOutcome

/** Returns the suspension of a step with these outcomes; `undefined` if no call waits. @param calls all calls of the step */
export function stepSuspension(
  outcomes: readonly AnyOutcome[],
  agent: string,
  calls: readonly SuspendedCall[],
): StepSuspension | undefined {
  const pending = pendingCalls(outcomes, agent)
  if (pending.length === 0) return undefined
  const kind = (['approval', 'external'] as const).find((each) => pending.some((wait) => wait.kind === each))
  if (kind !== undefined) return { calls, kind, pending }
  const question = pending.flatMap(({ prompt }) => prompt ?? []).join('\n')
  const missing = outcomes.flatMap((outcome) => {
    const nested = outcome.status === 'suspended' ? outcome.suspension.nested : undefined
    return nested?.kind === 'clarification' ? nested.fields : []
  })
  return { calls, kind: 'clarification', question, fields: missing, pending }
}

/** Returns the calls that need an answer, in call order: those with these outcomes, and those of nested runs. */
export function pendingCalls(outcomes: readonly AnyOutcome[], agent: string): readonly PendingCall[] {
  return outcomes.flatMap((outcome) => (outcome.status === 'suspended' ? pendingOf(outcome.suspension, agent) : []))
}

function pendingOf(suspension: CallSuspension, agent: string): readonly PendingCall[] {
  const { kind, call, arguments: sent, adapted, prompt, nested } = suspension
  const id = pointerSegment(call.toolCallId)
  if (nested !== undefined && nested.pending.length > 0) {
    return nested.pending.map((pending) => ({ ...pending, id: `${id}/${pending.id}` }))
  }
  const pending = { id, kind, agent: nested?.agent ?? agent, call, arguments: sent }
  return [{ ...pending, ...(adapted !== undefined && { adapted }), ...(prompt !== undefined && { prompt }) }]
}

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
    // Only the reasons of hooks and layers are stored.
    stops: arrayOf(fields({ reason: { const: 'stopped' }, by: text, message: text })),
    outcomes: arrayOf({ anyOf: [completedOutcome, failedOutcome, suspendedOutcome({ $ref: '#' })] }),
  },
  { fields: { type: 'object' } },
)

const suspensionSchema: JsonSchema = {
  ...fields(
    {
      version: { const: 1 },
      id: text,
      runId: text,
      agent: text,
      kind: suspensionKind,
      messages: arrayOf(fields({ role: text })),
      calls: arrayOf(
        fields(
          { tool: text, arguments: text, toolCallId: text, chatId: text, toolName: text },
          { parentToolCallId: text },
        ),
      ),
      pending: arrayOf(
        fields(
          { id: text, kind: suspensionKind, agent: text, call: callRefSchema, arguments: text },
          { adapted: text, prompt: text },
        ),
      ),
      progress,
    },
    {
      sessionId: text,
      suspendedAt: count,
      signature: text,
      question: text,
      fields: arrayOf(fields({ tool: text, path: text }, { description: text })),
    },
  ),
  if: { properties: { kind: { const: 'clarification' } } },
  // biome-ignore lint/suspicious/noThenProperty: a keyword of JSON Schema
  then: { required: ['question', 'fields'] },
}

const codec: Codec<never, RunSuspension> = payloadCodec({ schema: suspensionSchema, unknown: 'keep' })

/** Number of issues that a message lists. */
const MAX_ISSUES = 3

/**
 * Reads a suspension of an agent's run, which may come from a store. Returns a copy.
 *
 * @throws {SuspensionError} `newer_version`, `wrong_agent` or `invalid_form`.
 */
export function readSuspension(value: unknown, agent: string): RunSuspension {
  const version = peek(value, 'version')
  if (typeof version === 'number' && version > 1) {
    throw new SuspensionError(
      'newer_version',
      `The suspension has the version ${version}, and this runtime knows version 1: resume it with the runtime that wrote it.`,
    )
  }
  const json = value === undefined ? '' : jsonOf(value)
  if (json === undefined) {
    throw new SuspensionError('invalid_form', 'This is no suspension of a run: it cannot be written as JSON.')
  }
  const decoded = codec.decode(json)
  if (!decoded.ok) {
    const listed = decoded.issues
      .slice(0, MAX_ISSUES)
      .map(({ path, message }) => `${path === '' ? 'it' : path}: ${message}`)
    throw new SuspensionError('invalid_form', `This is no suspension of a run: ${listed.join(' ')}`, decoded.issues)
  }
  requireAgent(decoded.value, agent)
  requireConsistent(decoded.value)
  return decoded.value
}

/** @throws {SuspensionError} `wrong_agent` for a run of another agent. */
export function requireAgent({ agent }: Pick<RunSuspension, 'agent'>, name: string): void {
  if (agent === name) return
  throw new SuspensionError('wrong_agent', `The suspended run is one of the agent '${agent}', not of '${name}'.`)
}

/** Returns a value as JSON; `undefined` if it is not JSON, such as a cycle, a bigint or a hostile getter. */
export function jsonOf(value: unknown): string | undefined {
  try {
    return JSON.stringify(value)
  } catch {
    return undefined
  }
}

/**
 * Requires that the parts of a suspension, and of nested ones, are about the same calls, each once, and that what is shown to
 * the approver (`kind`, `pending`, `question`, `fields`) is what the stored calls wait for.
 */
function requireConsistent(suspension: RunSuspension): void {
  const { calls, progress, messages, agent } = suspension
  const { outcomes, runStart } = progress
  const first = outcomes.length - calls.length
  const last = outcomes.slice(Math.max(0, first))
  const waiting = last.flatMap((outcome) => (outcome.status === 'suspended' ? [outcome.suspension] : []))
  const isConsistent =
    first >= 0 &&
    calls.every((call, index) => isOutcomeOf(call, last[index])) &&
    new Set(calls.map(({ toolCallId }) => toolCallId)).size === calls.length &&
    outcomes.slice(0, first).every(({ status }) => status !== 'suspended') &&
    (calls.length === 0 || waiting.length > 0) &&
    runStart <= messages.length
  if (!isConsistent) {
    throw new SuspensionError(
      'invalid_form',
      'This is no suspension of a run: its calls and their outcomes do not match.',
    )
  }
  for (const { nested } of waiting) if (nested !== undefined) requireConsistent(nested)
  const pointer = differenceFrom(suspension, stepSuspension(last, agent, calls))
  if (pointer === undefined) return
  throw new SuspensionError(
    'invalid_form',
    `The suspension was changed: ${pointer} is not what its stored calls wait for. Resume the suspension as \`run.suspension\` returned it.`,
  )
}

const PENDING_FIELDS = ['id', 'kind', 'agent', 'arguments', 'adapted', 'prompt'] as const
const CALL_FIELDS = ['tool', 'toolCallId', 'parentToolCallId'] as const

/** Returns the pointer of the first difference from what the stored calls wait for. Unknown properties are ignored. */
function differenceFrom(suspension: RunSuspension, waits: StepSuspension | undefined): string | undefined {
  const { kind, pending } = suspension
  // A run without suspended calls asks its own question.
  if (waits === undefined) return kind !== 'clarification' ? '/kind' : pending.length > 0 ? '/pending' : undefined
  if (kind !== waits.kind) return '/kind'
  if (pending.length !== waits.pending.length) return '/pending'
  for (const [index, { call, ...expected }] of waits.pending.entries()) {
    const { call: ref, ...shown }: Partial<PendingCall> = pending[index] ?? {}
    const different = PENDING_FIELDS.find((name) => shown[name] !== expected[name])
    if (different !== undefined) return `/pending/${index}/${different}`
    if (CALL_FIELDS.some((name) => ref?.[name] !== call[name])) return `/pending/${index}/call`
  }
  if (suspension.kind !== 'clarification' || waits.kind !== 'clarification') return undefined
  if (suspension.question !== waits.question) return '/question'
  return deepEqual(suspension.fields, waits.fields) ? undefined : '/fields'
}

function isOutcomeOf({ toolCallId }: SuspendedCall, outcome: StoredOutcome | undefined): boolean {
  if (outcome?.call.toolCallId !== toolCallId) return false
  if (outcome.status !== 'suspended') return true
  const { call, kind, nested } = outcome.suspension
  const isSame = CALL_FIELDS.every((name) => call[name] === outcome.call[name])
  return isSame && (nested === undefined ? kind !== 'clarification' : nested.kind === kind)
}

/** Options of {@link signSuspensions}. */
export interface SignSuspensionsOptions {
  /** Signs suspensions and verifies them. At least 32 bytes from a random source; of a text the UTF-8 bytes count. */
  readonly key: string | Uint8Array
  /** Keys that signed earlier suspensions: they verify and never sign. Default: none. */
  readonly previousKeys?: readonly (string | Uint8Array)[]
}

const MIN_KEY_BYTES = 32
const ALGORITHM = { name: 'HMAC', hash: 'SHA-256' } as const
/** Version of the signature and of the text that it is made of. */
const VERSION = '1'
const KEY_ID_BYTES = 9

/**
 * Signs suspensions with HMAC-SHA-256, so that a runtime resumes only what a runtime with the same key has suspended, unchanged.
 * The signature covers the whole suspension: the conversation, the calls, what is shown to the approver, and nested
 * suspensions. It does not hide anything, and it does not prevent a second resumption: claims do.
 *
 * To change the key, make the new one `key` and the old one one of `previousKeys`, until no suspension with the old one is
 * waiting.
 *
 * @throws {TypeError} for a key that is no text and no bytes. {RangeError} for a key of less than 32 bytes.
 *
 * @example
 * // openssl rand -base64 32
 * const runtime = new Runtime({ suspensions: signSuspensions({ key: process.env.SUSPENSION_KEY ?? '' }) })
 */
export function signSuspensions({ key, previousKeys = [] }: SignSuspensionsOptions): SuspensionSigner {
  if (!Array.isArray(previousKeys)) throw new TypeError('signSuspensions: previousKeys must be an array of keys')
  const own = keyOf(key, 'key')
  const keys = [own, ...previousKeys.map((each, index) => keyOf(each, `previousKeys[${index}]`))]
  return {
    sign: async (text) => {
      const { id, secret } = await own()
      const mac = await crypto.subtle.sign(ALGORITHM, secret, bytesOf(text))
      return [VERSION, id, base64Url(new Uint8Array(mac))].join('.')
    },
    verify: async (text, signature) => {
      const [version, id, mac, ...more] = signature.split('.')
      const bytes = mac === undefined || more.length > 0 || version !== VERSION ? undefined : bytesOfBase64Url(mac)
      if (bytes === undefined) return 'invalid'
      const known = await Promise.all(keys.map((each) => each()))
      const found = known.find((each) => each.id === id)
      if (found === undefined) return 'unknown_key'
      // Web Crypto compares in constant time.
      return (await crypto.subtle.verify(ALGORITHM, found.secret, bytes, bytesOf(text))) ? 'valid' : 'invalid'
    },
  }
}

/** Returns a suspension with its signature. */
export async function signedSuspension(suspension: RunSuspension, signer: SuspensionSigner): Promise<RunSuspension> {
  return { ...suspension, signature: await signer.sign(signedText(suspension)) }
}

/**
 * Requires the signature of a suspension where suspensions are signed.
 *
 * @throws {SuspensionError} `unsigned`, `unknown_key`, `invalid_signature`.
 */
export async function requireSigned(suspension: RunSuspension, signer: SuspensionSigner | undefined): Promise<void> {
  if (signer === undefined) return
  const { signature } = suspension
  if (signature === undefined) {
    throw new SuspensionError(
      'unsigned',
      'The suspension has no signature, and this runtime resumes only signed ones: give the runtime that suspends the run the same `suspensions` option.',
    )
  }
  const check = await signer.verify(signedText(suspension), signature)
  if (check === 'valid') return
  if (check === 'unknown_key') {
    throw new SuspensionError(
      'unknown_key',
      'The suspension was signed with a key that this runtime does not have: add the key to `previousKeys` of signSuspensions.',
    )
  }
  throw new SuspensionError(
    'invalid_signature',
    'The signature of the suspension is not valid: the suspension was changed after the runtime signed it. Resume the suspension as `run.suspension` returned it.',
  )
}

/**
 * The text that is signed: the suspension without its signature, as JSON with the properties of each object in the order of
 * their names, since a store may reorder them. A change of this text needs another `VERSION`.
 */
function signedText({ signature: _, ...content }: RunSuspension): string {
  const sorted = (_: string, part: unknown): unknown =>
    isFields(part) ? Object.fromEntries(Object.entries(part).sort(([a], [b]) => (a < b ? -1 : 1))) : part
  return `toolgen suspension ${VERSION}\n${JSON.stringify(content, sorted)}`
}

interface ImportedKey {
  readonly id: string
  readonly secret: Awaited<ReturnType<typeof crypto.subtle.importKey>>
}

/** @throws {TypeError | RangeError} for a key that cannot be used. */
function keyOf(key: string | Uint8Array, option: string): () => Promise<ImportedKey> {
  if (typeof key !== 'string' && !(key instanceof Uint8Array)) {
    throw new TypeError(
      `signSuspensions: ${option} must be a text or a Uint8Array, for example from \`openssl rand -base64 32\``,
    )
  }
  const bytes = typeof key === 'string' ? bytesOf(key) : Uint8Array.from(key)
  if (bytes.length < MIN_KEY_BYTES) {
    throw new RangeError(
      `signSuspensions: ${option} has ${bytes.length} bytes; give at least ${MIN_KEY_BYTES} random bytes, for example from \`openssl rand -base64 32\``,
    )
  }
  let imported: Promise<ImportedKey> | undefined
  return () => {
    imported ??= importedKey(bytes)
    return imported
  }
}

async function importedKey(bytes: Uint8Array<ArrayBuffer>): Promise<ImportedKey> {
  const secret = await crypto.subtle.importKey('raw', bytes, ALGORITHM, false, ['sign', 'verify'])
  const mac = await crypto.subtle.sign(ALGORITHM, secret, bytesOf('toolgen suspension key'))
  return { id: base64Url(new Uint8Array(mac).subarray(0, KEY_ID_BYTES)), secret }
}

function bytesOf(text: string): Uint8Array<ArrayBuffer> {
  return new TextEncoder().encode(text)
}

function base64Url(bytes: Uint8Array): string {
  return btoa(String.fromCharCode(...bytes))
    .replaceAll('+', '-')
    .replaceAll('/', '_')
    .replaceAll('=', '')
}

function bytesOfBase64Url(text: string): Uint8Array<ArrayBuffer> | undefined {
  if (!/^[\w-]*$/.test(text)) return undefined
  try {
    return Uint8Array.from(atob(text.replaceAll('-', '+').replaceAll('_', '/')), (char) => char.charCodeAt(0))
  } catch {
    // Not base64.
    return undefined
  }
}
