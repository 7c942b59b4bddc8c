import type { ToolCall } from '../../contract/call.js'
import type { CallOptions } from '../../contract/call-options.js'
import type { MetaField } from '../../contract/meta.js'
import type { Mutable } from '../../contract/mutable.js'
import { RunConfig } from '../../layer/run-config.js'
import { peek } from '../failure/peek.js'
import { ToolFailure } from '../failure/tool-failure.js'
import type { RunningCall, UpdateListener } from '../tool/running-call.js'
import type { CountedCalls } from './call-target.js'
import type { RunSession } from './run-session.js'

/** A call as the runtime can trust it, from what may come straight from a model's message or from plain JavaScript. */
export function givenCall(call: ToolCall<unknown, MetaField>): ToolCall<unknown, MetaField> {
  try {
    return trusted(call)
  } catch {
    const [tool, sent, toolCallId, parentToolCallId] = CALL_FIELDS.map((field) => peek(call, field))
    return trusted({ tool, arguments: sent, toolCallId, parentToolCallId })
  }
}

const CALL_FIELDS = ['tool', 'arguments', 'toolCallId', 'parentToolCallId'] as const

/** What is no text names no tool and is no JSON; the usual failures follow. @throws what reading a field throws. */
function trusted(call: { readonly [Field in (typeof CALL_FIELDS)[number]]?: unknown }): ToolCall<unknown, MetaField> {
  const { tool, arguments: sent, toolCallId, parentToolCallId } = call
  const named = text(tool) ?? ''
  const json = text(sent) ?? ''
  const given: Mutable<ToolCall<unknown, MetaField>> =
    typeof toolCallId === 'string' ? { tool: named, arguments: json, toolCallId } : { tool: named, arguments: json }
  if (typeof parentToolCallId === 'string') given.parentToolCallId = parentToolCallId
  return given
}

/** Options as the runtime can trust them. */
export interface GivenOptions extends CallOptions {
  /** An empty object where none was given. */
  readonly env: unknown
  // `any`: the env that it needs is checked by type where it is given.
  readonly config: RunConfig<any> | undefined
  /**
   * A session is told once, when the executor is asked for the first time: the layers let the call pass, and unless the
   * executor decodes for itself, its arguments are decoded and checked. Never told of a call that fails, waits or is
   * answered before.
   */
  readonly begun?: ((running: RunningCall) => void) | undefined
  /** What is under way in a session, among which the call or the run is counted until it has ended. */
  readonly calls?: CountedCalls | undefined
  /** Told of each update, and waited for: a session's intake. */
  readonly intake?: UpdateListener | undefined
  /** The session that a run is in. */
  readonly session?: RunSession | undefined
  /** What is wrong with the options; the call is refused then. */
  readonly fault?: unknown
}

/** What is given where the caller gives no capabilities. */
export const NO_ENV: object = Object.freeze({})

const NOTHING_GIVEN: GivenOptions = Object.freeze({ env: NO_ENV, config: undefined })

/** Options as the runtime can trust them: read once, a copy of its own. An own `undefined` counts as absent. */
export function givenOptions(options: object | null | undefined): GivenOptions {
  try {
    return readOptions(options ?? {})
  } catch (fault) {
    return { ...NOTHING_GIVEN, fault: fault ?? new TypeError('the options could not be read') }
  }
}

/** @throws {ToolFailure} `internal`, naming the option, for one that is not of its type. What reading them throws passes. */
function readOptions(given: CallOptions & { readonly env?: unknown; readonly config?: unknown }): GivenOptions {
  const { runId, sessionId, turnId, parentToolCallId, labels, signal, deadline, onEvent, onUpdate, env, config } = given
  const { deepTracing } = given
  requireText('runId', runId)
  requireText('sessionId', sessionId)
  requireText('turnId', turnId)
  requireText('parentToolCallId', parentToolCallId)
  requireFunction('onEvent', onEvent)
  requireFunction('onUpdate', onUpdate)
  if (signal !== undefined && !(signal instanceof AbortSignal)) throw wrongOption('signal', 'an AbortSignal')
  if (deadline !== undefined && (typeof deadline !== 'number' || Number.isNaN(deadline))) {
    throw wrongOption('deadline', 'a time in milliseconds since the epoch')
  }
  if (config !== undefined && !(config instanceof RunConfig)) {
    throw wrongOption('config', 'a run configuration made by runConfig()')
  }
  return {
    runId,
    sessionId,
    turnId,
    parentToolCallId,
    labels: givenLabels(labels, config?.parts.labels),
    signal,
    deadline,
    onEvent,
    onUpdate,
    deepTracing: deepTracing === true,
    env: env ?? NO_ENV,
    config,
  }
}

function givenLabels(
  labels: CallOptions['labels'],
  ofConfig: CallOptions['labels'],
): Readonly<Record<string, string>> | undefined {
  if ((labels ?? undefined) === undefined && ofConfig === undefined) return undefined
  const given = [...Object.entries(ofConfig ?? {}), ...Object.entries(labels ?? {})]
  const present = given.filter(([, label]) => label !== undefined)
  const wrong = present.find(([, label]) => typeof label !== 'string')
  if (wrong !== undefined) throw wrongOption(`labels.${wrong[0]}`, 'a text')
  return Object.freeze(Object.fromEntries(present))
}

/**
 * How long a call may take, in milliseconds: until its deadline, and no longer than the run lets a tool take;
 * `undefined`: as long as it likes.
 */
export function remainingTime(
  { deadline }: CallOptions,
  now: number,
  toolTimeoutMs: number | undefined,
): number | undefined {
  const untilDeadline = deadline === undefined || deadline === Number.POSITIVE_INFINITY ? undefined : deadline - now
  if (untilDeadline === undefined) return toolTimeoutMs
  return toolTimeoutMs === undefined ? untilDeadline : Math.min(untilDeadline, toolTimeoutMs)
}

function requireText(option: string, value: unknown): void {
  if (value !== undefined && typeof value !== 'string') throw wrongOption(option, 'a text')
}

function requireFunction(option: string, value: unknown): void {
  if (value !== undefined && typeof value !== 'function') throw wrongOption(option, 'a function')
}

function wrongOption(option: string, expected: string): ToolFailure {
  return new ToolFailure(`The caller of this tool must give options.${option} as ${expected}.`, {
    reason: 'internal',
    action: 'finish',
  })
}

function text(value: unknown): string | undefined {
  return typeof value === 'string' ? value : undefined
}
