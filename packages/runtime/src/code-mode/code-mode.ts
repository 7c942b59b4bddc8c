import { AsyncResource } from 'node:async_hooks'
import { BoundTools } from '../call/bound-toolset.js'
import { CallTarget, type ResolvedOptions, resolveOptions } from '../call/call-target.js'
import { partsIn } from '../call/content.js'
import { newToolCall, toolSpec } from '../call/descriptors.js'
import { estimateTokens } from '../call/estimate-tokens.js'
import { rejectCall, startCall } from '../call/execute.js'
import { nestedRunContext, type RunCallContext } from '../call/nested-run.js'
import { type Provenanced, withContent } from '../call/provenance.js'
import { renderForModel } from '../call/render.js'
import { executorServedBy } from '../call/required-options.js'
import { type ToolTable, toolTable } from '../call/served-tool.js'
import { ToolFailure } from '../call/tool-failure.js'
import { payloadCodec, resultCodec } from '../codec/codecs.js'
import { toolsetRegistration } from '../layers/registration.js'
import { requireLimit, searchToolName, type ToolSearchOptions } from '../tool-search/search-tool.js'
import type { Codec } from '../types/codec.js'
import type { ContentPart } from '../types/content.js'
import type { ExecutorRequest } from '../types/executor.js'
import type { JsonText, JsonValue } from '../types/json.js'
import type { ToolOutcome } from '../types/outcome.js'
import type { ToolsetRegistration, ToolsetUse } from '../types/registration.js'
import type { ToolCall, ToolDescriptor } from '../types/tool.js'
import { issuesHint, type ProgramChecker, typescriptChecker } from './checker.js'
import { type ApiDeclarations, apiDeclarations, type DeclarationOptions } from './declarations.js'
import { ProgramSearch, programSearchId } from './program-search.js'
import {
  defaultLimits,
  type ExecuteCall,
  quickJsSandbox,
  type Sandbox,
  type SandboxFailure,
  type SandboxLimits,
  type SandboxOutcome,
  type SandboxReply,
} from './sandbox.js'

/** Options for {@link codeMode}. */
export interface CodeModeOptions extends DeclarationOptions {
  /** Checks programs before they run. Default: one `typescriptChecker()` that all toolsets share. */
  readonly checker?: ProgramChecker
  /** Runs checked programs. Default: one `quickJsSandbox()` that all toolsets share. */
  readonly sandbox?: Sandbox
  /** Limits of each program. Default: those of {@link SandboxLimits}. */
  readonly limits?: Partial<SandboxLimits>
  /**
   * Adds the tool `search_tools`, which returns the declarations of the functions that match a task. The description of `run_program` then
   * lists only the toolsets. Use it for more than about 30 tools, and install `minisearch`. Default: `false`.
   */
  readonly search?: boolean | ToolSearchOptions
}

/**
 * Turns the tools of an agent or toolset into one tool, `run_program`: a model writes a TypeScript program that calls the tools as functions.
 * The program is first checked against the types of all tools. If the check fails, nothing runs, and the model reads what to correct. A checked
 * program runs in a sandbox. Each of its calls is a call of `tools`, with its layers, approvals, validation, events and provenance.
 *
 * The outcome of a program lists its calls in `provenance.children`. `provenance.extra.tokensSaved` is an estimate of the tokens that the model
 * did not read: the results of the calls minus the returned value and the console output, with four characters per token.
 *
 * Install `typescript` and `quickjs-emscripten`.
 *
 * @param tools registered agent or toolset, or several of them. Calls of several agents emit events without the name of an agent
 * @throws {SchemaError} if the schema of a tool is invalid
 * @throws {TypeError} if `tools` is not a registered agent or toolset, if there are no tools, or if two tools have the same name
 * @example
 * const program = new Runtime().registerToolset(codeMode(support))
 * const outcome = await program.execute({
 *   tool: 'run_program',
 *   arguments: JSON.stringify({ code: "return await orders.getOrder({ orderId: 'A-1001' })" }),
 * })
 */
export function codeMode<Env = unknown>(
  tools: BoundTools<Env> | readonly BoundTools<Env>[],
  options: CodeModeOptions = {},
): ToolsetRegistration<Env> {
  const all: readonly BoundTools<Env>[] = tools instanceof BoundTools ? [tools] : tools
  const isBound = Array.isArray(all) && all.every((each) => each instanceof BoundTools)
  if (!isBound) throw new TypeError('codeMode: pass a registered agent or toolset, or an array of these')
  const target = joinTargets(all.map((each) => each.target))
  return programRegistration(target.table, options, target)
}

