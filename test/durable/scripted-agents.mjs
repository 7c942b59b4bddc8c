// Two agents for tests of durable engines. Plain JavaScript, so that worker processes can load it without a compiler.

import { approval, Runtime, retry, ToolFailure } from '@toolgen/runtime'
import { answer, ask, callTools } from '@toolgen/runtime/agents'
import {
  agentToolsetRegistration,
  payloadCodec,
  resultCodec,
  specsOf,
  toolDescriptors,
  toolSpec,
  toolsetRegistration,
  toolsOf,
} from '@toolgen/runtime/codegen/v1'
import { durableAgents } from '@toolgen/runtime/durable'

const text = { type: 'string' }

/** Creates a toolset whose tools have one string argument and a string as the result. */
function stringTools(toolset, argument, annotations, streaming = []) {
  const payload = payloadCodec({ schema: { type: 'object', properties: { [argument]: text }, required: [argument] } })
  const result = resultCodec({ schema: text })
  const tools = Object.entries(annotations).map(([name, each]) => {
    const update = streaming.includes(name) ? result : undefined
    const parts = { id: `${toolset}.${name}`, title: name, description: `The tool ${name}.`, examples: [], hash: name }
    const spec = toolSpec({ ...parts, annotations: each }, payload, result, update)
    return [name, { spec, payload, result, ...(update && { updates: update }), call: () => undefined }]
  })
  const descriptors = toolDescriptors(Object.fromEntries(tools))
  return {
    name: toolset,
    namespace: 'default',
    description: `The toolset ${toolset}.`,
    tools: toolsOf(descriptors),
    specs: specsOf(descriptors),
  }
}

const repeatable = { readOnly: true }
const orders = stringTools(
  'orders',
  'id',
  {
    get: repeatable,
    cancel: {},
    refund: {},
    pay: { idempotent: true },
    flaky: { idempotent: true },
    later: { idempotent: true },
    slow: repeatable,
    report: repeatable,
    print: {},
    watch: repeatable,
  },
  ['report', 'print', 'watch'],
)
const investigation = stringTools('investigation', 'topic', { investigate: {} })

/**
 * Creates the agents `support` and `research`. Both follow the script in the first user message. `|` separates steps, `;` separates
 * parallel calls, and each call is a tool and its argument: `get A; cancel B | refund C`. `investigate get A, cancel B` calls the agent
 * `research` with the script `get A | cancel B` (`,` separates its steps, `+` its parallel calls). `? text` asks the user. A later message
 * that begins with `new: ` starts another script.
 */
export function scriptedAgents({
  effect,
  policy = {},
  deployed = (script) => script,
  unknownOutcome = 'fail',
  only,
  aroundResearch = (next) => next,
  sessions,
  onStart = () => undefined,
  decide = (planner) => planner,
}) {
  const runtime = new Runtime()
  const attempts = new Map()
  const execute = async (request) => {
    const { id } = await request.payload()
    const { name } = request.tool
    await effect(`${name} ${id}`, request)
    const key = `${request.meta.runId} ${request.meta.toolCallId}`
    attempts.set(key, (attempts.get(key) ?? 0) + 1)
    if (name === 'flaky' && attempts.get(key) === 1) throw new ToolFailure('Busy.', { reason: 'unavailable' })
    if (name === 'later' && attempts.get(key) === 1)
      throw new ToolFailure('Busy.', { reason: 'rate_limited', retryAfterMs: 3_600_000 })
    const { signal } = request.meta
    if (name === 'watch') await request.emit(`sees ${id}`)
    if (name === 'slow' || name === 'watch')
      await new Promise((_, reject) => signal.addEventListener('abort', () => reject(signal.reason)))
    if (name === 'report' || name === 'print') for (const part of ['one', 'two']) await request.emit(`${part} ${id}`)
    return `${name} ${id}`
  }
  const ofOrders = () => {
    const use = {
      toolset: orders,
      provider: 'service',
      ...(only && { toolNames: Object.fromEntries(only.map((name) => [name, `orders_${name}`])) }),
    }
    const registration = toolsetRegistration(use, { execute })
    const tool = (name) => orders.tools.find(({ spec }) => spec.name === name)
    return registration
      .tool(tool('refund'), (layers) => layers.layer(approval()))
      .tool(tool('later'), (layers) => layers.layer(retry({ attempts: 3, maxWaitMs: 4_000_000 })))
      .tool(tool('flaky'), (layers) => layers.layer(retry({ attempts: 3, delayMs: () => 0 })))
  }
  const planner = decide(scriptPlanner(deployed))
  const description = 'Answers customers.'
  const research = runtime.registerAgent({ name: 'research', description }, [ofOrders()], { planner })
  const exported = { toolset: investigation, agent: research.agent, tools: { investigate: { prose: true } } }
  const ofResearch = agentToolsetRegistration(exported, research, { suppressChildEvents: false }).layer(aroundResearch)
  const support = runtime.registerAgent({ name: 'support', description }, [ofOrders(), ofResearch], { planner, policy })
  const env = (facts) => {
    onStart(facts)
    return { approval: { approve: async () => 'suspend' } }
  }
  return durableAgents({ agents: { support, research }, env, unknownOutcome, ...(sessions && { sessions }) })
}

/** Returns a planner that follows the script in the first user message. */
function scriptPlanner(deployed) {
  return ({ messages: all, outcomes }) => {
    const start = all.findLastIndex(({ role, content }) => role === 'user' && String(content).startsWith('new: '))
    const messages = all.slice(Math.max(0, start))
    const first = messages.find(({ role }) => role === 'user')?.content ?? ''
    const json = /\n\n(\{.*\})$/s.exec(first)?.[1]
    const script = json === undefined ? first : JSON.parse(json).topic.replaceAll(',', '|').replaceAll('+', ';')
    const steps = deployed(script.replace(/^new: /, ''))
      .split('|')
      .map((step) => step.trim())
    const turn = messages.filter(({ role }) => role === 'assistant').length
    const step = steps[turn]
    if (step === undefined || step === '') {
      const results = outcomes.map((outcome) =>
        outcome.status === 'completed' ? outcome.result.data : outcome.hint.reason,
      )
      const replies = messages.filter(({ role }, index) => role === 'user' && index > 0).map(({ content }) => content)
      return answer([...results, ...replies].join(', '))
    }
    if (step.startsWith('?')) return ask(step.slice(1).trim())
    return callTools(
      ...step.split(';').map((call, index) => {
        const [, name = '', argument = ''] = /^\s*(\S+)\s+(.*?)\s*$/s.exec(call) ?? []
        const isNested = name === 'investigate'
        return {
          tool: isNested ? 'investigation.investigate' : `orders.${name}`,
          arguments: JSON.stringify(isNested ? { topic: argument } : { id: argument }),
          toolCallId: `call_${turn + 1}_${index + 1}`,
        }
      }),
    )
  }
}
