import { inspect } from 'node:util'
import { describe, expect, it } from 'vitest'
import { registrationOf, toolOf } from '../agents/orders.fixture.js'
import { allText, answer, failure } from '../agents/outcome.fixture.js'
import { answer as answered } from '../agents.js'
import { type Issue, Runtime, renderForModel, ToolFailure, type ToolOutcome } from '../index.js'
import { CodecError } from '../schema.js'
import type { JsonAdapter } from '../types/registration.js'

const lines = toolOf<object, unknown>('orders.lines', {
  arguments: { type: 'object', properties: { orderId: { type: 'string' } }, required: ['orderId'] },
  result: {
    type: 'object',
    properties: {
      lines: { type: 'array', items: { type: 'object', properties: { sku: { type: 'string' } }, required: ['sku'] } },
      mail: { type: 'string', format: 'email' },
    },
  },
})
const sent = '{"orderId":"A-1"}'

function executed(execute: () => unknown, payloadAdapter?: JsonAdapter, json = sent): Promise<ToolOutcome> {
  const options = payloadAdapter === undefined ? {} : { payloadAdapter }
  const toolset = new Runtime().registerToolset(registrationOf(lines, execute, options))
  return toolset.execute({ tool: 'orders.lines', arguments: json })
}
const thrown = (error: unknown): Promise<ToolOutcome> =>
  executed(() => {
    throw error
  })
const issueAt = (path: string): Issue => ({ constraint: 'check_failed', path, message: 'It is not right.' })

