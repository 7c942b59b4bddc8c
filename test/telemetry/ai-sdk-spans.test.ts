import { readFileSync, writeFileSync } from 'node:fs'
import { OpenTelemetry } from '@ai-sdk/otel'
import { Runtime, tool, toolset } from '@toolgen/runtime'
import { modelPlanner } from '@toolgen/runtime/agents'
import { aiSdkDriver } from '@toolgen/runtime/ai-sdk'
import { otelTracer } from '@toolgen/runtime/otel'
import { generateText, jsonSchema, stepCountIs } from 'ai-7'
import { MockLanguageModelV4 } from 'ai-7/test'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { fixedEffects } from './fixed-effects.js'
import { followContext, type RecordedTelemetry, recordTelemetry, type SpanTree } from './recorded-telemetry.js'

let unfollow: () => void
beforeAll(() => {
  unfollow = followContext()
})
afterAll(() => unfollow())

const parameters = { type: 'object' as const, properties: { city: { type: 'string' as const } }, required: ['city'] }
const description = 'The weather of a city.'
const question = 'How warm is it in Oslo?'
const instructions = 'You know the weather.'

/** A model that calls a tool and then answers. */
function model(): MockLanguageModelV4 {
  const usage = {
    inputTokens: { total: 30, noCache: 10, cacheRead: 20, cacheWrite: 0 },
    outputTokens: { total: 9, text: 5, reasoning: 4 },
  }
  const response = { id: 'r-1', modelId: 'tiny-1-2026', timestamp: new Date(0) }
  const call = { type: 'tool-call', toolCallId: 'c-1', toolName: 'weather', input: '{"city":"Oslo"}' } as const
  return new MockLanguageModelV4({
    provider: 'openai.responses',
    modelId: 'tiny-1',
    doGenerate: [
      { content: [call], finishReason: { unified: 'tool-calls', raw: 'tool_calls' }, usage, response, warnings: [] },
      {
        content: [
          { type: 'reasoning', text: 'It is cold.' },
          { type: 'text', text: 'It has 4 degrees.' },
        ],
        ...{ finishReason: { unified: 'stop', raw: 'stop' }, usage, response, warnings: [] },
      },
    ],
  })
}

async function ours({ tracerProvider, meterProvider }: RecordedTelemetry): Promise<void> {
  const tracer = otelTracer({ tracerProvider, meterProvider, captureContent: true })
  const runtime = new Runtime({ tracer, effects: fixedEffects() })
  const weather = tool({ name: 'weather', description, parameters, run: () => ({ degrees: 4 }) })
  const agent = { name: 'forecaster', description: 'Knows the weather.', instructions }
  const planner = modelPlanner(aiSdkDriver(model()))
  const run = await runtime.registerAgent(agent, [toolset('local', weather)], { planner }).run(question)
  expect(run.result).toEqual({ text: 'It has 4 degrees.' })
}

async function theirs({ tracerProvider }: RecordedTelemetry): Promise<void> {
  const { text } = await generateText({
    model: model(),
    instructions,
    prompt: question,
    stopWhen: stepCountIs(5),
    tools: { weather: { description, inputSchema: jsonSchema(parameters), execute: () => ({ degrees: 4 }) } },
    telemetry: {
      isEnabled: true,
      functionId: 'forecaster',
      integrations: [new OpenTelemetry({ tracer: tracerProvider.getTracer('ai') })],
    },
  })
  expect(text).toBe('It has 4 degrees.')
}

/** Lists spans in order with their attributes. Ids and times that differ in each run are hidden. */
function listed(spans: readonly SpanTree[], indent = ''): string {
  return spans
    .map(({ name, kind, attributes, children }) => {
      const lines = Object.entries(attributes)
        .filter(([, value]) => value !== undefined)
        .sort(([a], [b]) => a.localeCompare(b))
        .map(([key, value]) => `${indent}  ${key}: ${/duration|_id$|\.id$/.test(key) ? '…' : JSON.stringify(value)}\n`)
      return `${indent}${name} (${kind})\n${lines.join('')}${listed(children, `${indent}  `)}`
    })
    .join('')
}

it('the spans of one run, beside those of the AI SDK for the same run', async () => {
  const [own, other] = [recordTelemetry(), recordTelemetry()]
  await ours(own)
  await theirs(other)
  const text = `# toolgen\n\n${listed(own.trees())}\n# AI SDK 7\n\n${listed(other.trees())}`
  const file = new URL('./ai-sdk-spans.golden.txt', import.meta.url)
  // After a change of the spans: UPDATE_GOLDENS=1 npx vitest run test/telemetry/ai-sdk-spans.test.ts, then read the diff.
  if (process.env.UPDATE_GOLDENS === '1') writeFileSync(file, text)
  expect(text).toBe(readFileSync(file, 'utf8'))
})