/**
 * Returns a target with the tools of all targets. If there are several, its calls have no agent, and the sinks of all targets receive their
 * events.
 *
 * @throws {TypeError} if there are no targets, or if two tools have the same name
 */
function joinTargets(targets: readonly CallTarget[]): CallTarget {
  const [first] = targets
  if (first === undefined) throw noTools()
  if (targets.length === 1) return first
  const served = targets.flatMap(({ table }) => table.served)
  const names = served.map(({ tool }) => tool.spec.toolName)
  const repeated = names.find((name, at) => names.indexOf(name) !== at)
  if (repeated !== undefined)
    throw new TypeError(`codeMode: two tools have the name '${repeated}'. Rename one of them with \`rename\`.`)
  const sinks = [...new Set(targets.flatMap(({ context }) => context.sinks))]
  return new CallTarget(toolTable(served), { ...first.context, sinks }, undefined)
}

const noTools = (): TypeError => new TypeError('codeMode: the agent or toolset has no tools')

/** Id of the tool `run_program`. */
const programId = 'program.run_program'

/** Ids of the tools of code mode. */
const ownIds: readonly string[] = [programId, programSearchId]

/**
 * Creates the registration of `run_program`.
 *
 * @param target tools that the programs call. Default: the tools of the agent that has the tool `run_program`
 * @throws {TypeError} if there are no tools
 */
export function programRegistration<Env = unknown>(
  table: ToolTable,
  options: CodeModeOptions,
  target?: CallTarget,
): ToolsetRegistration<Env> {
  // An agent that uses code mode already has the tool `run_program`.
  const tools = table.served.map(({ tool }) => tool).filter(({ id }) => !ownIds.includes(id))
  if (tools.length === 0) throw noTools()
  const { comments, checker, sandbox, limits, search = false } = options
  const declarations = comments === undefined ? {} : { comments }
  const api = apiDeclarations(
    tools.map(({ spec }) => spec),
    declarations,
  )
  const limit = requireLimit('codeMode: search', search === true ? {} : search || {})
  const found = search === false ? undefined : new ProgramSearch(tools, api, { limit, ...declarations })
  const programs = new Programs(target, api, {
    checker: checker ?? defaultChecker(),
    sandbox: sandbox ?? defaultSandbox(),
    limits: { ...defaultLimits, ...limits },
  })
  const execute = async (request: ExecutorRequest): Promise<unknown> =>
    request.tool.name === searchToolName ? found?.execute(request) : programs.execute(request)
  const executor = executorServedBy({ service: 'program', execute }, () => ({
    descriptor: { name: 'program', description: 'Runs programs.' },
    table,
  }))
  return toolsetRegistration<Env>(useOf(api, found), executor)
}

/** Returns a function that creates a value at its first call. All registrations share the default threads, because a compiler needs much memory. */
function once<Value>(create: () => Value): () => Value {
  let value: Value | undefined
  return () => {
    value ??= create()
    return value
  }
}

const defaultChecker: () => ProgramChecker = once(typescriptChecker)
const defaultSandbox: () => Sandbox = once(quickJsSandbox)

function useOf(api: ApiDeclarations, search: ProgramSearch | undefined): ToolsetUse {
  const payload: Codec<never, unknown> = payloadCodec({ schema: argumentsSchema })
  const result: Codec<any, unknown> = resultCodec({ schema: resultSchema }) // `any`: as hand-written tools
  const spec = toolSpec(
    {
      id: programId,
      toolName: 'run_program',
      title: 'Run program',
      description: descriptionOf(api, search),
      examples: [],
      hash: '',
    },
    payload,
    result,
  )
  const tool: ToolDescriptor = {
    spec,
    payload,
    result,
    call: (args, options) => newToolCall(spec, payload, args, options),
  }
  const tools = search === undefined ? [tool] : [tool, search.descriptor]
  return {
    toolset: { name: 'program', namespace: 'default', description: 'Runs programs that call tools.', tools },
    provider: 'function',
  }
}

const argumentsSchema = {
  type: 'object',
  properties: {
    code: {
      type: 'string',
      minLength: 1,
      description: 'The statements.',
    },
  },
  required: ['code'],
  additionalProperties: false,
}

const resultSchema = {
  type: 'object',
  properties: {
    value: { description: 'The value that the program returned.' },
    console: { type: 'array', items: { type: 'string' }, description: 'Lines that the program wrote to the console.' },
  },
  required: ['value'],
}

interface ProgramResult {
  readonly value: JsonValue
  readonly console?: readonly string[]
}

