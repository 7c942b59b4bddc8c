import { readFile } from 'node:fs/promises'
import { type BoundAgent, type HasApproval, Runtime } from '@toolgen/runtime'
import { answer, callTools, type Planner, STANDARD_GUARDS, usePlanner } from '@toolgen/runtime/agents'
import { scriptedModel } from '@toolgen/runtime/testing'
import { describe, expect, it } from 'vitest'
import { z } from 'zod'
import { registerClerk } from './agents/gen/agents/clerk/index.js'
import {
  advertisedSpecs,
  exportedSpecs,
  newResearchInvestigationToolsetRegistration,
  registerResearch,
} from './agents/gen/agents/research/index.js'
import {
  newBareSupportAgent,
  newSupportAgent,
  registerSupport,
  supportAgent,
} from './agents/gen/agents/support/index.js'
import { newFindNotesCall, newWatchNotesCall } from './agents/gen/toolsets/archive/index.js'
import { newInvestigateCall, newSummarizeCall, newVerifyCall } from './agents/gen/toolsets/investigation/index.js'
import { newOpenTicketCall, newTicketStateCall } from './agents/gen/toolsets/tickets/index.js'
import type { ArchiveClient } from './agents/src/archive-client.js'

const archive: ArchiveClient = {
  findNotes: async ({ topic }) => ({ notes: [`Note on ${topic}`] }),
  async *watchNotes(topic) {
    for (const number of [1, 2]) yield { note: `${topic} ${number}`, author: 'clerk', at: new Date(number) }
  },
}
const approving: HasApproval = { approval: { approve: async () => 'approve' } }
/** The caller's part of each call: somebody to ask, and the label that a tool of the inner agent is filled from. */
const given = { env: approving, labels: { tenant: 'acme' } } as const
const claims = z.object({ claim: z.string().refine((claim) => claim.endsWith('.'), 'A claim ends with a full stop.') })

interface Team {
  readonly support: BoundAgent<HasApproval>
  readonly research: BoundAgent<HasApproval>
  readonly runtime: Runtime
}

/** The two agents that use each other, each with what decides its steps. */
function team(planners: { readonly support?: Planner; readonly research?: Planner }): Team {
  const runtime = new Runtime()
  const support: BoundAgent<HasApproval> = registerSupport(runtime, {
    planner: planners.support,
    toolsets: { investigation: () => research },
  })
  const research: BoundAgent<HasApproval> = registerResearch(runtime, {
    planner: planners.research,
    toolsets: { archive: { client: archive }, desk: support },
  })
  return { support, research, runtime }
}

/** What a planner was told when it was first asked. */
function listening(planner: Planner): { readonly planner: Planner; readonly told: () => readonly unknown[] } {
  let told: readonly unknown[] = []
  return {
    planner: (request) => {
      if (request.turn === 1) told = request.messages.map(({ role, content }) => [role, content])
      return planner(request)
    },
    told: () => told,
  }
}

