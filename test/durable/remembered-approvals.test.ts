import { approval, Runtime, tool, toolset } from '@toolgen/runtime'
import { answer, callTools } from '@toolgen/runtime/agents'
import { codeMode, quickJsSandbox, typescriptChecker } from '@toolgen/runtime/code-mode'
import { durableAgents } from '@toolgen/runtime/durable'
import { type MemoryEngineOptions, memoryEngine } from '@toolgen/runtime/testing'
import { expect, it, onTestFinished } from 'vitest'

const refund = (id: string) => ({ tool: 'refund', arguments: JSON.stringify({ id }) })

/** Engine whose approver remembers the approvals of all calls of a tool. */
function start(options: MemoryEngineOptions = {}) {
  const asked: unknown[] = []
  const refunded: string[] = []
  const checker = typescriptChecker()
  const sandbox = quickJsSandbox()
  onTestFinished(async () => {
    await Promise.all([checker.close(), sandbox.close()])
  })
  const refunds = tool({
    name: 'refund',
    description: 'Refund an order.',
    parameters: { type: 'object', properties: { id: { type: 'string' } }, required: ['id'] },
    run: ({ id }: { id: string }) => {
      refunded.push(id)
      return id
    },
  })
  const runtime = new Runtime()
  const shop = runtime.registerToolset(toolset('shop', refunds).layer(approval()))
  const support = runtime.registerAgent(
    { name: 'support', description: 'Helps.' },
    [toolset('shop', refunds).layer(approval())],
    { planner: ({ turn }) => (turn <= 2 ? callTools(refund(`R${turn}`)) : answer('Done.')) },
  )
  const programs = runtime.registerToolset(codeMode(shop, { checker, sandbox }))
  const approve = async ({ rawArguments }: { readonly rawArguments: string }) => {
    asked.push(JSON.parse(rawArguments))
    return { decision: 'approve', by: 'ann', remember: 'tool' } as const
  }
  const agents = durableAgents({
    agents: { support },
    toolsets: { shop, programs },
    env: () => ({ approval: { approve } }),
    unknownOutcome: 'repeat',
  })
  return { engine: memoryEngine(agents, options), asked, refunded }
}

const user = { userId: 'u-1' }

it('the calls of a durable session, and of programs in it, use the approvals that it remembers', async () => {
  const { engine, asked, refunded } = start()
  const session = await engine.openSession('s-1', { ...user, namespaces: ['shop', 'programs'] })
  expect(await session.execute(refund('A'))).toMatchObject({
    status: 'completed',
    provenance: { approval: { by: 'ann' } },
  })
  expect(await session.execute(refund('B'))).toMatchObject({ provenance: { approval: { remembered: true } } })
  const code = `return [await shop.refund({ id: 'C' }), await shop.refund({ id: 'D' })]`
  const program = { tool: 'run_program', arguments: JSON.stringify({ code }) }
  expect(await session.execute(program)).toMatchObject({ status: 'completed', json: '{"value":["C","D"]}' })
  expect(asked).toEqual([{ id: 'A' }])
  expect(refunded).toEqual(['A', 'B', 'C', 'D'])
  await session.forgetApprovals('shop.refund')
  expect(await session.execute(program)).toMatchObject({ status: 'completed' })
  expect(asked).toEqual([{ id: 'A' }, { id: 'C' }])
  expect(await session.approvals()).toMatchObject([{ tool: 'shop.refund', rule: 'tool' }])
})

it.each([
  ['before', ['R1']],
  ['during', ['R1', 'R1']],
  ['after', ['R1']],
] as const)(
  'after a crash %s the record of a call, the session has the approvals of recorded calls',
  async (when, ids) => {
    const { engine, asked } = start({
      crash: ({ attempt, step, when: at }) => attempt === 1 && step.startsWith('shop.refund') && at === when,
    })
    const session = await engine.openSession('s-1', { ...user, namespaces: ['support'] })
    const { runId } = await session.run('support', 'Refund both.')
    expect(await engine.result(runId)).toMatchObject({ status: 'completed' })
    expect(asked).toEqual(ids.map((id) => ({ id })))
    await expect
      .poll(() => session.approvals())
      .toMatchObject([{ tool: 'shop.refund', agent: 'support', rule: 'tool' }])
  },
)
