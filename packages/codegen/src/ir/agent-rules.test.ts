import type { Agent, Toolset, ToolsetExport } from '@toolgen/dsl'
import { describe, expect, it } from 'vitest'
import { z } from 'zod'
import { compileDesign } from './compile-design.js'
import { agent, agentUse, client, loaded, tool, toolset, use } from './design.fixture.js'
import { findings } from './diagnostics.fixture.js'

const text = { type: 'string' }
const investigation = toolset('investigation', {
  investigate: tool({
    payload: z.object({ topic: z.string(), tenant: z.string() }),
    serverOwned: { tenant: 'labels.t' },
  }),
  summarize: tool({ payload: z.object({ topic: z.string() }), result: text }),
})
const tickets = toolset('tickets')

function served(of: Toolset, tools: Readonly<Record<string, ToolsetExport['tools'][string]>>): ToolsetExport {
  return { '~toolgen': 'export', toolset: of, tools }
}

/** What is found where an agent exports the investigation as told. */
function servedWith(tools: Readonly<Record<string, object>>): readonly string[] {
  const given = tools as Readonly<Record<string, ToolsetExport['tools'][string]>>
  return findings(loaded([investigation], [agent('research', { exports: [served(investigation, given)] })]))
}

describe('a toolset that an agent serves', () => {
  it('is found by who exports it, also where two agents use each other', () => {
    const support = agent('support', { uses: [agentUse(investigation)], exports: [tickets] })
    const research = agent('research', { uses: [agentUse(tickets, { as: 'desk' })], exports: [investigation] })
    const { value, diagnostics } = compileDesign(loaded([investigation, tickets], [support, research]))
    expect(diagnostics).toEqual([])
    expect(value?.agents.map(({ name, uses }) => [name, uses])).toMatchObject([
      [
        'research',
        [
          {
            provider: 'agent',
            toolset: 'tickets',
            as: 'desk',
            agent: 'support',
            tools: [{ tool: 'run', toolName: 'desk_run' }],
            names: { use: 'researchDeskUse', env: 'ResearchDeskEnv', agentEnv: 'ResearchDeskAgentEnv' },
          },
        ],
      ],
      ['support', [{ provider: 'agent', toolset: 'investigation', agent: 'research' }]],
    ])
  })

  it('has the tools of `only` under the names of `rename`', () => {
    const uses = [agentUse(investigation, { only: ['summarize'], rename: { summarize: 'sum_up' } })]
    const agents = [agent('a', { uses }), agent('b', { exports: [investigation] })]
    const { value } = compileDesign(loaded([investigation], agents))
    expect(value?.agents[0]?.uses[0]?.tools).toEqual([
      { tool: 'summarize', toolName: 'sum_up', location: expect.objectContaining({ file: 'a/uses/0' }) },
    ])
  })

  it('is refused where nobody exports it, with the toolsets of near names that somebody does', () => {
    const alone = agent('support', { uses: [agentUse(investigation)] })
    expect(findings(loaded([investigation], [alone]))).toEqual(['TG2070 support/uses/0'])
    const near = toolset('investigations')
    const { diagnostics } = compileDesign(loaded([investigation, near], [alone, agent('b', { exports: [near] })]))
    expect(diagnostics).toMatchObject([
      { code: 'TG2070', near: ['investigations'], next: expect.stringContaining('Did you mean `investigations`?') },
    ])
  })

  it('is refused where two agents export it, with the places of both', () => {
    const agents = [
      agent('a', { exports: [investigation] }),
      agent('b', { exports: [tickets, served(investigation, {})] }),
      agent('support', { uses: [agentUse(investigation)] }),
    ]
    const { diagnostics } = compileDesign(loaded([investigation, tickets], agents))
    expect(diagnostics).toMatchObject([
      {
        code: 'TG2071',
        location: { file: 'support/uses/0' },
        message: expect.stringContaining('`a` and `b`'),
        related: [{ location: { file: 'a/exports/0' } }, { location: { file: 'b/exports/1' } }],
      },
    ])
    // Who is used by nobody may be one of several.
    expect(findings(loaded([investigation, tickets], agents.slice(0, 2)))).toEqual([])
  })

  it('is refused where the agent exports it itself', () => {
    const own = agent('a', { uses: [agentUse(investigation)], exports: [investigation] })
    expect(findings(loaded([investigation], [own]))).toEqual(['TG2072 a/uses/0'])
    // Through a client the agent does not call itself.
    const api = client()
    const both = agent('a', { uses: [use(investigation, { client: api })], exports: [investigation] })
    expect(findings(loaded([investigation], [both], [api]))).toEqual([])
  })

  it('keeps the rules of every use: names, clashes, unknown tools', () => {
    const research = agent('research', { exports: [investigation] })
    const rules = (...uses: Agent['uses']) => findings(loaded([investigation], [agent('a', { uses }), research]))
    expect(rules(agentUse(investigation), agentUse(investigation, { as: 'again' }))).toEqual([])
    expect(rules(agentUse(investigation), agentUse(investigation))).toContain('TG2012 a/uses/1')
    expect(rules(agentUse(investigation, { as: ' ' }))).toContain('TG2006 a/uses/0/as')
    expect(rules(agentUse(investigation, { only: [] }))).toContain('TG2024 a/uses/0/only')
    expect(rules(agentUse(investigation, { only: ['nope'] }))).toEqual(['TG2022 a/uses/0/only/0'])
    expect(rules(agentUse(investigation, { rename: { investigate: 'é' } }))).toEqual([
      'TG2020 a/uses/0/rename/investigate',
    ])
    expect(rules(agentUse(investigation, { rename: { investigate: 'x', summarize: 'x' } }))).toEqual([
      'TG2021 a/uses/0/rename/summarize',
    ])
  })
})