describe('the golden of agents', () => {
  it('serves a call by a run of the agent that exports the tool, which begins as its template says', async () => {
    const { planner, told } = listening(() => answer({ findings: ['It is lost.'], certain: true }))
    const { support } = team({ research: planner })
    const outcome = await support.execute(newInvestigateCall({ topic: 'A-1001' }), given)
    expect(outcome).toMatchObject({ status: 'completed', json: '{"findings":["It is lost."],"certain":true}' })
    expect(told()).toContainEqual(['user', 'Find out all about A-1001, to a depth of 1.'])
    expect(told()).toContainEqual(['system', 'Be thorough. Ask a person where the archive says nothing.'])
  })

  it('reports the items of a client as updates, and their array as the result', async () => {
    const { research } = team({})
    const updates: string[] = []
    const outcome = await research.execute(newWatchNotesCall({ topic: 'A-1001' }), {
      ...given,
      onUpdate: (update) => updates.push(update),
    })
    expect(updates).toEqual(['{"note":"A-1001 1"}', '{"note":"A-1001 2"}'])
    expect(outcome).toMatchObject({
      status: 'completed',
      result: {
        data: [
          { note: 'A-1001 1', at: '1970-01-01T00:00:00.001Z' },
          { note: 'A-1001 2', at: '1970-01-01T00:00:00.002Z' },
        ],
      },
    })
  })

  it('lets words be the result where the design says so, of a run that begins with a text', async () => {
    const { planner, told } = listening(() => answer('Nothing is known.'))
    const { support } = team({ research: planner })
    const outcome = await support.execute(newSummarizeCall({ topic: 'A-1001' }), given)
    expect(outcome).toMatchObject({ status: 'completed', result: { data: 'Nothing is known.' } })
    expect(told()).toContainEqual(['user', 'Tell what the archive says.'])
  })

  it('runs agents that use each other, but none within its own run', async () => {
    const { support, research } = team({
      research: ({ outcomes }) =>
        outcomes.length === 0
          ? callTools(newFindNotesCall({ topic: 'x' }), newTicketStateCall({ ticketId: 'T-1' }, { as: 'desk' }))
          : answer({ findings: outcomes.map(({ status }) => status), certain: false }),
      support: () => answer({ state: 'open' }),
    })
    const run = await research.run('What is known?', given)
    expect(run.result?.value).toEqual({ findings: ['completed', 'completed'], certain: false })
    const within = await support.execute(newInvestigateCall({ topic: 'x' }), given)
    expect(within).toMatchObject({ result: { data: { findings: ['completed', 'failed'] } } })
  })

  it('asks before it runs an exported tool that must be confirmed', async () => {
    let runs = 0
    const { research } = team({
      support: () => {
        runs += 1
        return answer({ ticketId: 'T-1' })
      },
    })
    const call = newOpenTicketCall({ subject: 'A-1001' }, { as: 'desk' })
    const prompts: unknown[] = []
    const denying: HasApproval = {
      approval: {
        approve: async ({ prompt }) => {
          prompts.push(prompt)
          return 'deny'
        },
      },
    }
    expect(await research.execute(call, { ...given, env: denying })).toMatchObject({
      status: 'failed',
      hint: { reason: 'denied' },
    })
    expect([runs, prompts]).toEqual([0, ['Open a ticket about A-1001?']])
    expect(await research.execute(call, given)).toMatchObject({ json: '{"ticketId":"T-1"}' })
    expect(runs).toBe(1)
  })

  it('checks what JSON Schema cannot say', async () => {
    const { research, runtime } = team({ research: () => answer({ holds: true }) })
    const clerk = registerClerk(runtime, {
      toolsets: { investigation: { agent: research, checks: { verify: claims } } },
    })
    const said = async (claim: string) => clerk.execute(newVerifyCall({ claim }), given)
    expect(await said('It is lost.')).toMatchObject({ status: 'completed', json: '{"holds":true}' })
    expect(await said('It is lost')).toMatchObject({ status: 'failed', hint: { reason: 'invalid_arguments' } })
  })

  it('says which check is missing where plain JavaScript leaves it out', () => {
    const { research, runtime } = team({})
    expect(() => registerClerk(runtime, { toolsets: { investigation: { agent: research } } } as never)).toThrow(
      /verify/,
    )
    expect(() => registerClerk(runtime, {} as never)).toThrow("Toolset 'investigation' is missing")
  })

  it('is callable without an agent that uses it', async () => {
    const { research, runtime } = team({ research: () => answer('Known.') })
    const tools = runtime.registerToolset(
      newResearchInvestigationToolsetRegistration(research, { checks: { verify: claims } }),
    )
    const outcome = await tools.execute(newSummarizeCall({ topic: 'x' }), given)
    expect(outcome).toMatchObject({ status: 'completed', result: { data: 'Known.' } })
  })

  it('defect 3f: a call without what the tools of the inner agents need is refused before anything runs', async () => {
    const begun: string[] = []
    const planned =
      (name: string): Planner =>
      () => {
        begun.push(name)
        return answer('Known.')
      }
    const { support, research } = team({ research: planned('research'), support: planned('support') })
    const untyped: BoundAgent<any> = support
    const nested: any = newSummarizeCall({ topic: 'x' })
    const outcome = await untyped.execute(nested, { env: approving })
    const message =
      "The caller of 'investigation.summarize' must pass options.labels.tenant (for archive.findNotes) to `execute`."
    expect(outcome).toMatchObject({ status: 'failed', error: { reason: 'internal', message } })
    const deeper: any = newTicketStateCall({ ticketId: 'T-1' }, { as: 'desk' })
    const asked: BoundAgent<any> = research
    expect(await asked.execute(deeper, { env: approving })).toMatchObject({
      status: 'failed',
      error: {
        message:
          "The caller of 'desk.ticketState' must pass options.labels.tenant (for archive.findNotes) to `execute`.",
      },
    })
    expect(begun).toEqual([])
  })

  it('shows models what is selected, under the names of the use', () => {
    expect(advertisedSpecs().map(({ toolName, provider }) => [toolName, provider])).toEqual([
      ['archive_findNotes', 'service'],
      ['archive_watchNotes', 'service'],
      ['desk_openTicket', 'agent'],
      ['desk_ticketState', 'agent'],
    ])
    expect(exportedSpecs().map(({ qualifiedId }) => qualifiedId)).toEqual([
      'agent.investigation.investigate',
      'agent.investigation.summarize',
      'agent.investigation.verify',
    ])
  })

  it('begins a builder with what the design says', () => {
    expect(supportAgent).toMatchObject({ instructions: 'Be kind.', policy: { maxDepth: 2 } })
    const agent = newSupportAgent()
      .with(usePlanner(() => answer('Hello.')))
      .build()
    expect(agent.tools.map(({ toolName }) => toolName)).toEqual(['find_out', 'investigation_summarize'])
  })

  it('defect 20: begins one with the standard guards by default, and a bare one by name', () => {
    const driver = scriptedModel([])
    const { maxSteps, maxTokens, timeoutMs } = STANDARD_GUARDS
    expect(newSupportAgent(driver).build().policy).toEqual({
      maxDepth: 2,
      maxTurns: maxSteps,
      maxTokens,
      timeBudgetMs: timeoutMs,
    })
    expect(newBareSupportAgent(driver).build().policy).toEqual({ maxDepth: 2 })
  })

  it('defect 20: says in its comment which guards it has', async () => {
    const text = await readFile(new URL('./agents/gen/agents/support/index.ts', import.meta.url), 'utf8')
    const comment = text.slice(0, text.indexOf('export function newSupportAgent')).split('/**').at(-1) ?? ''
    const { maxSteps, maxTokens, timeoutMs } = STANDARD_GUARDS
    const numbers = [maxSteps, maxTokens, timeoutMs / 1_000].map((count) => count.toLocaleString('en'))
    expect(comment.replace(/\s*\*\s*/g, ' ')).toContain(
      `${numbers[0]} steps, ${numbers[1]} tokens or ${numbers[2]} seconds`,
    )
    expect(comment).toContain('newBareSupportAgent')
  })
})
