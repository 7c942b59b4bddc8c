import { approval } from '../layers/approval.js'
import { timeout } from '../layers/built-in.js'
import type { HasApproval, HasClock, HasLogger } from '../types/call-options.js'
import type { HookContext } from '../types/hook.js'
import type { RunLayer, StepLayer, ToolLayer } from '../types/layer.js'
import type { ModelDriver, Planner } from '../types/planner.js'
import type { AgentDescriptor, ToolsetRegistration } from '../types/registration.js'
import type { StepRequest, StepResult } from '../types/run.js'
import type { Service } from '../types/tool.js'
import type { Agent } from './agent.js'
import type { AgentBuilder, Feature } from './agent-builder.js'
import type { AgentOptions, BoundAgent } from './bound-agent.js'
import { useContext, useGuards, useHook, useToolFactory, useTools } from './features.js'
import type { Guards } from './guards.js'
import { agentLoop } from './loop.js'
import type { Runtime } from './runtime.js'
import { base, standard } from './standard-agent.js'

type Equal<A, B> = (<T>() => T extends A ? 1 : 2) extends <T>() => T extends B ? 1 : 2 ? true : false
const holds = <Truth extends true>(): Truth | undefined => undefined
type EnvOf<Made> = Made extends Agent<infer Env> ? Env : Made extends BoundAgent<infer Env> ? Env : never

declare const runtime: Runtime
declare const design: AgentDescriptor
declare const driver: ModelDriver
declare const planner: Planner
declare const plain: ToolsetRegistration
declare const clocked: ToolLayer<HasClock>
declare const steps: StepLayer<HasLogger>
declare const runs: RunLayer<HasClock>
declare const approver: HasApproval['approval']
declare const clock: HasClock['clock']
declare const logger: HasLogger['logger']

const audit = ({ env, tool }: HookContext<'beforeTool', HasLogger>): void => env.logger.info(tool.id)
const timed = ({ env, messages }: HookContext<'beforeStep', HasClock>) => ({
  messages: messages.slice(env.clock.now()),
})

export async function loopsNeedWhatTheirStepsNeed(
  step: Service<StepRequest, StepResult>,
  logging: Service<StepRequest<HasLogger>, StepResult>,
): Promise<void> {
  await agentLoop(step)({ messages: [] })
  await agentLoop(logging)({ messages: [], env: { logger } })
  // @ts-expect-error: the env is missing
  await agentLoop(logging)({ messages: [] })
  // @ts-expect-error: the env lacks the logger
  await agentLoop(logging)({ messages: [], env: { clock } })
  const layered: RunLayer<HasLogger> = () => agentLoop(logging)
  base(driver)
    .runLayer(layered)
    .runLayer(() => agentLoop(step, { policy: { maxTurns: 3 } }))
  // @ts-expect-error: a layer that names no need gives none
  const bare: RunLayer = () => agentLoop(logging)
  base(driver).runLayer(bare)
}

export function featuresThatNeedNothingKeepTheEnvOptional(): void {
  const agent = standard(driver)
    .with(useGuards({ maxSteps: 3 }))
    .with(useContext({ systemPrompt: 'Be brief.' }))
    .with(useTools(plain))
    .with(useTools())
    .with(useToolFactory(() => plain))
    .with(useHook('beforeStep', ({ messages, turn }) => (turn === 1 ? { messages } : undefined)))
    .with(
      useHook('beforeModel', ({ messages }) => ({ messages: [...messages, { role: 'user', content: 'Be brief.' }] })),
    )
    .with(useHook('onStop', () => 1))
    .layer(timeout(1))
    .build()
  holds<Equal<EnvOf<typeof agent>, unknown>>()
  void runtime.registerAgent(design, [plain], { agent }).run('?')
}

export function whatHooksLayersAndToolsNeedAddsUp(): void {
  const agent = base(driver)
    .with(useHook('beforeTool', audit))
    .with(useTools(plain.layer(approval())))
    .layer(clocked)
    .build()
  holds<Equal<EnvOf<typeof agent>, HasLogger & HasApproval & HasClock>>()
  const bound = runtime.registerAgent(design, [plain], { agent })
  void bound.run('?', { env: { logger, approval: approver, clock } })
  // @ts-expect-error the hook and the layers need an env
  void bound.run('?')
  // @ts-expect-error the clock is missing
  void bound.run('?', { env: { logger, approval: approver } })
  const ofSteps = base(driver).stepLayer(steps).runLayer(runs).with(useHook('beforeStep', timed)).build()
  holds<Equal<EnvOf<typeof ofSteps>, HasLogger & HasClock>>()
  const ofFactory = base(driver)
    .with(useToolFactory(() => [plain.layer(clocked)]))
    .build()
  holds<Equal<EnvOf<typeof ofFactory>, HasClock>>()
}

export function whatTheDesignNeedsIsAdded(): void {
  const agent = base(driver).with(useHook('beforeTool', audit)).build()
  const bound = runtime.registerAgent(design, [plain.layer(approval())], { agent })
  holds<Equal<EnvOf<typeof bound>, HasApproval & HasLogger>>()
  const planned = runtime.registerAgent(design, [plain], { planner })
  holds<Equal<EnvOf<typeof planned>, unknown>>()
}

/** Function with the same type as a generated `register<Agent>` function. */
declare function registerDesk<ToolsEnv, AgentEnv = unknown>(
  runtime: Runtime,
  binding: AgentOptions<AgentEnv> & { readonly orders: ToolsetRegistration<ToolsEnv> },
): BoundAgent<ToolsEnv & AgentEnv>

export function generatedCodeTakesAgents(): void {
  const agent = base(driver).with(useHook('beforeTool', audit)).build()
  const bound = registerDesk(runtime, { agent, orders: plain.layer(approval()) })
  holds<Equal<EnvOf<typeof bound>, HasApproval & HasLogger>>()
  const planned = registerDesk(runtime, { planner, orders: plain })
  holds<Equal<EnvOf<typeof planned>, unknown>>()
  const parts: AgentOptions = { planner }
  void parts
  // @ts-expect-error an agent that needs something is none that needs nothing
  const needy: AgentOptions = { agent }
  void needy
}

export function compositesKeepWhatTheirPartsNeed(): void {
  const audited =
    (guards: Guards): Feature<HasLogger> =>
    (builder) =>
      builder.with(useGuards(guards)).with(useHook('beforeTool', audit))
  const agent = base(driver)
    .with(audited({ maxSteps: 3 }))
    .layer(clocked)
    .build()
  holds<Equal<EnvOf<typeof agent>, HasLogger & HasClock>>()
  // @ts-expect-error the composite needs a logger and says that it needs nothing
  const silent: Feature = (builder) => builder.with(useHook('beforeTool', audit))
  void silent
}

export function anAgentMayBeTakenForOneThatNeedsMore(): void {
  const plainAgent: Agent<HasLogger> = base(driver).build()
  void plainAgent
  const builder: AgentBuilder<HasLogger> = base(driver)
  void builder
  // @ts-expect-error not the other way round
  const forgetful: Agent = base(driver).with(useHook('beforeTool', audit)).build()
  void forgetful
}

export function hooksChangeWhatTheirPhaseAllows(): void {
  // @ts-expect-error there is no such phase
  void useHook('beforeEverything', () => undefined)
  // @ts-expect-error messages are no text
  void useHook('beforeStep', () => ({ messages: 'none' }))
  // @ts-expect-error a call has no messages
  void useHook('beforeTool', ({ messages }) => messages)
}
