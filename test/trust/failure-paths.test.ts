import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import {
  mcpExecutor,
  Runtime,
  renderForModel,
  runConfig,
  type ToolOutcome,
  toolsetRegistration,
} from '@toolgen/runtime'
import { answer, callTools, modelPlanner, type Planner } from '@toolgen/runtime/agents'
import { aiSdkTools } from '@toolgen/runtime/ai-sdk'
import { codeMode, quickJsSandbox, typescriptChecker } from '@toolgen/runtime/code-mode'
import { langChainTools } from '@toolgen/runtime/langchain'
import { inMemoryCaller, serveMcp } from '@toolgen/runtime/mcp'
import { apiDeclarations } from '@toolgen/runtime/projections'
import { SessionRegistry } from '@toolgen/runtime/sessions'
import { calls, openCassette, says, scriptedModel } from '@toolgen/runtime/testing'
import { expect, it, onTestFinished } from 'vitest'
import { registerCashier } from './failures/gen/agents/cashier/index.js'
import { registerFront } from './failures/gen/agents/front/index.js'
import { registerSupport } from './failures/gen/agents/support/index.js'
import {
  newCancelOrderCall,
  newGetOrderCall,
  orderLocked,
  orderShipped,
  orders,
  ordersToolset,
} from './failures/gen/toolsets/orders/index.js'
import { newRefundOrderCall } from './failures/gen/toolsets/refunds/index.js'

const cancel = newCancelOrderCall({ orderId: 'A-1' })
const executor = {
  execute: ({ tool }: { tool: { name: string } }) =>
    tool.name === 'getOrder' ? { id: 'A-1', status: 'open' } : orderShipped({ orderId: 'A-1' }),
}
const shipped = {
  status: 'failed',
  error: { reason: 'order_shipped', data: { orderId: 'A-1' } },
  hint: { reason: 'domain_rejection', action: 'replan', failure: 'order_shipped', data: { orderId: 'A-1' } },
}

function supportWith(planner: Planner) {
  return registerSupport(new Runtime(), {
    planner,
    toolsets: {
      orders: {
        executor,
        layers: (tools) =>
          tools.tool(orders.getOrder, (tool) => tool.layer(() => async (request) => request.suspend('external'))),
      },
    },
  })
}

it('a suspended run keeps the failure in its JSON', async () => {
  const support = supportWith(({ outcomes }) => {
    if (outcomes.length === 0) return callTools(cancel)
    return outcomes.length === 1 ? callTools(newGetOrderCall({ orderId: 'A-1' })) : answer('done')
  })
  const run = await support.run('Cancel A-1.')
  const stored = JSON.parse(JSON.stringify(run.suspension))
  const { error, ...others } = shipped
  expect(stored.progress.outcomes[0]).toMatchObject({ ...others, error: { reason: error.reason } })
  const [pending] = stored.pending
  const resumed = await support.resume(stored, { [pending.id]: { result: { id: 'A-1', status: 'open' } } })
  expect(resumed.status).toBe('completed')
  expect(resumed.outcomes[0]).toMatchObject(shipped)
})

it('a session returns the failure', async () => {
  const support = supportWith(() => answer('done'))
  const sessions = new SessionRegistry({ agents: { support } })
  const session = await sessions.open('s', { userId: 'u', namespaces: ['default'] })
  const outcome = await session.execute(cancel)
  expect(outcome).toMatchObject(shipped)
  await sessions.closeAll({ drainMs: 0 })
})

it('a cassette replays the failure, without redacting its name', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'failures-'))
  onTestFinished(() => rm(folder, { recursive: true }))
  const file = join(folder, 'run.jsonl')
  const outcomes: ToolOutcome[] = []
  for (const mode of ['record', 'replay'] as const) {
    const redact = (text: string): string => text.replaceAll('shipped', 'lost').replaceAll('A-1', 'A-0')
    const cassette = await openCassette(file, { mode, redact })
    const model = scriptedModel([
      calls({ tool: 'orders_cancelOrder', arguments: { orderId: 'A-1' } }),
      says('Too late.'),
    ])
    const planner = modelPlanner(cassette.driver(model))
    const support = registerSupport(new Runtime(), { planner, toolsets: { orders: { executor } } })
    const run = await support.run('Cancel A-1.', { config: runConfig().layer(cassette.toolLayer()) })
    outcomes.push(...run.outcomes)
    await cassette.close()
  }
  expect(outcomes[0]).toMatchObject(shipped)
  expect(outcomes[1]).toMatchObject({ error: { reason: 'order_shipped', data: { orderId: 'A-0' } } })
})

