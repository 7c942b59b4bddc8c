import { peek } from '../call/tool-failure.js'
import { payloadCodec } from '../codec/codecs.js'
import { deepEqual } from '../schema/json-values.js'
import type { Codec } from '../types/codec.js'
import type { JsonSchema } from '../types/json.js'
import type {
  PendingCall,
  RunSuspension,
  StepSuspension,
  StoredOutcome,
  SuspendedCall,
  SuspendedProgram,
} from '../types/outcome.js'
import { stepSuspension } from './step-suspension.js'
import {
  arrayOf,
  callRefSchema,
  completedOutcome,
  count,
  failedOutcome,
  fields,
  suspendedOutcome,
  suspensionKind,
  text,
} from './stored-outcome.js'
import { SuspensionError } from './suspension-error.js'

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
    // Only stop signals of hooks and layers are stored.
    stops: arrayOf(fields({ reason: { const: 'stopped' }, by: text, message: text })),
    outcomes: arrayOf({ anyOf: [completedOutcome, failedOutcome, suspendedOutcome({ $ref: '#' })] }),
  },
  {
    fields: { type: 'object' },
    cachedPromptTokens: count,
    cacheWritePromptTokens: count,
    reasoningTokens: count,
    cost: { type: 'number', minimum: 0 },
  },
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
          { adapted: text, prompt: text, question: { type: 'object' } },
        ),
      ),
      progress,
    },
    {
      sessionId: text,
      suspendedAt: count,
      signature: text,
      sensitive: text,
      program: fields(
        {
          version: count,
          code: text,
          now: { type: 'number' },
          seed: { type: 'integer' },
          replies: arrayOf({ type: 'integer', minimum: 0 }),
        },
        { completed: text },
      ),
      question: text,
      fields: arrayOf(fields({ tool: text, path: text }, { description: text })),
    },
  ),
  if: { properties: { kind: { const: 'clarification' } } },
  // biome-ignore lint/suspicious/noThenProperty: a keyword of JSON Schema
  then: { required: ['question', 'fields'] },
}

const codec: Codec<never, RunSuspension> = payloadCodec({ schema: suspensionSchema, unknown: 'keep' })

const MAX_ISSUES = 3

export function readSuspension(value: unknown, agent: string): RunSuspension {
  const version = peek(value, 'version')
  if (typeof version === 'number' && version > 1) throw newerVersion('suspension', version)
  const json = value === undefined ? '' : jsonOf(value)
  if (json === undefined) {
    throw new SuspensionError(
      'invalid_form',
      'The value is not a suspension of a run: it cannot be represented as JSON.',
    )
  }
  const decoded = codec.decode(json)
  if (!decoded.ok) {
    const listed = decoded.issues
      .slice(0, MAX_ISSUES)
      .map(({ path, message }) => `${path === '' ? 'it' : path}: ${message}`)
    throw new SuspensionError(
      'invalid_form',
      `The value is not a suspension of a run: ${listed.join(' ')}`,
      decoded.issues,
    )
  }
  requireAgent(decoded.value, agent)
  requireConsistent(decoded.value)
  return decoded.value
}

function newerVersion(name: string, version: number): SuspensionError {
  return new SuspensionError(
    'newer_version',
    `The ${name} has version ${version}, but this runtime supports version 1. Resume it with the runtime that created it.`,
  )
}

export function requireAgent({ agent }: Pick<RunSuspension, 'agent'>, name: string): void {
  if (agent === name) return
  throw new SuspensionError('wrong_agent', `The suspended run belongs to the agent '${agent}', not to '${name}'.`)
}

export function jsonOf(value: unknown): string | undefined {
  try {
    return JSON.stringify(value)
  } catch {
    return undefined
  }
}

/** The approver sees `kind`, `pending`, `question` and `fields`, so these properties must match the stored calls. */
function requireConsistent(suspension: RunSuspension): void {
  const { calls, progress, messages, agent, program } = suspension
  const { outcomes, runStart } = progress
  const first = outcomes.length - calls.length
  const last = outcomes.slice(Math.max(0, first))
  if (program !== undefined && program.version > 1) throw newerVersion('suspended program', program.version)
  const waiting = last.flatMap((outcome) => (outcome.status === 'suspended' ? [outcome.suspension] : []))
  const isConsistent =
    first >= 0 &&
    calls.every((call, index) => isOutcomeOf(call, last[index])) &&
    new Set(calls.map(({ toolCallId }) => toolCallId)).size === calls.length &&
    outcomes.slice(0, first).every(({ status }) => status !== 'suspended') &&
    (calls.length === 0 ? program === undefined : waiting.length > 0) &&
    (program === undefined || (first === 0 && isOfEndedCalls(program, last))) &&
    runStart <= messages.length
  if (!isConsistent) {
    throw new SuspensionError(
      'invalid_form',
      'The value is not a suspension of a run: its calls and outcomes do not match.',
    )
  }
  for (const { nested } of waiting) if (nested !== undefined) requireConsistent(nested)
  const pointer = differenceFrom(suspension, stepSuspension(last, agent, calls))
  if (pointer === undefined) return
  throw new SuspensionError(
    'invalid_form',
    `The suspension was changed: ${pointer} does not match its stored calls. Pass \`run.suspension\` unchanged.`,
  )
}

function isOfEndedCalls({ replies }: SuspendedProgram, outcomes: readonly StoredOutcome[]): boolean {
  const ended = outcomes.flatMap(({ status }, index) => (status === 'suspended' ? [] : [index]))
  return deepEqual(
    [...replies].sort((one, other) => one - other),
    ended,
  )
}

const PENDING_FIELDS = ['id', 'kind', 'agent', 'arguments', 'adapted', 'prompt', 'question'] as const
const CALL_FIELDS = ['tool', 'toolCallId', 'parentToolCallId'] as const

function differenceFrom(suspension: RunSuspension, waits: StepSuspension | undefined): string | undefined {
  const { kind, pending } = suspension
  // A run without suspended calls waits for an answer to its own question.
  if (waits === undefined) return kind !== 'clarification' ? '/kind' : pending.length > 0 ? '/pending' : undefined
  if (kind !== waits.kind) return '/kind'
  if (pending.length !== waits.pending.length) return '/pending'
  for (const [index, { call, ...expected }] of waits.pending.entries()) {
    const { call: ref, ...shown }: Partial<PendingCall> = pending[index] ?? {}
    const different = PENDING_FIELDS.find((name) => !deepEqual(shown[name], expected[name]))
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
  const { call, kind, nested, elicitation } = outcome.suspension
  const isSame = CALL_FIELDS.every((name) => call[name] === outcome.call[name])
  if (nested !== undefined) return isSame && nested.kind === kind && elicitation === undefined
  return isSame && kind !== 'clarification' && (kind === 'elicitation') === (elicitation !== undefined)
}
