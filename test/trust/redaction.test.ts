import { type RunEvent, Runtime, renderForModel } from '@toolgen/runtime'
import { modelPlanner } from '@toolgen/runtime/agents'
import { otelTracer } from '@toolgen/runtime/otel'
import { calls, says, scriptedModel } from '@toolgen/runtime/testing'
import { describe, expect, it } from 'vitest'
import { recordTelemetry } from '../telemetry/recorded-telemetry.js'
import { crm, marker, pseudonymsIn, secretIn, secrets } from './crm.fixture.js'

function supportOf(steps: Parameters<typeof scriptedModel>[0], options = {}) {
  const { registration, received } = crm()
  const model = scriptedModel(steps)
  const design = { name: 'support', description: 'Answers customers.' }
  const runtime = new Runtime(options)
  const support = runtime.registerAgent(design, [registration], { planner: modelPlanner(model) })
  return { support, received, model, runtime }
}

describe('pseudonyms for models', () => {
  it('a model reads pseudonyms, and the executor gets the values that the model passes on', async () => {
    const { support, received, model } = supportOf([
      calls({ tool: 'find', arguments: { id: marker } }),
      ({ messages }) => {
        const { email = '', salary = '', ssn = '' } = pseudonymsIn(messages)
        return calls({ tool: 'mail', arguments: { to: email, amount: salary, body: `About ${ssn} and ${email}.` } })
      },
      ({ messages }) => says(`Sent to ${pseudonymsIn(messages).to}.`),
    ])
    const run = await support.run('Write to the customer.')
    expect(secretIn(model.requests.map(({ messages }) => messages))).toBeUndefined()
    expect(pseudonymsIn(run.messages.slice(0, 4)).email).toMatch(/^email_[a-f\d]{12}@redacted\.invalid$/)
    expect(pseudonymsIn(run.messages.slice(0, 4)).note).toContain(marker)
    expect(received[1]?.args).toEqual({
      to: secrets.email,
      amount: secrets.salary,
      body: `About ${secrets.ssn} and ${secrets.email}.`,
    })
    expect(run.result?.text).toBe(`Sent to ${secrets.email}.`)
  })

  it('a value has the same pseudonym in the whole session, and another one in another session', async () => {
    const { support } = supportOf([])
    const emailIn = async (sessionId: string): Promise<string> => {
      const outcome = await support.execute({ tool: 'find', arguments: '{}' }, { sessionId })
      return JSON.parse(renderForModel(outcome)).email
    }
    const first = await emailIn('one')
    expect(await emailIn('one')).toBe(first)
    expect(await emailIn('two')).not.toBe(first)
    const other = { tool: 'mail', arguments: JSON.stringify({ to: first }) }
    expect(await support.execute(other, { sessionId: 'two' })).toMatchObject({ result: { data: { to: first } } })
    expect(await support.execute(other, { sessionId: 'one' })).toMatchObject({
      result: { data: { to: secrets.email } },
    })
  })

  it('calls outside sessions and runs find the values of each other', async () => {
    const { support, received } = supportOf([])
    const found = await support.execute({ tool: 'find', arguments: '{}' })
    const { email } = JSON.parse(renderForModel(found))
    await support.execute({ tool: 'mail', arguments: JSON.stringify({ to: email }) })
    expect(received.at(-1)?.args).toEqual({ to: secrets.email })
  })

  it('the application reads values', async () => {
    const { support } = supportOf([])
    const outcome = await support.execute({ tool: 'find', arguments: '{}' })
    expect(outcome).toMatchObject({ status: 'completed', result: { data: secrets } })
  })

  it('the hint of a failure has pseudonyms', async () => {
    const { support } = supportOf([])
    const outcome = await support.execute({ tool: 'fail', arguments: JSON.stringify({ email: secrets.email }) })
    expect(renderForModel(outcome)).toContain(marker)
    expect(secretIn(renderForModel(outcome))).toBeUndefined()
  })
})

describe('what event sinks and tracers read', () => {
  it('no secret, also if a model sends one or an error quotes it', async () => {
    const events: RunEvent[] = []
    const telemetry = recordTelemetry()
    const tracer = otelTracer({ ...telemetry, captureContent: true })
    const { support } = supportOf(
      [
        calls({ tool: 'find', arguments: { id: marker, email: secrets.email } }, { tool: 'watch', arguments: {} }),
        calls({ tool: 'fail', arguments: { email: secrets.email } }),
        says(`It is ${secrets.email}, ${marker}.`),
      ],
      { sinks: [(event: RunEvent) => events.push(event)], tracer },
    )
    const run = support.run('Find the customer.')
    const parts: unknown[] = []
    for await (const part of run.parts()) parts.push(part)
    const spans = telemetry.trees()
    for (const output of [events, parts, spans]) {
      expect(JSON.stringify(output)).toContain(marker)
      expect(secretIn(output)).toBeUndefined()
    }
    expect((await run).result?.text).toBe(`It is ${secrets.email}, ${marker}.`)
  })
})