it('a tool of an agent fails with a failure of its last call if it declares the failure', async () => {
  const refund = newRefundOrderCall({ orderId: 'A-1' })
  const outcomeOf = (execute: () => unknown) => {
    const runtime = new Runtime()
    const planner: Planner = ({ outcomes }) => (outcomes.length === 0 ? callTools(cancel) : answer('No.'))
    const cashier = registerCashier(runtime, { planner, toolsets: { orders: { executor: { execute } } } })
    return registerFront(runtime, { toolsets: { refunds: { agent: cashier } } }).execute(refund)
  }
  expect(await outcomeOf(() => orderShipped({ orderId: 'A-1' }))).toMatchObject(shipped)
  const locked = await outcomeOf(() => orderLocked())
  expect(locked).toMatchObject({ error: { reason: 'domain_rejection' }, hint: { action: 'finish' } })
  expect(JSON.stringify(locked)).not.toContain('order_locked')
})

it('`aggregate` can return a failure', async () => {
  const runtime = new Runtime()
  const cashier = registerCashier(runtime, { planner: () => answer('No.'), toolsets: { orders: { executor } } })
  const front = registerFront(runtime, {
    toolsets: {
      refunds: { agent: cashier, tools: { refundOrder: { aggregate: () => orderShipped({ orderId: 'A-1' }) } } },
    },
  })
  const outcome = await front.execute(newRefundOrderCall({ orderId: 'A-1' }))
  expect(outcome).toMatchObject(shipped)
})

it('programs read the failures of a function, and catch an error with its name and data', async () => {
  const checker = typescriptChecker()
  const sandbox = quickJsSandbox()
  onTestFinished(async () => {
    await Promise.all([checker.close(), sandbox.close()])
  })
  const support = registerSupport(new Runtime(), { toolsets: { orders: { executor } } })
  expect(apiDeclarations(support.specs).text).toContain(
    `/** Cancel an order that has not been shipped @throws order_shipped { orderId: string; carrier?: string } @throws order_locked */
function cancelOrder(args: { orderId: string }): Promise<Order>`,
  )
  const program = new Runtime().registerToolset(codeMode(support, { checker, sandbox }))
  const code = `try { await orders.cancelOrder({ orderId: 'A-1' }) } catch (error) {
  if (error instanceof Error && error.reason === 'order_shipped') return { late: error.data, carrier: error.data.carrier ?? 'unknown', message: error.message }
}
return null`
  const outcome = await program.execute({ tool: 'run_program', arguments: JSON.stringify({ code }) })
  expect(renderForModel(outcome)).toContain(
    '{"late":{"orderId":"A-1"},"carrier":"unknown","message":"Order A-1 has left the warehouse; offer a return."}',
  )
  const settled = `const [first] = await Promise.allSettled([orders.cancelOrder({ orderId: 'A-1' })])
return first.status === 'rejected' ? first.reason : null`
  const all = await program.execute({ tool: 'run_program', arguments: JSON.stringify({ code: settled }) })
  expect(renderForModel(all)).toContain('"reason":"order_shipped","data":{"orderId":"A-1"}')
})

