import { payloadCodec } from '../../codec/payload-codec.js'
import type { Codec } from '../../contract/codec.js'
import type { RunSuspension } from '../../contract/suspension.js'
import { peek } from '../../execute/failure/peek.js'
import { SuspensionError } from './suspension-error.js'
import { suspensionSchema } from './suspension-schema.js'

const codec: Codec<never, RunSuspension> = payloadCodec({ schema: suspensionSchema, unknown: 'keep' })

/** How many faults of a form are told. */
const MAX_TOLD = 3

/**
 * A suspension as the runtime can trust it, a copy of its own: it may come from a store.
 *
 * @throws {SuspensionError} `newer_version` or `invalid_form`, with what is wrong.
 */
export function readSuspension(given: unknown): RunSuspension {
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
  requireConsistent(decoded.value)
  return decoded.value
}

function textOf(given: unknown): string {
  try {
    return JSON.stringify(given) ?? ''
  } catch {
    // A cycle, a bigint, a hostile getter: JSON cannot have brought it.
    throw new SuspensionError('invalid_form', 'This is no suspension of a run: it cannot be written as JSON.')
  }
}

/** The parts of a suspension, and of those beneath it, speak of the same calls, and of each once. */
function requireConsistent(suspension: RunSuspension): void {
  const { calls, progress, messages } = suspension
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
}

function isOf(
  { toolCallId }: RunSuspension['calls'][number],
  outcome: RunSuspension['progress']['outcomes'][number] | undefined,
): boolean {
  if (outcome === undefined || outcome.call.toolCallId !== toolCallId) return false
  if (outcome.status !== 'suspended') return true
  const { call, kind, nested } = outcome.suspension
  return call.toolCallId === toolCallId && (nested === undefined ? kind !== 'clarification' : nested.kind === kind)
}
