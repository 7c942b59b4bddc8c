import { isToolgenError } from '@toolgen/runtime'
import { describe, expect, it } from 'vitest'
import { registrationOf } from '../../packages/runtime/src/agents/orders.fixture.js'
import { answer, callTools, type ModelDriver, type Planner } from '../../packages/runtime/src/agents.js'
import { Runtime, tool, toolset } from '../../packages/runtime/src/index.js'
import { openCassette, says, scriptedModel } from '../../packages/runtime/src/testing.js'
import {
  asksFor,
  cassetteFile,
  configOf,
  faultOf,
  getOrder,
  noTool,
  record,
  type ShopParts,
  shopOf,
} from './shop.fixture.js'

/** A recording of one run with one call. */
async function recordedFile(parts: ShopParts = {}): Promise<string> {
  const file = await cassetteFile()
  await record(file, scriptedModel([asksFor('A-1'), says('It has shipped.')]), (driver, cassette) =>
    shopOf(driver, { instructions: 'Be brief.', ...parts }).run('Where is A-1?', configOf(cassette)),
  )
  return file
}

/** The error that a replay with other parts ends with, and what `close` says then. */
async function mismatchOf(file: string, parts: ShopParts, input: string = 'Where is A-1?') {
  const cassette = await openCassette(file)
  const agent = shopOf(cassette.driver(), { instructions: 'Be brief.', execute: noTool, ...parts })
  const run = await agent.run(input, configOf(cassette))
  const fault = await faultOf(cassette.close())
  return { run, fault, lines: fault.message.split('\n').slice(1, -1) }
}

