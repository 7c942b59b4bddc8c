import { dataFlow, Runtime, runConfig } from '@toolgen/runtime'
import { quickJsSandbox, typescriptChecker, useCodeMode } from '@toolgen/runtime/code-mode'
import { calls, type ScriptStep, says, scriptedModel } from '@toolgen/runtime/testing'
import { afterAll, describe, expect, it } from 'vitest'
import { newClerkAgent, registerClerk } from './labels/gen/agents/clerk/index.js'
import { newReaderAgent, registerReader } from './labels/gen/agents/reader/index.js'

const checker = typescriptChecker()
const sandbox = quickJsSandbox()
afterAll(() => Promise.all([checker.close(), sandbox.close()]))

const step = (tool: string): ScriptStep => calls({ tool, arguments: { about: 'rent' } })
const program = (code: string): ScriptStep => calls({ tool: 'run_program', arguments: { code } })
const config = runConfig().layer(dataFlow({ on: 'deny' }))

/** Runs `clerk`. Returns the tools that ran, the reason or status of each call, and the labels of the last one that completed. */
async function play(...steps: readonly ScriptStep[]) {
  const ran: string[] = []
  const executor = {
    execute: async ({ tool }: { readonly tool: { readonly name: string } }) => {
      ran.push(tool.name)
      return 'done'
    },
  }
  const runtime = new Runtime()
  const model = scriptedModel([...steps, says('done')])
  const inner = scriptedModel([step('inbox_readMail'), says('"Rent is due."')])
  const reader = registerReader(runtime, { toolsets: { inbox: { executor } }, agent: newReaderAgent(inner).build() })
  const agent = newClerkAgent(model)
    .with(
      useCodeMode({
        checker,
        sandbox,
        keep: ['inbox_readMail', 'inbox_countMails', 'post_sendMail', 'post_draftMail', 'reading_summarize'],
      }),
    )
    .build()
  const clerk = registerClerk(runtime, {
    toolsets: { inbox: { executor }, post: { executor }, reading: { agent: reader } },
    agent,
  })
  const run = await clerk.run('Go.', { config })
  const results = run.outcomes.map((outcome) => (outcome.status === 'failed' ? outcome.hint.reason : outcome.status))
  return { ran, results, reads: run.outcomes.map(({ provenance }) => provenance.reads) }
}

const both = ['private', 'untrusted']

describe('labels that a toolset declares for its tools', () => {
  it('apply in a run, also to a tool without own labels', async () => {
    const { ran, results, reads } = await play(step('inbox_readMail'), step('post_sendMail'))
    expect([ran, results]).toEqual([['readMail'], ['completed', 'denied']])
    expect(reads[0]).toEqual(both)
  })

  it('do not apply to a tool that declares to have none', async () => {
    const counted = await play(step('inbox_countMails'), step('post_sendMail'))
    expect([counted.ran, counted.reads[0]]).toEqual([['countMails', 'sendMail'], undefined])
    expect((await play(step('inbox_readMail'), step('post_draftMail'))).ran).toEqual(['readMail', 'draftMail'])
  })

  it('reach the outer run of a nested agent', async () => {
    const { ran, results, reads } = await play(step('reading_summarize'), step('post_sendMail'))
    expect([ran, results, reads[0]]).toEqual([['readMail'], ['completed', 'denied'], both])
  })

  it.each([
    ['a call of the program', `await inbox.readMail({ about: 'rent' })`],
    ['a nested agent of the program', `await reading.summarize({ about: 'rent' })`],
  ])('apply in code mode: %s', async (_, read) => {
    const send = `try { return await post.sendMail({ about: 'rent' }) } catch { return 'refused' }`
    const { ran, results, reads } = await play(program(`${read}\n${send}`), step('post_sendMail'))
    expect([ran, results, reads[0]]).toEqual([['readMail'], ['completed', 'denied'], both])
  })
})
