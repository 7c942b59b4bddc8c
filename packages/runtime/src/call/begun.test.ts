import { describe, expect, it } from 'vitest'
import { getOrder, registrationOf, toolOf } from '../agents/orders.fixture.js'
import { answer } from '../agents/outcome.fixture.js'
import { Runtime } from '../agents/runtime.js'
import { retry } from '../layers/retry.js'
import type { ToolLayer } from '../types/layer.js'
import type { RegistrationOptions } from '../types/registration.js'
import { resolveOptions } from './call-target.js'
import { startCall } from './execute.js'

interface Parts {
  readonly sent?: string
  readonly signal?: AbortSignal
  readonly layer?: ToolLayer
  readonly options?: RegistrationOptions
  readonly execute?: () => unknown
}

/** What happens in a call, in its order. */
async function historyOf({ sent = '{"orderId":"A-1"}', signal, layer, options, execute }: Parts): Promise<string[]> {
  const history: string[] = []
  const run = (): unknown => {
    history.push('run')
    return execute === undefined ? answer : execute()
  }
  const tool = toolOf('orders.getOrder', { spec: { annotations: { readOnly: true } } })
  const plain = registrationOf(tool, run, options)
  const toolset = new Runtime().registerToolset(layer === undefined ? plain : plain.layer(layer))
  const call = { tool: getOrder.spec.id, arguments: sent }
  const begun = (): void => void history.push('begun')
  const { status } = await startCall(toolset.target, call, { ...resolveOptions({ signal }), onExecute: begun })
  return [...history, status]
}

const refusing = {
  getOrder: { '~standard': { version: 1, vendor: 'test', validate: () => ({ issues: [{ message: 'no' }] }) } },
} as const

describe('the beginning of a tool', () => {
  it('is emitted before the executor is called', async () => {
    expect(await historyOf({})).toEqual(['begun', 'run', 'completed'])
  })

  it('is emitted after a slow adapter', async () => {
    const options: RegistrationOptions = { payloadAdapter: async (json) => json }
    expect(await historyOf({ options })).toEqual(['begun', 'run', 'completed'])
  })

  it('is emitted once, also if the call is retried', async () => {
    let tries = 0
    const execute = (): unknown => {
      tries += 1
      if (tries < 3) throw Object.assign(new Error('busy'), { status: 503 })
      return answer
    }
    const layer = retry({ attempts: 3, delayMs: () => 0 })
    expect(await historyOf({ execute, layer })).toEqual(['begun', 'run', 'run', 'run', 'completed'])
  })

  it.each<[string, Parts, string]>([
    ['whose arguments are no JSON', { sent: '{' }, 'failed'],
    ['whose arguments break a rule', { sent: '{"orderId":""}' }, 'failed'],
    ['that a check refuses', { options: { checks: refusing } }, 'failed'],
    ['that was aborted before', { signal: AbortSignal.abort() }, 'failed'],
    ['that a layer suspends', { layer: () => (request) => request.suspend('approval') }, 'suspended'],
    ['that a layer answers', { layer: () => (request) => request.complete(answer) }, 'completed'],
  ])('is not told of a call %s', async (_, parts, status) => {
    expect(await historyOf(parts)).toEqual([status])
  })
})
