import type { BoundAgent } from '../agents/bound-agent.js'
import { getOrder } from '../agents/orders.fixture.js'
import type { Runtime } from '../agents/runtime.js'
import type { BoundToolset } from '../call/bound-toolset.js'
import { type RunConfig, runConfig } from '../call/run-config.js'
import { tool, toolset } from '../executors/function-tools.js'
import type { HasApproval, HasClock, HasLogger } from '../types/call-options.js'
import type { RunLayer, StepLayer, ToolLayer } from '../types/layer.js'
import type { AgentDescriptor, ToolsetRegistration } from '../types/registration.js'
import type { ToolCall } from '../types/tool.js'
import { approval } from './approval.js'
import { inputSchema, recommended, stack, timeout, tracing, transformOutput } from './built-in.js'
import { retry } from './retry.js'

type Equal<A, B> = (<T>() => T extends A ? 1 : 2) extends <T>() => T extends B ? 1 : 2 ? true : false
const holds = <Truth extends true>(): Truth | undefined => undefined
type EnvOfAgent<Agent> = Agent extends BoundAgent<infer Env> ? Env : never
type EnvOfRegistration<Registration> = Registration extends ToolsetRegistration<infer Env> ? Env : never
type EnvOfToolset<Toolset> = Toolset extends BoundToolset<infer Env> ? Env : never
type EnvOfConfig<Config> = Config extends RunConfig<infer Env> ? Env : never
type EnvOfLayer<Layer> = Layer extends ToolLayer<infer Env> ? Env : never

declare const runtime: Runtime
declare const agent: AgentDescriptor
declare const plain: ToolsetRegistration
declare const bare: BoundAgent
declare const call: ToolCall
declare const session: ToolCall<unknown, 'sessionId'>
declare const clocked: ToolLayer<HasClock>
declare const logged: ToolLayer<HasLogger>
declare const steps: StepLayer<HasLogger>
declare const runs: RunLayer<HasClock>
declare const approver: HasApproval['approval']
declare const clock: HasClock['clock']
declare const logger: HasLogger['logger']

export function layersThatNeedNothingKeepTheEnvOptional(): void {
  const layered = bare
    .layer(timeout(1))
    .layer(retry())
    .layer(inputSchema('strict'))
    .layer(tracing(() => undefined))
    .layer(transformOutput((json) => json))
    .layer(recommended())
    .layer((next) => next)
  void layered.execute(call)
  void layered.run('?')
  void layered.run('?', { config: runConfig().layer(timeout(1)), env: { whatever: 1 } })
  void runtime.registerToolset(plain.layer(timeout(1))).execute(call)
}

export function needsOfRegistrations(): void {
  const registration = plain.layer(approval()).tool(getOrder, (own) => own.layer(clocked).layer(timeout(1)))
  holds<Equal<EnvOfRegistration<typeof registration>, HasApproval & HasClock>>()
  const orders = runtime.registerToolset(registration)
  holds<Equal<EnvOfToolset<typeof orders>, HasApproval & HasClock>>()
  void orders.execute(call, { env: { approval: approver, clock } })
  // @ts-expect-error the layers need an env
  void orders.execute(call)
  // @ts-expect-error the clock is missing
  void orders.execute(call, { env: { approval: approver } })
}

export function needsOfSeveralRegistrationsAddUp(): void {
  const support = runtime.registerAgent(agent, [plain.layer(approval()), plain.layer(clocked), plain])
  void support.execute(call, { env: { approval: approver, clock } })
  void support.run('?', { env: { approval: approver, clock } })
  // @ts-expect-error the clock is missing
  void support.run('?', { env: { approval: approver } })
  // @ts-expect-error the approval is missing
  void support.execute(call, { env: { clock } })
  // @ts-expect-error the layers need an env
  void support.run('?')
}

export function needsOfAgentsAndRuns(): void {
  const support = bare.layer(approval()).stepLayer(steps).runLayer(runs)
  holds<Equal<EnvOfAgent<typeof support>, HasApproval & HasLogger & HasClock>>()
  void support.run('?', { env: { approval: approver, logger, clock } })
  // @ts-expect-error the layers need an env
  void support.run('?')
  // @ts-expect-error an env that may be absent is none
  void support.run('?', { env: undefined })
  // @ts-expect-error what the step layer needs is missing
  void support.run('?', { env: { approval: approver, clock } })
  // @ts-expect-error a clock of another shape
  void support.run('?', { env: { approval: approver, logger, clock: { now: () => 'noon' } } })
}