it.each(['short', 'none'] as const)(
  'programs read the data of failures with their types, comments: %s',
  async (comments) => {
    const checker = typescriptChecker()
    const sandbox = quickJsSandbox()
    onTestFinished(async () => {
      await Promise.all([checker.close(), sandbox.close()])
    })
    const support = registerSupport(new Runtime(), { toolsets: { orders: { executor } } })
    const program = new Runtime().registerToolset(codeMode(support, { checker, sandbox, comments }))
    const run = async (code: string) =>
      renderForModel(await program.execute({ tool: 'run_program', arguments: JSON.stringify({ code }) }))
    const caught = (use: string) => `try { await orders.cancelOrder({ orderId: 'A-1' }) } catch (error) {
  if (!(error instanceof Error)) throw error
  ${use}
}`
    const settled = (use: string) => `const [first] = await Promise.allSettled([orders.cancelOrder({ orderId: 'A-1' })])
if (first.status === 'rejected' && first.reason.reason === 'order_shipped') return ${use}`
    const byReason = `switch (error.reason) {
    case 'order_shipped': return error.data.orderId.toLowerCase()
    case 'address_unknown': return error.data.similar.map(({ status }) => status)
    case 'order_locked': return error.data ?? error.message
    default: return error.hint ?? null
  }`
    expect(await run(caught(byReason))).toBe('{"value":"a-1"}')
    expect(await run(settled('first.reason.data.orderId.length'))).toBe('{"value":3}')
    expect(await run(settled('first.reason'))).toContain('"data":{"orderId":"A-1"}')
    expect(await run(caught(`return error.reason === 'order_shipped' ? error.data.orderID : null`))).toContain(
      "Line 3: Property 'orderID' does not exist on type '{ orderId: string; carrier?: string",
    )
    expect(await run(settled('first.reason.data.orderID'))).toContain("Property 'orderID' does not exist")
    expect(await run(caught(`return error.reason === 'order_shiped' ? 1 : 2`))).toContain('have no overlap')
    expect(await run(caught('return error.data.orderId'))).toContain('The program was not run.')
  },
)

it('tools of the AI SDK and of LangChain return the name and the data of the failure', async () => {
  const support = registerSupport(new Runtime(), { toolsets: { orders: { executor } } })
  const { orders_cancelOrder, orders_getOrder } = aiSdkTools(support)
  const ids = { toolCallId: 'c1', messages: [] }
  const output = await orders_cancelOrder.execute?.({ orderId: 'A-1' }, ids)
  const text = 'Order A-1 has left the warehouse; offer a return. Try another way.'
  const failed = { status: 'failed', reason: 'order_shipped', data: { orderId: 'A-1' }, text }
  expect(output).toEqual(failed)
  const modelOutput = await orders_cancelOrder.toModelOutput?.({
    toolCallId: 'c1',
    input: { orderId: 'A-1' },
    output: failed as never,
  })
  expect(modelOutput).toEqual({ type: 'error-text', value: text })
  const invalid = await orders_getOrder.execute?.({} as never, ids)
  expect(invalid).toEqual({ status: 'failed', reason: 'missing_fields', text: expect.any(String) })
  const cancel = langChainTools(support).find(({ name }) => name === 'orders_cancelOrder')
  const message: unknown = await cancel?.invoke({
    type: 'tool_call',
    id: 'c2',
    name: 'orders_cancelOrder',
    args: { orderId: 'A-1' },
  })
  expect(message).toMatchObject({ content: text, status: 'error', artifact: failed })
})

it('an MCP server sends the failures, and an executor for its tools restores them', async () => {
  const served = toolsetRegistration({ toolset: ordersToolset, provider: 'function' }, executor)
  const caller = inMemoryCaller({
    connect: (transport) => serveMcp(new Runtime(), { toolsets: [served], transport }),
  })
  onTestFinished(() => caller.close())
  const { signal } = new AbortController()
  const called = { name: 'orders_cancelOrder', arguments: { orderId: 'A-1' } }
  expect(await caller.callTool(called, { signal })).toEqual({
    isError: true,
    content: [{ type: 'text', text: 'Order A-1 has left the warehouse; offer a return. Try another way.' }],
    _meta: expect.objectContaining({ 'toolgen/failure': { reason: 'order_shipped', data: { orderId: 'A-1' } } }),
  })
  const [, listed] = await caller.listTools({ signal })
  expect(listed?._meta).toMatchObject({
    'toolgen/failures': { order_shipped: { hint: expect.any(String), action: 'replan' }, order_locked: {} },
  })
  const tools = Object.fromEntries(ordersToolset.tools.map(({ spec }) => [spec.name, { name: spec.toolName }] as const))
  const remote = mcpExecutor({ toolset: ordersToolset, tools }, caller, { onDrift: 'ignore' })
  const toolset = new Runtime().registerToolset(
    toolsetRegistration({ toolset: ordersToolset, provider: 'mcp' }, remote),
  )
  const outcome = await toolset.execute(cancel)
  expect(outcome).toMatchObject(shipped)
  expect(renderForModel(outcome)).toBe('Order A-1 has left the warehouse; offer a return. Try another way.')
})
