import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import {
  type BoundAgent,
  type JsonText,
  Runtime,
  tool,
  toolset,
  toolsetRegistration,
  transformOutput,
} from '@toolgen/runtime'
import { type AgentRun, modelPlanner } from '@toolgen/runtime/agents'
import { validateHistory } from '@toolgen/runtime/chat'
import { beforeAll, describe, expect, it } from 'vitest'
import { dataFolder, hasData } from '../data.js'
import { airlineAgent, airlineAirlineUse } from './gen/agents/airline/specs.js'
import { airlineToolset } from './gen/toolsets/airline/index.js'
import { pythonJson } from './src/python-json.js'
import {
  conversationMessages,
  functionCalls,
  type RecordedConversation,
  type RecordedMessage,
  ReplayedConversation,
  replay,
  standardMessage,
} from './src/replayed-conversation.js'

const folder = dataFolder() ?? ''

/**
 * The model's messages and the contents of the tools' answers come back byte for byte. One thing cannot: the recorded
 * answers carry `name`, which is no field of a tool's message; all 572 are compared without it. What is replayed is a
 * copy, so that a change to a message that was handed in does not go unseen.
 */
describe.skipIf(!hasData)('100 recorded conversations, run again (needs ../shared/data or TOOLGEN_DATA)', () => {
  let conversations: readonly RecordedConversation[]
  let originalTools: readonly OriginalTool[]
  beforeAll(() => {
    conversations = conversationMessages(folder)
    originalTools = JSON.parse(readFileSync(join(folder, 'tau/airline_tools.json'), 'utf8'))
  })

  it('end with the same messages', async () => {
    const counts = { messages: 0, runs: 0, answered: 0, cut: 0, calls: 0, renamed: 0, withRepeatedIds: 0 }
    for (const { source, messages } of conversations) {
      const recording = new ReplayedConversation(structuredClone(messages))
      const { list, runs } = await replay(withPlainTools(recording, originalTools), structuredClone(messages))
      expect(JSON.stringify(list), source).toBe(JSON.stringify(messages.map(standardMessage)))
      expect(validateHistory(list), source).toEqual([])
      for (const given of recording.given)
        expect(JSON.stringify(given)).toBe(JSON.stringify(list.slice(0, given.length)))
      for (const { run, replies } of runs) {
        const asked = idsOf(replies)
        expectRun(run, asked)
        if (run.stop.reason === 'answered') counts.answered += 1
        if (run.stop.reason === 'max_turns') counts.cut += 1
        counts.calls += run.usage.toolCalls
        counts.renamed += run.outcomes.filter(({ call }, index) => call.toolCallId !== asked[index]).length
      }
      counts.messages += list.length
      counts.runs += runs.length
      if (new Set(idsOf(messages)).size < idsOf(messages).length) counts.withRepeatedIds += 1
    }
    expect(counts).toEqual({
      messages: 2658,
      runs: 681,
      answered: 657,
      cut: 24,
      calls: 572,
      // The messages keep an id that repeats; of one run's outcomes each has its own.
      renamed: 15,
      withRepeatedIds: 24,
    })
  })

  it('go on from recorded messages without a change to them', async () => {
    let named = 0
    for (const { source, messages } of conversations) {
      const agent = withPlainTools(new ReplayedConversation(structuredClone(messages)), originalTools)
      const { runs } = await replay(agent, structuredClone(messages), 'recorded')
      for (const { user, replies, run } of runs) {
        const begin = messages.slice(0, user + 1)
        expect(JSON.stringify(run.messages), source).toBe(JSON.stringify([...begin, ...replies.map(standardMessage)]))
        named += begin.filter((message) => message.role === 'tool' && 'name' in message).length
      }
    }
    expect(named).toBe(1475)
  })

  it('break the generated contract in 60 of 572 calls, and are the same but for these answers', async () => {
    const faults = new Map<string, number>()
    let same = 0
    for (const { source, messages } of conversations) {
      const { list, runs } = await replay(
        withGeneratedTools(new ReplayedConversation(structuredClone(messages))),
        structuredClone(messages),
      )
      const expected = messages.map(standardMessage)
      const differing = list.filter((message, index) => JSON.stringify(message) !== JSON.stringify(expected[index]))
      const failed = runs.flatMap(({ run }) => run.outcomes.filter(({ status }) => status === 'failed'))
      expect(list, source).toHaveLength(expected.length)
      expect(
        differing.map(({ role }) => role),
        source,
      ).toEqual(failed.map(() => 'tool'))
      expect(validateHistory(list), source).toEqual([])
      for (const { run, replies } of runs) expectRun(run, idsOf(replies))
      for (const fault of runs.flatMap(({ run }) => faultsOf(run))) faults.set(fault, (faults.get(fault) ?? 0) + 1)
      same += list.length - differing.length
    }
    expect(Object.fromEntries(faults)).toEqual({
      // The users of an older database have a `province` where the contract requires a `state`.
      'airline.get_user_details malformed_result': 59,
      // The model gave each flight more fields than it has; the original took them.
      'airline.update_reservation_flights invalid_arguments': 1,
    })
    expect(same).toBe(2658 - 60)
  })
})

