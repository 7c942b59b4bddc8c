import { describe, expect, it } from 'vitest'
import { runConfig, type ToolLayer, type ToolOutcome } from '../../packages/runtime/src/index.js'
import { SessionRegistry } from '../../packages/runtime/src/sessions.js'
import { analysts, build, idle, ours } from './runs.fixture.js'
import { acknowledged, TestStore, until, Works } from './sessions.fixture.js'

const cycle: Record<string, unknown> = {}
cycle.self = cycle

function frozen(outcome: object): ToolOutcome {
  return Object.freeze(outcome) as ToolOutcome
}

/** What layers in plain JavaScript, or with a clock of their own, may answer with. */
const odd: readonly (readonly [string, (outcome: ToolOutcome) => ToolOutcome, string])[] = [
  [
    'a hint that lacks what its reason has',
    ({ call, provenance }) =>
      frozen({
        call,
        provenance,
        status: 'failed',
        error: { reason: 'invalid_arguments', message: 'no' },
        hint: { reason: 'invalid_arguments', action: 'correct_call', message: 'no', tool: 'x' },
      }),
    'failed internal',
  ],
  [
    'what JSON cannot carry, frozen',
    ({ call, provenance }) =>
      frozen({
        call,
        provenance,
        status: 'failed',
        error: { reason: 'internal', message: 'no' },
        hint: { reason: 'internal', action: 'finish', message: 'no', tool: 'x', example: cycle },
      }),
    'failed internal',
  ],
  [
    'a duration that is none',
    (outcome) => ({ ...outcome, provenance: { ...outcome.provenance, durationMs: -3 } }),
    'completed',
  ],
  [
    'calls beneath that are none',
    (outcome) => frozen({ ...outcome, provenance: Object.freeze({ ...outcome.provenance, children: [5] }) }),
    'failed internal',
  ],
  [
    'details without end',
    (outcome) => {
      let deep: unknown = 1
      for (let level = 0; level < 3_000; level += 1) deep = [deep]
      return frozen({ ...outcome, provenance: { ...outcome.provenance, extra: { deep } } })
    },
    'failed internal',
  ],
  [
    'a wait',
    ({ call, provenance }) => frozen({ call, provenance, status: 'suspended', suspension: {} }),
    'failed internal',
  ],
]

describe('an outcome of a layer that cannot be stored', () => {
  const everywhere = odd.flatMap(([what, made, expected]) =>
    [false, true].map((isConfigured) => [what, isConfigured ? 'run' : 'agent', made, expected, isConfigured] as const),
  )
  it.each(everywhere)(
    '%s, of the scope of the %s, harms nothing else of the session, nor the session that is restored',
    async (_what, _scope, made, expected, isConfigured) => {
      const works = new Works()
      const store = new TestStore()
      const layer: ToolLayer = (next) => async (request) => {
        const outcome = await next(request)
        return request.arguments.includes('odd') ? made(outcome) : outcome
      }
      const { agent } = analysts(works, idle)
      const sessions = new SessionRegistry({ agents: { analyst: isConfigured ? agent : agent.layer(layer) }, store })
      const session = await sessions.open('s-1', ours)
      const options = isConfigured ? { config: runConfig().layer(layer) } : {}
      for (const name of ['odd', 'good']) acknowledged(await session.execute(build(name), options))
      for (const name of ['odd', 'good']) (await works.of(name)).complete(name)
      await until(() => !session.hasPending())
      await sessions.close('s-1')
      const restored = await sessions.restore('s-1', { userId: 'u-1' })
      const ended = (await restored.consumeCompleted()).map(({ completion: { outcome } }) =>
        outcome.status === 'failed' ? `failed ${outcome.error.reason}` : outcome.status,
      )
      expect(ended.toSorted()).toEqual(['completed', expected].toSorted())
    },
  )
})
