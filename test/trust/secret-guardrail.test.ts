import { describe, expect, it } from 'vitest'
import { getOrder, registrationOf } from '../../packages/runtime/src/agents/orders.fixture.js'
import { base, useGuardrails } from '../../packages/runtime/src/agents.js'
import { Runtime } from '../../packages/runtime/src/index.js'
import { type SecretGuardrailOptions, secretGuardrail } from '../../packages/runtime/src/secretlint.js'
import { calls, says, scriptedModel } from '../../packages/runtime/src/testing.js'

// In parts, so that scanners of repositories do not report this file.
const github = ['ghp', 'wWPw5k4aXcaT4fNP0UcnZwJUVFk6LO0pINUx'].join('_')
const aws = ['AWS_SECRET_ACCESS_KEY=wJalrXUtnFEMI', 'K7MDENG', 'bPxRfiCYEXAMPLEKEZ'].join('/')
const dashes = '-'.repeat(5)
const line = 'MIIEpAIBAAKCAQEA1c7+9z5Pad7OejecsQ0buoZ2\n'
const privateKey = `${dashes}BEGIN RSA PRIVATE KEY${dashes}\n${line.repeat(3)}${dashes}END RSA PRIVATE KEY${dashes}`
const url = ['https://user:hunter2secret', 'example.com'].join('@')

interface Texts {
  readonly input?: string
  readonly orderId?: string
  readonly id?: string
  readonly answer?: string
}

/** Runs an agent with the guardrail at each stage. */
async function run(texts: Texts, options?: SecretGuardrailOptions) {
  const { input = 'Hi', orderId = 'A-1', id = 'A-1', answer = 'Done.' } = texts
  const model = scriptedModel([calls({ tool: 'orders_getOrder', arguments: { orderId } }), says(answer)])
  const guardrail = secretGuardrail(options)
  const all = { input: [guardrail], output: [guardrail], toolCall: [guardrail], toolResult: [guardrail] }
  const ended = await new Runtime()
    .registerAgent({ name: 'support', description: 'x' }, [registrationOf(getOrder, () => ({ id, total: 1 }))], {
      agent: base(model).with(useGuardrails(all)).build(),
    })
    .run(input)
  const reports = ended.events.flatMap((event) => {
    if (event.type !== 'guardrail') return []
    const { type: _, stage, action, message, info } = event
    return [{ stage, action, message, info }]
  })
  return { run: ended, reports }
}

describe('secretGuardrail', () => {
  it('passes texts without secrets at each stage', async () => {
    const { run: ended, reports } = await run({})
    expect(ended).toMatchObject({ status: 'completed', outcomes: [{ status: 'completed' }] })
    expect(reports).toEqual([])
  })

  it.each<[string, Texts, string]>([
    ['input', { input: `My token is ${github}.` }, 'GITHUB_TOKEN'],
    ['toolCall', { orderId: privateKey }, 'PrivateKey'],
    ['toolResult', { id: aws }, 'AWSSecretAccessKey'],
    ['output', { answer: `See ${url}/orders` }, 'BasicAuth'],
  ])('blocks a secret at the stage %s without repeating it', async (stage, texts, kind) => {
    const { run: ended, reports } = await run(texts)
    const message = `The text contains a secret (${kind}). Remove it.`
    expect(reports).toEqual([{ stage, action: 'block', message, info: { secrets: [kind] } }])
    const isOfRun = stage === 'input' || stage === 'output'
    if (isOfRun) expect(ended.stop).toMatchObject({ reason: 'guardrail', by: 'secrets', stage, message })
    else expect(ended.outcomes).toMatchObject([{ status: 'failed', hint: { reason: 'denied' } }])
  })

  it('names each kind once and in order', async () => {
    const { reports } = await run({ input: [url, github, url].join('\n') })
    expect(reports[0]?.info).toEqual({ secrets: ['BasicAuth', 'GITHUB_TOKEN'] })
  })

  it('cannot be switched off by a comment in the text', async () => {
    const { reports } = await run({ input: `# secretlint-disable\n${github}` })
    expect(reports).toMatchObject([{ action: 'block' }])
  })

  it('only flags, or allows kinds of secrets, if options say so', async () => {
    const { run: flagged, reports } = await run({ input: github }, { action: 'flag' })
    expect(flagged.status).toBe('completed')
    expect(reports).toMatchObject([{ action: 'flag', info: { secrets: ['GITHUB_TOKEN'] } }])
    const allowed = await run({ input: `${url}\n${github}` }, { allow: ['BasicAuth'] })
    expect(allowed.reports).toMatchObject([{ action: 'block', info: { secrets: ['GITHUB_TOKEN'] } }])
    expect((await run({ input: url }, { allow: ['BasicAuth'] })).reports).toEqual([])
  })

  it('checks arguments that are not JSON', async () => {
    const guardrail = secretGuardrail()
    const result = await guardrail.check({ arguments: { amount: 1n, at: new Date(0), note: github } })
    expect(result).toMatchObject({ action: 'block' })
    expect(await guardrail.check({ arguments: undefined })).toBe('pass')
  })

  it('rejects invalid options', () => {
    // @ts-expect-error: a guardrail cannot rewrite secrets.
    expect(() => secretGuardrail({ action: 'rewrite' })).toThrow(
      "invalid action \"rewrite\". Expected 'block' or 'flag'.",
    )
    // @ts-expect-error: a kind is a string.
    expect(() => secretGuardrail({ allow: [1] })).toThrow('`allow` must be an array of kinds of secrets')
    // @ts-expect-error: it must be an array.
    expect(() => secretGuardrail({ allow: 'BasicAuth' })).toThrow('`allow` must be an array')
  })
})
