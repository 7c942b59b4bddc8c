import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { onTestFinished } from 'vitest'
import { executorOf, toolOf, useOf } from '../../packages/runtime/src/agents/orders.fixture.js'
import {
  type AgentRun,
  base,
  type Guardrails,
  type ModelDriver,
  type ModelPlannerOptions,
  modelPlanner,
  useGuardrails,
} from '../../packages/runtime/src/agents.js'
import {
  type BoundAgent,
  type ExecutorRequest,
  type RegistrationOptions,
  Runtime,
  type RuntimeOptions,
  runConfig,
  type ToolSpec,
  toolsetRegistration,
} from '../../packages/runtime/src/index.js'
import {
  type Cassette,
  CassetteError,
  type CassetteOptions,
  calls,
  openCassette,
  type ScriptedResponse,
} from '../../packages/runtime/src/testing.js'

export const getOrder = toolOf<{ orderId: string }, unknown>('orders.getOrder', {
  arguments: { type: 'object', properties: { orderId: { type: 'string' } }, required: ['orderId'] },
  result: {
    type: 'object',
    properties: {
      id: { type: 'string' },
      at: { type: 'string', format: 'date-time', 'x-js': 'Date' },
      cents: { type: 'string', pattern: '^-?(0|[1-9][0-9]*)$', maxLength: 1000, 'x-js': 'bigint' },
    },
    required: ['id', 'at', 'cents'],
  },
})
export const follow = toolOf<{ orderId: string }, unknown>('orders.follow', {
  arguments: { type: 'object', properties: { orderId: { type: 'string' } }, required: ['orderId'] },
  result: { type: 'object', properties: { place: { type: 'string' } }, required: ['place'] },
  spec: { updates: { type: 'object', properties: { at: { type: 'string', format: 'date-time', 'x-js': 'Date' } } } },
})

/** Returns an order as the service returns it. */
export const orderOf = (id: string): object => ({ id, at: new Date('2026-01-31T09:30:00Z'), cents: 4_150n })

/** Options of the fixture's agent. */
export interface ShopParts extends ModelPlannerOptions {
  readonly name?: string
  readonly instructions?: string
  /** Default: returns an order. */
  readonly execute?: (request: ExecutorRequest) => unknown
  readonly options?: RegistrationOptions
  readonly spec?: Partial<ToolSpec>
  readonly withoutFollow?: boolean
  readonly runtime?: RuntimeOptions
  readonly guardrails?: Guardrails
}

/** Returns an agent with two tools and a model. */
export function shopOf(driver: ModelDriver, parts: ShopParts = {}): BoundAgent {
  const {
    name = 'support',
    instructions,
    execute = anyOrder,
    options,
    spec,
    withoutFollow,
    runtime,
    guardrails,
    ...planned
  } = parts
  const first = spec === undefined ? getOrder : { ...getOrder, spec: { ...getOrder.spec, ...spec } }
  return new Runtime(runtime).registerAgent(
    { name, description: 'Answers customers.', ...(instructions !== undefined && { instructions }) },
    [toolsetRegistration(useOf(withoutFollow ? [first] : [first, follow]), executorOf(execute), options)],
    guardrails === undefined
      ? { planner: modelPlanner(driver, planned) }
      : { agent: base(driver).with(useGuardrails(guardrails)).build() },
  )
}

export const anyOrder = async (request: ExecutorRequest): Promise<unknown> =>
  orderOf(JSON.parse(await request.json()).orderId)

/** Executor that fails the test, because a replay runs no tools. */
export const noTool = (): never => {
  throw new Error('a tool was run')
}

export const asksFor = (...orderIds: readonly string[]): ScriptedResponse =>
  calls(...orderIds.map((orderId) => ({ tool: 'orders_getOrder', arguments: { orderId } })))

/** Returns the path of a new cassette. Its folder is removed after the test. */
export async function cassetteFile(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'cassette-'))
  onTestFinished(() => rm(folder, { recursive: true }))
  return join(folder, 'shop.jsonl')
}

/** Work with a cassette, during the recording or the replay. */
export type Work<Value> = (driver: ModelDriver, cassette: Cassette) => PromiseLike<Value>

/** Records work with a model. */
export async function record<Value>(
  file: string,
  model: ModelDriver,
  work: Work<Value>,
  options: CassetteOptions = {},
): Promise<Value> {
  const cassette = await openCassette(file, { ...options, mode: 'record' })
  const value = await work(cassette.driver(model), cassette)
  await cassette.close()
  return value
}

/** Replays the work. */
export async function replay<Value>(file: string, work: Work<Value>, options: CassetteOptions = {}): Promise<Value> {
  const cassette = await openCassette(file, options)
  const value = await work(cassette.driver(), cassette)
  await cassette.close()
  return value
}

/** Returns the results of the work during recording and replay. */
export async function twice<Value>(
  model: ModelDriver,
  work: Work<Value>,
  options: CassetteOptions = {},
): Promise<{ readonly recorded: Value; readonly replayed: Value; readonly file: string }> {
  const file = await cassetteFile()
  return { recorded: await record(file, model, work, options), replayed: await replay(file, work, options), file }
}

/** Returns an executor that runs only during the recording. */
export function live(
  { mode }: Cassette,
  execute: (request: ExecutorRequest) => unknown = anyOrder,
): (request: ExecutorRequest) => unknown {
  return mode === 'record' ? execute : noTool
}

/** Returns the parts of a run that must be equal in a replay: no ids, times and durations. */
export function told({ status, result, stop, messages, outcomes, error, usage }: AgentRun): object {
  const { durationMs: _, ...spent } = usage
  const ends = outcomes.map(({ call: { tool }, provenance: { durationMs: _, ...provenance }, ...end }) =>
    end.status === 'completed'
      ? { tool, provenance, json: end.json, data: end.result.data }
      : { tool, provenance, ...end },
  )
  return { status, result, stop, messages, error, spent, ends }
}

/** Returns the parsed lines of a cassette. */
export async function linesOf(file: string): Promise<readonly any[]> {
  // `any`: the tests know the content of the lines.
  const text = await readFile(file, 'utf8')
  return text
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line))
}

export const configOf = (cassette: Cassette) => ({ config: runConfig().layer(cassette.toolLayer()) })

/** Returns the cassette error with which the work rejects. */
export async function faultOf(work: Promise<unknown>): Promise<CassetteError> {
  const error = await work.then(
    () => undefined,
    (thrown: unknown) => thrown,
  )
  if (error instanceof CassetteError) return error
  throw new Error(`no error of a cassette: ${String(error)}`)
}
