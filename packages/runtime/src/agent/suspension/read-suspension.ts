import { deepEqual } from '../../codec/json/deep-equal.js'
import { payloadCodec } from '../../codec/payload-codec.js'
import type { Codec } from '../../contract/codec.js'
import type { PendingCall, RunSuspension, StepSuspension } from '../../contract/suspension.js'
import { peek } from '../../execute/failure/peek.js'
import { stepSuspension } from './step-suspension.js'
import { SuspensionError } from './suspension-error.js'
import { suspensionSchema } from './suspension-schema.js'

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