interface OriginalTool {
  readonly function: { readonly name: string; readonly description: string; readonly parameters: object }
}

/** What every run has in common: each call has one outcome, under an id of its own, and begins and ends once. */
function expectRun({ runId, usage, outcomes, events }: AgentRun, asked: readonly string[]): void {
  const ids = outcomes.map(({ call }) => call.toolCallId)
  const ofCalls = events.flatMap((event) => ('call' in event ? [[event.type, event.call.toolCallId]] : []))
  expect(usage.toolCalls, runId).toBe(asked.length)
  expect(new Set(ids).size, runId).toBe(asked.length)
  expect(ofCalls, runId).toEqual(
    ids.flatMap((id) => [
      ['call_started', id],
      ['call_ended', id],
    ]),
  )
}

const faultsOf = ({ outcomes }: AgentRun): readonly string[] =>
  outcomes.flatMap((outcome) => (outcome.status === 'failed' ? [`${outcome.call.tool} ${outcome.hint.reason}`] : []))

const idsOf = (messages: readonly RecordedMessage[]): readonly string[] =>
  messages.flatMap((message) => (message.role === 'assistant' ? functionCalls(message).map(({ id }) => id) : []))

/** The original printed its results with Python, and answered texts as they are: a model read no JSON then. */
function asPythonPrints(json: JsonText): string {
  const result = JSON.parse(json)
  return typeof result === 'string' ? result : pythonJson(result)
}

/** The tools of the original, by hand: what they are given and answer is not checked. */
function withPlainTools(recording: ReplayedConversation, originals: readonly OriginalTool[]): BoundAgent {
  const tools = originals.map(({ function: { name, description, parameters } }) =>
    tool({ name, description, parameters: { ...parameters }, run: (args) => recording.answer(name, args) }),
  )
  const agent = new Runtime().registerAgent(airlineAgent, [toolset('airline', ...tools)], {
    planner: modelPlanner(recording.driver),
  })
  return agent.layer(transformOutput(asPythonPrints))
}

/** The generated tools under the names that were recorded, with their codecs. */
function withGeneratedTools(recording: ReplayedConversation): BoundAgent {
  const toolNames = Object.fromEntries(airlineToolset.tools.map(({ spec: { name } }) => [name, name]))
  const registration = toolsetRegistration(
    { ...airlineAirlineUse, toolNames },
    { execute: async ({ tool: { toolName }, json }) => recording.answer(toolName, JSON.parse(await json())) },
    { resultAdapter: asPythonPrints },
  )
  return new Runtime().registerAgent(airlineAgent, [registration], { planner: modelPlanner(recording.driver) })
}
