import { join } from 'node:path'
import { Runtime, renderForModel, type ToolOutcome } from '@toolgen/runtime'
import { type AgentRun, answer, callTools, type ModelDriver, modelPlanner, type Planner } from '@toolgen/runtime/agents'
import { type ChatAssistantMessage, type ChatFunctionToolCall, validateHistory } from '@toolgen/runtime/chat'
import { beforeAll, describe, expect, it } from 'vitest'
import { dataFolder, hasData } from '../data.js'
import { registerAirline } from './gen/agents/airline/index.js'
import { airlineToolset } from './gen/toolsets/airline/index.js'
import { AirlineService } from './src/airline-service.js'
import { type AirlineDatabase, freshDatabase, loadAirlineDatabase } from './src/database.js'
import { type RecordedCall, type RecordedRun, recordedTasks } from './src/recordings.js'

const folder = dataFolder() ?? ''
const REQUEST = 'Do what was recorded.'
const DONE = 'All of it is done.'
/** What the scripted model says that each of its answers cost. */
const PROMPT_TOKENS = 7
const COMPLETION_TOKENS = 3

describe.skipIf(!hasData)('the 50 airline tasks as scripted runs (needs ../shared/data or TOOLGEN_DATA)', () => {
  let database: AirlineDatabase
  let tasks: readonly RecordedRun[]
  beforeAll(() => {
    database = loadAirlineDatabase(join(folder, 'tau/airline_db'))
    tasks = recordedTasks(folder)
  })

  it('of a planner with generated builders', async () => {
    const counts = noCounts()
    for (const task of tasks) {
      const run = await runOf(plannerOf(task))
      expectRun(run, task, counts)
      const { turns } = run.usage
      expect(run.usage, task.id).toMatchObject({ turns, promptTokens: 0, completionTokens: 0 })
      // The runtime writes the messages: each call with the tool name, the builder's text and the id of its outcome.
      const asked = run.messages.flatMap((message) => ('tool_calls' in message ? [message] : []))
      expect(asked, task.id).toEqual(task.calls.map((call, index) => askedFor(call, run.outcomes[index])))
    }
    expect(counts).toEqual({ runs: 50, calls: 158, structured: 146, numerals: 5, text: 7 })
  })

  it('of a model, whose messages are kept byte for byte', async () => {
    const counts = noCounts()
    for (const task of tasks) {
      const script = messagesOf(task)
      // Taken before the run: the runtime is handed these very messages.
      const text = JSON.stringify(script)
      const run = await runOf(modelPlanner(driverOf(script)))
      expectRun(run, task, counts)
      expect(run.usage, task.id).toMatchObject({
        promptTokens: script.length * PROMPT_TOKENS,
        completionTokens: script.length * COMPLETION_TOKENS,
      })
      const said = run.messages.filter(({ role }) => role === 'assistant')
      expect(JSON.stringify(said), task.id).toBe(text)
      expect(run.outcomes.map(({ call }) => call.toolCallId)).toEqual(task.calls.map((_, index) => modelId(index)))
    }
    expect(counts).toEqual({ runs: 50, calls: 158, structured: 146, numerals: 5, text: 7 })
  })

  const runOf = async (planner: Planner): Promise<AgentRun> => {
    const client = new AirlineService(freshDatabase(database))
    return registerAirline(new Runtime(), { planner, toolsets: { airline: { client } } }).run(REQUEST)
  }
})

interface Counts {
  runs: number
  calls: number
  structured: number
  numerals: number
  text: number
}

const noCounts = (): Counts => ({ runs: 0, calls: 0, structured: 0, numerals: 0, text: 0 })

/** What every run of a task has in common, whoever planned it. */
function expectRun(run: AgentRun, { id, calls }: RecordedRun, counts: Counts): void {
  expect(run, id).toMatchObject({ status: 'completed', stop: { reason: 'answered' }, result: { text: DONE } })
  expect(run.stops, id).toEqual([{ reason: 'answered' }])
  expect(run.usage, id).toMatchObject({ turns: calls.length + 1, toolCalls: calls.length })
  expect(validateHistory(run.messages), id).toEqual([])
  const roles = ['user', ...calls.flatMap(() => ['assistant', 'tool']), 'assistant']
  expect(
    run.messages.map(({ role }) => role),
    id,
  ).toEqual(roles)
  const read = run.messages.flatMap((message) => (message.role === 'tool' ? [message.content] : []))
  expect(read, id).toEqual(run.outcomes.map(renderForModel))
  expect(run.outcomes, id).toHaveLength(calls.length)
  for (const [index, recorded] of calls.entries()) counts[expectResult(run.outcomes[index], recorded, id)] += 1
  expectEvents(run, id)
  counts.runs += 1
  counts.calls += calls.length
}