describe('defect 8: the issues of a failed call for developers', () => {
  it('defect 8: name the broken parts of a result, without the texts that the service answered', async () => {
    const { error, hint } = failure(await executed(() => ({ lines: [{ sku: 'L' }, { sku: 5 }], mail: 'SECRET' })))
    expect(error.issues).toMatchObject([
      { path: '/lines/1/sku', constraint: 'invalid_type', expected: ['string'], received: 'number' },
      { path: '/mail', constraint: 'invalid_format', format: 'email', received: '…' },
    ])
    expect('issues' in hint && hint.issues).toEqual(error.issues)
  })

  it('defect 8: are an enumerable, frozen property, and no others are added', async () => {
    const { error } = failure(await executed(() => ({ lines: 5 })))
    expect(Object.keys(error)).toEqual(['reason', 'message', 'issues'])
    expect([Object.isFrozen(error), Object.isFrozen(error.issues)]).toEqual([true, true])
    expect(JSON.parse(JSON.stringify(error)).issues).toMatchObject([{ path: '/lines' }])
    expect(Object.keys(failure(await thrown(new Error('secret'))).error)).toEqual(['reason', 'message'])
  })

  it('defect 8: are shown whole where the console prints the outcome', async () => {
    const outcome = failure(await executed(() => ({ lines: [{ sku: 5 }] })))
    // As `console.log` prints, and as `console.dir` does.
    for (const text of [inspect(outcome), inspect({ outcomes: [outcome] })]) {
      expect(text).toContain("path: '/lines/0/sku'")
      expect(text).toContain("expected: [ 'string' ]")
    }
    expect(inspect(outcome.error, { customInspect: false })).toContain("path: '/lines/0/sku'")
  })

  it('show their cause where the console prints them, and nowhere else', async () => {
    const outcome = failure(await thrown(new Error('SECRET')))
    for (const value of [outcome, outcome.error]) expect(inspect(value)).toContain('cause: Error: SECRET\n')
    expect(JSON.stringify(outcome)).not.toContain('SECRET')
    expect(allText(outcome)).not.toContain('SECRET')
    expect(structuredClone(outcome.error)).not.toHaveProperty('cause')
    expect(inspect(failure(await executed(() => ({ lines: 5 }))).error)).toMatch(/lines/)
  })

  it('defect 8: are those of the arguments, where these are wrong', async () => {
    const { error, hint } = failure(await executed(() => answer, undefined, '{"orderId":7}'))
    expect(error).toMatchObject({ reason: 'invalid_arguments', issues: [{ path: '/orderId', received: 'number' }] })
    expect('issues' in hint && hint.issues).toEqual(error.issues)
    const missing = failure(await executed(() => answer, undefined, '{}'))
    expect(missing.error).toMatchObject({ reason: 'missing_fields', issues: [{ constraint: 'missing_field' }] })
  })

  it('defect 8: are those of arguments that an adapter broke, of which no model reads', async () => {
    const adding: JsonAdapter = (json) => JSON.stringify({ ...JSON.parse(json), SECRET: 1 })
    const outcome = failure(await executed(() => answer, adding))
    expect(outcome.error).toMatchObject({
      reason: 'internal',
      issues: [{ path: '/SECRET', constraint: 'unknown_field', field: 'SECRET' }],
    })
    expect(JSON.stringify(outcome.hint) + renderForModel(outcome)).not.toContain('SECRET')
  })

  it('defect 8: are those of an error that an executor throws, or of one of its causes', async () => {
    const issues = [issueAt('/a')]
    const codec = new CodecError([
      ...issues,
      { constraint: 'invalid_format', path: '/b', format: 'email', received: 'SECRET', message: 'SECRET' },
    ])
    for (const error of [codec, new Error('wrapped', { cause: codec }), new ToolFailure('No.', { cause: codec })]) {
      const outcome = await thrown(error)
      expect(failure(outcome).error.issues).toMatchObject([{ path: '/a' }, { path: '/b', received: '…' }])
      expect(allText(outcome)).not.toContain('SECRET')
      expect(failure(outcome).hint).not.toHaveProperty('issues')
    }
    expect(failure(await thrown(new ToolFailure('No.', { issues }))).error.issues).toEqual(issues)
  })

  it('defect 8: hide what an error holds that the application makes a failure of', async () => {
    const secret: Issue = {
      constraint: 'invalid_format',
      path: '/b',
      format: 'email',
      received: 'SECRET',
      message: 'SECRET',
    }
    const classify = (error: unknown): ToolFailure => new ToolFailure('No.', { issues: [issueAt('/a')], cause: error })
    const registration = registrationOf(lines, () => {
      throw new CodecError([secret])
    })
    const toolset = new Runtime({ classify }).registerToolset(registration)
    const outcome = failure(await toolset.execute({ tool: 'orders.lines', arguments: sent }))
    expect(outcome).toMatchObject({ error: { issues: [{ path: '/b' }] }, hint: { issues: [{ path: '/a' }] } })
    expect(allText(outcome)).not.toContain('SECRET')
  })

  it('defect 8: are not taken from what lists something else', async () => {
    const odd = [{ issues: [{ path: ['a'], code: 'custom' }] }, { issues: 'all' }, { issues: [null] }, { issues: [] }]
    for (const facts of odd) {
      expect(failure(await thrown(Object.assign(new Error('x'), facts))).error).not.toHaveProperty('issues')
    }
    const loop: { cause?: unknown } = new Error('round')
    loop.cause = loop
    expect(failure(await thrown(loop)).error).not.toHaveProperty('issues')
  })

  it('defect 8: are at most 100, and the last one counts the others', async () => {
    const issues = Array.from({ length: 250 }, (_, index) => issueAt(`/${index}`))
    const many = failure(await thrown(new ToolFailure('No.', { issues }))).error.issues ?? []
    expect([many.length, many[99]?.path, many[100]]).toMatchObject([
      101,
      '/99',
      { constraint: 'more_issues', count: 150 },
    ])
    const wrong = failure(await executed(() => ({ lines: Array.from({ length: 140 }, () => 5) })))
    expect([wrong.error.issues?.length, wrong.error.issues?.at(-1)]).toMatchObject([101, { count: 40 }])
    expect('issues' in wrong.hint && wrong.hint).toMatchObject({ issues: { length: 20 }, moreIssues: 120 })
  })

  it('defect 8: are those of a failed run too', async () => {
    const design = { name: 'clerk', description: 'x' }
    const planner = (): never => {
      throw new ToolFailure('No plan.', { reason: 'internal', cause: new CodecError([issueAt('/plan')]) })
    }
    const run = await new Runtime().registerAgent(design, [], { planner }).run('?')
    expect(run.error).toMatchObject({ message: 'No plan.', issues: [{ path: '/plan' }] })
    const fine = await new Runtime().registerAgent(design, [], { planner: () => answered('done') }).run('?')
    expect(fine.error).toBeUndefined()
  })
})