describe('what is said of an exported tool', () => {
  it('is in the order of the toolset, without what changes nothing', () => {
    const tools = { summarize: { text: 'Sum up.', prose: true }, investigate: { template: '{{topic}}', prose: false } }
    const research = agent('research', { exports: [served(investigation, tools), tickets] })
    const { value } = compileDesign(loaded([investigation, tickets], [research]))
    expect(value?.agents[0]?.exports).toMatchObject([
      {
        toolset: 'investigation',
        tools: [
          { tool: 'investigate', template: '{{topic}}' },
          { tool: 'summarize', text: 'Sum up.', prose: true },
        ],
        names: { file: 'investigation.agent', export: 'researchInvestigationExport' },
      },
      { toolset: 'tickets', tools: [] },
    ])
    expect(value?.agents[0]?.exports[0]?.tools[0]).not.toHaveProperty('prose')
    expect(servedWith({ summarize: {} })).toEqual([])
  })

  it('names tools that exist', () => {
    const research = agent('research', { exports: [served(investigation, { investigat: { text: 'x' } })] })
    expect(compileDesign(loaded([investigation], [research])).diagnostics).toMatchObject([
      { code: 'TG2022', location: { file: 'research/exports/0/tools/investigat' }, near: ['investigate'] },
    ])
  })

  it('has templates over fields of the payload, server-owned ones too', () => {
    expect(servedWith({ investigate: { template: '{{topic}} for {{ tenant }}' } })).toEqual([])
    expect(servedWith({ investigate: { template: 'On {{topik}}, {{x' } })).toEqual([
      'TG2041 research/exports/0/tools/investigate/template=[3-12]',
      'TG2042 research/exports/0/tools/investigate/template=[14-16]',
    ])
    // What stands as it is may have braces.
    expect(servedWith({ investigate: { text: 'On {{topik}}' } })).toEqual([])
  })

  it('is a text or a template', () => {
    expect(servedWith({ summarize: { text: 'x', template: '{{topic}}' } })).toEqual([
      'TG2073 research/exports/0/tools/summarize/template',
    ])
  })

  it.each<[string, object, boolean]>([
    ['a text', text, true],
    ['a text or an object', { anyOf: [{ type: 'object', properties: {} }, text] }, true],
    ['a referenced text', { $defs: { words: text }, $ref: '#/$defs/words' }, true],
    ['an object', { type: 'object', properties: { text } }, false],
    ['an array of strings', { type: 'array', items: text }, false],
    ['one of some texts', { enum: ['yes', 'no'] }, false],
    ['a number', { type: 'number' }, false],
  ])('lets prose be the result only where that may be a text: %s', (_, result, allowed) => {
    const one = toolset('one', { ask: tool({ result }) })
    const design = loaded([one], [agent('a', { exports: [served(one, { ask: { prose: true } })] })])
    expect(findings(design)).toEqual(allowed ? [] : ['TG2074 a/exports/0/tools/ask/prose'])
  })

  it('is of the types that the words of the design give it', () => {
    expect(servedWith({ investigate: { text: 1, prose: 'yes' } })).toEqual([
      'TG2005 research/exports/0/tools/investigate/text',
      'TG2005 research/exports/0/tools/investigate/prose',
    ])
    const broken = Object.assign(agent('a'), { exports: [{ '~toolgen': 'export', toolset: {}, tools: [] }, 1] })
    expect(findings(loaded([], [broken]))).toEqual([
      'TG2005 a/exports/0/toolset',
      'TG2005 a/exports/0/tools',
      'TG2005 a/exports/1/toolset',
    ])
    const strange = Object.assign(agent('a'), { uses: [{ '~toolgen': 'use', provider: 'friend', toolset: tickets }] })
    expect(findings(loaded([], [strange]))).toContain('TG2005 a/uses/0/provider')
  })
})
