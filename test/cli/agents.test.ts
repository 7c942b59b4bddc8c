import { afterEach, describe, expect, it } from 'vitest'
import { type Expected, fails, projectWith } from './bad-input.fixture.js'
import { type Project, smallProject } from './project.fixture.js'

// Every test starts the command, which reads types; a busy machine needs its time.
let project: Project | undefined
afterEach(() => project?.remove())

const investigation = `import { defineTool, defineToolset } from '@toolgen/dsl'

export const investigation = defineToolset('investigation', {
  description: 'Find things out.',
  tools: {
    investigate: defineTool({
      description: 'Find out all about a topic.',
      payload: { type: 'object', properties: { topic: { type: 'string' } }, required: ['topic'] },
      result: { type: 'object', properties: { found: { type: 'string' } }, required: ['found'] },
    }),
  },
})
`

/** The small project, in which one agent serves the investigation and another one uses it. */
function agents(exported: string, used = 'fromAgent(investigation)'): Readonly<Record<string, string>> {
  return {
    'design/investigation.ts': investigation,
    'design/agents.ts': `import { defineAgent, exportToolset, fromAgent, fromService } from '@toolgen/dsl'
import { ordersClient } from './clients.js'
import { investigation } from './investigation.js'
import { orders } from './orders.js'

export const research = defineAgent('research', {
  description: 'Finds things out.',
  uses: [fromService(orders, ordersClient)],
  exports: [${exported}],
})

export const desk = defineAgent('desk', {
  description: 'Answers visitors.',
  uses: [${used}],
})
void [exportToolset, fromAgent]
`,
  }
}

function failsWith(files: Readonly<Record<string, string>>, expected: Omit<Expected, 'exit'>): void {
  project = projectWith(files)
  fails(project, { exit: 3, ...expected })
}

describe('an agent that uses what another one exports', () => {
  it('generates, type-checks against nothing but the runtime, and is shown with who serves it', () => {
    project = projectWith(agents(`exportToolset(investigation, { tools: { investigate: { template: '{{topic}}' } } })`))
    expect(project.toolgen('generate')).toMatchObject({ code: 0 })
    expect(project.tsc('-p', '.')).toMatchObject({ stdout: '', code: 0 })
    const table = project.toolgen('inspect').stdout
    expect(table).toMatch(/ {2}investigation\.investigate {2}investigation_investigate {2}agent research {2}-\n/)
    expect(table).toContain('  offers investigation\n')
    const { agents: shown } = JSON.parse(project.toolgen('inspect', '--json').stdout)
    expect(shown).toMatchObject([
      { name: 'desk', uses: [{ provider: 'agent', toolset: 'investigation', agent: 'research' }] },
      { name: 'research', exports: [{ tools: [{ tool: 'investigate', template: '{{topic}}' }] }] },
      { name: 'support' },
    ])
  })

  it('leaves no file behind when the export is gone', () => {
    const made = projectWith(agents('investigation'))
    project = made
    made.toolgen('generate')
    expect(made.has('gen/agents/research/investigation.agent.ts')).toBe(true)
    made.write(agents('', ''))
    const { code, stderr } = made.toolgen('generate')
    expect([code, stderr]).toEqual([0, expect.stringContaining('2 removed')])
    expect(made.has('gen/agents/research/investigation.agent.ts')).toBe(false)
    expect(made.toolgen('check')).toMatchObject({ code: 0 })
  })

  it('needs no client of its own, so that no types are read', () => {
    const { 'design/support.ts': _, 'design/clients.ts': __, ...rest } = smallProject
    const alone = agents('investigation')['design/agents.ts']?.replace('uses: [fromService(orders, ordersClient)],', '')
    const made = projectWith({
      ...agents('investigation'),
      'design/agents.ts': alone?.replace(/import \{ ordersClient .*\n/, '').replace(/import \{ orders .*\n/, '') ?? '',
    })
    project = made
    made.write({ 'design/support.ts': undefined, 'design/clients.ts': undefined })
    expect(Object.keys(rest)).not.toHaveLength(0)
    expect(made.toolgen('generate')).toMatchObject({ code: 0 })
    expect(made.toolgen('generate').stderr).toContain('up to date')
  })

  it('is refused where nobody exports it', () => {
    failsWith(agents(''), {
      code: 'TG2070',
      location: 'design/agents.ts:14',
      message: 'No agent exports the toolset `investigation`',
      next: 'Add the toolset to `exports` of the agent',
    })
  })

  it('is refused where it exports it itself', () => {
    const own = agents('investigation', '')['design/agents.ts'] ?? ''
    failsWith(
      {
        ...agents('investigation'),
        'design/agents.ts': own.replace('[fromService(orders, ordersClient)]', '[fromAgent(investigation)]'),
      },
      {
        code: 'TG2072',
        location: 'design/agents.ts:8',
        message: 'both uses and exports the toolset `investigation`',
        next: 'Remove the use',
      },
    )
  })
})

describe('an export', () => {
  it('has a template with a field that is not there', () => {
    failsWith(agents(`exportToolset(investigation, { tools: { investigate: { template: 'On {{topik}}' } } })`), {
      code: 'TG2041',
      location: 'design/agents.ts:9',
      message: '`template` contains `{{topik}}`',
      next: 'Did you mean `topic`?',
    })
  })

  it('speaks of a tool that is not there', () => {
    failsWith(agents(`exportToolset(investigation, { tools: { investigat: {} } as never })`), {
      code: 'TG2022',
      location: 'design/agents.ts:9',
      message: '`tools` contains `investigat`',
      next: 'Did you mean `investigate`?',
    })
  })

  it('lets prose be what must be an object', () => {
    failsWith(agents(`exportToolset(investigation, { tools: { investigate: { prose: true } } })`), {
      code: 'TG2074',
      location: 'design/agents.ts:9',
      message: 'its result schema does not allow a string',
      next: 'Remove `prose`',
    })
  })
})