function descriptionOf({ text }: ApiDeclarations, search: ProgramSearch | undefined): string {
  const [functions, list] =
    search === undefined
      ? ['the functions below', `\`\`\`ts\n${text}\n\`\`\``]
      : ['functions', `Find functions with \`${searchToolName}\` first. Namespaces:\n${search.overview}`]
  return `Checks and runs a TypeScript program: the statements of an async function that can call ${functions}. \`await\` each call, \
use \`Promise.all\` for independent calls, and \`return\` only what you need, as JSON. Imports, timers and type assertions are not available.

${list}`
}

interface ProgramParts {
  readonly checker: ProgramChecker
  readonly sandbox: Sandbox
  readonly limits: SandboxLimits
}

/** Checks and runs the programs of one registration. */
class Programs {
  readonly #target: CallTarget | undefined
  readonly #api: ApiDeclarations
  readonly #parts: ProgramParts

  constructor(target: CallTarget | undefined, api: ApiDeclarations, parts: ProgramParts) {
    this.#target = target
    this.#api = api
    this.#parts = parts
  }

  async execute(request: ExecutorRequest): Promise<Provenanced<ProgramResult>> {
    const { code } = (await request.payload()) as { readonly code: string }
    const { checker, sandbox, limits } = this.#parts
    const checked = await checker.check(this.#api.text, code)
    if (!checked.ok) throw new ToolFailure(issuesHint(checked.issues), { action: 'correct_call' })
    const calls = new ProgramCalls(this.#target, this.#api, request)
    const program = {
      javascript: checked.javascript,
      paths: this.#api.functions.map(({ path }) => path),
      now: calls.target.context.effects.now(),
      seed: 1,
      limits: { ...limits, parallel: Math.min(limits.parallel, calls.parallelism) },
      signal: request.meta.signal,
    }
    // Calls start in events of the sandbox's thread. `bind` keeps the async context, for example the span of this call.
    const call = AsyncResource.bind((...args: Parameters<ExecuteCall>) => calls.execute(...args))
    const outcome = await sandbox.run(program, (index, json, signal) => call(index, json, signal))
    if (outcome.status === 'failed') throw calls.failure(outcome, limits)
    const { json, logs } = outcome
    calls.endWith(json + logs.join(''))
    return withContent({ value: JSON.parse(json), ...(logs.length > 0 && { console: logs }) }, calls.contentIn(json))
  }
}

/** The calls of one program. */
class ProgramCalls {
  /** The tools that the program calls. */
  readonly target: CallTarget
  readonly #api: ApiDeclarations
  readonly #request: ExecutorRequest
  readonly #context: RunCallContext
  readonly #options: ResolvedOptions
  readonly #outcomes: ToolOutcome[] = []
  /** Names of the tools whose calls have started and not ended, or were cancelled. */
  readonly #running = new Map<symbol, string>()
  #tokensSaved: number | undefined

  constructor(target: CallTarget | undefined, api: ApiDeclarations, request: ExecutorRequest) {
    const { describe, env, inner, parent } = nestedRunContext(request)
    this.#api = api
    this.#request = request
    const { toolCallId: parentToolCallId, sessionId, turnId, runId, labels, deadline } = request.meta
    const options = { env, sessionId, turnId, runId, labels, deadline, parentToolCallId }
    if (target === undefined) {
      // The own tools of the agent are already in the layers of the run configuration.
      this.target = requireTarget(inner.innerTarget)
      this.#options = resolveOptions(options)
      this.#context = { ...inner, resumption: undefined }
    } else {
      const { agent, context } = target
      const agents = agent === undefined || parent.agents.includes(agent) ? parent.agents : [...parent.agents, agent]
      const events = inner.events?.withSinks(context.sinks)
      this.target = target
      this.#options = resolveOptions({ ...options, config: parent.config })
      this.#context = {
        ...inner,
        events,
        parent: { ...parent, agents, events },
        innerTarget: target,
        resumption: undefined,
      }
    }
    describe(() => ({
      children: this.#outcomes.map(({ call }) => call),
      ...(this.#tokensSaved !== undefined && { extra: { tokensSaved: this.#tokensSaved } }),
    }))
  }

  /** Returns the images and audio of the calls that the value of the program contains. */
  contentIn(json: JsonText): readonly ContentPart[] {
    const parts = this.#outcomes.flatMap((outcome) => (outcome.status === 'completed' ? (outcome.content ?? []) : []))
    const byData = new Map(parts.map((part) => [part.data, part]))
    return partsIn(json, [...byData.values()])
  }

  /** Maximum number of calls that run at the same time. */
  get parallelism(): number {
    return this.#context.limits.parallelism ?? Number.POSITIVE_INFINITY
  }

  /** Compares the results of the calls with the output of the program, which is all that the model reads. */
  endWith(output: string): void {
    const results = this.#outcomes.reduce((sum, outcome) => sum + estimateTokens(renderForModel(outcome)), 0)
    this.#tokensSaved = Math.max(0, results - estimateTokens(output))
  }

  async execute(index: number, json: JsonText, signal: AbortSignal): Promise<SandboxReply> {
    const tool = this.#api.functions[index]?.toolName ?? ''
    const call = { tool, arguments: json }
    if (this.#context.limits.admit?.() === false) return this.#refused(call)
    const options = { ...this.#options, signal: AbortSignal.any([signal, this.#request.meta.signal]) }
    const id = Symbol(tool)
    this.#running.set(id, tool)
    const outcome = await startCall(this.target, call, options, this.#context)
    const isCancelled = outcome.status === 'failed' && outcome.hint.reason === 'cancelled'
    if (!isCancelled) this.#running.delete(id)
    this.#outcomes.push(outcome)
    if (outcome.status === 'completed') return { ok: true, json: this.#declaredJson(outcome) }
    if (outcome.status === 'suspended')
      return { ok: false, message: `The call of ${tool} must be approved or answered first.` }
    return { ok: false, message: outcome.hint.message, hint: renderForModel(outcome) }
  }

  /** Returns the reply to a call that exceeds the limit of calls of the run. */
  #refused(call: ToolCall): SandboxReply {
    const message = 'The run accepts no more calls.'
    const { toolCallId: parentToolCallId } = this.#request.meta
    const refusal = new ToolFailure(message, { reason: 'cancelled' })
    this.#outcomes.push(rejectCall(this.target, { ...call, parentToolCallId }, refusal))
    return { ok: false, message, hint: message }
  }

  /** Returns the result as the tool declares it, without changes by result adapters and layers. */
  #declaredJson({ call, result, json }: Extract<ToolOutcome, { status: 'completed' }>): JsonText {
    const encoded = this.target.table.find(call.tool)?.tool.result.encodeValue(result.data)
    return encoded?.ok ? encoded.json : json
  }

  /** Returns the failure of a program, with the calls that have already had their effect. */
  failure(
    { reason, message, hint }: Extract<SandboxOutcome, { status: 'failed' }>,
    limits: SandboxLimits,
  ): ToolFailure {
    const completed = this.#outcomes.filter(({ status }) => status === 'completed').map(({ call }) => call.tool)
    const running = [...this.#running.values()]
    const done = [
      completed.length === 0
        ? 'No call was completed.'
        : `These calls were completed: ${namesText(completed)}. Do not repeat calls with effects.`,
      ...(running.length === 0 ? [] : [`These calls were cancelled and may have had effects: ${namesText(running)}.`]),
    ].join(' ')
    // The hint of a failed call contains its message.
    const problem = failureTexts[reason]((hint ?? message).slice(0, longestMessage), limits)
    const text = `${problem} ${done}`
    if (reason === 'cancelled') return new ToolFailure(text, { reason: 'cancelled' })
    const isWrong = completed.length + running.length === 0 && hint === undefined
    // The message of a crash is for developers.
    if (reason === 'crashed') return new ToolFailure(text, { reason: 'internal', cause: new Error(message) })
    return new ToolFailure(text, { action: isWrong ? 'correct_call' : 'replan' })
  }
}

/** @throws {TypeError} for a value that is not a {@link CallTarget}, which only the runtime creates. */
function requireTarget(target: object): CallTarget {
  if (target instanceof CallTarget) return target
  throw new TypeError(
    'The tools of the program belong to another version of @toolgen/runtime. Install only one version.',
  )
}

const maxShown = 20

function namesText(names: readonly string[]): string {
  const more = names.length > maxShown ? ` and ${names.length - maxShown} more` : ''
  return names.slice(0, maxShown).join(', ') + more
}

const longestMessage = 1_000

const failureTexts: Readonly<Record<SandboxFailure, (message: string, limits: SandboxLimits) => string>> = {
  error: (message) => `The program ended with an error: ${message}`,
  time: (_, { computeMs, totalMs }) =>
    `The program took too long (limits: ${computeMs} ms of computing, ${totalMs} ms in total).`,
  memory: () => 'The program needs too much memory. Process less data at a time.',
  calls: (_, { calls }) => `The program made more than ${calls} calls.`,
  result: (length, { resultCharacters }) =>
    `The returned value has ${length} characters; the limit is ${resultCharacters}. Return less data.`,
  unawaited: () => 'The program ended while calls were running. Write `await` before each call.',
  cancelled: (message) => message,
  crashed: () => 'The sandbox of the program ended unexpectedly. Nest calls and values less deeply.',
}