describe('a replay that differs from its recording', () => {
  it('ends its run with what differs and where', async () => {
    const file = await recordedFile()
    const { run, fault } = await mismatchOf(file, { instructions: 'Be polite.' })
    expect(run).toMatchObject({ status: 'failed', error: { reason: 'internal', message: fault.message } })
    expect(run.error?.cause).toBe(fault)
    expect(isToolgenError(run.error?.cause, 'CassetteError')).toBe(true)
    expect(fault.message).toBe(
      [
        `${file} does not contain a request of agent 'support' in its current form. The most similar unused exchange is line 2:`,
        '- messages[0].content: recorded "Be brief." / now "Be polite."',
        'Undo the change, or record again.',
      ].join('\n'),
    )
    expect(fault).toMatchObject({
      code: 'not_recorded',
      line: 2,
      differences: [{ path: 'messages[0].content', recorded: 'Be brief.', now: 'Be polite.' }],
    })
  })

  it('names a tool whose contract has changed', async () => {
    const { lines } = await mismatchOf(await recordedFile(), { spec: { hash: '1' } })
    expect(lines).toEqual(['- the tool orders.getOrder has changed since the recording (hash 0 → 1)'])
  })

  it('names tools that are gone, and new ones', async () => {
    const withBoth = await recordedFile()
    const { lines } = await mismatchOf(withBoth, { withoutFollow: true })
    expect(lines).toEqual(['- the tool orders_follow is not offered now'])
    const withOne = await recordedFile({ withoutFollow: true })
    expect((await mismatchOf(withOne, {})).lines).toEqual(['- the tool orders_follow was not offered in the recording'])
  })

  it('notices a changed hand-written tool, which has no hash of its own', async () => {
    const file = await cassetteFile()
    const helper = (description: string) =>
      new Runtime().registerToolset(
        toolset('local', tool({ name: 'greet', description, parameters: {}, run: () => 'Hello' })),
      )
    const call = { tool: 'greet', arguments: '{}' }
    await record(file, scriptedModel([]), (_, cassette) => helper('Greets.').execute(call, configOf(cassette)))
    const cassette = await openCassette(file)
    await helper('Greets loudly.').execute(call, configOf(cassette))
    expect((await faultOf(cassette.close())).message).toContain('the tool local.greet has changed since the recording')
  })

  it('shows of long texts the part that differs', async () => {
    const story = 'Once upon a time '.repeat(40)
    const file = await cassetteFile()
    await record(file, scriptedModel([says('Nice.')]), (driver) =>
      shopOf(driver, { instructions: 'Be brief.' }).run(`${story}there was a king.`),
    )
    const { lines } = await mismatchOf(file, {}, `${story}there was a queen.`)
    expect(lines.join('\n')).toMatch(/recorded "….*a king\." \/ now "….*a queen\."/)
    expect(Math.max(...lines.map(({ length }) => length))).toBeLessThan(260)
  })

  it('shows other fields, and of many differences the first', async () => {
    const file = await cassetteFile()
    const answerOf = (names: readonly string[]) => ({
      schema: { type: 'object', properties: Object.fromEntries(names.map((name) => [name, { type: 'string' }])) },
    })
    const letters = [...'abcdefghijkl']
    await record(file, scriptedModel([says('{}')]), (driver) =>
      shopOf(driver, { responseFormat: answerOf(letters) }).run('Hi'),
    )
    const cassette = await openCassette(file)
    await shopOf(cassette.driver(), { responseFormat: answerOf(['a', 'x-y']) }).run('Hi')
    const { message } = await faultOf(cassette.close())
    expect(message).toContain('- responseFormat.schema.properties.b: recorded {"type":"string"} / now nothing')
    expect(message).toContain('- and 4 more differences')
  })

  it('cannot be passed over by a model: after a call that differs nothing is answered', async () => {
    const cassette = await openCassette(await recordedFile())
    const recorded = cassette.driver()
    const hasty: ModelDriver = {
      name: 'hasty',
      ask: async (request) => {
        const said = await recorded.ask(request)
        return { ...said, calls: said.calls.map((call) => ({ ...call, arguments: '{"orderId":"A-2"}' })) }
      },
    }
    const agent = shopOf(hasty, { instructions: 'Be brief.', execute: noTool })
    const run = await agent.run('Where is A-1?', configOf(cassette))
    const fault = await faultOf(cassette.close())
    expect(fault.message).toContain("a call of orders.getOrder by agent 'support'")
    expect(fault.message).toContain('- arguments.orderId: recorded "A-1" / now "A-2"')
    expect(run).toMatchObject({ status: 'failed', error: { message: fault.message } })
    expect(run.outcomes[0]).toMatchObject({ status: 'failed', error: { cause: fault } })
  })

  it('is reported by `close` if a planner without a model ignores it', async () => {
    const file = await cassetteFile()
    await record(file, scriptedModel([]), (driver, cassette) =>
      shopOf(driver).execute(getOrder.call({ orderId: 'A-1' }), configOf(cassette)),
    )
    const cassette = await openCassette(file)
    const planner: Planner = ({ outcomes }) =>
      outcomes.length === 0 ? callTools(getOrder.call({ orderId: 'A-2' })) : answer('Never mind.')
    const support = new Runtime().registerAgent(
      { name: 'support', description: 'Answers customers.' },
      [registrationOf(getOrder, noTool)],
      { planner },
    )
    expect(await support.run('Hi', configOf(cassette))).toMatchObject({ status: 'completed' })
    expect(await faultOf(cassette.close())).toMatchObject({ code: 'not_recorded', line: 2 })
  })

  it('says so where there is nothing to compare with', async () => {
    const file = await cassetteFile()
    await record(file, scriptedModel([says('Hello.')]), (driver) => shopOf(driver).run('Hi'))
    const { run } = await mismatchOf(file, { name: 'sales' }, 'Hi')
    expect(run.error?.message).toBe(
      `${file} has no more exchanges for a request of agent 'sales'. The replay makes more requests than the recording.\nFix the test, or record again.`,
    )
  })

  it('compares with the exchange that comes nearest', async () => {
    const file = await cassetteFile()
    const model = scriptedModel([says('One.'), says('Two.')])
    await record(file, model, async (driver) => {
      await shopOf(driver, { instructions: 'Be brief.' }).run('Hi')
      await shopOf(driver, { instructions: 'Be polite.' }).run('Hello')
    })
    const { fault } = await mismatchOf(file, { instructions: 'Be polite.' }, 'Hello!')
    expect(fault).toMatchObject({ line: 3, differences: [{ path: 'messages[1].content' }] })
  })

  it('does less than the recording: close lists what nobody asked for', async () => {
    const file = await recordedFile()
    const cassette = await openCassette(file)
    const fault = await faultOf(cassette.close())
    expect(fault).toMatchObject({ code: 'unused', line: 2 })
    expect(fault.message).toBe(
      [
        `3 of the exchanges in ${file} were not requested:`,
        "- line 2: a request of agent 'support'",
        "- line 3: a call of orders.getOrder by agent 'support'",
        "- line 4: a request of agent 'support'",
        'The replay made fewer requests than the recording. Fix the test, or record again.',
      ].join('\n'),
    )
    await expect(cassette.close()).rejects.toBe(fault)
  })

  it('asks for something after close', async () => {
    const file = await recordedFile()
    const cassette = await openCassette(file)
    await faultOf(cassette.close())
    const run = await shopOf(cassette.driver(), { instructions: 'Be brief.' }).run('Where is A-1?')
    expect(run).toMatchObject({ status: 'failed', error: { cause: { code: 'closed' } } })
  })

  it('holds a result that does not fit its tool: the schema was changed and not its hash', async () => {
    const file = await cassetteFile()
    const changed = { type: 'object', properties: { id: { type: 'number' } } } as const
    await record(file, scriptedModel([asksFor('A-1'), says('Done.')]), (driver, cassette) =>
      shopOf(driver).run('Hi', configOf(cassette)),
    )
    const cassette = await openCassette(file)
    await shopOf(cassette.driver(), { spec: { result: changed }, execute: noTool }).run('Hi', configOf(cassette))
    const fault = await faultOf(cassette.close())
    expect(fault).toMatchObject({ code: 'corrupt_line', line: 3 })
    expect(fault.message).toContain('/id: ')
  })
})