/** The result is the recorded one, as `airline.test.ts` compares it: text as it is, the rest to the key order. */
function expectResult(outcome: ToolOutcome | undefined, { name, result }: RecordedCall, id: string): keyof Counts {
  if (outcome?.status !== 'completed') throw new Error(`${id} ${name}: ${JSON.stringify(outcome)}`)
  const { data } = outcome.result
  if (typeof data === 'string') {
    expect(data, id).toBe(result)
    expect(outcome.json, id).toBe(JSON.stringify(result))
    return /^-?\d+(\.\d+)?$/.test(result) ? 'numerals' : 'text'
  }
  expect(data, id).toEqual(JSON.parse(result))
  expect(outcome.json, id).toBe(JSON.stringify(JSON.parse(result)))
  return 'structured'
}

/** One call per step: the events are known to the last one, and each end belongs to the start before it. */
function expectEvents({ runId, events, outcomes, stop }: AgentRun, id: string): void {
  const expected = [
    { type: 'run_started' },
    ...outcomes.flatMap(({ call }, index) => [
      { type: 'step_started', turn: index + 1 },
      { type: 'call_started', call },
      { type: 'call_ended', call },
      { type: 'step_ended', turn: index + 1 },
    ]),
    { type: 'step_started', turn: outcomes.length + 1 },
    { type: 'step_ended', turn: outcomes.length + 1 },
    { type: 'run_ended', status: 'completed', stop },
  ]
  expect(events, id).toMatchObject(expected.map((event, index) => ({ ...event, sequence: index + 1, runId })))
  const ended = events.flatMap((event) => (event.type === 'call_ended' ? [event.outcome] : []))
  expect(ended, id).toEqual(outcomes)
  expect(new Set(outcomes.map(({ call }) => call.toolCallId)).size, id).toBe(outcomes.length)
}

/** Calls what was recorded, one call a step, each once its forerunner has been answered. */
function plannerOf({ calls }: RecordedRun): Planner {
  return ({ outcomes }) => {
    const next = calls[outcomes.length]
    return next === undefined ? answer(DONE) : callTools(callOf(next))
  }
}

function toolOf({ name }: RecordedCall): AirlineTool {
  const tool = airlineToolset.tools.find(({ spec }) => spec.name === name)
  if (tool === undefined) throw new Error(`no tool ${name}`)
  return tool
}

/** The builder of a recorded call is chosen by name, so its arguments are checked by the builder alone. */
function callOf(recorded: RecordedCall): ReturnType<AirlineTool['call']> {
  return toolOf(recorded).call(recorded.arguments as never)
}

type AirlineTool = (typeof airlineToolset.tools)[number]

function askedFor(recorded: RecordedCall, outcome: ToolOutcome | undefined): ChatAssistantMessage {
  const id = outcome?.call.toolCallId ?? ''
  return {
    role: 'assistant',
    content: null,
    tool_calls: [toolCall(id, toolOf(recorded).spec.toolName, callOf(recorded).arguments)],
  }
}

/** What a model would have said in a task, in the form of a recorded answer. */
function messagesOf({ calls }: RecordedRun): readonly ChatAssistantMessage[] {
  const asked = calls.map(
    (call, index): ChatAssistantMessage => ({
      content: null,
      role: 'assistant',
      // Spaced, as no builder writes it: the text of the model has to be kept.
      tool_calls: [toolCall(modelId(index), toolOf(call).spec.toolName, JSON.stringify(call.arguments, undefined, 1))],
    }),
  )
  return [...asked, { content: DONE, role: 'assistant' }]
}

const modelId = (index: number): string => `call_${index + 1}`

function toolCall(id: string, name: string, text: string): ChatFunctionToolCall {
  return { id, type: 'function', function: { name, arguments: text } }
}

/** A model that says its messages one after the other, and fails where it is asked once more. */
function driverOf(script: readonly ChatAssistantMessage[]): ModelDriver {
  let said = 0
  return {
    name: 'scripted',
    ask: async ({ messages, tools }) => {
      expect(tools).toHaveLength(14)
      expect(messages).toHaveLength(1 + 2 * said)
      const message = script[said++]
      if (message === undefined) throw new Error('the script is over')
      const calls = (message.tool_calls ?? []).flatMap((call) =>
        call.type === 'function'
          ? [{ tool: call.function.name, arguments: call.function.arguments, toolCallId: call.id }]
          : [],
      )
      const usage = { promptTokens: PROMPT_TOKENS, completionTokens: COMPLETION_TOKENS }
      return { message, calls, usage, finishReason: calls.length > 0 ? 'tool_calls' : 'stop' }
    },
  }
}