export function needsOfConfigurations(): void {
  const config = runConfig().layer(clocked).stepLayer(steps).policy({ maxTurns: 1 }).labels({ tenant: 't' })
  holds<Equal<EnvOfConfig<typeof config>, HasClock & HasLogger>>()
  void bare.run('?', { config, env: { clock, logger } })
  void bare.execute(call, { config, env: { clock, logger } })
  void bare.layer(approval()).run('?', { config, env: { approval: approver, clock, logger } })
  // @ts-expect-error the configuration needs an env
  void bare.run('?', { config })
  // @ts-expect-error the configuration needs an env
  void bare.execute(call, { config })
  // @ts-expect-error the logger of the configuration is missing
  void bare.run('?', { config, env: { clock } })
  // @ts-expect-error the approval of the agent is missing
  void bare.layer(approval()).run('?', { config, env: { clock, logger } })
  // @ts-expect-error the clock of the configuration is missing
  void bare.layer(approval()).execute(call, { config, env: { approval: approver, logger } })
}

export function needsBesideServerOwnedFields(): void {
  const support = bare.layer(approval())
  void support.execute(session, { sessionId: 's', env: { approval: approver } })
  // @ts-expect-error the session is missing
  void support.execute(session, { env: { approval: approver } })
  // @ts-expect-error the env is missing
  void support.execute(session, { sessionId: 's' })
}

export function stacksAddUp(): void {
  const three = stack(approval(), clocked, logged)
  holds<Equal<EnvOfLayer<typeof three>, HasApproval & HasClock & HasLogger>>()
  const support = bare.layer(stack(three, timeout(1)))
  void support.run('?', { env: { approval: approver, clock, logger } })
  // @ts-expect-error the logger is missing
  void support.run('?', { env: { approval: approver, clock } })
  const nothing = stack(timeout(1), retry())
  void bare.layer(nothing).run('?')
}

export function layersThatAreWrittenInlineAndNeedNothing(): void {
  const layered = bare
    .layer((next) => async (request) => {
      // @ts-expect-error nothing is known of the env
      void request.env.clock
      return next(request.withMeta({ ...request.meta, labels: {} }))
    })
    .stepLayer((next) => async (request) => {
      const step = await next(request)
      return request.turn > 1 ? step : { ...step, outcomes: [] }
    })
    .runLayer((next) => async (request) => ({ ...(await next(request)), messages: request.messages }))
  holds<Equal<EnvOfAgent<typeof layered>, unknown>>()
  void layered.run('?')
  const needy = bare.layer(approval()).layer((next) => (request) => next(request))
  holds<Equal<EnvOfAgent<typeof needy>, HasApproval>>()
  const registration = plain.layer((next) => (request) => next(request)).layer(clocked)
  holds<Equal<EnvOfRegistration<typeof registration>, HasClock>>()
  const own = plain.tool(getOrder, (each) => each.layer((next) => (request) => next(request)).layer(clocked))
  holds<Equal<EnvOfRegistration<typeof own>, HasClock>>()
  const config = runConfig().layer((next) => (request) => next(request))
  holds<Equal<EnvOfConfig<typeof config>, unknown>>()
  const stacked = stack(
    (next) => (request) => next(request),
    (next) => async (request) => next(request),
  )
  void bare.layer(stacked).run('?')
}

export function layersThatAreWrittenInline(): void {
  const support = bare.layer<HasClock>((next) => async (request) => {
    holds<Equal<typeof request.env.clock, HasClock['clock']>>()
    request.env.clock.now()
    // @ts-expect-error no logger was asked for
    void request.env.logger
    return next(request)
  })
  // @ts-expect-error the clock is missing
  void support.run('?')
  void support.run('?', { env: { clock } })
  const named: ToolLayer<HasClock & HasLogger> = (next) => async (request) => {
    request.env.logger.info(`at ${request.env.clock.now()}`)
    return next(request)
  }
  // @ts-expect-error a layer answers with an outcome
  const wrong: ToolLayer = () => async () => undefined
  void [named, wrong]
}

export function needsOfHandWrittenTools(): void {
  const weather = tool({ name: 'weather', description: '', parameters: {}, run: () => 1 })
  const local = runtime.registerToolset(toolset('local', weather.layer(clocked), weather.layer(approval())))
  void local.execute(call, { env: { approval: approver, clock } })
  // @ts-expect-error the clock is missing
  void local.execute(call, { env: { approval: approver } })
  void runtime.registerToolset(toolset('local', weather)).execute(call)
}

export function anAgentThatNeedsMoreIsNotOneThatNeedsNothing(): void {
  // @ts-expect-error who takes this agent would run it without the env
  const free: BoundAgent = bare.layer(approval())
  const needy: BoundAgent<HasApproval> = bare
  void [free, needy]
}
